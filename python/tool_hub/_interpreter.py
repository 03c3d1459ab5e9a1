"""Finds the tool that runs Python in a sandbox, and converts values and functions for it."""

from __future__ import annotations

import base64
import io
import json
import sys
from collections.abc import Callable, Iterable
from typing import Any

import tool_hub
from tool_hub._adapters import Source, by_name

#: The arguments of a function that runs code.
_ARGUMENTS = ("code", "variables", "state")


def interpreter(source: Source | None) -> tool_hub.Tool:
    """The tool of `source` that runs code, such as the sample tool `run-python`; without a source,
    that of the toolbox in force. Raises LookupError if there is none."""
    for tool in by_name(tool_hub.Toolbox() if source is None else source).values():
        if all(name in tool.input_schema.get("properties", {}) for name in _ARGUMENTS):
            return tool
    raise LookupError(
        "no tool here runs Python: a function with the arguments `code`, `variables` and `state` "
        "was expected; load the sample tool run-python with `tool load`"
    )


class Function:
    """A function outside the sandbox as code in it finds it; `arguments` are its names in order."""

    def __init__(
        self, description: str, arguments: Iterable[str], call: Callable[..., Any]
    ) -> None:
        self.description = description
        self.input_schema = {"type": "object", "properties": {name: {} for name in arguments}}
        self._call = call

    def __call__(self, /, **arguments: Any) -> Any:
        return self._call(**arguments)


def packed(value: Any) -> str:
    """A value as JSON, with pictures and sounds as the interpreter reads them.

    Raises TypeError for what cannot go into the sandbox.
    """
    return json.dumps(value, default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, (tool_hub.Image, tool_hub.Audio)):
        return _medium(value.data, value.media_type)
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    if _is_picture(value):
        file = io.BytesIO()
        value.save(file, format="PNG")
        return _medium(file.getvalue(), "image/png")
    raise TypeError(
        f"a {type(value).__name__} cannot go into the sandbox: pass text, numbers, lists, dicts or "
        "pictures"
    )


def _medium(data: bytes, media_type: str) -> dict[str, str]:
    return {"media_type": media_type, "data": base64.b64encode(data).decode("ascii")}


def _is_picture(value: Any) -> bool:
    """True for a picture of Pillow, which is there if anybody made one."""
    pillow = sys.modules.get("PIL.Image")
    return pillow is not None and isinstance(value, pillow.Image)


def unpacked(value: Any) -> Any:
    """A value that came out of the sandbox, with `Image` and `Audio` where code had some."""
    match value:
        case {"media_type": str(media_type), "data": str(data), **rest} if not rest:
            kind = tool_hub.Audio if media_type.startswith("audio/") else tool_hub.Image
            return kind(base64.b64decode(data), media_type)
        case dict():
            return {name: unpacked(member) for name, member in value.items()}
        case list():
            return [unpacked(item) for item in value]
    return value
