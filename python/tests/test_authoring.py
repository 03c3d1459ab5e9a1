"""Tests that Python functions are built as tools, called in the sandbox, published or refused."""

import importlib.util
import math
import re
import sys
import textwrap
import urllib.parse
from enum import Enum
from pathlib import Path

import pytest
import tool_hub
from conftest import run
from tool_hub import tool

GRAVITY = 9.81


class Unit(Enum):
    """A unit of length."""

    METRE = "metre"
    FOOT = "foot"


def _in_metres(length: float, unit: Unit) -> float:
    # A foot is defined by the metre.
    return length * 0.3048 if unit is Unit.FOOT else length


@tool(name="fall", version="1.2.0", description="Computes falls.")
def fall_time(height: float, unit: Unit = Unit.METRE) -> float:
    """Computes how long a fall lasts.

    Args:
        height: The height.
        unit: The unit of the height.

    Returns:
        Seconds.
    """
    if height < 0:
        raise ValueError("nothing falls upwards")
    return round(math.sqrt(2 * _in_metres(height, unit) / GRAVITY), 3)


def test_a_function_becomes_a_tool(registry, tmp_path, monkeypatch):
    assert fall_time(100) == 4.515
    package = fall_time.build(tmp_path / "fall")
    assert package == tmp_path / "fall" / "dist"
    inspection = tool_hub.load(package)
    assert (inspection.name, inspection.version) == ("fall", "1.2.0")
    fall = inspection.approve(inspection.digest).only()
    assert fall(height=100) == 4.515
    assert fall(height=100, unit="foot") == fall_time(100, Unit.FOOT)
    unit = fall.input_schema["properties"]["unit"]
    assert (unit["enum"], fall.input_schema["required"]) == (["metre", "foot"], ["height"])
    with pytest.raises(tool_hub.ToolError, match="nothing falls upwards"):
        fall(height=-1)

    monkeypatch.setenv("HF_TOKEN", registry.user("ada"))
    pushed = fall_time.push("ada/fall", directory=tmp_path / "fall")
    # It was built once more, and a build of Python is not the same byte for byte.
    assert tool_hub.load("ada/fall@1.2.0").digest == pushed.digest
    (found,) = tool_hub.search("fall")
    assert found.functions == ["fall_time"]


def test_the_example_of_the_page(registry, tmp_path, monkeypatch):
    path = Path(__file__).parents[2] / "docs/examples/python/authoring.py"
    spec = importlib.util.spec_from_file_location("authoring", path)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_TOKEN", registry.user("ada"))
    package, pushed = example.publish()
    inspection = tool_hub.load(package)
    assert (inspection.digest, pushed.version) == (pushed.digest, "0.2.0")
    built = inspection.approve(inspection.digest)
    text = "word " * 460
    assert built(text=text) == example.reading_time(text) == 2.0


def test_the_source_has_what_the_function_needs_and_no_more():
    source = fall_time.source
    assert source.startswith("from enum import Enum\nimport math\n")
    assert "GRAVITY = 9.81" in source and "class Unit(Enum)" in source
    assert "# A foot is defined by the metre." in source
    assert "@tool" not in source and "pytest" not in source
    assert source.index("def _in_metres") < source.index("def fall_time")


def test_capabilities_are_those_of_the_manifest(tmp_path):
    @tool(capabilities={
        "network": ["https://api.example", {"origin": "https://b.example", "methods": ["GET"]}],
        "storage": {"why": 'what it "knows"'},
    })
    def ask(question: str) -> str:
        """Asks.

        Args:
            question: The question.
        """
        return question

    inspection = tool_hub.load(ask.build(tmp_path / "ask"))
    asked = [(it.access, it.what) for it in inspection.capabilities]
    assert ("network", "https://api.example") in asked
    assert any(it.why == 'what it "knows"' for it in inspection.capabilities)


