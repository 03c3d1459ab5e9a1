"""Makes the calls of `calls.json` with MCP's own SDK for Python, version 1."""

import contextlib

from calls import Answer, main
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client


@contextlib.asynccontextmanager
async def connect(url, token):
    if url is None:
        server = stdio_client(StdioServerParameters(command="tool", args=["serve"]))
    else:
        server = streamablehttp_client(url, headers={"Authorization": f"Bearer {token}"})

    async with server as (read, write, *_), ClientSession(read, write) as session:
        await session.initialize()
        tools = (await session.list_tools()).tools

        async def call(name, arguments):
            reports = []

            async def report(*progress):
                reports.append(progress)

            result = await session.call_tool(name, arguments, progress_callback=report)
            return Answer(
                text="\n".join(part.text for part in result.content if part.type == "text"),
                structured=result.structuredContent,
                pictures=[part.mimeType for part in result.content if part.type == "image"],
                failed=result.isError,
                progress=reports,
            )

        yield [tool.name for tool in tools], call


main(connect, shows={"structured", "pictures", "failures", "progress"})
