"""Sandboxed tools for agents, in this process.

A tool is a WebAssembly component that was verified by hash and approved by a person. ``load`` gets
one and runs nothing of it, ``approve`` makes it callable, and a call runs it in a fresh sandbox.
"""

from tool_hub import _fork

# Type checkers take this name for true. The module `typing` takes longer to import than this one.
TYPE_CHECKING = False
if TYPE_CHECKING:
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

# The same imports, made when a name is first used: an agent that is started has much to import.
_HOMES = {
    "_authoring": ("AuthoredTool", "tool"),
    "_errors": ("Error", "HubError", "RefusedError", "ToolError"),
    "_hub": ("Found", "Pushed", "push", "search"),
    "_inspection": ("Capability", "Inspection", "load", "load_tool"),
    "_parts": ("Audio", "Image", "Link", "Resource"),
    "_reply": ("LogEntry", "Output", "Question", "Reply"),
    "_toolbox": ("Toolbox",),
    "_tools": ("Annotations", "Tool", "Tools"),
}

if not TYPE_CHECKING:

    def __getattr__(name):
        for home, names in _HOMES.items():
            if name in names:
                with _fork.importing:
                    from importlib import import_module

                    module = import_module(f"tool_hub.{home}")
                # All that it has: this is not called again for them.
                globals().update((each, getattr(module, each)) for each in names)
                return globals()[name]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)

    def __dir__():
        return sorted({*globals(), *__all__})
