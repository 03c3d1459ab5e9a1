"""Tests prompts and resources of the sample tool `notes` with MCP's SDK for Python, version 2.

The client opens a session, unlike `mcp_python_2.py`.

usage: beside_functions.py              over stdio, of the toolbox that is the user's own
       beside_functions.py URL TOKEN    over HTTP
"""

import asyncio
import contextlib
import os
import sys

import httpx2
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.types import ResourceTemplateReference

# Whatever takes longer hangs.
SECONDS_MAX = 120

# A note is written once.
NOTE = f"milk-{os.getpid()}"
ADDRESS = f"notes://{NOTE}"


async def prompts(session):
    (prompt,) = (await session.list_prompts()).prompts
    assert prompt.name == "notes" and [it.name for it in prompt.arguments] == ["prefix"], prompt
    filled = await session.get_prompt("notes", {"prefix": NOTE})
    assert [message.content.type for message in filled.messages] == ["text", "resource"], filled
    assert filled.messages[1].content.resource.text.startswith("two litres"), filled
    is_marked(filled)
    await fails(session.get_prompt("note"), "unknown prompt `note`")
    await fails(session.get_prompt("notes", {"topic": "x"}), "takes no argument `topic`")


async def resources(session):
    listed = {str(resource.uri): resource for resource in (await session.list_resources()).resources}
    assert listed[ADDRESS].mime_type == "text/markdown", listed
    (template,) = (await session.list_resource_templates()).resource_templates
    assert template.uri_template == "notes://{name}", template
    answer = await session.read_resource(ADDRESS)
    is_marked(answer)
    read = answer.contents
    assert [str(part.uri) for part in read] == [ADDRESS], read
    assert read[0].text.startswith("two litres"), read
    for nowhere in ["notes://no-such-note", "notes://../x", "other://x"]:
        await fails(session.read_resource(nowhere), "")
    reference = ResourceTemplateReference(type="ref/resource", uri="notes://{name}")
    completed = await session.complete(reference, {"name": "name", "value": "milk-"})
    assert NOTE in completed.completion.values, completed


def is_marked(answer):
    """Asserts that an answer says whose text it is."""
    assert answer.meta["tool-hub/untrusted"] is True, answer
    assert answer.meta["tool-hub/tool"]["name"] == "notes", answer


async def fails(answer, expected):
    """Asserts that a request is answered with an error of the protocol that says `expected`."""
    try:
        answered = await answer
    except MCPError as error:
        assert expected in str(error), error
    else:
        raise AssertionError(f"answered: {answered}")


async def changes(session, heard):
    """Asserts that a subscriber to a resource is told when it changes."""
    await session.subscribe_resource(ADDRESS)
    await session.call_tool("notes__write_note", {"name": NOTE, "text": "and butter", "mode": "append"})
    told = None
    while getattr(told, "method", None) != "notifications/resources/updated":
        told = await heard.get()
    assert str(told.params.uri) == ADDRESS, told
    await session.unsubscribe_resource(ADDRESS)
    assert "butter" in (await session.read_resource(ADDRESS)).contents[0].text


@contextlib.asynccontextmanager
async def connection(url, token):
    if url is None:
        async with stdio_client(StdioServerParameters(command="tool", args=["serve"])) as streams:
            yield streams
    else:
        http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60)
        async with streamable_http_client(url, http_client=http) as streams:
            yield streams


async def main(url=None, token=None):
    heard = asyncio.Queue()
    async with (
        connection(url, token) as streams,
        ClientSession(*streams[:2], message_handler=heard.put) as session,
    ):
        await session.initialize()
        written = await session.call_tool("notes__write_note", {"name": NOTE, "text": "two litres"})
        assert not written.is_error, written
        await prompts(session)
        await resources(session)
        await changes(session, heard)


asyncio.run(asyncio.wait_for(main(*sys.argv[1:]), SECONDS_MAX))
