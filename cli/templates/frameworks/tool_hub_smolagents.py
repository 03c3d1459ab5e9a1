"""Stands in for the tools of smolagents and of Transformers Agents."""

import copy
import inspect
import json
import re
import types
import typing

from tool_hub_frameworks import NAMES, hints_of

KINDS = {
    int: "integer", float: "number", str: "string", bool: "boolean", list: "array", tuple: "array", dict: "object", type(None): "null",
    typing.Any: "any",
}  # fmt: skip


class Tool:
    """A tool that is a class, with `forward` or `__call__`."""

    is_initialized = False
    name = description = None
    inputs = {}
    output_type = "any"

    def __init__(self, *_, **__):
        pass

    def setup(self):
        self.is_initialized = True

    def tool_hub_prepare(self):
        if not self.is_initialized:
            self.setup()

    def __call__(self, *arguments, **named):
        self.tool_hub_prepare()
        return self.forward(*arguments, **named)

    def tool_hub_listed(self):
        properties = copy.deepcopy(dict(self.inputs))
        for member in properties.values():
            flatten(member)
        required = [name for name, member in self.inputs.items() if not member.get("nullable")]
        schema = {"type": "object", "properties": properties, "required": required}
        return {"name": self.name, "description": self.description, "inputSchema": schema}

    async def tool_hub_called(self, given):
        found = self(**given)
        found = await found if inspect.isawaitable(found) else found
        return found if isinstance(found, str) else str(found)


def flatten(member):
    """Writes a choice of types as a list of them, and anything as a text, as models are told."""
    if member.get("type") == "any":
        member["type"] = "string"
    choices = member.pop("anyOf", None)
    if choices is None:
        return
    kinds = ["string" if it["type"] == "any" else it["type"] for it in choices if it["type"] != "null"]
    if len(kinds) < len(choices):
        member["nullable"] = True
    member["type"] = kinds if len(kinds) > 1 else kinds[0]
    for choice in choices:
        if "enum" in choice:
            member["enum"] = choice["enum"]


class FunctionTool(Tool):
    """A function as a tool. What it says of itself is read when somebody asks."""

    def __init__(self, function):
        self.tool_hub_function = self.forward = function
        self.name, self.is_initialized = function.__name__, True

    @property
    def description(self):
        return documented(self.tool_hub_function)[0]

    @property
    def inputs(self):
        function, found = self.tool_hub_function, {}
        texts, hints = documented(function)[1], hints_of(function)
        for name, parameter in inspect.signature(function).parameters.items():
            member = of_hint(hints.get(name, typing.Any))
            if parameter.default is not parameter.empty:
                member["nullable"] = True
            text = texts.get(name, "")
            if choices := re.search(r"\(choices:\s*(.*?)\)\s*$", text, re.IGNORECASE):
                member["enum"] = [it.strip() for it in json.loads(choices.group(1))]
                text = text[: choices.start()].strip()
            found[name] = {**member, "description": text}
        return found


def of_hint(hint):
    """The schema of a type, in the words of smolagents."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType, typing.Literal):
        is_literal = origin is typing.Literal
        kinds = {type(it) for it in parts} if is_literal else set(parts)
        kinds = [it for it in ([*kinds] if is_literal else parts) if it is not type(None)]
        inner = [of_hint(it) for it in kinds]
        if len(inner) == 1:
            found = inner[0]
        elif all(isinstance(it.get("type"), str) for it in inner):
            found = {"type": sorted(it["type"] for it in inner)}
        else:
            found = {"anyOf": inner}
        if type(None) in parts or None in parts:
            found["nullable"] = True
        return {**found, "enum": [it for it in parts if it is not None]} if is_literal else found
    if origin is typing.Annotated:
        return of_hint(parts[0])
    found = {"type": KINDS.get(origin or hint, "any")}
    if origin is list and parts:
        found["items"] = of_hint(parts[0])
    if origin is tuple and parts:
        found["prefixItems"] = [of_hint(it) for it in parts]
    if origin is dict and len(parts) == 2:
        found["additionalProperties"] = of_hint(parts[1])
    return found


def documented(function):
    """The description in a docstring of Google's style, and its texts of arguments."""
    text = (inspect.getdoc(function) or "").strip()
    description = re.split(r"\n\s*(?:Args:|Returns:|Raises:)", text)[0].strip()
    section = re.search(r"(?s)\n\s*Args:\n(.*?)(?=\n\s*(?:Returns:|Raises:)|\Z)", text)
    found, name = {}, None
    for line in section.group(1).split("\n") if section else ():
        begun = re.match(r"\s*(\w+)\s*(?:\([^)]*?\))?:\s*(.*)$", line)
        if begun:
            name = begun.group(1)
            found[name] = begun.group(2).strip()
        elif name and line.strip():
            found[name] = f"{found[name]} {line.strip()}"
    return description, found


def tool(function):
    return FunctionTool(function)


NAMES["smolagents"] = NAMES["transformers"] = {"Tool": Tool, "PipelineTool": Tool, "tool": tool}
