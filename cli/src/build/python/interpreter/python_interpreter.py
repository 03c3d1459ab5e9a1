"""The component that runs the programs of tools that are written in Python.

`tool build` makes it once for all of them, with the file `library` beside it that `standard_library`
wrote. A program is a JSON object: `modules` has the source of
each module by its name, as a list of its file, its text, and whether it is a package; `main` is the
name of the module that has the function `call`.
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
    """Finds modules by their names, and loads them. Subclasses say which there are."""

    def find_spec(self, name, path=None, target=None):
        if not self.has(name):
            return None
        spec = importlib.machinery.ModuleSpec(name, self, origin=self.file_of(name), is_package=self.is_package(name))
        spec.has_location = True
        return spec

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        exec(self.get_code(module.__name__), module.__dict__)


class StandardLibrary(Finder):
    """The modules of the standard library, compiled: the component has no files when it runs."""

    def __init__(self, file):
        self.modules = marshal.load(file)

    def has(self, name):
        return name in self.modules

    def file_of(self, name):
        return self.modules[name][0]

    def is_package(self, name):
        return self.modules[name][1]

    def get_code(self, name):
        return marshal.loads(zlib.decompress(self.modules[name][2]))

    def get_source(self, name):
        return None


class ProgramModules(Finder):
    """The modules of a program, from their sources."""

    def __init__(self):
        self.modules = {}
        self.main = None

    def has(self, name):
        return name in self.modules

    def file_of(self, name):
        return self.modules[name][0]

    def is_package(self, name):
        return self.modules[name][2]

    def get_code(self, name):
        file, source, _ = self.modules[name]
        return compile(source, file, "exec", dont_inherit=True)

    def get_source(self, name):
        return self.modules[name][1]


PROGRAM = ProgramModules()


def said(error):
    """What Python says of an error, without the frames that are not of the program's files."""
    files = {file for file, _, _ in PROGRAM.modules.values()}
    told = traceback.TracebackException.from_exception(error)
    told.stack = traceback.StackSummary.from_list([frame for frame in told.stack if frame.filename in files])
    return "".join(told.format()).rstrip()


class Interpreter(exports.Interpreter):
    """The interface `interpreter` of the contract."""

    def prepare(self, program):
        # There are no files to find modules in. While the component is built there are.
        sys.meta_path[:] = [importlib.machinery.BuiltinImporter, importlib.machinery.FrozenImporter, PROGRAM, LIBRARY]
        sys.path.clear()
        given = json.loads(program)
        PROGRAM.modules.update({name: tuple(module) for name, module in given["modules"].items()})
        try:
            PROGRAM.main = importlib.import_module(given["main"])
        except BaseException as error:
            raise Err(said(error)) from None
        gc.freeze()

    def call(self, function, arguments):
        if "random" in sys.modules:
            # Its seed was drawn when the module was loaded, and may be that of many calls.
            sys.modules["random"].seed()
        answer = PROGRAM.main.call(function, json.loads(arguments))
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        return json.dumps(answer, ensure_ascii=False)


with open(f"{os.path.dirname(__file__)}/library", "rb") as file:
    LIBRARY = StandardLibrary(file)

# Modules that most programs import are loaded when the component is built. They come from what was
# compiled before: a compiler leaves holes in the memory, and what a program puts there is copied
# for each call.
sys.meta_path[:] = [importlib.machinery.BuiltinImporter, importlib.machinery.FrozenImporter, LIBRARY, *sys.meta_path]
import ast, base64, bisect, calendar, collections.abc, contextlib, copy, csv, dataclasses  # noqa: E401, E402, F401
import datetime, decimal, difflib, enum, fractions, functools, hashlib, heapq, html, inspect  # noqa: E401, E402, F401
import io, itertools, keyword, linecache, logging, math, operator, pathlib, pprint, re  # noqa: E401, E402, F401
import statistics, string, struct, textwrap, time, tokenize, types, typing, unicodedata  # noqa: E401, E402, F401
import urllib.parse, warnings, weakref, asyncio  # noqa: E401, E402, F401

gc.collect()
# A collection would write to every object that it looks at.
gc.freeze()
