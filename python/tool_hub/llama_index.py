"""Gives tools to LlamaIndex's agents; a destructive one waits for an event that approves it.

`FunctionAgent(tools=ToolHubSpec(box).to_tool_list(), llm=…)` makes an agent of them."""

import base64
import itertools
import json
from typing import Any

import tool_hub
from tool_hub._adapters import (
    Approve,
    Source,
    ask,
    chosen,
    is_destructive,
    media,
    requires,
    unapproved,
)

with requires("llama_index", "llama-index-core"):
    from llama_index.core.base.llms.types import AudioBlock, ImageBlock, TextBlock
    from llama_index.core.bridge.pydantic import BaseModel, ConfigDict
    from llama_index.core.tools import FunctionTool, ToolMetadata, ToolOutput
    from llama_index.core.tools.tool_spec.base import BaseToolSpec
    from llama_index.core.workflow import Context, HumanResponseEvent, InputRequiredEvent
    from workflows.runtime.types.results import StepWorkerStateContextVar

#: LlamaIndex refuses longer descriptions when it writes them for the APIs of models.
_DESCRIPTION_CHARACTERS_MAX = 1024


class ToolHubSpec(BaseToolSpec):
    """The tools of `source` as LlamaIndex has them.

    A tool's output has blocks for the model, pictures among them, and `raw_output` is the
    structured value. A failure is an output with `is_error` whose text tells the model how to mend
    the call.

    Before a destructive function is called, the workflow writes an `InputRequiredEvent` with the
    members `tool_name` and `tool_kwargs`, and waits for a `HumanResponseEvent` with the same
    `waiter_id`, whose `response` is `"approve"` or says why not. Pass `approve` to ask in your own
    way.
    """

    spec_functions: list = []

    def __init__(self, source: Source, *, approve: Approve | None = None) -> None:
        self._tools = chosen(source)
        self._approve = approve

    def to_tool_list(self, spec_functions: Any = None, *_: Any, **__: Any) -> list[FunctionTool]:
        """The tools, or those of them that `spec_functions` names."""
        names = spec_functions or list(self._tools)
        return [_Function.made(self._tools[name], self._approve) for name in names]


class _Function(FunctionTool):
    """A function tool whose output is a reply."""

    @classmethod
    def made(cls, tool: tool_hub.Tool, approve: Approve | None) -> FunctionTool:
        def call(**arguments: Any) -> Any:
            ask(tool, arguments, approve)
            return tool.call(arguments)

        async def acall(**arguments: Any) -> Any:
            ask(tool, arguments, approve)
            return await tool.acall_reply(arguments)

        # LlamaIndex knows the context by its annotation, which must be no string: this module has
        # none of the future's annotations.
        async def acall_asking(tool_hub_context: Context, **arguments: Any) -> Any:
            await _approval(tool_hub_context, tool, arguments)
            return await tool.acall_reply(arguments)

        if approve is None and is_destructive(tool):
            return cls(async_fn=acall_asking, metadata=_metadata(tool))
        return cls(fn=call, async_fn=acall, metadata=_metadata(tool))

    def call(self, *args: Any, **kwargs: Any) -> ToolOutput:
        try:
            return _plain(super().call(*args, **kwargs))
        except tool_hub.ToolError as error:
            return self._failed(error, kwargs)

    async def acall(self, *args: Any, **kwargs: Any) -> ToolOutput:
        try:
            return _plain(await super().acall(*args, **kwargs))
        except tool_hub.ToolError as error:
            return self._failed(error, kwargs)

    def _parse_tool_output(self, raw_output: tool_hub.Reply) -> list[Any]:
        text = [TextBlock(text=raw_output.text)] if raw_output.text else []
        return text + [_block(part) for part in media(raw_output)]

    def _failed(self, error: tool_hub.ToolError, kwargs: dict) -> ToolOutput:
        return ToolOutput(
            tool_name=self.metadata.get_name(),
            content=error.text,
            raw_input={"kwargs": {k: v for k, v in kwargs.items() if k != self.ctx_param_name}},
            raw_output=error.text,
            is_error=True,
            exception=error,
        )


def _plain(output: ToolOutput) -> ToolOutput:
    """The output with a plain value in place of the reply, because workflows are serialised."""
    structured = output.raw_output.structured
    output.raw_output = output.raw_output.text if structured is None else structured
    return output


def _block(part: tool_hub.Image | tool_hub.Audio) -> Any:
    data = base64.b64encode(part.data)
    if isinstance(part, tool_hub.Image):
        return ImageBlock(image=data, image_mimetype=part.media_type)
    return AudioBlock(audio=data, format=part.media_type.split("/")[-1])


def _metadata(tool: tool_hub.Tool) -> ToolMetadata:
    class Arguments(BaseModel):
        """Arguments whose schema is the tool's own; the tool reads them."""

        model_config = ConfigDict(extra="allow", title=tool.name)

        @classmethod
        def __get_pydantic_json_schema__(cls, core_schema: Any, handler: Any) -> dict:
            return json.loads(json.dumps(tool.input_schema))

    description = tool.description
    if len(description) > _DESCRIPTION_CHARACTERS_MAX:
        description = description[: _DESCRIPTION_CHARACTERS_MAX - 1].rsplit(" ", 1)[0] + "…"
    return ToolMetadata(name=tool.name, description=description, fn_schema=Arguments)


async def _approval(context: Context, tool: tool_hub.Tool, arguments: dict) -> None:
    """Waits for a person to approve a call. Raises ToolError if they do not."""
    waiter = f"{tool.name} {json.dumps(arguments, sort_keys=True)} {_call_id()}"
    question = f"Call {tool.name}, which may destroy something, with {json.dumps(arguments)}?"
    event = InputRequiredEvent(
        prefix=question, waiter_id=waiter, tool_name=tool.name, tool_kwargs=arguments
    )
    for asked in itertools.count():
        response = await context.wait_for_event(
            HumanResponseEvent,
            waiter_id=f"{waiter} {asked}",
            waiter_event=event,
            requirements={"waiter_id": waiter},
        )
        # A context that was saved has lost what it required: until its steps have run again, one
        # answer goes to all that wait. What was not meant for this call is asked again.
        if response.get("waiter_id") == waiter:
            break
    if response.response != "approve":
        raise unapproved(tool, f"the user says: {response.response}")


def _call_id() -> str:
    """What tells this call from others, the same when LlamaIndex repeats its step.

    Of two calls that wait under one name LlamaIndex forgets the first, and the agent waits for it
    for ever.
    """
    step = StepWorkerStateContextVar.get(None)
    if step is None:
        # Nobody can wait here, as LlamaIndex says where it is asked to.
        return ""
    return f"{getattr(step.event, 'tool_id', '')} {getattr(step.state, 'work_item_id', '')}"
