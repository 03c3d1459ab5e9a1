"""Tests that tools never crash or hang the Python process, in forks, threads, exits and signals."""

import signal
import subprocess
import sys
import time

import pytest

BEGIN = """
import asyncio, os, sys, threading, time
import tool_hub
inspection = tool_hub.load(os.environ["GUEST"])
tools = inspection.approve(inspection.digest)
add, spin = tools["guest__add"], tools["guest__spin"]
"""


def test_a_child_calls_what_its_parent_loaded(script):
    script(
        BEGIN
        + """
assert add(a=1, b=1) == 2
pid = os.fork()
if pid == 0:
    ok = add(a=20, b=22) == 42 and asyncio.run(add.acall(a=1, b=2)) == 3
    again = inspection.approve(inspection.digest)
    ok = ok and again["guest__add"](a=2, b=2) == 4
    grandchild = os.fork()
    if grandchild == 0:
        os._exit(0 if add(a=5, b=5) == 10 else 1)
    ok = ok and os.waitstatus_to_exitcode(os.waitpid(grandchild, 0)[1]) == 0
    os._exit(0 if ok else 1)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
assert add(a=1, b=1) == 2
"""
    )


def test_a_fork_while_other_threads_call(script):
    script(
        BEGIN
        + """
stop = False
def work():
    while not stop:
        add(a=1, b=1)
def load():
    while not stop:
        inspection.approve(inspection.digest)
threads = [threading.Thread(target=work) for _ in range(3)] + [threading.Thread(target=load)]
for thread in threads: thread.start()
for _ in range(20):
    pid = os.fork()
    if pid == 0:
        ok = add(a=20, b=22) == 42
        del tools
        os._exit(0 if ok else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
stop = True
for thread in threads: thread.join()
""",
        timeout=120,
    )


def test_a_fork_while_a_module_is_imported(script):
    """The first asynchronous call imports a part of the package, and the child does so, too."""
    script(
        BEGIN
        + """
begun = threading.Event()
class Slow:
    def find_spec(self, name, *_):
        if name == "tool_hub._loop":
            begun.set()
            time.sleep(0.5)
sys.meta_path.insert(0, Slow())
def call():
    global ok
    ok = asyncio.run(add.acall(a=1, b=1)) == 2
thread = threading.Thread(target=call)
thread.start()
begun.wait()
pid = os.fork()
if pid == 0:
    call()
    os._exit(0 if ok else 1)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
thread.join()
assert ok
""",
        timeout=20,
    )


@pytest.mark.parametrize("attempt", range(16))
def test_a_fork_while_threads_begin(script, attempt):
    """Threads find the command, build the runtime and raise their first error when one forks.

    One attempt in five hung while any of these took a lock that a fork did not wait for.
    """
    script(
        """
import os, sys, threading, time
import tool_hub
sys.setswitchinterval(1e-6)

def fails():
    try:
        tool_hub.load("no tool")
    except tool_hub.Error:
        pass

begin = threading.Barrier(7)
threads = [threading.Thread(target=lambda: (begin.wait(), fails())) for _ in range(6)]
for thread in threads:
    thread.start()
begin.wait()
children = []
for _ in range(12):
    children.append(os.fork())
    if children[-1] == 0:
        fails()
        os._exit(0)
for thread in threads:
    thread.join()
for child in children:
    for _ in range(2000):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
        time.sleep(0.005)
    else:
        os.kill(child, 9)
        sys.exit("a child hangs")
    assert status == 0
"""
    )


@pytest.mark.parametrize("attempt", range(8))
def test_a_grandchild_while_threads_begin(script, attempt):
    """A child forks while its own threads use tools for the first time in it."""
    script(
        BEGIN
        + """
sys.setswitchinterval(1e-6)
assert add(a=1, b=1) == 2

def child():
    threads = [threading.Thread(target=add, kwargs={"a": 1, "b": 2}) for _ in range(4)]
    for thread in threads:
        thread.start()
    grandchild = os.fork()
    if grandchild == 0:
        os._exit(0 if add(a=5, b=5) == 10 else 1)
    for thread in threads:
        thread.join()
    os._exit(os.waitstatus_to_exitcode(os.waitpid(grandchild, 0)[1]))

for _ in range(8):
    pid = os.fork()
    if pid == 0:
        child()
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
"""
    )


