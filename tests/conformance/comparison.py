"""Compares the results of a client's test suite with `expected_failures.toml`."""

import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

LIST = Path(__file__).with_name("expected_failures.toml")


@dataclass
class Expectation:
    """A line of the list: it fits the name of a test, or the text of a failure."""

    text: str
    of_failures: bool
    reason: str
    sometimes: bool
    met: bool = False

    def fits(self, result: dict) -> bool:
        if self.of_failures and result["outcome"] != "failed":
            return False
        told = result["why" if self.of_failures else "test"]
        fits = pattern(self.text).fullmatch(told) is not None
        self.met |= fits
        return fits


def compare(suite: str, results: list[dict]) -> int:
    """Prints what is not as expected, then the totals; gives back how much that is."""
    expected = expectations(suite)
    count = Counter()
    reasons = Counter()
    surprises = []
    for result in results:
        failed, said_nothing = result["outcome"] == "failed", not result["asked"]
        found = next((one for one in expected if one.fits(result)), None)
        if result["outcome"] == "skipped":
            count["skipped"] += 1
        elif failed and found:
            reasons[found.reason] += 1
        elif failed:
            surprises.append(f"FAILED {result['test']}\n  {one_line(result['why'])}")
        elif said_nothing:
            count["unasked"] += 1
        elif found and not found.sometimes:
            surprises.append(f"PASSED, though listed: {result['test']}")
        else:
            count["passed"] += 1
    surprises += [f"LISTED, but nothing is like it: {one.text}" for one in expected if not one.met]
    for line in surprises:
        print(line)
    for reason, times in reasons.most_common():
        print(f"{suite}: {times:4} {reason}")
    print(f"{suite}: {count['unasked']} passed without asking the registry anything, and {count['skipped']} were skipped")
    totals = f"{count['passed']} passed, {reasons.total()} expected failures, {len(surprises)} unexpected"
    print(f"{suite}: {totals}", flush=True)
    return len(surprises)


def expectations(suite: str) -> list[Expectation]:
    groups = tomllib.loads(LIST.read_text())["expected"]
    return [
        Expectation(text, key == "failures", group["reason"], group.get("sometimes", False))
        for group in groups
        if suite in group["suites"]
        for key in ("tests", "failures")
        for text in group.get(key, [])
    ]


@cache
def pattern(text: str) -> re.Pattern:
    return re.compile(".*".join(re.escape(part) for part in text.split("*")), re.DOTALL)


def one_line(text: str) -> str:
    return " ".join(text.split())[:300]
