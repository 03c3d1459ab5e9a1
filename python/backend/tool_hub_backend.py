"""Builds wheels with maturin, and puts the command ``tool`` into them.

``TOOL_HUB_WHEEL=module`` leaves the command out, for whoever wants the module soon; then components
are compiled in the process that loads them. ``maturin develop`` leaves it out as well.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Optional

import maturin
from maturin import (
    build_editable,
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

HERE = Path(__file__).resolve().parents[1]
#: What maturin puts into the wheel beside the package: it looks for the name of the module, whole.
DATA = HERE / "tool_hub._native.data"
Settings = Optional[Mapping[str, Any]]


def build_wheel(
    directory: str, settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """The wheel, with the command unless it is left out."""
    shutil.rmtree(DATA, ignore_errors=True)
    if os.environ.get("TOOL_HUB_WHEEL") != "module":
        _put_command()
        # The same features of dependencies as for the command, so that they are compiled once.
        given = maturin.get_maturin_pep517_args(settings)
        settings = {**(settings or {}), "maturin.build-args": [*given, "--features", "command"]}
    try:
        return maturin.build_wheel(directory, settings, metadata_directory)
    finally:
        shutil.rmtree(DATA, ignore_errors=True)


def _put_command() -> None:
    """Builds the command of this very version beside the module."""
    workspace = HERE.parent
    if not (workspace / "cli/Cargo.toml").is_file():
        sys.exit(
            "the command `tool` is not in these sources: build from a clone of the repository, or "
            "set TOOL_HUB_WHEEL=module for a wheel without it"
        )
    words = ["cargo", "build", "--release", "--locked", "--bin", "tool"]
    words += ["--package", "tool-hub-cli", "--package", "tool-hub-python"]
    words += ["--features", "tool-hub-python/command"]
    words += ["--message-format", "json-render-diagnostics"]
    built = subprocess.run(words, cwd=workspace, check=True, stdout=subprocess.PIPE)
    made = [json.loads(line) for line in built.stdout.splitlines() if line.startswith(b"{")]
    made = [it for it in made if it.get("executable") and it["target"]["name"] == "tool"]
    (command,) = {it["executable"] for it in made}
    scripts = DATA / "scripts"
    scripts.mkdir(parents=True)
    shutil.copy2(command, scripts)
