"""A toolset for Pydantic AI's agents; a destructive tool in it needs approval.

`Agent(model, toolsets=[ToolHubToolset(box)])` makes an agent with it."""

from __future__ import annotations

from typing import Any

import tool_hub
from tool_hub._adapters import Source, chosen, is_destructive, media, requires

with requires("pydantic_ai", "pydantic-ai-slim"):
    from pydantic_ai import BinaryContent, ModelRetry, RunContext, ToolReturn
    from pydantic_ai.exceptions import ToolFailed
    from pydantic_ai.tools import ToolDefinition
    from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
    from pydantic_core import SchemaValidator, core_schema

#: The tool itself reads its arguments, more leniently than a schema could say.
_ANY_ARGUMENTS = SchemaValidator(core_schema.dict_schema())


class ToolHubToolset(AbstractToolset[Any]):
    """The tools of `source` as a toolset, which can be `.filtered()`, `.prefixed()` and so on.

    The model gets text and pictures; the structured value is the `metadata` of the tool's return.
    A failure that the model can mend asks it to call again (`ModelRetry`, as often as
    `max_retries` says, else the agent), any other tells it what is wrong (`ToolFailed`).
    Destructive functions need approval: have `DeferredToolRequests` among the agent's output types.
    """

    def __init__(
        self, source: Source, *, id: str | None = None, max_retries: int | None = None
    ) -> None:
        self._tools = chosen(source)
        self._id = id
        self._max_retries = max_retries

    @property
    def id(self) -> str | None:
        return self._id

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        retries = ctx.max_retries if self._max_retries is None else self._max_retries
        return {
            name: ToolsetTool(
                toolset=self,
                tool_def=_definition(tool),
                max_retries=retries,
                args_validator=_ANY_ARGUMENTS,
            )
            for name, tool in self._tools.items()
        }

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        try:
            reply = await self._tools[name].acall_reply(tool_args)
        except tool_hub.ToolError as error:
            can_mend = error.retryable or error.kind == "invalid-argument"
            raise (ModelRetry if can_mend else ToolFailed)(error.text) from error
        parts = [BinaryContent(part.data, media_type=part.media_type) for part in media(reply)]
        shown = [reply.text, *parts] if reply.text else parts
        return ToolReturn(shown if parts else reply.text, metadata=reply.structured)


def _definition(tool: tool_hub.Tool) -> ToolDefinition:
    hints = tool.annotations
    names = ("read_only", "destructive", "idempotent", "open_world")
    return ToolDefinition(
        name=tool.name,
        description=tool.description,
        parameters_json_schema=tool.input_schema,
        return_schema=tool.output_schema,
        metadata={"annotations": {name: getattr(hints, name) for name in names}},
        kind="unapproved" if is_destructive(tool) else "function",
    )
