"""Awaits calls in an event loop while they run on the host's threads.

Each loop has one queue. What calls have to say waits there, and the loop is woken once for all that
came since it looked last: by the queue's socket, which it watches. A loop that watches no sockets,
such as the usual one on Windows, has a thread that watches for it.
"""

from __future__ import annotations

import asyncio
import itertools
import selectors
import threading
import weakref
from typing import Any

from tool_hub import _native
from tool_hub._listening import Listener


#: The seconds after which a thread that watches looks whether its loop is still there.
_LOOK = 1.0


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
        try:
            loop.add_reader(self.queue.fileno(), self.take)
        except NotImplementedError:
            watch = threading.Thread(
                target=_watch, args=(weakref.ref(loop), self), name="tool-hub", daemon=True
            )
            watch.start()

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


def _watch(loop: weakref.ref[asyncio.AbstractEventLoop], bridge: _Bridge) -> None:
    """Wakes a loop when something waits in its queue, as long as there is the loop."""
    taken = threading.Event()

    def take() -> None:
        try:
            bridge.take()
        finally:
            taken.set()

    selector = selectors.DefaultSelector()
    selector.register(bridge.queue.fileno(), selectors.EVENT_READ)
    while True:
        readable = selector.select(_LOOK)
        alive = loop()
        if alive is None or alive.is_closed():
            return
        if readable:
            taken.clear()
            try:
                alive.call_soon_threadsafe(take)
            except RuntimeError:
                # It was closed this moment.
                return
        # A thread that waits keeps no loop.
        del alive
        while readable and not taken.wait(_LOOK):
            alive = loop()
            if alive is None or alive.is_closed():
                return
            del alive


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
