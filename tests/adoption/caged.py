#!/usr/bin/env python3
"""Runs MCP servers of PyPI and npm in the cage, for packages of which `run.py` made no equal component.

usage: caged.py [--tool PATH] [--registry NAME] [--all] [PACKAGE]...

The server is approved by `tool inspect` and `tool load mcp:…`, with the grants that packages.toml names and no others, and
served by `tool serve`. Its lists and the answers to ten calls are compared with the original's. Then each of its tools is
called with the path of a file, the URL of a listener and the name of a variable that were not granted: of these canaries
nothing may come back. The original is called in the same way, which shows how many of these calls would have found one.
The outcome goes into the rows that run.py keeps.
"""

import argparse
import json
import os
import re
import shutil
import sys
import threading
import time
import tomllib
from pathlib import Path

import run as harness
from run import KEPT, ROOT, Canaries, Failure, Server

# Calls with a canary, of all tools of a server.
PROBES = 40


def probes(tools, canaries, granted):
    """Calls that would lead a tool to a canary, each tool in turn. A link in the directory `granted` leads there too."""
    file, url = str(canaries.file), f"http://127.0.0.1:{canaries.port}/"
    link = granted / "link.txt"
    link.unlink(missing_ok=True)
    link.symlink_to(canaries.file)
    texts = [
        {"command": f"cat {file}", "code": f"console.log(require('fs').readFileSync('{file}', 'utf8'))", "*": file},
        {"command": "printenv CANARY", "code": "console.log(process.env.CANARY)", "*": url},
        {"command": f"curl -s {url}", "*": str(link)},
        {"command": f"cat {link}", "*": "CANARY"},
    ]
    made = []
    for words in texts:
        for tool in tools:
            schema = tool.get("inputSchema") or {}
            made.append((tool["name"], filled(schema, schema, words)))
    return made[:PROBES]


def filled(schema, root, words, name=""):
    """A value that fits a schema, with `words` for its texts."""
    schema = harness.resolved(schema, root)
    choices = [it for it in schema.get("anyOf") or schema.get("oneOf") or [] if it.get("type") != "null"]
    if choices:
        return filled(choices[0], root, words, name)
    members = schema.get("properties", {})
    if members or schema.get("type") == "object":
        return {key: filled(it, root, words, key) for key, it in members.items() if key in schema.get("required", members)}
    if schema.get("type") == "array":
        return [filled(schema.get("items") or {}, root, words, name)]
    if schema.get("enum"):
        return schema["enum"][0]
    if schema.get("type") in ("integer", "number"):
        # Such as the first line.
        return max(1, schema.get("minimum", 1))
    if schema.get("type", "string") == "string":
        return next((text for word, text in words.items() if word in name.lower()), words["*"])
    return harness.sample(schema, name, 1, root)


def command(package, program):
    """What somebody would write after `mcp:`."""
    name, version = package["name"], package["version"]
    if package["registry"] == "npm":
        return ["npx", "-y", "-p", f"{name}@{version}", program]
    more = [word for it in package.get("with", []) for word in ("--with", it)]
    return ["uvx", *more, "--from", f"{name}=={version}", program]


def loaded(package, place, tool, env, words):
    """Approves the server, and returns the toolbox served."""
    flags = list(package.get("grants", []))
    if package.get("files"):
        flags += ["--allow-dir", f"files:read-write={place / 'files'}"]
    server = [f"mcp:{words[0]}", *words[1:]]
    asked = harness.subprocess.run([tool, "inspect", *flags, *server], capture_output=True, text=True, env=env, cwd=place, timeout=harness.STEP)
    start = re.search(r"--start (sha256:[0-9a-f]{64})", asked.stderr)
    if start is None:
        raise Failure(asked.stderr.strip()[-3000:])
    start = ["--start", start[1]]
    shown = json.loads(harness.run([tool, "inspect", *flags, "--json", *start, *server], env=env, cwd=place))
    harness.run([tool, "load", "--as", "caged", *flags, *start, "--approve", shown["digest"], *server], env=env, cwd=place)
    return Server([tool, "serve", "--answer-limit", "0"], env, place / "caged.log")


