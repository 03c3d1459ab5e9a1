#!/usr/bin/env python3
"""Compares MCP servers of PyPI and npm with the tools that `tool new --from` makes of them.

usage: run.py [--tool PATH] [--registry NAME] [--rows PATH]... [--write] [PACKAGE]...

For each package of packages.toml the original is installed and started as a process, ours is made, built and
served by `tool serve --only`; both list their tools and answer the same ten calls. What differs is printed.
Everything lies below target/adoption. `--write` writes docs/adoption.md, with the rows of other runs that `--rows` names;
`--write --no-run` compares nothing. It needs Python 3.13 or newer, which also runs the originals: older ones list docstrings
with the indentation that they have in the source.
"""

import argparse
import hashlib
import http.server
import json
import os
import queue
import re
import secrets
import shutil
import socket
import subprocess
import sys
import threading
import time
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
KEPT = ROOT / "target" / "adoption"
CALLS = 10
# Seconds that a server has for each answer, and an installation or a build.
ANSWER, STEP = 30, 400


class Failure(Exception):
    """What could not be done, in a line."""


def run(command, **options):
    command = [str(word) for word in command]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=STEP, **options)
    except subprocess.TimeoutExpired:
        raise Failure(f"{Path(command[0]).name} took more than {STEP} seconds") from None
    if done.returncode != 0:
        raise Failure((done.stderr or done.stdout).strip()[-3000:] or f"exit code {done.returncode}")
    return done.stdout


PAGE = "<html><head><title>A page</title></head><body><h1>A page</h1><p>It has <a href='/other'>a link</a> and words.</p></body></html>"


class Fixture(http.server.BaseHTTPRequestHandler):
    """The services that tools ask: each request has the same answer each time. The system chooses the port."""

    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length).decode(errors="replace")
        path = self.path.partition("?")[0]
        if path == "/robots.txt":
            status, kind, said = 404, "text/plain", "none"
        elif path in ("/", "/page"):
            status, kind, said = 200, "text/html; charset=utf-8", PAGE
        else:
            told = {"method": self.command, "path": path, "bytes": len(body), "results": [{"id": "1", "title": "One", "url": f"{ORIGIN}/page"}]}
            status, kind, said = 200, "application/json", json.dumps(told)
        data = said.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = do_HEAD = answer

    def log_message(self, *_):
        pass


FIXTURE = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Fixture)
ORIGIN = f"http://127.0.0.1:{FIXTURE.server_port}"


class Server:
    """A server of MCP as a process."""

    def __init__(self, command, env, place):
        self.log = open(place, "w")
        self.process = subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, env=env, text=True, cwd=place.parent
        )
        self.lines, self.count = queue.Queue(), 0
        threading.Thread(target=self.read, daemon=True).start()
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "adoption", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def send(self, message):
        try:
            self.process.stdin.write(json.dumps(message) + "\n")
            self.process.stdin.flush()
        except OSError:
            raise Failure("the server ended") from None

    def ask(self, method, params):
        self.count += 1
        self.send({"jsonrpc": "2.0", "id": self.count, "method": method, "params": params})
        until = time.monotonic() + ANSWER
        while True:
            try:
                line = self.lines.get(timeout=max(0.01, until - time.monotonic()))
            except queue.Empty:
                raise Failure(f"no answer to {method} within {ANSWER} seconds") from None
            if line is None:
                raise Failure("the server ended")
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if message.get("id") == self.count and "method" not in message:
                return message

    def list(self):
        tools, cursor = [], None
        while True:
            answer = self.ask("tools/list", {"cursor": cursor} if cursor else {})
            if "error" in answer:
                raise Failure(f"tools/list: {answer['error'].get('message')}")
            tools += answer["result"]["tools"]
            cursor = answer["result"].get("nextCursor")
            if not cursor:
                return tools

    def call(self, name, arguments):
        answer = self.ask("tools/call", {"name": name, "arguments": arguments})
        if "error" in answer:
            return {"isError": True, "content": [{"type": "text", "text": answer["error"].get("message", "")}]}
        return answer["result"]

    def end(self):
        self.process.kill()
        self.process.wait()
        self.log.close()


