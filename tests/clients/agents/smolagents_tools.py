"""Makes the calls of `calls.json` with smolagents, through its collections of MCP tools."""

import contextlib
import os

from calls import Answer, main
from mcp import StdioServerParameters
from PIL import Image
from smolagents import ToolCollection


@contextlib.asynccontextmanager
async def connect(url, token):
    if url is None:
        server = StdioServerParameters(command="tool", args=["serve"])
    else:
        server = {"url": url, "headers": {"Authorization": f"Bearer {token}"}}

    with ToolCollection.from_mcp(server, trust_remote_code=True, structured_output=True) as collection:
        tools = collection.tools
        by_name = {tool.name: tool for tool in tools}

        async def call(name, arguments):
            output = by_name[name](**arguments)
            if isinstance(output, Image.Image):
                return Answer(pictures=[Image.MIME[output.format]])
            return Answer(text=str(output), structured=output)

        yield list(by_name), call


main(connect, shows={"structured", "pictures"})
