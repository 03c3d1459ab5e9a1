"""Tests of load, inspection, approval and grants: no tool runs or has rights without approval."""

import os
import shutil

import pytest
import tool_hub
from conftest import run


def test_an_inspection_tells_what_a_person_decides_on(sample):
    inspection = tool_hub.load(sample("calculator"))
    assert inspection.name == "calculator"
    assert inspection.version == "0.1.0"
    assert inspection.digest.startswith("sha256:")
    assert "evaluate" in inspection.functions
    assert inspection.capabilities == []
    assert inspection.refusals == []
    assert inspection.publisher is None
    shown = str(inspection)
    assert inspection.digest in shown
    assert "nothing: it only computes" in shown
    assert len(inspection.report(verbose=True)) > len(shown)


def test_another_digest_is_refused(sample):
    inspection = tool_hub.load(sample("calculator"))
    for digest in ["sha256:" + "0" * 64, inspection.digest.upper(), "True"]:
        with pytest.raises(tool_hub.RefusedError, match="the approval names") as refused:
            inspection.approve(digest)
        assert "approve the digest" in refused.value.hint
    for nothing in ["", None, True]:
        with pytest.raises(tool_hub.RefusedError, match="nobody approved calculator 0.1.0"):
            inspection.approve(nothing)


def test_there_is_no_way_around_the_digest(sample):
    inspection = tool_hub.load(sample("calculator"))
    with pytest.raises(TypeError):
        inspection.approve()
    with pytest.raises(TypeError):
        tool_hub.load_tool(sample("calculator"), trust=True)


def test_no_more_is_granted_than_the_tool_asks_for(sample):
    inspection = tool_hub.load(sample("calculator"))
    for grants in [
        {"network": ["https://example.org"]},
        {"variables": {"API_KEY": "x"}},
        {"storage": True},
    ]:
        with pytest.raises(tool_hub.RefusedError, match="does not ask"):
            inspection.approve(inspection.digest, grants)


def test_grants_that_nobody_can_read_are_no_grants(sample):
    inspection = tool_hub.load(sample("calculator"))
    for grants in [{"netwrok": []}, {"network": "https://example.org"}, {"storage": object()}]:
        with pytest.raises(tool_hub.Error, match="grants cannot be read"):
            inspection.approve(inspection.digest, grants)


def test_a_changed_package_is_refused(sample, tmp_path):
    changed = tmp_path / "package"
    shutil.copytree(sample("calculator") / "dist", changed)
    component = bytearray((changed / "tool.wasm").read_bytes())
    component[-1] ^= 1
    (changed / "tool.wasm").write_bytes(component)
    with pytest.raises(tool_hub.RefusedError, match="not what it claims|digest"):
        tool_hub.load(changed)


def test_where_approvals_are_signed_a_program_approves_nothing(
    command, sample, tmp_path, monkeypatch
):
    key = tmp_path / "key"
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key))
    run(command, "approvals", "require", f"{key}.pub", TOOL_HUB_HOME=str(tmp_path))
    monkeypatch.setenv("TOOL_HUB_HOME", str(tmp_path))
    inspection = tool_hub.load(sample("calculator"))
    with pytest.raises(tool_hub.RefusedError, match="requires approvals to be signed"):
        inspection.approve(inspection.digest)


def test_storage_lasts_as_long_as_the_tool_s_place(approved):
    counters = approved("tally", {"storage": True})
    before = counters["tally__add"](counter="pages", amount=2)
    again = approved("tally", {"storage": True})
    assert again["tally__add"](counter="pages") == before + 1


def test_without_storage_the_tool_is_told_who_can_grant_it(approved):
    with pytest.raises(tool_hub.ToolError) as failed:
        approved("tally")["tally__add"](counter="pages")
    assert failed.value.kind in ("denied", "failed")


def test_paths_that_lead_nowhere(tmp_path, monkeypatch):
    for subject in [str(tmp_path), "./nothing", "no tool", "a/b/c", "https://example.org/x.wasm"]:
        with pytest.raises(tool_hub.Error):
            tool_hub.load(subject)
    os.mkfifo(tmp_path / "pipe.wasm")
    with pytest.raises(tool_hub.Error, match="not a regular file"):
        tool_hub.load(tmp_path / "pipe.wasm")


def test_dangerous_directories_are_not_granted(sample, tmp_path, monkeypatch):
    notes = tool_hub.load(sample("notes"))
    for place in ["/", "/etc", os.environ["TOOL_HUB_HOME"], os.path.expanduser("~")]:
        with pytest.raises(tool_hub.RefusedError):
            notes.approve(notes.digest, {"directories": {"notes": place}})
    mine = tmp_path / "notes"
    mine.mkdir()
    tools = notes.approve(notes.digest, {"directories": {"notes": mine}})
    tools["notes__write_note"](name="groceries", text="milk")
    assert "milk" in (mine / "groceries.md").read_text()
    reading = {"directories": {"notes": {"path": mine, "access": "read"}}}
    with pytest.raises(tool_hub.ToolError):
        notes.approve(notes.digest, reading)["notes__write_note"](name="x", text="y")