def snake(name):
    """The name of a function of ours."""
    words = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name)
    return re.sub(r"[^a-z0-9]+", "_", words.lower()).strip("_")


# What a text is where its name says what it may be.
TEXTS = {
    "url": f"{ORIGIN}/page", "uri": f"{ORIGIN}/page", "email": "ada@example.org", "timezone": "Europe/Paris", "tz": "Asia/Tokyo",
    "date": "2026-03-01", "time": "10:30", "expression": "2 + 3 * 4", "json": '{"a": [1, 2, 3]}', "cron": "*/5 * * * *", "ip": "192.168.1.10",
    "cidr": "10.0.0.0/24", "path": "/proc/nowhere/file.txt", "file": "/proc/nowhere/file.txt", "pattern": "[a-z]+", "regex": "[a-z]+", "color": "#336699",
    "language": "en", "currency": "EUR", "number": "42", "notation": "2d6", "format": "%Y-%m-%d", "hash": "abc",
}  # fmt: skip


def resolved(schema, root):
    """A schema with what it refers to."""
    if "$ref" not in schema:
        return schema
    place = root
    for part in schema["$ref"].removeprefix("#/").split("/"):
        place = place.get(part, {})
    return {**place, **{key: it for key, it in schema.items() if key != "$ref"}}