def test_a_child_compiles_in_its_own_process(script):
    """Without the command, as its parent did: the parent's threads are not in it."""
    script(
        """
import os, tempfile
from pathlib import Path
import tool_hub, tool_hub._workspace
tool_hub._workspace._compiler = (None,)
kept = tempfile.TemporaryDirectory()
place = Path(kept.name)

def another(name):
    # A custom section of that name makes it another component, which nobody compiled before.
    section = bytes([0, len(name) + 1, len(name)]) + name.encode()
    path = place / name / "guest.wasm"
    path.parent.mkdir()
    path.write_bytes(Path(os.environ["GUEST"]).read_bytes() + section)
    inspection = tool_hub.load(path)
    return inspection.approve(inspection.digest)["guest__add"]

assert another("parent")(a=1, b=1) == 2
pid = os.fork()
if pid == 0:
    os._exit(0 if another("child")(a=20, b=22) == 42 else 1)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
"""
    )


def test_a_fork_in_a_callback(script):
    """The call stays the parent's. The child gets an error for it, and can make calls of its own."""
    script(
        BEGIN
        + """
children = []
parent = os.getpid()
try:
    tools["guest__work"].call({}, on_progress=lambda *_: children.append(os.fork()))
    tools["guest__confirm"].call({}, on_question=lambda _: children.append(os.fork()) or {"ok": True})
except tool_hub.Error as error:
    assert os.getpid() != parent and "forked" in str(error), error
if os.getpid() != parent:
    ok = add(a=1, b=1) == 2 and asyncio.run(add.acall(a=1, b=2)) == 3
    os._exit(0 if ok else 1)
assert len(children) == 3
assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0, 0, 0]
"""
    )


def test_a_fork_in_a_loop_with_calls_under_way(script):
    """The child leaves the loop, which cancels its copies of its parent's calls, and ends."""
    script(
        BEGIN
        + """
async def main():
    calls = [asyncio.ensure_future(tools["guest__work"].acall_reply({}, on_progress=print))]
    calls += [asyncio.ensure_future(spin.acall()) for _ in range(20)]
    await asyncio.sleep(0.05)
    pid = os.fork()
    if pid == 0:
        try: await add.acall(a=1, b=1)
        except (tool_hub.Error, RuntimeError) as error: assert "loop" in str(error), error
        else: raise AssertionError("a child has no part in its parent's loop")
    for call in calls: call.cancel()
    return pid
for _ in range(5):
    pid = asyncio.run(main())
    if pid == 0:
        assert asyncio.run(add.acall(a=1, b=1)) == 2
        sys.exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
"""
    )


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(script, tmp_path, method):
    program = tmp_path / "program.py"
    program.write_text(
        """
import multiprocessing, os, sys
import tool_hub

def tools():
    inspection = tool_hub.load(os.environ["GUEST"])
    return inspection.approve(inspection.digest)

kept = None
def work(n):
    global kept
    kept = kept or tools()
    return kept["guest__add"](a=n, b=1)

if __name__ == "__main__":
    kept = tools()
    assert work(1) == 2
    with multiprocessing.get_context(sys.argv[1]).Pool(3) as pool:
        assert pool.map(work, range(30)) == [n + 1 for n in range(30)]
"""
    )
    script(
        "import subprocess, sys\n"
        f"subprocess.run([sys.executable, {str(program)!r}, {method!r}], check=True)",
        timeout=120,
    )


def test_threads(script):
    script(
        BEGIN
        + """
failed = []
def work(n):
    for k in range(100):
        if add(a=n, b=k) != n + k: failed.append((n, k))
threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert not failed
"""
    )


def test_python_goes_on_while_a_tool_computes(script):
    script(
        BEGIN
        + """
def quietly():
    try: spin()
    except tool_hub.ToolError: pass
thread = threading.Thread(target=quietly, daemon=True)
thread.start()
begun, turns = time.monotonic(), 0
while time.monotonic() - begun < 0.5:
    turns += 1
    time.sleep(0.001)
assert turns > 100, turns
os._exit(0)
"""
    )


def test_a_callback_that_holds_the_lock(script):
    """Nothing of the host waits for Python: guests run and calls end while nobody has the lock."""
    script(
        BEGIN
        + """
import ctypes
sleep = ctypes.PyDLL(None).usleep  # keeps the interpreter's lock
used = []
def hold(*_):
    before = time.process_time()
    sleep(1_000_000)
    used.append(time.process_time() - before)
async def main(tool, count, given):
    calls = [asyncio.ensure_future(tool.acall(**given)) for _ in range(count)]
    await tools["guest__work"].acall_reply({}, on_progress=hold)
    for _ in range(3): await asyncio.sleep(0)
    ended = [call for call in calls if call.done()]
    for call in calls: call.cancel()
    return len(ended)
assert asyncio.run(main(add, 100, {"a": 1, "b": 1})) == 100
assert asyncio.run(main(spin, 4, {})) == 0
assert used[1] > 0.5, used
"""
    )


