"""Stands in for the tools of LangChain."""

import inspect
import json
import re
import textwrap
import typing

from tool_hub_frameworks import NAMES, Context, ToolError, arguments, hints_of, nothing, run
from tool_hub_pydantic import NAMES as PYDANTIC
from tool_hub_pydantic import BaseModel, FieldInfo, ValidationError

# The parameters that LangChain fills in, and no model does.
GIVEN = ("run_manager", "callbacks")


class Injected:
    """A mark or a type of what LangChain gives a function."""

    def __init__(self, *_, **__):
        pass

    def __class_getitem__(cls, _):
        return cls


def given_names(hints):
    """The names of the parameters that LangChain fills in."""
    def is_injected(hint):
        kinds = [hint, typing.get_origin(hint), *typing.get_args(hint)]
        return any(isinstance(it, Injected) or isinstance(it, type) and issubclass(it, Injected) for it in kinds)

    return [name for name, hint in hints.items() if is_injected(hint)]


class Runnable:
    """A tool as it is listed and called."""

    args_schema = None
    handle_tool_error = handle_validation_error = False
    response_format = "content"

    def invoke(self, given=None, *_, **__):
        if isinstance(given, dict) and given.get("type") == "tool_call":
            given = given["args"]
        function = self.tool_hub_function
        if not isinstance(given, dict):
            first = next(iter(inspect.signature(function).parameters), None)
            given = {} if first is None else {first: given}
        model = self.args_schema if isinstance(self.args_schema, type) else None
        positional, named = arguments(function, given, model)
        result = function(*positional, **named)
        return run(result) if inspect.iscoroutine(result) else result

    async def ainvoke(self, given=None, *_, **__):
        result = self.invoke(given)
        return await result if inspect.iscoroutine(result) else result

    run, arun = invoke, ainvoke

    def __call__(self, *arguments, **named):
        return self.tool_hub_function(*arguments, **named)

    @property
    def args(self):
        return self.tool_hub_listed()["inputSchema"]["properties"]

    def tool_hub_model(self):
        """The model of the arguments that a caller gives."""
        from tool_hub_listing import model_of, subset

        if self.args_schema is not None:
            return subset(self.args_schema, given_names({name: it.annotation for name, it in self.args_schema.tool_hub_known().items()}))
        function = self.tool_hub_function
        return model_of(self.name, function, [*GIVEN, *given_names(hints_of(function))], self.tool_hub_texts())

    def tool_hub_texts(self):
        return {}

    def tool_hub_listed(self):
        from tool_hub_listing import inlined, schema_of

        schema = self.args_schema if isinstance(self.args_schema, dict) else schema_of(self.tool_hub_model())
        return {"name": self.name, "description": self.description, "inputSchema": inlined(schema)}

    async def tool_hub_called(self, given):
        try:
            if self.args_schema is None:
                given = vars(self.tool_hub_model().model_validate(given))
                given = {name: it for name, it in given.items() if name != "model_fields_set"}
            result = self.invoke(given)
            result = await result if inspect.iscoroutine(result) else result
        except ValidationError as error:
            return handled(error, self.handle_validation_error, "Tool input validation error")
        except ToolError as error:
            return handled(error, self.handle_tool_error, error.args[0] if error.args else "Tool execution error")
        if self.response_format == "content_and_artifact" and isinstance(result, tuple):
            result = result[0]
        if isinstance(result, str):
            return result
        try:
            return json.dumps(result, ensure_ascii=False)
        except (TypeError, ValueError):
            return str(result)


def handled(error, flag, text):
    """What a tool answers in place of an error, if its author says so."""
    if not flag:
        raise error
    return flag if isinstance(flag, str) else flag(error) if callable(flag) else text


def google_texts(text):
    """The description in a docstring of Google's style and its texts of arguments, as LangChain reads them."""
    description, arguments_block = [], ""
    for block in text.split("\n\n"):
        if block.startswith("Args:"):
            arguments_block = block
            break
        if block.startswith(("Returns:", "Example:")):
            continue
        description.append(block)
    texts, name = {}, None
    for line in arguments_block.split("\n")[1:]:
        before, colon, after = line.partition(":")
        if colon:
            name = re.sub(r" \(.*\)$", "", before.strip())
            texts[name] = after.strip()
        elif name:
            texts[name] += " " + line.strip()
    return " ".join(description).strip(), texts


