"""Calls plain functions with values that came as JSON. Programs of `tool build` import it."""

import asyncio
import enum
import inspect
import json
import math
import types
import typing

from tool_hub_http import Exchange


def hints_of(function):
    try:
        return typing.get_type_hints(function)
    except Exception:  # names that only checkers import
        return {}


def fitted(value, hint):
    """Converts a value to its hint's type: JSON has no members of enumerations and no tuples."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if inspect.isclass(hint) and issubclass(hint, enum.Enum):
        return hint(value)
    if origin is list and parts and isinstance(value, list):
        return [fitted(item, parts[0]) for item in value]
    if origin is dict and len(parts) == 2 and isinstance(value, dict):
        return {name: fitted(item, parts[1]) for name, item in value.items()}
    if origin is tuple and isinstance(value, (list, tuple)) and len(parts) == len(value):
        return tuple(fitted(item, part) for item, part in zip(value, parts))
    if origin in (typing.Union, types.UnionType) and value is not None:
        for part in parts:
            try:
                found = fitted(value, part)
            except ValueError:
                continue
            if found is not value:
                return found
    return value


def result(function, hints, given, answer):
    """The result of a function, as JSON says a `result` of WIT. What it raises is for the agent."""
    try:
        positional, named = [], {}
        for parameter in inspect.signature(function).parameters.values():
            if parameter.name not in given:
                continue
            value = fitted(given[parameter.name](), hints.get(parameter.name))
            if parameter.kind is parameter.POSITIONAL_ONLY:
                positional.append(value)
            else:
                named[parameter.name] = value
        return {"ok": answer(finished(function(*positional, **named)))}
    except BaseException as error:
        said, kind = text_of(error), type(error).__name__
        return {"err": f"{kind}: {said}" if said else kind}


def text_of(error):
    """What an error says. With `asyncio`, httpx and what it is built on drop the reason: for their
    errors without a text, why the last request failed."""
    is_of_httpx = type(error).__module__.partition(".")[0] in ("anyio", "httpcore", "httpx")
    return str(error) or (str(Exchange.failure or "") if is_of_httpx else "")


def finished(value):
    """What a coroutine returns when it has run to its end; other values as they are."""
    return asyncio.run(value) if inspect.iscoroutine(value) else value


def plain(value):
    """A JSON value in place of one that JSON cannot write."""
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (set, frozenset)):
        return list(value)
    if hasattr(value, "__dataclass_fields__"):
        return {name: getattr(value, name) for name in value.__dataclass_fields__}
    return str(value)


def as_json(value):
    return json.dumps(value, ensure_ascii=False, default=plain)


def as_any(value):
    return value if isinstance(value, str) else as_json(value)


def exactly(kinds):
    def check(value):
        if isinstance(value, enum.Enum):
            value = value.value
        if not isinstance(value, kinds):
            raise TypeError(f"the function returned {type(value).__name__} where its hint says {kinds[0].__name__}")
        return kinds[0](value)

    return check


as_text, as_integer, as_real, as_truth = exactly((str,)), exactly((int,)), exactly((float, int)), exactly((bool,))


def as_float(value):
    """A number, or the name of one that JSON cannot write."""
    number = as_real(value)
    if math.isfinite(number):
        return number
    return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"


def as_case(cases, value):
    text = as_text(value)
    if text not in cases:
        raise ValueError(f"the function returned {text!r}, which is not one of its values")
    return text
