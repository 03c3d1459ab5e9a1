"""Parts that the adapters for agent frameworks share: the choice of tools, media, refusals."""

from __future__ import annotations

import base64
import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Union

import tool_hub

#: What adapters take tools from: a toolbox, what was approved, one tool or several.
Source = Union["tool_hub.Toolbox", Mapping[str, "tool_hub.Tool"], "tool_hub.Tool", Iterable[Any]]
#: Asks a person whether a destructive function may be called with these arguments.
Approve = Callable[["tool_hub.Tool", dict], bool]


@contextlib.contextmanager
def requires(adapter: str, package: str) -> Iterator[None]:
    """Turns a failed import of a framework into one that says what to install."""
    try:
        yield
    except ImportError as error:
        message = f"tool_hub.{adapter} needs {package}: pip install {package} ({error})"
        raise ImportError(message, name=error.name, path=error.path) from error


def chosen(source: Source) -> dict[str, tool_hub.Tool]:
    """The tools of `source` by name; those of a toolbox as a model reads them."""
    if hasattr(source, "tools"):
        source = source.tools().presented()
    return by_name(source)


def by_name(source: Source) -> dict[str, tool_hub.Tool]:
    """The tools of `source` by name, as they are."""
    if hasattr(source, "tools"):
        source = source.tools()
    if isinstance(source, tool_hub.Tool):
        source = [source]
    if isinstance(source, Mapping):
        source = source.values()
    return {tool.name: tool for tool in source}


def failure(kind: str, message: str, fix: str | None = None, *, advice: str) -> tool_hub.ToolError:
    """The failure of a call that an adapter refuses; `advice` is for the model."""
    text = "\n".join(filter(None, (message, fix and f"To mend it: {fix}", advice)))
    return tool_hub.ToolError(
        kind=kind, message=message, fix=fix, argument=None, retryable=False, text=text
    )


def is_destructive(tool: tool_hub.Tool) -> bool:
    """True if the tool says that it may destroy or overwrite something."""
    return tool.annotations.destructive is True


def unapproved(tool: tool_hub.Tool, reason: str | None = None) -> tool_hub.ToolError:
    """The failure of a destructive function that a person did not approve.

    `reason` is the person's; without one nobody was asked, and the fix is for the programmer.
    """
    message = f"`{tool.name}` may destroy something and was not called: "
    message += reason or "nobody could be asked to approve it"
    fix = None if reason else "ask the user to approve it, or pass `approve` to the adapter"
    advice = "Do not call it again unless the user asks for it."
    return failure("permission-denied", message, fix, advice=advice)


def ask(tool: tool_hub.Tool, arguments: dict, approve: Approve | None) -> None:
    """Has `approve` decide about a destructive call. Raises ToolError unless it is approved."""
    if not is_destructive(tool):
        return
    if approve is None:
        raise unapproved(tool)
    if approve(tool, arguments) is not True:
        raise unapproved(tool, "the user refused")


def media(reply: tool_hub.Reply) -> list[tool_hub.Image | tool_hub.Audio]:
    """The pictures and sounds of a reply."""
    return [part for part in reply.content if isinstance(part, (tool_hub.Image, tool_hub.Audio))]


def in_base64(part: tool_hub.Image | tool_hub.Audio) -> str:
    """The bytes of a picture or sound in base64."""
    return base64.b64encode(part.data).decode("ascii")


def data_url(part: tool_hub.Image | tool_hub.Audio) -> str:
    """A picture or sound as a `data:` URL."""
    return f"data:{part.media_type};base64,{in_base64(part)}"
