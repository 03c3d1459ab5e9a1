"""Fixtures of the adapters' tests: sample tools, approved with what they need."""

import pathlib
import struct
import sys
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "python/tests/standin"))
sys.path.insert(0, str(ROOT / "docs/examples/python"))

import pytest  # noqa: E402
import tool_hub  # noqa: E402


@pytest.fixture
def box():
    tool_hub.NOTES["groceries"] = "milk"
    return tool_hub.Toolbox()


@pytest.fixture
def notes():
    return tool_hub.NOTES


@pytest.fixture
def named(box):
    """The tool whose name ends so."""

    def find(end):
        (tool,) = [tool for tool in box.tools().values() if tool.name.endswith(end)]
        return tool

    return find


@pytest.fixture
def picture():
    """A picture of 16 by 8 pixels, as a model writes it down."""
    import base64

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + b"\xff\0\0" * 16 for _ in range(8))
    header = struct.pack(">IIBBBBB", 16, 8, 8, 2, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
    png += chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return {"media_type": "image/png", "data": base64.b64encode(png).decode()}
