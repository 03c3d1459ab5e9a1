"""Stands in for the SDKs of MCP: servers that list and call tools, and objects of the protocol.

A program starts its server up to the place where it would wait for a client. There it stays: what
it has opened by then, such as the context of its lifespan, is there in each call. Modules of the
SDKs are made when the program imports them.
"""

import asyncio
import base64
import collections.abc
import contextlib
import dataclasses
import importlib
import inspect
import json
import logging
import os
import re
import sys
import types
import typing

import tool_hub_fastmcp
import tool_hub_frameworks as frameworks
import tool_hub_pydantic as pydantic
import tool_hub_schema
from tool_hub_frameworks import Absent, Context, NAMES, context_of, hints_of


class Started(BaseException):
    """A server waits for its client. What called it is left where it is."""


class Running:
    """What the program that was started has come to."""

    server = loop = task = None


def camel(name):
    first, *rest = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest)


class Wire:
    """An object of the protocol: whatever its makers say of it."""

    defaults = {}
    tool_hub_open = True

    def __init__(self, *arguments, **fields):
        self.__dict__.update(self.defaults)
        self.__dict__.update({camel(name) if not name.startswith("_") else "_meta": it for name, it in fields.items()})
        if arguments:
            self.__dict__["root"] = arguments[0]

    def __init_subclass__(cls, **_):
        pass

    def __class_getitem__(cls, _):
        return cls

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        found = self.__dict__.get(camel(name))
        if found is None and name not in self.__dict__ and camel(name) not in self.__dict__:
            return None
        return found

    def model_dump(self, **_):
        return wire(self)

    def model_dump_json(self, *, indent=None, **_):
        return json.dumps(wire(self), indent=indent)

    @classmethod
    def model_validate(cls, value, **_):
        return value if isinstance(value, cls) else cls(**value)

    tool_hub_fit = model_validate

    def __eq__(self, other):
        return type(self) is type(other) and wire(self) == wire(other)

    __hash__ = object.__hash__


