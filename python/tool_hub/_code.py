"""A program sent into the sandbox as text: runs FastMCP's code with top-level `await` and `return`.

It is never imported. It finds the variables `__source__`, `__inputs__` and `__names__`, and the
functions that `__names__` lists; its last line is what came of the code.
"""

import ast
import json
import sys
import types


def __asynchronous__(function):
    async def call(*values, **named):
        return function(*values, **named)

    return call


async def __gather__(*awaitables, return_exceptions=False):
    results = []
    for awaitable in awaitables:
        try:
            results.append(await awaitable)
        except Exception as error:
            if not return_exceptions:
                raise
            results.append(error)
    return results


def __run__(source, inputs):
    # Nothing here waits for anything but functions outside, which answer before they return.
    asyncio = types.ModuleType("asyncio")
    asyncio.gather = __gather__
    sys.modules["asyncio"] = asyncio
    try:
        tree = ast.parse(source, "<code>")
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            last = tree.body[-1]
            tree.body[-1] = ast.copy_location(ast.Return(last.value), last)
        wrapper = ast.parse("async def __main__(): pass")
        wrapper.body[0].body = tree.body or [ast.Pass()]
        exec(compile(ast.fix_missing_locations(wrapper), "<code>", "exec"), inputs)
        inputs["__main__"]().send(None)
    except StopIteration as stopped:
        return {"value": __plain__(stopped.value)}
    except BaseException as error:
        return {"failed": __told__(error, source.splitlines())}
    return {"failed": "the code waited for something that never comes"}


def __plain__(value):
    """The value, or how Python writes it where JSON cannot say it. Pictures can be said."""
    try:
        json.dumps(value, default=lambda it: {Media: 0, set: 0, frozenset: 0}[type(it)])  # noqa: F821
    except (KeyError, TypeError, ValueError):
        return repr(value)
    return value


def __told__(error, lines):
    told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    number = getattr(error, "lineno", None)
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<code>":
            number = trace.tb_lineno
        trace = trace.tb_next
    if number and number <= len(lines):
        told += f"\nin line {number}: {lines[number - 1].strip()}"
    return told


__functions__ = {name: __asynchronous__(globals()[name]) for name in __names__}  # noqa: F821
__run__(__source__, {"Media": Media, **__inputs__, **__functions__})  # noqa: F821
