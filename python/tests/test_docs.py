"""Tests that docstrings' examples run, public names are documented, and imports are lazy."""

import ast
import doctest
import importlib
import inspect
import pkgutil
import subprocess
import sys

import pytest
import tool_hub

# Modules without an underscore, and `_fastmcp_questions`, need a framework and are tested
# elsewhere; `_code` runs in a tool.
NOT_HERE = {"_native", "_code", "_fastmcp_questions"}
NAMES = [info.name for info in pkgutil.iter_modules(tool_hub.__path__)]


@pytest.mark.parametrize("name", [it for it in NAMES if it[0] == "_" and it not in NOT_HERE])
def test_examples(name):
    module = importlib.import_module(f"tool_hub.{name}")
    assert module.__doc__
    assert doctest.testmod(module).failed == 0


def test_every_public_name_is_documented():
    for name in tool_hub.__all__:
        assert getattr(tool_hub, name).__doc__, name
    assert set(tool_hub.__all__) <= set(dir(tool_hub))


def test_type_checkers_see_the_names_that_there_are():
    tree = ast.parse(inspect.getsource(tool_hub))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level == 0]
    seen = {
        node.module.removeprefix("tool_hub."): tuple(alias.name for alias in node.names)
        for node in imports
        if node.module.startswith("tool_hub.")
    }
    assert seen == tool_hub._HOMES
    assert sorted(name for names in seen.values() for name in names) == sorted(tool_hub.__all__)


def test_an_unknown_name_is_no_attribute():
    with pytest.raises(AttributeError, match="has no attribute 'toolbox_of'"):
        tool_hub.toolbox_of


def test_the_import_loads_only_what_is_used():
    program = (
        "import sys; before = set(sys.modules); import tool_hub\n"
        "print(sorted(set(sys.modules) - before))\n"
        "from tool_hub import *\n"
        "assert Toolbox is tool_hub.Toolbox and load.__module__ == 'tool_hub._inspection'\n"
        "print('asyncio' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["['tool_hub', 'tool_hub._fork']", "False"]
