"""Differences between files, written as git writes them."""

import difflib
import re

BYTES_MAX = 1 << 20
MISSING = (None, None, None)


def of(path, old, new, context):
    """What a file was and is, each as mode, object name and bytes, or `MISSING`."""
    lines = [f"diff --git a/{path} b/{path}"]
    (old_mode, old_name, before), (new_mode, new_name, after) = old, new
    if before is None:
        lines.append(f"new file mode {new_mode:o}")
    elif after is None:
        lines.append(f"deleted file mode {old_mode:o}")
    elif old_mode != new_mode:
        lines += [f"old mode {old_mode:o}", f"new mode {new_mode:o}"]
    names = f"{short(old_name)}..{short(new_name)}"
    same = before is not None and after is not None and old_mode == new_mode
    if old_name != new_name:
        lines.append(f"index {names} {new_mode:o}" if same else f"index {names}")
        lines += sides(path, before, after, context)
    return "".join(f"{line}\n" for line in lines)


def hunks(before, after, context):
    """The hunks alone, or one line for files that are no text or too large."""
    return "".join(f"{line}\n" for line in changed(before or b"", after or b"", context) or [])


def sides(path, before, after, context):
    a, b = f"a/{path}" if before is not None else "/dev/null", f"b/{path}" if after is not None else "/dev/null"
    if is_binary(before) or is_binary(after):
        return [f"Binary files {a} and {b} differ"]
    lines = changed(before or b"", after or b"", context)
    return [f"--- {a}", f"+++ {b}", *lines] if lines else []


def changed(before, after, context):
    if is_binary(before) or is_binary(after):
        return ["Binary files differ"]
    if max(len(before), len(after)) > BYTES_MAX:
        return [f"[more than {BYTES_MAX} bytes: not compared]"]
    old, new, lines = split(before), split(after), []
    for group in difflib.SequenceMatcher(None, old, new).get_grouped_opcodes(context):
        start = group[0][1]
        lines.append(f"@@ -{span(start, group[-1][2])} +{span(group[0][3], group[-1][4])} @@{heading(old[:start])}")
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                lines += marked(" ", old[i1:i2])
            else:
                lines += marked("-", old[i1:i2]) + marked("+", new[j1:j2])
    return lines


def heading(lines):
    """The last line before a hunk that begins with a letter, such as that of a function."""
    for line in reversed(lines):
        if re.match(r"[A-Za-z_$]", line):
            return f" {line[:80].rstrip()}"
    return ""


def span(start, end):
    count = end - start
    if count == 1:
        return str(start + 1)
    return f"{start + 1 if count else start},{count}"


def split(data):
    lines = data.decode("utf-8", errors="replace").split("\n")
    ended = [f"{line}\n" for line in lines[:-1]]
    return ended + ([lines[-1]] if lines[-1] else [])


def marked(mark, lines):
    out = []
    for line in lines:
        out.append(mark + line.removesuffix("\n"))
        if not line.endswith("\n"):
            out.append("\\ No newline at end of file")
    return out


def is_binary(data):
    return data is not None and b"\0" in data[:8000]


def short(name):
    return "0000000" if name is None else name.decode()[:7]