def wire(value):
    """A value as JSON, without members that are null."""
    if isinstance(value, Wire):
        return {name: wire(it) for name, it in value.__dict__.items() if it is not None}
    if isinstance(value, dict):
        return {str(name): wire(it) for name, it in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [wire(it) for it in value]
    return pydantic.plain(value, mode="json")


class TextContent(Wire):
    defaults = {"type": "text"}

    @property
    def tool_hub_content(self):
        return True


class ImageContent(TextContent):
    defaults = {"type": "image"}


class AudioContent(TextContent):
    defaults = {"type": "audio"}


class EmbeddedResource(TextContent):
    defaults = {"type": "resource"}


class ResourceLink(TextContent):
    defaults = {"type": "resource_link"}


class Tool(Wire):
    """A tool as it is listed."""


class CallToolResult(Wire):
    pass


class ErrorData(Wire):
    pass


class MCPError(Exception):
    """An error of the protocol, which a call answers with."""

    def __init__(self, error=None, message=None, data=None, *, code=None):
        if isinstance(error, Wire):
            code, message, data = error.code, error.message, error.data
        self.code, self.message, self.data = code if code is not None else error, message, data
        self.error = ErrorData(code=self.code, message=message, data=data)
        super().__init__(message)


class Media:
    """A picture, a sound or a file that a function returns."""

    kind, kinds = "image", {"jpg": "jpeg"}

    def __init__(self, path=None, data=None, format=None, **_):
        self.path, self.data, self.format = path, data, format

    def content(self):
        data, format = self.data, self.format
        if self.path is not None:
            with open(self.path, "rb") as file:
                data = file.read()
            format = format or os.path.splitext(str(self.path))[1].lstrip(".")
        format = self.kinds.get(format, format) or "png"
        made = {"image": ImageContent, "audio": AudioContent}[self.kind]
        return made(data=base64.b64encode(data).decode(), mimeType=f"{self.kind}/{format}")

    to_image_content = to_audio_content = content


class Image(Media):
    pass


class Audio(Media):
    kind, kinds = "audio", {"mp3": "mpeg"}


CONTENT = (TextContent,)


class Session:
    """The client, who hears nothing of what a server tells it beside its answers."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name.startswith(("send_", "set_")):
            return quiet
        raise RuntimeError(f"the client's `{name}` is not there in this tool, which runs without a client")


async def quiet(*_, **__):
    return None


class ServerContext(Context):
    """What a function is given of the request that it answers."""

    def __init__(self, server=None):
        super().__init__()
        self.__dict__["server"] = server

    @property
    def fastmcp(self):
        return self.server

    mcp_server = fastmcp

    @property
    def session(self):
        return Session()

    @property
    def request_context(self):
        return RequestContext(getattr(self.server, "opened", None))

    @property
    def lifespan_context(self):
        return getattr(self.server, "opened", None) or {}

    async def log(self, level="", message="", *more, **_):
        print(message or level, *more, file=sys.stderr)


class RequestContext:
    """The request itself."""

    def __init__(self, opened):
        self.lifespan_context, self.session, self.request_id, self.meta, self.request = opened, Session(), "1", None, None
        self.method = self.params = None


class Lifespan:
    """What a server keeps open while it runs."""

    lifespan = None
    opened = None
    closing = None

    async def open(self):
        if self.lifespan is not None and self.closing is None:
            made = self.lifespan(self)
            # The context stays open until the sandbox is gone.
            self.closing = made
            self.opened = await made.__aenter__()


class Server(Lifespan):
    """A server of MCP's SDK whose author answers requests."""

    def __init__(self, name="server", version=None, instructions=None, lifespan=None, on_list_tools=None, on_call_tool=None, **_):
        self.name, self.version, self.instructions, self.lifespan = name, version, instructions, lifespan
        self.request_handlers, self.notification_handlers, self.middleware = {}, {}, []
        self.tools, self.called, self.validates = None, None, True
        self.on_list_tools, self.on_call_tool = on_list_tools, on_call_tool
        self.known = None

    def __class_getitem__(cls, _):
        return cls

    @property
    def request_context(self):
        return RequestContext(self.opened)

    def list_tools(self, *_, **__):
        def take(function):
            self.tools = function
            return function

        return take

    def call_tool(self, *_, validate_input=True, **__):
        def take(function):
            self.called, self.validates = function, validate_input
            return function

        return take

    def add_request_handler(self, method, _, handler):
        if method == "tools/list":
            self.on_list_tools = handler
        if method == "tools/call":
            self.on_call_tool = handler

    def get_capabilities(self, *_, **__):
        return Wire()

    create_initialization_options = get_capabilities

    async def run(self, *_, **__):
        await self.open()
        await wait(self)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        # Prompts, resources and the like.
        return lambda *_, **__: lambda function: function

    async def list(self):
        if self.on_list_tools is not None:
            found = await maybe(self.on_list_tools(RequestContext(self.opened), None))
        elif self.tools is not None:
            takes = inspect.signature(self.tools).parameters
            found = await maybe(self.tools(Wire()) if takes else self.tools())
        else:
            handler = self.handler("ListToolsRequest")
            found = handler and await handler(Wire(method="tools/list", params=Wire()))
        if found is None:
            return []
        found = getattr(found, "root", None) or found
        found = found.tools if isinstance(found, Wire) else found
        self.known = [wire(it) for it in found]
        return self.known

    def handler(self, name):
        for kind, handler in self.request_handlers.items():
            if getattr(kind, "__name__", kind) == name:
                return handler
        return None

    async def call(self, name, given):
        if self.on_call_tool is not None:
            return await maybe(self.on_call_tool(RequestContext(self.opened), Wire(name=name, arguments=given)))
        if self.called is None:
            handler = self.handler("CallToolRequest")
            found = await handler(Wire(method="tools/call", params=Wire(name=name, arguments=given)))
            return getattr(found, "root", None) or found
        known = next((it for it in self.known or await self.list() if it["name"] == name), None)
        try:
            if known and self.validates:
                try:
                    check(given, known.get("inputSchema") or {}, known.get("inputSchema") or {})
                except ValueError as error:
                    return failed(f"Input validation error: {error}")
            found = await maybe(self.called(name, given))
        except MCPError:
            raise
        except Exception as error:
            return failed(str(error))
        has_output = bool(known) and known.get("outputSchema") is not None
        return result_of(found, has_output)


def result_of(found, has_output=False):
    """The result of a call, of what an author's handler returns."""
    if isinstance(found, CallToolResult):
        return found
    if isinstance(found, tuple) and len(found) == 2 and isinstance(found[1], dict):
        return CallToolResult(content=list(found[0]), structuredContent=found[1], isError=False)
    if isinstance(found, dict):
        return CallToolResult(content=[TextContent(text=json.dumps(found, indent=2))], structuredContent=found, isError=False)
    if hasattr(found, "__iter__"):
        if has_output:
            return failed("Output validation error: outputSchema defined but no structured output returned")
        return CallToolResult(content=list(found), isError=False)
    return failed(f"Unexpected return type from tool: {type(found).__name__}")


def check(value, schema, root):
    """Refuses a value that does not fit the words of a schema which arguments mostly have."""
    if "$ref" in schema:
        place = root
        for part in schema["$ref"].removeprefix("#/").split("/"):
            place = place.get(part, {})
        schema = {**place, **{name: it for name, it in schema.items() if name != "$ref"}}
    kinds = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list, "object": dict, "null": type(None)}
    wanted = schema.get("type")
    if wanted is not None:
        names = wanted if isinstance(wanted, list) else [wanted]
        is_one = any(
            isinstance(value, kinds.get(name, object)) and not (isinstance(value, bool) and name in ("integer", "number"))
            or name == "integer" and isinstance(value, float) and value.is_integer()
            for name in names
        )
        if not is_one:
            raise ValueError(f"{value!r} is not of type {', '.join(map(repr, names))}")
    if "enum" in schema and value not in schema["enum"]:
        raise ValueError(f"{value!r} is not one of {schema['enum']!r}")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if "minimum" in schema and value < schema["minimum"]:
            raise ValueError(f"{value!r} is less than the minimum of {schema['minimum']!r}")
        if "maximum" in schema and value > schema["maximum"]:
            raise ValueError(f"{value!r} is greater than the maximum of {schema['maximum']!r}")
    if isinstance(value, dict):
        for name, inner in schema.get("properties", {}).items():
            if name in value and isinstance(inner, dict):
                check(value[name], inner, root)
        for name in schema.get("required", []):
            if name not in value:
                raise ValueError(f"{name!r} is a required property")
        if schema.get("additionalProperties") is False:
            extra = [name for name in value if name not in schema.get("properties", {})]
            if extra:
                are = "was" if len(extra) == 1 else "were"
                raise ValueError(f"Additional properties are not allowed ({', '.join(map(repr, extra))} {are} unexpected)")
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        for item in value:
            check(item, schema["items"], root)
    choices = schema.get("anyOf")
    if choices:
        for choice in choices:
            try:
                return check(value, choice, root)
            except ValueError:
                continue
        raise ValueError(f"{value!r} is not valid under any of the given schemas")


