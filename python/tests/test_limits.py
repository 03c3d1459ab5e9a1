"""Tests of the usage of calls, lower limits on calls, and the audit log."""

import asyncio
import json
import os
import time

import pytest
import tool_hub


def failure(call, **arguments):
    with pytest.raises(tool_hub.ToolError) as failed:
        call(**arguments)
    return failed.value


def test_a_reply_says_what_the_call_used(guest):
    usage = guest["guest__echo"].call({"text": "x" * 1000}).usage
    assert usage["total_us"] >= usage["guest_us"] + usage["queued_us"]
    assert usage["input_bytes"] > 1000 and usage["output_bytes"] > 1000
    assert usage["memory_bytes"] >= 2 << 16


def test_a_failure_says_what_the_call_used(guest):
    error = failure(guest["guest__refuse"], text="no")
    assert error.usage["memory_bytes"] >= 2 << 16
    assert tool_hub.ToolError("of a program's own").usage is None


def test_time_is_limited(guest):
    spin = guest["guest__spin"].limited(cpu_ms=50)
    begun = time.monotonic()
    error = failure(spin)
    assert error.kind == "host-limit" and "cpu_ms" in error.message
    assert time.monotonic() - begun < 5
    assert "call_ms" in failure(guest["guest__spin"].limited(call_ms=50)).message


def test_a_coroutine_s_time_is_limited(guest):
    async def main():
        with pytest.raises(tool_hub.ToolError, match="cpu_ms"):
            await guest["guest__spin"].limited(cpu_ms=50).acall()

    asyncio.run(main())


def test_memory_and_answers_are_limited(guest):
    echo = guest["guest__echo"]
    assert "memory_bytes" in failure(echo.limited(memory_bytes=1 << 16), text="x").message
    assert "outcome_bytes" in failure(echo.limited(outcome_bytes=10), text="x" * 100).message
    assert "input_bytes" in failure(echo.limited(input_bytes=10), text="x" * 100).message
    assert echo(text="x") == "x"


def test_limits_only_go_down(guest):
    standard = guest["guest__add"].limits
    assert standard["call_ms"] == 30_000 and standard["memory_bytes"] == 256 << 20
    lower = guest.limited(call_ms=1000, memory_bytes=1 << 40)
    assert lower["guest__add"].limits == {**standard, "call_ms": 1000}
    again = lower["guest__add"].limited(call_ms=5000, questions=0)
    assert again.limits == {**standard, "call_ms": 1000, "questions": 0}
    assert again(a=1, b=2) == 3
    assert guest["guest__add"].limits == standard


def test_limits_hold_for_tools_as_a_model_reads_them(guest):
    presented = guest.limited(cpu_ms=50).presented()
    assert "cpu_ms" in failure(presented["guest__spin"]).message
    assert presented["read_answer"].limits is None


@pytest.mark.parametrize("limits", [{"fuel": 1}, {"cpu_ms": -1}, {"cpu_ms": "a second"}])
def test_limits_that_there_are_not(guest, limits):
    with pytest.raises(tool_hub.Error, match="the limits cannot be read") as refused:
        guest.limited(**limits)
    assert "cpu_ms=1000" in refused.value.hint


def lines(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_calls_are_noted(guest, tmp_path):
    file = tmp_path / "calls.jsonl"
    tools = guest.audited(file, caller="ada")
    assert tools["guest__add"](a=1, b=2) == 3
    failure(tools["guest__refuse"], text="a secret")
    assert asyncio.run(tools["guest__add"].acall(a=1, b=2)) == 3
    call, refused, coroutine = lines(file)
    assert (call["front_end"], call["caller"], call["function"]) == ("embedded", "ada", "guest__add")
    assert call["outcome"] == coroutine["outcome"] == "reply"
    assert call["usage"]["total_us"] > 0
    assert refused["outcome"] == "failed"
    assert "a secret" not in file.read_text()
    guest["guest__add"](a=1, b=2)
    assert len(lines(file)) == 3


def test_whoever_calls_audited_tools_hears_all(guest, tmp_path):
    heard = []
    work = guest.audited(tmp_path / "calls.jsonl")["guest__work"]
    reply = work.call({}, on_progress=lambda *told: heard.append(told))
    assert heard == [(1.0, 2.0, "halfway")] and reply.usage["total_us"] > 0


def test_a_call_that_is_cancelled_is_noted(guest, tmp_path):
    file = tmp_path / "calls.jsonl"

    async def main():
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(guest.audited(file)["guest__spin"].acall(), 0.1)

    asyncio.run(main())
    deadline = time.monotonic() + 10
    while not lines(file) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert [line["outcome"] for line in lines(file)] == ["cancelled"]


def test_a_log_that_cannot_be_opened(guest, tmp_path):
    with pytest.raises(tool_hub.Error, match="cannot be written"):
        guest.audited(tmp_path)
    with pytest.raises(tool_hub.Error):
        guest.audited(tmp_path / "calls.jsonl", caller="two words")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full, a device of Linux")
def test_no_call_is_made_while_the_log_cannot_be_written(guest):
    add = guest.audited("/dev/full")["guest__add"]
    assert add(a=1, b=2) == 3
    error = failure(add, a=1, b=2)
    assert error.kind == "unavailable" and error.retryable and "audit log" in error.message


def test_a_fork_s_child_notes_its_calls(script, tmp_path):
    file = tmp_path / "calls.jsonl"
    script(
        f"""
import os
import tool_hub
inspection = tool_hub.load(os.environ["GUEST"])
add = inspection.approve(inspection.digest).audited({str(file)!r})["guest__add"]
assert add(a=1, b=1) == 2
pid = os.fork()
if pid == 0:
    os._exit(0 if add(a=2, b=2) == 4 else 1)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
"""
    )
    assert [line["outcome"] for line in lines(file)] == ["reply", "reply"]
