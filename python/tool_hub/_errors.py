"""The exceptions: of calls, of refusals, of the registry, and their base class."""

from __future__ import annotations


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

    def __reduce__(self) -> tuple[type, tuple[str, str | None]]:
        return type(self), (str(self), self.hint)


class RefusedError(Error):
    """A policy refuses: a digest, an approval, a grant, a limit."""


class HubError(Error):
    """The registry, or the way there, failed."""


class ToolError(Error):
    """A call failed, in words for whoever made it.

    ``kind`` is one of ``invalid-argument``, ``not-found``, ``permission-denied``, ``conflict``,
    ``limit-reached``, ``unavailable``, ``internal``, ``failed``, ``unknown-function``, ``denied``,
    ``host-limit`` and ``trapped``. ``text`` is what a model is shown.
    """

    def __init__(
        self,
        kind: str,
        message: str,
        fix: str | None,
        argument: str | None,
        retryable: bool,
        text: str,
    ) -> None:
        super().__init__(message, fix)
        self.kind = kind
        self.message = message
        self.fix = fix
        self.argument = argument
        self.retryable = retryable
        self.text = text

    def __str__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        fields = (self.kind, self.message, self.fix, self.argument, self.retryable, self.text)
        return type(self), fields
