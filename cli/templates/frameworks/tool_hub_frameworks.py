"""Runs a file that was written for a framework of agents, and calls its tools.

The file is as its author wrote it. Modules of frameworks are made here when it imports them: they have what
`NAMES` lists, and for all else something that does nothing while the file is loaded and says so in a call.
"""

import asyncio
import enum
import importlib.abc
import importlib.machinery
import inspect
import json
import os
import sys
import types
import typing

import tool_hub_pydantic as pydantic
from tool_hub_functions import finished, text_of

# What the modules of each package have, wherever in it they are.
NAMES = {"annotated_types": {}, "pydantic": pydantic.NAMES, "pydantic_settings": pydantic.NAMES}


# Packages of which no module is the real one.
WHOLE = ("annotated_types", "fastmcp", "mcp", "pydantic", "pydantic_settings")


class State:
    """Whether a tool is being called."""

    is_calling = False


class Absent:
    """A part of a framework that a tool runs without."""

    def __init__(self, name):
        self.__dict__["_name"] = name

    def _refuse(self):
        if State.is_calling:
            raise RuntimeError(f"`{self._name}` is a part of a framework that this tool runs without")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        self._refuse()
        return Absent(f"{self._name}.{name}")

    def __setattr__(self, name, value):
        self._refuse()

    def __call__(self, *arguments, **_):
        self._refuse()
        # As a decorator it leaves things as they are.
        is_definition = len(arguments) == 1 and isinstance(arguments[0], (types.FunctionType, type))
        return arguments[0] if is_definition else Absent(f"{self._name}(…)")

    def __getitem__(self, _):
        return self

    def __or__(self, other):
        return typing.Any

    __ror__ = __or__

    def __mro_entries__(self, bases):
        return ()


class StandIn(types.ModuleType):
    """A module of a framework."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        names = names_of(self.__name__)
        return names[name] if name in names else Absent(f"{self.__name__}.{name}")


def names_of(module):
    """What a module of a framework has; nothing for one of others."""
    package = module.partition(".")[0]
    # There is a package for each provider.
    if package.startswith(("langchain", "langgraph")):
        package = "langchain"
    return NAMES.get(package)


class Frameworks(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Makes the modules."""

    def find_spec(self, name, path=None, target=None):
        if names_of(name) is None:
            return None
        # A package of tools may be called after its framework, or lie within the framework's own.
        if name.partition(".")[0] not in WHOLE and PACKAGES.find_spec(name) is not None:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return StandIn(spec.name)

    def exec_module(self, module):
        pass


# Modules of the author's come first, whatever they are called.
PLACE = next(at for at, finder in enumerate(sys.meta_path) if type(finder).__name__ == "Packages")
PACKAGES = sys.meta_path[PLACE]
sys.meta_path.insert(PLACE, Frameworks())


class Context:
    """What a framework gives a function beside its arguments. Its reports go to the tool's log."""

    def __init__(self, context=None):
        self.context, self.state, self.usage = context, {}, None
        self.session_id = self.request_id = self.client_id = "1"

    async def log(self, message="", *more, **_):
        print(message, *more, file=sys.stderr)

    debug = info = warning = error = log

    async def report_progress(self, progress, total=None, message=None):
        if message:
            await self.log(message)

    def get_state(self, key):
        return self.state.get(key)

    def set_state(self, key, value):
        self.state[key] = value

    def __class_getitem__(cls, _):
        return cls

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise RuntimeError(f"the context has no `{name}` in this tool, which runs without its framework")


class ToolError(Exception):
    """A failure whose text is for the agent."""


def context_of(hint):
    """The context that a parameter with this hint is given."""
    kinds = [hint, typing.get_origin(hint), *typing.get_args(hint)]
    return next((kind() for kind in kinds if isinstance(kind, type) and issubclass(kind, Context)), None)


def hints_of(function):
    try:
        return typing.get_type_hints(function, include_extras=True)
    except Exception:  # names that only checkers import
        return {}


