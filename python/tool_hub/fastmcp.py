"""Tools for servers of FastMCP, and a sandbox for its code mode."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import tool_hub
from tool_hub._adapters import Source, chosen, in_base64, media, requires
from tool_hub._interpreter import Function, interpreter, packed, unpacked

with requires("fastmcp", "fastmcp"):
    from fastmcp.exceptions import ToolError
    from fastmcp.server.dependencies import get_context
    from fastmcp.server.providers import Provider
    from fastmcp.tools import InputRequiredToolResult
    from fastmcp.tools.base import RawStructuredToolResult, Tool, ToolResult
    from mcp_types import AudioContent, ImageContent, TextContent, ToolAnnotations

    from tool_hub._fastmcp_questions import Postponed, asker


class ToolHubProvider(Provider):
    """Offers the tools of `source`: `FastMCP("name", providers=[ToolHubProvider(box)])`.

    Clients get text, pictures and structured values, progress, the tools' questions as forms, and
    failures as results that tell the model how to mend the call. Destructive functions are
    annotated as such, and clients ask.
    """

    def __init__(self, source: Source) -> None:
        super().__init__()
        self._served = [_served(tool) for tool in chosen(source).values()]

    async def _list_tools(self) -> Sequence[Tool]:
        return self._served


class _Function(Tool):
    """A tool of the toolbox on a server."""

    tool: Any

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        context = get_context()

        async def report(done: float, total: float | None, message: str | None) -> None:
            await context.report_progress(done, total, message)

        try:
            asks = await asker(self, context)
            reply = await self.tool.acall_reply(arguments, on_progress=report, on_question=asks)
        except Postponed as postponed:
            return InputRequiredToolResult(postponed.required)
        except tool_hub.ToolError as error:
            members = ("kind", "message", "fix", "argument", "retryable")
            details = {name: getattr(error, name) for name in members}
            text = TextContent(type="text", text=error.text)
            return ToolResult([text], is_error=True, meta={"tool-hub/failure": details})
        text = [TextContent(type="text", text=reply.text)] if reply.text else []
        content = [*text, *map(_shown, media(reply))]
        if self.output_schema is None or reply.structured is None:
            return ToolResult(content)
        return RawStructuredToolResult(content, reply.structured)


def _shown(value: Any) -> Any:
    """A value with pictures and sounds as the protocol has them."""
    match value:
        case tool_hub.Audio():
            data = in_base64(value)
            return AudioContent(type="audio", data=data, mime_type=value.media_type)
        case tool_hub.Image():
            data = in_base64(value)
            return ImageContent(type="image", data=data, mime_type=value.media_type)
        case list():
            return [_shown(item) for item in value]
    return value


def _served(tool: tool_hub.Tool) -> Tool:
    hints = tool.annotations
    return _Function(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        parameters=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=ToolAnnotations(
            title=tool.title,
            read_only_hint=hints.read_only,
            destructive_hint=hints.destructive,
            idempotent_hint=hints.idempotent,
            open_world_hint=hints.open_world,
        ),
        tool=tool,
    )


class Sandbox:
    """Runs the code of code mode: `FastMCP(…, transforms=[CodeMode(sandbox_provider=Sandbox())])`.

    The code runs in the tool `run-python`, which reaches nothing but `call_tool`. Without `source`
    the tool is taken from the toolbox in force.
    """

    def __init__(self, source: Source | None = None) -> None:
        self._interpreter = interpreter(source)
        self._program = Path(__file__).with_name("_code.py").read_text("utf-8")

    async def run(
        self,
        code: str,
        *,
        inputs: dict[str, Any] | None = None,
        external_functions: dict[str, Callable[..., Any]] | None = None,
    ) -> Any:
        """The value that `code` returns, or what it printed. Raises ToolError if it fails."""
        functions = external_functions or {}
        variables = {"__source__": code, "__inputs__": inputs or {}, "__names__": list(functions)}
        arguments = {"code": self._program, "variables": packed(variables)}
        try:
            reply = await self._interpreter.acall_reply(
                arguments,
                functions={name: _bridge(it) for name, it in functions.items()},
            )
        except tool_hub.ToolError as error:
            raise ToolError(error.message) from None
        ran = reply.structured
        if (failed := ran["value"].get("failed")) is not None:
            raise ToolError(failed)
        value = _shown(unpacked(ran["value"]["value"]))
        return ran["printed"] or None if value is None else value


def _bridge(function: Callable[..., Any]) -> Function:
    """A function as the sandbox calls it."""

    async def call(**arguments: Any) -> Any:
        value = function(**arguments)
        return json.loads(packed(await value if inspect.isawaitable(value) else value))

    return Function(inspect.getdoc(function) or "", inspect.signature(function).parameters, call)
