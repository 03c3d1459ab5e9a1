"""Fixtures: a guest in WebAssembly text, sample tools, hostile components, a registry, scripts."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import tool_hub

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session", autouse=True)
def home(tmp_path_factory):
    """One home for the whole run, so that nothing is compiled twice."""
    place = tmp_path_factory.mktemp("home")
    kept = {name: os.environ.get(name) for name in ("TOOL_HUB_HOME", "HF_ENDPOINT", "HF_TOKEN")}
    os.environ["TOOL_HUB_HOME"] = str(place)
    # Tools of tests were published a moment ago.
    (place / "config.toml").write_text("release_age_days = 0\n")
    # Compilers of components are fetched once for all tests of the project; what they make is
    # compiled once in a run.
    (place / "cache").mkdir()
    for name in ("toolchains", "compiled"):
        if shared := os.environ.get(f"TOOL_HUB_TEST_{name.upper()}"):
            (place / "cache" / name).symlink_to(shared)
    os.environ.pop("HF_TOKEN", None)
    yield place
    for name, value in kept.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


@pytest.fixture(scope="session")
def guest_path(tmp_path_factory) -> Path:
    """A component with a function for each thing that a call can do."""
    return assembled("serve/tests/mcp/guest.wat", tmp_path_factory.mktemp("guest"))


@pytest.fixture(scope="session")
def guest(guest_path):
    """Its tools, approved."""
    return approved_from(guest_path)


@pytest.fixture(scope="session")
def answers(tmp_path_factory):
    """A tool that asks a question, and replies with the answer or with why there is none."""
    return approved_from(assembled("embed/tests/answers.wat", tmp_path_factory.mktemp("answers")))


def assembled(text: str, directory: Path) -> Path:
    """The component that a file of this repository describes as text."""
    import wasmtime

    source = ROOT / text
    path = directory / source.with_suffix(".wasm").name
    path.write_bytes(wasmtime.wat2wasm(source.read_text()))
    return path


def approved_from(path: Path) -> tool_hub.Tools:
    """The tools of a component that needs no grants."""
    inspection = tool_hub.load(str(path))
    return inspection.approve(inspection.digest)


@pytest.fixture(scope="session")
def command() -> str:
    """The command `tool`."""
    named = os.environ.get("TOOL_HUB_TEST_COMMAND")
    path = Path(named) if named else ROOT / "target/debug/tool"
    assert path.is_file(), f"there is no command at {path}: run cargo build"
    return str(path)


@pytest.fixture(scope="session")
def sample(command, tmp_path_factory):
    """Builds a sample tool in Rust, or finds it where `TOOL_HUB_TEST_GUESTS` says."""
    built: dict[str, Path] = {}
    guests = os.environ.get("TOOL_HUB_TEST_GUESTS")
    place = Path(guests) if guests else ROOT

    def build(name: str) -> Path:
        project = place / "sample-tools" / name
        if name not in built:
            if not (project / "dist/tool.wasm").is_file():
                run(command, "build", "--trust", str(project))
            built[name] = project
        return built[name]

    return build


@pytest.fixture(scope="session")
def approved(sample):
    """The tools of a sample tool, approved with the grants that it is given."""

    def approve(name: str, grants=None):
        inspection = tool_hub.load(sample(name))
        return inspection.approve(inspection.digest, grants)

    return approve


@pytest.fixture(scope="session")
def hostile() -> Path:
    """The components that attack the host in its own tests, each with its calls."""
    named = os.environ.get("TOOL_HUB_TEST_HOSTILE")
    assert named, (
        "TOOL_HUB_TEST_HOSTILE names no directory: make one with "
        "TOOL_HUB_HOSTILE_KEPT=/a/directory cargo test -p tool-hub-host --test hostile -- case_"
    )
    return Path(named)


def run(*words: str, **environment: str) -> str:
    """Runs a command that has to succeed."""
    done = subprocess.run(
        words, capture_output=True, text=True, env={**os.environ, **environment}
    )
    assert done.returncode == 0, f"{words}: {done.stderr}"
    return done.stdout


class Registry:
    """A real registry in a process of its own."""

    def __init__(self, command: str, place: Path) -> None:
        self._command = command
        self._place = place
        self.process = subprocess.Popen(
            [command, "registry", "serve", "--listen", "127.0.0.1:0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "TOOL_HUB_HOME": str(place)},
        )
        self.url = self._address()

    def _address(self) -> str:
        said = ""
        for line in self.process.stdout:
            said += line
            found = re.search(r"http://127\.0\.0\.1:\d+", line)
            if found:
                return found.group()
        raise AssertionError(f"the registry did not start: {said}")

    def user(self, name: str) -> str:
        """A token of a new user."""
        home = {"TOOL_HUB_HOME": str(self._place)}
        run(self._command, "registry", "user", "add", name, **home)
        token = run(self._command, "registry", "token", "create", name, "--quiet", **home)
        return token.strip()


@pytest.fixture
def registry(command, tmp_path, monkeypatch):
    """An empty registry that `HF_ENDPOINT` names."""
    running = Registry(command, tmp_path / "registry")
    monkeypatch.setenv("HF_ENDPOINT", running.url)
    yield running
    running.process.terminate()
    running.process.wait(timeout=20)


@pytest.fixture
def script(guest_path):
    """Runs a program in a Python of its own, which is told the guest's path as `GUEST`."""

    def start(text: str, *flags: str, timeout: float = 60, check: bool = True):
        environment = {**os.environ, "GUEST": str(guest_path)}
        done = subprocess.run(
            [sys.executable, *flags, "-c", text],
            capture_output=True,
            text=True,
            timeout=timeout,
            env=environment,
        )
        if check:
            assert done.returncode == 0, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    return start
