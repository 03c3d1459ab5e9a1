"""Attacks one process with the hostile components of a directory, and prints outcomes and memory.

usage: python hostile.py DIRECTORY GUEST one-by-one|threads|at-once|cancelled
"""

from __future__ import annotations

import asyncio
import faulthandler
import json
import sys
import threading
from pathlib import Path

import tool_hub

#: The most seconds that one component may take, with all of its calls.
SECONDS = 60


class Component:
    """A hostile component, the calls that the host's own tests made, and what they came to here."""

    def __init__(self, place: Path) -> None:
        self.name = f"{place.parent.name}/{place.name}"
        self.place = place
        lines = place / "calls.jsonl"
        written = lines.read_text().splitlines() if lines.exists() else ["{}"]
        self.calls = [json.loads(line) for line in written]
        #: It writes a gibibyte, which takes a while where the host is not optimised.
        self.is_slow = any(call.get("ends") == "anything" for call in self.calls)
        self.came_to: list[list[str]] = []
        self.tool = None

    def load(self) -> None:
        """Loads it; one that is refused has no function afterwards."""
        try:
            inspection = tool_hub.load(self.place)
            tools = inspection.approve(inspection.digest)
            self.tool = tools.get("demo") or tools["demo__run"]
        except tool_hub.Error as error:
            is_failure = isinstance(error, tool_hub.ToolError)
            self.note(self.calls[0], error.kind if is_failure else "refused")

    def call(self) -> None:
        """Makes its calls, one after the other."""
        for call in self.calls if self.tool else ():
            try:
                self.tool.call(call.get("arguments", ""))
                self.note(call, "reply")
            except tool_hub.ToolError as error:
                self.note(call, error.kind)

    async def acall(self, seconds: float) -> None:
        """Makes its calls at once, and cancels those that take longer."""

        async def one(call):
            try:
                await asyncio.wait_for(self.tool.acall_reply(call.get("arguments", "")), seconds)
                self.note(call, "reply")
            except tool_hub.ToolError as error:
                self.note(call, error.kind)
            except asyncio.TimeoutError:
                self.note(call, "cancelled")

        await asyncio.gather(*(one(call) for call in (self.calls if self.tool else ())))

    def note(self, call: dict, came_to: str) -> None:
        self.came_to.append([call.get("ends", "anything"), came_to])


def resident_mib(field: str) -> int:
    status = Path("/proc/self/status").read_text()
    (line,) = [line for line in status.splitlines() if line.startswith(field)]
    return int(line.split()[1]) >> 10


def main(directory: str, guest: str, way: str) -> None:
    inspection = tool_hub.load(guest)
    add = inspection.approve(inspection.digest)["guest__add"]
    places = sorted(Path(directory).glob("*/*/tool.wasm"))
    components = [Component(place.parent) for place in places]
    if way != "one-by-one":
        components = [component for component in components if not component.is_slow]
    grown = {}

    def one(component: Component) -> None:
        component.load()
        component.call()
        assert add(a=1, b=2) == 3

    before = resident_mib("VmRSS:")
    if way == "one-by-one":
        for component in components:
            faulthandler.dump_traceback_later(SECONDS, exit=True)
            Path("/proc/self/clear_refs").write_text("5")
            begun = resident_mib("VmRSS:")
            one(component)
            grown[component.name] = resident_mib("VmHWM:") - begun
    elif way == "threads":
        faulthandler.dump_traceback_later(SECONDS * 2, exit=True)
        left = list(components)

        def work() -> None:
            while left:
                one(left.pop())

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    else:
        faulthandler.dump_traceback_later(SECONDS * 2, exit=True)
        for component in components:
            component.load()

        async def together() -> None:
            seconds = 0.3 if way == "cancelled" else SECONDS
            await asyncio.gather(*(component.acall(seconds) for component in components))
            assert await add.acall(a=1, b=2) == 3

        asyncio.run(together())
    faulthandler.cancel_dump_traceback_later()
    assert add(a=20, b=22) == 42
    print(
        json.dumps(
            {
                "came_to": {component.name: component.came_to for component in components},
                "grown_mib": grown,
                "left_mib": resident_mib("VmRSS:") - before,
                "peak_mib": resident_mib("VmHWM:"),
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
