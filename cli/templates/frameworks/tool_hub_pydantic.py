"""Stands in for `pydantic` 2, whose own checks are native code: models, fields and their bounds.

It covers what describes and checks arguments. What it has not is not there when a file asks for it.
"""

import collections.abc
import copy
import dataclasses
import datetime
import decimal
import enum
import inspect
import json
import math
import os
import pathlib
import re
import sys
import types
import typing
import uuid


class PydanticUndefined:
    """No value."""


class ValidationError(ValueError):
    """A value does not fit: `errors()` has each place and reason."""

    def __init__(self, title, problems):
        self.title, self.problems = title, problems
        lines = [f"{'.'.join(map(str, place)) or title}\n  {said}" for place, said in problems]
        count = len(problems)
        super().__init__(f"{count} validation error{'' if count == 1 else 's'} for {title}\n" + "\n".join(lines))

    def errors(self, **_):
        return [{"loc": tuple(place), "msg": said, "type": "value_error"} for place, said in self.problems]

    def error_count(self):
        return len(self.problems)


class Unfit(Exception):
    """What is wrong with a value, and where in it."""

    def __init__(self, *problems):
        super().__init__(problems)
        self.problems = list(problems)

    def at(self, place):
        return [([place, *inner], said) for inner, said in self.problems]


def unfit(said):
    return Unfit(([], said))


class FieldInfo:
    """What is said of a field beside its type."""

    def __init__(self, default=PydanticUndefined, *, default_factory=None, **texts):
        self.default = PydanticUndefined if default is ... else default
        self.default_factory, self.texts = default_factory, texts
        self.annotation = None

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self.texts.get(name)

    def is_required(self):
        return self.default is PydanticUndefined and self.default_factory is None

    def get_default(self, **_):
        if self.default_factory is not None:
            return self.default_factory()
        return None if self.default is PydanticUndefined else copy.deepcopy(self.default)

    def check(self, value):
        """Refuses a value that is out of bounds."""
        bounds = self.texts
        size = len(value) if hasattr(value, "__len__") else None
        for name, is_right, said in (
            ("ge", lambda bound: value >= bound, "greater than or equal to"),
            ("gt", lambda bound: value > bound, "greater than"),
            ("le", lambda bound: value <= bound, "less than or equal to"),
            ("lt", lambda bound: value < bound, "less than"),
        ):
            bound = bounds.get(name)
            if bound is not None and value is not None and not is_right(bound):
                raise unfit(f"Input should be {said} {bound}")
        least, most = bounds.get("min_length"), bounds.get("max_length")
        unit = "characters" if isinstance(value, str) else "items"
        if size is not None and least is not None and size < least:
            raise unfit(f"it should have at least {least} {unit}")
        if size is not None and most is not None and size > most:
            raise unfit(f"it should have at most {most} {unit}")
        factor = bounds.get("multiple_of")
        if factor is not None and value is not None and not math.isclose(math.remainder(value, factor), 0, abs_tol=1e-9):
            raise unfit(f"Input should be a multiple of {factor}")
        pattern = bounds.get("pattern") or bounds.get("regex")
        if pattern and isinstance(value, str) and not re.search(pattern, value):
            raise unfit(f"it should match the pattern {pattern}")
        return value


def Field(default=PydanticUndefined, **texts):
    return FieldInfo(default, **texts)


def number(kind, value):
    if isinstance(value, bool) and kind is not int:
        return kind(value)
    try:
        found = kind(value)
    except (TypeError, ValueError, ArithmeticError):
        name = {int: "integer", float: "number"}.get(kind, "decimal")
        raise unfit(f"Input should be a valid {name}") from None
    if kind is int and isinstance(value, float) and found != value:
        raise unfit("Input should be a valid integer, got a number with a fractional part")
    return found


def truth(value):
    words = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}
    found = words.get(str(value).lower()) if isinstance(value, (bool, int, str)) else None
    if found is None:
        raise unfit("Input should be a valid boolean")
    return found


