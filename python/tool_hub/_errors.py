"""The exceptions: of calls, of refusals, of the registry, and their base class."""

from __future__ import annotations

import sys
from typing import Any


class Error(Exception):
    """Something that has to do with tools failed. ``hint`` says what to do, where that is known.

    >>> import tool_hub
    >>> try:
    ...     tool_hub.load("no tool")
    ... except tool_hub.Error as error:
    ...     print(error.hint)
    write owner/name, owner/name@1.2.0, or ./a/path
    """

    hint: str | None = None

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint
        if hint and sys.version_info >= (3, 11):
            # Below the message of a traceback.
            self.add_note(f"hint: {hint}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.hint)


class RefusedError(Error):
    """A policy refuses: a digest, an approval, a grant, a limit."""


class HubError(Error):
    """The registry, or the way there, failed."""


class ToolError(Error):
    """A call failed, in words for whoever made it.

    ``kind`` is one of ``invalid-argument``, ``not-found``, ``permission-denied``, ``conflict``,
    ``limit-reached``, ``unavailable``, ``internal``, ``failed``, ``unknown-function``, ``denied``,
    ``host-limit`` and ``trapped``. ``text`` is what a model is shown, ``usage`` what the call used, as
    in ``Reply``, where it began.

    >>> print(ToolError("there is no note `x`", kind="not-found", fix="list the notes").text)
    `function` failed (not found): there is no note `x`
    To mend it: list the notes
    Call again with the name of something that exists.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: str = "failed",
        fix: str | None = None,
        argument: str | None = None,
        retryable: bool = False,
        text: str | None = None,
        usage: dict[str, int] | None = None,
    ) -> None:
        # The text has the fix already.
        super().__init__(message)
        self.hint = fix
        self.kind = kind
        self.message = message
        self.fix = fix
        self.argument = argument
        self.retryable = retryable
        self.usage = usage
        self.text = text if text is not None else self._text()

    def _text(self) -> str:
        from tool_hub import _native

        return _native.failure_text(
            "function", self.kind, self.message, self.fix, self.argument, self.retryable
        )

    def __str__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[Any, ...]:
        return _tool_error, (dict(self.__dict__),)


def _tool_error(fields: dict[str, Any]) -> ToolError:
    """A pickled error, whole again."""
    error = ToolError(fields["message"], text=fields["text"])
    error.__dict__.update(fields)
    return error
