"""The module `concurrent.interpreters` for packages that import it: a sandbox has one interpreter."""


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
