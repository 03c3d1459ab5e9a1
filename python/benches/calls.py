"""Measures calls of a tool from Python, synchronous and by many coroutines, and the import.

usage: python calls.py PACKAGE FUNCTION ARGUMENTS [RUST_MICROSECONDS]

RUST_MICROSECONDS is the time of the same call from Rust, for a ratio.

Absolute times say little on shared machines; compare what one run prints.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import time

import tool_hub


def sync(tool: tool_hub.Tool, arguments: dict, count: int) -> list[float]:
    """The microseconds of each of `count` calls."""
    taken = []
    for _ in range(count):
        begun = time.perf_counter_ns()
        tool(**arguments)
        taken.append((time.perf_counter_ns() - begun) / 1000)
    return taken


async def concurrent(tool: tool_hub.Tool, arguments: dict, count: int, at_once: int) -> float:
    """Calls a second when `at_once` coroutines call one after the other."""

    async def work() -> None:
        for _ in range(count // at_once):
            await tool.acall(**arguments)

    begun = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(at_once)))
    return (count // at_once) * at_once / (time.perf_counter() - begun)


def import_ms(imports: str) -> float:
    """The median milliseconds that imports take in a new interpreter."""
    program = f"import time; t = time.perf_counter(); {imports}; print(time.perf_counter() - t)"
    runs = [subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
            for _ in range(11)]
    return statistics.median(float(run.stdout) * 1000 for run in runs)


def main() -> None:
    package, function, text = sys.argv[1:4]
    inspection = tool_hub.load(package)
    tool = inspection.approve(inspection.digest)[function]
    arguments = json.loads(text)
    sync(tool, arguments, 500)
    taken = sync(tool, arguments, 5000)
    p50 = statistics.median(taken)
    p99 = statistics.quantiles(taken, n=100)[98]
    print(f"sync call: p50 {p50:.1f} us, p99 {p99:.1f} us")
    native = [call.usage["total_us"] for call in (tool.call(arguments) for _ in range(2000))]
    print(f"  of it the host's own: p50 {statistics.median(native):.0f} us")
    if len(sys.argv) > 4:
        rust = float(sys.argv[4])
        print(f"  to Rust's call ({rust:.1f} us): {p50 / rust:.2f} times, {p50 - rust:+.1f} us")
    for at_once in (1, 10, 100, 250):
        rate = asyncio.run(concurrent(tool, arguments, 20_000 if at_once > 1 else 2000, at_once))
        print(f"async, {at_once} coroutines: {rate:,.0f} calls/s")
    print(f"import: {import_ms('import tool_hub'):.2f} ms")
    everything = import_ms("from tool_hub import *")
    print(f"  with all that it has, which names load when they are used: {everything:.2f} ms")


if __name__ == "__main__":
    main()
