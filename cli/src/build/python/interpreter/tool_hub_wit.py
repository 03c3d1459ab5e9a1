"""Calls the classes of a project that has WIT of its own, with values that came as JSON.

componentize-py makes the modules of `wit_world` for the project, as it does for a component. The
types in WIT say what the JSON is, and the hints in those modules say of which classes the values are.
"""

import base64
import functools
import importlib
import keyword
import math
import operator
import sys
import typing

import tool_hub_http
from componentize_py_types import Err, Ok, Some
from tool_hub_functions import finished
from wit_world.imports import atomics, batch, error, interaction, logging, monotonic_clock, outgoing_handler
from wit_world.imports import poll, store, streams, tool_hub_tool_types, toolbox, wasi_http_types

# The interfaces that programs may import. The modules of a program are these, because the host
# takes and gives values of their classes.
INTERFACES = {
    "tool-hub:tool/interaction@0.1.0": interaction,
    "tool-hub:tool/toolbox@0.1.0": toolbox,
    "tool-hub:tool/types@0.1.0": tool_hub_tool_types,
    "wasi:clocks/monotonic-clock@0.2.0": monotonic_clock,
    "wasi:http/outgoing-handler@0.2.0": outgoing_handler,
    "wasi:http/types@0.2.0": wasi_http_types,
    "wasi:io/error@0.2.0": error,
    "wasi:io/poll@0.2.0": poll,
    "wasi:io/streams@0.2.0": streams,
    "wasi:keyvalue/atomics@0.2.0-draft": atomics,
    "wasi:keyvalue/batch@0.2.0-draft": batch,
    "wasi:keyvalue/store@0.2.0-draft": store,
    "wasi:logging/logging@0.1.0-draft": logging,
}


class Classes:
    """The classes of the module `main`, which implement the interfaces that the world exports.

    `world` has the types of each `functions` by the name of its export, and of the `imports` that the
    interpreter has the interface by the name of its module.
    """

    def __init__(self, main, world):
        for name, interface in world["imports"].items():
            sys.modules[f"wit_world.imports.{name}"] = INTERFACES[interface]
        if outgoing_handler not in (INTERFACES[interface] for interface in world["imports"].values()):
            tool_hub_http.HttpSocket.refusal = "this tool makes no connections: its WIT does not import wasi:http"
        self._source = importlib.import_module(main)
        self._instances = {}
        self._functions = {name: self._function(name, types) for name, types in world["functions"].items()}

    def call(self, export, arguments):
        """Calls a function by the name of its export, and returns its result as the host reads it."""
        return self._functions[export](arguments)

    def _function(self, export, types):
        interface, _, name = export.rpartition(".")
        name = python_name(name)
        method, hints = self._method(camel(interface.partition("@")[0].rpartition("/")[2]), name)
        parameters = [reader(field["ty"], hint) for field, hint in zip(types["parameters"], hints.values())]
        write = result_writer(types["result"])

        def call(arguments):
            values = [read(value) for read, value in zip(parameters, arguments)]
            return write(lambda: finished(method(*values)))

        return call

    def _method(self, interface, name):
        """A method of the instance for an interface, and the hints of its parameters."""
        module = importlib.import_module("wit_world.exports" if interface else "wit_world")
        class_name = interface or "WitWorld"
        if class_name not in self._instances:
            self._instances[class_name] = getattr(self._source, class_name)()
        hints = typing.get_type_hints(getattr(getattr(module, class_name), name))
        hints.pop("return", None)
        return getattr(self._instances[class_name], name), hints


def python_name(name):
    """The name of a function or field as componentize-py writes it."""
    name = name.replace("-", "_").lower()
    return f"{name}_" if keyword.iskeyword(name) else name


def camel(name):
    """The name of a type, a case or an interface as componentize-py writes it."""
    return "".join(word.capitalize() for word in name.split("-"))


def same(value):
    return value


def parts_of(ty):
    """The kind of a type, and what it is made of."""
    return (ty, None) if isinstance(ty, str) else next(iter(ty.items()))


# Readers make a value of the class that a hint names from what JSON has for it.


def reader(ty, hint):
    kind, parts = parts_of(ty)
    return READERS.get(kind, lambda parts, hint: same)(parts, hint)


def list_reader(item, hint):
    read = reader(item, typing.get_args(hint)[0])
    return same if read is same else lambda values: [read(value) for value in values]


def map_reader(parts, hint):
    key, value = (reader(part, inner) for part, inner in zip(parts, typing.get_args(hint)))
    return lambda given: {key(k): value(v) for k, v in (given.items() if isinstance(given, dict) else given)}


def tuple_reader(parts, hint):
    readers = [reader(part, inner) for part, inner in zip(parts, typing.get_args(hint))]
    return lambda values: tuple(read(value) for read, value in zip(readers, values))


def record_reader(fields, hint):
    hints = typing.get_type_hints(hint).values()
    members = [(field["label"]["json"], reader(field["ty"], inner)) for field, inner in zip(fields, hints)]
    # An option that is nothing is left out.
    return lambda value: hint(*[read(value.get(name)) for name, read in members])


def option_reader(part, hint):
    present = [inner for inner in typing.get_args(hint) if inner is not type(None)]
    if parts_of(part)[0] == "option":
        read = reader(part, typing.get_args(present[0])[0])
        return lambda value: None if value is None else Some(read(value["some"]))
    read = reader(part, typing.Union[tuple(present)])
    return same if read is same else lambda value: None if value is None else read(value)


