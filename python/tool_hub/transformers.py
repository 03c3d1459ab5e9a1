"""`load_tool`, tools for the chat templates of Transformers, and answers to a model's calls."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

import tool_hub
from tool_hub._adapters import Approve, Source, ask, chosen, failure


def load_tool(
    reference: str | os.PathLike[str],
    *,
    approve: str,
    grants: Mapping[str, Any] | None = None,
    function: str | None = None,
) -> Tool:
    """Loads a tool from a registry or a directory, with the rights that are granted here.

    `approve` is the digest that `tool inspect` and `tool_hub.load` show: nothing else is loaded.
    A package with several functions wants `function`, the name of one.
    """
    inspection = tool_hub.load(reference)
    loaded = inspection.approve(approve, grants=grants)
    found = [
        tool
        for name, tool in loaded.items()
        if function is None or name == function or name.endswith(f"__{function}")
    ]
    if len(found) != 1:
        raise ValueError(f"`function` has to name one of {', '.join(loaded)}")
    # A directory in the working directory may have the name of a repo, too.
    is_here = inspection.publisher is None
    return Tool(found[0], os.path.abspath(os.path.expanduser(reference)) if is_here else None)


class Tool:
    """A function that a model can call, as the chat templates and agents of Transformers have it.

    Goes into `apply_chat_template(tools=[tool.json_schema])`.
    """

    def __init__(self, tool: tool_hub.Tool, directory: str | None = None) -> None:
        self._tool, self._directory = tool, directory
        self.name = tool.name
        self.description = tool.description
        self.inputs = tool.input_schema.get("properties", {})
        self.output_schema = tool.output_schema

    def __call__(self, **arguments: Any) -> Any:
        return self._tool(**arguments)

    @property
    def json_schema(self) -> dict[str, Any]:
        """The function as chat templates take it."""
        parameters = self._tool.input_schema
        function = {
            "name": self.name,
            "description": self.description,
            "parameters": parameters,
        }
        if self.output_schema is not None:
            function["return"] = self.output_schema
        return {"type": "function", "function": function}

    def push_to_hub(self, repo_id: str) -> Any:
        """Publishes the package directory that the tool was loaded from, as `repo_id`."""
        if self._directory is None:
            raise ValueError(f"{self.name} came from a registry: push the directory it is built in")
        return tool_hub.push(self._directory, repo_id)


def tools(source: Source) -> list[dict[str, Any]]:
    """The tools of `source` for `apply_chat_template(tools=…)`."""
    return [Tool(tool).json_schema for tool in chosen(source).values()]


def answers(
    source: Source, tool_calls: Iterable[Mapping[str, Any]], *, approve: Approve | None = None
) -> list[dict[str, Any]]:
    """The messages that answer `tool_calls`, those of a message of the assistant.

    A failure is a message, too: its text tells the model how to mend the call. A destructive
    function is called only if `approve(tool, arguments)` returns True.
    """
    known = chosen(source)
    return [_answer(known, call.get("function", call), approve) for call in tool_calls]


def _answer(known: dict[str, tool_hub.Tool], call: Any, approve: Approve | None) -> dict[str, Any]:
    name, arguments = call["name"], call["arguments"]
    try:
        if name not in known:
            message = f"there is no function `{name}`; there are {', '.join(known)}"
            advice = "Call one of the functions that are offered."
            raise failure("unknown-function", message, advice=advice)
        ask(known[name], arguments, approve)
        content: Any = _content(known[name].call(arguments))
    except tool_hub.ToolError as error:
        content = error.text
    return {"role": "tool", "name": name, "content": content}


def _content(reply: tool_hub.Reply) -> Any:
    """Text alone as text, else a list of parts, with pictures of Pillow for the processor."""
    pictures = [
        {"type": "image", "image": part.pil()}
        for part in reply.content
        if isinstance(part, tool_hub.Image)
    ]
    text = [{"type": "text", "text": reply.text}] if reply.text else []
    return text + pictures if pictures else reply.text
