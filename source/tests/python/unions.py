"""Sample functions for the schema tests: unions, and types that may be None."""

from typing import Annotated, Any, Dict, List, Literal, Optional, Tuple, Union


def optional(a: Optional[int]):
    """Says it.

    Args:
        a: The first.
    """


def optional_new(a: int | None = None):
    """Says it.

    Args:
        a: The first.
    """


def none_first(a: None | str):
    """Says it.

    Args:
        a: The first.
    """


def two(a: Union[int, str]):
    """Says it.

    Args:
        a: The first.
    """


def two_new(a: str | int):
    """Says it.

    Args:
        a: The first.
    """


def three(a: Union[str, int, None]) -> Union[float, bool]:
    """Says it.

    Args:
        a: The first.
    """
    return 1.0


def same_twice(a: Union[int, int]):
    """Says it.

    Args:
        a: The first.
    """


def same_json(a: Union[list, tuple]):
    """Says it.

    Args:
        a: The first.
    """


def same_json_none(a: Union[list, tuple, None]):
    """Says it.

    Args:
        a: The first.
    """


def old_and_new(a: Union[List, list]):
    """Says it.

    Args:
        a: The first.
    """


def old_and_new_items(a: Union[List[int], list[int]]):
    """Says it.

    Args:
        a: The first.
    """


def lists(a: Union[list[int], list[str]]):
    """Says it.

    Args:
        a: The first.
    """


def list_or_text(a: Union[str, list[str]]):
    """Says it.

    Args:
        a: The first.
    """


def list_or_text_or_none(a: str | list[str] | None = None):
    """Says it.

    Args:
        a: The first.
    """


def within(a: Union[int, Union[str, Union[bool, None]]]):
    """Says it.

    Args:
        a: The first.
    """


def optional_of_union(a: Optional[Union[int, float]]):
    """Says it.

    Args:
        a: The first.
    """


def optional_list(a: Optional[list[int]]):
    """Says it.

    Args:
        a: The first.
    """


def list_of_optional(a: list[Optional[int]]):
    """Says it.

    Args:
        a: The first.
    """


def list_of_union(a: List[Union[int, str]]):
    """Says it.

    Args:
        a: The first.
    """


def any_or_int(a: Union[int, Any]):
    """Says it.

    Args:
        a: The first.
    """


def optional_any(a: Optional[Any]):
    """Says it.

    Args:
        a: The first.
    """


def literal_or_int(a: Union[Literal["auto"], int]):
    """Says it.

    Args:
        a: The first.
    """


def literal_or_none(a: Literal["x", "y"] | None):
    """Says it.

    Args:
        a: The first.
    """


def literal_with_choices(a: Optional[Literal["x", "y"]]):
    """Says it.

    Args:
        a: The first (choices: ["z"])
    """


def tuple_or_none(a: Optional[Tuple[int, str]]):
    """Says it.

    Args:
        a: The first.
    """


def dict_or_list(a: Dict[str, int] | List[int]):
    """Says it.

    Args:
        a: The first.
    """


def union_of_none(a: Union[None]):
    """Says it.

    Args:
        a: The first.
    """


def union_of_one(a: Union[str]):
    """Says it.

    Args:
        a: The first.
    """


def annotated(a: Annotated[int, "between 1 and 3"], b: Annotated[Optional[list[Annotated[str, 1]]], None]):
    """Says it.

    Args:
        a: The first.
        b: The second.
    """


def union_bare(a: Union):
    """Says it.

    Args:
        a: The first.
    """


def optional_bare(a: Optional):
    """Says it.

    Args:
        a: The first.
    """


def choices_on_union(a: int | str):
    """Says it.

    Args:
        a: The first (choices: [1, "x"])
    """


def optional_return() -> int | None:
    """Says it.

    Returns:
        A number, if there is one.
    """


def union_with_class(a: Union[int, set]):
    """Says it.

    Args:
        a: The first.
    """


def dict_of_optional(a: dict[str, int | None], b: dict[str, str | int | None]):
    """Says it.

    Args:
        a: The first.
        b: The second.
    """
