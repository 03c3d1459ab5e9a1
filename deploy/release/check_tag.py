"""Ends with an error if a tag is not the version in Cargo.toml, with `v` before it."""

import sys

import platforms


def main():
    kind, name = sys.argv[1:]
    expected = f"v{platforms.version()}"
    if kind == "tag" and name != expected:
        raise SystemExit(f"expected the tag {expected}, as Cargo.toml says; found {name}")


if __name__ == "__main__":
    main()