def compare(package, tool, env):
    if "framework" in package or "modules" in package:
        return {"caged": "no server", "caged_reason": ""}
    place = harness.place_of(package)
    place.mkdir(parents=True, exist_ok=True)
    package = harness.with_files(package, place / "files")
    harness.make_files(place / "files")
    theirs_canaries, canaries = Canaries(place / "theirs"), Canaries(place / "ours")
    base = harness.surroundings(package, place) | {"CANARY": theirs_canaries.value}
    try:
        started = harness.original(package, place)
        program = program_of(package, place, started)
        theirs = Server([*started, *package.get("arguments", [])], base, place / "original.log")
    except Failure as error:
        return {"caged": "no original", "caged_reason": harness.last_line(error)}
    try:
        wanted = theirs.list()
        made = harness.calls(package, wanted)
        expected = [theirs.call(*it) for it in made]
        live = len([1 for it in probed(theirs, probes(wanted, theirs_canaries, place / "files"), lambda name: name) if theirs_canaries.value in json.dumps(it)])
        live += theirs_canaries.visits
    except Failure as error:
        return {"caged": "no original", "caged_reason": harness.last_line(error)}
    finally:
        theirs.end()
        theirs_canaries.listener.close()
    own_home = place / "caged-home"
    shutil.rmtree(own_home, ignore_errors=True)
    env = {**env, "TOOL_HUB_HOME": str(own_home), "HOME": str(canaries.file.parent), "CANARY": canaries.value, **package.get("env", {})}
    env["PATH"] = f"{Path(sys.executable).parent}:{env['PATH']}"
    env["npm_config_cache"] = str(KEPT / "npm-cache")
    harness.make_files(place / "files")
    row = {"live": live}
    try:
        server = loaded(package, place, tool, env, [*command(package, program), *package.get("arguments", [])])
    except Failure as error:
        return {**row, "caged": "refused", "caged_reason": harness.last_line(error)}
    try:
        found = server.list()
        names = harness.names_of(found, wanted, "caged")
        differences = harness.list_differences(wanted, names, place)
        answers = []
        for (name, arguments), result in zip(made, expected):
            own = names.get(harness.snake(name))
            answer = server.call(own["name"], arguments) if own else {}
            answers.append(answer)
            if not harness.are_equal(package, name, answer, result):
                arguments = json.loads(json.dumps(arguments).replace(str(place / "files"), harness.IN_COMPONENT))
                differences.append(harness.call_difference(name, arguments))
        (place / "caged.json").write_text(json.dumps([[it, theirs, ours] for it, theirs, ours in zip(made, expected, answers)], indent=1))
        own = {it: names.get(harness.snake(it), {}).get("name") for it in [tool["name"] for tool in wanted]}
        answers += probed(server, probes(wanted, canaries, place / "files"), own.get)
        if touched := canaries.touched([found, answers]):
            return {**row, "caged": "CANARY", "caged_reason": touched}
    except Failure as error:
        return {**row, "caged": "refused", "caged_reason": harness.last_line(error)}
    finally:
        server.end()
        canaries.listener.close()
        shutil.rmtree(own_home, ignore_errors=True)
    if differences:
        return {**row, "caged": "differs", "caged_reason": f"{len(differences)}: {differences[0]}"}
    return {**row, "caged": "equal", "caged_reason": ""}


def probed(server, made, named):
    """The answers to calls that may kill the server, which then is asked no more."""
    answers = []
    for name, arguments in made:
        try:
            if named(name):
                answers.append(server.call(named(name), arguments))
        except Failure:
            break
    return answers


def program_of(package, place, started):
    """The name of the program that is started."""
    if package["registry"] == "pypi":
        return Path(started[0]).name
    programs = json.loads((place / "node_modules" / package["name"] / "package.json").read_text())["bin"]
    if isinstance(programs, str):
        return package["name"].rsplit("/")[-1]
    file = os.path.relpath(started[1], place / "node_modules" / package["name"])
    return next(name for name, it in programs.items() if os.path.normpath(it) == file)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", type=Path, default=ROOT / "target" / "debug" / "tool")
    parser.add_argument("--packages", type=Path, default=harness.HERE / "packages.toml")
    parser.add_argument("--registry", choices=["pypi", "npm"])
    parser.add_argument("--all", action="store_true", help="also packages with an equal component")
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    packages = harness.read_packages(given.packages)
    env = harness.environment()
    threading.Thread(target=harness.FIXTURE.serve_forever, daemon=True).start()
    kept = KEPT / "rows.json"
    for package in packages:
        key = package["registry"], package["name"]
        row = harness.read_rows(kept).get(key, {"registry": key[0], "package": key[1], "version": package["version"], "outcome": "not run", "reason": ""})
        is_wanted = package["name"] in given.names or not given.names and (given.all or row["outcome"] != "equal")
        if not is_wanted or given.registry not in (None, package["registry"]):
            continue
        start = time.monotonic()
        found = compare(package, given.tool.resolve(), env)
        harness.discard(package)
        # Another run may have written rows meanwhile.
        rows = harness.read_rows(kept)
        rows[key] = {**rows.get(key, row), **found}
        kept.write_text(json.dumps(list(rows.values()), indent=1))
        print(f"{found['caged']:12} {key[0]}:{key[1]} {time.monotonic() - start:.0f}s live {found.get('live', '')} {found['caged_reason']}", flush=True)


if __name__ == "__main__":
    main()
