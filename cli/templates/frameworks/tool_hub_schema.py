"""JSON Schemas of types and models, as pydantic 2 writes them."""

import collections.abc
import dataclasses
import datetime
import decimal
import enum
import inspect
import pathlib
import types
import typing
import uuid

import tool_hub_pydantic as pydantic

SIMPLE = {
    str: {"type": "string"}, int: {"type": "integer"}, float: {"type": "number"}, bool: {"type": "boolean"},
    bytes: {"type": "string", "format": "binary"}, type(None): {"type": "null"}, dict: {"additionalProperties": True, "type": "object"},
    list: {"items": {}, "type": "array"}, set: {"items": {}, "type": "array", "uniqueItems": True},
    frozenset: {"items": {}, "type": "array", "uniqueItems": True}, tuple: {"items": {}, "type": "array"},
    uuid.UUID: {"type": "string", "format": "uuid"}, pathlib.Path: {"type": "string", "format": "path"},
    datetime.datetime: {"type": "string", "format": "date-time"}, datetime.date: {"type": "string", "format": "date"},
    datetime.time: {"type": "string", "format": "time"}, datetime.timedelta: {"type": "string", "format": "duration"},
    pydantic.SecretStr: {"type": "string", "format": "password", "writeOnly": True},
    pydantic.AnyUrl: {"type": "string", "format": "uri", "minLength": 1},
    pydantic.HttpUrl: {"type": "string", "format": "uri", "minLength": 1, "maxLength": 2083},
}  # fmt: skip
BOUNDS = {
    "ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum", "multiple_of": "multipleOf",
    "pattern": "pattern", "regex": "pattern", "title": "title", "description": "description", "examples": "examples",
    "deprecated": "deprecated",
}  # fmt: skip
UNIQUE = (set, frozenset, collections.abc.Set, collections.abc.MutableSet)
DECIMAL = {"anyOf": [{"type": "number"}, {"pattern": r"^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$", "type": "string"}]}


class Unknown(TypeError):
    """A type has no schema."""


def title_of(name):
    return name.replace("_", " ").title()


