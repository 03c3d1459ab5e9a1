"""Fork hooks: a fork waits for loads and imports, so that the child can load and import as well.

It waits for those imports that are made under the lock `importing`.
"""

import _thread
import os
import sys

#: Held around imports within functions. Python lets a thread fork while another one imports a
#: module, and then the child waits for ever when it imports that module itself.
importing = _thread.RLock()


def _tell_native(event: str) -> None:
    """Tells the native module, if it is loaded: before that there is nothing to wait for."""
    hook = getattr(sys.modules.get("tool_hub._native"), event, None)
    if hook is not None:
        hook()


def _before() -> None:
    importing.acquire()
    _tell_native("forks")


def _in_parent() -> None:
    _tell_native("forked_here")
    importing.release()


def _in_child() -> None:
    _tell_native("forked")
    importing.release()


# All at once and before anything else of the package: hooks that are added while another thread
# forks do not count for that fork.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
