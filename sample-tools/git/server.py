"""The history of git repositories for agents, as an MCP server."""

import functools
import posixpath
import zlib
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Annotated, Literal

import mmap  # noqa: F401  our own, before dulwich asks for it

from dulwich.errors import (
    ApplyDeltaError,
    ChecksumMismatch,
    FileFormatException,
    NotGitRepository,
    ObjectMissing,
    WrongObjectException,
)
from dulwich.objects import Blob, Commit, Tag, Tree
from dulwich.objectspec import parse_object
from dulwich.repo import Repo
from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from pydantic import Field

import patches
import worktree

mcp = FastMCP("git")

ROOT = "/repos"
ANSWER_CHARACTERS_MAX = 1_000_000
WALKED_MAX = 50_000
# What dulwich raises for objects that are missing, broken or of a format that it does not know.
MISTAKES = (ValueError, KeyError, OSError, AssertionError, NotImplementedError, zlib.error)
MISTAKES += (ApplyDeltaError, ChecksumMismatch, FileFormatException, ObjectMissing, WrongObjectException)


def explaining(function):
    """Has a repository that is broken reach the agent as one."""

    @functools.wraps(function)
    def explained(*arguments, **named):
        try:
            return function(*arguments, **named)
        except MISTAKES as error:
            raise ToolError(f"the repository cannot be read ({type(error).__name__}: {str(error)[:200]})") from error

    return explained


@mcp.tool
@explaining
def git_status(
    repo_path: Annotated[
        str, Field(description="The repository, such as `engine`; `.` if the granted directory is it.")
    ],
) -> str:
    """Shows what was changed and not committed.

    Returns the branch, the files that are staged, those that were changed since, and those that git does not know.
    """
    repo = opened(repo_path)
    head, lines = (
        head_of(repo),
        [f"On branch {branch_of(repo)}" if branch_of(repo) else f"HEAD detached at {repo.head().decode()[:7]}"],
    )
    if head is None:
        lines += ["", "No commits yet", ""]
    index, conflicts = worktree.of_index(repo)
    committed = worktree.of_commit(repo, head)
    staged = [row for path in sorted(set(committed) | set(index)) if (row := staged_row(path, committed, index))]
    changed = []
    for path in sorted(index):
        found = worktree.change_of(repo, path, index[path].mode, index[path].sha, index[path])
        if found is not None:
            changed.append(("deleted" if found is patches.MISSING else "modified", path))
    unknown = worktree.untracked(repo, set(index) | set(conflicts))
    for title, rows in (
        ("Changes to be committed:", staged),
        ("Unmerged paths:", [("both modified", path) for path in conflicts]),
        ("Changes not staged for commit:", changed),
    ):
        if rows:
            lines += [title] + [f"\t{word + ':':<12}{path.decode(errors='replace')}" for word, path in rows] + [""]
    if unknown:
        lines += ["Untracked files:"] + [f"\t{path.decode(errors='replace')}" for path in unknown]
    if not (staged or changed or unknown or conflicts):
        lines += ["nothing to commit, working tree clean"]
    return "Repository status:\n" + "\n".join(lines).rstrip("\n")


@mcp.tool
@explaining
def git_diff_unstaged(
    repo_path: Annotated[
        str, Field(description="The repository, such as `engine`; `.` if the granted directory is it.")
    ],
    context_lines: Annotated[
        int, Field(description="How many unchanged lines to show around a change.", ge=0, le=1000)
    ] = 3,
) -> str:
    """Compares the files of the directory with what is staged. Returns a patch, empty where nothing was changed since."""
    repo = opened(repo_path)
    index, _ = worktree.of_index(repo)
    parts = []
    for path in sorted(index):
        entry = index[path]
        found = worktree.change_of(repo, path, entry.mode, entry.sha, entry)
        if found is not None:
            parts.append(
                patches.of(
                    path.decode(errors="replace"),
                    (entry.mode, entry.sha, blob(repo, entry.sha)),
                    found,
                    context_lines,
                )
            )
    return "Unstaged changes:\n" + bounded(parts)


