"""Tests of push, search and load on a real registry, and of the errors that it tells."""

import pytest
import tool_hub


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
    assert inspection.published in str(inspection)
    tools = inspection.approve(pushed.digest)
    assert "42" in str(tools["calculator__evaluate"](expression="6 * 7"))


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
