"""What frameworks of agents tell a model of a function: its text, and the schema of its arguments."""

import ast
import functools
import inspect
import logging
import re
import sys
import typing

import tool_hub_pydantic as pydantic
import tool_hub_schema
from tool_hub_frameworks import hints_of

# The parts of a model's field that stay where only its type, text and bounds count.
BOUNDS = ("description", "ge", "gt", "le", "lt", "multiple_of", "pattern", "regex", "min_length", "max_length")
VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def model_of(name, function, skip=(), texts=None):
    """A model of the arguments of a function, with `texts` about them where the function has none."""
    hints, fields = hints_of(function), {}
    for parameter, told in inspect.signature(function).parameters.items():
        if parameter in skip or told.kind in VARIADIC:
            continue
        hint, marks = hints.get(parameter, typing.Any), ()
        if typing.get_origin(hint) is typing.Annotated:
            marks = typing.get_args(hint)[1:]
        field = next((it for it in (told.default, *marks) if isinstance(it, pydantic.FieldInfo)), None)
        known = dict(field.texts) if field else {}
        default = told.default
        if isinstance(default, pydantic.FieldInfo) or default is told.empty:
            default = field.default if field else pydantic.PydanticUndefined
        said = next((it for it in marks if isinstance(it, str)), None)
        known["description"] = known.get("description") or said or (texts or {}).get(parameter)
        fields[parameter] = (hint, pydantic.FieldInfo(default, default_factory=field and field.default_factory, **known))
    return pydantic.create_model(name, **fields)


def subset(model, skip=()):
    """The model without the fields to `skip`, and with nothing of the others but type, default, text and bounds."""
    fields = {}
    for name, field in model.tool_hub_known().items():
        if name not in skip:
            known = {key: it for key, it in field.texts.items() if key in BOUNDS}
            fields[name] = (field.annotation, pydantic.FieldInfo(field.default, default_factory=field.default_factory, **known))
    return pydantic.create_model(model.__name__, **fields)


def inlined(schema):
    """The schema with definitions where they are referred to, and without its titles and text."""
    def untitled(value, is_members=False):
        if isinstance(value, list):
            return [untitled(it) for it in value]
        if not isinstance(value, dict):
            return value
        kept = {key: it for key, it in value.items() if is_members or key != "title" or isinstance(it, dict)}
        return {key: untitled(it, key == "properties" and not is_members) for key, it in kept.items()}

    found = untitled(tool_hub_schema.dereferenced(schema))
    return {key: it for key, it in found.items() if key != "description"}


def strict(schema, root=None):
    """The schema as the strict mode of OpenAI's API wants it. An object of any members has no such schema."""
    root = schema if root is None else root
    found = dict(schema)
    if found.get("type") == "object":
        if found.get("additionalProperties", False) is not False:
            raise ValueError("additionalProperties should not be set for object types")
        found["additionalProperties"] = False
    if isinstance(found.get("properties"), dict):
        found["properties"] = {name: strict(it, root) for name, it in found["properties"].items()}
        found["required"] = list(found["properties"])
    if isinstance(found.get("items"), dict):
        found["items"] = strict(found["items"], root)
    choices = [*found.get("anyOf", ()), *found.pop("oneOf", ())]
    if choices:
        found["anyOf"] = [strict(it, root) for it in choices]
    for name in ("$defs", "definitions"):
        if name in found:
            found[name] = {key: strict(it, root) for key, it in found[name].items()}
    if found.get("default", ...) is None:
        del found["default"]
    if "$ref" in found and len(found) > 1:
        name = found.pop("$ref").rpartition("/")[2]
        return strict({**root["$defs"][name], **found}, root)
    return found


def documented(function):
    """The description in a docstring and what it says of parameters, in the style that it has most of."""
    text = inspect.getdoc(function)
    if not text:
        return None, {}
    try:
        from griffe import Docstring, DocstringSectionKind
    except ImportError:
        return text, {}
    logging.getLogger("griffe").setLevel(logging.CRITICAL)
    signs = {
        "sphinx": (r"^:param\s", r"^:type\s", r"^:return:", r"^:rtype:"),
        "numpy": (r"^Parameters\s*\n\s*-{3,}", r"^Returns\s*\n\s*-{3,}", r"^Yields\s*\n\s*-{3,}"),
        "google": (r"^(Args|Arguments):", r"^(Returns):", r"^(Raises):"),
    }
    counts = {name: sum(bool(re.search(it, text, re.MULTILINE)) for it in all) for name, all in signs.items()}
    style = max(counts, key=lambda name: counts[name]) if any(counts.values()) else "google"
    if style == "google":
        # griffe sees the section only below an empty line.
        text = re.sub(r"(?i)(?<=\S)\n((?:args|arguments|params|parameters):[ \t]*\n(?=[ \t]))", r"\n\n\1", text)
    description, texts = None, {}
    for section in Docstring("\n" + text, lineno=1, parser=style).parse():
        if section.kind == DocstringSectionKind.text and description is None:
            description = section.value
        elif section.kind == DocstringSectionKind.parameters:
            texts.update({it.name.lstrip("*"): it.description for it in section.value})
    return description, texts


def signature_text(function, skip=()):
    """The signature of a function, with types as its author wrote them: Python 3.14 writes `Optional[str]` as `str | None`."""
    signature = inspect.signature(function)
    kept = [it for name, it in signature.parameters.items() if name not in skip]
    kept = [it.replace(default=it.empty) if isinstance(it.default, pydantic.FieldInfo) else it for it in kept]
    written, node = {}, definition(function)
    if node is not None:
        every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        written = {it.arg: ast.unparse(it.annotation) for it in every if it.annotation is not None}
        if node.returns is not None:
            written["return"] = ast.unparse(node.returns)

    def named(hint, name):
        is_union = "|" in inspect.formatannotation(hint) and not isinstance(hint, str)
        return Written(written[name].replace("typing.", "")) if is_union and name in written else hint

    kept = [it if it.annotation is it.empty else it.replace(annotation=named(it.annotation, it.name)) for it in kept]
    returned = signature.return_annotation
    if returned is not signature.empty:
        returned = named(returned, "return")
    return str(signature.replace(parameters=kept, return_annotation=returned))


@functools.cache
def definitions(module):
    """The functions that the source of a module defines."""
    try:
        source = sys.modules[module].__loader__.get_source(module)
        every = ast.walk(ast.parse(source))
    except (AttributeError, ImportError, KeyError, SyntaxError, TypeError):
        return []
    return [it for it in every if isinstance(it, (ast.FunctionDef, ast.AsyncFunctionDef))]


def definition(function):
    """The definition of a function in its source; nothing where there is none."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    for node in definitions(function.__module__) if code else ():
        lines = [node.lineno, *(it.lineno for it in node.decorator_list)]
        if node.name == code.co_name and code.co_firstlineno in lines:
            return node
    return None


class Written:
    """A type as it stands in the source."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


def schema_of(model):
    return tool_hub_schema.model_schema(model)
