"""A server of FastMCP whose clients write code, which runs in a sandbox."""

from fastmcp import FastMCP
from fastmcp.experimental.transforms.code_mode import CodeMode
from tool_hub.fastmcp import Sandbox, ToolHubProvider


def server(box):
    code_mode = CodeMode(sandbox_provider=Sandbox(box))
    return FastMCP("code", providers=[ToolHubProvider(box)], transforms=[code_mode])