class Schemas:
    """Writes schemas, with those of classes apart."""

    def __init__(self, mode="validation", by_alias=True):
        self.mode, self.by_alias, self.definitions = mode, by_alias, {}

    def of(self, hint):
        origin, parts = typing.get_origin(hint), typing.get_args(hint)
        if hint in (typing.Any, object, inspect.Parameter.empty):
            return {}
        if hint is None:
            return {"type": "null"}
        if origin is typing.Annotated:
            found = self.of(parts[0])
            for mark in parts[1:]:
                found = marked(found, mark)
            return found
        if origin in (typing.Union, types.UnionType):
            return self.union(parts)
        if origin is typing.Literal:
            return literal(parts)
        if origin in (typing.ClassVar, typing.Final, typing.Required, typing.NotRequired):
            return self.of(parts[0])
        if isinstance(hint, typing.TypeVar):
            return {}
        if isinstance(hint, typing.NewType):
            return self.of(hint.__supertype__)
        if isinstance(hint, typing.TypeAliasType if hasattr(typing, "TypeAliasType") else ()):
            return self.of(hint.__value__)
        kind = origin or hint
        if not isinstance(kind, type):
            raise Unknown(f"{hint!r} has no schema")
        if kind is tuple:
            return self.tuple_of(parts)
        if kind in pydantic.SEQUENCES or kind in UNIQUE:
            found = {"items": self.of(parts[0]) if parts else {}, "type": "array"}
            return {**found, "uniqueItems": True} if kind in UNIQUE else found
        if kind in pydantic.MAPPINGS:
            return self.mapping(parts)
        if kind is decimal.Decimal:
            return {"type": "string", "pattern": DECIMAL["anyOf"][1]["pattern"]} if self.mode == "serialization" else dict(DECIMAL)
        if kind in SIMPLE:
            return dict(SIMPLE[kind])
        return self.of_class(kind)

    def mapping(self, parts):
        inner = self.of(parts[1]) if len(parts) == 2 else {}
        return {"additionalProperties": inner or True, "type": "object"}

    def union(self, parts):
        found = []
        for part in parts:
            schema = self.of(part)
            if schema not in found:
                found.append(schema)
        return found[0] if len(found) == 1 else {"anyOf": found}

    def tuple_of(self, parts):
        if len(parts) == 2 and parts[1] is ...:
            return {"items": self.of(parts[0]), "type": "array"}
        if not parts:
            return {"items": {}, "type": "array"}
        count = len(parts)
        return {"maxItems": count, "minItems": count, "prefixItems": [self.of(part) for part in parts], "type": "array"}

    def of_class(self, kind):
        is_model = issubclass(kind, pydantic.BaseModel)
        if not (is_model or issubclass(kind, enum.Enum) or dataclasses.is_dataclass(kind) or typing.is_typeddict(kind)):
            if hasattr(kind, "tool_hub_fit"):
                return {"type": "string"}
            raise Unknown(f"{kind!r} has no schema")
        name = kind.__name__
        if name not in self.definitions:
            self.definitions[name] = {}
            self.definitions[name] = self.definition(kind)
        return {"$ref": f"#/$defs/{name}"}

    def definition(self, kind):
        if issubclass(kind, enum.Enum):
            return enumeration(kind)
        if issubclass(kind, pydantic.BaseModel):
            return self.model(kind)
        if typing.is_typeddict(kind):
            hints = typing.get_type_hints(kind, include_extras=True)
            fields = {name: (hint, None, name not in kind.__optional_keys__) for name, hint in hints.items()}
        else:
            hints = typing.get_type_hints(kind, include_extras=True)
            empty = dataclasses.MISSING
            fields = {}
            for field in dataclasses.fields(kind):
                made = field.default_factory is not empty
                default = pydantic.FieldInfo(field.default) if field.default is not empty else None
                fields[field.name] = (hints[field.name], default, default is None and not made)
        text = described(kind)
        return self.object(kind.__name__, fields, text)

    def model(self, kind):
        fields = {}
        for name, field in kind.tool_hub_known().items():
            alias = (field.alias or field.validation_alias) if self.mode == "validation" else field.alias
            has_alias = isinstance(alias, str) and (self.by_alias or kind.model_config.get("serialize_by_alias"))
            fields[alias if has_alias else name] = (field.annotation, field, field.is_required())
        config = kind.model_config
        found = self.object(config.get("title") or kind.__name__, fields, described(kind))
        extra = config.get("extra")
        if extra in ("forbid", "allow"):
            found = {"additionalProperties": extra == "allow", **found}
        more = config.get("json_schema_extra")
        if isinstance(more, dict):
            found.update(more)
        return found

    def object(self, title, fields, text=None):
        properties = {}
        for name, (hint, field, _) in fields.items():
            schema = self.of(hint)
            properties[name] = of_field(schema, name, field)
        required = [name for name, (_, _, is_required) in fields.items() if is_required]
        found = {"description": text} if text else {}
        found["properties"] = properties
        if required:
            found["required"] = required
        return {**found, "title": title, "type": "object"}

    def whole(self, schema):
        """The schema of a whole, with the definitions that it refers to."""
        return {"$defs": self.definitions, **schema} if self.definitions else schema


def dereferenced(schema):
    """The schema with definitions where they are referred to; as it is where one refers to itself."""
    definitions = {**schema.get("definitions", {}), **schema.get("$defs", {})}

    def resolved(value, within=()):
        if isinstance(value, list):
            return [resolved(it, within) for it in value]
        if not isinstance(value, dict):
            return value
        name = value["$ref"].rpartition("/")[2] if isinstance(value.get("$ref"), str) else None
        if name in within:
            raise RecursionError(name)
        if name in definitions:
            more = {key: it for key, it in value.items() if key != "$ref"}
            return resolved({**definitions[name], **more}, (*within, name))
        return {key: resolved(it, within) for key, it in value.items()}

    try:
        return resolved({key: it for key, it in schema.items() if key not in ("$defs", "definitions")})
    except RecursionError:
        return schema