@mcp.tool
@explaining
def git_diff_staged(
    repo_path: Annotated[
        str, Field(description="The repository, such as `engine`; `.` if the granted directory is it.")
    ],
    context_lines: Annotated[
        int, Field(description="How many unchanged lines to show around a change.", ge=0, le=1000)
    ] = 3,
) -> str:
    """Shows what the next commit would record. Returns a patch from the last commit to what `git add` has taken."""
    repo = opened(repo_path)
    index, _ = worktree.of_index(repo)
    files = {path: (entry.mode, entry.sha) for path, entry in index.items()}
    return "Staged changes:\n" + between(repo, worktree.of_commit(repo, head_of(repo)), files, context_lines)


@mcp.tool
@explaining
def git_diff(
    repo_path: Annotated[
        str, Field(description="The repository, such as `engine`; `.` if the granted directory is it.")
    ],
    target: Annotated[
        str, Field(description="What to compare with: a branch, a tag or a commit, such as `main` or `HEAD~2`.")
    ],
    context_lines: Annotated[
        int, Field(description="How many unchanged lines to show around a change.", ge=0, le=1000)
    ] = 3,
) -> str:
    """Shows how the files of the directory differ from a branch or a commit. Returns a patch."""
    repo = opened(repo_path)
    old = worktree.of_commit(repo, commit_of(repo, target))
    index, _ = worktree.of_index(repo)
    parts = []
    for path in sorted(set(old) | set(index)):
        mode, name = old.get(path, (None, None))
        if path not in index:
            found = patches.MISSING
        else:
            entry = index[path]
            found = worktree.change_of(repo, path, entry.mode, entry.sha, entry)
            if found is None:
                found = (entry.mode, entry.sha, b"" if entry.sha == name else blob(repo, entry.sha))
        if found[:2] != (mode, name):
            before = patches.MISSING if name is None else (mode, name, blob(repo, name))
            parts.append(patches.of(path.decode(errors="replace"), before, found, context_lines))
    return f"Diff with {target}:\n" + bounded(parts)


@mcp.tool
@explaining
def git_log(
    repo_path: Annotated[
        str, Field(description="The repository, such as `engine`; `.` if the granted directory is it.")
    ],
    max_count: Annotated[int, Field(description="How many commits to return.", ge=1, le=1000)] = 10,
    start_timestamp: Annotated[
        str,
        Field(
            description="Only commits since then: `2026-11-27`, `2026-11-27T14:30:00`, `yesterday` or `2 weeks ago`."
        ),
    ] = "",
    end_timestamp: Annotated[str, Field(description="Only commits until then, written in the same ways.")] = "",
) -> str:
    """Shows the commits that led to the present one, newest first. Returns of each its name, author, date and message."""
    repo = opened(repo_path)
    since, until = instant(start_timestamp, "start_timestamp"), instant(end_timestamp, "end_timestamp")
    if head_of(repo) is None:
        raise ToolError("the branch has no commits yet")
    rows = []
    for number, entry in enumerate(repo.get_walker()):
        commit = entry.commit
        if number == WALKED_MAX:
            break
        if (since and commit.commit_time < since) or (until and commit.commit_time > until):
            continue
        rows.append(
            f"Commit: {commit.id.decode()}\nAuthor: {person(commit)[0]}\nDate: {authored(commit)}\n"
            f"Message: {commit.message.decode(errors='replace')}\n"
        )
        if len(rows) == max_count:
            break
    return "Commit history:\n" + "\n".join(rows)


