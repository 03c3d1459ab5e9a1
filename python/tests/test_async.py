"""Calls while an event loop goes on: many at once, cancelled, in several loops."""

import asyncio
import json
import threading
import time

import pytest
import tool_hub


def test_many_at_once(guest):
    async def main():
        calls = [guest["guest__add"].acall(a=n, b=1) for n in range(1000)]
        return await asyncio.gather(*calls)

    assert asyncio.run(main()) == [n + 1 for n in range(1000)]


def test_the_loop_goes_on_meanwhile(guest):
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

    assert asyncio.run(main()) < 2


def test_who_is_cancelled_stops_the_guest(guest):
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

    assert asyncio.run(main()) == 3


def test_a_timeout_is_a_cancellation(guest):
    async def main():
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(guest["guest__spin"].acall(), 0.1)

    asyncio.run(main())


def test_failures_are_raised(guest):
    async def main():
        with pytest.raises(tool_hub.ToolError, match="no such note"):
            await guest["guest__refuse"].acall(text="no such note")

    asyncio.run(main())


def test_one_loop_after_the_other(guest):
    for n in range(5):
        assert asyncio.run(guest["guest__add"].acall(a=n, b=0)) == n


def test_loops_in_several_threads(guest):
    results = {}

    def work(thread):
        async def main():
            calls = [guest["guest__add"].acall(a=thread, b=n) for n in range(50)]
            return await asyncio.gather(*calls)

        results[thread] = asyncio.run(main())

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert results == {thread: [thread + n for n in range(50)] for thread in range(6)}


def test_callbacks_may_be_asynchronous(guest):
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

    assert asyncio.run(main()) == ({"ok": True}, 2)
    assert heard == ["sure", "really", (1.0, 2.0, "halfway")]


class Blind(asyncio.SelectorEventLoop):
    """A loop that watches no sockets, as the usual one on Windows."""

    def add_reader(self, *_):
        raise NotImplementedError


def test_a_loop_that_watches_no_sockets(guest):
    async def main():
        spinning = asyncio.ensure_future(guest["guest__spin"].acall())
        sums = await asyncio.gather(*(guest["guest__add"].acall(a=n, b=1) for n in range(500)))
        spinning.cancel()
        with pytest.raises(asyncio.CancelledError):
            await spinning
        for n in range(20):
            assert await guest["guest__add"].acall(a=n, b=0) == n
        return sums

    def watching():
        return [thread for thread in threading.enumerate() if thread.name == "tool-hub"]

    for _ in range(3):
        loop = Blind()
        assert loop.run_until_complete(main()) == [n + 1 for n in range(500)]
        assert watching()
        loop.close()
    deadline = time.monotonic() + 10
    while watching() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not watching()


class Mine(Exception):
    """An exception of the caller's own."""


@pytest.mark.parametrize("kind", ["plain", "asynchronous"])
@pytest.mark.parametrize("event", ["progress", "question"])
def test_what_a_callback_raises_ends_the_call(guest, kind, event):
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

    asyncio.run(main())


def test_a_loop_that_ends_with_calls_under_way(guest):
    async def main():
        asyncio.ensure_future(guest["guest__spin"].acall())
        await asyncio.sleep(0.05)

    asyncio.run(main())
    assert guest["guest__add"](a=1, b=1) == 2


def test_a_loop_that_is_closed_with_calls_under_way(guest):
    loop = asyncio.new_event_loop()

    async def start():
        task = asyncio.ensure_future(guest["guest__add"].acall(a=1, b=1))
        await asyncio.sleep(0)
        return task

    task = loop.run_until_complete(start())
    loop.close()
    time.sleep(0.2)
    assert not task.done()
    task._log_destroy_pending = False
    assert guest["guest__add"](a=1, b=1) == 2
