"""Installs the package from files that cargo built, as its wheel would: for tests of a checkout.

usage: python installed.py COMMAND MODULE
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
import sys
import sysconfig
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]


def main(command: Path, module: Path) -> None:
    site = Path(sysconfig.get_path("purelib"))
    scripts = Path(sysconfig.get_path("scripts"))
    package = site / "tool_hub"
    shutil.rmtree(package, ignore_errors=True)
    ignored = shutil.ignore_patterns("*.so", "__pycache__")
    shutil.copytree(HERE / "tool_hub", package, ignore=ignored)
    shutil.copy2(module, package / "_native.abi3.so")
    # Not over a command that runs.
    (scripts / "tool").unlink(missing_ok=True)
    shutil.copy2(command, scripts / "tool")
    (workspace,) = re.findall(r'(?m)^version = "(.+)"$', (HERE.parent / "Cargo.toml").read_text())
    about = site / f"tool_hub-{workspace}.dist-info"
    about.mkdir(exist_ok=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.4\nName: tool-hub\nVersion: {workspace}\n")
    (about / "INSTALLER").write_text("installed.py\n")
    files = [*package.rglob("*"), scripts / "tool", about / "METADATA", about / "INSTALLER"]
    lines = [_line(file, site) for file in files if file.is_file()]
    name = os.path.relpath(about / "RECORD", site)
    (about / "RECORD").write_text("".join(lines) + f"{name},,\n")


def _line(file: Path, site: Path) -> str:
    data = file.read_bytes()
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{os.path.relpath(file, site)},sha256={digest},{len(data)}\n"


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