def failed(text):
    return CallToolResult(content=[TextContent(text=text)], isError=True)


async def maybe(value):
    return await value if inspect.isawaitable(value) else value


@dataclasses.dataclass
class Signature:
    """The arguments of a function, and what it returns."""

    function: typing.Any
    fields: dict
    contexts: dict
    output: typing.Any
    wraps: bool


def parameters_of(function):
    hints, fields, contexts = hints_of(function), {}, {}
    for name, parameter in inspect.signature(function).parameters.items():
        hint = hints.get(name, inspect.Parameter.empty)
        if context_of(hint) is not None or is_dependency(parameter.default):
            contexts[name] = parameter.default
            continue
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise ValueError("functions with *args or **kwargs are not supported as tools")
        default = parameter.default
        marks = [it for it in getattr(hint, "__metadata__", ()) if isinstance(it, pydantic.FieldInfo)]
        if isinstance(default, pydantic.FieldInfo):
            field = default
        else:
            texts = {key: it for mark in marks for key, it in mark.texts.items()}
            given = pydantic.PydanticUndefined if default is parameter.empty else default
            if given is pydantic.PydanticUndefined and marks:
                given = marks[-1].default
            field = pydantic.FieldInfo(given, default_factory=next((it.default_factory for it in marks if it.default_factory), None), **texts)
        fields[name] = (hint, field)
    return fields, contexts


