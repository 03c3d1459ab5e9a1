#!/usr/bin/env python3
"""Runs the public clients' own test suites against the registry server.

README.md says how to read what it prints."""

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator

from comparison import compare
from suites import HERE, KEPT, run_javascript, run_python

ROOT = HERE.parents[1]

# The accounts the suites know by name; an organisation with its administrator.
ACCOUNTS = [
    "__DUMMY_HUB_USER__",
    "DVUser",
    "EnterpriseAdmin",
    "hub.js",
    "valid_org_hub=__DUMMY_HUB_USER__",
    "EnterpriseOrgPrivate=EnterpriseAdmin",
]


# Each with what runs it and the registry's options. With LFS every file that is not empty is sent
# over it, else none is.
SUITES = {
    "python": (run_python, []),
    "python-lfs": (run_python, ["--lfs"]),
    "javascript": (run_javascript, []),
    "javascript-lfs": (run_javascript, ["--lfs"]),
}


def main() -> int:
    wanted = sys.argv[1:] or list(SUITES)
    if unknown := set(wanted) - set(SUITES):
        sys.exit(f"there is no suite {', '.join(unknown)}; choose from {', '.join(SUITES)}")
    KEPT.mkdir(parents=True, exist_ok=True)
    unexpected = 0
    for name in wanted:
        run, options = SUITES[name]
        with registry(options) as served:
            results = run(served)
        unexpected += compare(name, results)
    return 1 if unexpected else 0


@contextlib.contextmanager
def registry(options: list[str]) -> Iterator[dict]:
    """A new registry with the suites' accounts: its `endpoint`, and the `tokens` by user."""
    command = ["cargo", "run", "--quiet", "--locked", "-p", "tool-hub-registry-server", "--example", "conformance", "--"]
    with open(KEPT / "registry.log", "w") as log:
        server = subprocess.Popen(
            [*command, *options, *ACCOUNTS], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
        )
        try:
            announced = server.stdout.readline()
            if not announced:
                sys.exit(f"the registry did not start; see {log.name}")
            yield json.loads(announced)
        finally:
            server.stdin.close()
            server.wait(timeout=60)


if __name__ == "__main__":
    sys.exit(main())
