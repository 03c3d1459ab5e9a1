"""Tests of asynchronous calls in asyncio and uvloop: many at once, cancelled, in threads."""

import asyncio
import gc
import importlib
import json
import sys
import threading
import time

import pytest
import tool_hub

class Blind(asyncio.SelectorEventLoop):
    """A loop that watches no sockets, as the usual one on Windows."""

    def add_reader(self, *_):
        raise NotImplementedError

    #: Makes one, under the name that the modules have for it.
    @classmethod
    def new_event_loop(cls):
        return cls()

    @classmethod
    def run(cls, main):
        """What `asyncio.run` does, on such a loop."""
        loop = cls()
        try:
            return loop.run_until_complete(main)
        finally:
            for task in asyncio.all_tasks(loop):
                task.cancel()
                loop.run_until_complete(asyncio.wait([task]))
            loop.close()


#: The modules with event loops: there is no uvloop for Windows.
LOOPS = ["asyncio", "blind"] if sys.platform == "win32" else ["asyncio", "blind", "uvloop"]


@pytest.fixture(params=LOOPS)
def loops(request):
    """A module, or an object like it, whose `run` and `new_event_loop` make loops of its own."""
    if request.param == "blind":
        return Blind
    module = importlib.import_module(request.param)
    loop = module.new_event_loop()
    loop.close()
    assert type(loop).__module__.startswith(request.param)
    return module


def test_many_at_once(guest, loops):
    async def main():
        calls = [guest["guest__add"].acall(a=n, b=1) for n in range(1000)]
        return await asyncio.gather(*calls)

    assert loops.run(main()) == [n + 1 for n in range(1000)]


def test_the_loop_goes_on_meanwhile(guest, loops):
    async def main():
        spinning = asyncio.ensure_future(guest["guest__spin"].acall())
        begun = time.monotonic()
        for _ in range(20):
            await asyncio.sleep(0.005)
        turns = time.monotonic() - begun
        spinning.cancel()
        with pytest.raises(asyncio.CancelledError):
            await spinning
        return turns

    assert loops.run(main()) < 2


def test_who_is_cancelled_stops_the_guest(guest, loops):
    """More guests that spin for ever than the host has places: each has to give its place back."""

    async def main():
        for _ in range(3):
            calls = [asyncio.ensure_future(guest["guest__spin"].acall()) for _ in range(30)]
            await asyncio.sleep(0.05)
            for call in calls:
                call.cancel()
            done = await asyncio.gather(*calls, return_exceptions=True)
            assert all(isinstance(one, asyncio.CancelledError) for one in done)
        return await asyncio.wait_for(guest["guest__add"].acall(a=1, b=2), 20)

    assert loops.run(main()) == 3


def test_a_timeout_is_a_cancellation(guest, loops):
    async def main():
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(guest["guest__spin"].acall(), 0.1)

    loops.run(main())


def test_failures_are_raised(guest, loops):
    async def main():
        with pytest.raises(tool_hub.ToolError, match="no such note"):
            await guest["guest__refuse"].acall(text="no such note")

    loops.run(main())


def test_one_loop_after_the_other(guest, loops):
    for n in range(5):
        assert loops.run(guest["guest__add"].acall(a=n, b=0)) == n


def test_loops_in_several_threads(guest, loops):
    results = {}

    def work(thread):
        async def main():
            calls = [guest["guest__add"].acall(a=thread, b=n) for n in range(50)]
            return await asyncio.gather(*calls)

        results[thread] = loops.run(main())

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert results == {thread: [thread + n for n in range(50)] for thread in range(6)}


def test_callbacks_may_be_asynchronous(guest, loops):
    heard = []

    async def answer(question):
        await asyncio.sleep(0.01)
        heard.append(question.key)
        return {"ok": True}

    async def progress(*told):
        await asyncio.sleep(0.01)
        heard.append(told)

    async def main():
        confirmed = await guest["guest__confirm"].acall_reply({}, on_question=answer)
        worked = await guest["guest__work"].acall_reply("{}", on_progress=progress)
        return json.loads(confirmed.value), worked.value

    assert loops.run(main()) == ({"ok": True}, 2)
    assert heard == ["sure", "really", (1.0, 2.0, "halfway")]


def test_a_loop_that_watches_no_sockets_has_a_thread_that_ends_after_it(guest):
    async def main():
        assert await guest["guest__add"].acall(a=1, b=1) == 2
        assert watching()

    def watching():
        return [thread for thread in threading.enumerate() if thread.name == "tool-hub"]

    for _ in range(3):
        Blind.run(main())
    deadline = time.monotonic() + 10
    while watching() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not watching()


class Mine(Exception):
    """An exception of the caller's own."""


@pytest.mark.parametrize("kind", ["plain", "asynchronous"])
@pytest.mark.parametrize("event", ["progress", "question"])
def test_what_a_callback_raises_ends_the_call(guest, loops, kind, event):
    def plain(*_):
        raise Mine("enough")

    async def asynchronous(*_):
        await asyncio.sleep(0)
        raise Mine("enough")

    callback = plain if kind == "plain" else asynchronous
    function = {"progress": "guest__work", "question": "guest__confirm"}[event]

    async def main():
        with pytest.raises(Mine):
            await guest[function].acall_reply({}, **{f"on_{event}": callback})
        assert await guest["guest__add"].acall(a=1, b=1) == 2

    loops.run(main())


def test_a_loop_that_ends_with_calls_under_way(guest, loops):
    async def main():
        asyncio.ensure_future(guest["guest__spin"].acall())
        await asyncio.sleep(0.05)

    loops.run(main())
    assert guest["guest__add"](a=1, b=1) == 2


