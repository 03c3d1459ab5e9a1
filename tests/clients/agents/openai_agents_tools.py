"""Makes the calls of `calls.json` with the OpenAI Agents SDK, through its support for MCP."""

import contextlib
import json

from agents import Agent, RunContextWrapper
from agents.mcp import MCPServerStdio, MCPServerStreamableHttp
from agents.tool_context import ToolContext
from calls import Answer, main


def said(_, error):
    return str(error)


@contextlib.asynccontextmanager
async def connect(url, token):
    if url is None:
        server = MCPServerStdio({"command": "tool", "args": ["serve"]}, failure_error_function=said)
    else:
        headers = {"Authorization": f"Bearer {token}"}
        server = MCPServerStreamableHttp({"url": url, "headers": headers}, failure_error_function=said)

    async with server:
        agent = Agent(name="Assistant", mcp_servers=[server])
        functions = {tool.name: tool for tool in await agent.get_all_tools(RunContextWrapper(None))}

        async def call(name, arguments):
            written = json.dumps(arguments)
            context = ToolContext(None, tool_name=name, tool_call_id="1", tool_arguments=written)
            output = await functions[name].on_invoke_tool(context, written)
            # What the SDK refuses by itself it says in plain text.
            output = {"type": "text", "text": output} if isinstance(output, str) else output
            parts = output if isinstance(output, list) else [output]
            return Answer(
                text="\n".join(part["text"] for part in parts if part["type"] == "text"),
                pictures=[
                    part["image_url"].removeprefix("data:").split(";")[0] for part in parts if part["type"] == "image"
                ],
            )

        yield list(functions), call


main(connect, shows={"pictures"})
