"""Makes the calls of `calls.json` with LangChain, through its adapters for MCP."""

import contextlib

from calls import Answer, main
from langchain_mcp_adapters.callbacks import Callbacks
from langchain_mcp_adapters.client import MultiServerMCPClient


@contextlib.asynccontextmanager
async def connect(url, token):
    reports = []

    async def report(*progress):
        reports.append(progress[:3])

    if url is None:
        server = {"transport": "stdio", "command": "tool", "args": ["serve"]}
    else:
        server = {"transport": "http", "url": url, "headers": {"Authorization": f"Bearer {token}"}}

    client = MultiServerMCPClient({"tools": server}, callbacks=Callbacks(on_progress=report))
    tools = await client.get_tools()
    by_name = {tool.name: tool for tool in tools}

    async def call(name, arguments):
        # As an agent calls, which gives the whole message and not its text alone.
        message = await by_name[name].ainvoke({"type": "tool_call", "id": "1", "name": name, "args": arguments})
        parts = [part if isinstance(part, dict) else {"type": "text", "text": part} for part in message.content]
        return Answer(
            text="\n".join(part["text"] for part in parts if part["type"] == "text"),
            structured=message.artifact and message.artifact["structured_content"],
            pictures=[part["mime_type"] for part in parts if part["type"] == "image"],
            failed=message.status == "error",
            progress=reports,
        )

    yield list(by_name), call


main(connect, shows={"structured", "pictures", "failures", "progress"})
