"""Runs random scripts of tool calls, each in a forked process, and reports which ended wrongly.

usage: python random_scripts.py HOSTILE GUEST FIRST-SEED SCRIPTS

A script is a few uses of tools, one after the other, and then an end. The same seed is the same
script. Every process has to end as its script says, within a time and with bounded memory.
"""

from __future__ import annotations

import asyncio
import faulthandler
import gc
import json
import os
import random
import signal
import sys
import threading
import time
import traceback
from pathlib import Path

import tool_hub

#: The most seconds of one script.
SECONDS = 20
#: The way in which a process tells that a script met what it should not.
WRONG = 70


class Mine(Exception):
    """An exception of the script's own, which its callbacks raise."""


#: The exceptions that a use of a tool may raise.
EXPECTED = (tool_hub.Error, Mine, asyncio.CancelledError, asyncio.TimeoutError, TypeError, ValueError)
VALUES = [0, -1, 1.5, 1e300, "", "text", "\0\ud800", None, True, [], {}, [[[]]], "x" * 5000, 2**53]
TEXTS = ["", "{", "}", "null", "[1]", '{"a":', "\0", "{'a': 1, b: 2}", '{"a":1,"a":2}', "[" * 500]


class Script:
    """A random script."""

    def __init__(self, seed: int, hostile: list[Path], guest: str, guests: tool_hub.Tools | None):
        self.random = random.Random(seed)
        self.end = self.random.choice(ENDS)
        self.hostile = hostile
        self.guest = guest
        #: Those of the process that forked, or of this one.
        self.guests = guests
        self.kept: list[tool_hub.Tool] = []
        self.depth = 0
        self.wrong: list[str] = []

    def run(self) -> None:
        for _ in range(self.random.randint(1, 7)):
            self.use()
        if self.wrong:
            print("\n".join(self.wrong), file=sys.stderr, flush=True)
            os._exit(WRONG)
        self.end(self)

    def use(self) -> None:
        """One use, in whatever way."""
        self.tried(self.random.choice(USES))

    def tried(self, use) -> None:
        try:
            use(self)
        except EXPECTED:
            pass
        except BaseException:
            self.wrong.append(traceback.format_exc())

    @property
    def is_in_a_loop(self) -> bool:
        """True in a callback of a loop, in which no other one can run."""
        return asyncio._get_running_loop() is not None

    # The tools that a script uses.

    def tools(self) -> tool_hub.Tools:
        if self.guests is None:
            inspection = tool_hub.load(self.guest)
            self.guests = inspection.approve(inspection.digest)
        return self.guests

    def tool(self) -> tool_hub.Tool:
        """A function that ends by itself."""
        names = [name for name in self.tools() if name != "guest__spin"]
        return self.random.choice([self.tools()[name] for name in names] + self.kept)

    def given(self):
        if self.random.random() < 0.3:
            return self.random.choice(TEXTS)
        names = ["a", "b", "text", "low", "high", "self", "x"]
        chosen = self.random.sample(names, self.random.randint(0, 3))
        return {name: self.random.choice(VALUES) for name in chosen}

    # Callbacks.

    def nested(self, *_):
        """Whatever a callback may do, which may be to use tools."""
        if self.depth < 3:
            self.depth += 1
            try:
                self.use()
            finally:
                self.depth -= 1

    def raises(self, *_):
        raise Mine("on purpose")

    def answers(self, *_):
        return self.random.choice([{"ok": True}, None, {"ok": "no"}])

    def callbacks(self) -> dict:
        given = {
            "on_progress": self.random.choice([None, self.nested, self.raises]),
            "on_question": self.random.choice([None, self.answers, self.raises, self.nested]),
            "on_output": self.random.choice([None, self.nested, self.raises]),
        }
        return {name: callback for name, callback in given.items() if callback}


# Uses.


def load(script: Script) -> None:
    place = script.random.choice(script.hostile)
    inspection = tool_hub.load(place)
    str(inspection)
    script.kept += inspection.approve(inspection.digest).values()


def approve_wrongly(script: Script) -> None:
    inspection = tool_hub.load(script.guest)
    digest, grants = script.random.choice(
        [("", None), ("sha256:" + "0" * 64, None), (inspection.digest, {"storage": True}), (inspection.digest, {"x": 1})]
    )
    try:
        inspection.approve(digest, grants)
    except tool_hub.Error:
        return
    raise AssertionError(f"{digest} with {grants} was approved")


def load_nothing(script: Script) -> None:
    tool_hub.load(script.random.choice(["./nothing", "ada/nothing@0.1.0", "/dev/null", "/proc/self/exe"]))


def call(script: Script) -> None:
    script.tool().call(script.given())