def sample(schema, name, seed, root, texts=TEXTS):
    """A value that fits a schema, the same each time."""
    schema = resolved(schema, root)
    for key in ("const", "default"):
        if key in schema and schema[key] is not None and seed % 3 == 0:
            return schema[key]
    if schema.get("examples"):
        return schema["examples"][seed % len(schema["examples"])]
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return schema["enum"][seed % len(schema["enum"])]
    choices = [it for it in schema.get("anyOf") or schema.get("oneOf") or [] if it.get("type") != "null"]
    if choices:
        return sample(choices[seed % len(choices)], name, seed, root, texts)
    kind = schema.get("type", "string")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        inner = schema.get("properties", {})
        if not inner:
            return {"a": 1} if seed % 2 else {}
        return {key: sample(it, key, seed + at, root, texts) for at, (key, it) in enumerate(inner.items()) if key in schema.get("required", inner)}
    if kind == "array":
        count = max(schema.get("minItems", 0), 1 + seed % 3)
        return [sample(schema.get("items") or {}, name, seed + at, root, texts) for at in range(min(count, schema.get("maxItems", count)))]
    if kind == "boolean":
        return seed % 2 == 0
    if kind in ("integer", "number"):
        least, most = schema.get("minimum", schema.get("exclusiveMinimum", 0)), schema.get("maximum", schema.get("exclusiveMaximum", 1000))
        value = least + (seed * 7 + 3) % max(1, int(min(most - least, 50)))
        return int(value) if kind == "integer" else value + (0.5 if value + 0.5 < most else 0)
    words = re.split(r"[_\W]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower())
    known = next((texts[word] for word in words if word in texts), None)
    return known if known is not None else ("Hello, world", "naïve café 123", "The quick brown fox")[seed % 3]


def calls(package, tools):
    """Ten calls: those that the package has, or each tool in turn, with values that fit and then without what it needs."""
    found = [(it["tool"], it["arguments"]) for it in package.get("calls", [])]
    if found:
        return found
    texts, turn = TEXTS | package.get("values", {}), 0
    while len(found) < CALLS and tools and turn < CALLS:
        for tool in tools:
            schema = tool.get("inputSchema") or {}
            members, required = schema.get("properties", {}), schema.get("required", [])
            if turn == 2 and required:
                found.append((tool["name"], {}))
            else:
                wanted = members if turn % 2 else {key: it for key, it in members.items() if key in required}
                seed = int(hashlib.sha256(tool["name"].encode()).hexdigest()[:4], 16) + turn
                found.append((tool["name"], {key: sample(it, key, seed + at, schema, texts) for at, (key, it) in enumerate(wanted.items())}))
            if len(found) == CALLS:
                break
        turn += 1
    return found


def normal(schema):
    """A schema without titles, which only repeat names, and without the order of what is required."""
    if isinstance(schema, list):
        return [normal(it) for it in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: normal(it) for key, it in schema.items() if key not in ("title", "$schema") or isinstance(it, dict)}
    if isinstance(found.get("required"), list):
        found["required"] = sorted(map(str, found["required"]))
    return found


def listed(tool):
    hints = {key: it for key, it in (tool.get("annotations") or {}).items() if key != "title" and it is not None}
    return {
        "description": (tool.get("description") or "").strip(), "inputSchema": normal(tool.get("inputSchema")),
        "outputSchema": normal(tool.get("outputSchema")), "hints": hints,
    }  # fmt: skip


# The words of answers where there is no network: of programs, and of tools without rights.
UNREACHED = re.compile(
    r"Name or service not known|Temporary failure in name resolution|Failed to resolve|getaddrinfo|ENOTFOUND|EAI_AGAIN|ECONNREFUSED"
    r"|Network is unreachable|was not granted http|cannot be reached \(|may not reach|fetch failed"
)


def answered(result):
    """An answer by value: texts that are JSON count as what they say. One that says that nothing can be reached is a failure."""
    if result.get("isError") or UNREACHED.search(json.dumps(result.get("content", []))):
        return "failed"
    parts = []
    for part in result.get("content", []):
        text = part.get("text")
        try:
            parts.append(json.loads(text) if part.get("type") == "text" else {key: it for key, it in part.items() if key != "annotations" and it is not None})
        except ValueError:
            parts.append(text)
    return {"content": parts, "structured": result.get("structuredContent")}


# The parts that differ from call to call: times, drawn identifiers, and a platform's errors.
VARYING = re.compile(
    r"\[Errno -?\d+\]|\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?|\b\d{1,2}:\d\d:\d\d(\.\d+)?|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b1[78]\d{8}(\.\d+|\d{3})?\b"
)


def steady(value, is_random):
    text = VARYING.sub("*", json.dumps(value, sort_keys=True, ensure_ascii=False))
    return re.sub(r"[\w\s-]+", "*", text) if is_random else text


def are_equal(package, name, answer, result):
    is_random = package.get("random") == ["*"] or name in package.get("random", [])
    return steady(answered(answer), is_random) == steady(answered(result), is_random)


def names_of(found, wanted, tool):
    """What our toolbox lists, by the names of functions."""
    if len(wanted) == 1 and len(found) == 1:
        return {snake(wanted[0]["name"]): found[0]}
    return {it["name"].removeprefix(f"{tool}__"): it for it in found}


def list_differences(wanted, names, place):
    differences = []
    for it in wanted:
        own = names.get(snake(it["name"]))
        if own is None:
            differences.append(f"list: `{it['name']}` is missing")
        elif steady(listed(own), False) != steady(listed(it), False):
            parts = [key for key, value in listed(it).items() if listed(own)[key] != value]
            differences.append(f"list: {', '.join(parts)} of `{it['name']}`")
            (place / f"list-{it['name']}.json".replace("/", "-")).write_text(json.dumps([listed(it), listed(own)], indent=1))
    return differences


def call_difference(name, arguments):
    said = json.dumps(arguments).replace(ORIGIN, "ORIGIN").replace(IN_COMPONENT, "FILES")
    return f"call: {name} {said[:80]}"


# The files of a package whose `files` are granted, and the name of their directory in a component.
FILES = {"one.txt": "One line.\nAnother line.\n", "two.json": '{"a": [1, 2, 3]}\n', "below/three.md": "# Three\n\nWords, and a café.\n"}
IN_COMPONENT = "/files"


def with_files(value, place):
    """`value` with `place` where it says FILES."""
    return json.loads(json.dumps(value).replace("FILES", str(place)))


def make_files(place):
    shutil.rmtree(place, ignore_errors=True)
    for path, text in FILES.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text)
        # Times that both sides see.
        os.utime(place / path, (1_750_000_000, 1_750_000_000))