def is_dependency(default):
    return type(default).__name__ in ("Dependency", "ContextDependency")


def content_hint(hint):
    """True if a function with this hint of its result returns content, and no value."""
    origin = typing.get_origin(hint)
    if origin is typing.Annotated:
        return content_hint(typing.get_args(hint)[0])
    if origin is not None:
        return any(content_hint(it) for it in typing.get_args(hint))
    return isinstance(hint, type) and issubclass(hint, (TextContent, Media))


class FunctionTool:
    """A function of a server made with functions."""

    def __init__(self, function, server, name=None, title=None, description=None, annotations=None, structured_output=None,
                 output_schema=..., **_):  # fmt: skip
        self.function, self.server = function, server
        self.fn = function
        self.name = name or function.__name__
        self.title, self.annotations = title, annotations
        self.fields, self.contexts = parameters_of(function)
        self.description, self.texts = server.described(function, description)
        self.output, self.wraps, self.result = None, False, None
        hint = hints_of(function).get("return", inspect.signature(function).return_annotation)
        if structured_output is not False and output_schema is not None:
            server.output_of(self, hint)
        if isinstance(output_schema, dict):
            self.output = server.given_schema(output_schema)

    def __call__(self, *arguments, **named):
        return self.function(*arguments, **named)

    def __get__(self, instance, owner=None):
        return self.function.__get__(instance, owner)

    def input_schema(self):
        schemas = tool_hub_schema.Schemas()
        properties, required = {}, []
        for name, (hint, field) in self.fields.items():
            if hint is inspect.Parameter.empty:
                schema = self.server.untyped(name)
            else:
                schema = schemas.of(hint)
                text = next((it for it in getattr(hint, "__metadata__", ()) if isinstance(it, str)), None)
                if text and self.server.texts_of_annotated:
                    schema = {**schema, "description": text}
            key = field.alias if isinstance(field.alias, str) else name
            schema = tool_hub_schema.of_field(schema, key, field)
            if self.texts.get(name) and "description" not in schema:
                schema = {**schema, "description": self.texts[name]}
            properties[key] = schema
            if field.is_required():
                required.append(key)
        found = {"properties": properties, **({"required": required} if required else {})}
        return self.server.finished_schema(schemas.whole({**found, "title": f"{self.function.__name__}Arguments", "type": "object"}))

    def listed(self):
        told = {
            "name": self.name, "title": self.title, "description": self.description, "inputSchema": self.input_schema(),
            "outputSchema": self.output, "annotations": self.annotations,
        }  # fmt: skip
        return {name: wire(it) for name, it in told.items() if it is not None}

    async def run(self, given):
        values = self.server.before(given, self.fields)
        fields = {field.alias if isinstance(field.alias, str) else name: (name, hint, field) for name, (hint, field) in self.fields.items()}
        known, problems = {}, []
        for key, (name, hint, field) in fields.items():
            if key in values or name in values:
                try:
                    known[name] = frameworks.fitted(key, values.get(key, values.get(name)), None if hint is inspect.Parameter.empty else hint, field)
                except pydantic.ValidationError as error:
                    problems += error.problems
            elif field.is_required():
                problems.append(([key], self.server.missing))
            else:
                known[name] = field.get_default()
        if self.server.is_closed:
            problems += [([key], "Unexpected keyword argument") for key in values if key not in fields]
        if problems:
            raise pydantic.ValidationError(self.server.called_arguments(self), problems)
        for name, default in self.contexts.items():
            known[name] = await self.server.provided(default)
        return await maybe(self.function(**known))


