"""A server of FastMCP that offers the tools."""

from fastmcp import FastMCP
from tool_hub.fastmcp import ToolHubProvider


def server(box):
    return FastMCP("tools", providers=[ToolHubProvider(box)])
