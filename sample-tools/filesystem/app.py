"""The tool `filesystem`: the functions of `wit/world.wit`, and failures that say what to do."""

import functools
import json
import mimetypes
import os
from datetime import datetime, timezone

from componentize_py_types import Err
from wit_world import exports
from wit_world.imports.types import (
    Audio,
    Content,
    ContentBody_Audio,
    ContentBody_Image,
    ContentBody_Resource,
    EmbeddedResource,
    Image,
    Reply,
    ResourceContents_Blob,
)

import edits as editing
from globs import Globs
from paths import ROOT, failure, failure_of, inside, shown

READ_BYTES_MAX = 4 << 20
READ_TOGETHER_BYTES_MAX = 8 << 20
EDIT_BYTES_MAX = 1 << 20
FILES_MAX = 100
TREE_ENTRIES_MAX = 10_000
FOUND_MAX = 5_000
DEPTH_MAX = 100


def explaining(method):
    """Has errors of the system reach the agent as failures."""

    @functools.wraps(method)
    def explained(self, *arguments):
        try:
            return method(self, *arguments)
        except OSError as error:
            raise failure_of(error) from error

    return explained


class Files(exports.Files):
    """The interface `files`."""

    @explaining
    def read_text_file(self, path, tail, head):
        if tail and head:
            raise failure("INVALID_ARGUMENT", "`head` and `tail` were both given", "pass one of them", "head")
        place = inside(path)
        if head:
            return first_lines(place, head)
        if tail:
            return last_lines(place, tail)
        size = os.stat(place).st_size
        if size > READ_BYTES_MAX:
            raise failure(
                "LIMIT_REACHED",
                f"{path} has {size} bytes, and at most {READ_BYTES_MAX} are read at once",
                "read it by `head` or `tail`",
                "path",
            )
        return text_of(place)

    def read_file(self, path, tail, head):
        return self.read_text_file(path, tail, head)

    @explaining
    def read_media_file(self, path):
        place = inside(path)
        size = os.stat(place).st_size
        if size > READ_BYTES_MAX:
            raise failure(
                "LIMIT_REACHED", f"{path} has {size} bytes, and at most {READ_BYTES_MAX} are sent", None, "path"
            )
        with open(place, "rb") as file:
            data = file.read()
        kind = mimetypes.guess_type(place)[0] or "application/octet-stream"
        if kind.startswith("image/"):
            body = ContentBody_Image(Image(kind, data))
        elif kind.startswith("audio/"):
            body = ContentBody_Audio(Audio(kind, data))
        else:
            body = ContentBody_Resource(EmbeddedResource(f"file://{place}", kind, ResourceContents_Blob(data)))
        return Reply([Content(body, None)], None, None)

    def read_multiple_files(self, paths):
        if not 1 <= len(paths) <= FILES_MAX:
            raise failure("INVALID_ARGUMENT", f"{len(paths)} paths were given", f"pass 1 to {FILES_MAX}", "paths")
        parts, left = [], READ_TOGETHER_BYTES_MAX
        for path in paths:
            try:
                text = self.read_text_file(path, None, None)
            except Err as error:
                parts.append(f"{path}: Error - {error.value.message}")
                continue
            left -= len(text.encode())
            if left < 0:
                parts.append(f"{path}: Error - the files before it fill the answer; read it in another call")
                break
            parts.append(f"{path}:\n{text}\n")
        return "\n---\n".join(parts)

    @explaining
    def write_file(self, path, content):
        place = inside(path)
        # Written in place: a file put there by a rename would lose its permissions, which a
        # component cannot set.
        with open(place, "w", encoding="utf-8", newline="") as file:
            file.write(content)
        return f"Successfully wrote to {path}"

    @explaining
    def edit_file(self, path, edits, dry_run):
        place = inside(path)
        size = os.stat(place).st_size
        if size > EDIT_BYTES_MAX:
            raise failure(
                "LIMIT_REACHED", f"{path} has {size} bytes, and at most {EDIT_BYTES_MAX} are edited", None, "path"
            )
        with open(place, "rb") as file:
            try:
                before = file.read().decode()
            except UnicodeDecodeError:
                raise failure(
                    "INVALID_ARGUMENT", f"{path} is not text in UTF-8", "edit text files only", "path"
                ) from None
        after = before
        for index, edit in enumerate(edits):
            after = editing.replaced(after, edit.old_text, edit.new_text)
            if after is None:
                raise failure(
                    "INVALID_ARGUMENT",
                    f"the old text is not in {path}: {edit.old_text[:200]!r}",
                    "read the file, and pass lines as they stand in it",
                    f"edits[{index}].old_text",
                )
        if not dry_run and after != before:
            with open(place, "wb") as file:
                file.write(after.encode())
        return editing.fenced_diff(path, before, after)

    @explaining
    def create_directory(self, path):
        os.makedirs(inside(path), exist_ok=True)
        return f"Successfully created directory {path}"

    @explaining
    def list_directory(self, path):
        return "\n".join(f"{kind(entry)} {entry.name}" for entry in entries(inside(path)))

    @explaining
    def list_directory_with_sizes(self, path, sort_by):
        rows = [(entry, is_directory(entry), size_of(entry)) for entry in entries(inside(path))]
        if sort_by is not None and sort_by.name == "SIZE":
            rows.sort(key=lambda row: -row[2])
        else:
            rows.sort(key=lambda row: (row[0].name.casefold(), row[0].name.swapcase()))
        lines = [
            f"{kind(entry)} {entry.name:<30} {'' if of_directory else readable(size).rjust(10)}"
            for entry, of_directory, size in rows
        ]
        sizes = [size for _, of_directory, size in rows if not of_directory]
        lines += [
            "",
            f"Total: {len(sizes)} files, {len(rows) - len(sizes)} directories",
            f"Combined size: {readable(sum(sizes))}",
        ]
        return "\n".join(lines)

    @explaining
    def directory_tree(self, path, exclude_patterns):
        excluded, count = globs(exclude_patterns, "exclude_patterns", anywhere=True), 0

        def branch(place, before, depth):
            nonlocal count
            found = []
            for entry in entries(place):
                relative = before + entry.name
                if excluded.match(relative):
                    continue
                count += 1
                if count > TREE_ENTRIES_MAX or depth > DEPTH_MAX:
                    raise failure(
                        "LIMIT_REACHED",
                        f"{path} has more than {TREE_ENTRIES_MAX} entries, or more than {DEPTH_MAX} levels",
                        "begin further down, or leave out more by `exclude_patterns`",
                        "path",
                    )
                item = {"name": entry.name, "type": "directory" if is_directory(entry) else "file"}
                if is_directory(entry):
                    item["children"] = branch(entry.path, relative + "/", depth + 1)
                found.append(item)
            return found

        return json.dumps(branch(inside(path), "", 1), indent=2, ensure_ascii=False)

    @explaining
    def move_file(self, source, destination):
        start, end = inside(source), inside(destination, "destination")
        os.lstat(start)
        if os.path.lexists(end):
            raise failure("CONFLICT", f"{destination} is there already", "choose another name", "destination")
        os.rename(start, end)
        return f"Successfully moved {source} to {destination}"

    @explaining
    def search_files(self, path, pattern, exclude_patterns):
        wanted, excluded = globs([pattern], "pattern"), globs(exclude_patterns, "exclude_patterns")
        start, found = inside(path), []
        waiting = [(start, "", 1)]
        while waiting:
            place, before, depth = waiting.pop()
            below = []
            for entry in entries(place):
                relative = before + entry.name
                if excluded.match(relative):
                    continue
                if wanted.match(relative):
                    found.append(shown(path, relative))
                if len(found) > FOUND_MAX:
                    raise failure(
                        "LIMIT_REACHED", f"more than {FOUND_MAX} paths match {pattern}", "search for less", "pattern"
                    )
                if is_directory(entry) and depth < DEPTH_MAX:
                    below.append((entry.path, relative + "/", depth + 1))
            waiting += reversed(below)
        return "\n".join(sorted(found)) or "No matches found"

    @explaining
    def get_file_info(self, path):
        place = inside(path)
        stats = os.stat(place)
        facts = {
            "size": stats.st_size,
            "modified": moment(stats.st_mtime),
            "accessed": moment(stats.st_atime),
            "isDirectory": str(os.path.isdir(place)).lower(),
            "isFile": str(not os.path.isdir(place)).lower(),
        }
        return "\n".join(f"{name}: {value}" for name, value in facts.items())

    def list_allowed_directories(self):
        return f"Allowed directories:\n{ROOT}"


