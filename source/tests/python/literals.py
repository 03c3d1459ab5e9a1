"""Sample functions for the schema tests: `Literal` types and enumerations."""

import enum
import enum as kinds
from enum import Enum, IntEnum, StrEnum, auto, unique
from typing import List, Literal, Optional

BASE = 10
Mode = Literal["fast", "slow"]


class Color(Enum):
    RED = "red"
    GREEN = "green"


class Size(IntEnum):
    """Sizes."""

    SMALL = 1
    LARGE = BASE * 2 + 1

    def describe(self):
        return self.name


class Word(StrEnum):
    YES = auto()
    NO_WAY = auto()
    MAYBE = "perhaps"


class Mixed(Enum):
    A = "a"
    B = 1
    C = 2.5
    D = None
    E = False


class Texts(str, Enum):
    X = "x"
    Y = "y"


class Numbers(int, Enum):
    ONE = 1
    TRUE = True
    TWO = 2


class Fractions(float, Enum):
    HALF = 0.5
    WHOLE = 1


class Aliased(Enum):
    A = 1
    B = 1
    C = True
    D = 2


class Auto(Enum):
    A = auto()
    B = auto()
    C = 7
    D = auto()


class Permission(enum.Flag):
    READ = 1
    WRITE = 2
    EXECUTE = enum.auto()
    BOTH = READ | WRITE




class JustNegative(kinds.Enum):
    DOWN = -1
    LOW = -2.5
    HEX = 0xFF
    BIG = 1_000


class Tuples(Enum):
    A = (1, 2)


class Empty(Enum):
    pass


class BaseKind(Enum):
    def shout(self):
        return self.value.upper()


class Derived(BaseKind):
    A = "a"


@unique
class Decorated(Enum):
    A: str = "a"
    note: int
    B: str = "b"


class Private(Enum):
    _ignore_ = ["x"]
    A = "a"
    _B = "b"


class Planet:
    class Kind(Enum):
        ROCK = "rock"
        GAS = "gas"


Fruit = Enum("Fruit", "APPLE PEAR")
Nut = Enum("Nut", ["WAL", "HAZEL"])
Berry = Enum("Berry", {"BLUE": "blue", "RASP": "rasp"})
Speed = IntEnum("Speed", "SLOW, FAST")


def color(a: Color):
    """Says it.

    Args:
        a: The first.
    """


def size(a: Size = Size.SMALL) -> Size:
    """Says it.

    Args:
        a: The first.

    Returns:
        The next.
    """
    return a


def word(a: Word):
    """Says it.

    Args:
        a: The first.
    """


def mixed(a: Mixed):
    """Says it.

    Args:
        a: The first.
    """


def texts(a: Texts, b: Numbers, c: Fractions):
    """Says it.

    Args:
        a: The first.
        b: The second.
        c: The third.
    """


def aliased(a: Aliased):
    """Says it.

    Args:
        a: The first.
    """


def automatic(a: Auto):
    """Says it.

    Args:
        a: The first.
    """


def permission(a: Permission):
    """Says it.

    Args:
        a: The first.
    """


def just_negative(a: JustNegative):
    """Says it.

    Args:
        a: The first.
    """


def tuples(a: Tuples):
    """Says it.

    Args:
        a: The first.
    """


def empty(a: Empty):
    """Says it.

    Args:
        a: The first.
    """


def derived(a: Derived):
    """Says it.

    Args:
        a: The first.
    """


def decorated(a: Decorated):
    """Says it.

    Args:
        a: The first.
    """


def private(a: Private):
    """Says it.

    Args:
        a: The first.
    """


def inner(a: Planet.Kind):
    """Says it.

    Args:
        a: The first.
    """


def functional(a: Fruit, b: Nut, c: Berry, d: Speed):
    """Says it.

    Args:
        a: The first.
        b: The second.
        c: The third.
        d: The fourth.
    """


def colors(a: list[Color], b: Optional[Color] = None):
    """Says it.

    Args:
        a: The first.
        b: The second.
    """


def color_or_text(a: Color | str):
    """Says it.

    Args:
        a: The first.
    """


def color_with_choices(a: Color):
    """Says it.

    Args:
        a: The first (choices: ["red"])
    """


def mode(a: Mode):
    """Says it.

    Args:
        a: The first.
    """


def literal_texts(a: Literal["x", "y"]):
    """Says it.

    Args:
        a: The first.
    """


def literal_numbers(a: Literal[1, -2, 0x10]):
    """Says it.

    Args:
        a: The first.
    """


def literal_mixed(a: Literal["a", 1, True, None]):
    """Says it.

    Args:
        a: The first.
    """


def literal_one(a: Literal["only"]):
    """Says it.

    Args:
        a: The first.
    """


def literal_twice(a: Literal["x", "x", 1, True]):
    """Says it.

    Args:
        a: The first.
    """


def literal_within(a: Literal["v", Mode, Literal["w"]]):
    """Says it.

    Args:
        a: The first.
    """


def literal_escapes(a: Literal["a\tb", "ü", r"\d", "x" "y"]):
    """Says it.

    Args:
        a: The first.
    """


def literal_tuple(a: Literal[("x", "y")]):
    """Says it.

    Args:
        a: The first.
    """


def literal_bytes(a: Literal[b"x"]):
    """Says it.

    Args:
        a: The first.
    """


def literal_member(a: Literal[Color.RED]):
    """Says it.

    Args:
        a: The first.
    """


def literal_bare(a: Literal):
    """Says it.

    Args:
        a: The first.
    """


def literal_list(a: List[Literal["x", "y"]]):
    """Says it.

    Args:
        a: The first.
    """


def literal_float(a: Literal[1.5, 1e16, 2.0]):
    """Says it.

    Args:
        a: The first.
    """


def literal_choices(a: Literal["x", "y"]):
    """Says it.

    Args:
        a: The first (choices: ["y"])
    """


def literal_return() -> Literal["x", "y"]:
    """Says it.

    Returns:
        One of them.
    """
    return "x"


def plain_class(a: Planet):
    """Says it.

    Args:
        a: The first.
    """
