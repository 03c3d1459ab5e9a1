"""Offers the tools for a framework of a package to agents. `tool build` writes this for each build."""

from tool_hub_package import PackageTools
from tool_hub_program import Program

PROGRAM = Program({{module_text}}, {{function}}, {{arguments}}, {{exports}}, lambda: PackageTools({{modules}}))


def call(export, arguments):
    """Calls a tool by the name of its export."""
    return PROGRAM.call(export, arguments)
