"""Makes the calls of `calls.json` with a client and checks the answers, for the scripts in Python.

usage of each script: SCRIPT              over stdio, of the toolbox that is the user's own
                      SCRIPT URL TOKEN    over HTTP
"""

import asyncio
import dataclasses
import json
import pathlib
import sys

# Whatever takes longer hangs.
SECONDS_MAX = 300

CALLS = json.loads(pathlib.Path(__file__).with_name("calls.json").read_text())


@dataclasses.dataclass
class Answer:
    """What a client makes of a result."""

    text: str = ""
    structured: object = None
    pictures: list = dataclasses.field(default_factory=list)
    """The media type of each."""
    failed: bool = False
    progress: list = dataclasses.field(default_factory=list)


def check(wanted, answer, shows):
    """Compares an answer with what is wanted, as far as the client shows it at all."""
    if "failures" in shows:
        assert answer.failed == ("failure" in wanted), answer
    if "failure" in wanted:
        assert wanted["failure"] in answer.text, answer
    if "text" in wanted:
        assert wanted["text"] in answer.text, answer
    if "structured" in wanted:
        found = answer.structured if "structured" in shows else json.loads(answer.text)
        # Where there is only the text, a plain value stands there as it is.
        found = found if isinstance(found, dict) else {"result": found}
        assert wanted["structured"].items() <= found.items(), answer
    if "picture" in wanted and "pictures" in shows:
        assert answer.pictures == [wanted["picture"]], answer
    if "progress" in wanted and "progress" in shows:
        assert wanted["progress"] in [list(report) for report in answer.progress], answer


async def every_call(connect, shows, url, token):
    async with connect(url, token) as (names, call):
        for wanted in CALLS:
            name, arguments = wanted["tool"], wanted["arguments"]
            assert name in names, f"{name} is not among {names}"
            check(wanted, await call(name, arguments), shows)
            print("ok", name, json.dumps(arguments)[:60])


def main(connect, shows):
    """Makes every call with a client.

    `connect(url, token)` is an asynchronous context of the names of the tools and of a function that calls one
    and gives an `Answer`. `shows` names what the client hands on besides text: `structured` values,
    `pictures`, `failures` apart from answers, `progress`.
    """
    url, token = sys.argv[1:] or (None, None)
    asyncio.run(asyncio.wait_for(every_call(connect, shows, url, token), SECONDS_MAX))
