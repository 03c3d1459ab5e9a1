"""Tests that WebAssembly traps are caught beside other signal handlers, such as faulthandler's."""

import signal
from pathlib import Path

import pytest
import tool_hub

ROOT = Path(__file__).resolve().parents[2]

BEGIN = """
import ctypes, faulthandler, os, signal, sys, threading
import tool_hub
def traps():
    for tool in tools:
        try: tool()
        except tool_hub.ToolError as error: assert error.kind == "trapped", error
        else: raise AssertionError("it did not trap")
def load():
    global tools
    inspection = tool_hub.load({path!r})
    tools = list(inspection.approve(inspection.digest).values())
    assert len(tools) == 4
"""


@pytest.fixture(scope="session")
def trapping(tmp_path_factory):
    """A component whose functions trap, each in another way."""
    import wasmtime

    path = tmp_path_factory.mktemp("traps") / "traps.wasm"
    path.write_bytes(wasmtime.wat2wasm((ROOT / "embed/tests/traps.wat").read_text()))
    return path


@pytest.fixture
def program(script, trapping):
    """Runs a program that has `load()` and `traps()`."""
    begin = BEGIN.format(path=str(trapping))

    def start(text, **options):
        return script(begin + text, **options)

    return start


def test_traps_beside_pytest(trapping):
    """pytest has enabled faulthandler in this process."""
    inspection = tool_hub.load(trapping)
    for tool in list(inspection.approve(inspection.digest).values()) * 20:
        with pytest.raises(tool_hub.ToolError) as failed:
            tool()
        assert failed.value.kind == "trapped"


@pytest.mark.parametrize(
    "order",
    [
        "faulthandler.enable(); load(); traps()",
        "load(); faulthandler.enable(); traps()",
        "load(); traps(); faulthandler.enable(); traps()",
        "load()\nfor _ in range(50): faulthandler.enable(); traps(); faulthandler.disable(); traps()",
    ],
)
def test_traps_beside_faulthandler(program, order):
    program(order)


@pytest.mark.parametrize(
    "handler", ["signal.SIG_DFL", "signal.SIG_IGN", "lambda *told: heard.append(told)"]
)
def test_traps_beside_handlers_of_python(program, handler):
    program(
        f"""
heard = []
load()
for number in (signal.SIGSEGV, signal.SIGILL, signal.SIGFPE): signal.signal(number, {handler})
traps()
assert not heard
if signal.getsignal(signal.SIGILL) not in (signal.SIG_DFL, signal.SIG_IGN):
    os.kill(os.getpid(), signal.SIGILL)
    traps()
    assert [number for number, _ in heard] == [signal.SIGILL]
"""
    )


def test_traps_beside_another_engine(program):
    """The package of wasmtime has another engine, which sets its handlers after this one's."""
    program(
        """
load(); traps()
import wasmtime
store = wasmtime.Store()
module = wasmtime.Module(store.engine, '(module (func (export "run") unreachable))')
run = wasmtime.Instance(store, module, []).exports(store)["run"]
def theirs():
    try: run(store)
    except wasmtime.Trap: return
    raise AssertionError("it did not trap")
for _ in range(20): theirs(); traps(); theirs()
"""
    )


def test_traps_in_threads_tasks_and_forks(program):
    program(
        """
import asyncio
load()
faulthandler.enable()
threads = [threading.Thread(target=lambda: [traps() for _ in range(20)]) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
async def main():
    calls = [tool.acall() for tool in tools for _ in range(20)]
    for end in await asyncio.gather(*calls, return_exceptions=True):
        assert end.kind == "trapped", end
asyncio.run(main())
pid = os.fork()
if pid == 0:
    faulthandler.disable(); faulthandler.enable()
    traps(); asyncio.run(main())
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
"""
    )


@pytest.mark.parametrize(
    "order", ["faulthandler.enable(); load(); traps()", "load(); faulthandler.enable(); traps()"]
)
def test_faulthandler_still_tells_of_faults(program, order):
    """A fault outside of guests goes to the handler that was set for it, and ends the process."""
    done = program(order + "\nctypes.string_at(0)", check=False)
    assert done.returncode == -signal.SIGSEGV
    assert done.stderr.count("Fatal Python error: Segmentation fault") == 1
    assert "string_at" in done.stderr


def test_a_fault_ends_a_process_that_handles_none(program):
    done = program("load(); traps()\nctypes.string_at(0)", check=False)
    assert done.returncode == -signal.SIGSEGV


def test_a_handler_that_ends_the_program_ends_a_call(script):
    """A service is told to stop by SIGTERM, in the middle of a call."""
    done = script(
        """
import os, signal, sys, threading, time
import tool_hub
inspection = tool_hub.load(os.environ["GUEST"])
spin = inspection.approve(inspection.digest)["guest__spin"]
signal.signal(signal.SIGTERM, lambda *_: sys.exit(3))
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGTERM)).start()
begun = time.monotonic()
try: spin()
finally: assert time.monotonic() - begun < 5
""",
        check=False,
    )
    assert done.returncode == 3, done.stderr
