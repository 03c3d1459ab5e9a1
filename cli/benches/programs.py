"""Compares tools that share an interpreter with the same tools as components of their own.

The first are programs, of plain functions or, in Python, of classes for a WIT; the others hold CPython
or QuickJS, as the classes do in JavaScript. Printed are
what a second tool takes to build, to store and to load for the first time, what calls take over
`tool serve` (medians, in turns, and their ratio), and the memory of a server with many programs.

    python3 cli/benches/programs.py [TOOL] [TOOLS] [LANGUAGE]

TOOL is the command, `target/release/tool` unless it is given; TOOLS is how many programs there are
in all, 100 unless it is given; LANGUAGE is `python`, or `javascript`. What builds components is kept in the user's own cache, all else in
a temporary directory.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 200
COMPONENT = Path(__file__).parents[2] / "tests/it/support/python_greeter.py"
CLOCKS = """package wasi:clocks@0.2.0;

interface wall-clock {
    record datetime { seconds: u64, nanoseconds: u32 }
    now: func() -> datetime;
}
"""
PROGRAMS = {
    "python": '''
GREETINGS = {{"en": "Hello, {{}}!", "de": "Hallo, {{}}!", "fr": "Bonjour, {{}} !"}}


def greet(name: str, language: str = "en") -> str:
    """Greets somebody, in the manner of number {number}.

    Args:
        name: Whom.
        language: In which language.
    """
    return GREETINGS[language].format(name)
''',
    "javascript": '''
const GREETINGS = {{ en: "Hello, {{}}!", de: "Hallo, {{}}!", fr: "Bonjour, {{}} !" }};

/**
 * Greets somebody, in the manner of number {number}.
 *
 * @param {{string}} name Whom.
 * @param {{string}} [language] In which language.
 * @returns {{string}} A greeting.
 */
export function greet(name, language = "en") {{
  return GREETINGS[language].replace("{{}}", name);
}}
''',
}
ENDINGS = {"python": "py", "javascript": "js"}


class Bench:
    """The command, in directories of its own but for the cache of toolchains."""

    def __init__(self, tool, directory, language):
        self.tool = tool
        self.language = language
        self.directory = Path(directory)
        home = self.directory / "home"
        cache = home / "cache"
        cache.mkdir(parents=True)
        kept = Path(os.environ.get("TOOL_HUB_HOME", Path.home() / ".cache/tool-hub"))
        kept = kept / "cache" if "TOOL_HUB_HOME" in os.environ else kept
        (kept / "toolchains").mkdir(parents=True, exist_ok=True)
        (cache / "toolchains").symlink_to(kept / "toolchains")
        self.environment = {**os.environ, "TOOL_HUB_HOME": str(home)}

    def run(self, *arguments):
        """Runs the command, and gives what it prints and the time that it took."""
        begun = time.perf_counter()
        printed = subprocess.run(
            [self.tool, *arguments], cwd=self.directory, env=self.environment, check=True, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        ).stdout
        return printed, time.perf_counter() - begun

    def program(self, number):
        """Makes and builds a tool of plain functions, and gives the time of the build."""
        name = f"program-{number}"
        file = f"{name}.{ENDINGS[self.language]}"
        (self.directory / file).write_text(PROGRAMS[self.language].format(number=number))
        self.run("new", name, "--from", file)
        return self.run("build", name)[1]

    def classes(self, name, more=""):
        """Makes and builds a project with WIT of its own, and gives the time of the build."""
        self.run("new", name, "--lang", "javascript")
        if self.language == "javascript":
            return self.run("build", name)[1]
        project = self.directory / name
        clocks = project / "wit/deps/clocks/clocks.wit"
        clocks.parent.mkdir(parents=True)
        clocks.write_text(CLOCKS)
        (project / "tool.js").unlink()
        (project / "app.py").write_text(COMPONENT.read_text())
        manifest = project / "tool.toml"
        manifest.write_text(manifest.read_text().replace('"javascript"', '"python"'))
        world = project / "wit/world.wit"
        head, rest = world.read_text().split("\nworld ")
        world.write_text(f"{head}\nworld " + rest.replace("{", "{\n" + more, 1))
        return self.run("build", name)[1]

    def component(self, name):
        """The same with an import that the shared interpreter does not have."""
        return self.classes(name, "    import wasi:clocks/wall-clock@0.2.0;")

    def load(self, name):
        shown, _ = self.run("inspect", f"./{name}", "--json")
        digest = json.loads(shown)["inspection"]["approval_digest"]
        return self.run("load", f"./{name}", "--approve", digest)[1]

    def stored(self):
        store = self.directory / "home"
        blobs = [path for path in store.rglob("*") if path.is_file() and "blobs" in path.parts]
        return sum(path.stat().st_size for path in blobs)


class Server:
    """A running `tool serve`, spoken to over MCP."""

    def __init__(self, bench, names):
        self.process = subprocess.Popen(
            [bench.tool, "serve", *names], cwd=bench.directory, env=bench.environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )
        self.number = 0
        client = {"name": "bench", "version": "1"}
        self.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method, **parameters):
        self.number += 1
        self.send({"method": method, "id": self.number, "params": parameters})
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self.number:
                return answer["result"]

    def call(self, name):
        begun = time.perf_counter()
        result = self.ask("tools/call", name=name, arguments={"name": "Ada"})
        took = time.perf_counter() - begun
        assert result["content"][0]["text"] == "Hello, Ada!", result
        return took

    def memory(self, what):
        """A figure of the process in MiB, such as `RssAnon`."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(f"{what}:"):
                return int(line.split()[1]) / 1024
        raise KeyError(what)

    def end(self):
        self.process.stdin.close()
        assert self.process.wait(30) == 0


