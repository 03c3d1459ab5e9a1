"""The `Reply` of a call, and the events before it: log entries, output, questions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tool_hub._errors import ToolError
from tool_hub._json import loads
from tool_hub._parts import Part, parts

if TYPE_CHECKING:
    from tool_hub import _native


class Reply:
    """What a call answered.

    ``value`` is the answer as a plain Python value, ``text`` the same for a model, ``content`` its
    parts, ``structured`` the value of a function that declares one, ``usage`` what the call used,
    in the units that end the names.
    """

    __slots__ = ("_answer",)

    def __init__(self, answer: _native.Answer) -> None:
        self._answer = answer

    @property
    def value(self) -> Any:
        """The structured value if there is one, else the text, the picture, or a list of parts."""
        return plain_value(self._answer)

    @property
    def structured(self) -> Any:
        """The value of a function that declares what it gives back, else ``None``."""
        structured = self._answer.structured
        return None if structured is None else loads(structured)

    @property
    def text(self) -> str:
        """The answer as a model is shown it: words in place of pictures, no control tokens."""
        return self._answer.text()

    @property
    def content(self) -> list[Part]:
        """All parts, in the order in which they are to be read."""
        return parts(self._answer.content())

    @property
    def usage(self) -> dict[str, int] | None:
        """What ``tool call --stats`` prints: time in microseconds, memory and traffic in bytes.

        ``None`` if the call never began. Instructions are not counted.
        """
        return self._answer.usage()

    def __repr__(self) -> str:
        return f"Reply({self.value!r})"


def plain_value(answer: _native.Answer) -> Any:
    """The value of an answer that is no failure."""
    structured = answer.structured
    if structured is not None:
        return loads(structured)
    given = parts(answer.value_parts())
    if len(given) == 1:
        return given[0]
    return given or None


def check(answer: _native.Answer) -> _native.Answer:
    """The answer, unless it is a failure: that is raised."""
    failure = answer.failure
    if failure is None:
        return answer
    kind, message, fix, argument, retryable = failure
    raise ToolError(
        message,
        kind=kind,
        fix=fix,
        argument=argument,
        retryable=retryable,
        text=answer.text(),
        usage=answer.usage(),
    )


@dataclass(frozen=True)
class LogEntry:
    """An entry of a tool's log, in the tool's own words."""

    level: str
    context: str
    message: str


@dataclass(frozen=True)
class Output:
    """What a tool wrote to its standard streams and its log: a stranger's text."""

    stdout: str
    stderr: str
    log: tuple[LogEntry, ...]
    dropped_bytes: int


@dataclass(frozen=True)
class Question:
    """A question of a tool to the person. ``schema`` is the JSON Schema of the answer, an object."""

    key: str
    text: str
    schema: dict[str, Any]
