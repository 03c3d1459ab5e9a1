"""Tests of what adapters take tools from: a toolbox, `Tools`, one tool or several."""

import subprocess

import call
import limits
import pytest

import tool_hub
from tool_hub.transformers import answers, tools


@pytest.fixture
def toolbox(command, sample, tmp_path, monkeypatch):
    """The toolbox of a project whose owner loaded the calculator with the command."""
    package = str(sample("calculator"))
    (tmp_path / "toolbox.toml").touch()
    words = [command, "load", package, "--approve", tool_hub.load(package).digest, "--quiet"]
    subprocess.run(words, cwd=tmp_path, check=True)
    monkeypatch.chdir(tmp_path)
    return tool_hub.Toolbox()


def names(source):
    return {definition["function"]["name"] for definition in tools(source)}


def test_a_toolbox_gives_its_tools_as_a_model_reads_them(toolbox):
    assert {"calculator__evaluate", "calculator__convert"} <= names(toolbox)
    call = {"name": "calculator__evaluate", "arguments": '{"expression": "6 * 7"}'}
    assert "42" in answers(toolbox, [call])[0]["content"]


def test_tools_that_were_chosen_are_taken_as_they_are(toolbox, named):
    chosen = toolbox.tools("calculator")
    assert names(chosen) == set(chosen)
    assert names([named("shrink")]) == names(named("shrink")) == {named("shrink").name}


def test_a_long_answer_reaches_a_model_in_pieces(toolbox):
    call = {"name": "calculator__list_units", "arguments": {}}
    (whole,) = answers(toolbox.tools(), [call])
    (begun,) = answers(toolbox.tools().presented(answer_bytes_max=2_000), [call])
    assert len(begun["content"]) < 3_000 < len(whole["content"])
    assert "read_answer" in begun["content"]


def test_the_example_of_limits_runs(toolbox, tmp_path, capsys):
    limits.main()
    used, refused = capsys.readouterr().out.splitlines()
    assert "microseconds" in used and refused.startswith("host-limit ")
    noted = (tmp_path / "calls.jsonl").read_text().splitlines()
    assert len(noted) == 2 and all('"front_end":"embedded"' in line for line in noted)


def test_the_first_example_of_the_page_runs(toolbox, capsys):
    call.main()
    printed = capsys.readouterr().out
    assert printed.startswith("42\n") and "invalid-argument" in printed
