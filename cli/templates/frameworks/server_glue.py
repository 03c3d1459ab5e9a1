"""Offers the tools of a server to agents. `tool build` writes this for each build."""

from tool_hub_program import Program

PROGRAM = Program({{module_text}}, {{function}}, {{arguments}}, {{exports}})


def call(export, arguments):
    """Calls a tool by the name of its export."""
    return PROGRAM.call(export, arguments)
