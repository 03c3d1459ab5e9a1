"""Replacements in a text, and the diff that shows them."""

import difflib


def replaced(text, old, new):
    """The text with the first `old` in it replaced, or None where it is not found.

    Lines end in the text as they did, however `old` and `new` end theirs.
    """
    ends = "\r\n" if "\r\n" in text else "\n"
    lines = [part.replace("\r\n", "\n") for part in (text, old, new)]
    after = replaced_lines(*lines)
    if after is None or ends == "\n":
        return after
    return after.replace("\n", ends)


def replaced_lines(text, old, new):
    if not old:
        return None
    if old in text:
        return text.replace(old, new, 1)
    lines, wanted = text.split("\n"), [line.strip() for line in old.split("\n")]
    bare = [line.strip() for line in lines]
    for start in range(len(lines) - len(wanted) + 1):
        if bare[start] == wanted[0] and bare[start : start + len(wanted)] == wanted:
            put = indented(new.split("\n"), old.split("\n"), indent_of(lines[start]))
            return "\n".join(lines[:start] + put + lines[start + len(wanted) :])
    return None


def indented(new, old, indent):
    """New lines under the indent of what they replace; what is deeper among them stays so."""
    put = [indent + new[0].lstrip()]
    for index, line in enumerate(new[1:], 1):
        before = indent_of(old[index]) if index < len(old) else ""
        if before and indent_of(line):
            deeper = max(0, len(indent_of(line)) - len(before))
            line = indent + " " * deeper + line.lstrip()
        put.append(line)
    return put


def indent_of(line):
    return line[: len(line) - len(line.lstrip())]


def fenced_diff(path, before, after):
    """A unified diff within a fence of Markdown that is longer than any in it."""
    diff = unified_diff(path, *(part.replace("\r\n", "\n") for part in (before, after)))
    fence = "```"
    while fence in diff:
        fence += "`"
    return f"{fence}diff\n{diff}{fence}\n\n"


def unified_diff(path, before, after):
    lines = [f"Index: {path}", "=" * 67, f"--- {path}\toriginal", f"+++ {path}\tmodified"]
    parts = [split(before), split(after)]
    for group in difflib.SequenceMatcher(None, *parts).get_grouped_opcodes(4):
        old, new = (group[0][1], group[-1][2]), (group[0][3], group[-1][4])
        lines.append(f"@@ -{span(*old)} +{span(*new)} @@")
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                lines += marked(" ", parts[0][i1:i2])
                continue
            lines += marked("-", parts[0][i1:i2]) + marked("+", parts[1][j1:j2])
    return "".join(f"{line}\n" for line in lines)


def split(text):
    """Lines with their ends. Only line feeds end them, or the diff would not be one of the file."""
    lines = [f"{line}\n" for line in text.split("\n")]
    return lines[:-1] + ([lines[-1].removesuffix("\n")] if lines[-1] != "\n" else [])


def span(start, end):
    return f"{start + 1 if end > start else start},{end - start}"


def marked(mark, lines):
    out = []
    for line in lines:
        out.append(mark + line.removesuffix("\n"))
        if not line.endswith("\n"):
            out.append("\\ No newline at end of file")
    return out
