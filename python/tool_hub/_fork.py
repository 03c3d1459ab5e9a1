"""Hooks of `fork`: it waits for loads and imports, so that its child can do both."""

from __future__ import annotations

import _thread
import os

from tool_hub import _native

#: Held around imports within functions. Python lets a thread fork while another one imports a
#: module, and then the child waits for ever when it imports that module itself.
importing = _thread.RLock()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_native.forks,
        after_in_parent=_native.forked_here,
        after_in_child=_native.forked,
    )
    # Hooks run before a fork in the reverse of this order: a thread that imports has to go on.
    os.register_at_fork(
        before=importing.acquire,
        after_in_parent=importing.release,
        after_in_child=importing.release,
    )
