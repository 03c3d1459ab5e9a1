"""Prompts and resources, which the sample tool `notes` offers, with the SDK for Python, version 2.

usage: beside_functions.py              over stdio, of the toolbox that is the user's own
       beside_functions.py URL TOKEN    over HTTP
"""

import asyncio
import os
import sys

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.types import ResourceTemplateReference

# Whatever takes longer hangs.
SECONDS_MAX = 120

# A note is written once.
NOTE = f"milk-{os.getpid()}"
ADDRESS = f"notes://{NOTE}"


async def prompts(client):
    (prompt,) = (await client.list_prompts()).prompts
    assert prompt.name == "notes" and [it.name for it in prompt.arguments] == ["prefix"], prompt
    filled = await client.get_prompt("notes", {"prefix": NOTE})
    assert [message.content.type for message in filled.messages] == ["text", "resource"], filled
    assert filled.messages[1].content.resource.text.startswith("two litres"), filled
    await fails(client.get_prompt("note"), "unknown prompt `note`")
    await fails(client.get_prompt("notes", {"topic": "x"}), "takes no argument `topic`")


async def resources(client):
    listed = {str(resource.uri): resource for resource in (await client.list_resources()).resources}
    assert listed[ADDRESS].mime_type == "text/markdown", listed
    (template,) = (await client.list_resource_templates()).resource_templates
    assert template.uri_template == "notes://{name}", template
    read = (await client.read_resource(ADDRESS)).contents
    assert [str(part.uri) for part in read] == [ADDRESS], read
    assert read[0].text.startswith("two litres"), read
    for nowhere in ["notes://no-such-note", "notes://../x", "other://x"]:
        await fails(client.read_resource(nowhere), "")
    reference = ResourceTemplateReference(type="ref/resource", uri="notes://{name}")
    completed = await client.complete(reference, {"name": "name", "value": "milk-"})
    assert NOTE in completed.completion.values, completed


async def fails(answer, expected):
    """Holds that a request is answered with an error of the protocol that says `expected`."""
    try:
        answered = await answer
    except MCPError as error:
        assert expected in str(error), error
    else:
        raise AssertionError(f"answered: {answered}")


async def main(url=None, token=None):
    if url is None:
        server = StdioServerParameters(command="tool", args=["serve"])
    else:
        http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60)
        server = streamable_http_client(url, http_client=http)
    async with Client(server) as client:
        written = await client.call_tool("notes__write_note", {"name": NOTE, "text": "two litres"})
        assert not written.is_error, written
        await prompts(client)
        await resources(client)


asyncio.run(asyncio.wait_for(main(*sys.argv[1:]), SECONDS_MAX))
