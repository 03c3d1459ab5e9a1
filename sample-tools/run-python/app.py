"""The component `run-python`: runs code that may call the toolbox's functions.

It replies with what the code printed and its value.

`componentize-py` makes the module `wit_world` from the world. What is imported here is loaded once,
with the tool; what else code imports of the standard library is loaded in the call.
"""

import bisect, calendar, cmath, collections, colorsys, copy, csv, dataclasses, datetime  # noqa: E401
import decimal, difflib, enum, fractions, functools, hashlib, heapq, html, itertools  # noqa: E401
import json
import math, numbers, operator, random, re, statistics, string, textwrap, time  # noqa: E401
import typing, unicodedata, urllib.parse, uuid, zlib  # noqa: E401

from componentize_py_types import Err
from wit_world import exports
from wit_world.imports import toolbox, types

import interpreter
from values import Media, from_json, to_json


class Python(exports.Python):
    """The interface `python`."""

    def run(self, code, variables, state):
        found = _variables(variables)
        try:
            ran = interpreter.run(code, found, _functions(), state)
        except interpreter.CodeError as error:
            raise Err(_failure("code", str(error), "mend the code and run it again")) from None
        except interpreter.StateError as error:
            message = f"`state` is of no earlier answer: {error}"
            raise Err(_failure("state", message, "leave it out, or copy it whole")) from None
        return _reply(ran)


class ToolError(Exception):
    """A function of the toolbox failed; the text says why and how to call it again."""


def _functions():
    return {entry.name: _function(entry) for entry in toolbox.list_functions()}


def _function(entry):
    names = list(json.loads(entry.input_schema).get("properties", {}))

    def function(*values, **arguments):
        if len(values) > len(names):
            raise TypeError(f"{entry.name}() takes {len(names)} arguments: {', '.join(names)}")
        for name, value in zip(names, values):
            if name in arguments:
                raise TypeError(f"{entry.name}() got `{name}` twice")
            arguments[name] = value
        return _called(entry.name, arguments)

    function.__name__ = function.__qualname__ = entry.name
    function.__doc__ = entry.description
    return function


def _called(name, arguments):
    try:
        return _answer(toolbox.call(name, to_json(arguments)))
    except Err as error:
        failure = error.value
        said = f"{name}: {failure.message}"
        raise ToolError(f"{said}; {failure.fix}" if failure.fix else said) from None


def _answer(reply):
    """A reply as one value: the structured one, the only part, or all parts."""
    if reply.structured is not None:
        return from_json(json.loads(reply.structured))
    parts = [_part(content.body) for content in reply.content]
    return parts[0] if len(parts) == 1 else parts


def _part(body):
    match body:
        case types.ContentBody_Text(text):
            return text
        case types.ContentBody_Image(media) | types.ContentBody_Audio(media):
            return Media(media.media_type, media.data)
        case types.ContentBody_Link(link):
            return link.uri
        case types.ContentBody_Resource(resource):
            contents = resource.contents.value
            return contents if isinstance(contents, str) else Media(resource.media_type, contents)


def _variables(text):
    if text is None:
        return {}
    try:
        found = from_json(json.loads(text))
    except ValueError as error:
        raise Err(_failure("variables", f"`variables` is no JSON: {error}", None)) from None
    if not isinstance(found, dict):
        raise Err(_failure("variables", "`variables` is no JSON object", None))
    return found


def _reply(ran):
    content, answer = [], {"printed": ran.printed}
    if ran.printed:
        content.append(_content(types.ContentBody_Text(ran.printed)))
    if ran.has_value:
        body, answer["value"] = _value(ran.value)
        content.append(_content(body))
    if ran.state is not None:
        answer["state"] = ran.state
    if ran.lost:
        answer["lost"] = ran.lost
    return types.Reply(content, json.dumps(answer), None)


def _value(value):
    """The value as content, and what the structured answer says of it."""
    match value:
        case Media():
            kind = types.ContentBody_Audio if value.media_type.startswith("audio/") else types.ContentBody_Image
            media = types.Audio if kind is types.ContentBody_Audio else types.Image
            return kind(media(value.media_type, value.data)), repr(value)
        case str():
            return types.ContentBody_Text(value), value
    try:
        plain = json.loads(to_json(value))
    except (TypeError, ValueError):
        plain = repr(value)
    return types.ContentBody_Text(repr(value)), plain


def _content(body):
    return types.Content(body, None)


def _failure(argument, message, fix):
    return types.Failure(types.FailureKind.INVALID_ARGUMENT, message, fix, argument, False)