def moment(kind, value):
    if isinstance(value, kind):
        return value
    if isinstance(value, (int, float)) and kind is datetime.timedelta:
        return datetime.timedelta(seconds=value)
    try:
        if kind is datetime.datetime and isinstance(value, (int, float)):
            return datetime.datetime.fromtimestamp(value, datetime.timezone.utc)
        return kind.fromisoformat(value)
    except (AttributeError, TypeError, ValueError):
        raise unfit(f"Input should be a valid {kind.__name__}") from None


def made(kind, value):
    if isinstance(value, kind):
        return value
    try:
        return kind(value)
    except Exception:
        raise unfit(f"Input should be a valid {kind.__name__}") from None


def text(value):
    if not isinstance(value, str):
        raise unfit("Input should be a valid string")
    return str(value) if not isinstance(value, enum.Enum) else value.value


def member(kind, value):
    if isinstance(value, kind):
        return value
    try:
        return kind(value)
    except ValueError:
        known = ", ".join(repr(it.value) for it in kind)
        raise unfit(f"Input should be {known}") from None


SIMPLE = {
    int: lambda value: number(int, value),
    float: lambda value: number(float, value),
    decimal.Decimal: lambda value: number(decimal.Decimal, str(value) if isinstance(value, float) else value),
    bool: truth,
    str: text,
    bytes: lambda value: value.encode() if isinstance(value, str) else made(bytes, value),
    uuid.UUID: lambda value: made(uuid.UUID, value),
    pathlib.Path: lambda value: made(pathlib.Path, value),
}
MOMENTS = (datetime.datetime, datetime.date, datetime.time, datetime.timedelta)
SEQUENCES = {
    list: list, collections.abc.Sequence: list, collections.abc.Iterable: list, collections.abc.Collection: list,
    collections.abc.MutableSequence: list, set: set, frozenset: frozenset, collections.abc.Set: set,
}  # fmt: skip
MAPPINGS = (dict, collections.abc.Mapping, collections.abc.MutableMapping)


def each(pairs):
    """The values of pairs of a place and what makes the value; all that is wrong is told at once."""
    found, problems = [], []
    for place, make in pairs:
        try:
            found.append(make())
        except Unfit as error:
            problems += error.at(place)
    if problems:
        raise Unfit(*problems)
    return found


def members(kind, value, hints, defaults):
    """The members of an object that fit their hints, of those that are there."""
    if not isinstance(value, collections.abc.Mapping):
        raise unfit(f"Input should be a valid dictionary or instance of {kind.__name__}")
    problems = [([name], "Field required") for name in hints if name not in value and name not in defaults]
    given = [name for name in hints if name in value]
    try:
        found = each((name, lambda name=name: fitted(value[name], hints[name])) for name in given)
    except Unfit as error:
        raise Unfit(*error.problems, *problems) from None
    if problems:
        raise Unfit(*problems)
    return dict(zip(given, found))


