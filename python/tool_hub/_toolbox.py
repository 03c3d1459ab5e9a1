"""The `Toolbox` class: the tools that a user approved with the command `tool`, ready to call."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tool_hub._fork import importing
from tool_hub._tools import Tools
from tool_hub._workspace import workspace

if TYPE_CHECKING:
    from pathlib import Path


class Toolbox:
    """The toolbox in a directory, or the one in force.

    That is the nearest ``toolbox.toml`` upwards of the working directory, else the user's own. What
    the user approved with ``tool load`` can be called; nothing else of it runs.
    """

    __slots__ = ("_native",)

    def __init__(self, directory: str | os.PathLike[str] | None = None) -> None:
        path = None if directory is None else os.path.abspath(directory)
        if path is not None and os.path.basename(path) == "toolbox.toml":
            path = os.path.dirname(path)
        self._native = workspace().toolbox(path)

    @property
    def directory(self) -> Path:
        """The directory that it is in."""
        with importing:
            from pathlib import Path

        return Path(self._native.directory)

    def tools(self, *names: str) -> Tools:
        """The tools of these names, as they are approved now; without names all usable ones."""
        return Tools(self._native.tools(list(names)))

    def __repr__(self) -> str:
        return f"<Toolbox {self.directory}>"
