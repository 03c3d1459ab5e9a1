"""pytest fixtures for huggingface_hub's test suite, a block on all other servers, and the report.

The package carries the tests without their `conftest.py`, so the runner puts this file beside
them. It lets them ask nothing but the registry, and writes a line for each into the report:
`{"test": …, "outcome": "passed" | "failed" | "skipped", "asked": …, "why": …}`.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest

from huggingface_hub import HfApi, RepoUrl, constants
from huggingface_hub.utils import _detect_agent

from . import testing_constants as known


ENDPOINT = os.environ["HF_ENDPOINT"]
REPORT = Path(os.environ["CONFORMANCE_REPORT"])
LOOPBACK = {"127.0.0.1", "localhost"}

tokens = json.loads(os.environ["CONFORMANCE_TOKENS"])
known.TOKEN = tokens[known.USER]
known.OTHER_TOKEN = tokens[known.OTHER_USER]
known.ENTERPRISE_TOKEN = tokens[known.ENTERPRISE_USER]

RepoFactory = Callable[..., RepoUrl]

requests_to_the_registry = 0


class AsksThePublicHub(BaseException):
    """Not an `Exception`, so that no client hides it or tries again."""


def hold_back(transport: type) -> None:
    """Lets requests through to this machine only, and counts those to the registry."""
    send = transport.handle_request

    def handle_request(self, request):
        global requests_to_the_registry
        if request.url.host not in LOOPBACK:
            raise AsksThePublicHub(f"asks the public Hub: {request.method} {request.url}")
        requests_to_the_registry += str(request.url).startswith(ENDPOINT)
        return send(self, request)

    transport.handle_request = handle_request


hold_back(httpx2.HTTPTransport)


@pytest.fixture(scope="session")
def api() -> HfApi:
    return HfApi(endpoint=ENDPOINT, token=known.TOKEN)


@pytest.fixture
def api_prod() -> HfApi:
    return HfApi(endpoint=known.ENDPOINT_PRODUCTION)


@pytest.fixture
def repo_factory(api: HfApi):
    """Makes repositories that are gone after the test."""
    made = []

    def make(repo_type="model", *, repo_id=None, token=known.TOKEN, **settings) -> RepoUrl:
        name = repo_id or f"repo-{os.urandom(6).hex()}"
        url = api.create_repo(name, repo_type=repo_type, token=token, **settings)
        made.append((url, token))
        return url

    yield make
    for url, token in made:
        api.delete_repo(url.repo_id, repo_type=url.repo_type, token=token, missing_ok=True)


@pytest.fixture
def new_repo_id(api: HfApi):
    """The id of a repository that the test makes."""
    repo_id = f"{known.USER}/repo-{os.urandom(6).hex()}"
    yield repo_id
    api.delete_repo(repo_id, missing_ok=True)


@pytest.fixture(autouse=True)
def surroundings(request, monkeypatch):
    """No agent is detected; tests marked `xet` get Xet, those marked `production` the Hub's URL."""
    monkeypatch.setattr(_detect_agent, "_registry", {"standardEnvVars": [], "harnesses": {}})
    marked = request.node.get_closest_marker
    if marked("xet"):
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", False)
    if marked("production"):
        template = known.ENDPOINT_PRODUCTION_URL_SCHEME
        monkeypatch.setattr(constants, "ENDPOINT", known.ENDPOINT_PRODUCTION)
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Runs a test with its fixtures, and notes whether it sent the registry anything."""
    before = requests_to_the_registry
    item.outcome, item.why = "passed", ""
    yield
    line = {
        "test": item.nodeid.removeprefix("tests/"),
        "outcome": item.outcome,
        "asked": requests_to_the_registry > before,
        "why": item.why,
    }
    with REPORT.open("a") as report:
        report.write(json.dumps(line) + "\n")
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if not report.passed and item.outcome != "failed":
        item.outcome = report.outcome
        item.why = str(call.excinfo.value) if call.excinfo else report.longreprtext
    return report
