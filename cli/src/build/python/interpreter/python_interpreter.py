"""The component that runs the programs of tools that are written in Python.

`tool build` makes it once for all of them, with the file `library` beside it, which
`standard_library` wrote. A program is a JSON object: `modules` has each module by its name, as a
list of its file, its source, and whether it is a package; `packages` is an archive of zip in base64
with what it depends on; `main` is the name of the module that has the function `call`, or, where there
is a `world`, the classes of its interfaces.
"""

import gc
import importlib.machinery
import json
import marshal
import os
import sys
import traceback
import zlib

from componentize_py_types import Err
from wit_world import exports


class Finder:
    """Finds modules by their names, and loads them.

    `modules` has of each its file, its source or code, and whether it is a package.
    """

    def __init__(self, modules):
        self.modules = modules

    def find_spec(self, name, path=None, target=None):
        if name not in self.modules:
            return None
        file, _, is_package = self.modules[name]
        spec = importlib.machinery.ModuleSpec(name, self, origin=file, is_package=is_package)
        spec.has_location = True
        return spec

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        exec(self.get_code(module.__name__), module.__dict__)

    def is_package(self, name):
        return self.modules[name][2]


class StandardLibrary(Finder):
    """The modules of the standard library, compiled: the component has no files when it runs."""

    def get_code(self, name):
        return marshal.loads(zlib.decompress(self.modules[name][1]))

    def get_source(self, name):
        return None


class ProgramModules(Finder):
    """The modules of a program, from their sources."""

    main = None

    def get_code(self, name):
        file, source, _ = self.modules[name]
        return compile(source, file, "exec", dont_inherit=True)

    def get_source(self, name):
        return self.modules[name][1]


PROGRAM = ProgramModules({})


def said(error):
    """What Python says of an error, without the frames that are not of the program's files."""
    files = {file for file, _, _ in PROGRAM.modules.values()}
    told = traceback.TracebackException.from_exception(error)
    own = [frame for frame in told.stack if frame.filename in files or frame.filename.startswith(tool_hub_packages.DIRECTORY)]
    told.stack = traceback.StackSummary.from_list(own)
    return "".join(told.format()).rstrip()


def load(program):
    """Loads the modules of a program."""
    given = json.loads(program)
    PACKAGES.open(given.get("packages"))
    for name, module in given["modules"].items():
        PROGRAM.modules[name] = tuple(module)
        # A module of the program comes before one of the standard library, as beside a script.
        sys.modules.pop(name, None)
    if "world" in given:
        PROGRAM.main = tool_hub_wit.Classes(given["main"], given["world"])
    else:
        PROGRAM.main = importlib.import_module(given["main"])


def run(function, arguments):
    """Calls a function of the program that was loaded."""
    if "random" in sys.modules:
        # Its seed was drawn when the module was loaded, and may be that of many calls.
        sys.modules["random"].seed()
    try:
        return json.dumps(PROGRAM.main.call(function, json.loads(arguments)), ensure_ascii=False)
    except BaseException as error:
        # The host repeats what was written last.
        print(said(error), file=sys.stderr, flush=True)
        sys.stdout.flush()
        os._exit(1)
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()


class Interpreter(exports.Interpreter):
    """The interface `interpreter` of the contract."""

    def prepare(self, program):
        # There are no files to find modules in. While the component is built there are.
        sys.meta_path[:] = [importlib.machinery.BuiltinImporter, importlib.machinery.FrozenImporter, PROGRAM, PACKAGES, LIBRARY]
        sys.path.clear()
        try:
            load(program)
        except BaseException as error:
            raise Err(said(error)) from None
        gc.freeze()

    def call(self, function, arguments):
        return run(function, arguments)


with open(f"{os.path.dirname(__file__)}/library", "rb") as file:
    LIBRARY = StandardLibrary(marshal.load(file))