def original(package, place):
    """The command that starts the original, once it is installed."""
    name, version = package["name"], package["version"]
    if package["registry"] == "npm":
        if not (place / "installed").exists():
            (place / "package.json").write_text('{"private": true}')
            run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", f"{name}@{version}"], cwd=place)
            (place / "installed").touch()
        if package.get("framework") == "ai-sdk":
            shutil.copy(HERE / "ai_tools.mjs", place)
            return ["node", place / "ai_tools.mjs", name]
        root = place / "node_modules" / name
        programs = json.loads((root / "package.json").read_text())["bin"]
        own = name.rsplit("/")[-1]
        names = {own: programs} if isinstance(programs, str) else programs
        program = min(names, key=lambda it: 0 if it == own else 1 if "mcp" in it else 2 if "server" in it else 3)
        return ["node", root / names[program]]
    if not (place / "installed").exists():
        shutil.rmtree(place / "venv", ignore_errors=True)
        run([package.get("python", sys.executable), "-m", "venv", place / "venv"])
        pip = [place / "venv/bin/pip", "install", "--quiet", "--disable-pip-version-check"]
        run([*pip, f"{name}=={version}", *package.get("with", [])])
        (place / "installed").touch()
    if modules := package.get("modules"):
        return [place / "venv/bin/python", HERE / "framework_tools.py", *modules]
    program = package.get("program") or min(
        (it for it in scripts(place, name)), key=lambda it: 0 if snake(it) == snake(name) else 1 if "mcp" in it else 2 if "server" in it else 3
    )
    return [place / "venv/bin" / program]


def scripts(place, name):
    said = run([place / "venv/bin/python", "-c", (
        "import importlib.metadata as m,sys;"
        "print('\\n'.join(e.name for e in m.distribution(sys.argv[1]).entry_points if e.group=='console_scripts'))"
    ), name])  # fmt: skip
    found = said.split()
    if not found:
        raise Failure("it installs no program")
    return found


class Canaries:
    """What no tool may touch: a file, a variable, and a place on the network."""

    def __init__(self, place):
        self.value = "canary-" + secrets.token_hex(16)
        self.file = place / "home" / "canary.txt"
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(self.value)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.visits = 0
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.visits += 1
            connection.close()

    def touched(self, answers):
        if self.value in json.dumps(answers):
            return "an answer holds a canary"
        if self.visits:
            return "the network's canary was visited"
        if self.file.read_text() != self.value:
            return "the file's canary was changed"
        return None


def ours(package, place, tool, env, canaries):
    """Makes and builds our tool, and returns the server."""
    shutil.rmtree(place / "tool", ignore_errors=True)
    separator = "@" if package["registry"] == "npm" else "=="
    source = f"{package['registry']}:{package['name']}{separator}{package['version']}"
    run([tool, "new", "adopted", "--from", source, "--directory", place / "tool"], env=env, cwd=place)
    more, flags = package.get("capabilities", ""), list(package.get("grants", []))
    if package.get("files"):
        more += 'directories = [{ name = "files", access = "read-write", why = "its files" }]\n'
        flags += ["--allow-dir", f"files:read-write={place / 'files'}"]
    if arguments := package.get("arguments"):
        server = place / "tool" / "tools.json"
        told = json.loads(server.read_text())
        told["server"]["arguments"] = arguments
        server.write_text(json.dumps(told))
    if more:
        manifest = place / "tool" / "tool.toml"
        text = re.sub(r"(?ms)^\[capabilities\]\n.*?(?=^\[|\Z)", "", manifest.read_text())
        manifest.write_text(f"{text}\n[capabilities]\n{more}\n")
    run([tool, "build", place / "tool"], env=env, cwd=place)
    digest = json.loads(run([tool, "inspect", place / "tool", "--json"], env=env))["inspection"]["approval_digest"]
    flags += granted(place, env, flags)
    return Server([tool, "serve", "--only", place / "tool", "--approve", digest, "--answer-limit", "0", *flags], env, place / "ours.log")


