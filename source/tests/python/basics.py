"""Sample functions for the schema tests: plain types, containers, defaults and results."""

from typing import Any


def nothing():
    """Takes nothing."""


def text(a: str):
    """Takes text.

    Args:
        a: Some text.
    """


def whole(a: int):
    """Takes a whole number.

    Args:
        a: A number.
    """


def fraction(a: float) -> float:
    """Takes a fraction.

    Args:
        a: A number.

    Returns:
        The half of it.
    """
    return a / 2


def truth(a: bool) -> bool:
    """Takes a truth.

    Args:
        a: Whether it is so.

    Returns:
        bool: Whether it is not.
    """
    return not a


def items(a: list):
    """Takes a list.

    Args:
        a: A list.
    """


def members(a: dict):
    """Takes a dictionary.

    Args:
        a: A dictionary.
    """


def pair(a: tuple):
    """Takes a tuple.

    Args:
        a: A tuple.
    """


def whatever(a: Any) -> Any:
    """Takes anything.

    Args:
        a: Anything.

    Returns:
        The same.
    """
    return a


def absent(a: None) -> None:
    """Takes nothing, and gives it.

    Args:
        a: Nothing.
    """


def defaults(a: str, b: int = 3, c: float = 1.5, d: bool = False, e: list = [], f: str = None):
    """Has defaults.

    Args:
        a: The first.
        b: The second.
        c: The third.
        d: The fourth.
        e: The fifth.
        f: The sixth.
    """


def all_optional(a: str = "x"):
    """Needs nothing.

    Args:
        a: Maybe.
    """


def strings(a: list[str]) -> list[int]:
    """Counts.

    Args:
        a: Texts.

    Returns:
        Their lengths.
    """
    return [len(it) for it in a]


def nested(a: list[list[int]]):
    """Takes a matrix.

    Args:
        a: Rows.
    """


def deep(a: dict[str, list[dict[str, float]]]) -> dict[str, dict[str, list[str]]]:
    """Takes much.

    Args:
        a: A deep thing.
    """


def scores(a: dict[str, int]):
    """Takes scores.

    Args:
        a: Points by name.
    """


def open_members(a: dict[str, Any]):
    """Takes whatever.

    Args:
        a: Anything by name.
    """


def odd_dict(a: dict[str]):
    """Says half.

    Args:
        a: A dictionary.
    """


def odd_list(a: list[int, str]):
    """Says too much.

    Args:
        a: A list.
    """


def point(a: tuple[float, float]) -> tuple[int, str, bool]:
    """Takes a point.

    Args:
        a: Where.
    """


def empty_tuple(a: tuple[()]):
    """Takes nothing in brackets.

    Args:
        a: Nothing.
    """


def points(a: list[tuple[int, int]]):
    """Takes points.

    Args:
        a: Where.
    """


def returns_only() -> str:
    """Says something.

    Returns:
        What it says.
    """
    return ""


def returns_without_words() -> str:
    """Says something."""
    return ""


def words_without_returns():
    """Says something.

    Returns:
        What it says.
    """


def returns_a_class() -> Exception:
    """Gives what has no schema.

    Returns:
        An error.
    """
    return Exception()


def returns_a_set() -> set[int]:
    """Gives what has no schema.

    Returns:
        Numbers.
    """
    return set()


def _private(a: int):
    """Is not seen.

    Args:
        a: A number.
    """


async def waiting(a: int) -> int:
    """Waits.

    Args:
        a: How long.
    """
    return a


def generator(a: int):
    """Yields.

    Args:
        a: How many.
    """
    yield a


def twice(a: int):
    """Is replaced.

    Args:
        a: A number.
    """


def twice(a: str):  # noqa: F811
    """Replaces.

    Args:
        a: A text.
    """


class Holder:
    """A class is no function."""

    def method(self, a: int):
        """Is not at the top."""


value = 3
anonymous = lambda x: x  # noqa: E731
