"""Tests that the package imports no agent framework, and that adapters name a missing one."""

import subprocess
import sys

import pytest

ADAPTERS = {
    "fastmcp": "fastmcp",
    "langchain": "langchain-core",
    "llama_index": "llama-index-core",
    "openai_agents": "openai-agents",
    "pydantic_ai": "pydantic-ai-slim",
    "smolagents": "smolagents",
}
#: The modules that the adapters import, none of which `tool_hub` may.
FRAMEWORKS = (
    "agents",
    "fastmcp",
    "langchain",
    "langchain_core",
    "langgraph",
    "llama_index",
    "mcp",
    "PIL",
    "pydantic",
    "pydantic_ai",
    "smolagents",
    "transformers",
)


def python(code):
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{code}"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.stdout.strip() + done.stderr.strip()


def test_the_package_imports_no_framework():
    code = f"import tool_hub\nprint([name for name in {FRAMEWORKS} if name in sys.modules])"
    assert python(code) == "[]"


@pytest.mark.parametrize(("adapter", "package"), ADAPTERS.items())
def test_a_missing_framework_is_named_with_the_way_to_install_it(adapter, package):
    # An entry of None makes the import fail as it does where the module is not installed.
    code = f"""
for name in {FRAMEWORKS}:
    sys.modules[name] = None
try:
    import tool_hub.{adapter}
except ImportError as error:
    print(error)
"""
    assert python(code).startswith(f"tool_hub.{adapter} needs {package}: pip install {package}")


def test_transformers_is_not_needed_to_load_a_tool():
    code = "sys.modules['transformers'] = None\nimport tool_hub.transformers\nprint('there')"
    assert python(code) == "there"
