"""Runs the program of a package that starts an MCP server, and calls the tools of that server.

The program runs as on a command line. One that does not start without variables or modules that the
sandbox has not is given something in their place.
"""

import asyncio
import contextlib
import importlib
import inspect
import json
import os
import re
import runpy
import sys
import tempfile

from tool_hub_frameworks import NAMES, State
from tool_hub_server import MCPError, Running, Started, run, wire


class Misused(RuntimeError):
    """A program refuses the arguments of its command line."""


# The directory that a tool is granted by the name `home`.
HOME = "/home"


def unlocked(*_):
    """A lock, which a call need not wait for: nobody else has its files."""
    return 0


def nobody(name):
    raise KeyError(f"name not found: {name!r}")


# Modules of the standard library that the sandbox has not, for servers that do not start without.
# A call of anything else of them fails.
UNAVAILABLE = dict.fromkeys(
    ("curses", "grp", "mmap", "multiprocessing", "readline", "resource", "termios", "tkinter"), {}
) | {
    "fcntl": {"LOCK_SH": 1, "LOCK_EX": 2, "LOCK_NB": 4, "LOCK_UN": 8, "F_GETFL": 3, "F_SETFL": 4, "flock": unlocked, "lockf": unlocked},
    "pwd": {"getpwnam": nobody, "getpwuid": nobody},
}  # fmt: skip


class Program:
    """A server's program, and the names of its tools by those of their exports."""

    def __init__(self, module, function, arguments, exports, tools=None):
        self.module, self.function, self.arguments, self.exports = module, function, arguments, exports
        # Makes a server of tools for a framework, where there is none to start.
        self.tools = tools
        self.failure = None
        is_listing = None in exports.values()
        self.environment = Environment(module) if is_listing else None
        if is_listing:
            os.environ = self.environment
        try:
            self.start_with_stand_ins()
        except Exception as error:
            # A variable may be there in a call.
            self.failure = error
            if is_listing:
                self.retry()

    def start_with_stand_ins(self):
        """Starts it, with stand-ins for modules of the standard library that it needs."""
        while True:
            try:
                return self.start()
            except ModuleNotFoundError as error:
                name = (error.name or "").partition(".")[0]
                if name not in UNAVAILABLE or name in NAMES:
                    raise
                NAMES[name] = UNAVAILABLE[name]
                self.forget()

    def forget(self):
        """Has the modules of the package loaded anew when it is started next."""
        own = self.module.partition(".")[0]
        for name in [it for it in sys.modules if it.partition(".")[0] == own]:
            del sys.modules[name]

    def retry(self):
        """Starts it again: told to use standard input and output if it wants an argument, and
        then with something for each variable that it looked for."""
        first = self.failure
        given = self.arguments
        if isinstance(first, Misused) and not given:
            self.arguments = ["stdio"]
            if self.restarted():
                return
            self.arguments = given
        self.environment.is_giving = True
        if not self.restarted():
            raise first from None

    def restarted(self):
        self.forget()
        try:
            self.start_with_stand_ins()
        except Exception:
            return False
        self.failure = None
        return True

    def start(self):
        os.environ.setdefault("HOME", HOME)
        # This has to be said first where something is written and nothing can be.
        tempfile.tempdir = tempfile.tempdir or "/tmp"
        kept = asyncio.run, sys.argv, sys.exit
        sys.argv = [self.module, *self.arguments]
        patched = [(asyncio, "run", run)]
        with contextlib.suppress(ImportError):
            patched.append((importlib.import_module("anyio"), "run", run))
        before = [(owner, name, getattr(owner, name)) for owner, name, _ in patched]
        for owner, name, value in patched:
            setattr(owner, name, value)
        try:
            self.main()
        except Started:
            pass
        except SystemExit as error:
            if Running.server is None:
                kind = Misused if error.code == 2 else RuntimeError
                raise kind(f"the server ended instead of waiting for a client: {error}") from None
        except BaseExceptionGroup:
            if Running.server is None:
                raise
        finally:
            sys.argv = kept[1]
            for owner, name, value in before:
                setattr(owner, name, value)
        if Running.server is None:
            raise RuntimeError("the program ended without starting a server of MCP")

    def main(self):
        if self.tools is not None:
            Running.server = self.tools()
            return
        if self.function is None:
            runpy.run_module(self.module, run_name="__main__", alter_sys=True)
            return
        found = importlib.import_module(self.module)
        for part in self.function.split("."):
            found = getattr(found, part)
        made = found()
        if inspect.iscoroutine(made):
            run(made)

    def finished(self, coroutine):
        loop = Running.loop
        if loop is None:
            loop = Running.loop = asyncio.new_event_loop()
            asyncio.set_event_loop(loop)
        return loop.run_until_complete(coroutine)

    def call(self, export, arguments):
        """What an export answers, as JSON says a result of WIT."""
        State.is_calling = True
        os.environ.setdefault("HOME", HOME)
        name = self.exports[export.rpartition(".")[2]]
        try:
            if Running.server is None:
                self.failure = None
                State.is_calling = False
                self.start_with_stand_ins()
                State.is_calling = True
            server = Running.server
            self.finished(server.open())
            if name is None:
                told = {"tools": self.finished(server.list()), "variables": sorted(self.environment.asked)}
                told["arguments"] = self.arguments
                return {"ok": {"content": [], "structured": json.dumps(told), "next": None}}
            return reply(wire(self.finished(server.call(name, json.loads(arguments[0])))))
        except BaseException as error:
            said = str(error)
            return failure(f"{type(error).__name__}: {said}" if said and not isinstance(error, MCPError) else said or type(error).__name__)


