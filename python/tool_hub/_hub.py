"""`search` finds tools on a registry, and `push` publishes packages there."""

from __future__ import annotations

import os
from dataclasses import dataclass

from tool_hub._workspace import workspace


@dataclass(frozen=True)
class Found:
    """A tool that a search found. Its texts are a stranger's."""

    repo: str
    description: str | None
    version: str | None
    functions: list[str]
    downloads: int
    likes: int
    private: bool


@dataclass(frozen=True)
class Pushed:
    """A version that is on the registry."""

    repo: str
    version: str
    commit: str
    url: str
    digest: str


def search(query: str = "", *, limit: int = 20) -> list[Found]:
    """The tools of the registry of ``HF_ENDPOINT`` that ``query`` finds, all for an empty one."""
    return [Found(*found) for found in workspace().search(query, limit)]


def push(directory: str | os.PathLike[str], repo: str, *, private: bool = False) -> Pushed:
    """Publishes the package that ``tool build`` left in ``directory`` as ``repo``.

    A version never changes: what is there already with other content is refused.
    """
    return Pushed(*workspace().push(os.fspath(directory), repo, private))
