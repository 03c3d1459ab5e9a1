"""A stand-in for the module `concurrent.interpreters`: a sandbox has one interpreter.

The module itself cannot be loaded, and packages such as anyio import it.
"""


class InterpreterError(Exception):
    """An interpreter cannot be had."""


class InterpreterNotFoundError(InterpreterError):
    """There is no such interpreter."""


class ExecutionFailed(InterpreterError):
    """What ran in another interpreter has failed."""


class NotShareableError(TypeError):
    """An object cannot be given to another interpreter."""


def create():
    raise InterpreterError("a sandbox has one interpreter")
