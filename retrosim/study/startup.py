"""How long a newcomer waits: a machine from nothing to its first frame, each time in a new process."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from retrosim.errors import RetrosimError

from .contenders import LONGEST_RUN, child_environment

STAGES = ("import", "open", "frame", "process")
_PROGRAM = """
import json, sys, time
start = time.perf_counter()
from retrosim.machine import open_machine
imported = time.perf_counter()
machine = open_machine(sys.argv[1], "sectors")
opened = time.perf_counter()
machine.run(frames=1)
assert machine.frame.any()
drawn = time.perf_counter()
print(json.dumps({"import": imported - start, "open": opened - imported, "frame": drawn - opened}))
"""


def _start(machine: str, home: str) -> dict[str, float]:
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, machine],
        env=child_environment(RETROSIM_HOME=home),
        capture_output=True,
        text=True,
        timeout=LONGEST_RUN,
        check=False,
    )
    if done.returncode:
        raise RetrosimError(f"starting {machine}: {done.stderr.strip().splitlines()[-1:]}")
    return json.loads(done.stdout) | {"process": time.perf_counter() - began}


def startup_times(
    machine: str, *, cold: int = 1, warm: int = 3, progress: Callable[[str], None] = lambda text: None
) -> dict[str, dict[str, float]]:
    """Measure starts without and with a cache of compiled code.

    machine   a preset's name, or "native"
    cold      starts with an empty cache, 1 or more
    warm      starts with the cache that the last of those has filled, 1 or more
    progress  called with a line of text before each
    Returns   "cold" and "warm" -> medians in seconds: import, open (compiling included), frame (the first), process
              (all of it, the interpreter's own start included), and starts, their number
    Errors    ValueError, RetrosimError
    """
    if cold < 1 or warm < 1:
        raise ValueError(f"cold {cold}, warm {warm}: allowed 1 or more of each")
    times: dict[str, list[dict[str, float]]] = {"cold": [], "warm": []}
    for number in range(cold):
        with tempfile.TemporaryDirectory(prefix="retrosim-home-") as home:
            progress(f"cold start {number + 1} of {cold}")
            times["cold"].append(_start(machine, home))
            if number == cold - 1:
                for repeat in range(warm):
                    progress(f"warm start {repeat + 1} of {warm}")
                    times["warm"].append(_start(machine, home))
    return {
        kind: {stage: statistics.median(each[stage] for each in runs) for stage in STAGES} | {"starts": len(runs)}
        for kind, runs in times.items()
    }