class Environment(dict):
    """The variables, which notes those that modules of the package look for."""

    is_giving = False
    COMMON = re.compile(r"(?:PYTHON|LC_|XDG_|HTTP|HTTPS|NO_PROXY|ALL_PROXY|SSL_|REQUESTS_|CURL_)")
    NEVER = {"HOME", "PATH", "USER", "LANG", "TZ", "TERM", "PWD", "SHELL", "DEBUG", "NO_COLOR", "COLUMNS", "LOG_LEVEL", "PORT", "HOST"}

    def __init__(self, module):
        super().__init__(os.environ)
        self.package, self.asked = module.partition(".")[0], set()

    def is_own(self, frame, between):
        """True if a module of the package looks for something, those `between` passed over."""
        while frame and frame.f_globals.get("__name__", "").partition(".")[0] in between:
            frame = frame.f_back
        known = frame.f_globals if frame else {}
        owner = known.get("__name__", "").partition(".")[0]
        # A package of single files has others beside its first.
        first = sys.modules.get(self.package)
        is_packaged = str(known.get("__file__")).startswith("/packages/")
        is_beside = is_packaged and first is not None and first.__package__ == known.get("__package__") == ""
        # Those that its dependencies look for count, too, if it does not start without them.
        is_beside = is_beside or is_packaged and self.is_giving
        return is_beside or owner in (self.package, "__main__", "tool_hub_package", "tool_hub_pydantic")

    def note(self, name, has_default):
        is_name = isinstance(name, str) and re.fullmatch(r"[A-Z][A-Z0-9_]{0,63}", name)
        is_known = not is_name or name in self.NEVER or self.COMMON.match(name)
        if is_known or not self.is_own(sys._getframe(2), ("os", "collections", "_collections_abc")):
            return False
        self.asked.add(name)
        return self.is_giving and not has_default

    def get(self, name, default=None):
        if name in self:
            return super().get(name)
        return "placeholder" if self.note(name, default is not None) else default

    def __missing__(self, name):
        if self.note(name, False):
            return "placeholder"
        raise KeyError(name)

    def copy(self):
        return dict(self)


def reply(result):
    """A result of MCP as a `result<reply, failure>` of WIT."""
    parts = [part(it) for it in result.get("content") or []]
    structured = result.get("structuredContent")
    if result.get("isError"):
        texts = [it["body"]["val"] for it in parts if it["body"]["tag"] == "text"]
        return failure("\n".join(texts) or json.dumps(structured))
    said = None if structured is None else json.dumps(structured, ensure_ascii=False)
    return {"ok": {"content": parts, "structured": said, "next": None}}


def failure(message):
    return {"err": {"kind": "internal", "message": message, "fix": None, "argument": None, "retryable": False}}


def part(content):
    kind = content.get("type")
    if kind == "text":
        body = {"tag": "text", "val": content.get("text", "")}
    elif kind in ("image", "audio"):
        body = {"tag": kind, "val": {"media_type": content.get("mimeType", ""), "data": content.get("data", "")}}
    elif kind == "resource_link":
        names = {"uri": "uri", "name": "name", "title": "title", "description": "description", "mimeType": "media_type", "size": "size"}
        body = {"tag": "link", "val": {own: content.get(name) for name, own in names.items()}}
        body["val"]["name"] = body["val"]["name"] or ""
    else:
        held = content.get("resource") or {}
        contents = {"tag": "blob", "val": held["blob"]} if "blob" in held else {"tag": "text", "val": held.get("text", "")}
        body = {"tag": "resource", "val": {"uri": str(held.get("uri", "")), "media_type": held.get("mimeType"), "contents": contents}}
    return {"body": body, "annotations": None}
