"""Compiles the standard library into the file `library` beside this one, for `python_interpreter`.

The file holds a dictionary, written by `marshal`: of each module, by its name, the file that it was
read from, its code, written by `marshal` and compressed, and whether it is a package.
"""

import csv
import marshal
import os
import zlib

# Parts that are of no use without processes, windows, a terminal or an installation, and `ssl`,
# which the interpreter has in another form.
LEFT_OUT = {
    "__phello__", "_pyrepl", "ctypes", "curses", "ensurepip", "idlelib", "lib2to3", "multiprocessing", "pdb",
    "pydoc", "pydoc_data", "site-packages", "ssl", "test", "tkinter", "turtle", "turtledemo", "venv",
}


def modules_in(directory, prefix=""):
    """The name, the file and the kind of each module below a directory."""
    for entry in sorted(os.listdir(directory)):
        path, name = f"{directory}/{entry}", entry.removesuffix(".py")
        if name in LEFT_OUT:
            continue
        if entry.endswith(".py") and name != "__init__":
            yield prefix + name, path, False
        elif os.path.isfile(f"{path}/__init__.py"):
            yield prefix + name, f"{path}/__init__.py", True
            yield from modules_in(path, f"{prefix}{name}.")


def compiled(path):
    with open(path, "rb") as file:
        source = file.read()
    return zlib.compress(marshal.dumps(compile(source, path, "exec", dont_inherit=True)), 9)


# `os` itself is frozen, and names a directory that is not there.
directory = os.path.dirname(csv.__file__)
with open(f"{os.path.dirname(__file__)}/library", "wb") as file:
    marshal.dump({name: (path, compiled(path), kind) for name, path, kind in modules_in(directory)}, file)
