"""Times `tool dev` from a save to the answer, beside `tool build` and `tool call`.

Both sides get the same edits of a project that `tool new` made, in turns: `tool dev` notices the
edit itself, and the other side is started once the file is written. Printed are medians and their
ratio, for each language.

    python3 cli/benches/dev.py [TOOL] [ROUNDS]

TOOL is the command, `target/release/tool` unless it is given; what builds components is kept in
the user's own cache, as TOOL_HUB_HOME says.
"""

import json
import os
import queue
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

LANGUAGES = {"rust": "src/lib.rs", "javascript": "tool.js", "python": "greeter.py"}
# Python's project is of a file of plain functions, those of other languages are as `tool new` makes
# them.
PYTHON = '''
def greet(name: str) -> str:
    """Greets somebody.

    Args:
        name: Whom.

    Returns:
        One sentence.
    """
    return f"Hello, {name}!"
'''


class Dev:
    """A running `tool dev`, and the lines that it prints."""

    def __init__(self, tool, project):
        command = [tool, "dev", project, "--call", "greet name=Ada"]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, text=True, **pipes)
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put((time.monotonic(), line.rstrip()))

    def answered(self, line):
        """The moment at which `line` was printed."""
        while True:
            moment, printed = self.lines.get(timeout=120)
            if printed == line:
                return moment

    def end(self):
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(10) == 0


def build_and_call(tool, project, expected):
    """Builds a package and calls it by its path."""
    built = subprocess.check_output([tool, "build", project, "--json"], stderr=subprocess.DEVNULL)
    approve = ["--approve", json.loads(built)["digest"]]
    called = subprocess.check_output([tool, "call", f"./{project}", "name=Ada", *approve], text=True)
    assert called.strip() == expected, called


def measure(tool, language, rounds):
    """The seconds of each round, with `tool dev` and without."""
    project = f"greeter-{language}"
    made_of = ["--lang", language]
    if language == "python":
        Path("greeter.py").write_text(PYTHON)
        made_of = ["--from", "greeter.py"]
    subprocess.check_call([tool, "new", project, *made_of], stderr=subprocess.DEVNULL)
    file = Path(project, LANGUAGES[language])
    source = file.read_text()
    build_and_call(tool, project, "Hello, Ada!")
    with_dev, without = [], []
    for number in range(rounds):
        dev = Dev(tool, project)
        dev.answered(f"{word(number - 1)}, Ada!")
        edited = source.replace("Hello", word(number))
        start = time.monotonic()
        file.write_text(edited)
        with_dev.append(dev.answered(f"{word(number)}, Ada!") - start)
        dev.end()
        start = time.monotonic()
        build_and_call(tool, project, f"{word(number)}, Ada!")
        without.append(time.monotonic() - start)
    return with_dev, without


def word(number):
    return "Hello" if number < 0 else f"Hello{number}"


def main():
    tool = Path(sys.argv[1] if len(sys.argv) > 1 else "target/release/tool").resolve()
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        for language in LANGUAGES:
            with_dev, without = measure(str(tool), language, rounds)
            ratio = statistics.median(with_dev) / statistics.median(without)
            print(f"{language}: {ratio:.2f} ({shown(with_dev)}, {shown(without)})")


def shown(seconds):
    return f"{statistics.median(seconds):.2f} s, {min(seconds):.2f} to {max(seconds):.2f}"


if __name__ == "__main__":
    main()
