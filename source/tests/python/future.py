"""Sample functions for the schema tests: hints kept as text, star imports, names defined later."""

from __future__ import annotations

import typing
from typing import *  # noqa: F403
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from decimal import Decimal


def plain(a: int, b: list[str] | None = None) -> dict[str, int]:
    """Says it.

    Args:
        a: The first.
        b: The second.
    """
    return {}


def starred(a: Optional[List[int]], b: Literal["x"], c: Any):
    """Says it.

    Args:
        a: The first.
        b: The second.
        c: The third.
    """


def quoted(a: "int", b: "Optional[int]"):
    """Says it.

    Args:
        a: The first.
        b: The second.
    """


def later(a: Later):
    """Says it.

    Args:
        a: The first.
    """


def later_class(a: LaterKind):
    """Says it.

    Args:
        a: The first.
    """


Later = list[int]

import enum  # noqa: E402


class LaterKind(enum.Enum):
    A = "a"
