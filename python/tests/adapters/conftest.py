"""Fixtures of the adapters' tests: sample tools, and what they work on."""

import base64
import pathlib
import struct
import sys
import zlib

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "docs/examples/python"))


class Counters:
    """The counters that the tool `tally` keeps."""

    def __init__(self, tools):
        self._add, self._totals, self._forget = (
            tools[f"tally__{name}"] for name in ("add", "totals", "forget")
        )

    def __contains__(self, name):
        return name in [total["counter"] for total in self._totals()]

    def __setitem__(self, name, total):
        self._forget(counter=name)
        self._add(counter=name, amount=total)


@pytest.fixture(scope="session")
def box(approved):
    """Sample tools by name, approved with what they need."""
    return {
        **approved("calculator"),
        **approved("run-python"),
        **approved("tally", {"storage": True}),
        **approved("thumbnail"),
    }


@pytest.fixture
def counters(box):
    """The counters, of which there is one."""
    counters = Counters(box)
    counters["groceries"] = 1
    return counters


@pytest.fixture
def named(box):
    """Finds the tool whose name ends so."""

    def find(end):
        (tool,) = [tool for tool in box.values() if tool.name.endswith(end)]
        return tool

    return find


@pytest.fixture
def picture():
    """A picture of 16 by 8 pixels, as a model writes it down."""

    def chunk(kind, data):
        checksum = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + checksum

    rows = b"".join(b"\0" + b"\xff\0\0" * 16 for _ in range(8))
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 16, 8, 8, 2, 0, 0, 0))
    png = b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return {"media_type": "image/png", "data": base64.b64encode(png).decode()}
