"""Lists and calls every sample tool with the Model Context Protocol's Python SDK.

usage: mcp_sdk.py PATH_TO_TOOL        over stdio; TOOL_HUB_HOME holds a toolbox with every sample tool
       mcp_sdk.py URL TOKEN           over HTTP, of a server of such a toolbox
"""

import asyncio
import base64
import contextlib
import json
import os
import struct
import sys
import zlib

import httpx2
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client


def picture(width, height):
    """A PNG of one colour."""

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    rows = (b"\0" + b"\x7f" * width) * height
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


PICTURE = {"media_type": "image/png", "data": base64.b64encode(picture(64, 32)).decode()}

# A note is written once.
NOTE = f"milk-{os.getpid()}"

# What is called, with which arguments, and what must be true of the result.
CALLS = [
    ("text_stats__count_words", {"text": "one two three"}, lambda r: text(r) == "3"),
    ("calculator__evaluate", {"expression": "2 km + 300 m"}, lambda r: structured(r)["value"] in (2.3, 2300.0)),
    ("notes__write_note", {"name": NOTE, "text": "two litres"}, lambda r: not r.is_error),
    ("notes__read_note", {"name": NOTE}, lambda r: "two litres" in text(r)),
    ("slugify__slugify", {"text": "Crème Brûlée"}, lambda r: text(r) == "creme-brulee"),
    ("json_query__query", {"json": '{"a": [1, 2]}', "expression": "a[1]"}, lambda r: text(r) == "2"),
    ("thumbnail__describe", {"picture": PICTURE}, lambda r: structured(r)["width"] == 64),
    ("thumbnail__shrink", {"picture": PICTURE, "longest_side": 16}, lambda r: r.content[0].type == "image"),
    # The network was not granted, so this must fail, and say which flag would grant it.
    ("fetch_page", {"url": "https://example.com/"}, lambda r: r.is_error and "--allow-network" in text(r)),
    # Failures are written for the model.
    ("calculator__evaluate", {"expression": "2 m + 3 kg"}, lambda r: r.is_error and "expression" in text(r)),
    ("text_stats__count_words", {"txt": "x"}, lambda r: r.is_error and "text" in text(r)),
]


def text(result):
    return "\n".join(part.text for part in result.content if part.type == "text")


def structured(result):
    return result.structured_content


def hint(annotations, name):
    return getattr(annotations, name, None)


@contextlib.asynccontextmanager
async def connection(server, token):
    """The streams of a client over HTTP where there is a token, else over stdio."""
    if token is None:
        parameters = StdioServerParameters(command=server, args=["serve"], env=dict(os.environ))
        async with stdio_client(parameters) as streams:
            yield streams
    else:
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=120) as client:
            async with streamable_http_client(server, http_client=client) as streams:
                yield streams


async def main(server, token=None):
    async with connection(server, token) as streams, ClientSession(*streams[:2]) as session:
        await session.initialize()
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
        print(len(tools), "functions:", *tools)
        for name, arguments, holds in CALLS:
            tool = tools[name]
            assert tool.description, name
            assert tool.input_schema["type"] == "object", name
            result = await session.call_tool(name, arguments)
            shown = json.dumps(arguments)[:60]
            assert holds(result), f"{name} {shown} answered {result}"
            print("ok", name, shown)
        assert tools["text_stats__count_words"].output_schema["type"] == "object"
        assert hint(tools["text_stats__count_words"].annotations, "read_only_hint") is True


asyncio.run(asyncio.wait_for(main(*sys.argv[1:]), 300))
