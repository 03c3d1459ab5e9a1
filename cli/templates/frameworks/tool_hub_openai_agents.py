"""Stands in for the function tools of the OpenAI Agents SDK."""

from tool_hub_frameworks import NAMES, Context


def function_tool(function=None, **_):
    return function if callable(function) else lambda function: function


NAMES["agents"] = {"RunContextWrapper": Context, "ToolContext": Context, "function_tool": function_tool}