def test_callbacks_that_call_tools(script):
    """In threads and in loops: nobody waits for a thread that waits for him.

    A call keeps its place in the host while its callback runs, so there are fewer than places.
    """
    script(
        BEGIN
        + """
work, confirm = tools["guest__work"], tools["guest__confirm"]
def nested(depth):
    heard = []
    def progress(*_): heard.append(nested(depth - 1) if depth else add(a=1, b=1))
    assert work.call({}, on_progress=progress).value == 2 and heard
    return heard
def ask(question): return {"ok": nested(2) != []}
def thread():
    for _ in range(10): confirm.call({}, on_question=ask)
threads = [threading.Thread(target=thread) for _ in range(4)]
for one in threads: one.start()
for one in threads: one.join()
async def answer(question): return {"ok": await add.acall(a=1, b=1) == 2}
async def main():
    calls = [confirm.acall_reply({}, on_question=(answer, ask)[n % 2]) for n in range(20)]
    return await asyncio.gather(*calls)
assert len(asyncio.run(main())) == 20
""",
        timeout=120,
    )


@pytest.mark.parametrize("uses", ["import tool_hub", "import tool_hub; tool_hub.load(GUEST)"])
def test_a_subinterpreter_lets_the_process_end(script, uses):
    """It may be unable to use the package, as the version of Python decides, but it must end."""
    script(
        f"""
import os
try: import _interpreters as interpreters
except ImportError: import _xxsubinterpreters as interpreters
one = interpreters.create()
program = "GUEST = " + repr(os.environ["GUEST"]) + "; " + {uses!r}
try: interpreters.run_string(one, program)
except Exception as error: print(error)
import tool_hub
inspection = tool_hub.load(os.environ["GUEST"])
assert inspection.approve(inspection.digest)["guest__add"](a=1, b=1) == 2
"""
    )


@pytest.mark.parametrize("under_way", ["spin()", "asyncio.run(spin.acall())"])
def test_an_exit_with_calls_in_other_threads(script, under_way):
    begun = time.monotonic()
    script(
        BEGIN
        + f"""
def work():
    try: {under_way}
    except tool_hub.ToolError: pass
for _ in range(4): threading.Thread(target=work, daemon=True).start()
time.sleep(0.3)
""",
        "-X",
        "faulthandler",
    )
    assert time.monotonic() - begun < 15


@pytest.mark.parametrize(
    "way", ["sys.exit(7)", "os._exit(7)", "threading.Thread(target=os._exit, args=(7,)).start()"]
)
def test_an_exit_in_a_callback(script, way):
    done = script(
        BEGIN + f"tools['guest__work'].call({{}}, on_progress=lambda *_: {way})\ntime.sleep(5)",
        check=False,
    )
    assert done.returncode == 7, done.stderr


def test_an_exit_that_a_thread_outlives(script):
    """Python waits for the thread, whose call goes on until then."""
    done = script(
        BEGIN
        + """
def work():
    time.sleep(0.3)
    print(add(a=20, b=22))
threading.Thread(target=work).start()
"""
    )
    assert done.stdout == "42\n"


def test_an_exit_in_the_middle_of_a_loop(script):
    script(
        BEGIN
        + """
async def main():
    for _ in range(10): asyncio.ensure_future(spin.acall())
    await asyncio.sleep(0.1)
    raise SystemExit(0)
asyncio.run(main())
""",
        "-X",
        "faulthandler",
    )


def test_an_exit_without_a_word(script):
    done = script(
        BEGIN + "threading.Thread(target=spin, daemon=True).start(); time.sleep(.1); os._exit(7)",
        check=False,
    )
    assert done.returncode == 7


def test_calls_after_the_end_fail_and_do_not_hang(script):
    done = script(
        "import atexit\n"
        "def late():\n"
        "    try: add(a=1, b=1)\n"
        "    except tool_hub.ToolError as error: print(error.message)\n"
        "atexit.register(late)\n" + BEGIN
    )
    assert done.stdout.strip() == "the program ends, and the call with it"


def test_ctrl_c_ends_a_call(guest_path, script):
    import os

    program = BEGIN + "print('ready', flush=True)\nspin()\n"
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "GUEST": str(guest_path)},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=10)
    assert "KeyboardInterrupt" in said


def test_memory_is_given_back(script):
    script(
        BEGIN
        + """
import resource
echo = tools["guest__echo"]
text = "x" * 100_000
for _ in range(200): echo(text=text)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for _ in range(2000): echo(text=text)
async def many():
    for _ in range(50): await asyncio.gather(*(echo.acall(text=text) for _ in range(20)))
asyncio.run(many())
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
assert grown < 100_000, grown
""",
        timeout=120,
    )
