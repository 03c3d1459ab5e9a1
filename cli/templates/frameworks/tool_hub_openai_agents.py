"""Stands in for the function tools of the OpenAI Agents SDK."""

import inspect
import json

from tool_hub_frameworks import NAMES, Context, ToolError, context_of, hints_of
from tool_hub_pydantic import ValidationError


class FunctionTool:
    """A tool with a schema, and a coroutine that takes JSON."""

    def __init__(self, name, description, params_json_schema, on_invoke_tool, strict_json_schema=True, is_enabled=True, **_):
        self.name, self.description, self.on_invoke_tool = name, description, on_invoke_tool
        self.params_json_schema, self.strict_json_schema, self.is_enabled = params_json_schema, strict_json_schema, is_enabled

    def tool_hub_listed(self):
        from tool_hub_listing import strict

        schema = self.params_json_schema
        return {"name": self.name, "description": self.description, "inputSchema": strict(schema) if self.strict_json_schema else schema}

    async def tool_hub_called(self, given):
        found = await self.on_invoke_tool(Context(), json.dumps(given))
        return found if isinstance(found, str) else str(found)


class DecoratedTool(FunctionTool):
    """A function as a tool. What it says of itself is read when somebody asks."""

    def __init__(self, function, name=None, description=None, use_docstring_info=True, failure_error_function=..., strict_mode=True,
                 is_enabled=True, **_):  # fmt: skip
        self.tool_hub_function = function
        self.name, self.said, self.reads = name or function.__name__, description, use_docstring_info
        self.on_failure, self.strict_json_schema, self.is_enabled = failure_error_function, strict_mode, is_enabled
        self.known = None

    def __call__(self, *arguments, **named):
        return self.tool_hub_function(*arguments, **named)

    def described(self):
        from tool_hub_listing import documented, model_of

        if self.known is None:
            text, texts = documented(self.tool_hub_function) if self.reads else (None, {})
            hints = hints_of(self.tool_hub_function)
            first = next(iter(inspect.signature(self.tool_hub_function).parameters), None)
            context = [first] if first is not None and context_of(hints.get(first)) is not None else []
            self.known = text, model_of(f"{self.name}_args", self.tool_hub_function, context, texts), context
        return self.known

    @property
    def description(self):
        return self.said or self.described()[0] or ""

    @property
    def params_json_schema(self):
        from tool_hub_listing import schema_of

        return schema_of(self.described()[1])

    async def on_invoke_tool(self, context, said):
        _, model, first = self.described()
        try:
            checked = model.model_validate(json.loads(said) if said else {})
            named = {name: getattr(checked, name) for name in model.tool_hub_known()}
            found = self.tool_hub_function(*[context for _ in first], **named)
            return await found if inspect.isawaitable(found) else found
        except Exception as error:
            if self.on_failure is ... or self.on_failure is None:
                raise
            if isinstance(error, ValidationError):
                error = ValueError(f"Invalid JSON input for tool {self.name}")
            found = self.on_failure(context, error)
            return await found if inspect.isawaitable(found) else found


def function_tool(function=None, *, name_override=None, description_override=None, **options):
    def made(function):
        return DecoratedTool(function, name_override, description_override, **options)

    return made(function) if callable(function) else made


def default_tool_error_function(_, error):
    raise ToolError(str(error) or type(error).__name__) from error


NAMES["agents"] = {
    "FunctionTool": FunctionTool, "RunContextWrapper": Context, "ToolContext": Context, "default_tool_error_function": default_tool_error_function,
    "function_tool": function_tool,
}  # fmt: skip
