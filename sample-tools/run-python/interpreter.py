"""Runs code in a module of its own, and keeps what the module holds from run to run."""

import ast
import base64
import io
import linecache
import pickle
import sys
import traceback
import types

from values import Media

# How much of what is printed is kept; the rest is dropped, and the code goes on.
PRINTED_CHARACTERS_MAX = 65_536
# How long a state may be. A variable that would make it longer is lost.
STATE_BYTES_MAX = 4 << 20
# What tracebacks call the code, and what was kept of earlier code.
FILE = "<code>"
EARLIER = "<earlier code>"


class CodeError(Exception):
    """The code raised; the text says what and where."""


class StateError(Exception):
    """The state is none that a run left."""


class Ran:
    """What came of a run."""

    def __init__(self, printed, has_value, value, state, lost):
        self.printed = printed
        self.has_value = has_value
        self.value = value
        self.state = state
        self.lost = lost


def run(code, variables, functions, state):
    """Runs `code` after `state`, with `variables` and `functions` by name."""
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    space = module.__dict__
    space.update(functions)
    space["Media"] = Media
    given = dict(space)
    try:
        definitions = _restore(state, space) if state else []
    except Exception as error:
        raise StateError(f"it cannot be read: {error}") from None
    space.update(variables)
    printed = Printed()
    sys.stdout, before = printed, sys.stdout
    try:
        has_value, value, defined = _execute(code, space)
    except BaseException as error:
        raise CodeError(_told(error, code, printed.text())) from None
    finally:
        sys.stdout = before
    if state is None:
        return Ran(printed.text(), has_value, value, None, [])
    state, lost = _kept(space, given, _merged(definitions, defined, code))
    return Ran(printed.text(), has_value, value, state, lost)


class Printed(io.TextIOBase):
    """What the code prints, as far as there is room."""

    def __init__(self):
        self._parts = []
        self._room = PRINTED_CHARACTERS_MAX
        self._is_cut = False

    def writable(self):
        return True

    def write(self, text):
        self._parts.append(text[: self._room])
        self._is_cut = self._is_cut or len(text) > self._room
        self._room -= len(self._parts[-1])
        return len(text)

    def text(self):
        return "".join(self._parts) + ("\n[the rest was cut off]\n" if self._is_cut else "")


def _execute(code, space):
    tree = ast.parse(code, FILE)
    defined = [node for node in tree.body if isinstance(node, _DEFINITIONS)]
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        head = ast.Module(tree.body[:-1], type_ignores=[])
        exec(compile(head, FILE, "exec"), space)
        value = eval(compile(ast.Expression(last.value), FILE, "eval"), space)
        return value is not None, value, defined
    exec(compile(tree, FILE, "exec"), space)
    if isinstance(last, ast.Assign) and isinstance(last.targets[0], ast.Name):
        return True, space[last.targets[0].id], defined
    return False, None, defined


def _told(error, code, printed):
    """What the person or model who wrote the code needs to mend it."""
    lines = code.splitlines()
    if isinstance(error, SyntaxError) and error.filename == FILE:
        number, said = error.lineno, f"SyntaxError: {error.msg}"
    else:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == FILE]
        number = frames[-1].lineno if frames else None
        said = "".join(traceback.format_exception_only(error)).strip()
    told = said
    if number and number <= len(lines):
        told += f"\nin line {number}: {lines[number - 1].strip()}"
    if printed:
        told += f"\nPrinted before that:\n{printed[-2_000:]}"
    return told


# Definitions are kept as their text, because functions and classes are nothing that can be pickled.
_DEFINITIONS = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


def _merged(before, defined, code):
    """Definitions in order, of each name the latest. One that runs something when it is made is
    left out, because it would run again."""
    merged = dict(before)
    for node in defined:
        if _is_plain(node):
            source = ast.get_source_segment(code, node)
            name = getattr(node, "name", source)
            merged.pop(name, None)
            merged[name] = source
    return merged


def _is_plain(node):
    match node:
        case ast.FunctionDef():
            outside = [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]
            return not any(_calls(part) for part in outside) and not node.decorator_list
        case ast.ClassDef():
            return not node.decorator_list and all(
                _is_plain(part) if isinstance(part, _DEFINITIONS) else not _calls(part)
                for part in [*node.bases, *node.body]
            )
        case _:
            return True


def _calls(node):
    return any(isinstance(inner, ast.Call) for inner in ast.walk(node))


def _kept(space, given, definitions):
    """The state, and the names of variables that are not in it."""
    defined = {name: source for name, source in definitions.items() if _is_bound(name, space)}
    variables, lost, room = {}, [], STATE_BYTES_MAX
    for name, value in space.items():
        if name.startswith("__") or (name in given and given[name] is value) or name in defined:
            continue
        if isinstance(value, types.ModuleType):
            continue
        try:
            pickled = _pickled(value, defined)
        except Exception:
            lost.append(name)
            continue
        if len(pickled) > room:
            lost.append(name)
            continue
        room -= len(pickled)
        variables[name] = pickled
    state = pickle.dumps((list(defined.items()), variables))
    return base64.b64encode(state).decode(), lost


def _pickled(value, defined):
    file = io.BytesIO()
    _Pickler(file, defined).dump(value)
    return file.getvalue()


class _Pickler(pickle.Pickler):
    """Functions and classes are pickled as names, so those that no definition brings back are
    refused."""

    def __init__(self, file, defined):
        super().__init__(file)
        self._defined = defined

    def reducer_override(self, value):
        is_own = isinstance(value, (types.FunctionType, type)) and value.__module__ == "__main__"
        if is_own and value.__qualname__.split(".")[0] not in self._defined:
            raise pickle.PicklingError(f"{value.__qualname__} is not kept")
        return NotImplemented


def _is_bound(name, space):
    """True for a definition whose name exists, and for imports, which are kept under their text."""
    return name in space or not name.isidentifier()


def _restore(state, space):
    definitions, variables = pickle.loads(base64.b64decode(state))
    for _, source in definitions:
        exec(compile(source, EARLIER, "exec"), space)
    for name, pickled in variables.items():
        space[name] = pickle.loads(pickled)
    return definitions
