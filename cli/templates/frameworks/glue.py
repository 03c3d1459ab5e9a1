"""Offers the tools of `{{module}}` to agents. `tool build` writes this for each build."""

import importlib
import json  # noqa: F401

from tool_hub_frameworks import Tool, members  # noqa: F401
{{imports}}

{{parts}}source = importlib.import_module({{module_text}})
TOOLS = {
{{tools}}}


{{functions}}


EXPORTS = {{exports}}


def call(export, arguments):
    """Calls a tool by the name of its export, whose last part is its own."""
    return EXPORTS[export.rpartition(".")[2]](*arguments)