def described(kind):
    text = vars(kind).get("__doc__")
    if not text or dataclasses.is_dataclass(kind) and text.startswith(f"{kind.__name__}("):
        return None
    return inspect.cleandoc(text)


def of_field(schema, name, field):
    """The schema of a member, with what is said of it besides its type."""
    if "$ref" not in schema and "title" not in schema:
        schema = {**schema, "title": title_of(name)}
    if field is None:
        return schema
    schema = marked(schema, field)
    if field.default is not pydantic.PydanticUndefined:
        schema = {**schema, "default": pydantic.plain(field.default, mode="json")}
    return schema


def marked(schema, mark):
    """The schema with what a mark in `Annotated` says."""
    if isinstance(mark, str) or not isinstance(mark, pydantic.FieldInfo):
        schema_of = getattr(mark, "json_schema", None)
        return dict(schema_of) if isinstance(schema_of, dict) else schema
    said = dict(schema)
    inner = bounded(said)
    for name, keyword in BOUNDS.items():
        value = mark.texts.get(name)
        if value is None:
            continue
        target = inner if keyword not in ("title", "description", "examples", "deprecated") else said
        target[keyword] = pydantic.plain(value, mode="json")
    is_array = inner.get("type") == "array"
    for name, keyword in (("min_length", "minItems" if is_array else "minLength"), ("max_length", "maxItems" if is_array else "maxLength")):
        if mark.texts.get(name) is not None:
            inner[keyword] = mark.texts[name]
    more = mark.texts.get("json_schema_extra")
    if isinstance(more, dict):
        said.update(more)
    return said


def bounded(schema):
    """The part of a schema that bounds are of: of a type or nothing, the type."""
    choices = schema.get("anyOf")
    if not choices:
        return schema
    others = [choice for choice in choices if choice != {"type": "null"}]
    if len(others) != 1:
        return schema
    copy = dict(others[0])
    schema["anyOf"] = [copy if choice is others[0] else choice for choice in choices]
    return copy


def literal(parts):
    kinds = {type(part) for part in parts}
    names = {str: "string", int: "integer", bool: "boolean", float: "number", type(None): "null"}
    values = [pydantic.plain(part, mode="json") for part in parts]
    found = {"const": values[0]} if len(values) == 1 else {"enum": values}
    if len(kinds) == 1 and next(iter(kinds)) in names:
        found["type"] = names[next(iter(kinds))]
    return found


def enumeration(kind):
    values = [it.value for it in kind]
    found = literal(values)
    if "const" in found:
        found = {"const": values[0], **({"type": found["type"]} if "type" in found else {})}
    text = described(kind)
    standard = inspect.getdoc(enum.Enum)
    if text and text != standard:
        found = {"description": text, **found}
    return {**found, "title": kind.__name__}


def model_schema(kind, mode="validation"):
    """The schema of a model by itself."""
    schemas = Schemas(mode)
    schemas.definitions[kind.__name__] = {}
    own = schemas.definition(kind)
    if f"#/$defs/{kind.__name__}\"" in str(own).replace("'", '"'):
        schemas.definitions[kind.__name__] = own
        return {"$defs": schemas.definitions, "$ref": f"#/$defs/{kind.__name__}"}
    schemas.definitions.pop(kind.__name__)
    return schemas.whole(own)


def model_json_schema(cls, by_alias=True, mode="validation", **_):
    return model_schema(cls, mode)


pydantic.BaseModel.model_json_schema = classmethod(model_json_schema)
pydantic.BaseModel.schema = classmethod(model_json_schema)


def adapted_schema(self, mode="validation", **_):
    schemas = Schemas(mode)
    found = schemas.of(self.hint)
    name = found.get("$ref", "").rpartition("/")[2]
    if name and len(found) == 1:
        found = schemas.definitions.pop(name)
    return schemas.whole(found)


pydantic.TypeAdapter.json_schema = adapted_schema
