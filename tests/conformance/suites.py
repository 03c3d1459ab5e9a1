"""Fetches the public clients' test suites, unpacks them below `target`, and runs them there.

Each gives a line for each of its tests:
`{"test": name, "outcome": "passed" | "failed" | "skipped", "asked": bool, "why": text}`,
where `asked` says whether the test sent the registry anything.
"""

import base64
import json
import os
import shutil
import subprocess
import sys
import tarfile
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
KEPT = HERE.parents[1] / "target" / "conformance"
RUN_SECONDS_MAX = 1_800

PYTHON_CLIENT = "huggingface_hub==2.4.0"
PYTHON_RUNNERS = ["pytest==8.4.2", "pytest-mock==3.17.0", "pytest-timeout==2.4.0", "jedi==0.19.2", "Jinja2==3.1.6"]
# The test files about what this registry offers. Buckets, jobs, sandboxes, inference and Xet have
# files of their own, which are left out.
PYTHON_TESTS = [
    "test_cache_layout.py",
    "test_cli.py::TestRepoListCommand",
    "test_cli.py::TestRepoDeleteFilesCommand",
    "test_cli_discussions.py",
    "test_commit_scheduler.py",
    "test_file_download.py",
    "test_hf_api.py",
    "test_hf_file_system.py",
    "test_hub_mixin.py::TestHubMixin::test_push_to_hub",
    "test_kernels.py",
    "test_repocard.py",
    "test_snapshot_download.py",
    "test_utils_http.py::TestUniqueRequestId",
]

JAVASCRIPT_CLIENT = "@huggingface/hub@2.17.5"
JAVASCRIPT_RUNNERS = ["vitest@3.2.4"]


def run_python(served: dict) -> list[dict]:
    python = python_environment()
    suite = fresh_copy(python_package())
    # The package carries the test files alone.
    tests = suite / "tests"
    (tests / "__init__.py").touch()
    shutil.copy(HERE / "python" / "conftest.py", tests)
    for path in tests.glob("*.py"):
        text = path.read_text()
        path.write_text(text.replace("https://hub-ci.huggingface.co", served["endpoint"]))
    options = ["--override-ini=addopts=", "--quiet", "--tb=no", "--durations=20", "--timeout=120", "-p", "no:cacheprovider"]
    return run(
        [python, "-m", "pytest", *options, *(f"tests/{name}" for name in PYTHON_TESTS)],
        suite,
        served,
        {"HF_HOME": str(suite / "home"), "HF_HUB_DISABLE_XET": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "NO_COLOR": "1"},
    )


def python_environment() -> str:
    """A Python with the client and what its tests import."""
    place = KEPT / "venv"
    wanted = [PYTHON_CLIENT, *PYTHON_RUNNERS]
    python = str(place / "bin" / "python")
    note = place / "installed"
    if not note.is_file() or note.read_text().split() != wanted:
        subprocess.run([sys.executable, "-m", "venv", "--clear", place], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *wanted], check=True)
        note.write_text("\n".join(wanted))
    return python


def python_package() -> Path:
    """The unpacked source distribution."""
    unpacked = KEPT / PYTHON_CLIENT.replace("==", "-")
    if not unpacked.is_dir():
        options = ["--quiet", "--no-binary", ":all:", "--no-deps", "--dest", KEPT]
        subprocess.run([python_environment(), "-m", "pip", "download", *options, PYTHON_CLIENT], check=True)
        unpack(Path(f"{unpacked}.tar.gz"), KEPT)
    return unpacked


def run_javascript(served: dict) -> list[dict]:
    suite = javascript_package()
    for path in (HERE / "javascript").iterdir():
        shutil.copy(path, suite)
    constants = {
        "TEST_HUB_URL": served["endpoint"],
        "TEST_USER": "hub.js",
        "TEST_ACCESS_TOKEN": served["tokens"]["hub.js"],
        "TEST_COOKIE": "this registry has no cookies",
    }
    lines = [f"export const {name} = {json.dumps(value)};\n" for name, value in constants.items()]
    (suite / "src" / "test" / "consts.ts").write_text("".join(lines))
    put_any_file(served)
    return run(["npx", "vitest", "run"], suite, served, {})


def put_any_file(served: dict) -> None:
    """Uploads the file that `hold_back.mjs` gives instead of files that tests take from the web."""
    content = base64.b64encode(json.dumps(list(range(10_000))).encode()).decode()
    files = [{"path": "file.json", "content": content, "encoding": "base64"}]
    request = urllib.request.Request(
        served["endpoint"] + "/api/repos/create",
        json.dumps({"name": "hub.js/any", "files": files}).encode(),
        {"Authorization": f"Bearer {served['tokens']['hub.js']}"},
    )
    urllib.request.urlopen(request).close()


def javascript_package() -> Path:
    """The unpacked package with what its tests import."""
    unpacked = KEPT / "package"
    note = unpacked / "installed"
    wanted = [JAVASCRIPT_CLIENT, *JAVASCRIPT_RUNNERS]
    if not note.is_file() or note.read_text().split() != wanted:
        shutil.rmtree(unpacked, ignore_errors=True)
        packed = subprocess.run(
            ["npm", "pack", "--silent", JAVASCRIPT_CLIENT], cwd=KEPT, check=True, capture_output=True, text=True
        )
        unpack(KEPT / packed.stdout.split()[-1], KEPT)
        options = ["--silent", "--no-audit", "--no-fund", "--no-save", "--ignore-scripts"]
        subprocess.run(["npm", "install", *options, *JAVASCRIPT_RUNNERS], cwd=unpacked, check=True)
        note.write_text("\n".join(wanted))
    return unpacked


def unpack(archive: Path, place: Path) -> None:
    with tarfile.open(archive) as files:
        files.extractall(place, filter="data")


def fresh_copy(package: Path) -> Path:
    copy = KEPT / "run"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(package, copy)
    return copy


def run(command: list[str], suite: Path, served: dict, variables: dict) -> list[dict]:
    """Runs a suite and reads the lines it leaves about its tests."""
    report = KEPT / "report.jsonl"
    report.unlink(missing_ok=True)
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "HUGGING"))}
    told = {
        "HF_ENDPOINT": served["endpoint"],
        "CONFORMANCE_TOKENS": json.dumps(served["tokens"]),
        "CONFORMANCE_REPORT": str(report),
    }
    log = KEPT / "suite.log"
    with log.open("w") as output:
        ended = subprocess.run(
            command,
            cwd=suite,
            env={**inherited, **told, **variables},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            timeout=RUN_SECONDS_MAX,
        )
    # Both runners say 0 when all tests passed and 1 when some failed.
    if ended.returncode not in (0, 1) or not report.is_file():
        sys.exit(f"the suite broke off; see {log}")
    return [json.loads(line) for line in report.read_text().splitlines()]