def granted(place, env, known):
    """The flags that grant an empty directory for each that the tool asks for, and the variables that are there."""
    asked = tomllib.loads((place / "tool" / "tool.toml").read_text()).get("capabilities", {})
    home = place / "granted"
    shutil.rmtree(home, ignore_errors=True)
    flags = []
    for it in asked.get("directories", []):
        if not any(flag.startswith(f"{it['name']}:") for flag in known):
            (home / it["name"]).mkdir(parents=True)
            flags += ["--allow-dir", f"{it['name']}={home / it['name']}"]
    for it in asked.get("variables", []):
        if it["name"] in env and it["name"] not in known:
            flags += ["--allow-var" if it.get("secret") else "--allow-plain-var", it["name"]]
    return flags


def surroundings(package, place):
    """The variables that an original has, with a home that is empty."""
    home = place / "original-home"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    return {key: it for key, it in os.environ.items() if key in ("PATH", "LANG")} | {"HOME": str(home), "TZ": "UTC"} | package.get("env", {})


def compare(package, tool, env):
    place = place_of(package)
    place.mkdir(parents=True, exist_ok=True)
    canaries = Canaries(place)
    inside = with_files(package, IN_COMPONENT)
    package = with_files(package, place / "files")
    env = {**env, "CANARY": canaries.value, "HOME": str(canaries.file.parent), **inside.get("env", {})}
    row = {"package": package["name"], "registry": package["registry"], "version": package["version"]}
    base = surroundings(package, place) | {"CANARY_PORT": str(canaries.port)}
    make_files(place / "files")
    try:
        command = [*original(package, place), *package.get("arguments", [])]
        theirs = Server(command, base, place / "original.log")
    except Failure as error:
        return {**row, "outcome": "no original", "reason": last_line(error)}
    try:
        wanted = theirs.list()
        made = calls(package, wanted)
        expected = [theirs.call(*it) for it in made]
    except Failure as error:
        return {**row, "outcome": "no original", "reason": last_line(error)}
    finally:
        theirs.end()
    row |= {"tools": len(wanted), "calls": len(made), "answered": sum(answered(it) != "failed" for it in expected)}
    make_files(place / "files")
    try:
        server = ours(inside, place, tool, env, canaries)
    except Failure as error:
        return {**row, "outcome": "no component", "reason": last_line(error)}
    try:
        found = server.list()
        names = names_of(found, wanted, "adopted")
        differences = list_differences(wanted, names, place)
        answers = []
        for (name, arguments), result in zip(made, expected):
            own = names.get(snake(name))
            arguments = json.loads(json.dumps(arguments).replace(str(place / "files"), IN_COMPONENT))
            answer = server.call(own["name"], arguments) if own else {}
            answers.append(answer)
            answer = json.loads(json.dumps(answer).replace(IN_COMPONENT, str(place / "files")))
            if not are_equal(package, name, answer, result):
                differences.append(call_difference(name, arguments))
        (place / "answers.json").write_text(json.dumps([[it, theirs, ours] for it, theirs, ours in zip(made, expected, answers)], indent=1))
        touched = canaries.touched([found, answers])
        if touched:
            return {**row, "outcome": "CANARY", "reason": touched}
    except Failure as error:
        return {**row, "outcome": "no component", "reason": last_line(error)}
    finally:
        server.end()
        canaries.listener.close()
    if differences:
        return {**row, "outcome": "differs", "reason": f"{len(differences)}: {differences[0]}", "all": differences}
    return {**row, "outcome": "equal", "reason": ""}


def discard(package):
    """Removes what was installed of the original, which is large."""
    place = place_of(package)
    for name in ("venv", "node_modules", "installed"):
        path = place / name
        shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)


def place_of(package):
    return KEPT / package["registry"] / re.sub(r"[^a-z0-9]+", "-", package["name"].lower()).strip("-")


def last_line(error):
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = [line for line in lines if line.startswith(("error:", "ERROR", "caused by", "because"))] or lines[-1:]
    return " ".join(told[:2]).replace(f"{ROOT}/", "")[:220] or "nothing was said"


