"""How long a newcomer waits: a machine from nothing to its first frame, and its regions from nothing to compiled code.

Everything is measured in new processes, whose cache of compiled code is empty or what the one before has left.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from retrosim.errors import RetrosimError
from retrosim.report.json import SPREAD

from .contenders import child_environment

LONGEST_START = 900  # seconds a process may take, that which compiles every region included
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
_REGIONS_PROGRAM = """
import json, sys, time
from retrosim.cpu.engines.handlers.handler_cache import handler_cache
from retrosim.cpu.engines.regions.compiled_region import CompiledRegion
from retrosim.cpu.engines.regions.regions import discover
from retrosim.machine import open_machine
name, build, timing = sys.argv[1:]
machine = open_machine(name, "sectors", build=build, engine="evaluate", timing=timing)
core, regions = machine.core, []
handler_cache(core.cpu, timing, [])  # whatever a process compiles first takes longer
for region in discover(core, machine.code_roots):
    counts = {"address": min(region.blocks), "blocks": len(region.blocks), "instructions": len(list(region.insns))}
    start = time.perf_counter()
    CompiledRegion(core.cpu, timing, region)
    regions.append(counts | {"seconds": time.perf_counter() - start})
print(json.dumps(regions))
"""


@dataclass(frozen=True)
class Starts:
    """Starts of one kind: seconds of each of STAGES, by the median, and how many starts there were."""

    seconds: dict[str, float] = field(metadata=SPREAD)
    starts: int


@dataclass(frozen=True)
class RegionTimes:
    """A region of the ROM: its size, and seconds to have its compiled code without and with a cache.

    address  the lowest
    """

    build: str
    timing: str
    address: int
    blocks: int
    instructions: int
    cold: float
    warm: float


def _child(program: str, home: str, *arguments: str) -> Any:
    """Return what a program prints as JSON."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env=child_environment(RETROSIM_HOME=home),
        capture_output=True,
        text=True,
        timeout=LONGEST_START,
        check=False,
    )
    if done.returncode:
        raise RetrosimError(f"starting {arguments[0]}: {done.stderr.strip().splitlines()[-1:]}")
    return json.loads(done.stdout)


def _start(machine: str, home: str) -> dict[str, float]:
    began = time.perf_counter()
    stages = _child(_PROGRAM, home, machine)
    return stages | {"process": time.perf_counter() - began}


def startup_times(
    machine: str, *, cold: int = 1, warm: int = 3, progress: Callable[[str], None] = lambda text: None
) -> dict[str, Starts]:
    """Measure starts without and with a cache of compiled code.

    machine   a preset's name, or "native"
    cold      starts with an empty cache, 1 or more
    warm      starts with the cache that the last of those has filled, 1 or more
    progress  called with a line of text before each
    Returns   "cold" and "warm" -> their starts; the stages are import, open (compiling included), frame (the first),
              and process (all of it, the interpreter's own start included)
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
        kind: Starts({stage: statistics.median(run[stage] for run in runs) for stage in STAGES}, len(runs))
        for kind, runs in times.items()
    }


def region_times(
    machine: str, build: str, timings: Sequence[str], progress: Callable[[str], None] = lambda text: None
) -> list[RegionTimes]:
    """Measure how long every region of the ROM `sectors` takes to compile, and to load from the cache.

    machine   a preset's name
    build     of the ROM
    timings   timing modes
    progress  called with a line of text before each process, two per timing mode
    Returns   one for each timing mode and region
    Errors    RetrosimError
    """
    times = []
    for timing in timings:
        with tempfile.TemporaryDirectory(prefix="retrosim-home-") as home:
            runs = []
            for kind in ("cold", "warm"):
                progress(f"regions of {build}, timing {timing}, {kind}")
                runs.append(_child(_REGIONS_PROGRAM, home, machine, build, timing))
        for cold, warm in zip(*runs, strict=True):
            seconds = {"cold": cold.pop("seconds"), "warm": warm["seconds"]}
            times.append(RegionTimes(build, timing, **cold, **seconds))
    return times
