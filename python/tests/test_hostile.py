"""Tests that hostile WebAssembly components neither crash nor hang Python, and fail as expected."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("programs") / "hostile.py"
#: The least number of components that the host's own tests keep.
COMPONENTS = 75
#: A call has at most 256 MiB of memory, beside which the host and Python have theirs.
CALL_MIB = 256 + 48


def attacked(hostile, guest_path, way):
    """Attacks a process with all components, which it has to survive, and returns its report."""
    words = [sys.executable, str(PROGRAM), str(hostile), str(guest_path), way]
    done = subprocess.run(words, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, f"{way}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    assert "forged-by-the-guest" not in done.stdout + done.stderr
    told = json.loads(done.stdout)
    assert len(told["came_to"]) >= COMPONENTS, sorted(told["came_to"])
    return told


def unexpected(told, *also):
    """The calls that came to something else than in the host's own process."""
    return {
        name: ends
        for name, ends in told["came_to"].items()
        if not ends or any(is_not(expected, came_to, also) for expected, came_to in ends)
    }


def is_not(expected, came_to, also):
    return expected not in ("anything", came_to) and came_to not in also


def test_one_by_one(hostile, guest_path):
    told = attacked(hostile, guest_path, "one-by-one")
    assert unexpected(told) == {}
    kinds = {came_to for ends in told["came_to"].values() for _, came_to in ends}
    assert kinds >= {"refused", "host-limit", "trapped", "failed", "reply"}
    grown = {name: mib for name, mib in told["grown_mib"].items() if mib > CALL_MIB}
    assert grown == {}
    assert told["left_mib"] < 128, told["left_mib"]


def test_in_threads(hostile, guest_path):
    told = attacked(hostile, guest_path, "threads")
    assert unexpected(told) == {}
    assert told["peak_mib"] < 4 * CALL_MIB


@pytest.mark.parametrize("way", ["at-once", "cancelled"])
def test_in_an_event_loop(hostile, guest_path, way):
    told = attacked(hostile, guest_path, way)
    # A call that waited for a place as long as a call may take fails: the host is busy.
    also = ("unavailable", "cancelled") if way == "cancelled" else ("unavailable",)
    assert unexpected(told, *also) == {}
    assert told["peak_mib"] < 8 * CALL_MIB
