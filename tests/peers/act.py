#!/usr/bin/env python3
"""Compares the speed of `tool serve` with that of the ACT host, on the same tool over MCP stdio.

usage: act.py [PATH_TO_TOOL]        the command, built for release; target/release/tool if left out

Installs act-cli and act-build from PyPI, builds the guest in act/ and the sample tool text-stats, and drives both
servers in turn, so that whatever else the machine does falls on both. ACT keeps one instance of its component; here
every call has a fresh sandbox. The figures to read are the ratios.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
KEPT = ROOT / "target" / "peers"

VERSION = "0.14.6"
ROUNDS = 20
CALLS = 300
TEXT = {"text": "one two three"}

# The command that serves, the function to call, and its arguments.
Server = tuple[list[str], str, dict]


def run(*command, **options) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{command[0]} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def act() -> Server:
    programs = KEPT / "venv" / "bin"
    if not (programs / "act-build").exists():
        venv.create(KEPT / "venv", with_pip=True)
        run(programs / "pip", "install", "--quiet", f"act-cli=={VERSION}", f"act-build=={VERSION}")
    # The interfaces come with the published crate of its host.
    run("cargo", "info", "--quiet", f"act-runtime@{VERSION}")
    cargo = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    crate = next(cargo.glob(f"registry/src/*/act-runtime-{VERSION}"))
    guest = KEPT / "act"
    shutil.copytree(HERE / "act", guest, dirs_exist_ok=True)
    shutil.copytree(crate / "wit" / "deps", guest / "wit" / "deps", dirs_exist_ok=True)
    run("cargo", "build", "--quiet", "--locked", "--release", "--target", "wasm32-wasip2", cwd=guest)
    component = guest / "target" / "wasm32-wasip2" / "release" / "act_text_stats.wasm"
    run(programs / "act-build", "pack", component)
    return [str(programs / "act"), "run", "--mcp", str(component)], "count_words", {"arguments": TEXT}


def ours(tool: Path) -> Server:
    home = KEPT / "home"
    os.environ["TOOL_HUB_HOME"] = str(home)
    shutil.rmtree(home, ignore_errors=True)
    project = ROOT / "sample-tools" / "text-stats"
    run(tool, "build", "--trust", project)
    report = json.loads(run(tool, "inspect", project, "--json"))
    run(tool, "load", project, "--approve", report["inspection"]["approval_digest"], cwd=KEPT)
    return [str(tool), "serve", "--toolbox", str(home)], "text_stats__count_words", TEXT


class Client:
    """A server that was just started, and the client's ends of its pipes."""

    def __init__(self, command: list[str]):
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=KEPT
        )
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "0"}}
        self.ask("initialize", about)
        self.write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def write(self, message: dict):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: dict) -> dict:
        self.write({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        for line in self.process.stdout:
            answer = json.loads(line)
            if "result" in answer:
                return answer["result"]
            if "error" in answer:
                sys.exit(f"{method}: {answer}")
        sys.exit(f"{method}: the server ended")

    def call(self, function: str, arguments: dict) -> float:
        """Milliseconds."""
        begun = time.perf_counter()
        result = self.ask("tools/call", {"name": function, "arguments": arguments})
        took = time.perf_counter() - begun
        assert result["content"][0]["text"] == "3", result
        return took * 1e3

    def leave(self):
        self.process.stdin.close()
        self.process.terminate()
        self.process.wait()


def main():
    tool = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "target" / "release" / "tool").resolve()
    KEPT.mkdir(parents=True, exist_ok=True)
    servers = {"act": act(), "tool": ours(tool)}
    starts = {name: [] for name in servers}
    calls = {name: [] for name in servers}
    for _ in range(ROUNDS):
        for name, (command, *call) in servers.items():
            client = Client(command)
            client.call(*call)
            starts[name].append((time.perf_counter() - client.started) * 1e3)
            calls[name] += [client.call(*call) for _ in range(CALLS)]
            client.leave()
    for what, times, digits in (("start to first result", starts, 1), ("call", calls, 3)):
        middle = {name: statistics.median(taken) for name, taken in times.items()}
        print(
            f"{what}: act {VERSION} p50 {middle['act']:.{digits}f} ms, "
            f"tool p50 {middle['tool']:.{digits}f} ms, ratio {middle['tool'] / middle['act']:.2f}"
        )


if __name__ == "__main__":
    main()