@mcp.tool
@explaining
def git_show(
    repo_path: Annotated[
        str, Field(description="The repository, such as `engine`; `.` if the granted directory is it.")
    ],
    revision: Annotated[
        str, Field(description="A commit, branch or tag, or a file of one, such as `HEAD~1` or `main:src/a.py`.")
    ],
) -> str:
    """Shows a commit with its changes, or a file or directory of a commit.

    Returns the author, date, message and patch of a commit, the text of a file, or the names in a directory.
    """
    repo = opened(repo_path)
    found = object_of(repo, revision)
    if isinstance(found, Blob):
        return found.data.decode(errors="replace")[:ANSWER_CHARACTERS_MAX]
    if isinstance(found, Tree):
        return "\n".join(
            item.path.decode(errors="replace") + "/" * (item.mode == 0o040000) for item in found.iteritems()
        )
    name, address = person(found)
    message = found.message.decode(errors="replace").rstrip("\n")
    head = (
        f"commit {found.id.decode()}\nAuthor: {name} <{address}>\nDate:   {authored(found):%Y-%m-%d %H:%M:%S %z}\n\n"
        + "".join(f"    {line}\n" for line in message.split("\n"))
    )
    parent = repo[found.parents[0]] if found.parents else None
    old, new = worktree.of_commit(repo, parent), worktree.of_commit(repo, found)
    parts = [head]
    for path in sorted(set(old) | set(new)):
        if old.get(path) == new.get(path):
            continue
        before, after = (
            blob(repo, old[path][1]) if path in old else None,
            blob(repo, new[path][1]) if path in new else None,
        )
        shown = path.decode(errors="replace")
        parts.append(
            f"\n--- {'/dev/null' if before is None else f'a/{shown}'}\n+++ {'/dev/null' if after is None else f'b/{shown}'}\n"
        )
        parts.append(patches.hunks(before, after, 3))
    return bounded([*parts, "\n"])


@mcp.tool
@explaining
def git_branch(
    repo_path: Annotated[
        str, Field(description="The repository, such as `engine`; `.` if the granted directory is it.")
    ],
    branch_type: Annotated[Literal["local", "remote", "all"], Field(description="Which branches.")] = "local",
    contains: Annotated[str, Field(description="Only branches that have this commit, such as `HEAD~1`.")] = "",
    not_contains: Annotated[str, Field(description="Only branches that do not have this commit.")] = "",
) -> str:
    """Lists branches. Returns a line for each, with `*` before the present one."""
    repo = opened(repo_path)
    present = branch_of(repo)
    wanted = commit_of(repo, contains).id if contains else None
    unwanted = commit_of(repo, not_contains).id if not_contains else None
    lines = []
    if branch_type != "remote" and present is None:
        lines.append(f"* (HEAD detached at {repo.head().decode()[:7]})")
    for kind, prefix, before in (
        ("local", b"refs/heads/", ""),
        ("remote", b"refs/remotes/", "remotes/" * (branch_type == "all")),
    ):
        if branch_type not in (kind, "all"):
            continue
        for name, commit in sorted(repo.refs.as_dict(prefix).items()):
            history = None
            if wanted or unwanted:
                history = {entry.commit.id for entry in repo.get_walker([commit], max_entries=WALKED_MAX)}
            if (wanted and wanted not in history) or (unwanted and unwanted in history):
                continue
            shown = name.decode(errors="replace")
            lines.append(f"{'*' if kind == 'local' and shown == present else ' '} {before}{shown}")
    return "\n".join(lines)


def opened(path):
    place = posixpath.normpath(posixpath.join(ROOT, path))
    if (place != ROOT and not place.startswith(ROOT + "/")) or "\0" in path:
        raise ToolError(f"{path} is not in the directory: write a path from there, such as engine, or `.`")
    if not Path(ROOT).is_dir():
        raise ToolError("no directory was granted to this tool")
    if (Path(place) / ".git").is_file():
        raise ToolError(
            f"{path} is a worktree or a submodule, whose history is elsewhere: take the repository itself"
        )
    try:
        return Repo(place)
    except (NotGitRepository, FileNotFoundError, NotADirectoryError):
        near = [str(found.parent.relative_to(ROOT)) for found in sorted(Path(ROOT).glob("*/.git"))[:20]]
        raise ToolError(
            f"{path} is not a git repository; there are {', '.join(near) or 'none in the directory'}"
        ) from None
    except MISTAKES as error:
        raise ToolError(f"{path} cannot be read: {error}") from None


