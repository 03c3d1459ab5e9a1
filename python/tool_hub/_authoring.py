"""The decorator ``tool``: makes Python functions tools, with methods to build and publish them."""

from __future__ import annotations

import functools
import inspect
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FunctionType
from typing import Any, Generic, TypeVar, overload

from tool_hub._errors import Error
from tool_hub._hub import Pushed
from tool_hub._source import SourceFile, refuse
from tool_hub._workspace import compiler

F = TypeVar("F", bound=Callable[..., Any])

#: The first line of a `tool.toml` that may be written over.
_OURS = "# Each build by tool_hub.tool in Python writes the files of this project anew."
#: The file of a project's functions.
_MODULE = "functions.py"
#: TOML's bare keys; others are written as strings.
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


class AuthoredTool(Generic[F]):
    """A documented function that can be built and published as a tool, and called as before.

    Calls run the function itself, here and with all rights: only what was built runs in the
    sandbox.
    """

    def __init__(
        self,
        function: F,
        *,
        name: str,
        version: str,
        description: str,
        license: str,
        capabilities: Mapping[str, Any],
    ) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.name = name
        self.version = version
        self.description = description
        self.license = license
        self.capabilities = dict(capabilities)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Calls the function itself."""
        return self.function(*arguments, **named)

    def __repr__(self) -> str:
        return f"<AuthoredTool {self.name} {self.version}>"

    @property
    def source(self) -> str:
        """The file that the tool is built from: the function, and what it refers to."""
        assert isinstance(self.function, FunctionType)
        return SourceFile(self.function).text()

    def build(self, directory: str | os.PathLike[str] | None = None) -> Path:
        """Builds the tool in ``directory``, by default ``./NAME``, and returns its package.

        The directory is a project like those of ``tool new --from``. One that somebody else made is
        left alone. The first build on a machine fetches componentize-py, and takes a minute.
        """
        project = Path(directory if directory is not None else self.name).absolute()
        manifest, text, source = project / "tool.toml", self._manifest(), self.source
        is_ours = manifest.is_file() and manifest.read_text("utf-8").startswith(_OURS)
        if project.exists() and any(project.iterdir()) and not is_ours:
            raise Error(
                f"{project} is no directory that a build of this kind made",
                "name an empty directory, or one that is not there: build(directory)",
            )
        project.mkdir(parents=True, exist_ok=True)
        manifest.write_text(text, encoding="utf-8")
        (project / _MODULE).write_text(source, encoding="utf-8")
        card = f"# {self.name}\n\n{inspect.getdoc(self.function)}\n"
        (project / "README.md").write_text(card, encoding="utf-8")
        _run_command("build", str(project))
        return project / "dist"

    def push(
        self,
        repo: str,
        *,
        private: bool = False,
        directory: str | os.PathLike[str] | None = None,
    ) -> Pushed:
        """Builds the tool and publishes it as ``repo``, on the registry of ``HF_ENDPOINT``.

        A version never changes: give a changed function a new one.
        """
        from tool_hub._hub import push

        return push(self.build(directory), repo, private=private)

    def _manifest(self) -> str:
        lines = [_OURS, "schema = 1"]
        for key in ("name", "version", "description", "license"):
            lines.append(f"{key} = {_toml(getattr(self, key))}")
        lines += ["", "[build]", 'language = "python"', f"functions = {_toml(_MODULE)}"]
        if self.capabilities:
            lines += ["", "[capabilities]"]
            lines += [f"{_key(key)} = {_toml(value)}" for key, value in self.capabilities.items()]
        return "\n".join(lines) + "\n"


@overload
def tool(function: F, /) -> AuthoredTool[F]: ...
@overload
def tool(
    *,
    name: str | None = ...,
    version: str = ...,
    description: str | None = ...,
    license: str = ...,
    capabilities: Mapping[str, Any] | None = ...,
) -> Callable[[F], AuthoredTool[F]]: ...


def tool(
    function: F | None = None,
    /,
    *,
    name: str | None = None,
    version: str = "0.1.0",
    description: str | None = None,
    license: str = "Apache-2.0",
    capabilities: Mapping[str, Any] | None = None,
) -> AuthoredTool[F] | Callable[[F], AuthoredTool[F]]:
    """Makes a function one that can be built and published as a tool.

    Its parameters and its result need type hints, and its docstring says what it does and, below
    ``Args:``, what each parameter means. Agents are told just that. ``capabilities`` are those of
    ``tool.toml``, such as ``{"network": ["https://api.example"]}``. What is not said here comes from
    the function: its name, and the first paragraph of its docstring.

    >>> @tool
    ... def shout(text: str) -> str:
    ...     \"\"\"Writes a text in capital letters.
    ...
    ...     Args:
    ...         text: The text.
    ...     \"\"\"
    ...     return text.upper()
    >>> shout("quiet")
    'QUIET'
    >>> shout
    <AuthoredTool shout 0.1.0>
    """

    def authored(function: F) -> AuthoredTool[F]:
        summary = _summary(function)
        return AuthoredTool(
            function,
            name=name or function.__name__.strip("_").replace("_", "-").lower(),
            version=version,
            description=description or summary,
            license=license,
            capabilities=capabilities or {},
        )

    return authored(function) if function is not None else authored


def _summary(function: Any) -> str:
    """The first paragraph of a function's docstring, once all is there that agents need."""
    if not isinstance(function, FunctionType):
        raise Error(f"{function!r} is no function", "decorate a function that `def` made")
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        refuse(function, "it is asynchronous or a generator", "write a plain function")
    if function.__code__.co_freevars:
        names = ", ".join(f"`{name}`" for name in function.__code__.co_freevars)
        refuse(function, f"it uses {names} of the function around it", "pass it as an argument")
    missing = [
        name for name in inspect.signature(function).parameters
        if name not in function.__annotations__
    ]
    if missing:
        names = ", ".join(f"`{name}`" for name in missing)
        refuse(function, f"no type hint of {names}", "write for example `days: int`")
    if "return" not in function.__annotations__:
        refuse(function, "no type hint of its result", "write for example `-> str`")
    if not (text := inspect.getdoc(function)):
        refuse(function, "it has no docstring", "say what it does, and each parameter below `Args:`")
    return " ".join(text.split("\n\n")[0].split())


def _run_command(*arguments: str) -> None:
    """Runs the command ``tool`` of this package, and raises what it says when it fails."""
    command = compiler()
    if command is None:
        raise Error(
            "this installation has no command `tool`, which builds tools",
            "install the package without TOOL_HUB_WHEEL=module",
        )
    environment = dict(os.environ)
    if sys.prefix != sys.base_prefix:
        # The packages that the function imports are taken from there.
        environment["VIRTUAL_ENV"] = sys.prefix
    ended = subprocess.run(
        [command, "--quiet", *arguments],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        env=environment,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    if ended.returncode != 0:
        told = ended.stderr.strip().removeprefix("error: ")
        message, _, hint = told.partition("\nhint: ")
        raise Error(message, hint or None)


def _toml(value: Any) -> str:
    """A value in TOML."""
    if isinstance(value, Mapping):
        members = (f"{_key(key)} = {_toml(member)}" for key, member in value.items())
        return "{ " + ", ".join(members) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if not isinstance(value, (str, int)):
        raise Error(
            f"{value!r} cannot be written into tool.toml",
            "give text, an integer, True, False, a list or a dict of these",
        )
    # Strings are those of JSON, but for characters beyond 16 bits and U+007F.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _toml(key)
