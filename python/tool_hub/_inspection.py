"""`load`, `load_tool`, and the `Inspection` on which a person decides before approving a tool."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tool_hub import _native
from tool_hub._errors import Error, RefusedError
from tool_hub._tools import Tool, Tools
from tool_hub._workspace import workspace


@dataclass(frozen=True)
class Capability:
    """Something that a tool asks for: ``access`` to ``what``, and ``why``, in its author's words."""

    access: str
    what: str
    why: str
    used: bool


class Inspection:
    """A tool that was verified and inspected. Nothing of it ran.

    Print it for about ten lines to decide on. ``approve`` takes the digest that a person agreed to.
    """

    __slots__ = ("_native",)

    def __init__(self, native: _native.Inspection) -> None:
        self._native = native

    @property
    def name(self) -> str:
        """The tool's name."""
        return self._native.name

    @property
    def version(self) -> str:
        """The version."""
        return self._native.version

    @property
    def description(self) -> str:
        """Its purpose, as its author says."""
        return self._native.description

    @property
    def publisher(self) -> str | None:
        """The owner of the repo that it is from."""
        return self._native.publisher

    @property
    def signer(self) -> str | None:
        """The signer: the fingerprint of a key, or an identity. None if it is not signed."""
        return self._native.signer

    @property
    def published(self) -> str | None:
        """The day on which it was published, as ``2026-01-31``."""
        return self._native.published

    @property
    def digest(self) -> str:
        """The digest that an approval names: over the manifest and the component."""
        return self._native.digest

    @property
    def capabilities(self) -> list[Capability]:
        """All that it asks for."""
        return [Capability(*plain) for plain in self._native.capabilities]

    @property
    def functions(self) -> list[str]:
        """The names of its functions."""
        return self._native.functions

    @property
    def refusals(self) -> list[str]:
        """Reasons never to run it. With one of them it cannot be approved."""
        return self._native.refusals

    @property
    def warnings(self) -> list[str]:
        """Remarks for the person who approves."""
        return self._native.warnings

    def report(self, verbose: bool = False) -> str:
        """About ten lines to decide on, or everything. A stranger's text in it is escaped."""
        return self._native.full_report() if verbose else self._native.report()

    def approve(self, digest: str, grants: Mapping[str, Any] | None = None) -> Tools:
        """Approves the tool with this digest, and loads it.

        Whoever calls this has the consent of the person in whose name the tool will run. ``grants``
        gives it rights, none beyond what it asks for::

            {"network": ["https://api.example"], "variables": {"API_KEY": "…"}, "storage": True}

        Raises ``RefusedError`` for another digest, for more rights than it asks for, and where
        approvals have to be signed.
        """
        if not isinstance(digest, str) or not digest:
            raise RefusedError(
                f"nobody approved {self.name} {self.version}: {digest!r} is no digest",
                "show what `tool_hub.load` gives to the person in whose name the tool will run, "
                "and pass the digest that they approve",
            )
        return Tools(self._native.approve(digest, _written(grants)))

    def __str__(self) -> str:
        return self.report()

    def __repr__(self) -> str:
        return f"<Inspection of {self.name} {self.version}, {self.digest}>"


def load(subject: str | os.PathLike[str]) -> Inspection:
    """Gets a tool, verifies it and inspects it. Nothing of it runs.

    ``subject`` is ``owner/name`` or ``owner/name@1.2.0`` on the registry of ``HF_ENDPOINT``, or a
    path to a package, a project or a component, which begins with ``.``, ``/`` or ``~`` or ends in
    ``.wasm``.
    """
    if isinstance(subject, os.PathLike):
        subject = os.path.abspath(subject)
    return Inspection(workspace().load(subject))


def load_tool(
    subject: str | os.PathLike[str],
    *,
    approve: str,
    grants: Mapping[str, Any] | None = None,
) -> Tool:
    """The only function of the tool ``subject``, approved by its digest."""
    return load(subject).approve(approve, grants).only()


def _written(grants: Mapping[str, Any] | None) -> str:
    try:
        return json.dumps(dict(grants or {}), default=os.fspath)
    except (TypeError, ValueError) as error:
        raise Error(f"the grants cannot be read: {error}") from None
