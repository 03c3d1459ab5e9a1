"""Sample functions for the schema tests: hints with names that are not defined."""

from __future__ import annotations

import typing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from decimal import Decimal


def unknown(a: Missing):
    """Says it.

    Args:
        a: The first.
    """


def unknown_within(a: list[Missing]):
    """Says it.

    Args:
        a: The first.
    """


def unknown_of(a: Missing[int]):
    """Says it.

    Args:
        a: The first.
    """


def unknown_member(a: missing.Type):
    """Says it.

    Args:
        a: The first.
    """


def unknown_return(a: int) -> Missing:
    """Says it.

    Args:
        a: The first.
    """


def for_checkers(a: Decimal):
    """Says it.

    Args:
        a: The first.
    """


def unknown_and_no_hint(a, b: Missing):
    """Says it.

    Args:
        a: The first.
        b: The second.
    """


def unknown_without_docstring(a: Missing):
    pass


def unknown_in_text(a: "Missing"):
    """Says it.

    Args:
        a: The first.
    """


def known(a: typing.Optional[int]):
    """Says it.

    Args:
        a: The first.
    """
