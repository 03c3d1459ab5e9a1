"""Measures code that an agent of smolagents runs, in the sandbox beside smolagents' own executor.

usage: python executor.py PACKAGE    (the package of run-python)

The local executor walks the syntax tree in Python and is no sandbox; the sandbox starts CPython for
every piece of code and keeps its state in between. Compare what one run prints.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from smolagents.local_python_executor import LocalPythonExecutor

import tool_hub
from tool_hub.smolagents import Executor

#: Pieces of code as agents write them, from next to nothing to some computing.
PIECES = {
    "one line": "x = 1 + 1",
    "a function and a loop": """
def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a

[fibonacci(n) % 97 for n in range(60)]
""",
    "20 calls of a tool": "sum(double(number=n) for n in range(20))",
    "100,000 steps": "total = 0\nfor n in range(100_000):\n    total += n * n\ntotal",
}


class Double:
    """A tool of the agent, which runs outside."""

    name, description, inputs = "double", "Doubles a number.", {"number": {"type": "integer"}}

    def __call__(self, number: int) -> int:
        return number * 2


def milliseconds(run: Callable[[str], Any], code: str, times: int = 9) -> float:
    """The median time of `code`."""
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        run(code)
        taken.append((time.perf_counter() - begun) * 1000)
    return statistics.median(taken)


def main() -> None:
    inspection = tool_hub.load(sys.argv[1])
    executors = {
        "sandbox": Executor(inspection.approve(inspection.digest)),
        "local": LocalPythonExecutor([]),
    }
    for executor in executors.values():
        executor.send_tools({"double": Double()})
        executor("ready = True")
    for name, code in PIECES.items():
        sandbox, local = (milliseconds(executors[of], code) for of in ("sandbox", "local"))
        print(f"{name}: sandbox {sandbox:.1f} ms, local {local:.1f} ms, {sandbox / local:.2f}x")


if __name__ == "__main__":
    main()
