"""Gives tools to LangChain's agents; a destructive one interrupts the graph to be approved.

`create_agent(model, tool_hub.langchain.tools(box), checkpointer=…)` makes an agent of them."""

from __future__ import annotations

from typing import Any

import tool_hub
from tool_hub._adapters import (
    Approve,
    Source,
    ask,
    chosen,
    in_base64,
    is_destructive,
    media,
    requires,
    unapproved,
)

with requires("langchain", "langchain-core"):
    from langchain_core.tools import StructuredTool, ToolException


def tools(source: Source, *, approve: Approve | None = None) -> list[StructuredTool]:
    """The tools of `source` as LangChain has them.

    The content of a message is the text for the model, with pictures as content blocks; its
    artifact is the structured value. A failure is a message of status `error` whose text tells the
    model how to mend the call.

    A destructive function interrupts the graph before it is called, in the form of LangChain's
    human-in-the-loop middleware: resume with `Command(resume={"decisions": [{"type": "approve"}]})`
    (or `reject`, or `edit`). Pass `approve` to ask in your own way.
    """
    return [_made(tool, approve) for tool in chosen(source).values()]


class _Tool(StructuredTool):
    """A tool that gets its arguments as one mapping, so that any name may be among them."""

    def _to_args_and_kwargs(self, tool_input: Any, tool_call_id: str | None) -> tuple[tuple, dict]:
        return (self._parse_input(tool_input, tool_call_id),), {}


def _made(tool: tool_hub.Tool, approve: Approve | None) -> StructuredTool:
    def call(arguments: dict) -> tuple[Any, Any]:
        try:
            return _answer(tool.call(_approved(tool, arguments, approve)))
        except tool_hub.ToolError as error:
            raise ToolException(error.text) from error

    async def acall(arguments: dict) -> tuple[Any, Any]:
        try:
            return _answer(await tool.acall_reply(_approved(tool, arguments, approve)))
        except tool_hub.ToolError as error:
            raise ToolException(error.text) from error

    return _Tool(
        name=tool.name,
        description=tool.description,
        args_schema=tool.input_schema,
        func=call,
        coroutine=acall,
        response_format="content_and_artifact",
        handle_tool_error=True,
        metadata={"tool_hub": True, "destructive": is_destructive(tool)},
    )


def _answer(reply: tool_hub.Reply) -> tuple[Any, Any]:
    """The content for the model, and the structured value for the program."""
    blocks = [
        {
            "type": "image" if isinstance(part, tool_hub.Image) else "audio",
            "base64": in_base64(part),
            "mime_type": part.media_type,
        }
        for part in media(reply)
    ]
    if not blocks:
        return reply.text, reply.structured
    text = [{"type": "text", "text": reply.text}] if reply.text else []
    return text + blocks, reply.structured


def _approved(tool: tool_hub.Tool, arguments: dict, approve: Approve | None) -> dict:
    """The arguments with which a person lets the tool be called."""
    if approve is not None or not is_destructive(tool):
        ask(tool, arguments, approve)
        return arguments
    try:
        from langgraph.types import interrupt
    except ImportError:
        raise unapproved(tool) from None
    action = {"name": tool.name, "args": arguments, "description": tool.description}
    review = {"action_name": tool.name, "allowed_decisions": ["approve", "edit", "reject"]}
    answer = interrupt({"action_requests": [action], "review_configs": [review]})
    decision = answer["decisions"][0] if "decisions" in answer else answer
    match decision:
        case {"type": "approve"}:
            return arguments
        case {"type": "edit", "edited_action": {"args": dict(edited)}}:
            return edited
        case _:
            raise unapproved(tool, decision.get("message") or "the user refused")
