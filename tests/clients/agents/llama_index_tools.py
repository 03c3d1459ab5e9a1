"""Makes the calls of `calls.json` with LlamaIndex, through its tools for MCP."""

import contextlib

from calls import Answer, main
from llama_index.tools.mcp import BasicMCPClient, McpToolSpec


@contextlib.asynccontextmanager
async def connect(url, token):
    if url is None:
        client = BasicMCPClient("tool", args=["serve"])
    else:
        client = BasicMCPClient(url, headers={"Authorization": f"Bearer {token}"})

    tools = await McpToolSpec(client).to_tool_list_async()
    by_name = {tool.metadata.name: tool for tool in tools}

    async def call(name, arguments):
        output = await by_name[name].acall(**arguments)
        result = output.raw_output
        return Answer(
            text=output.content,
            structured=result.structured_content,
            pictures=[part.mime_type for part in result.content if part.type == "image"],
            failed=result.is_error,
        )

    yield list(by_name), call


main(connect, shows={"structured", "pictures", "failures"})