def text_of(place):
    with open(place, encoding="utf-8", errors="replace", newline="") as file:
        return file.read()


def first_lines(place, count):
    lines, left = [], READ_BYTES_MAX
    with open(place, encoding="utf-8", errors="replace", newline="\n") as file:
        while len(lines) < count and left > 0:
            line = file.readline(left)
            if not line:
                break
            left -= len(line)
            lines.append(line.removesuffix("\n"))
    return "\n".join(lines)


def last_lines(place, count):
    """The last lines, from at most the last `READ_BYTES_MAX` bytes."""
    with open(place, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - READ_BYTES_MAX))
        text = file.read().decode(errors="replace").replace("\r\n", "\n")
    return "\n".join(text.split("\n")[-count:])


def entries(place):
    with os.scandir(place) as scanned:
        return sorted(scanned, key=lambda entry: entry.name)


def is_directory(entry):
    """Links are none: they may lead in a circle, or to where the host lets nobody look."""
    return entry.is_dir(follow_symlinks=False)


def kind(entry):
    return "[DIR]" if is_directory(entry) else "[FILE]"


def size_of(entry):
    try:
        return entry.stat().st_size
    except OSError:
        return 0


def readable(size):
    if size < 1024:
        return f"{size} B"
    for unit in ["KB", "MB", "GB", "TB"]:
        size /= 1024
        if size < 1024 or unit == "TB":
            return f"{size:.2f} {unit}"


def moment(seconds):
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat(timespec="seconds")


def globs(patterns, argument, anywhere=False):
    try:
        return Globs(patterns or [], anywhere)
    except ValueError as error:
        raise failure("INVALID_ARGUMENT", str(error), "write a glob such as `**/*.md`", argument) from None
