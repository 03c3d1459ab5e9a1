"""The toolbox that the command made: what was approved there needs no further approval."""

from __future__ import annotations

import os
from pathlib import Path

from tool_hub._place import workspace
from tool_hub._tools import Tools


class Toolbox:
    """The toolbox in a directory, or the one in force.

    That is the nearest ``toolbox.toml`` upwards of the working directory, else the user's own. What
    the user approved with ``tool load`` can be called; nothing else of it runs.
    """

    __slots__ = ("_native",)

    def __init__(self, directory: str | os.PathLike[str] | None = None) -> None:
        path = None if directory is None else Path(os.path.abspath(directory))
        if path is not None and path.name == "toolbox.toml":
            path = path.parent
        self._native = workspace().toolbox(None if path is None else str(path))

    @property
    def directory(self) -> Path:
        """The directory that it is in."""
        return Path(self._native.directory)

    def tools(self, *names: str) -> Tools:
        """The tools of these names, as they are approved now; without names all usable ones."""
        return Tools(self._native.tools(list(names)))

    def __repr__(self) -> str:
        return f"<Toolbox {self.directory}>"