# Modules that most programs import are loaded when the component is built. They come from what was
# compiled before: a compiler leaves holes in the memory, and what a program puts there is copied
# for each call.
sys.meta_path[:] = [importlib.machinery.BuiltinImporter, importlib.machinery.FrozenImporter, LIBRARY, *sys.meta_path]
import ast, base64, bisect, calendar, collections.abc, contextlib, copy, csv, dataclasses  # noqa: E401, E402, F401
import datetime, decimal, difflib, enum, fractions, functools, hashlib, heapq, html, inspect  # noqa: E401, E402, F401
import io, itertools, keyword, linecache, logging, math, operator, pathlib, pprint, re  # noqa: E401, E402, F401
import statistics, string, struct, textwrap, time, tokenize, types, typing, unicodedata  # noqa: E401, E402, F401
import urllib.parse, warnings, weakref, asyncio  # noqa: E401, E402, F401
import tool_hub_ctypes, tool_hub_event_loop, tool_hub_functions, tool_hub_http  # noqa: E401, E402
import tool_hub_interpreters, tool_hub_packages, tool_hub_ssl  # noqa: E401, E402
import tool_hub_threads, tool_hub_wit  # noqa: E401, E402

sys.modules.update({
    "concurrent.interpreters": tool_hub_interpreters,
    "ctypes": tool_hub_ctypes,
    "ssl": tool_hub_ssl,
})
import http.client, http.cookiejar, importlib.metadata  # noqa: E401, E402, F401
import importlib.resources, urllib.request, zoneinfo  # noqa: E401, E402, F401

tool_hub_http.install()
tool_hub_event_loop.install()
tool_hub_threads.install()
PACKAGES = tool_hub_packages.Packages()
tool_hub_packages.install(PACKAGES)

SAMPLE = {
    "sample": """
from enum import Enum
from typing import Literal, Optional


class Colour(Enum):
    RED = "red"


def paint(text: str, times: int = 1, colour: Colour = Colour.RED, more: Optional[list[float]] = None) -> list[str]:
    if not text:
        raise ValueError("nothing to paint")
    return [f"{text} {colour.value} {more}" for _ in range(times)]
""",
    "sample_functions": """
import importlib

from tool_hub_functions import as_text, hints_of, result

source = importlib.import_module("sample")
HINTS = {name: hints_of(getattr(source, name)) for name in ["paint"]}


def export_paint(a0, a1, a2, a3):
    given = {
        "text": lambda: a0,
        **({} if a1 is None else {"times": lambda: int(a1)}),
        **({} if a2 is None else {"colour": lambda: a2}),
        **({} if a3 is None else {"more": lambda: [float(item) for item in a3]}),
    }
    return result(source.paint, HINTS["paint"], given, lambda it: [as_text(item) for item in it])


def call(export, arguments):
    return export_paint(*arguments)
""",
}


def warm_up():
    """Loads and calls a program until nothing changes any more in what all programs use: Python
    adapts code to the values that it sees, and each change is copied for each call."""
    program = {
        "modules": {name: [f"{name}.py", source, False] for name, source in SAMPLE.items()},
        "main": "sample_functions",
    }
    for _ in range(64):
        load(json.dumps(program))
        for arguments in (["a", None, None, None], ["b", 2, "red", [1.5]], ["", None, None, None]):
            run("tools:sample/functions.paint", json.dumps(arguments))
    for name in SAMPLE:
        del sys.modules[name]
    PROGRAM.modules.clear()
    PROGRAM.main = None


def fillings():
    """Objects that fill the holes in Python's memory. So a program's own lie side by side, and are
    copied for each call in few pieces."""
    filling = []
    for size in range(24, 520, 8):
        (side_by_side, before) = (0, 0)
        for _ in range(2000):
            filling.append(bytes(size - sys.getsizeof(b"")))
            place = id(filling[-1])
            side_by_side = side_by_side + 1 if size <= place - before <= size + 16 else 0
            before = place
            if side_by_side == 16:
                break
    return filling


sys.meta_path.insert(0, PROGRAM)
warm_up()
sys.meta_path.remove(PROGRAM)
gc.collect()
FILLINGS = fillings()
# A collection would write to every object that it looks at.
gc.freeze()