class FunctionServer(Lifespan):
    """A server whose tools are functions."""

    texts_of_annotated = False
    is_closed = False
    missing = "Field required"

    def __init__(self, name=None, instructions=None, lifespan=None, tools=(), version=None, **more):
        self.name, self.instructions, self.lifespan, self.version = name or "server", instructions, lifespan, version
        self.functions, self.middleware, self.mounted = {}, [], []
        self.settings = Settings(**{"host": "127.0.0.1", "port": 8000, "debug": False, "log_level": "INFO", **more})
        self._mcp_server = self._lowlevel_server = Server(self.name)
        for function in tools or ():
            self.add_tool(function)

    def __class_getitem__(cls, _):
        return cls

    def tool(self, first=None, /, *more, **options):
        if callable(first) or isinstance(first, (staticmethod, classmethod)):
            return self.added(getattr(first, "__func__", first), **options)
        if first is not None:
            options["name"] = first
        if more:
            options["description"] = more[0]
        return lambda function: self.added(getattr(function, "__func__", function), **options)

    def added(self, function, **options):
        made = self.add_tool(function, **options)
        return made if self.keeps_tools else function

    def add_tool(self, function, name=None, **options):
        if isinstance(function, FunctionTool):
            function.server = self
            made = function
        else:
            known = {key: it for key, it in options.items() if it is not None or key == "output_schema"}
            made = FunctionTool(function, self, name=name, **known)
        self.functions[made.name] = made
        return made

    def remove_tool(self, name):
        self.functions.pop(name, None)

    def resource(self, *arguments, **_):
        return lambda function: function

    custom_route = completion = resource

    def prompt(self, name=None, **_):
        return name if callable(name) else lambda function: function

    def add_middleware(self, *_, **__):
        pass

    add_resource = add_prompt = add_resource_template = add_transform = add_middleware

    def mount(self, server=None, namespace=None, prefix=None, **more):
        if isinstance(server, str):
            server, prefix = namespace, server
        self.mounted.append((server, prefix or namespace))

    async def import_server(self, *arguments, **options):
        self.mount(*arguments, **options)

    def get_context(self):
        return ServerContext(self)

    def run(self, *_, **__):
        Running.server = self
        raise Started

    async def run_async(self, *_, **__):
        await self.open()
        await wait(self)

    run_stdio_async = run_sse_async = run_http_async = run_streamable_http_async = run_async

    def all(self):
        found = dict(self.functions)
        for server, prefix in self.mounted:
            for name, made in server.all().items():
                found[f"{prefix}_{name}" if prefix else name] = made
        return found

    async def list_tools(self, *_, **__):
        return [Tool(**it) for it in self.own_list()]

    async def get_tools(self):
        return self.all()

    async def get_tool(self, name):
        return self.all().get(name)

    def own_list(self):
        return [{**made.listed(), "name": name} for name, made in self.all().items()]

    async def list(self):
        """What it lists, which a class of the author's may say in another way."""
        if type(self).list_tools is FunctionServer.list_tools:
            return self.own_list()
        return [wire(it) for it in await self.list_tools()]

    async def call(self, name, given):
        if type(self).call_tool is FunctionServer.call_tool:
            return await self.own_call(name, given)
        try:
            return result_of(await self.call_tool(name, given))
        except MCPError:
            raise
        except Exception as error:
            return failed(str(error))

    async def own_call(self, name, given):
        made = self.all().get(name)
        if made is None:
            return failed(f"Unknown tool: {name}")
        try:
            found = await made.run(given)
            return found if isinstance(found, CallToolResult) else self.result(made, found)
        except MCPError:
            raise
        except Exception as error:
            return failed(self.said(made, error))

    async def call_tool(self, name, arguments=None, **_):
        return await self.own_call(name, arguments or {})

    async def provided(self, default):
        if is_dependency(default):
            return await maybe(default.factory())
        return ServerContext(self)

    def before(self, given, fields):
        return given

    def http_app(self, *_, **__):
        return Absent("FastMCP.http_app")

    sse_app = streamable_http_app = http_app

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"FastMCP.{name}")


class Settings:
    """The settings of a server, which serve nobody."""

    def __init__(self, **values):
        self.__dict__.update(values)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return None


def wrapped_schema(name, schemas, hint):
    properties = {"result": tool_hub_schema.of_field(schemas.of(hint), "result", None)}
    return schemas.whole({"properties": properties, "required": ["result"], "title": f"{name}Output", "type": "object"})


