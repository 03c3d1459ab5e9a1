"""Tools for smolagents, and an executor that runs the code of a `CodeAgent` in a sandbox."""

from __future__ import annotations

import json
import keyword
from typing import Any

import tool_hub
from tool_hub._adapters import Approve, Source, ask, by_name, failure, requires
from tool_hub._interpreter import Function, interpreter, packed, unpacked

with requires("smolagents", "smolagents"):
    from smolagents import Tool
    from smolagents.local_python_executor import CodeOutput, InterpreterError, PythonExecutor
    from smolagents.tools import AUTHORIZED_TYPES


def tools(source: Source, *, approve: Approve | None = None) -> list[Tool]:
    """The tools of `source` as smolagents has them, for `CodeAgent` and `ToolCallingAgent`.

    Pictures are those of Pillow, structured values plain Python, both whole: for a model that reads
    them, and writes no code that does, shorten long ones with `box.tools().presented()`. A failure
    raises, and its text tells the model how to mend the call. smolagents asks nobody: a destructive
    function is called only if `approve(tool, arguments)` returns True.
    """
    return [_Function(tool, approve) for tool in by_name(source).values()]


class _Function(Tool):
    """A tool of the toolbox under names that Python has."""

    skip_forward_signature_validation = True

    def __init__(self, tool: tool_hub.Tool, approve: Approve | None) -> None:
        schema = tool.input_schema
        members = schema.get("properties", {})
        self._tool, self._approve = tool, approve
        self._names = {_identifier(name): name for name in members}
        self.name = _identifier(tool.name)
        self.description = tool.description
        self.inputs = {
            name: _input(members[real], real in schema.get("required", ()))
            for name, real in self._names.items()
        }
        self.output_type = _kind(tool.output_schema or {})
        self.output_schema = tool.output_schema if self.output_type == "object" else None
        super().__init__()

    def forward(self, *values: Any, **named: Any) -> Any:
        try:
            return _shown(self.reply(*values, **named).value)
        except tool_hub.ToolError as error:
            raise RuntimeError(error.text) from error

    def reply(self, *values: Any, **named: Any) -> tool_hub.Reply:
        """The reply to a call. Raises ToolError."""
        given = {**dict(zip(self.inputs, values)), **named}
        arguments = {self._names.get(name, name): value for name, value in given.items()}
        arguments = json.loads(packed(arguments))
        ask(self._tool, arguments, self._approve)
        return self._tool.call(arguments)


class Executor(PythonExecutor):
    """Runs the code of a `CodeAgent` in a sandbox: `CodeAgent(…, executor=Executor())`.

    The code runs in the tool `run-python`, which reaches nothing but the agent's tools; these run
    here. Without `source` the tool is taken from the toolbox in force. Variables, functions and
    classes are kept from one piece of code to the next; what cannot be kept is named in the log.
    """

    def __init__(self, source: Source | None = None) -> None:
        self._interpreter = interpreter(source)
        self._state = ""
        self._variables: dict[str, Any] = {}
        self._tools: dict[str, Any] = {}

    def send_tools(self, tools: dict[str, Any]) -> None:
        self._tools = dict(tools)

    def send_variables(self, variables: dict[str, Any]) -> None:
        for name, value in variables.items():
            try:
                self._variables[name] = json.loads(packed(value))
            except TypeError as error:
                raise TypeError(f"the variable `{name}`: {error}") from None

    def __call__(self, code_action: str) -> CodeOutput:
        arguments = {"code": code_action, "state": self._state}
        if self._variables:
            arguments["variables"] = json.dumps(self._variables)
        answers: list[Any] = []
        functions = {name: self._bridge(name, tool, answers) for name, tool in self._tools.items()}
        try:
            reply = self._interpreter.call(arguments, functions=functions)
        except tool_hub.ToolError as error:
            if answers:
                return CodeOutput(output=answers[0], logs="", is_final_answer=True)
            raise InterpreterError(error.message) from None
        ran = reply.structured
        # Variables are passed until code that got them succeeds; then the interpreter has them.
        self._state, self._variables = ran.get("state", ""), {}
        logs = ran["printed"]
        if ran.get("lost"):
            logs += f"\nNot kept for further code: {', '.join(ran['lost'])}\n"
        if answers:
            return CodeOutput(output=answers[0], logs=logs, is_final_answer=True)
        return CodeOutput(output=_value(reply), logs=logs, is_final_answer=False)

    def _bridge(self, name: str, tool: Any, answers: list[Any]) -> Function:
        """A tool as the sandbox calls it. After the final answer nothing is called any more."""

        def call(**arguments: Any) -> Any:
            if answers:
                raise failure("conflict", "the final answer is given", advice="End the code.")
            if isinstance(tool, _Function):
                value = tool.reply(**arguments).value
            else:
                value = tool(**{name: _shown(unpacked(it)) for name, it in arguments.items()})
            if name == "final_answer":
                answers.append(value)
                return None
            return json.loads(packed(value))

        description = getattr(tool, "description", None) or ""
        return Function(description, getattr(tool, "inputs", ()), call)


def _value(reply: tool_hub.Reply) -> Any:
    """The value of the last line of code, where it has one."""
    parts = [part for part in reply.content if not isinstance(part, str)]
    return _shown(parts[-1]) if parts else reply.structured.get("value")


def _shown(value: Any) -> Any:
    """A value as smolagents has it, with pictures of Pillow."""
    if isinstance(value, tool_hub.Image):
        return value.pil()
    return [_shown(item) for item in value] if isinstance(value, list) else value


def _identifier(name: str) -> str:
    name = "".join(letter if letter.isalnum() else "_" for letter in name)
    name = f"_{name}" if name[:1].isdigit() else name
    return f"{name}_" if keyword.iskeyword(name) else name


def _input(schema: dict, is_required: bool) -> dict[str, Any]:
    found = {"type": _kind(schema), "description": schema.get("description", "")}
    return found if is_required else {**found, "nullable": True}


def _kind(schema: dict) -> str:
    """The type of a value in the words of smolagents."""
    kind = schema.get("type", "any")
    return kind if isinstance(kind, str) and kind in AUTHORIZED_TYPES else "any"
