"""Awaits calls in an event loop while they run on the host's threads.

Each loop watches one queue. What calls have to say waits there, and the loop is woken once for all
that came since it looked last.
"""

from __future__ import annotations

import asyncio
import itertools
import weakref
from typing import Any

from tool_hub import _native
from tool_hub._listening import Listener


class _Waiting:
    """A call whose answer a loop waits for."""

    __slots__ = ("error", "future", "listener", "tasks")

    def __init__(self, future: asyncio.Future[Any], listener: Listener | None) -> None:
        self.future = future
        self.listener = listener
        self.tasks: set[asyncio.Task[None]] = set()
        self.error: BaseException | None = None

    def hear(self, event: tuple[Any, ...]) -> None:
        if self.listener is None or self.error is not None:
            return
        task = self.listener.begin(event, self.fail)
        if task is not None:
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)

    def fail(self, error: BaseException) -> None:
        """Ends the call with what a callback raised."""
        if self.error is None:
            self.error = error
        if not self.future.done():
            self.future.set_result(None)

    async def answer(self) -> _native.Answer:
        answer: _native.Answer = await self.future
        while self.tasks and self.error is None:
            await asyncio.wait(self.tasks, return_when=asyncio.FIRST_COMPLETED)
        if self.error is not None:
            raise self.error
        return answer


class _Bridge:
    """The queue of one event loop, and the calls whose answers it waits for."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.queue = _native.EventQueue()
        self.calls: dict[int, Any] = {}
        self.numbers = itertools.count()
        loop.add_reader(self.queue.fileno(), self.take)

    def take(self) -> None:
        """Hands on all that came."""
        calls = self.calls
        for number, said in self.queue.take():
            waiting = calls.get(number)
            if waiting is None:
                continue
            if type(said) is not _native.Answer:
                waiting.hear(said)
                continue
            del calls[number]
            future = waiting.future if type(waiting) is _Waiting else waiting
            if not future.done():
                future.set_result(said)


_bridges: weakref.WeakKeyDictionary[Any, _Bridge] = weakref.WeakKeyDictionary()


async def over(
    tools: _native.Tools, name: str, arguments: str, listener: Listener | None = None
) -> _native.Answer:
    """The answer of a call, once it is over. Whoever cancels this stops the tool."""
    loop = asyncio.get_running_loop()
    bridge = _bridges.get(loop)
    if bridge is None:
        bridge = _bridges[loop] = _Bridge(loop)
    number = next(bridge.numbers)
    future = loop.create_future()
    waiting = None if listener is None else _Waiting(future, listener)
    wanted = None if listener is None else listener.wanted
    bridge.calls[number] = future if waiting is None else waiting
    under_way = None
    try:
        under_way = tools.begin(name, arguments, bridge.queue, number, wanted)
        answer: _native.Answer = await (future if waiting is None else waiting.answer())
        return answer
    except BaseException:
        bridge.calls.pop(number, None)
        if under_way is not None:
            under_way.cancel()
        if waiting is not None:
            for task in waiting.tasks:
                task.cancel()
        raise
