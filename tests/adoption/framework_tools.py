#!/usr/bin/env python3
"""Serves the tools that modules of a package have for a framework, over MCP on standard input and output.

usage: framework_tools.py MODULE...

It runs in the environment of the original, with the real framework, and tells what that framework tells a model:
LangChain's and smolagents' functions for OpenAI's API, LlamaIndex's metadata, the strict schemas of OpenAI Agents.
Tools are objects and classes of the modules, what a toolkit has, and what a function returns whose name ends in `tools`.
A class is made with what its constructor needs from variables of the same names in capitals.
"""

import asyncio
import importlib
import inspect
import json
import os
import re
import sys


class Tool:
    """A tool: its name, what a model is told, and a function of its arguments that returns a text."""

    def __init__(self, name, description, schema, call):
        self.name, self.listed, self.call = name, {"name": name, "description": description, "inputSchema": schema}, call


class Framework:
    """What a framework's tools, classes of tools and toolkits are. One that is not installed has none."""

    tools = kits = ()

    def kit(self, kit):
        return kit.get_tools()


class LangChain(Framework):
    def __init__(self):
        from langchain_core.tools import BaseTool, BaseToolkit

        self.tools, self.kits = (BaseTool,), (BaseToolkit,)

    def of(self, tool):
        from langchain_core.utils.function_calling import convert_to_openai_function

        told = convert_to_openai_function(tool)
        return Tool(tool.name, told["description"], told["parameters"], lambda given: self.call(tool, given))

    def call(self, tool, given):
        is_async = getattr(tool, "func", ...) is None or type(tool)._run is type(tool).__mro__[1]._run and not hasattr(tool, "func")
        found = asyncio.run(tool.ainvoke(given)) if is_async and getattr(tool, "coroutine", None) else tool.invoke(given)
        if isinstance(found, str):
            return found
        try:
            return json.dumps(found, ensure_ascii=False)
        except (TypeError, ValueError):
            return str(found)


class LlamaIndex(Framework):
    def __init__(self):
        from llama_index.core.tools import BaseTool
        from llama_index.core.tools.tool_spec.base import BaseToolSpec

        self.tools, self.kits = (BaseTool,), (BaseToolSpec,)

    def kit(self, kit):
        return kit.to_tool_list()

    def of(self, tool):
        told = tool.metadata
        return Tool(told.get_name(), told.description, told.get_parameters_dict(), lambda given: self.call(tool, given))

    def call(self, tool, given):
        found = tool.call(**given)
        if found.is_error:
            raise RuntimeError(found.content)
        return found.content


class Smolagents(Framework):
    def __init__(self):
        from smolagents import Tool as Base

        self.tools = (Base,)

    def of(self, tool):
        from smolagents.models import get_tool_json_schema

        told = get_tool_json_schema(tool)["function"]
        return Tool(tool.name, told["description"], told["parameters"], lambda given: str(tool(**given)))


class OpenAiAgents(Framework):
    FAILED = "An error occurred while running the tool."

    def __init__(self):
        from agents import FunctionTool

        self.tools = (FunctionTool,)

    def of(self, tool):
        return Tool(tool.name, tool.description, tool.params_json_schema, lambda given: self.call(tool, given))

    def call(self, tool, given):
        from agents.tool_context import ToolContext

        said = json.dumps(given)
        context = ToolContext(context=None, tool_name=tool.name, tool_call_id="1", tool_arguments=said)
        found = str(asyncio.run(tool.on_invoke_tool(context, said)))
        if found.startswith(self.FAILED):
            raise RuntimeError(found)
        return found


def frameworks():
    for kind in (LangChain, LlamaIndex, Smolagents, OpenAiAgents):
        try:
            yield kind()
        except ImportError:
            continue


def required(function):
    told = inspect.signature(function).parameters.values()
    return [it.name for it in told if it.default is it.empty and it.kind not in (it.VAR_POSITIONAL, it.VAR_KEYWORD)]


def instance(kind):
    if hasattr(kind, "model_fields"):
        needed = [name for name, field in kind.model_fields.items() if field.is_required() and name not in ("name", "description")]
    else:
        needed = [name for name in required(kind.__init__) if name != "self"]
    return kind(**{name: os.environ[name.upper()] for name in needed})


def found_in(modules):
    """The tools of the modules, by their names; of two with one name the first."""
    known, first = {}, None
    for framework in list(frameworks()):
        for module in map(importlib.import_module, modules):
            root = module.__name__.split(".")
            root = ".".join(root[: 3 if root[:2] == ["llama_index", "tools"] else 1])
            own = [it for name, it in vars(module).items() if not name.startswith("_")]
            tools = [inner for it in own for inner in ([it, *it] if isinstance(it, (list, tuple)) else [it])]
            for it in own:
                if not f"{getattr(it, '__module__', None)}.".startswith(f"{root}."):
                    continue
                try:
                    if isinstance(it, type) and issubclass(it, framework.kits):
                        tools += framework.kit(instance(it))
                    elif isinstance(it, type) and issubclass(it, framework.tools):
                        tools.append(instance(it))
                    elif inspect.isfunction(it) and re.search(r"(?:^|_)tools$", it.__name__) and not required(it):
                        tools += it()
                except Exception as error:
                    first = first or error
                    print(f"{it!r}: {type(error).__name__}: {error}", file=sys.stderr)
            for it in tools:
                if not isinstance(it, framework.tools) or isinstance(it, type):
                    continue
                made = framework.of(it)
                known.setdefault(made.name, made)
    if not known:
        raise first or RuntimeError(f"no tools are in {', '.join(modules)}")
    return known


def main():
    # The output of a tool is no part of the protocol.
    out, sys.stdout = sys.stdout, sys.stderr
    known = found_in(sys.argv[1:])
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        result = {}
        if message["method"] == "initialize":
            result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "original", "version": "1"}}
        elif message["method"] == "tools/list":
            result = {"tools": [it.listed for it in known.values()]}
        elif message["method"] == "tools/call":
            asked = message["params"]
            try:
                said, is_error = known[asked["name"]].call(asked["arguments"]), False
            except Exception as error:
                said, is_error = f"{type(error).__name__}: {error}", True
            result = {"content": [{"type": "text", "text": said}], "isError": is_error}
        out.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