def test_a_loop_that_is_closed_with_calls_under_way(guest, loops):
    """Answers that come later go nowhere."""
    loop = loops.new_event_loop()

    async def start():
        spinning = asyncio.ensure_future(guest["guest__spin"].acall())
        adding = [asyncio.ensure_future(guest["guest__add"].acall(a=n, b=1)) for n in range(50)]
        await asyncio.sleep(0)
        return [spinning, *adding]

    tasks = loop.run_until_complete(start())
    loop.close()
    time.sleep(0.2)
    assert not tasks[0].done()
    for task in tasks:
        task._log_destroy_pending = False
    assert guest["guest__add"](a=1, b=1) == 2


@pytest.mark.parametrize("event", ["progress", "question"])
def test_who_is_cancelled_while_a_callback_waits_ends_both(guest, loops, event):
    begun, ended = [], []

    async def main():
        waits = asyncio.Event()

        async def callback(*told):
            waits.set()
            begun.append(told)
            try:
                await asyncio.Event().wait()
            finally:
                ended.append(told)

        function = {"progress": "guest__work", "question": "guest__confirm"}[event]
        calls = [
            asyncio.ensure_future(guest[function].acall_reply({}, **{f"on_{event}": callback}))
            for _ in range(20)
        ]
        await waits.wait()
        for call in calls:
            call.cancel()
        done = await asyncio.gather(*calls, return_exceptions=True)
        assert all(isinstance(one, asyncio.CancelledError) for one in done)
        return await asyncio.wait_for(guest["guest__add"].acall(a=1, b=2), 20)

    assert loops.run(main()) == 3
    assert begun == ended != []


def test_a_callback_that_is_cancelled_before_it_begins_is_closed(guest, loops, recwarn):
    async def never_begins():
        raise AssertionError("it began")

    async def main():
        def answer(_):
            call.cancel()
            return never_begins()

        asked = guest["guest__confirm"].acall_reply({}, on_question=answer)
        call = asyncio.ensure_future(asked)
        with pytest.raises(asyncio.CancelledError):
            await call

    loops.run(main())
    gc.collect()
    assert not [str(warning.message) for warning in recwarn]


#: More calls than the host has places. Each keeps one while its callback runs.
CALLS = 100
PLACES = 32
#: A call that is refused a place has waited for longer.
PATIENCE_SECONDS = 20


def test_callbacks_of_many_at_once_call_tools(guest, loops):
    peak = under_way = 0

    async def answer(_):
        nonlocal peak, under_way
        under_way += 1
        peak = max(peak, under_way)
        await asyncio.sleep(0.02)
        total = await guest["guest__add"].acall(a=1, b=1)
        under_way -= 1
        return {"ok": total == 2}

    async def main():
        confirm = guest["guest__confirm"]
        calls = [confirm.acall_reply({}, on_question=answer) for _ in range(CALLS)]
        return await asyncio.wait_for(asyncio.gather(*calls), PATIENCE_SECONDS)

    assert [reply.value for reply in loops.run(main())] == ['{"ok":true}'] * CALLS
    assert PLACES / 2 < peak <= PLACES


def test_callbacks_in_many_threads_call_tools(guest):
    peak, under_way, lock, values = 0, 0, threading.Lock(), []

    def answer(_):
        nonlocal peak, under_way
        with lock:
            under_way += 1
            peak = max(peak, under_way)
        time.sleep(0.02)
        total = guest["guest__add"](a=1, b=1)
        with lock:
            under_way -= 1
        return {"ok": total == 2}

    def work():
        values.append(guest["guest__confirm"].call({}, on_question=answer).value)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(CALLS)]
    begun = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0, begun + PATIENCE_SECONDS - time.monotonic()))
    assert values == ['{"ok":true}'] * CALLS
    assert PLACES / 2 < peak <= PLACES


def test_callbacks_that_wait_for_each_other_are_refused_in_the_end(guest):
    """A callback whose own call asks waits for its turn behind the calls that wait for it."""
    confirm = guest["guest__confirm"]

    async def main():
        asked = 0
        together = asyncio.Event()

        async def answer(_):
            nonlocal asked
            asked += 1
            if asked == 24:
                together.set()
            await together.wait()
            reply = await confirm.acall_reply({}, on_question=lambda _: {"ok": True})
            return json.loads(reply.value)

        calls = [confirm.acall_reply({}, on_question=answer) for _ in range(24)]
        return await asyncio.gather(*calls, return_exceptions=True)

    begun = time.monotonic()
    replies = asyncio.run(asyncio.wait_for(main(), 120))
    refused = [reply for reply in replies if isinstance(reply, tool_hub.ToolError)]
    assert refused and time.monotonic() - begun > PATIENCE_SECONDS
    for error in refused:
        assert error.kind == "unavailable" and error.retryable and "too many calls wait" in str(error)


def test_questions_and_progress_of_many_at_once(guest, loops):
    async def answer(question):
        return {"ok": question.key == "sure" and await guest["guest__add"].acall(a=1, b=1) == 2}

    async def main():
        told = []
        asked = [guest["guest__confirm"].acall_reply({}, on_question=answer) for _ in range(20)]
        worked = [
            guest["guest__work"].acall_reply({}, on_progress=lambda *it: told.append(it))
            for _ in range(50)
        ]
        replies = await asyncio.gather(*asked, *worked)
        assert told == [(1.0, 2.0, "halfway")] * 50
        return [reply.value for reply in replies]

    assert loops.run(main())[20:] == [2] * 50
