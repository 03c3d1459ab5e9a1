"""Paths of the granted directory, and failures of the system in an agent's words."""

import errno
import os
import posixpath

from componentize_py_types import Err
from wit_world.imports.types import Failure, FailureKind

ROOT = "/files"


def inside(path, argument="path"):
    """The path in the sandbox that `path` means. The host lets nothing out of the directory; what is
    said here is only said better."""
    if "\0" in path:
        raise failure("INVALID_ARGUMENT", "a path has no NUL character", "leave it out", argument)
    place = posixpath.normpath(posixpath.join(ROOT, path))
    if place != ROOT and not place.startswith(ROOT + "/"):
        raise failure(
            "PERMISSION_DENIED",
            f"{path} is outside of the directory that this tool may use",
            f"write a path relative to it, such as docs/plan.md, or one below {ROOT}",
            argument,
        )
    if not os.path.isdir(ROOT):
        raise failure("PERMISSION_DENIED", "no directory was granted to this tool", None, None)
    return place


def shown(start, relative):
    """A path found below `start`, written as `start` was."""
    return relative if start in ("", ".") else f"{start.rstrip('/')}/{relative}"


KINDS = {
    errno.ENOENT: ("NOT_FOUND", "does not exist", "look for it with list_directory or search_files"),
    errno.ENOTDIR: ("INVALID_ARGUMENT", "is not a directory", "pass a directory"),
    errno.EISDIR: ("INVALID_ARGUMENT", "is a directory", "pass a file"),
    errno.EEXIST: ("CONFLICT", "is there already", "choose another name"),
    errno.ENOTEMPTY: ("CONFLICT", "is not empty", "choose another name"),
    errno.ELOOP: ("PERMISSION_DENIED", "is a link that leads in a circle or out of the directory", None),
    errno.EROFS: ("PERMISSION_DENIED", "is in a directory that was granted for reading only", None),
    errno.ENOSPC: ("LIMIT_REACHED", "does not fit on the disk", None),
    errno.ENAMETOOLONG: ("INVALID_ARGUMENT", "is too long a name", "choose a shorter one"),
    errno.EINVAL: ("INVALID_ARGUMENT", "is not a path that can be used so", None),
}
DENIED = (
    "PERMISSION_DENIED",
    "may not be used so: the directory was granted for less, or a link leads out of it",
    None,
)


def failure_of(error):
    """The failure that an error of the system becomes."""
    denied = (errno.EPERM, errno.EACCES, getattr(errno, "ENOTCAPABLE", errno.EPERM))
    if error.errno in KINDS:
        kind, what, fix = KINDS[error.errno]
    elif error.errno in denied:
        kind, what, fix = DENIED
    else:
        kind, what, fix = "INTERNAL", f"cannot be used: {error.strerror}", None
    place = str(error.filename or "the file").removeprefix(ROOT + "/")
    return failure(kind, f"{place} {what}", fix, "path" if error.filename else None)


def failure(kind, message, fix, argument):
    return Err(Failure(FailureKind[kind], message, fix, argument, False))
