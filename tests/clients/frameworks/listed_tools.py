"""Prints what a framework lists of the tools in a file, and what they answer to calls.

The arguments are the framework, the file and a JSON object of calls, with the arguments of each. Standard output
has a JSON object: of each tool its description, the schema of its arguments, and its answers.
"""

import asyncio
import importlib
import json
import sys


def fastmcp(module):
    from fastmcp import Client

    async def list_and_call(calls):
        async with Client(module.mcp) as client:
            tools = {tool.name: [tool.description, tool.input_schema, []] for tool in await client.list_tools()}
            for name, arguments in calls:
                result = await client.call_tool(name, arguments, raise_on_error=False)
                said = "".join(part.text for part in result.content)
                tools[name][2].append({"error": said} if result.is_error else said)
            return tools

    return list_and_call


def mcp(module):
    from mcp.shared.memory import create_connected_server_and_client_session

    async def list_and_call(calls):
        async with create_connected_server_and_client_session(module.server._mcp_server) as client:
            listed = await client.list_tools()
            tools = {tool.name: [tool.description, tool.inputSchema, []] for tool in listed.tools}
            for name, arguments in calls:
                result = await client.call_tool(name, arguments)
                said = "".join(part.text for part in result.content)
                tools[name][2].append({"error": said} if result.isError else said)
            return tools

    return list_and_call


def text_of(value):
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def listed(tools, describe, call):
    async def list_and_call(calls):
        found = {}
        for tool in tools:
            name, description, schema = describe(tool)
            found[name] = [description, schema, []]
            for called, arguments in calls:
                if called == name:
                    try:
                        answer = text_of(await call(tool, arguments))
                    except Exception as error:
                        answer = {"error": str(error)}
                    found[name][2].append(answer)
        return found

    return list_and_call


def smolagents(module):
    from smolagents import Tool
    from smolagents.models import get_tool_json_schema

    def describe(tool):
        schema = get_tool_json_schema(tool)["function"]
        return schema["name"], schema["description"], schema["parameters"]

    async def call(tool, arguments):
        return tool(**arguments)

    classes = [it() for it in vars(module).values() if isinstance(it, type) and issubclass(it, Tool) and it is not Tool]
    return listed([it for it in vars(module).values() if isinstance(it, Tool)] + classes, describe, call)


def langchain(module):
    from langchain_core.tools import BaseTool
    from langchain_core.utils.function_calling import convert_to_openai_tool

    def describe(tool):
        schema = convert_to_openai_tool(tool)["function"]
        return schema["name"], schema["description"], schema["parameters"]

    async def call(tool, arguments):
        return await tool.ainvoke(arguments)

    def is_own(it):
        return isinstance(it, type) and issubclass(it, BaseTool) and it.__module__ == module.__name__

    classes = [it() for it in vars(module).values() if is_own(it)]
    return listed([it for it in vars(module).values() if isinstance(it, BaseTool)] + classes, describe, call)


def llama_index(module):
    from llama_index.core.tools.tool_spec.base import BaseToolSpec

    def describe(tool):
        schema = tool.metadata.to_openai_tool(skip_length_check=True)["function"]
        return schema["name"], schema["description"], schema["parameters"]

    async def call(tool, arguments):
        return tool(**arguments).raw_output

    classes = [it for it in vars(module).values() if isinstance(it, type) and issubclass(it, BaseToolSpec)]
    specs = [it(app_id="DEMO") for it in classes if it is not BaseToolSpec]
    return listed([tool for spec in specs for tool in spec.to_tool_list()], describe, call)


def openai_agents(module):
    from agents import FunctionTool
    from agents.tool_context import ToolContext

    def describe(tool):
        return tool.name, tool.description, tool.params_json_schema

    async def call(tool, arguments):
        text = json.dumps(arguments)
        context = ToolContext(None, tool_name=tool.name, tool_call_id="1", tool_arguments=text)
        return await tool.on_invoke_tool(context, text)

    return listed([it for it in vars(module).values() if isinstance(it, FunctionTool)], describe, call)


framework, module, calls = sys.argv[1:]
print(json.dumps(asyncio.run(globals()[framework](importlib.import_module(module))(json.loads(calls)))))