def result_reader(parts, hint):
    ok, err = (
        reader(part, typing.get_args(inner)[0]) if part else same
        for part, inner in zip(parts, typing.get_args(hint))
    )
    return lambda value: Ok(ok(value["ok"])) if "ok" in value else Err(err(value["err"]))


def enum_reader(labels, hint):
    members = {label["json"]: member for label, member in zip(labels, hint)}
    return members.__getitem__


def flags_reader(labels, hint):
    members = {label["json"]: member for label, member in zip(labels, hint)}
    return lambda names: functools.reduce(operator.or_, (members[name] for name in names), hint(0))


def variant_reader(cases, hint):
    classes = typing.get_args(hint) or (hint,)
    made = {case["label"]["json"]: case_reader(case["ty"], of) for case, of in zip(cases, classes)}
    return lambda value: made[value["tag"]](value.get("val"))


def case_reader(ty, of):
    if ty is None:
        return lambda _: of()
    read = reader(ty, typing.get_type_hints(of)["value"])
    return lambda value: of(read(value))


READERS = {
    # Large integers come as strings, and so do the numbers that JSON has not.
    "integer": lambda parts, hint: int,
    "f32": lambda parts, hint: float,
    "f64": lambda parts, hint: float,
    "bytes": lambda parts, hint: base64.b64decode,
    "list": list_reader,
    "fixed_list": lambda parts, hint: list_reader(parts[0], hint),
    "map": map_reader,
    "tuple": tuple_reader,
    "record": record_reader,
    "option": option_reader,
    "result": result_reader,
    "enum": enum_reader,
    "flags": flags_reader,
    "variant": variant_reader,
}


# Writers make what JSON has for a value.


def writer(ty):
    kind, parts = parts_of(ty)
    return WRITERS[kind](parts)


def result_writer(ty):
    """A function that runs another, and writes what it returns or the `Err` that it raises."""
    if ty is None:
        return lambda run: (run(), None)[1]
    kind, parts = parts_of(ty)
    if kind != "result":
        write = writer(ty)
        return lambda run: write(run())
    ok, err = (writer(part) if part else lambda _: None for part in parts)

    def call(run):
        try:
            return {"ok": ok(run())}
        except Err as error:
            return {"err": err(error.value)}

    return call


def exactly(described, kinds, write=same):
    """A writer of values of `kinds`. Others are the author's mistake."""

    def checked(value):
        if not isinstance(value, kinds):
            raise TypeError(f"expected {described}, as the WIT says, found {type(value).__name__}: {value!r:.80}")
        return write(value)

    return checked


def float_text(value):
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def list_writer(item):
    write = writer(item)
    return lambda values: [write(value) for value in values]


def map_writer(parts):
    key, value = map(writer, parts)
    if parts[0] == "string":
        return lambda given: {key(k): value(v) for k, v in given.items()}
    return lambda given: [[key(k), value(v)] for k, v in given.items()]


def tuple_writer(parts):
    writers = [writer(part) for part in parts]
    return lambda values: [write(value) for write, value in zip(writers, values, strict=True)]


def record_writer(fields):
    members = [(f["label"]["json"], python_name(f["label"]["wit"]), writer(f["ty"])) for f in fields]
    return lambda value: {json: write(getattr(value, name)) for json, name, write in members}


def option_writer(part):
    write = writer(part)
    if parts_of(part)[0] == "option":
        return lambda value: None if value is None else {"some": write(value.value)}
    return lambda value: None if value is None else write(value)


def either_writer(parts):
    ok, err = (writer(part) if part else lambda _: None for part in parts)
    write = lambda value: {"err": err(value.value)} if isinstance(value, Err) else {"ok": ok(value.value)}  # noqa: E731
    return exactly("an Ok or an Err", (Ok, Err), write)


def enum_writer(labels):
    return lambda member: labels[member.value]["json"]


def flags_writer(labels):
    return lambda flags: [label["json"] for bit, label in enumerate(labels) if flags.value >> bit & 1]


def variant_writer(cases):
    known = {camel(case["label"]["wit"]): case for case in cases}
    writers = {name: case["ty"] and writer(case["ty"]) for name, case in known.items()}

    def write(value):
        name = type(value).__name__.rpartition("_")[2]
        if name not in known:
            raise TypeError(f"expected a case of a variant, as the WIT says, found {value!r:.80}")
        tag = {"tag": known[name]["label"]["json"]}
        return {**tag, "val": writers[name](value.value)} if writers[name] else tag

    return write


WRITERS = {
    "bool": lambda _: exactly("a bool", bool),
    "integer": lambda _: exactly("an int", int),
    "f32": lambda _: exactly("a float", (float, int), float_text),
    "f64": lambda _: exactly("a float", (float, int), float_text),
    "char": lambda _: exactly("a str of one character", str),
    "string": lambda _: exactly("a str", str),
    "bytes": lambda _: exactly("bytes", (bytes, bytearray, memoryview), lambda it: base64.b64encode(it).decode()),
    "list": list_writer,
    "fixed_list": lambda parts: list_writer(parts[0]),
    "map": map_writer,
    "tuple": tuple_writer,
    "record": record_writer,
    "option": option_writer,
    "result": either_writer,
    "enum": enum_writer,
    "flags": flags_writer,
    "variant": variant_writer,
}
