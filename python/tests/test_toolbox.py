"""Tests of a toolbox that the command `tool` made, opened from Python."""

import subprocess

import pytest
import tool_hub
from conftest import run


@pytest.fixture
def project(command, sample, tmp_path):
    """A project whose toolbox has the calculator and the notes' counters, approved by command."""
    for name in ["calculator", "tally"]:
        inspection = tool_hub.load(sample(name))
        words = [command, "load", str(sample(name)), "--approve", inspection.digest, "--quiet"]
        words += ["--allow-storage"] if name == "tally" else []
        (tmp_path / "toolbox.toml").touch()
        subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
    return tmp_path


def test_what_the_command_approved_is_called(project, monkeypatch):
    monkeypatch.chdir(project)
    box = tool_hub.Toolbox()
    assert box.directory == project
    tools = box.tools()
    assert {"calculator__evaluate", "tally__add"} <= set(tools)
    assert "42" in str(tools["calculator__evaluate"](expression="6 * 7"))
    assert tools["tally__add"](counter="cups") >= 1
    assert all(name.startswith("calculator__") for name in box.tools("calculator"))


def test_another_toolbox_is_named_by_its_place(project):
    for place in [project, project / "toolbox.toml"]:
        assert "calculator__evaluate" in tool_hub.Toolbox(place).tools()
    with pytest.raises(tool_hub.Error, match="there is no toolbox.toml"):
        tool_hub.Toolbox(project / "nowhere")


def test_a_lock_that_came_from_elsewhere_approves_nothing(project, tmp_path, monkeypatch):
    other = tmp_path / "other"
    monkeypatch.setenv("TOOL_HUB_HOME", str(other))
    with pytest.raises(tool_hub.RefusedError, match="not with your approval") as refused:
        tool_hub.Toolbox(project).tools("calculator")
    assert "tool load" in refused.value.hint


def test_a_tool_that_is_left_out_is_warned_of(project):
    written = project / "toolbox.toml"
    before = written.read_text()
    written.write_text(before + '\n[tools.ghost]\npath = "/nowhere"\n')
    try:
        with pytest.warns(UserWarning, match="left out: .*ghost") as told:
            assert "calculator__evaluate" in tool_hub.Toolbox(project).tools()
    finally:
        written.write_text(before)
    assert told[0].filename == __file__


def test_a_name_that_is_not_there(project):
    with pytest.raises(tool_hub.Error, match="no tool called") as failed:
        tool_hub.Toolbox(project).tools("nothing")
    assert "calculator" in failed.value.hint
