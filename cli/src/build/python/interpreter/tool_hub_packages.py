"""The files of a program's packages, and the modules in them.

There are no files to read in a sandbox, so the packages lie in memory, in one archive. Their
modules, their data and what is said of their versions are found there, as below a directory.
"""

import base64
import builtins
import contextlib
import errno
import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.resources
import importlib.resources.abc
import importlib.util
import io
import os
import stat
import sys
import zipfile

from tool_hub_http import Exchange

# The directory below which the files of packages seem to be.
DIRECTORY = "/packages"


class PackagePath(zipfile.Path):
    """A file or directory of the packages."""

    def __fspath__(self):
        return str(self).removesuffix("/")


class Packages(importlib.metadata.DistributionFinder):
    """Finds the modules of packages, and reads their files."""

    def __init__(self):
        self.root = None

    def open(self, archive):
        """Takes the packages: an archive of zip, in base64."""
        if archive:
            opened = zipfile.ZipFile(io.BytesIO(base64.b64decode(archive)))
            opened.filename = DIRECTORY
            self.root = PackagePath(opened)

    def find_spec(self, name, path=None, target=None):
        if self.root is None:
            return None
        place = self.root / name.replace(".", "/")
        file = self._file(name)
        if file is None and not place.is_dir():
            return None
        is_package = file is None or file.name == "__init__.py"
        origin = None if file is None else os.fspath(file)
        spec = importlib.machinery.ModuleSpec(name, origin and self, origin=origin, is_package=is_package)
        spec.has_location = file is not None
        if is_package:
            spec.submodule_search_locations = [os.fspath(place)]
        return spec

    def _file(self, name):
        place = self.root / name.replace(".", "/")
        files = (place / "__init__.py", self.root / f"{place.at.removesuffix('/')}.py")
        return next((file for file in files if file.is_file()), None)

    def _found(self, name):
        file = self.root and self._file(name)
        if file is None:
            raise ImportError(f"no package has a module {name!r}", name=name)
        return file

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        exec(self.get_code(module.__name__), module.__dict__)
        if module.__name__ == "anyio._core._exceptions":
            # httpx repeats what this says, which is nothing, where the host refuses a request.
            module.BrokenResourceError.__str__ = lambda self: self.args and str(self.args[0]) or str(Exchange.failure or "")

    def is_package(self, name):
        return self._found(name).name == "__init__.py"

    def get_code(self, name):
        file = self._found(name)
        return compile(file.read_bytes(), os.fspath(file), "exec", dont_inherit=True)

    def get_source(self, name):
        return importlib.util.decode_source(self._found(name).read_bytes())

    def get_filename(self, name):
        return os.fspath(self._found(name))

    def get_data(self, path):
        return self.inside(path).read_bytes()

    def get_resource_reader(self, name):
        return PackageResources(self.root / name.replace(".", "/"))

    def find_distributions(self, context=importlib.metadata.DistributionFinder.Context()):
        wanted = context.name and importlib.metadata.Prepared.normalize(context.name)
        for directory in self.root.iterdir() if self.root else ():
            name, is_one, _ = directory.name.partition(".dist-info")
            if is_one and wanted in (None, importlib.metadata.Prepared.normalize(name.rpartition("-")[0])):
                yield importlib.metadata.PathDistribution(directory)

    def inside(self, path):
        """The file or directory of the packages at a path; `None` if the path leads elsewhere."""
        try:
            path = os.path.normpath(os.fspath(path))
        except TypeError:
            return None
        if self.root is None or not isinstance(path, str) or f"{path}/".partition(f"{DIRECTORY}/")[0]:
            return None
        below = path[len(DIRECTORY) + 1 :]
        return self.root / below if below else self.root


class PackageResources(importlib.resources.abc.TraversableResources):
    """The data beside the modules of a package, for `importlib.resources`."""

    def __init__(self, directory):
        self._directory = directory

    def files(self):
        return self._directory


class PackageDirectory:
    """The modules directly in a directory of the packages, for `pkgutil.iter_modules`."""

    def __init__(self, directory):
        self._directory = directory

    def iter_modules(self, prefix=""):
        for entry in self._directory.iterdir():
            if (entry / "__init__.py").is_file():
                yield prefix + entry.name, True
            elif entry.name.endswith(".py") and entry.name != "__init__.py":
                yield prefix + entry.name.removesuffix(".py"), False


