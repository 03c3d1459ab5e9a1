"""Makes a `Workspace` of the environment as it is now; finds the installed command `tool`."""

from __future__ import annotations

import atexit
import os
import sys

from tool_hub import _native
from tool_hub._fork import importing

_compiler: tuple[str | None] | None = None


def workspace() -> _native.Workspace:
    """The workspace of this moment: whoever changes the environment means what comes after."""
    return _native.Workspace(dict(os.environ), os.getcwd(), compiler())


def compiler() -> str | None:
    """The command ``tool`` that was installed with this very package, if there is one.

    It compiles in a process of its own, and what it makes is run: so it is taken from the files
    that the package was installed with and never through ``PATH``.
    """
    global _compiler
    if _compiler is None:
        # Once, and not while another thread forks: what is called below imports modules as well.
        with importing:
            _compiler = _compiler or (_find_compiler(),)
    return _compiler[0]


def _find_compiler() -> str | None:
    from importlib import metadata

    try:
        installed = metadata.distribution("tool-hub")
    except metadata.PackageNotFoundError:
        return None
    name = "tool.exe" if sys.platform == "win32" else "tool"
    for file in installed.files or ():
        if file.name == name and file.parent.name in ("bin", "Scripts"):
            path = os.path.realpath(str(installed.locate_file(file)))
            return path if _is_this_version(path, installed.version) else None
    return None


def _is_this_version(path: str, version: str) -> bool:
    import subprocess

    try:
        said = subprocess.run([path, "--version"], capture_output=True, timeout=10, env={})
    except (OSError, subprocess.TimeoutExpired):
        return False
    return said.stdout.decode("utf-8", "replace").split() == ["tool", version]


atexit.register(_native.stop)
