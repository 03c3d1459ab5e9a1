"""Asks tools' questions as elicitation forms of FastMCP clients, in both protocol versions."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Literal

import tool_hub
from tool_hub._adapters import failure, requires

with requires("fastmcp", "fastmcp"):
    from fastmcp import Context
    from fastmcp.server import dependencies
    from fastmcp.server.providers.fastmcp_provider import FastMCPProviderTool
    from fastmcp.tools.base import Tool
    from fastmcp.tools.tool_transform import TransformedTool
    from mcp.shared.exceptions import MCPError
    from mcp_types import (
        ElicitRequest,
        ElicitRequestFormParams,
        ElicitResult,
        InputRequiredResult,
    )
    from mcp_types.version import MODERN_PROTOCOL_VERSIONS

Asks = Callable[[tool_hub.Question], Any]


class Postponed(Exception):
    """A call that ends with a question, because the client makes it again with the answer."""

    def __init__(self, required: InputRequiredResult) -> None:
        super().__init__()
        self.required = required


async def asker(function: Tool, context: Context) -> Asks | None:
    """Asks the person behind the client in a form; None where nobody can be asked."""
    if context.is_background_task or context.request_context is None:
        return None
    capabilities = context.session.client_capabilities
    offered = capabilities and capabilities.elicitation
    if offered is None or (offered.form is None and offered.url is not None):
        return None
    if context.session.protocol_version in MODERN_PROTOCOL_VERSIONS:
        is_client_call = await _is_client_call(function, context)
        return _asked_again(function.name, context) if is_client_call else None
    return _asked_meanwhile(function.name, context) if context.session.can_send_request else None


def _asked_meanwhile(name: str, context: Context) -> Asks:
    """Asks while the call waits, as sessions of the protocol before 2026-07-28 do."""

    async def ask(question: tool_hub.Question) -> Any:
        form = _form(name, question)
        try:
            result = await context.session.elicit_form(
                form.message, form.requested_schema, related_request_id=context.request_id
            )
        except MCPError as error:
            message = f"the client could not ask the user a question of `{name}`: {error}"
            raise failure("unavailable", message, advice="Tell the user.") from error
        return _answer(result)

    return ask


def _asked_again(name: str, context: Context) -> Asks:
    """Ends the call with the question, as the protocol of 2026-07-28 does; earlier answers are in
    its state, which FastMCP seals for this function and these arguments."""
    answers: dict[str, Any] = json.loads(context.request_state or "{}")
    for key, response in (context.input_responses or {}).items():
        if isinstance(response, ElicitResult):
            answers[key] = _answer(response)

    def ask(question: tool_hub.Question) -> Any:
        if question.key in answers:
            return answers[question.key]
        request = ElicitRequest(params=_form(name, question))
        requests, state = {question.key: request}, json.dumps(answers)
        raise Postponed(InputRequiredResult(input_requests=requests, request_state=state))

    return ask


async def _is_client_call(function: Tool, context: Context) -> bool:
    """True if the client called `function`, of its server or of one that is mounted there.

    Only the client's own call is made again with the answer. What is called in turn asks nobody,
    such as what the code of code mode calls: whatever its caller did before would be done twice.
    Much of this FastMCP tells only privately. Where a version of it does not, nobody is asked.
    """
    is_client_call = getattr(dependencies, "_is_client_tool_call", None)
    if is_client_call is not None and is_client_call():
        return True
    request = getattr(context.request_context, "_srctx", None)
    name, server = ((request and request.params) or {}).get("name"), _served_by(context)
    tool = None
    while server is not None and name is not None:
        tool = await server.get_tool(name)
        while isinstance(tool, TransformedTool):
            tool = tool.parent_tool
        # A mounted server's function stands on the server that mounts it for nothing but a call.
        is_mounted = isinstance(tool, FastMCPProviderTool)
        server = getattr(tool, "_server", None) if is_mounted else None
        name = getattr(tool, "_original_name", None)
    return type(tool) is type(function) and tool.tool is function.tool


def _served_by(context: Context) -> Any:
    """The server that the client speaks to: the one of the outermost context of this request."""
    while getattr(context, "_session", None) is None:
        tokens = getattr(context, "_tokens", None)
        around = tokens[-1].old_value if tokens else None
        if not isinstance(around, Context):
            break
        context = around
    return context.fastmcp


def _form(name: str, question: tool_hub.Question) -> ElicitRequestFormParams:
    """A question as a form, marked as the tool's."""
    message = f"The tool `{name}` asks: {question.text}"
    return ElicitRequestFormParams(message=message, requested_schema=question.schema)


def _answer(result: ElicitResult) -> dict[str, Any] | Literal["cancelled"] | None:
    """The answer to a question, or how it was left without one, as `on_question` tells it."""
    if result.action == "accept":
        return result.content or {}
    return None if result.action == "decline" else "cancelled"