def call_heard(script: Script) -> None:
    heard = script.random.choice(["guest__work", "guest__confirm"])
    script.tools()[heard].call({}, **script.callbacks())


def presented(script: Script) -> None:
    shown = script.tools().presented(answer_bytes_max=100, listed_max=3)
    script.random.choice(list(shown.values())).call(script.given())


async def together(script: Script) -> None:
    """Many calls in a loop; some are cancelled, some end by a timeout, some are left alone."""
    calls = []
    for _ in range(script.random.randint(1, 12)):
        one = script.random.choice([script.tool(), script.tools()["guest__spin"]])
        task = asyncio.ensure_future(one.acall_reply(script.given(), **script.callbacks()))
        ends_itself = one.name != "guest__spin"
        calls.append(task if ends_itself else asyncio.ensure_future(asyncio.wait_for(task, 0.05)))
        if script.random.random() < 0.3:
            await asyncio.sleep(0)
            task.cancel()
    if script.random.random() < 0.2:
        # The loop ends with calls under way.
        return
    for end in await asyncio.gather(*calls, return_exceptions=True):
        if isinstance(end, BaseException) and not isinstance(end, EXPECTED):
            raise end


def call_together(script: Script) -> None:
    if not script.is_in_a_loop:
        asyncio.run(together(script))


def loop_left_open(script: Script) -> None:
    if script.is_in_a_loop:
        return
    loop = asyncio.new_event_loop()
    task = loop.create_task(together(script))
    loop.call_later(0.01, loop.stop)
    loop.run_forever()
    loop.close()
    task._log_destroy_pending = False


def threads(script: Script) -> None:
    chosen = [script.random.choice([call, call_heard, call_together, load]) for _ in range(4)]
    running = [threading.Thread(target=script.tried, args=(use,)) for use in chosen]
    for thread in running:
        thread.start()
    if script.random.random() < 0.5:
        script.use()
    for thread in running:
        thread.join()


def spinning_behind(script: Script) -> None:
    """A thread that nobody waits for."""
    spin = script.tools()["guest__spin"]
    threading.Thread(target=script.tried, args=(lambda _: spin(),), daemon=True).start()


def fork(script: Script) -> None:
    pid = os.fork()
    if pid == 0:
        script.use()
        ok = script.tools()["guest__add"](a=20, b=22) == 42
        os._exit(WRONG if script.wrong or not ok else 0)
    ended = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert ended == 0, f"a child ended with {ended}"


def fork_in_a_callback(script: Script) -> None:
    """The child goes on with the call of its parent, which cannot be."""
    parent = os.getpid()
    children = []

    def forks(*_):
        children.append(os.fork())

    try:
        script.tools()["guest__work"].call({}, on_progress=forks)
    except tool_hub.Error as error:
        assert os.getpid() != parent and "forked" in str(error), error
    if os.getpid() != parent:
        os._exit(0 if script.tools()["guest__add"](a=1, b=1) == 2 else WRONG)
    assert os.waitstatus_to_exitcode(os.waitpid(children[0], 0)[1]) == 0


async def forks_in_a_loop(script: Script) -> int:
    spin = script.tools()["guest__spin"]
    calls = [asyncio.ensure_future(spin.acall()) for _ in range(3)]
    calls.append(asyncio.ensure_future(script.tools()["guest__work"].acall_reply({}, on_progress=print_nothing)))
    await asyncio.sleep(script.random.choice([0, 0.01]))
    pid = os.fork()
    if pid != 0:
        await asyncio.sleep(0)
    return pid


def print_nothing(*_) -> None:
    pass