def table(rows, whys):
    """The page. `whys` has of some packages why they are not equal, in plain words."""
    lines = [(HERE / "head.md").read_text().rstrip(), ""]
    count = {name: sum(row["outcome"] == name for row in rows) for name in ("equal", "differs", "no component", "no original", "CANARY")}
    caged = {name: sum(row.get("caged") == name for row in rows) for name in ("equal", "differs", "refused", "CANARY")}
    lines += [
        f"Of {len(rows)} packages {count['equal']} are components with equal lists and results, {count['differs']} are components "
        f"of which something differs, {count['no component']} are none; {count['CANARY']} touched a canary. In the cage "
        f"{caged['equal']} had equal lists and results, of {caged['differs']} something differed, {caged['refused']} were refused or "
        f"did not run; {caged['CANARY']} touched a canary, which {sum(row.get('live', 0) for row in rows)} of the same calls to the originals found.",
        "", "| package | version | tools | calls answered | component | in the cage | reason |", "| --- | --- | --- | --- | --- | --- | --- |",
    ]  # fmt: skip
    for row in sorted(rows, key=lambda row: (row["registry"], row["package"])):
        why = whys.get((row["registry"], row["package"])) if row["outcome"] != "equal" else None
        said = "; ".join(it for it in (why or row["reason"], row.get("caged_reason", "")) if it).replace("|", "\\|").replace("\n", " ")
        answered_of = f"{row['answered']} of {row['calls']}" if "calls" in row else ""
        cells = [f"{row['registry']}:{row['package']}", row["version"], row.get("tools", ""), answered_of, row["outcome"], row.get("caged", ""), said]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines) + "\n"


def read_rows(path):
    return {(row["registry"], row["package"]): row for row in json.loads(path.read_text())} if path.exists() else {}


def read_packages(path):
    return tomllib.loads(path.read_text().replace("ORIGIN", ORIGIN))["package"]


def environment():
    """The variables of our command."""
    env = {key: it for key, it in os.environ.items() if not key.startswith("TOOL_HUB")}
    # The canaries lie in another home, where npm has no settings.
    settings = Path.home() / ".npmrc"
    if settings.exists():
        os.environ.setdefault("NPM_CONFIG_USERCONFIG", str(settings))
    env = {**env, **{key: it for key, it in os.environ.items() if key == "NPM_CONFIG_USERCONFIG"}}
    env["TOOL_HUB_HOME"] = str(KEPT / "home")
    return env


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", type=Path, default=ROOT / "target" / "debug" / "tool")
    parser.add_argument("--packages", type=Path, default=HERE / "packages.toml")
    parser.add_argument("--registry", choices=["pypi", "npm"])
    parser.add_argument("--rows", type=Path, action="append", default=[])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--no-run", action="store_true")
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    if sys.version_info < (3, 13):
        parser.error("run it with Python 3.13 or newer")
    packages = read_packages(given.packages)
    KEPT.mkdir(parents=True, exist_ok=True)
    env = environment()
    threading.Thread(target=FIXTURE.serve_forever, daemon=True).start()
    kept = KEPT / "rows.json"
    rows = read_rows(kept)
    for package in packages:
        if given.no_run or given.names and package["name"] not in given.names or given.registry not in (None, package["registry"]):
            continue
        start = time.monotonic()
        row = compare(package, given.tool.resolve(), env)
        discard(package)
        key = package["registry"], package["name"]
        # Another run may have written rows meanwhile.
        rows = read_rows(kept)
        # The caged result stays.
        rows[key] = {name: it for name, it in rows.get(key, {}).items() if name in ("caged", "caged_reason", "live")} | row
        print(f"{row['outcome']:12} {package['registry']}:{package['name']} {time.monotonic() - start:.0f}s {row.get('answered', '')} {row['reason']}", flush=True)
        kept.write_text(json.dumps(list(rows.values()), indent=1))
    known = {(package["registry"], package["name"]) for package in packages}
    for path in given.rows:
        for key, row in read_rows(path).items():
            rows[key] = row | rows.get(key, {})
    rows = [row for key, row in rows.items() if key in known]
    if given.write:
        (ROOT / "docs" / "adoption.md").write_text(table(rows, {(it["registry"], it["name"]): it.get("why") for it in packages}))
    equal = sum(row["outcome"] == "equal" for row in rows)
    print(f"{equal} of {len(rows)} are components with equal lists and results")


if __name__ == "__main__":
    main()
