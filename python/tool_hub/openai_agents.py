"""Gives tools to the OpenAI Agents SDK; a destructive one interrupts the run to be approved.

`Agent(name=…, tools=tool_hub.openai_agents.tools(box))` makes an agent of them."""

from __future__ import annotations

from typing import Any

import tool_hub
from tool_hub._adapters import Source, chosen, data_url, is_destructive, media, requires

with requires("openai_agents", "openai-agents"):
    from agents import FunctionTool, RunContextWrapper, ToolOutputImage, ToolOutputText


def tools(source: Source) -> list[FunctionTool]:
    """The tools of `source` as the SDK has them.

    The model gets text and pictures. A failure is text that tells it how to mend the call. A
    destructive function has `needs_approval`: the run ends with an interruption, and goes on once
    `state.approve(…)` or `state.reject(…)` was called.
    """
    return [_made(tool) for tool in chosen(source).values()]


def _made(tool: tool_hub.Tool) -> FunctionTool:
    async def invoke(_: RunContextWrapper[Any], arguments: str) -> Any:
        try:
            return _answer(await tool.acall_reply(arguments))
        except tool_hub.ToolError as error:
            return error.text

    return FunctionTool(
        name=tool.name,
        description=tool.description,
        params_json_schema=tool.input_schema,
        on_invoke_tool=invoke,
        # The strict form has no optional arguments. What a model writes is read leniently anyway.
        strict_json_schema=False,
        needs_approval=is_destructive(tool),
    )


def _answer(reply: tool_hub.Reply) -> Any:
    """Text alone as text, else a list of what the SDK can show a model."""
    shown: list[Any] = [ToolOutputText(text=reply.text)] if reply.text else []
    for part in media(reply):
        if isinstance(part, tool_hub.Image):
            shown.append(ToolOutputImage(image_url=data_url(part)))
        else:
            # The API takes no sounds from functions.
            shown.append(ToolOutputText(text=f"[{part.media_type}, {len(part.data)} bytes]"))
    return shown if media(reply) else reply.text