def fitted(value, hint):
    """The value as its hint says it, converted as pydantic does. Raises `Unfit` where it does not fit."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if hint in (typing.Any, object, None, inspect.Parameter.empty) and hint is not None:
        return value
    if hint is None or hint is type(None):
        if value is not None:
            raise unfit("Input should be None")
        return None
    if origin is typing.Annotated:
        value = fitted(value, parts[0])
        for mark in parts[1:]:
            value = marked(value, mark)
        return value
    if origin in (typing.Union, types.UnionType):
        return one_of(value, parts)
    if origin is typing.Literal:
        if not any(value == part and type(value) is type(part) for part in parts):
            raise unfit("Input should be " + " or ".join(map(repr, parts)))
        return value
    if origin in (typing.ClassVar, typing.Final, typing.Required, typing.NotRequired):
        return fitted(value, parts[0])
    kind = origin or hint
    if isinstance(kind, typing.TypeVar) or not isinstance(kind, type):
        return value
    if kind in SEQUENCES:
        if isinstance(value, (str, bytes, dict)) or not isinstance(value, collections.abc.Iterable):
            raise unfit("Input should be a valid list")
        inner = parts[0] if parts else typing.Any
        return SEQUENCES[kind](each((at, lambda it=it: fitted(it, inner)) for at, it in enumerate(value)))
    if kind is tuple:
        return fitted_tuple(value, parts)
    if kind in MAPPINGS:
        if not isinstance(value, collections.abc.Mapping):
            raise unfit("Input should be a valid dictionary")
        if not parts:
            return dict(value)
        pairs = list(value.items())
        return dict(each((name, lambda n=name, it=it: (fitted(n, parts[0]), fitted(it, parts[1]))) for name, it in pairs))
    return of_class(value, kind)


def of_class(value, kind):
    if issubclass(kind, enum.Enum):
        return member(kind, value)
    if issubclass(kind, BaseModel):
        return value if isinstance(value, kind) else kind.tool_hub_fit(value)
    if typing.is_typeddict(kind):
        hints = typing.get_type_hints(kind, include_extras=True)
        return members(kind, value, hints, kind.__optional_keys__)
    if dataclasses.is_dataclass(kind) and not isinstance(value, kind):
        fields = [field for field in dataclasses.fields(kind) if field.init]
        empty = dataclasses.MISSING
        defaults = {it.name for it in fields if it.default is not empty or it.default_factory is not empty}
        known = typing.get_type_hints(kind, include_extras=True)
        return kind(**members(kind, value, {it.name: known[it.name] for it in fields}, defaults))
    if kind in SIMPLE:
        return SIMPLE[kind](value)
    if kind in MOMENTS:
        return moment(kind, value)
    if hasattr(kind, "tool_hub_fit"):
        return kind.tool_hub_fit(value)
    return value


def fitted_tuple(value, parts):
    if not isinstance(value, (list, tuple)):
        raise unfit("Input should be a valid tuple")
    if not parts:
        return tuple(value)
    if len(parts) == 2 and parts[1] is ...:
        parts = (parts[0],) * len(value)
    if len(parts) != len(value):
        raise unfit(f"the tuple should have {len(parts)} items, not {len(value)}")
    return tuple(each((at, lambda it=it, part=part: fitted(it, part)) for at, (it, part) in enumerate(zip(value, parts))))


def one_of(value, parts):
    if value is None and type(None) in parts:
        return None
    for part in parts:
        # A value that has one of the types keeps it.
        kind = typing.get_origin(part) or part
        if isinstance(kind, type) and type(value) is kind:
            with_this = part
            try:
                return fitted(value, with_this)
            except Unfit:
                continue
    problems = []
    for part in parts:
        try:
            return fitted(value, part)
        except Unfit as error:
            problems += error.problems
    raise Unfit(*problems[:1])


def marked(value, mark):
    if isinstance(mark, FieldInfo):
        return mark.check(value)
    if isinstance(mark, Validator):
        return mark.run(value)
    return value


class Validator:
    """`BeforeValidator` and `AfterValidator`, in `Annotated`."""

    def __init__(self, function, **_):
        self.function = function

    def run(self, value):
        return self.function(value)


class Check:
    """A method that checks fields or a whole model."""

    def __init__(self, names, mode, function):
        self.names, self.mode = names, mode
        self.function = getattr(function, "__func__", function)

    def run(self, owner, value):
        count = len(inspect.signature(self.function).parameters)
        try:
            return self.function(owner, value, *[None] * (count - 2)) if count > 1 else self.function(owner)
        except (ValueError, AssertionError) as error:
            if isinstance(error, ValidationError):
                raise
            raise unfit(f"Value error, {error}") from None


def field_validator(*names, mode="after", **_):
    return lambda function: Check(names, mode, function)


def validator(*names, pre=False, **_):
    return field_validator(*names, mode="before" if pre else "after")


def model_validator(*, mode, **_):
    return lambda function: Check(None, mode, function)


class PrivateAttribute(FieldInfo):
    pass


def PrivateAttr(default=PydanticUndefined, *, default_factory=None):
    return PrivateAttribute(default, default_factory=default_factory)


def plain(value, **options):
    """A value of which JSON can be made, if `mode` asks for that."""
    if isinstance(value, BaseModel):
        return value.model_dump(**options)
    if isinstance(value, dict):
        return {plain(name, **options): plain(it, **options) for name, it in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        is_json = options.get("mode") == "json"
        items = [plain(it, **options) for it in value]
        return items if is_json or isinstance(value, list) else type(value)(items)
    if options.get("mode") != "json":
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return plain({it.name: getattr(value, it.name) for it in dataclasses.fields(value)}, **options)
    if isinstance(value, enum.Enum):
        return plain(value.value, **options)
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (str, int, float, bool, type(None))):
        return value
    return str(value)


def class_hints(cls):
    """The hints of a class and its bases. One that names what only checkers import may be anything."""
    try:
        return typing.get_type_hints(cls, include_extras=True)
    except NameError:
        pass
    import annotationlib

    found = {}
    for base in reversed(cls.__mro__):
        space = vars(sys.modules[base.__module__]) if base.__module__ in sys.modules else {}
        for name, hint in annotationlib.get_annotations(base, format=annotationlib.Format.FORWARDREF).items():
            try:
                # The author's own words, in the author's own module.
                hint = eval(hint, space) if isinstance(hint, str) else hint
            except NameError:
                hint = typing.Any
            found[name] = typing.Any if isinstance(hint, annotationlib.ForwardRef) else hint
    return found


class ModelFields:
    """The attribute `model_fields` of a class."""

    def __get__(self, instance, owner):
        return owner.tool_hub_known()


class BaseModel:
    """An object with fields that fit their types."""

    model_config = {}
    model_fields = ModelFields()

    def __init_subclass__(cls, **config):
        super().__init_subclass__()
        cls.model_config = {**cls.model_config, **config}
        cls.tool_hub_fields = None
        cls.tool_hub_checks = [
            *(check for base in reversed(cls.__mro__[1:]) for check in vars(base).get("tool_hub_own_checks", ())),
        ]
        own = [(name, it) for name, it in vars(cls).items() if isinstance(it, Check)]
        cls.tool_hub_own_checks = [check for _, check in own]
        cls.tool_hub_checks += cls.tool_hub_own_checks
        for name, check in own:
            # The method may be called by its name too.
            setattr(cls, name, classmethod(check.function) if check.mode != "after" or check.names else check.function)

    @classmethod
    def tool_hub_known(cls):
        """The fields, by their names, which are known when the whole module is."""
        if cls.__dict__.get("tool_hub_fields") is None:
            found = {}
            for name, hint in class_hints(cls).items():
                if name.startswith("_") or name == "model_config" or typing.get_origin(hint) is typing.ClassVar:
                    continue
                default = getattr(cls, name, PydanticUndefined)
                marks = typing.get_args(hint)[1:] if typing.get_origin(hint) is typing.Annotated else ()
                inner = next((mark for mark in marks if isinstance(mark, FieldInfo)), None)
                field = copy.copy(default if isinstance(default, FieldInfo) else inner or FieldInfo())
                if not isinstance(default, FieldInfo) and default is not PydanticUndefined:
                    field.default = default
                field.annotation = hint
                found[name] = field
            cls.tool_hub_fields = found
        return cls.tool_hub_fields

    @classmethod
    def tool_hub_fit(cls, value):
        if isinstance(value, cls):
            return value
        for check in cls.tool_hub_checks:
            if check.names is None and check.mode == "before":
                value = check.run(cls, value)
        if not isinstance(value, collections.abc.Mapping):
            raise unfit(f"Input should be a valid dictionary or instance of {cls.__name__}")
        fields = cls.tool_hub_known()
        names = {name: field.alias or field.validation_alias or name for name, field in fields.items()}
        value = {name: value[key] for name, alias in names.items() for key in (alias, name) if key in value} | {
            name: it for name, it in value.items() if name not in names.values() and name not in names
        }
        extra = {name: it for name, it in value.items() if name not in fields}
        if extra and cls.model_config.get("extra") == "forbid":
            raise Unfit(*(([name], "Extra inputs are not permitted") for name in extra))
        hints = {name: field.annotation for name, field in fields.items()}
        defaults = {name for name, field in fields.items() if not field.is_required()}
        found = members(cls, {name: cls._checked(name, it, "before") for name, it in value.items()}, hints, defaults)
        found = dict(zip(found, each((name, lambda n=name: cls._bounded(n, found[n])) for name in found)))
        instance = cls.__new__(cls)
        for name, field in fields.items():
            setattr_plain(instance, name, found[name] if name in found else field.get_default())
        if cls.model_config.get("extra") == "allow":
            for name, it in extra.items():
                setattr_plain(instance, name, it)
        object.__setattr__(instance, "model_fields_set", set(found))
        for base in reversed(cls.__mro__):
            for name, it in vars(base).items():
                if isinstance(it, PrivateAttribute):
                    setattr_plain(instance, name, it.get_default())
        for check in cls.tool_hub_checks:
            if check.names is None and check.mode == "after":
                check.run(instance, None)
        instance.model_post_init(None)
        return instance

    @classmethod
    def _bounded(cls, name, value):
        default = cls.tool_hub_known()[name]
        return cls._checked(name, default.check(value) if value is not None else value, "after")

    @classmethod
    def _checked(cls, name, value, mode):
        for check in cls.tool_hub_checks:
            if check.names is not None and check.mode == mode and (name in check.names or "*" in check.names):
                try:
                    value = check.run(cls, value)
                except Unfit as error:
                    raise Unfit(*error.at(name)) if mode == "before" else error
        return value

    def __init__(self, /, **values):
        self.__dict__.update(type(self).model_validate(values).__dict__)

    def model_post_init(self, context, /):
        pass

    @classmethod
    def model_validate(cls, value, **_):
        try:
            return cls.tool_hub_fit(value)
        except Unfit as error:
            raise ValidationError(cls.__name__, error.problems) from None

    parse_obj = model_validate

    @classmethod
    def model_validate_json(cls, said, **_):
        return cls.model_validate(json.loads(said))

    parse_raw = model_validate_json

    @classmethod
    def model_rebuild(cls, **_):
        cls.tool_hub_fields = None

    update_forward_refs = model_rebuild

    @classmethod
    def model_construct(cls, **values):
        instance = cls.__new__(cls)
        for name, field in cls.tool_hub_known().items():
            setattr_plain(instance, name, values.get(name, field.get_default()))
        return instance

    def model_dump(self, *, mode="python", include=None, exclude=None, by_alias=False, exclude_none=False,
                   exclude_unset=False, exclude_defaults=False, **_):  # fmt: skip
        fields, found = type(self).tool_hub_known(), {}
        names = [*fields, *(it for it in self.__dict__ if it not in fields and not it.startswith("_") and it != "model_fields_set")]
        for name in names:
            value = self.__dict__.get(name)
            if (include is not None and name not in include) or (exclude is not None and name in exclude):
                continue
            if exclude_none and value is None or exclude_unset and name not in self.model_fields_set:
                continue
            if exclude_defaults and name in fields and value == fields[name].get_default():
                continue
            key = (by_alias and name in fields and fields[name].alias) or name
            found[key] = plain(value, mode=mode, exclude_none=exclude_none, by_alias=by_alias)
        return found

    dict = model_dump

    def model_dump_json(self, *, indent=None, **options):
        options["mode"] = "json"
        separators = (",", ":") if indent is None else None
        return json.dumps(self.model_dump(**options), ensure_ascii=False, indent=indent, separators=separators)

    json = model_dump_json

    def model_copy(self, *, update=None, deep=False):
        found = copy.deepcopy(self) if deep else copy.copy(self)
        found.__dict__.update(update or {})
        return found

    def __eq__(self, other):
        return type(self) is type(other) and self.model_dump() == other.model_dump()

    __hash__ = None

    def __iter__(self):
        return iter((name, getattr(self, name)) for name in type(self).tool_hub_known())

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self)})"

    def __str__(self):
        return " ".join(f"{name}={value!r}" for name, value in self)


def setattr_plain(instance, name, value):
    object.__setattr__(instance, name, value)


def create_model(name, /, *, __base__=None, __doc__=None, __config__=None, **fields):
    """A model that is made while the program runs."""
    bases = __base__ if isinstance(__base__, tuple) else (__base__ or BaseModel,)
    hints, values = {}, {"__doc__": __doc__} if __doc__ else {}
    for field, given in fields.items():
        if field.startswith("__"):
            continue
        hint, *default = given if isinstance(given, tuple) else (given,)
        hints[field] = hint
        if default and default[0] is not ...:
            values[field] = default[0]
    if __config__:
        values["model_config"] = dict(__config__)
    made = type(name, bases, values)
    made.__annotations__ = hints
    return made


class BaseSettings(BaseModel):
    """Settings whose fields may be variables of the environment."""

    def __init__(self, /, **values):
        config = type(self).model_config
        prefix = config.get("env_prefix", "")
        for name, field in type(self).tool_hub_known().items():
            alias = field.validation_alias or field.alias
            for variable in (alias, f"{prefix}{name}".upper(), f"{prefix}{name}"):
                found = os.environ.get(variable) if isinstance(variable, str) else None
                if found is not None and name not in values:
                    values[name] = parsed_setting(found, field.annotation)
                    break
        super().__init__(**values)


def parsed_setting(value, hint):
    """What a variable says: JSON for what is no text or number."""
    kinds = [typing.get_origin(hint) or hint, *(typing.get_origin(it) or it for it in typing.get_args(hint))]
    if any(kind in (list, dict, set, tuple) for kind in kinds):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


class TypeAdapter:
    """Checks values of any type."""

    def __init__(self, hint, **_):
        self.hint = hint

    def validate_python(self, value, **_):
        try:
            return fitted(value, self.hint)
        except Unfit as error:
            raise ValidationError(str(self.hint), error.problems) from None

    def validate_json(self, said, **_):
        return self.validate_python(json.loads(said))

    def dump_python(self, value, *, mode="python", **_):
        return plain(value, mode=mode)

    def dump_json(self, value, **_):
        return json.dumps(plain(value, mode="json"), separators=(",", ":")).encode()


class SecretStr:
    """A text that is not printed."""

    def __init__(self, value):
        self._value = value

    @classmethod
    def tool_hub_fit(cls, value):
        return value if isinstance(value, cls) else cls(text(value))

    def get_secret_value(self):
        return self._value

    def __repr__(self):
        return "SecretStr('**********')"


class AnyUrl(str):
    """The address of something on the web, as text."""

    @classmethod
    def tool_hub_fit(cls, value):
        if "://" not in text(value):
            raise unfit("Input should be a valid URL")
        return cls(value)


class HttpUrl(AnyUrl):
    pass


def with_bounds(kind, **bounds):
    return typing.Annotated[kind, FieldInfo(**bounds)]


def same(*arguments, **_):
    """A decorator that changes nothing."""
    is_bare = len(arguments) == 1 and (callable(arguments[0]) or isinstance(arguments[0], (property, classmethod)))
    return arguments[0] if is_bare else lambda function: function


NAMES = {
    "AfterValidator": Validator, "AnyHttpUrl": HttpUrl, "AnyUrl": AnyUrl, "BaseModel": BaseModel, "BaseSettings": BaseSettings,
    "BeforeValidator": Validator, "ConfigDict": dict, "EmailStr": str, "Field": Field, "FieldInfo": FieldInfo,
    "HttpUrl": HttpUrl, "NegativeInt": with_bounds(int, lt=0), "NonNegativeFloat": with_bounds(float, ge=0),
    "NonNegativeInt": with_bounds(int, ge=0), "PositiveFloat": with_bounds(float, gt=0), "PositiveInt": with_bounds(int, gt=0),
    "PrivateAttr": PrivateAttr, "SecretStr": SecretStr, "StrictBool": bool, "StrictFloat": float, "StrictInt": int,
    "StrictStr": str, "TypeAdapter": TypeAdapter, "ValidationError": ValidationError, "computed_field": same,
    "dataclass": dataclasses.dataclass, "field_serializer": lambda *_, **__: same(), "field_validator": field_validator,
    "create_model": create_model, "SettingsConfigDict": dict, "model_serializer": lambda *_, **__: same(), "model_validator": model_validator, "root_validator": same,
    "validator": validator,
}  # fmt: skip