def test_what_is_missing_is_said_with_its_place():
    line = f"{re.escape(__file__)}:\\d+"

    def no_type(text) -> str:
        """Says something."""

    with pytest.raises(tool_hub.Error, match=rf"`no_type` \({line}\).*no type hint of `text`"):
        tool(no_type)

    def no_result(text: str):
        """Says something."""

    with pytest.raises(tool_hub.Error, match="no type hint of its result"):
        tool(no_result)

    def no_docstring(text: str) -> str:
        return text

    with pytest.raises(tool_hub.Error, match="no docstring") as failed:
        tool(no_docstring)
    assert "Args:" in failed.value.hint

    def around(text: str) -> str:
        """Says something."""
        return text + line

    with pytest.raises(tool_hub.Error, match="uses `line` of the function around it"):
        tool(around)

    async def later() -> str:
        """Says something."""

    with pytest.raises(tool_hub.Error, match="asynchronous"):
        tool(later)
    with pytest.raises(tool_hub.Error, match="is no function"):
        tool(3)


WORDS = {"d", "c", "b", "a"}


@tool(description="Reads 😀.", capabilities={"storage": {"why": "\x7f 😀"}})
def reads(unit: "Unit", text: str) -> str:
    """Reads.

    Args:
        unit: A unit.
        text: A text.
    """
    return urllib.parse.quote(text) if text in WORDS else unit.value


def test_what_is_hard_to_write_is_written(tmp_path):
    source = reads.source
    assert "import urllib.parse\n" in source and "class Unit(Enum)" in source
    assert "WORDS = {'a', 'b', 'c', 'd'}" in source
    manifest = reads._manifest()
    if sys.version_info >= (3, 11):
        import tomllib

        read = tomllib.loads(manifest)
        assert read["description"] == "Reads 😀."
        assert read["capabilities"]["storage"]["why"] == "\x7f 😀"
    with pytest.raises(tool_hub.Error, match="None cannot be written into tool.toml"):
        tool(capabilities={"storage": None})(reads.function).build(tmp_path / "x")


NOTEBOOK = '''
import linecache, sys
vars(sys.modules["__main__"]).pop("__file__", None)
cells = [
    """from enum import Enum
from tool_hub import tool

class Unit(Enum):
    METRE = "metre"
""",
    """@tool
def name(unit: Unit) -> str:
    \'\'\'Names a unit.

    Args:
        unit: The unit.
    \'\'\'
    return unit.value
""",
]
for number, cell in enumerate(cells):
    file = f"/tmp/ipykernel_1/{number}.py"
    linecache.cache[file] = (len(cell), None, cell.splitlines(True), file)
    exec(compile(cell, file, "exec"), globals())
print(name.source)
'''


def test_cells_of_a_notebook_are_sources():
    source = run(sys.executable, "-c", NOTEBOOK)
    assert "class Unit(Enum):" in source and "def name(unit: Unit)" in source


def helper() -> str:
    return "help"


@tool
def uses_a_helper() -> str:
    """Says something."""
    return helper()


@tool
def uses_a_thing() -> str:
    """Says something."""
    return str(OBJECT)


OBJECT = object()


def test_what_cannot_be_taken_along_is_named():
    with pytest.raises(tool_hub.Error, match="uses the function `helper`") as failed:
        uses_a_helper.source
    assert "call it `_helper`" in failed.value.hint
    with pytest.raises(tool_hub.Error, match="uses `OBJECT`, a object, which cannot be taken"):
        uses_a_thing.source
    space = {"tool": tool}
    text = 'def typed() -> str:\n    """Says something."""\n    return ""\n'
    exec(compile(textwrap.dedent(text), "<prompt>", "exec"), space)
    with pytest.raises(tool_hub.Error, match="no source of `typed`"):
        tool(space["typed"]).source


def test_what_the_build_says_is_raised(tmp_path):
    @tool
    def odd(text: str, number: complex) -> str:
        """Says something.

        Args:
            text: A text.
            number: A number.
        """
        return text

    with pytest.raises(tool_hub.Error, match="complex"):
        odd.build(tmp_path / "odd")


def test_a_directory_of_somebody_else_s_is_left_alone(tmp_path):
    (tmp_path / "tool.toml").write_text("# mine")
    with pytest.raises(tool_hub.Error, match="no directory that a build of this kind made"):
        fall_time.build(tmp_path)
    assert (tmp_path / "tool.toml").read_text() == "# mine"
