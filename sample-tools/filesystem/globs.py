"""Globs as in shells: `*` and `?` stay within a name, `**` goes through directories, `{a,b}` chooses."""

import glob
import re

PATTERN_LENGTH_MAX = 1000
CHOICES_MAX = 100


class Globs:
    """Several patterns, one of which has to match."""

    def __init__(self, patterns, anywhere=False):
        """`anywhere`: a pattern without `*` also means what has this name further down, with all below."""
        written = []
        for pattern in patterns:
            if not 0 < len(pattern) <= PATTERN_LENGTH_MAX:
                raise ValueError(f"a pattern has 1 to {PATTERN_LENGTH_MAX} characters")
            written += choices(pattern)
            if anywhere and "*" not in pattern:
                written += choices(f"**/{pattern}") + choices(f"**/{pattern}/**")
        translate = (glob.translate(each, recursive=True, include_hidden=True, seps="/") for each in written)
        self._patterns = [re.compile(each) for each in translate]

    def match(self, path):
        return any(pattern.match(path) for pattern in self._patterns)


def choices(pattern):
    """The patterns that the braces of one stand for."""
    done, waiting = [], [pattern]
    while waiting:
        pattern = waiting.pop()
        braces = re.search(r"\{([^{}]*,[^{}]*)\}", pattern)
        if not braces:
            done.append(pattern)
        else:
            waiting += [pattern[: braces.start()] + part + pattern[braces.end() :] for part in braces[1].split(",")]
        if len(done) + len(waiting) > CHOICES_MAX:
            raise ValueError(f"a pattern stands for at most {CHOICES_MAX}")
    return done
