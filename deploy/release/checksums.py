"""Writes SHA256SUMS beside a release's files, once there is one of each kind for every platform."""

import hashlib
import pathlib
import sys

import platforms

SUMS = "SHA256SUMS"


def expected(platform):
    """Patterns, each of which one file for this platform has to match."""
    version = platforms.version()
    return [
        f"tool-{version}-{platform.target}.tar.gz",
        f"tool_hub-{version}-*-{platform.wheel['tag']}.whl",
        f"tool-hub-{platform.npm['name']}-{version}.tgz",
    ]


def complete(place):
    """The files of a release, all of which are there."""
    patterns = [pattern for platform in platforms.listed() for pattern in expected(platform)]
    patterns.append(f"tool-hub-{platforms.version()}.tgz")
    files = {path for path in place.iterdir() if path.name != SUMS}
    for pattern in patterns:
        matching = {path for path in files if path.match(pattern)}
        if len(matching) != 1:
            raise SystemExit(f"expected one file {pattern} in {place}; found {len(matching)}")
        files -= matching
        yield from matching
    if files:
        names = ", ".join(sorted(path.name for path in files))
        raise SystemExit(f"expected nothing else in {place}; found {names}")


def main():
    place = pathlib.Path(sys.argv[1])
    found = sorted(complete(place), key=lambda path: path.name)
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in found]
    (place / SUMS).write_text("".join(lines))


if __name__ == "__main__":
    main()