def fitted(name, value, hint, default):
    """An argument as its hint and its `Field` say it."""
    try:
        value = pydantic.fitted(value, hint) if hint is not None else value
        return default.check(value) if isinstance(default, pydantic.FieldInfo) and value is not None else value
    except pydantic.Unfit as error:
        raise pydantic.ValidationError("the arguments", error.at(name)) from None


def arguments(function, given, model):
    """The arguments of a call, each as the function expects it."""
    if model is not None:
        checked = model.model_validate(given)
        given = {name: getattr(checked, name) for name in model.tool_hub_known()}
    hints, positional, named, problems = hints_of(function), [], {}, []
    parameters = inspect.signature(function).parameters
    for name, parameter in parameters.items():
        default = parameter.default
        if parameter.kind is parameter.VAR_POSITIONAL:
            continue
        if parameter.kind is parameter.VAR_KEYWORD:
            named |= {key: it for key, it in given.items() if key not in parameters}
            continue
        if name in given:
            try:
                value = given[name] if model else fitted(name, given[name], hints.get(name), default)
            except pydantic.ValidationError as error:
                problems += error.problems
                continue
        elif (context := context_of(hints.get(name))) is not None:
            value = context
        elif isinstance(default, pydantic.FieldInfo):
            value = default.get_default()
        else:
            continue
        if parameter.kind is parameter.POSITIONAL_ONLY:
            positional.append(value)
        else:
            named[name] = value
    if problems:
        raise pydantic.ValidationError("the arguments", problems)
    return positional, named


class Tool:
    """A function of the file, or a method of one of its classes, with `settings` from variables."""

    def __init__(self, found, method=None, settings=()):
        self.found, self.method, self.settings = found, method, settings
        self.model = getattr(found, "args_schema", None)
        if not (isinstance(self.model, type) and issubclass(self.model, pydantic.BaseModel)):
            self.model = None

    def function(self):
        if self.method is None:
            return getattr(self.found, "tool_hub_function", self.found)
        given, hints = {}, {**hints_of(self.found), **hints_of(self.found.__init__)}
        for parameter, variable, is_required in self.settings:
            if variable in os.environ:
                given[parameter] = fitted(parameter, os.environ[variable], hints.get(parameter), None)
            elif is_required:
                raise ToolError(f"this tool needs its variable {variable}; ask the user to grant it")
        instance = self.found(**given)
        if hasattr(instance, "tool_hub_prepare"):
            instance.tool_hub_prepare()
        return getattr(instance, self.method)

    def call(self, given):
        """What the tool answers, as JSON says a `result` of WIT."""
        State.is_calling = True
        try:
            function = self.function()
            positional, named = arguments(function, {name: make() for name, make in given.items()}, self.model)
            return {"ok": answer(finished(function(*positional, **named)))}
        except BaseException as error:
            said, kind = text_of(error), type(error).__name__
            if isinstance(error, ToolError):
                kind = said or kind
                said = ""
            return {"err": f"{kind}: {said}" if said else kind}


def members(value, names):
    """An object with the names that its class has, and without what was left out."""
    if value is None:
        return None
    return {own: make(value[name]) for name, (own, make) in names.items() if value.get(name) is not None}


def answer(value):
    """What a function returned, as the text that a model reads."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value.value if isinstance(value, enum.Enum) else value
    if hasattr(value, "tool_hub_text"):
        return value.tool_hub_text()
    if isinstance(value, (list, tuple)) and value and all(hasattr(it, "tool_hub_text") for it in value):
        return "\n".join(it.tool_hub_text() for it in value)
    return json.dumps(pydantic.plain(value, mode="json"), ensure_ascii=False)


def run(coroutine):
    """The result of a coroutine; within another one that runs, itself."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return finished(coroutine)
    return coroutine


def nothing(*_, **__):
    """What servers and agents do when a file starts them: nothing."""


def none(*_, **__):
    return Absent("the framework")
