"""The source of a function as a file of its own, with what the function refers to.

Whatever a notebook or a module holds beside it stays there: imports, constants, classes and
functions are taken along only if the function uses them.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import sys
import textwrap
from types import FunctionType, ModuleType
from typing import Any, NoReturn

from tool_hub._errors import Error


def place(function: FunctionType) -> str:
    """The file and the line of a function, for an error."""
    code = function.__code__
    return f"{code.co_filename}:{code.co_firstlineno}"


def refuse(function: FunctionType, what: str, hint: str | None = None) -> NoReturn:
    """Raises an error that names the function and its place."""
    raise Error(f"`{function.__name__}` ({place(function)}) cannot be a tool: {what}", hint)


class SourceFile:
    """The file of plain functions that a function becomes."""

    def __init__(self, function: FunctionType) -> None:
        self._function = function
        self._imports: list[str] = []
        self._constants: list[str] = []
        self._definitions: list[str] = []
        self._seen: set[str] = {function.__name__}
        self._last = self._take(function, is_tool=True)

    def text(self) -> str:
        """The whole file."""
        imports = "\n".join(sorted(set(self._imports)))
        constants = "\n".join(self._constants)
        parts = [imports, constants, *self._definitions, self._last]
        return "\n\n\n".join(filter(None, parts)) + "\n"

    def _take(self, item: Any, *, is_tool: bool = False) -> str:
        """The source of a function or class, once what it refers to is taken."""
        source = _source(item)
        if source is None:
            refuse(
                self._function,
                f"there is no source of `{item.__name__}`",
                "write it in a file or a notebook; what is typed at Python's prompt or run by "
                "`exec` keeps no source",
            )
        node = ast.parse(source).body[0]
        assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        if is_tool:
            if len(node.decorator_list) > 1:
                refuse(self._function, "it has another decorator beside `tool`")
            node.decorator_list.clear()
            source = "\n".join(source.splitlines()[node.lineno - 1 :])
        space = vars(sys.modules[item.__module__]) if isinstance(item, type) else item.__globals__
        self._imports += _submodules(node, space)
        for name in _names(node):
            if name in space and name not in self._seen:
                self._seen.add(name)
                self._refer(name, space[name])
            elif name not in space and name not in self._seen and not hasattr(builtins, name):
                refuse(self._function, f"there is no `{name}`, which it uses")
        return source.rstrip()

    def _refer(self, name: str, value: Any) -> None:
        """Takes along what the function knows as `name`."""
        here = self._function.__module__
        if isinstance(value, ModuleType):
            self._imports.append(f"import {value.__name__}{_renamed(value.__name__, name)}")
        elif isinstance(value, (FunctionType, type)) and value.__module__ == here:
            if value.__name__ != name:
                refuse(self._function, f"`{name}` is another name of `{value.__name__}`")
            if isinstance(value, FunctionType) and not name.startswith("_"):
                refuse(
                    self._function,
                    f"it uses the function `{name}`, which agents would be offered as well",
                    f"call it `_{name}`: what begins with `_` is not offered",
                )
            self._definitions.append(self._take(value))
        elif _is_literal(value):
            text = ast.unparse(_SortedSets().visit(ast.parse(repr(value), mode="eval")))
            self._constants.append(f"{name} = {text}")
        elif found := _importable(value, name):
            self._imports.append(found)
        else:
            refuse(
                self._function,
                f"it uses `{name}`, a {type(value).__name__}, which cannot be taken along",
                "make it in the function, pass it as an argument, or import it from a package",
            )


class _SortedSets(ast.NodeTransformer):
    """Sorts what sets hold, so that the same function gives the same digest in each process."""

    def visit_Set(self, node: ast.Set) -> ast.Set:
        self.generic_visit(node)
        node.elts.sort(key=ast.unparse)
        return node


def _source(item: Any) -> str | None:
    """The source of a function or class, if there is any."""
    try:
        return textwrap.dedent(inspect.getsource(item))
    except (OSError, TypeError):
        pass
    if not isinstance(item, type) or item.__module__ != "__main__":
        return None
    # Of a notebook's class Python does not know the cell, so the last one that has it is taken.
    for file in reversed(list(linecache.cache)):
        text = "".join(linecache.getlines(file))
        if f"class {item.__name__}" not in text:
            continue
        for node in reversed(_parsed(text)):
            if isinstance(node, ast.ClassDef) and node.name == item.__name__:
                first = min([node.lineno, *(it.lineno for it in node.decorator_list)])
                return "\n".join(text.splitlines()[first - 1 : node.end_lineno])
    return None


def _parsed(text: str) -> list[ast.stmt]:
    try:
        return ast.parse(text).body
    except SyntaxError:
        return []


def _submodules(node: ast.AST, space: dict[str, Any]) -> list[str]:
    """Imports of modules within packages, such as of `urllib.request` where `urllib` is known."""
    found = []
    for part in ast.walk(node):
        names: list[str] = []
        while isinstance(part, ast.Attribute):
            names.insert(0, part.attr)
            part = part.value
        if not isinstance(part, ast.Name) or not isinstance(space.get(part.id), ModuleType):
            continue
        module = space[part.id].__name__
        for name in names:
            module = f"{module}.{name}"
            if module in sys.modules:
                found.append(f"import {module}")
    return found


def _annotations(node: ast.AST) -> list[ast.AST]:
    """The annotations that are written as text."""
    texts = []
    for part in ast.walk(node):
        for place in ("annotation", "returns"):
            annotation = getattr(part, place, None)
            if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
                texts += _parsed(annotation.value)
    return texts


def _names(node: ast.AST) -> list[str]:
    """The names that a definition reads and does not make itself, in order."""
    made = {
        name
        for part in ast.walk(node)
        for name in (
            [part.arg] if isinstance(part, ast.arg)
            else [part.id] if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)
            else [part.name]
            if isinstance(part, (ast.FunctionDef, ast.ClassDef)) and part is not node
            else [part.name] if isinstance(part, ast.ExceptHandler) and part.name
            else [alias.asname or alias.name.partition(".")[0] for alias in part.names]
            if isinstance(part, (ast.Import, ast.ImportFrom))
            else []
        )
    }
    read = (
        part.id
        for root in (node, *_annotations(node))
        for part in ast.walk(root)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
    )
    return [name for name in dict.fromkeys(read) if name not in made]


def _renamed(original: str, name: str) -> str:
    return "" if original == name else f" as {name}"


def _is_literal(value: Any) -> bool:
    try:
        return bool(ast.literal_eval(repr(value)) == value)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False


def _importable(value: Any, name: str) -> str | None:
    """The line that imports a value under a name, if a module has it."""
    module = getattr(value, "__module__", None)
    for original in (getattr(value, "__name__", None), getattr(value, "_name", None), name):
        if not module or not original or module == "__main__":
            continue
        if getattr(sys.modules.get(module), original, None) is value:
            return f"from {module} import {original}{_renamed(original, name)}"
    return None
