"""The examples in the docstrings, which are run, and the types, which have to be complete."""

import doctest
import importlib
import pkgutil

import pytest
import tool_hub

# Modules without an underscore need a framework and are tested elsewhere; `_code` runs in a tool.
NOT_HERE = {"_native", "_code"}
NAMES = [info.name for info in pkgutil.iter_modules(tool_hub.__path__)]


@pytest.mark.parametrize("name", [it for it in NAMES if it[0] == "_" and it not in NOT_HERE])
def test_examples(name):
    module = importlib.import_module(f"tool_hub.{name}")
    assert module.__doc__
    assert doctest.testmod(module).failed == 0


def test_every_public_name_is_documented():
    for name in tool_hub.__all__:
        assert getattr(tool_hub, name).__doc__, name
