"""Stands in for the tools and tool specs of LlamaIndex."""

import inspect
import re

from tool_hub_frameworks import NAMES, Context, ToolError, context_of, hints_of, run
from tool_hub_pydantic import NAMES as PYDANTIC
from tool_hub_pydantic import FieldInfo


class Document:
    """A text that a tool returns."""

    def __init__(self, text="", *, metadata=None, extra_info=None, id_=None, doc_id=None, **_):
        self.text, self.metadata, self.id_ = text, metadata or extra_info or {}, id_ or doc_id

    def get_content(self, *_, **__):
        return self.text

    def tool_hub_text(self):
        return self.text


class ToolMetadata:
    """What a model is told of a tool."""

    def __init__(self, description, name=None, fn_schema=None, return_direct=False):
        self.description, self.name, self.fn_schema, self.return_direct = description, name, fn_schema, return_direct

    def get_name(self):
        return self.name

    def get_parameters_dict(self):
        from tool_hub_listing import schema_of

        if self.fn_schema is None:
            return {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}
        schema = schema_of(self.fn_schema)
        return {name: it for name, it in schema.items() if name in ("type", "properties", "required", "definitions", "$defs")}


class ToolOutput:
    """What a tool returns, as text and as it was."""

    def __init__(self, content=None, tool_name=None, raw_input=None, raw_output=None, is_error=False, **_):
        self.content, self.tool_name, self.raw_input, self.raw_output, self.is_error = content or "", tool_name, raw_input, raw_output, is_error

    def __str__(self):
        return self.content

    def tool_hub_text(self):
        return self.content


class FunctionTool:
    """A function as a tool."""

    def __init__(self, fn=None, metadata=None, async_fn=None, callback=None, async_callback=None, partial_params=None):
        self.fn = self.tool_hub_function = fn or async_fn
        self.metadata, self.callback, self.partial_params = metadata, callback or async_callback, partial_params or {}
        self.contexts = {name: hint for name, hint in hints_of(self.fn).items() if name != "return" and context_of(hint) is not None}
        told = inspect.signature(self.fn).parameters.values()
        self.defaults = {it.name: it.default.get_default() for it in told if isinstance(it.default, FieldInfo) and not it.default.is_required()}

    @classmethod
    def from_defaults(cls, fn=None, name=None, description=None, return_direct=False, fn_schema=None, async_fn=None,
                      tool_metadata=None, callback=None, async_callback=None, partial_params=None):  # fmt: skip
        made = cls(fn, tool_metadata, async_fn, callback, async_callback, partial_params)
        if tool_metadata is None:
            made.metadata = Described(made.fn, name, description, fn_schema, [*made.contexts, *made.partial_params, "self"], return_direct)
        return made

    def __call__(self, *arguments, **named):
        return self.call(*arguments, **named)

    def call(self, *arguments, **named):
        found = run(self.acall(*arguments, **named))
        return found

    async def acall(self, *arguments, **named):
        contexts = {name: context_of(hint) for name, hint in self.contexts.items()}
        raw = self.fn(*arguments, **{**contexts, **self.defaults, **self.partial_params, **named})
        raw = await raw if inspect.isawaitable(raw) else raw
        if self.callback is not None:
            said = self.callback(raw)
            said = await said if inspect.isawaitable(said) else said
            if said is not None:
                return said if isinstance(said, ToolOutput) else ToolOutput(str(said), raw_output=raw)
        if isinstance(raw, Document):
            text = raw.text
        elif isinstance(raw, list) and all(isinstance(it, Document) for it in raw):
            text = "\n".join(it.text for it in raw)
        else:
            text = str(raw)
        return ToolOutput(text, self.metadata.get_name(), raw_output=raw)

    def tool_hub_listed(self):
        told = self.metadata
        return {"name": told.get_name(), "description": told.description, "inputSchema": told.get_parameters_dict()}

    async def tool_hub_called(self, given):
        found = await self.acall(**given)
        if found.is_error:
            raise ToolError(found.content)
        return found.content


class Described(ToolMetadata):
    """What a function says of itself, which is read when somebody asks."""

    def __init__(self, function, name, description, fn_schema, skip, return_direct):
        super().__init__(description, name or function.__name__, fn_schema, return_direct)
        self.function, self.skip = function, skip

    @property
    def description(self):
        from tool_hub_listing import signature_text

        if self.said is not None:
            return self.said
        return f"{self.name}{signature_text(self.function, self.skip)}\n{self.function.__doc__ or ''}".strip()

    @description.setter
    def description(self, text):
        self.said = text

    @property
    def fn_schema(self):
        from tool_hub_listing import model_of

        return self.model or model_of(self.name, self.function, self.skip, parameter_texts(self.function))

    @fn_schema.setter
    def fn_schema(self, model):
        self.model = model


def parameter_texts(function):
    """What a docstring says of parameters, in the lines of three styles; what comes first counts."""
    text, found = function.__doc__ or "", {}
    for pattern in (r":param (\w+): (.+)", r"(?m)^\s*(\w+)\s*\(.*?\):\s*(.+)$", r"@param (\w+)\s+(.+)"):
        for name, said in re.findall(pattern, text):
            found.setdefault(name, said.strip())
    return found


class BaseToolSpec:
    """A class whose methods are tools."""

    spec_functions = []

    def to_tool_list(self, spec_functions=None, func_to_metadata_mapping=None):
        return [self.made(it, func_to_metadata_mapping or {}) for it in spec_functions or self.spec_functions]

    async def to_tool_list_async(self, *arguments, **named):
        return self.to_tool_list(*arguments, **named)

    def made(self, names, mapping):
        names = [names] if isinstance(names, str) else names
        metadata = next((mapping[name] for name in names if name in mapping), None)
        return FunctionTool.from_defaults(getattr(self, names[0]), tool_metadata=metadata)


NAMES["llama_index"] = {
    **PYDANTIC, "BaseToolSpec": BaseToolSpec, "Context": Context, "Document": Document, "FunctionTool": FunctionTool,
    "TextNode": Document, "ToolMetadata": ToolMetadata, "ToolOutput": ToolOutput,
}  # fmt: skip