def main():
    tool = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "target/release/tool")
    tools = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    language = sys.argv[3] if len(sys.argv) > 3 else "python"
    with tempfile.TemporaryDirectory() as directory:
        bench = Bench(tool, directory, language)
        bench.program(0)
        again = bench.run("build", "program-0")[1]
        second = bench.program(1)
        of_its_own = bench.component("component")
        classes = bench.classes("classes")
        print(
            f"build: again {again:.2f} s, a second program {second:.2f} s, classes {classes:.2f} s, "
            f"a component {of_its_own:.2f} s"
        )

        bench.load("program-0")
        before = bench.stored()
        took = bench.load("program-1")
        _, called = bench.run("call", "program-1", "name=Ada")
        more = bench.stored() - before
        print(f"a second program: {more} bytes in the store, loaded in {took * 1e3:.0f} ms, called in {called * 1e3:.0f} ms")
        took = bench.load("component")
        print(f"a component: loaded in {took * 1e3:.0f} ms")

        bench.load("classes")
        keys = ("program", "classes", "component")
        server = Server(bench, ["program-1", "classes", "component"])
        listed = [tool["name"] for tool in server.ask("tools/list")["tools"]]
        called = [next(name for name in listed if name.startswith(key)) for key in keys]
        times = [[server.call(name) for name in called] for _ in range(ROUNDS)][ROUNDS // 10:]
        program, classes, component = (statistics.median(side) * 1e3 for side in zip(*times))
        print(
            f"a call: of a function {program:.2f} ms, of a class {classes:.2f} ms, of a component {component:.2f} ms, "
            f"ratios {program / component:.2f} and {classes / component:.2f}"
        )
        server.end()

        names = ["program-0", "program-1"]
        for number in range(2, tools):
            bench.program(number)
            bench.load(f"program-{number}")
            names.append(f"program-{number}")
        begun = time.perf_counter()
        server = Server(bench, names)
        listed = [tool["name"] for tool in server.ask("tools/list")["tools"]]
        ready = time.perf_counter() - begun
        idle = server.memory("RssAnon")
        for name in listed:
            if name.startswith("program"):
                server.call(name)
        print(
            f"{tools} programs: {bench.stored() / 1e6:.1f} MB in the store, served after {ready:.2f} s, "
            f"{idle:.0f} MiB before the first call, {server.memory('RssAnon'):.0f} MiB after one of each"
        )
        server.end()


if __name__ == "__main__":
    main()
