"""The files of a repository's directory, held against its index and its commits."""

import os
import stat

from dulwich.ignore import IgnoreFilterManager
from dulwich.objects import Blob
from fastmcp.exceptions import ToolError

import patches

FILES_MAX = 100_000
LINK, SUBMODULE, PLAIN = 0o120000, 0o160000, 0o100644


def of_commit(repo, commit):
    """Path → (mode, name) of all files of a commit; of none for an unborn branch."""
    if commit is None:
        return {}
    files = {}
    for entry in repo.object_store.iter_tree_contents(commit.tree):
        files[entry.path] = (entry.mode, entry.sha)
        if len(files) > FILES_MAX:
            raise ToolError(f"the repository has more than {FILES_MAX} files")
    return files


def of_index(repo):
    """Path → entry of the index, and the paths that a merge left in conflict."""
    if repo.bare:
        raise ToolError("the repository is a bare one, which has commits and no files: use git_log and git_show")
    files, conflicts = {}, []
    for path, entry in repo.open_index().items():
        if hasattr(entry, "sha"):
            files[path] = entry
        else:
            conflicts.append(path)
    return files, conflicts


def change_of(repo, path, mode, name, entry=None):
    """None if the file of the directory is what `mode` and `name` say, else what it is."""
    place = os.path.join(repo.path, path.decode())
    try:
        found = os.lstat(place)
    except (FileNotFoundError, NotADirectoryError):
        return patches.MISSING
    if mode == SUBMODULE:
        return None
    if stat.S_ISDIR(found.st_mode):
        return patches.MISSING
    is_link = stat.S_ISLNK(found.st_mode)
    if entry is not None and is_link == (mode == LINK) and unchanged(entry, found):
        return None
    data = os.readlink(place).encode() if is_link else read(place)
    found_name = Blob.from_string(data).id
    # A sandbox does not see who may run a file, so it has the permissions that it had.
    found_mode = LINK if is_link else (mode if mode != LINK else PLAIN)
    if found_name == name and found_mode == mode:
        return None
    return (found_mode, found_name, data)


def unchanged(entry, found):
    """Whether size and time say that a file is what was added. Within a second of that they say nothing."""
    seconds, nanoseconds = entry.mtime if isinstance(entry.mtime, tuple) else (int(entry.mtime), 0)
    same = seconds == int(found.st_mtime) and nanoseconds in (0, found.st_mtime_ns % 1_000_000_000)
    return same and nanoseconds != 0 and entry.size == found.st_size


def read(place):
    with open(place, "rb") as file:
        return file.read()


def untracked(repo, index):
    """Files that are neither added nor ignored; a directory of nothing else stands for them."""
    ignored = IgnoreFilterManager.from_repo(repo)
    holding = {b""}
    for path in index:
        while b"/" in path:
            path = path.rpartition(b"/")[0]
            holding.add(path)
    found, waiting, count = [], [b""], 0
    while waiting:
        directory = waiting.pop()
        with os.scandir(os.path.join(repo.path, directory.decode())) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                count += 1
                if count > FILES_MAX:
                    raise ToolError(f"the directory has more than {FILES_MAX} files")
                path = (directory + b"/" if directory else b"") + entry.name.encode()
                is_directory = entry.is_dir(follow_symlinks=False)
                if path == b".git" or path in index or ignored.is_ignored(path.decode() + "/" * is_directory):
                    continue
                if not is_directory:
                    found.append(path)
                elif path in holding:
                    waiting.append(path)
                elif is_repository(repo, path) or has_file(repo, path, ignored):
                    found.append(path + b"/")
    return sorted(found)


def is_repository(repo, path):
    return os.path.exists(os.path.join(repo.path, path.decode(), ".git"))


def has_file(repo, directory, ignored, depth=0):
    with os.scandir(os.path.join(repo.path, directory.decode())) as entries:
        for entry in entries:
            path = directory + b"/" + entry.name.encode()
            is_directory = entry.is_dir(follow_symlinks=False)
            if ignored.is_ignored(path.decode() + "/" * is_directory):
                continue
            if not is_directory or (depth < 50 and has_file(repo, path, ignored, depth + 1)):
                return True
    return False
