"""`Tool`, a function that can be called, and `Tools`, a read-only mapping of names to them."""

from __future__ import annotations

import copy
import os
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Optional, Union

from tool_hub import _native
from tool_hub._errors import Error
from tool_hub._fork import importing
from tool_hub._json import dumps, loads
from tool_hub._reply import Output, Question, Reply, check, plain_value

Arguments = Union[Mapping[str, Any], str]
OnProgress = Callable[[float, Optional[float], Optional[str]], Any]
#: ``None`` is the person's no; ``"cancelled"``, that they closed the question.
Answered = Union[Mapping[str, Any], Literal["cancelled"], None]
OnQuestion = Callable[[Question], Union[Answered, Awaitable[Answered]]]
OnOutput = Callable[[Output], Any]
Functions = Mapping[str, Union[Callable[..., Any], tuple[str, dict[str, Any], Callable[..., Any]]]]


@dataclass(frozen=True)
class Annotations:
    """Hints about a function's behaviour, never a promise. ``None`` means that nobody said."""

    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None


class Tool:
    """One function of a tool, in a fresh sandbox for each call.

    ``tool(**arguments)`` gives a plain Python value, ``await tool.acall(**arguments)`` the same.
    ``call`` and ``acall_reply`` give a ``Reply``, take the JSON text that a model wrote, and say
    how far the call is. What goes wrong is raised as ``ToolError``.
    """

    __slots__ = ("_native", "_spec", "annotations", "description", "name", "title")

    name: str
    title: str | None
    description: str
    annotations: Annotations

    def __init__(self, native: _native.Tools, spec: dict[str, Any]) -> None:
        self._native = native
        self._spec = spec
        self.name = spec["name"]
        self.title = spec.get("title")
        self.description = spec["description"]
        self.annotations = Annotations(**spec["annotations"])

    @property
    def input_schema(self) -> dict[str, Any]:
        """JSON Schema of the arguments, an object. A copy: what is done to it changes nothing."""
        return copy.deepcopy(self._spec["input_schema"])

    @property
    def output_schema(self) -> dict[str, Any] | None:
        """JSON Schema of the structured value, where there is one."""
        return copy.deepcopy(self._spec.get("output_schema"))

    @property
    def limits(self) -> dict[str, int] | None:
        """The limits of a call, as far as ``limited`` lowers them; ``None`` if it is no tool's."""
        limits = self._native.limits(self.name)
        return None if limits is None else loads(limits)

    def limited(self, **limits: int) -> Tool:
        """The same function with lower limits on each call, as ``Tools.limited`` says.

        It costs next to nothing, so it may be for one call: ``tool.limited(cpu_ms=50)(text="x")``.
        """
        return Tool(self._native.limited(dumps(limits)), self._spec)

    def __call__(self, /, **arguments: Any) -> Any:
        """Calls the function and gives its value."""
        return plain_value(check(self._native.call(self.name, dumps(arguments))))

    async def acall(self, /, **arguments: Any) -> Any:
        """Calls the function on the host's threads. Whoever cancels the task stops the tool."""
        # Whoever calls this has imported asyncio, which takes long, and others need not.
        with importing:
            from tool_hub._loop import over

        return plain_value(check(await over(self._native, self.name, dumps(arguments))))

    def call(
        self,
        arguments: Arguments,
        *,
        on_progress: OnProgress | None = None,
        on_question: OnQuestion | None = None,
        on_output: OnOutput | None = None,
        functions: Functions | None = None,
    ) -> Reply:
        """Calls the function with a mapping, or with the JSON text that a model wrote.

        Text that is nearly right is repaired. ``on_progress(done, total, message)`` hears how far
        the call is, ``on_question(question)`` gives the person's answer, ``None`` for no or
        ``"cancelled"`` where they closed it, and ``on_output(output)`` gets what the tool wrote to
        its streams. They run on this thread; whatever they raise ends the call. ``functions`` are
        those that a tool which runs code may call: other ``Tools``, or each a function or
        ``(description, input_schema, function)``.
        """
        written = _written(arguments)
        if not (on_progress or on_question or on_output or functions):
            return Reply(check(self._native.call(self.name, written)))
        with importing:
            from tool_hub._listening import Listener

        listener = Listener(on_progress, on_question, on_output, functions or {})
        answer = self._native.call_with(self.name, written, listener.wanted, listener.take)
        return Reply(check(answer))

    async def acall_reply(
        self,
        arguments: Arguments,
        *,
        on_progress: OnProgress | None = None,
        on_question: OnQuestion | None = None,
        on_output: OnOutput | None = None,
        functions: Functions | None = None,
    ) -> Reply:
        """Does what ``call`` does on the host's threads. The callbacks may be asynchronous."""
        with importing:
            from tool_hub._listening import Listener
            from tool_hub._loop import over

        listener = None
        if on_progress or on_question or on_output or functions:
            listener = Listener(on_progress, on_question, on_output, functions or {})
        answer = await over(self._native, self.name, _written(arguments), listener)
        return Reply(check(answer))

    def __repr__(self) -> str:
        return f"<Tool {self.name}>"


