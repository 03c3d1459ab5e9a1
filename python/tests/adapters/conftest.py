"""Fixtures of the adapters' tests: a toolbox with sample tools, and what they work on."""

import base64
import pathlib
import struct
import subprocess
import sys
import zlib

import pytest

import tool_hub

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "docs/examples/python"))


class Notes:
    """The notes in the directory that the tool `notes` was granted."""

    def __init__(self, directory):
        self.directory = directory

    def __contains__(self, name):
        return self._file(name).exists()

    def __setitem__(self, name, text):
        self._file(name).write_text(text)

    def _file(self, name):
        return self.directory / f"{name}.md"


@pytest.fixture(scope="session")
def notes_directory(tmp_path_factory):
    return tmp_path_factory.mktemp("notes")


@pytest.fixture(scope="session")
def box(home, command, sample, notes_directory):
    """The toolbox of a person who loaded sample tools with the command."""
    for name, *flags in (
        ["calculator"],
        ["notes", "--allow-dir", f"notes={notes_directory}"],
        ["run-python"],
        ["thumbnail"],
    ):
        package = str(sample(name))
        digest = tool_hub.load(package).digest
        subprocess.run([command, "load", package, "--approve", digest, *flags], check=True)
    return tool_hub.Toolbox()


@pytest.fixture
def notes(notes_directory):
    """The notes, of which there is one."""
    notes = Notes(notes_directory)
    notes["groceries"] = "milk"
    return notes


@pytest.fixture
def named(box):
    """Finds the tool whose name ends so."""

    def find(end):
        (tool,) = [tool for tool in box.tools().values() if tool.name.endswith(end)]
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