class SdkServer(FunctionServer):
    """`FastMCP` of MCP's SDK 1, and `MCPServer` of its SDK 2."""

    keeps_tools = False
    hides_crashes = False

    def described(self, function, description):
        return description or function.__doc__ or "", {}

    def untyped(self, name):
        return {"title": name, "type": "string"}

    def finished_schema(self, schema):
        return schema

    given_schema = finished_schema

    def called_arguments(self, made):
        return f"{made.function.__name__}Arguments"

    def before(self, given, fields):
        """Values that came as JSON within texts, which some models write."""
        found = dict(given)
        for key, value in given.items():
            if not isinstance(value, str) or key not in fields or fields[key][0] is str:
                continue
            try:
                parsed = json.loads(value)
            except (ValueError, RecursionError):
                continue
            if not isinstance(parsed, (str, int, float)):
                found[key] = parsed
        return found

    def output_of(self, made, hint):
        if hint is inspect.Signature.empty or content_hint(hint):
            return
        kind = typing.get_args(hint)[0] if typing.get_origin(hint) is typing.Annotated else hint
        if isinstance(kind, type) and issubclass(kind, CallToolResult):
            return
        schemas = tool_hub_schema.Schemas()
        name = made.function.__name__
        try:
            parts = typing.get_args(kind)
            # The SDK knows `dict[str, int]`, and wraps `typing.Dict[str, int]`.
            if isinstance(kind, types.GenericAlias) and kind.__origin__ is dict and len(parts) == 2 and parts[0] is str:
                made.output = schemas.whole({**schemas.of(kind), "title": f"{name}DictOutput"})
            elif isinstance(kind, type) and issubclass(kind, pydantic.BaseModel):
                made.output = tool_hub_schema.model_schema(kind)
            elif typing.is_typeddict(kind):
                made.output = tool_hub_schema.model_schema(kind)
            elif isinstance(kind, type) and typing.get_origin(kind) is None and kind not in (str, int, float, bool, bytes, type(None)):
                # Classes without hints, such as `dict` and `list`, have no schema.
                known = typing.get_type_hints(kind) if kind not in (dict, list, tuple, set, object) else {}
                if not known:
                    return
                fields = {}
                for field, of in known.items():
                    default = getattr(kind, field, pydantic.PydanticUndefined)
                    is_given = default is not pydantic.PydanticUndefined
                    fields[field] = (of, pydantic.FieldInfo(default) if is_given else None, not is_given)
                made.output = schemas.whole(schemas.object(kind.__name__, fields))
            else:
                made.output, made.wraps = wrapped_schema(name, schemas, hint), True
            made.result = hint
        except (tool_hub_schema.Unknown, TypeError, NameError):
            made.output = None

    def result(self, made, found):
        content = self.content(found)
        if made.output is None:
            return CallToolResult(content=content, isError=False)
        value = {"result": found} if made.wraps else found
        if dataclasses.is_dataclass(value) or not isinstance(value, (dict, pydantic.BaseModel, Wire)):
            value = {name: it for name, it in vars(value).items() if not name.startswith("_")}
        if not made.wraps and made.result is not None and isinstance(value, dict):
            value = pydantic.fitted(value, made.result)
        return CallToolResult(content=content, structuredContent=pydantic.plain(value, mode="json", by_alias=True), isError=False)

    def content(self, found):
        if found is None:
            return []
        if isinstance(found, CONTENT):
            return [found]
        if isinstance(found, Media):
            return [found.content()]
        if isinstance(found, (list, tuple)):
            return [it for item in found for it in self.content(item)]
        if not isinstance(found, str):
            found = json.dumps(pydantic.plain(found, mode="json"), indent=2, ensure_ascii=False, default=str)
        return [TextContent(text=found)]

    def said(self, made, error):
        is_told = not self.hides_crashes or isinstance(error, (frameworks.ToolError, pydantic.ValidationError))
        return f"Error executing tool {made.name}: {error}" if is_told else f"Error executing tool {made.name}"


class MCPServer(SdkServer):
    hides_crashes = True


