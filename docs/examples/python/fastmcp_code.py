"""A server of FastMCP whose clients write code, which runs in a sandbox."""

from fastmcp import FastMCP
from fastmcp.experimental.transforms.code_mode import CodeMode
from tool_hub.fastmcp import Sandbox, ToolHubProvider


def server(box):
    provider = ToolHubProvider(box.tools())  # whole answers, because code reads them
    code_mode = CodeMode(sandbox_provider=Sandbox(box))
    return FastMCP("code", providers=[provider], transforms=[code_mode])
