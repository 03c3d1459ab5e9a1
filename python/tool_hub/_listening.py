"""Callbacks of a call: progress, questions, output, and functions that the tool calls."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from tool_hub._errors import ToolError
from tool_hub._json import dumps, loads
from tool_hub._reply import LogEntry, Output, Question


class Listener:
    """Hears the events of one call."""

    def __init__(
        self,
        on_progress: Callable[..., Any] | None,
        on_question: Callable[..., Any] | None,
        on_output: Callable[..., Any] | None,
        functions: Mapping[str, Callable[..., Any]],
    ) -> None:
        self._on_progress = on_progress
        self._on_question = on_question
        self._on_output = on_output
        self._functions = functions
        self.wanted = (
            on_progress is not None,
            on_question is not None,
            on_output is not None,
            [_described(name, function) for name, function in functions.items()],
        )

    @classmethod
    def of(cls, on_progress, on_question, on_output, functions) -> Listener | None:
        """A listener, if anybody listens."""
        given = (on_progress, on_question, on_output)
        if all(callback is None for callback in given) and not functions:
            return None
        return cls(*given, functions or {})

    def take(self, event: tuple) -> None:
        """Hands an event to its callback, on this thread."""
        for answer in self._steps(event):
            if inspect.isawaitable(answer):
                close = getattr(answer, "close", None)
                if close is not None:
                    close()
                raise TypeError("a callback of `call` cannot be asynchronous; use `acall_reply`")

    def begin(self, event: tuple, failed: Callable[[BaseException], None]) -> asyncio.Task | None:
        """Hands an event to its callback, which may be asynchronous: then its task is given."""
        steps = self._steps(event)
        try:
            for answer in steps:
                if inspect.isawaitable(answer):
                    return asyncio.ensure_future(_finish(steps, answer, failed))
        except BaseException as error:
            failed(error)
        return None

    def _steps(self, event: tuple):
        """The callback's answer, and then what is done with it: once it is sent back, awaited."""
        kind, *told = event
        if kind == "progress" and self._on_progress is not None:
            yield self._on_progress(*told)
        elif kind == "output" and self._on_output is not None:
            yield self._on_output(_output(*told))
        elif kind == "question":
            yield from self._asked(told[0])
        elif kind == "call":
            yield from self._called(told[0])

    def _asked(self, native):
        question = Question(native.key, native.text, loads(native.schema))
        try:
            answer = self._on_question(question)
            answer = (yield answer) if inspect.isawaitable(answer) else answer
            native.answer(None if answer is None else dumps(answer))
        except BaseException:
            native.cancel()
            raise

    def _called(self, native):
        try:
            arguments = loads(native.arguments)
            function = self._functions[native.name]
            value = function(**arguments)
            value = (yield value) if inspect.isawaitable(value) else value
            native.answer(dumps(value))
        except ToolError as error:
            native.fail(error.text)
        except Exception as error:
            # The code that the tool runs may handle it, as it would have to in Python.
            native.fail(f"{type(error).__name__}: {error}")
        except BaseException:
            native.fail("the call was ended")
            raise


async def _finish(steps, answer, failed: Callable[[BaseException], None]) -> None:
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
    return Output(stdout.decode("utf-8", "replace"), stderr.decode("utf-8", "replace"), entries, dropped)


def _described(name: str, function: Callable[..., Any]) -> tuple[str, str, str]:
    """A function as code finds it: name, description, schema."""
    description = getattr(function, "description", None) or inspect.getdoc(function) or ""
    schema = getattr(function, "input_schema", None) or {"type": "object"}
    return name, description, dumps(schema)
