"""Sample functions for the schema tests: types of `typing`, aliases, types without a schema."""

import collections.abc
import dataclasses
import datetime
import typing
import typing as t
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Dict, Final, FrozenSet, List, NewType, Set, Text, Tuple, Type, TypedDict, TypeVar

T = TypeVar("T")
UserId = NewType("UserId", int)
Names = list[str]
Table = Dict[str, Names]
Alias: typing.TypeAlias = "int | None"

try:
    from typing import Literal
except ImportError:
    from typing_extensions import Literal

if typing.TYPE_CHECKING:
    Names = list[int]


class Movie(TypedDict):
    title: str


@dataclass
class Point:
    x: int


@dataclasses.dataclass
class Line:
    a: Point


def bare(a: List, b: Dict, c: Tuple):
    """Says it.

    Args:
        a: The first.
        b: The second.
        c: The third.
    """


def items(a: List[int], b: Dict[str, int], c: Tuple[int, str], d: Text):
    """Says it.

    Args:
        a: The first.
        b: The second.
        c: The third.
        d: The fourth.
    """


def dotted(a: typing.List[typing.Optional[int]], b: t.Union[int, t.Dict[str, t.Any]]):
    """Says it.

    Args:
        a: The first.
        b: The second.
    """


def old_empty_tuple(a: Tuple[()]):
    """Says it.

    Args:
        a: The first.
    """


def alias(a: Names, b: Table, c: Alias):
    """Says it.

    Args:
        a: The first.
        b: The second.
        c: The third.
    """


def text_hint(a: "int", b: "list[str]", c: list["int"], d: List["str"], e: "typing.Optional['int']"):
    """Says it.

    Args:
        a: The first.
        b: The second.
        c: The third.
        d: The fourth.
        e: The fifth.
    """


def none_type(a: type(None)):
    """Says it.

    Args:
        a: The first.
    """


def literal(a: Literal["x"]):
    """Says it.

    Args:
        a: The first.
    """


def long_hint(
    a: typing.Union[
        int,  # a comment
        str,
    ],
    b: typing.Literal[
        "x",
        "y",
    ] = "x",
):
    """Says it.

    Args:
        a: The first.
        b: The second.
    """


def single_tuple(a: tuple[int]):
    """Says it.

    Args:
        a: The first.
    """


def any_length(a: tuple[int, ...]):
    """Says it.

    Args:
        a: The first.
    """


def old_any_length(a: Tuple[int, ...]):
    """Says it.

    Args:
        a: The first.
    """


def sets(a: set):
    """Says it.

    Args:
        a: The first.
    """


def set_of(a: Set[int]):
    """Says it.

    Args:
        a: The first.
    """


def frozen(a: FrozenSet[int]):
    """Says it.

    Args:
        a: The first.
    """


def sequence(a: Sequence[int]):
    """Says it.

    Args:
        a: The first.
    """


def sequence_bare(a: collections.abc.Sequence):
    """Says it.

    Args:
        a: The first.
    """


def iterable(a: Iterable[int]):
    """Says it.

    Args:
        a: The first.
    """


def mapping(a: Mapping[str, int]):
    """Says it.

    Args:
        a: The first.
    """


def function(a: Callable[[int], str]):
    """Says it.

    Args:
        a: The first.
    """


def any_function(a: Callable[..., int]):
    """Says it.

    Args:
        a: The first.
    """


def kind(a: type[int]):
    """Says it.

    Args:
        a: The first.
    """


def old_kind(a: Type[int]):
    """Says it.

    Args:
        a: The first.
    """


def final(a: Final[int]):
    """Says it.

    Args:
        a: The first.
    """


def variable(a: T) -> T:
    """Says it.

    Args:
        a: The first.
    """
    return a


def user(a: UserId):
    """Says it.

    Args:
        a: The first.
    """


def movie(a: Movie):
    """Says it.

    Args:
        a: The first.
    """


def point(a: Point):
    """Says it.

    Args:
        a: The first.
    """


def points(a: list[Point]):
    """Says it.

    Args:
        a: The first.
    """


def gives_point() -> Point:
    """Says it.

    Returns:
        A point.
    """


def date(a: datetime.date):
    """Says it.

    Args:
        a: The first.
    """


def path(a: Path, b: Decimal):
    """Says it.

    Args:
        a: The first.
        b: The second.
    """


def ordered(a: OrderedDict):
    """Says it.

    Args:
        a: The first.
    """


def defaulted(a: defaultdict[str, int]):
    """Says it.

    Args:
        a: The first.
    """


def raw(a: bytes):
    """Says it.

    Args:
        a: The first.
    """


def complicated(a: complex):
    """Says it.

    Args:
        a: The first.
    """


def anything(a: object):
    """Says it.

    Args:
        a: The first.
    """


def in_dict(a: dict[str, Point]):
    """Says it.

    Args:
        a: The first.
    """


def in_tuple(a: tuple[int, Point]):
    """Says it.

    Args:
        a: The first.
    """


def optional_point(a: Point | None = None):
    """Says it.

    Args:
        a: The first.
    """
