"""Tests that random scripts of tool calls neither crash nor hang, and keep memory bounded.

`TOOL_HUB_SCRIPTS` is how many there are, `TOOL_HUB_SEED` the first one's seed, which repeats it.
"""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).with_name("programs") / "random_scripts.py"
SCRIPTS = int(os.environ.get("TOOL_HUB_SCRIPTS", "100"))
SEED = int(os.environ.get("TOOL_HUB_SEED", random.randrange(10**9)))
#: A call of a hostile component may take 256 MiB, and two run at once on two processors.
PEAK_MIB = 1024


def test_random_scripts(hostile, guest_path):
    print(f"TOOL_HUB_SEED={SEED} TOOL_HUB_SCRIPTS={SCRIPTS}")
    words = [sys.executable, str(PROGRAM), str(hostile), str(guest_path), str(SEED), str(SCRIPTS)]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, f"TOOL_HUB_SEED={SEED}\n{done.stdout}\n{done.stderr}"
    told = json.loads(done.stdout)
    faults = "\n".join(told.pop("faults"))
    print(told)
    assert not faults, f"TOOL_HUB_SEED={SEED}\n{faults}"
    assert told["scripts"] == SCRIPTS
    assert told["peak_mib"] < PEAK_MIB, told