class FastMCP(FunctionServer):
    """`FastMCP` of the package `fastmcp`."""

    keeps_tools = True
    texts_of_annotated = True
    is_closed = True
    missing = "Missing required argument"

    def described(self, function, description):
        text = inspect.getdoc(function) or ""
        found, texts = parsed(text)
        return description or found or None, texts

    def untyped(self, name):
        return {}

    def finished_schema(self, schema):
        found = untitled(tool_hub_schema.dereferenced(schema))
        return {"additionalProperties": False, **{name: it for name, it in found.items() if name != "title"}}

    def given_schema(self, schema):
        return tool_hub_schema.dereferenced(schema)

    def called_arguments(self, made):
        return f"call[{made.function.__name__}]"

    def output_of(self, made, hint):
        if hint in (inspect.Signature.empty, None, typing.Any, ...) or content_hint(hint) or unserializable(hint):
            return
        schemas = tool_hub_schema.Schemas("serialization", by_alias=False)
        try:
            found = schemas.of(hint)
            name = found.get("$ref", "").rpartition("/")[2]
            whole = schemas.definitions[name] if name else found
            made.result = hint
            if whole.get("type") == "object" or "properties" in whole:
                if name:
                    schemas.definitions.pop(name)
                made.output = untitled(tool_hub_schema.dereferenced(schemas.whole(whole)))
            else:
                schemas = tool_hub_schema.Schemas("serialization", by_alias=False)
                wrapped = tool_hub_schema.dereferenced(wrapped_schema("", schemas, hint))
                made.output = untitled(wrapped) | {"x-fastmcp-wrap-result": True}
                made.wraps = True
        except (tool_hub_schema.Unknown, TypeError, NameError):
            made.output = None

    def result(self, made, found):
        if isinstance(found, tool_hub_fastmcp.ToolResult):
            content = found.content if found.content is not None else found.structured_content
            structured = found.structured_content
            return CallToolResult(content=self.content(content), structuredContent=pydantic.plain(structured, mode="json"), isError=False)
        is_content = isinstance(found, (*CONTENT, Media)) or isinstance(found, (list, tuple)) and any(
            isinstance(it, (*CONTENT, Media)) for it in found
        )
        if is_content or isinstance(found, bytes):
            return CallToolResult(content=self.content(found), isError=False)
        value = pydantic.plain(found, mode="json")
        content = self.content(value)
        if made.output is None:
            structured = value if isinstance(value, dict) else None
        else:
            structured = {"result": value} if made.wraps else value
        return CallToolResult(content=content, structuredContent=structured, isError=False)

    def content(self, found):
        if found is None:
            return []
        if isinstance(found, (list, tuple)) and any(isinstance(it, (*CONTENT, Media)) for it in found):
            return [self.single(it) for it in found]
        return [self.single(found)]

    def single(self, found):
        if isinstance(found, CONTENT):
            return found
        if isinstance(found, Media):
            return found.content()
        if not isinstance(found, str):
            found = json.dumps(pydantic.plain(found, mode="json"), ensure_ascii=False, separators=(",", ":"), default=str)
        return TextContent(text=found)

    def said(self, made, error):
        if isinstance(error, frameworks.ToolError):
            return str(error)
        return f"Error calling tool {made.name!r}: {error}"


def unserializable(hint):
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return unserializable(parts[0])
    kind = origin or hint
    if kind in (list, tuple, collections.abc.Sequence) and (not parts or set(parts) <= {typing.Any, ...}):
        return True
    if parts and origin not in (list, dict, tuple):
        return any(unserializable(it) for it in parts)
    return kind is bytes or isinstance(kind, type) and issubclass(kind, (tool_hub_fastmcp.ToolResult, CallToolResult))


