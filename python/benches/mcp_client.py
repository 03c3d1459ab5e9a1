"""Compares a call in this process with the same call through an MCP client and ``tool serve``.

usage: python mcp_client.py PACKAGE FUNCTION ARGUMENTS    (needs the package `mcp`)

The client starts the command beside this interpreter. The figure to read is the ratio.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

import tool_hub

WARM_UP = 200
CALLS = 2000


async def median(call: Callable[[], Awaitable[Any]]) -> float:
    """The median of single calls, one after the other, in microseconds."""
    for _ in range(WARM_UP):
        await call()
    taken = []
    for _ in range(CALLS):
        begun = time.perf_counter_ns()
        await call()
        taken.append((time.perf_counter_ns() - begun) / 1000)
    return statistics.median(taken)


async def main() -> None:
    package, function, text = sys.argv[1:4]
    arguments = json.loads(text)
    inspection = tool_hub.load(package)
    tool = inspection.approve(inspection.digest)[function]

    async def sync() -> None:
        tool(**arguments)

    here, awaited = await median(sync), await median(lambda: tool.acall(**arguments))
    with tempfile.TemporaryDirectory() as home:
        server = StdioServerParameters(
            command=str(Path(sys.executable).with_name("tool")),
            args=["serve", "--only", package, "--approve", inspection.digest],
            env={**os.environ, "TOOL_HUB_HOME": home},
        )
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            (name,) = {it.name for it in (await session.list_tools()).tools} & {function, tool.name}
            there = await median(lambda: session.call_tool(name, arguments))
    print(f"call in this process         {here:.1f} us; awaited {awaited:.1f} us")
    print(f"call through an MCP client   {there:.1f} us: {there / here:.1f} times as long; "
          f"awaited {there / awaited:.1f} times")


if __name__ == "__main__":
    asyncio.run(main())