def fork_in_a_loop(script: Script) -> None:
    """The child leaves the loop, which cancels calls that only its parent makes."""
    if script.is_in_a_loop:
        return
    pid = asyncio.run(forks_in_a_loop(script))
    if pid == 0:
        gc.collect()
        os._exit(0 if script.tools()["guest__add"](a=1, b=1) == 2 else WRONG)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def interrupted(script: Script) -> None:
    """Ctrl-C in the middle of a call. In a loop it would be the loop that hears it."""
    if script.is_in_a_loop or threading.current_thread() is not threading.main_thread():
        return
    timer = threading.Timer(0.03, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        script.tools()["guest__spin"]()
    except KeyboardInterrupt:
        return
    raise AssertionError("it spun to its end")


def forget(script: Script) -> None:
    script.kept.clear()
    if script.random.random() < 0.5:
        script.guests = None
    gc.collect()


def watch_faults(script: Script) -> None:
    script.random.choice([faulthandler.enable, faulthandler.disable])()


USES = [
    *(load, load, call, call, call_heard, call_together, call_together, loop_left_open, threads),
    *(approve_wrongly, load_nothing, presented, spinning_behind, fork, fork_in_a_callback),
    *(fork_in_a_loop, interrupted, forget, watch_faults),
]


# Ends, each with the code that the process ends with.


def end_of_file(script: Script) -> None:
    """It ends as programs do."""


def exits(script: Script) -> None:
    spinning_behind(script)
    sys.exit(3)


def exits_at_once(script: Script) -> None:
    spinning_behind(script)
    os._exit(4)


def fails(script: Script) -> None:
    raise SystemExit(1)


def exits_in_a_callback(script: Script) -> None:
    script.tools()["guest__work"].call({}, on_progress=lambda *_: sys.exit(5))


def exits_in_a_loop(script: Script) -> None:
    async def main():
        for _ in range(5):
            asyncio.ensure_future(script.tools()["guest__spin"].acall())
        await asyncio.sleep(0.01)
        sys.exit(6)

    asyncio.run(main())


def is_terminated(script: Script) -> None:
    spinning_behind(script)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(10)


CODES = {
    end_of_file: 0,
    exits: 3,
    exits_at_once: 4,
    fails: 1,
    exits_in_a_callback: 5,
    exits_in_a_loop: 6,
    is_terminated: -signal.SIGTERM,
}
ENDS = list(CODES)


class Ended:
    """The end of the process of a script."""

    def __init__(self, pid: int) -> None:
        begun = time.monotonic()
        self.wrong = ""
        while True:
            found, status, usage = os.wait4(pid, os.WNOHANG)
            if found:
                break
            if time.monotonic() - begun > SECONDS and not self.wrong:
                self.wrong = "hangs"
                end_group(pid)
            time.sleep(0.001)
        # Children that it did not wait for have as long to end; ended ones are there until reaped.
        while signal_group(pid, 0):
            if time.monotonic() - begun > 2 * SECONDS:
                self.wrong = self.wrong or "leaves a process behind"
                end_group(pid)
                break
            time.sleep(0.001)
        self.code = os.waitstatus_to_exitcode(status)
        self.peak_mib = usage.ru_maxrss >> 10
        self.cpu = usage.ru_utime + usage.ru_stime


def end_group(group: int) -> None:
    """Asks all processes of a script where they are, and ends them."""
    signal_group(group, signal.SIGUSR1)
    time.sleep(1)
    signal_group(group, signal.SIGKILL)


def signal_group(group: int, number: int) -> bool:
    """Sends a signal to all processes of a script, if there are any."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    return True


def main() -> Script | None:
    """The script, in the process that is forked for it."""
    place, guest, first, scripts = sys.argv[1:5]
    os.environ["HF_ENDPOINT"] = "http://127.0.0.1:9"  # Nobody is asked.
    hostile = [found.parent for found in sorted(Path(place).glob("*/*/tool.wasm"))]
    hostile = [found for found in hostile if '"anything"' not in calls_of(found)]
    used = None
    told = {"scripts": 0, "ends": {}, "faults": [], "peak_mib": 0, "cpu_seconds": 0.0}
    said = Path(os.environ["TOOL_HUB_HOME"]) / f"said-{os.getpid()}"
    for seed in range(int(first), int(first) + int(scripts)):
        if seed - int(first) == int(scripts) // 2:
            # From here on each script is a fork of a process that has used tools.
            inspection = tool_hub.load(guest)
            used = inspection.approve(inspection.digest)
            assert used["guest__add"](a=1, b=2) == 3
        pid = os.fork()
        if pid == 0:
            out = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            os.dup2(out, 1)
            os.dup2(out, 2)
            # With its children it can be killed, and asked where it is.
            os.setpgid(0, 0)
            faulthandler.register(signal.SIGUSR1)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            return Script(seed, hostile, guest, used)
        ended = Ended(pid)
        expected = CODES[random.Random(seed).choice(ENDS)]
        told["scripts"] += 1
        told["ends"][str(ended.code)] = told["ends"].get(str(ended.code), 0) + 1
        told["peak_mib"] = max(told["peak_mib"], ended.peak_mib)
        told["cpu_seconds"] += ended.cpu
        if ended.wrong or ended.code != expected:
            what = ended.wrong or f"ended with {ended.code} and not {expected}"
            told["faults"].append(f"seed {seed} {what}: {said.read_text()[-4000:]}")
    said.unlink(missing_ok=True)
    print(json.dumps(told))
    return None


def calls_of(place: Path) -> str:
    lines = place / "calls.jsonl"
    return lines.read_text() if lines.exists() else ""


if __name__ == "__main__":
    script = main()
    if script is not None:
        script.run()
