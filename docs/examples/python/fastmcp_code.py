"""A server of FastMCP whose clients write code, which runs in a sandbox."""

from fastmcp import FastMCP
from fastmcp.experimental.transforms.code_mode import CodeMode
from tool_hub.fastmcp import Sandbox, ToolHubProvider


def server(tools):  # `box.tools()`, because code reads whole answers
    code_mode = CodeMode(sandbox_provider=Sandbox(tools))
    return FastMCP("code", providers=[ToolHubProvider(tools)], transforms=[code_mode])
