"""Sample functions for the schema tests: all kinds of parameters, missing hints and texts."""

import functools


def tool(function):
    return function


def named(name):
    def decorate(function):
        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            return function(*args, **kwargs)

        return wrapped

    return decorate


@tool
def decorated(a: int):
    """Says it.

    Args:
        a: The first.
    """


@named("x")
@tool
def decorated_twice(a: int):
    """Says it.

    Args:
        a: The first.
    """


def positional(a: int, b: str, /, c: float):
    """Says it.

    Args:
        a: The first.
        b: The second.
        c: The third.
    """


def keyword(a: int, *, b: str, c: float = 1.0):
    """Says it.

    Args:
        a: The first.
        b: The second.
        c: The third.
    """


def rest(a: int, *b: str):
    """Says it.

    Args:
        a: The first.
        b: The others.
    """


def named_rest(a: int, **b: str):
    """Says it.

    Args:
        a: The first.
        b: The others.
    """


def everything(a: int, /, b: int, *c: int, d: int = 1, e: int, **f: int):
    """Says it.

    Args:
        a: One.
        b: Two.
        c: Three.
        d: Four.
        e: Five.
        f: Six.
    """


def with_self(self, a: int):
    """Says it.

    Args:
        a: The first.
    """


def with_class(cls, a: int):
    """Says it.

    Args:
        a: The first.
    """


def typed_self(self: int):
    """Says it.

    Args:
        self: The first.
    """


def late_self(a: int, self):
    """Says it.

    Args:
        a: The first.
    """


def no_docstring(a: int):
    return a


def empty_docstring(a: int):
    """"""


def blank_docstring(a: int):
    """

    """


def late_docstring(a: int):
    a += 1
    """Says it."""
    return a


def formatted_docstring(a: int):
    f"""Says it {1}.

    Args:
        a: The first.
    """


def bytes_docstring(a: int):
    b"""Says it."""


def no_hint(a):
    """Says it.

    Args:
        a: The first.
    """


def no_second_hint(a: int, b, c):
    """Says it.

    Args:
        a: The first.
        b: The second.
        c: The third.
    """


def no_hint_for_rest(a: int, *args):
    """Says it.

    Args:
        a: The first.
        args: The others.
    """


def not_described(a: int):
    """Says it."""


def second_not_described(a: int, b: str):
    """Says it.

    Args:
        a: The first.
    """


def hint_and_words_missing(a, b: set):
    """Says it."""


def bad_hint_before_missing_words(a: int, b: set):
    """Says it."""


def choices_no_json(a: str):
    """Says it.

    Args:
        a: One (choices: ['x', 'y'])
    """


def choices_a_number(a: str):
    """Says it.

    Args:
        a: One (choices: 3)
    """


def choices_empty(a: str):
    """Says it.

    Args:
        a: One (choices:)
    """


def defaults_without_hints(a=1):
    """Says it.

    Args:
        a: The first.
    """


def keyword_named_like_sections(Args: int, Returns: int):
    """Says it.

    Args:
        Args: The first.
        Returns: The second.
    """


def on_one_line(a: int) -> int: "Says it."; return a


def long_signature(
    first_parameter: int,
    second_parameter: str = "a, b: c",
    third_parameter: dict[str, list[int]] = {"x": [1, 2]},
) -> dict[
    str,
    int,
]:
    """Says it.

    Args:
        first_parameter: The first.
        second_parameter: The second.
        third_parameter: The third.

    Returns:
        The result.
    """
    return {}