class StructuredTool(Runnable):
    """A function as a tool."""

    def __init__(self, name=None, func=None, description=None, *, coroutine=None, args_schema=None, parse_docstring=False, **more):
        self.func, self.coroutine, self.args_schema = func, coroutine, args_schema
        self.tool_hub_function = func or coroutine
        self.name = name or self.tool_hub_function.__name__
        text, self.texts = inspect.getdoc(self.tool_hub_function) or "", {}
        if parse_docstring:
            text, self.texts = google_texts(text)
        if not text and isinstance(args_schema, type):
            text = inspect.cleandoc(vars(args_schema).get("__doc__") or "")
        self.description = (description if description is not None else textwrap.dedent(text)).strip()
        for key in ("handle_tool_error", "handle_validation_error", "response_format", "return_direct", "metadata", "tags"):
            if key in more:
                setattr(self, key, more[key])

    @classmethod
    def from_function(cls, func=None, coroutine=None, name=None, description=None, **options):
        return cls(name, func, description, coroutine=coroutine, **options)

    def tool_hub_texts(self):
        return self.texts


class SingleTool(StructuredTool):
    """A function of one text as a tool."""

    def tool_hub_listed(self):
        if self.args_schema is not None:
            return super().tool_hub_listed()
        schema = {"properties": {"__arg1": {"type": "string"}}, "required": ["__arg1"], "type": "object"}
        return {"name": self.name, "description": self.description, "inputSchema": schema}

    async def tool_hub_called(self, given):
        if self.args_schema is None:
            first = next(iter(inspect.signature(self.tool_hub_function).parameters))
            given = dict(zip([first], given.values(), strict=True))
        return await super().tool_hub_called(given)


def tool(name=None, *more, **options):
    """The decorator, with a name, options, or nothing."""
    def made(function, name=None):
        is_coroutine = inspect.iscoroutinefunction(function)
        return StructuredTool.from_function(None if is_coroutine else function, function if is_coroutine else None, name, **options)

    if callable(name):
        return made(name)
    if more:
        return made(more[0], name)
    return lambda function: made(function, name)


class BaseTool(BaseModel, Runnable):
    """A tool that is a class."""

    name: str
    description: str
    args_schema: object = None
    return_direct: bool = False
    verbose: bool = False
    callbacks: object = None
    tags: object = None
    metadata: object = None
    handle_tool_error: object = False
    handle_validation_error: object = False
    response_format: str = "content"
    extras: object = None

    model_config = {"extra": "allow"}

    def __init__(self, **values):
        BaseModel.__init__(self, **values)

    @property
    def tool_hub_function(self):
        is_coroutine = type(self)._run is BaseTool._run and hasattr(type(self), "_arun")
        return self._arun if is_coroutine else self._run

    def _run(self, *arguments, **named):
        raise NotImplementedError(f"{type(self).__name__} has no method `_run`")

    __call__ = Runnable.__call__


class BaseToolkit(BaseModel):
    """Tools that belong together."""

    model_config = {"extra": "allow"}

    def get_tools(self):
        raise NotImplementedError(f"{type(self).__name__} has no method `get_tools`")


class Manager(Context):
    """What LangChain calls when a tool runs; nobody listens."""

    def get_child(self, *_, **__):
        return self

    on_text = on_tool_start = on_tool_end = nothing


INJECTED = ("InjectedToolArg", "InjectedToolCallId", "InjectedState", "InjectedStore", "RunnableConfig", "ToolRuntime")
NAMES.update(dict.fromkeys(
    ("langchain", "crewai"),
    {
        "AsyncCallbackManagerForToolRun": Manager, "BaseTool": BaseTool, "BaseToolkit": BaseToolkit, "CallbackManagerForToolRun": Manager,
        "StructuredTool": StructuredTool, "Tool": SingleTool, "ToolException": ToolError, "tool": tool,
        **{name: type(name, (Injected,), {}) for name in INJECTED},
        # `langchain_core.pydantic_v1`, where older files have their models from.
        "BaseModel": BaseModel, "Field": PYDANTIC["Field"], "FieldInfo": FieldInfo, "validator": PYDANTIC["validator"],
        "root_validator": PYDANTIC["root_validator"], "PrivateAttr": PYDANTIC["PrivateAttr"],
    },
))  # fmt: skip