def branch_of(repo):
    """The name of the present branch, None where HEAD is a commit."""
    names = repo.refs.follow(b"HEAD")[0]
    last = names[-1]
    return last.removeprefix(b"refs/heads/").decode(errors="replace") if last.startswith(b"refs/heads/") else None


def head_of(repo):
    try:
        return repo[repo.head()]
    except KeyError:
        return None


def object_of(repo, revision):
    if revision.startswith("-") or not revision.strip():
        raise ToolError(f"`{revision}` is not a revision: write one such as main, HEAD~1 or a commit's name")
    try:
        name, _, path = revision.removesuffix("^{tree}").partition(":")
        found = parse_object(repo, name)
        while isinstance(found, Tag):
            found = repo[found.object[1]]
        if isinstance(found, Commit) and (path or revision.endswith(("^{tree}", ":"))):
            found = repo[found.tree]
        return repo[found.lookup_path(repo.object_store.__getitem__, path.encode())[1]] if path else found
    except MISTAKES:
        branches = ", ".join(sorted(name.decode(errors="replace") for name in repo.refs.as_dict(b"refs/heads/"))[:20])
        raise ToolError(f"`{revision}` is not in the repository; its branches are {branches or 'none'}") from None


def commit_of(repo, revision):
    found = object_of(repo, revision)
    if not isinstance(found, Commit):
        raise ToolError(f"`{revision}` is not a commit: write a branch, a tag or a commit's name")
    return found


def between(repo, old, new, context):
    parts = []
    for path in sorted(set(old) | set(new)):
        if old.get(path) != new.get(path):
            sides = [
                (*files[path], blob(repo, files[path][1])) if path in files else patches.MISSING
                for files in (old, new)
            ]
            parts.append(patches.of(path.decode(errors="replace"), *sides, context))
    return bounded(parts)


def blob(repo, name):
    try:
        return repo.object_store[name].as_raw_string()
    except KeyError:
        # The commit of a submodule, or an object that a partial clone has not fetched.
        return b"Subproject commit " + name + b"\n"


def staged_row(path, committed, index):
    old = committed.get(path)
    new = (index[path].mode, index[path].sha) if path in index else None
    if old == new:
        return None
    return ("new file" if old is None else "deleted" if new is None else "modified", path)


def person(commit):
    name, _, address = commit.author.decode(errors="replace").partition(" <")
    return name, address.removesuffix(">")


def authored(commit):
    return datetime.fromtimestamp(commit.author_time, timezone(timedelta(seconds=commit.author_timezone)))


UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800, "month": 2592000, "year": 31536000}


def instant(text, argument):
    """Seconds since 1970; None for an empty text."""
    if not text:
        return None
    words = text.strip().lower().split()
    now = datetime.now(timezone.utc)
    if words == ["yesterday"]:
        return (now - timedelta(days=1)).timestamp()
    if len(words) == 3 and words[0].isdigit() and words[1].removesuffix("s") in UNITS and words[2] == "ago":
        return now.timestamp() - min(int(words[0]), 10**6) * UNITS[words[1].removesuffix("s")]
    for form in ("%b %d %Y", "%d %b %Y"):
        try:
            return datetime.strptime(text.strip(), form).replace(tzinfo=timezone.utc).timestamp()
        except ValueError:
            pass
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        raise ToolError(
            f"`{argument}` is `{text}`: write 2026-11-27, 2026-11-27T14:30:00, yesterday or 2 weeks ago"
        ) from None
    return (found if found.tzinfo else found.replace(tzinfo=timezone.utc)).timestamp()


def bounded(parts):
    text = "".join(parts).removesuffix("\n")
    if len(text) > ANSWER_CHARACTERS_MAX:
        return text[:ANSWER_CHARACTERS_MAX] + f"\n[cut after {ANSWER_CHARACTERS_MAX} characters]"
    return text


if __name__ == "__main__":
    mcp.run()
