"""Finds the tools for frameworks of agents in the modules of a package, lists them, and calls them.

The modules run as their authors wrote them, with what stands in for their frameworks. Tools are objects and
classes of the modules, what a toolkit has, and what a function returns that is called like `search_tools`.
"""

import importlib
import inspect
import os
import re
import typing

import tool_hub_langchain
import tool_hub_llama_index
import tool_hub_openai_agents  # noqa: F401
import tool_hub_smolagents
import tool_hub_frameworks as frameworks
import tool_hub_pydantic as pydantic
from tool_hub_server import CallToolResult, FunctionServer, TextContent, failed, maybe, wire

TOOLS = (tool_hub_langchain.BaseTool, tool_hub_smolagents.Tool)
KITS = (tool_hub_llama_index.BaseToolSpec, tool_hub_langchain.BaseToolkit)


class PackageTools(FunctionServer):
    """The tools of modules, as a server has them."""

    def __init__(self, modules):
        super().__init__("package")
        self.known, self.failure = {}, None
        for name in modules:
            self.take(importlib.import_module(name))
        if not self.known:
            raise self.failure or RuntimeError(f"no tools for a framework are in {', '.join(modules)}")

    def take(self, module):
        """Takes the tools of a module: those that are there, then those that its classes and functions make."""
        root = module.__name__.split(".")
        root = ".".join(root[: 3 if root[:2] == ["llama_index", "tools"] else 1])
        own = [it for name, it in vars(module).items() if not name.startswith("_")]
        for it in own:
            self.add(it)
            for inner in it if isinstance(it, (list, tuple)) else ():
                self.add(inner)
        for it in own:
            name = getattr(it, "__module__", None)
            if isinstance(name, str) and f"{name}.".startswith(f"{root}."):
                self.made(it)

    def made(self, found):
        """Takes the tools of a class, or of a function that returns tools."""
        try:
            if isinstance(found, type) and issubclass(found, KITS):
                kit = instance(found)
                made = kit.to_tool_list() if isinstance(kit, KITS[0]) else kit.get_tools()
            elif isinstance(found, type) and issubclass(found, TOOLS) and not inspect.isabstract(found):
                made = [instance(found)]
            elif inspect.isfunction(found) and re.search(r"(?:^|_)tools$", found.__name__) and not required(found):
                made = found()
            else:
                return
        except Exception as error:
            # One that needs what is not there stands back behind the others.
            self.failure = self.failure or error
            return
        for it in made if isinstance(made, (list, tuple)) else ():
            self.add(it)

    def add(self, found):
        is_tool = hasattr(found, "tool_hub_listed") and not isinstance(found, type)
        name = getattr(found, "name", None) or getattr(getattr(found, "metadata", None), "name", None) if is_tool else None
        if isinstance(name, str) and name:
            self.known.setdefault(name, found)

    async def list(self):
        return [wire(it.tool_hub_listed()) for it in self.known.values()]

    async def call(self, name, given):
        try:
            frameworks.State.is_calling = True
            said = await maybe(self.known[name].tool_hub_called(given))
            return CallToolResult(content=[TextContent(text=said)], isError=False)
        except Exception as error:
            said = str(error)
            return failed(said if isinstance(error, frameworks.ToolError) and said else f"{type(error).__name__}: {said}")


def required(function):
    """The parameters without which a function cannot be called."""
    told = inspect.signature(function).parameters.values()
    return [it.name for it in told if it.default is it.empty and it.kind not in (it.VAR_POSITIONAL, it.VAR_KEYWORD)]


def instance(kind):
    """An object of a class; what its constructor takes are variables of the same names in capitals.

    Those are what it needs, and texts and numbers that are nothing unless somebody says them.
    """
    if issubclass(kind, pydantic.BaseModel) and kind.__init__ in (tool_hub_langchain.BaseTool.__init__, pydantic.BaseModel.__init__):
        common = tool_hub_langchain.BaseTool.tool_hub_known()
        known = {name: it for name, it in kind.tool_hub_known().items() if name not in common}
        needed = {name: it.annotation for name, it in known.items() if it.is_required()}
        wanted = {name: it.annotation for name, it in known.items() if it.default is None}
    else:
        hints = frameworks.hints_of(kind.__init__)
        needed = {name: hints.get(name, str) for name in required(kind.__init__) if name != "self"}
        told = inspect.signature(kind.__init__).parameters.values()
        wanted = {it.name: hints[it.name] for it in told if it.default is None and it.name in hints}
    given = {}
    for name, hint in wanted.items():
        if is_simple(hint) and (value := os.environ.get(name.upper())) is not None:
            given[name] = frameworks.fitted(name, value, hint, None)
    for name, hint in needed.items():
        if not is_simple(hint):
            raise TypeError(f"{kind.__name__} needs `{name}`, which no variable can hold")
        try:
            given[name] = frameworks.fitted(name, os.environ[name.upper()], hint, None)
        except KeyError:
            raise frameworks.ToolError(f"this tool needs its variable {name.upper()}; ask the user to grant it") from None
    return kind(**given)


def is_simple(hint):
    parts = [it for it in typing.get_args(hint) if it is not type(None)]
    return hint in (str, int, float, bool, pydantic.SecretStr, typing.Any) or len(parts) == 1 and is_simple(parts[0])
