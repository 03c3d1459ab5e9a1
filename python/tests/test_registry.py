"""Tests of push, search and load on a real registry, and of the errors that it tells."""

import shutil

import pytest
import tool_hub
from conftest import run


def test_push_search_load_call(registry, sample, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", registry.user("ada"))
    pushed = tool_hub.push(sample("calculator"), "ada/calculator")
    assert (pushed.repo, pushed.version) == ("ada/calculator", "0.1.0")
    again = tool_hub.push(sample("calculator"), "ada/calculator")
    assert again.commit == pushed.commit
    monkeypatch.delenv("HF_TOKEN")
    (found,) = tool_hub.search("calculator")
    assert (found.repo, found.version) == ("ada/calculator", "0.1.0")
    assert "evaluate" in found.functions
    inspection = tool_hub.load("ada/calculator@0.1.0")
    assert inspection.digest == pushed.digest
    assert inspection.publisher == "ada"
    assert inspection.signer is None
    assert inspection.published in str(inspection)
    tools = inspection.approve(pushed.digest)
    assert "42" in str(tools["calculator__evaluate"](expression="6 * 7"))


def test_another_signer_is_not_approved(registry, command, sample, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", registry.user("ada"))
    monkeypatch.chdir(tmp_path)
    package = tmp_path / "package"
    shutil.copytree(sample("calculator") / "dist", package)
    push = [command, "push", "ada/calculator", "-C", str(package), "--no-test"]
    run(command, "key", "new", "release")
    run(*push, "--sign", "release")
    first = tool_hub.load("ada/calculator")
    assert first.signer.startswith("SHA256:") and first.signer in str(first)
    (tmp_path / "toolbox.toml").touch()
    run(command, "load", "ada/calculator", "--approve", first.digest, "--quiet")
    assert "calculator__evaluate" in first.approve(first.digest)

    manifest = package / "tool.toml"
    manifest.write_text(manifest.read_text().replace('"0.1.0"', '"0.1.1"'))
    run(*push)
    second = tool_hub.load("ada/calculator")
    assert (second.version, second.signer) == ("0.1.1", None)
    with pytest.raises(tool_hub.RefusedError, match="was signed by .* is not signed now") as told:
        second.approve(second.digest)
    assert "tool load" in told.value.hint


def test_what_the_registry_says_is_told(registry, sample):
    with pytest.raises(tool_hub.HubError) as failed:
        tool_hub.load("ada/nothing")
    assert "ada/nothing is not on" in str(failed.value) and failed.value.hint
    with pytest.raises(tool_hub.HubError, match="token"):
        tool_hub.push(sample("calculator"), "ada/calculator")


def test_a_registry_that_is_not_there(monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(tool_hub.HubError, match="cannot be reached"):
        tool_hub.search("x")