class Tools(Mapping[str, Tool]):
    """A read-only mapping of names to tools. With exactly one it can be called itself."""

    __slots__ = ("_native", "_tools")

    def __init__(self, native: _native.Tools) -> None:
        self._native = native
        self._tools = {spec["name"]: Tool(native, spec) for spec in loads(native.functions())}

    def __getitem__(self, name: str) -> Tool:
        try:
            return self._tools[name]
        except KeyError:
            names = ", ".join(self._tools)
            raise KeyError(f"there is no function {name!r}; there are: {names}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    def only(self) -> Tool:
        """The only function."""
        if len(self._tools) != 1:
            names = ", ".join(self._tools)
            raise Error(f"there is not one function but {len(self)}: {names}", "choose one by name")
        return next(iter(self._tools.values()))

    def limited(self, **limits: int) -> Tools:
        """The same tools with lower limits on each call.

        ``limits`` are named as in the reference, and the unit ends the name: ``call_ms``,
        ``cpu_ms``, ``memory_bytes``, ``input_bytes``, ``outcome_bytes``, ``output_stream_bytes``,
        ``storage_bytes``, ``http_in_flight``, ``http_response_bytes``, ``questions``. One that is
        higher than what holds already has no effect. A call that reaches one fails with the kind
        ``host-limit``.
        """
        return self._with(self._native.limited(dumps(limits)))

    def audited(self, file: str | os.PathLike[str], *, caller: str = "python") -> Tools:
        """The same tools; each call is noted in the audit log ``file``, as a call of ``caller``.

        It is the log of ``tool serve --audit``: a line of JSON when a call is over, without its
        arguments and its result, and several programs may share a file. While it cannot be written
        no call is made. ``"-"`` is standard error.
        """
        return self._with(self._native.audited(os.fspath(file), caller))

    def _with(self, native: _native.Tools) -> Tools:
        """The same functions, called through ``native``."""
        tools = Tools.__new__(Tools)
        tools._native = native
        tools._tools = {name: Tool(native, tool._spec) for name, tool in self._tools.items()}
        return tools

    def __call__(self, /, **arguments: Any) -> Any:
        """Calls the only function."""
        return self.only()(**arguments)

    async def acall(self, /, **arguments: Any) -> Any:
        """Calls the only function on the host's threads."""
        return await self.only().acall(**arguments)

    def presented(
        self, *, answer_bytes_max: int | None = 32 << 10, listed_max: int | None = 100
    ) -> Tools:
        """The same tools as a model reads them.

        Of an answer with a longer text the model gets the beginning, and reads the rest with
        ``read_answer``; in place of more than ``listed_max`` functions it gets ``search_tools``,
        ``describe_tool`` and ``call_tool``.
        """
        return Tools(self._native.presented(answer_bytes_max, listed_max))

    def __repr__(self) -> str:
        return f"<Tools {', '.join(self._tools)}>"


def _written(arguments: Arguments) -> str:
    return arguments if isinstance(arguments, str) else dumps(arguments)
