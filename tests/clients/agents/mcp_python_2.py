"""Makes the calls of `calls.json` with MCP's own SDK for Python, version 2, in no session."""

import contextlib

import httpx2
from calls import Answer, main
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client


@contextlib.asynccontextmanager
async def connect(url, token):
    if url is None:
        server = StdioServerParameters(command="tool", args=["serve"])
    else:
        http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60)
        server = streamable_http_client(url, http_client=http)

    async with Client(server) as client:
        tools = (await client.list_tools()).tools
        assert client.protocol_version == "2026-07-28", client.protocol_version
        about = {tool.name: tool for tool in tools}["text_stats__count_words"]
        assert about.output_schema["type"] == "object" and about.annotations.read_only_hint is True

        async def call(name, arguments):
            reports = []

            async def report(*progress):
                reports.append(progress)

            result = await client.call_tool(name, arguments, progress_callback=report)
            return Answer(
                text="\n".join(part.text for part in result.content if part.type == "text"),
                structured=result.structured_content,
                pictures=[part.mime_type for part in result.content if part.type == "image"],
                failed=result.is_error,
                progress=reports,
            )

        yield [tool.name for tool in tools], call


main(connect, shows={"structured", "pictures", "failures", "progress"})
