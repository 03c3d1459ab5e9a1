"""Runs the caller's callbacks of a call: progress, questions, output, functions the tool calls."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
from collections.abc import Callable, Generator, Mapping
from typing import Any

from tool_hub._errors import ToolError
from tool_hub._json import dumps, loads
from tool_hub._reply import LogEntry, Output, Question

Event = tuple[Any, ...]
#: What a callback gave, and once that is awaited, its value.
Steps = Generator[Any, Any, None]


class Listener:
    """Hears the events of one call, in a copy of the caller's context."""

    def __init__(
        self,
        on_progress: Callable[..., Any] | None,
        on_question: Callable[..., Any] | None,
        on_output: Callable[..., Any] | None,
        functions: Mapping[str, Any],
    ) -> None:
        self._on_progress = on_progress
        self._on_question = on_question
        self._on_output = on_output
        described = {name: _described(given) for name, given in functions.items()}
        self._functions = {name: call for name, (_, _, call) in described.items()}
        self._context = contextvars.copy_context()
        callbacks = {"progress": on_progress, "question": on_question, "output": on_output}
        self.wanted = (
            dumps([kind for kind, callback in callbacks.items() if callback is not None]),
            [(name, text, dumps(schema)) for name, (text, schema, _) in described.items()],
        )

    def take(self, event: Event) -> None:
        """Hands an event to its callback, on this thread."""
        self._context.run(self._take, event)

    def _take(self, event: Event) -> None:
        for answer in self._steps(event):
            if inspect.isawaitable(answer):
                if inspect.iscoroutine(answer):
                    answer.close()
                raise TypeError("a callback of `call` cannot be asynchronous; use `acall_reply`")

    def begin(
        self, event: Event, failed: Callable[[BaseException], None]
    ) -> asyncio.Task[None] | None:
        """Hands an event to its callback, which may be asynchronous: then its task is given."""
        return self._context.run(self._begin, event, failed)

    def _begin(
        self, event: Event, failed: Callable[[BaseException], None]
    ) -> asyncio.Task[None] | None:
        steps = self._steps(event)
        try:
            for answer in steps:
                if inspect.isawaitable(answer):
                    task = asyncio.ensure_future(_finish(steps, answer, failed))
                    if inspect.iscoroutine(answer):
                        # A task that is cancelled before it begins leaves it as it is.
                        task.add_done_callback(lambda _, begun=answer: begun.close())
                    return task
        except BaseException as error:
            failed(error)
        return None

    def _steps(self, event: Event) -> Steps:
        kind, *told = event
        if kind == "progress" and self._on_progress is not None:
            yield self._on_progress(*told)
        elif kind == "output" and self._on_output is not None:
            yield self._on_output(_output(*told))
        elif kind == "question" and self._on_question is not None:
            yield from self._asked(told[0], self._on_question)
        elif kind == "call":
            yield from self._called(told[0])

    def _asked(self, native: Any, on_question: Callable[..., Any]) -> Steps:
        question = Question(native.key, native.text, loads(native.schema))
        try:
            answer = on_question(question)
            answer = (yield answer) if inspect.isawaitable(answer) else answer
            if answer == "cancelled":
                native.cancel()
            else:
                native.answer(None if answer is None else dumps(answer))
        except BaseException:
            native.cancel()
            raise

    def _called(self, native: Any) -> Steps:
        try:
            value = self._functions[native.name](**loads(native.arguments))
            value = (yield value) if inspect.isawaitable(value) else value
            if isinstance(value, str):
                native.answer_text(value)
            else:
                native.answer(dumps(value))
        except ToolError as error:
            native.fail(error.kind, error.message, error.fix, error.argument, error.retryable)
        except Exception as error:
            # The code that the tool runs may handle it, as it would have to in Python.
            native.fail("failed", str(error) or type(error).__name__)
        except BaseException:
            native.fail("failed", "the call was ended")
            raise


async def _finish(steps: Steps, answer: Any, failed: Callable[[BaseException], None]) -> None:
    try:
        while True:
            try:
                value = await answer
            except BaseException as error:
                answer = steps.throw(error)
            else:
                answer = steps.send(value)
    except StopIteration:
        pass
    except asyncio.CancelledError:
        raise
    except BaseException as error:
        failed(error)


def _output(stdout: bytes, stderr: bytes, log: list[tuple[str, str, str]], dropped: int) -> Output:
    entries = tuple(LogEntry(*entry) for entry in log)
    return Output(_text(stdout), _text(stderr), entries, dropped)


def _text(stream: bytes) -> str:
    return stream.decode("utf-8", "replace")


def _described(given: Any) -> tuple[str, Any, Callable[..., Any]]:
    """A function as code finds it: its description, its schema, and what is called."""
    if isinstance(given, tuple):
        description, schema, call = given
        return description, schema, call
    description = getattr(given, "description", None) or inspect.getdoc(given) or ""
    return description, getattr(given, "input_schema", None) or {"type": "object"}, given