def untitled(schema, is_members=False):
    """The schema without titles."""
    if isinstance(schema, list):
        return [untitled(it) for it in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {name: it for name, it in schema.items() if is_members or name != "title" or isinstance(it, dict)}
    return {
        name: it if name in ("default", "enum", "const", "examples") and not is_members else untitled(it, not is_members and name in ("properties", "$defs"))
        for name, it in kept.items()
    }


def parsed(text):
    """The description in a docstring, and what it says of parameters."""
    try:
        from griffe import Docstring, DocstringSectionKind
    except ImportError:
        return text, {}
    logging.getLogger("griffe").setLevel(logging.CRITICAL)
    for parser in ("google", "numpy", "sphinx"):
        description, texts, is_found = None, {}, False
        for section in Docstring(text, lineno=1, parser=parser).parse():
            if section.kind == DocstringSectionKind.text and description is None:
                description = section.value
            elif section.kind == DocstringSectionKind.parameters:
                texts.update({it.name: it.description for it in section.value})
                is_found = True
            elif section.kind not in (DocstringSectionKind.text, DocstringSectionKind.admonition):
                is_found = True
        if is_found:
            return description, texts
    return text, {}


async def wait(server):
    """Ends what starts a server: its program stays here, and so does what it has opened."""
    Running.server = server
    Running.started.set_result(None)
    await asyncio.get_running_loop().create_future()


def run(main, *_, **__):
    """Runs the program's main coroutine up to where its server waits."""
    main = main if inspect.iscoroutine(main) else main(*_)
    loop = Running.loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    Running.started = loop.create_future()
    Running.task = loop.create_task(main)
    waiting = asyncio.wait([Running.task, Running.started], return_when=asyncio.FIRST_COMPLETED)
    loop.run_until_complete(waiting)
    if Running.started.done():
        raise Started
    return Running.task.result()


class Dependency:
    """A parameter that a server fills in."""

    def __init__(self, factory=None, **_):
        self.factory = factory


def current_context(*_, **__):
    return ServerContext(Running.server)


class ContextDependency(Dependency):
    def __init__(self, *_, **__):
        super().__init__(current_context)


@contextlib.asynccontextmanager
async def transport(*_, **__):
    yield None, None


COMMON_NAMES = {
    "Annotations": Wire, "Audio": Audio, "AudioContent": AudioContent, "CallToolResult": CallToolResult, "Context": ServerContext,
    "EmbeddedResource": EmbeddedResource, "ErrorData": ErrorData, "Image": Image, "ImageContent": ImageContent,
    "MCPError": MCPError, "McpError": MCPError, "ResourceLink": ResourceLink, "Server": Server, "TextContent": TextContent,
    "Tool": Tool, "ToolError": frameworks.ToolError, "ResourceError": frameworks.ToolError, "stdio_server": transport, "sse_server": transport,
    "INVALID_PARAMS": -32602, "INTERNAL_ERROR": -32603, "INVALID_REQUEST": -32600, "METHOD_NOT_FOUND": -32601, "PARSE_ERROR": -32700,
    "LATEST_PROTOCOL_VERSION": "2025-06-18",
}  # fmt: skip


class Names(dict):
    """Names of an SDK's modules; an object of the protocol is made where a module names it."""

    def __init__(self, package, known, modules):
        super().__init__(known)
        self.package, self.modules = package, modules

    def __contains__(self, name):
        return super().__contains__(name) or name in self.modules or bool(re.fullmatch(r"[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*", name))

    def __missing__(self, name):
        if name in self.modules:
            return importlib.import_module(f"{self.package}.{self.modules[name]}")
        made = self[name] = type(name, (Wire,), {})
        return made


MODULES = {name: name for name in ("types", "server", "shared", "client")} | {
    "stdio": "server.stdio", "sse": "server.sse", "models": "server.models", "fastmcp": "server.fastmcp", "lowlevel": "server.lowlevel",
    "mcpserver": "server.mcpserver", "exceptions": "shared.exceptions",
}  # fmt: skip
NAMES["mcp"] = Names("mcp", {**COMMON_NAMES, "FastMCP": SdkServer, "MCPServer": MCPServer}, MODULES)
NAMES["mcp_types"] = Names("mcp_types", COMMON_NAMES, {})
NAMES["fastmcp"] = Names("fastmcp", {
    **COMMON_NAMES, "FastMCP": FastMCP, "ToolResult": tool_hub_fastmcp.ToolResult, "tool": tool_hub_fastmcp.tool, "CurrentContext": ContextDependency,
    "Depends": Dependency, "get_context": current_context, "FunctionTool": FunctionTool, "get_http_headers": lambda *_, **__: {},
    "get_http_request": lambda *_, **__: None, "settings": Settings(),
}, {name: name for name in ("exceptions", "server", "tools", "utilities", "prompts", "resources", "dependencies")})  # fmt: skip