class PackageEntry:
    """A file or directory of the packages, as `os.scandir` gives it."""

    def __init__(self, path):
        self._found, self.name, self.path = path, path.name, os.fspath(path)

    def __fspath__(self):
        return self.path

    def is_dir(self, *, follow_symlinks=True):
        return self._found.is_dir()

    def is_file(self, *, follow_symlinks=True):
        return self._found.is_file()

    def is_symlink(self):
        return False

    is_junction = is_symlink

    def stat(self, *, follow_symlinks=True):
        return os.stat(self.path)

    def inode(self):
        return 0


class PackageEntries:
    """What `os.scandir` gives of a directory of the packages."""

    def __init__(self, directory):
        self._entries = iter([PackageEntry(entry) for entry in directory.iterdir()])

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._entries)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._entries = iter(())


def missing(path):
    return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)


def is_root(path):
    """True for the directory that a tool is in, which is there though it holds no files but those that were granted."""
    try:
        return os.path.normpath(os.fspath(path)) in ("/", ".")
    except TypeError:
        return False


def install(packages):
    """Has `open`, `os` and `importlib.resources` read the files of packages too, and find the root directory."""
    real_open, real_stat, real_lstat, real_scandir, real_access = io.open, os.stat, os.lstat, os.scandir, os.access
    real_mkdir = os.mkdir

    def open(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, *args, **kwargs):
        found = packages.inside(file)
        if found is None:
            return real_open(file, mode, buffering, encoding, errors, newline, *args, **kwargs)
        if set(mode) & set("wax+"):
            raise PermissionError(errno.EROFS, os.strerror(errno.EROFS), file)
        if found.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), file)
        if not found.is_file():
            raise missing(file)
        raw = io.BytesIO(found.read_bytes())
        return raw if "b" in mode else io.TextIOWrapper(raw, encoding or "utf-8", errors, newline)

    def status(path, found):
        if found.is_file():
            size = found.root.getinfo(found.at).file_size
            return os.stat_result((stat.S_IFREG | 0o444, 0, 0, 1, 0, 0, size, 0, 0, 0))
        if found.is_dir():
            return os.stat_result((stat.S_IFDIR | 0o555, 0, 0, 1, 0, 0, 0, 0, 0, 0))
        raise missing(path)

    def outside(real, path, *args, **kwargs):
        try:
            return real(path, *args, **kwargs)
        except FileNotFoundError:
            if is_root(path):
                return os.stat_result((stat.S_IFDIR | 0o555, 0, 0, 1, 0, 0, 0, 0, 0, 0))
            raise

    def os_stat(path, *args, **kwargs):
        found = packages.inside(path)
        return outside(real_stat, path, *args, **kwargs) if found is None else status(path, found)

    def lstat(path, *args, **kwargs):
        found = packages.inside(path)
        return outside(real_lstat, path, *args, **kwargs) if found is None else status(path, found)

    def mkdir(path, *args, **kwargs):
        if is_root(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
        return real_mkdir(path, *args, **kwargs)

    def access(path, mode, *args, **kwargs):
        found = packages.inside(path)
        if found is None:
            return real_access(path, mode, *args, **kwargs)
        return found.exists() and not mode & os.W_OK

    def scandir(path="."):
        found = packages.inside(path)
        if found is None:
            return real_scandir(path)
        if not found.is_dir():
            raise missing(path)
        return PackageEntries(found)

    def listdir(path="."):
        with os.scandir(path) as entries:
            return [entry.name for entry in entries]

    def importer(path):
        found = packages.inside(path)
        if found is None or not found.is_dir():
            raise ImportError(f"{path} is no directory of packages", path=path)
        return PackageDirectory(found)

    builtins.open = io.open = open
    os.stat, os.lstat, os.access, os.scandir, os.listdir, os.mkdir = os_stat, lstat, access, scandir, listdir, mkdir
    sys.path_hooks.append(importer)
    importlib.resources.as_file.register(PackagePath, contextlib.nullcontext)
