"""Tests that `docs/python.md` shows exactly the example files, and the tested versions."""

import pathlib
import re

DOCS = pathlib.Path(__file__).resolve().parents[3] / "docs"


def bodies():
    """The examples without the sentence that says what each is."""
    for file in sorted((DOCS / "examples/python").glob("*.py")):
        yield file.read_text("utf-8").split('"""\n', 1)[1].strip("\n")


def test_the_code_on_the_page_is_that_of_the_examples():
    page = (DOCS / "python.md").read_text("utf-8")
    assert sorted(re.findall(r"```python\n(.*?)\n```", page, re.S)) == sorted(bodies())


def test_the_versions_on_the_page_are_those_that_are_tested():
    page = (DOCS / "python.md").read_text("utf-8")
    pinned = (pathlib.Path(__file__).parent / "requirements.txt").read_text("utf-8")
    for adapter in re.findall(r"^\| `(\w+)` \| (?:core )?([\d.]+)", page, re.M):
        names = re.findall(r"^([\w-]+)==" + re.escape(adapter[1]) + "$", pinned, re.M)
        assert any(name.replace("-", "_").startswith(adapter[0]) for name in names), adapter
