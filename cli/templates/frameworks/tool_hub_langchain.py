"""Stands in for the tools of LangChain."""

import inspect

from tool_hub_frameworks import NAMES, Context, ToolError, arguments, nothing, run
from tool_hub_pydantic import NAMES as PYDANTIC
from tool_hub_pydantic import BaseModel


class Runnable:
    """How other functions of the file call a tool."""

    def invoke(self, given=None, *_, **__):
        if isinstance(given, dict) and given.get("type") == "tool_call":
            given = given["args"]
        function = self.tool_hub_function
        if not isinstance(given, dict):
            first = next(iter(inspect.signature(function).parameters), None)
            given = {} if first is None else {first: given}
        positional, named = arguments(function, given, self.args_schema)
        result = function(*positional, **named)
        return run(result) if inspect.iscoroutine(result) else result

    async def ainvoke(self, given=None, *_, **__):
        result = self.invoke(given)
        return await result if inspect.iscoroutine(result) else result

    run, arun = invoke, ainvoke

    def __call__(self, *arguments, **named):
        return self.tool_hub_function(*arguments, **named)


class StructuredTool(Runnable):
    """A function as a tool."""

    def __init__(self, name=None, func=None, description=None, *, coroutine=None, args_schema=None, **_):
        self.func, self.coroutine, self.args_schema = func, coroutine, args_schema
        self.tool_hub_function = func or coroutine
        self.name = name or self.tool_hub_function.__name__
        self.description = description or self.tool_hub_function.__doc__ or ""

    @classmethod
    def from_function(cls, func=None, coroutine=None, name=None, description=None, **options):
        return cls(name, func, description, coroutine=coroutine, **options)


def tool(name=None, *more, description=None, args_schema=None, **_):
    """The decorator, with a name, options, or nothing."""
    if callable(name):
        return StructuredTool(func=name)
    if more:
        return StructuredTool(name, more[0], description, args_schema=args_schema)
    return lambda function: StructuredTool(name, function, description, args_schema=args_schema)


class BaseTool(BaseModel, Runnable):
    """A tool that is a class."""

    name: str = ""
    description: str = ""
    args_schema: object = None
    return_direct: bool = False
    verbose: bool = False
    callbacks: object = None
    tags: object = None
    metadata: object = None
    handle_tool_error: object = False
    handle_validation_error: object = False
    response_format: str = "content"

    model_config = {"extra": "allow"}

    def __init__(self, **values):
        BaseModel.__init__(self, **values)

    @property
    def tool_hub_function(self):
        return self._run

    def _run(self, *arguments, **named):
        raise NotImplementedError(f"{type(self).__name__} has no method `_run`")

    __call__ = Runnable.__call__


class Manager(Context):
    """What LangChain calls when a tool runs; nobody listens."""

    def get_child(self, *_, **__):
        return self

    on_text = on_tool_start = on_tool_end = nothing


NAMES.update(dict.fromkeys(
    ("langchain", "crewai"),
    {
        "AsyncCallbackManagerForToolRun": Manager, "BaseTool": BaseTool, "CallbackManagerForToolRun": Manager,
        "StructuredTool": StructuredTool, "Tool": StructuredTool, "ToolException": ToolError, "tool": tool,
        # `langchain_core.pydantic_v1`, where older files have their models from.
        "BaseModel": BaseModel, "Field": PYDANTIC["Field"], "validator": PYDANTIC["validator"],
        "root_validator": PYDANTIC["root_validator"], "PrivateAttr": PYDANTIC["PrivateAttr"],
    },
))  # fmt: skip
