"""Sandboxed tools for agents, in this process.

A tool is a WebAssembly component that was verified by hash and approved by a person. ``load`` gets
one and runs nothing of it, ``approve`` makes it callable, and a call runs it in a fresh sandbox.
"""

from tool_hub._authoring import AuthoredTool, tool
from tool_hub._errors import Error, HubError, RefusedError, ToolError
from tool_hub._hub import Found, Pushed, push, search
from tool_hub._inspection import Capability, Inspection, load, load_tool
from tool_hub._parts import Audio, Image, Link, Resource
from tool_hub._reply import LogEntry, Output, Question, Reply
from tool_hub._toolbox import Toolbox
from tool_hub._tools import Annotations, Tool, Tools

__version__ = "0.1.0"

__all__ = [
    "Annotations",
    "Audio",
    "AuthoredTool",
    "Capability",
    "Error",
    "Found",
    "HubError",
    "Image",
    "Inspection",
    "Link",
    "LogEntry",
    "Output",
    "Pushed",
    "Question",
    "RefusedError",
    "Reply",
    "Resource",
    "Tool",
    "ToolError",
    "Toolbox",
    "Tools",
    "load",
    "load_tool",
    "push",
    "search",
    "tool",
]
