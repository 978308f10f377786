"""Host speed: complete checks per second of our engines and of the kernel, beside other emulators and plain C.

All of them work on one scene; those that run machine code run the same ROM image from the same memory, in processor
time of the one thread that each of them has. After every lap the collision flags must be those of the plain-Python
reference, and the memory that the ROM's routine writes must be the same everywhere.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from retrosim.checks import check_choice
from retrosim.errors import RetrosimError
from retrosim.machine.choices import WARM_CALLS
from retrosim.machine.presets import preset
from retrosim.report.json import SPREAD
from retrosim.report.tables import number_table
from retrosim.report.text import percent, three_digits, warmth
from retrosim.rom import Rom, load_rom

from .contenders import (
    ENGINES,
    HOST_PACKAGES,
    PEERS,
    SIMULATED,
    Contender,
    Kernel,
    Lap,
    OfMachineCode,
    Peer,
    Simulated,
    child_environment,
    of_machine_code,
)
from .native import ROUTINE_SOURCES, NativeRoutine, why_missing
from .peers import PACKAGES
from .race import (
    Entrant,
    HostFacts,
    Made,
    Progress,
    RaceProgress,
    Ready,
    Skipped,
    cases_csv,
    check_laps,
    host,
    made,
    race,
    ratios,
    skipped_lines,
)
from .workload import Workload, job_of_checks, open_at_first_check, prepare

MACHINE = "mc68040-25"
COLUMNS = ("name", "engine", "per_second", "spread", "instructions_per_second", "times_machine", "error")
ROM = "sectors"
_TIMINGS = tuple(dict.fromkeys(timing for engine, timing in SIMULATED.values() if engine == "recompile"))


@dataclass(frozen=True)
class EngineCase:
    """What an engine reached in one scene.

    per_second  complete checks, by the median lap; None with an error
    ratio_to    peer -> our speed over its
    spread      fastest less slowest lap, over the median
    checks      in a lap
    """

    name: str
    engine: str
    build: str
    objects: int
    per_second: float | None
    ratio_to: dict[str, float]
    spread: float | None
    laps: int
    checks: int
    error: str | None
    machine_code: OfMachineCode | None = field(metadata=SPREAD)


@dataclass(frozen=True)
class EngineMethod:
    """How it was measured; see `benchmark_engines`."""

    machine: str
    rounds: int
    seconds: float
    seed: int
    warm: int


@dataclass(frozen=True)
class EngineResult:
    """What `benchmark_engines` measured; `startup` and `regions` are None where that was not asked for."""

    cases: list[EngineCase]
    skipped: list[Skipped]
    startup: dict[str, Starts] | None
    regions: list[RegionTimes] | None
    host: HostFacts
    made: Made
    method: EngineMethod


def benchmark_engines(
    *,
    machine: str = MACHINE,
    builds: Sequence[str] = ("O2",),
    objects: Sequence[int] = (200, 50),
    engines: Sequence[str] | None = None,
    rounds: int = 25,
    seconds: float = 0.05,
    startup: bool = True,
    seed: int = 1994,
    warm: int = WARM_CALLS,
    progress: Progress | None = None,
) -> EngineResult:
    """Measure; the defaults take some minutes, half of them compiling what the cache does not hold, and all regions.

    machine   a preset's name
    builds    of the ROM `sectors`
    objects   scenes, each 1..200
    engines   some of ENGINES, None for all
    rounds    laps of each, 1 or more
    seconds   aimed at for a lap, above 0
    startup   also measure cold and warm starts, and how long regions take to compile, each in a new process
    seed      of the scenes
    warm      checks before the one whose clocks `times_machine` counts with
    Errors    ValueError, RomError
    """
    for count in objects:
        if not 1 <= count <= 200:
            raise ValueError(f"objects {count}: allowed 1..200")
    check_laps(rounds, seconds)
    for engine in engines or ():
        check_choice("engine", engine, ENGINES)
    rom, asked, isa = load_rom(ROM), list(engines or ENGINES), preset(machine).isa
    for build in builds:
        rom.image(isa, build)
    has_sources = all((rom.path / name).is_file() for name in ROUTINE_SOURCES)
    missing = {engine: reason for engine in asked if (reason := why_missing(engine, isa, has_sources))}
    present = [engine for engine in asked if engine not in missing]
    cold_starts, warm_starts = (1, 3) if startup else (0, 0)
    compiled = 2 * len(builds) * len(_TIMINGS) if startup else 0
    races = len(builds) * len(objects) * (1 + len(present) + rounds)
    steps = RaceProgress(progress, races + cold_starts + warm_starts + compiled)
    cases: list[EngineCase] = []
    for build in builds:
        for count in objects:
            steps.next(f"{build}, {count} objects: preparing")
            workload = prepare(machine, rom, build, count, seed, warm)
            cases += _cases(workload, _race(rom, workload, present, rounds, seconds, steps))
    starts = regions = None
    if startup:
        starts = startup_times(machine, cold=cold_starts, warm=warm_starts, progress=steps.next)
        regions = [region for build in builds for region in region_times(machine, build, _TIMINGS, steps.next)]
    steps.end()
    return EngineResult(
        cases=cases,
        skipped=[Skipped(engine, reason) for engine, reason in missing.items()],
        startup=starts,
        regions=regions,
        host=host(HOST_PACKAGES),
        made=made(),
        method=EngineMethod(machine, rounds, seconds, seed, warm),
    )


def open_contender(engine: str, rom: Rom, workload: Workload, folder: Path) -> Contender:
    """Make a contender ready.

    engine   one of ENGINES
    folder   for files it needs until it is closed
    Errors   RetrosimError
    """
    own = Path(tempfile.mkdtemp(prefix=f"{engine}-", dir=folder))
    if engine in SIMULATED:
        kind, timing = SIMULATED[engine]
        scene = workload.build, workload.objects, workload.seed
        machine = open_at_first_check(workload.machine, rom, *scene, engine=kind, timing=timing)
        return Simulated(kind, machine, job_of_checks(machine))
    if engine == "kernel":
        return Kernel(workload)
    if engine in PACKAGES:
        return Peer(engine, workload.isa, workload.memory, workload.job, own)
    return NativeRoutine(rom, workload, own)


def _race(
    rom: Rom, workload: Workload, engines: list[str], rounds: int, seconds: float, steps: RaceProgress
) -> list[Entrant]:
    """Let contenders take turns at one scene."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="retrosim-bench-")))

        def make_ready(engine: str) -> Ready:
            contender = open_contender(engine, rom, workload, folder)
            stack.callback(contender.close)
            return Ready(partial(_seconds, contender=contender, workload=workload))

        entries = [Entrant(engine, partial(make_ready, engine)) for engine in engines]
        race(entries, rounds, seconds, steps, f"{workload.build}, {workload.objects} objects")
    return entries


def _seconds(count: int, contender: Contender, workload: Workload) -> float:
    """Run a lap. Errors: RetrosimError, its result is wrong."""
    lap = contender.run(count)
    wrong = _difference(lap, workload)
    if wrong:
        raise RetrosimError(wrong)
    return lap.seconds


def _difference(lap: Lap, workload: Workload) -> str | None:
    """Return what is wrong with the result of a lap, None if it is right."""
    wrong = [index for index, (ours, right) in enumerate(zip(lap.result, workload.flags)) if ours != right]
    if wrong or len(lap.result) != len(workload.flags):
        return f"wrong collision flags: {len(wrong)} of {len(workload.flags)}, the first of object {wrong[:1]}"
    if lap.written not in (None, workload.after):
        return f"right collision flags, but other memory: digest {lap.written}, expected {workload.after}"
    return None


def _cases(workload: Workload, entries: Iterable[Entrant]) -> list[EngineCase]:
    rates = {entry.engine: entry.rate for entry in entries}
    return [
        EngineCase(
            name=f"sectors {workload.build}, {workload.objects} objects",
            engine=entry.engine,
            build=workload.build,
            objects=workload.objects,
            per_second=entry.rate,
            ratio_to=ratios(entry.rate, rates, PEERS, entry.engine),
            spread=entry.spread,
            laps=len(entry.rates),
            checks=entry.count,
            error=entry.error,
            machine_code=of_machine_code(
                entry.engine, entry.rate, workload.instructions, workload.cycles / workload.clock_hz
            ),
        )
        for entry in entries
    ]


# How long a newcomer waits: a machine from nothing to its first frame, and its regions from nothing to compiled code.
#
# Everything is measured in new processes, whose cache of compiled code is empty or what the one before has left.

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


def engines_csv(result: EngineResult) -> str:
    """Return the cases as CSV, one column more per peer: ours over its speed."""
    text = cases_csv(COLUMNS, result.cases, PEERS)
    for kind, starts in (result.startup or {}).items():
        text += "".join(f"# {kind} start, {stage}: {starts.seconds[stage]:.3f} s\n" for stage in STAGES)
    for region in result.regions or []:
        size = f"{region.blocks} blocks, {region.instructions} instructions"
        times = f"{region.cold:.3f} s cold, {region.warm:.3f} s warm"
        text += f"# region {region.address:06X} of {region.build}, timing {region.timing}, {size}: {times}\n"
    return text


# The benchmark as text: one rich table per scene, 80 columns wide at most.

_LEGEND = (
    "recompile: our regions of the program, compiled as a whole; interpret: our handler per instruction",
    "-full, -table, -off: with pipeline model and caches, with table clocks, without timing",
    "evaluate: the same instruction rows on plain Python integers",
    "kernel: the routine in Numba; native-c: the ROM's own C source compiled with -O2 for this host",
    "x real: times the speed of the simulated machine by its full timing",
    "spread: fastest less slowest lap, over the median",
)


def render_engines(result: EngineResult) -> RenderableType:
    """Return everything that was measured, for a rich console."""
    parts: list[RenderableType] = []
    for name in dict.fromkeys(case.name for case in result.cases):
        cases = [case for case in result.cases if case.name == name]
        errors = [Text(f"{case.engine}: {case.error}", style="bold red") for case in cases if case.error]
        parts += [Text(f"{name}: complete checks per second", style="bold"), _case_table(cases), *errors, Text()]
    parts += skipped_lines(result.skipped)
    if result.startup:
        parts += [Text("To the first frame, seconds", style="bold"), _startup(result.startup), Text()]
    if result.regions:
        parts += [Text("To compile the regions of the ROM, and to load them, seconds", style="bold")]
        parts += [_regions(result.regions), Text()]
    method = result.method
    parts += [
        Text(str(result.host)),
        Text(f"Medians of {method.rounds} laps of about {method.seconds:g} s of processor time; flags compared"),
        Text(f"x real: the clocks of a check on that machine, caches {warmth(method.warm)}"),
        *(Text(line) for line in _LEGEND),
    ]
    return Group(*parts)


def _case_table(cases: list[EngineCase]) -> RenderableType:
    peers = [peer for peer in PEERS if any(peer in case.ratio_to for case in cases)]
    table = number_table("engine", "checks/s", "spread", "MIPS", "x real", *(f"to\n{peer}" for peer in peers))
    for case in cases:
        code = case.machine_code
        table.add_row(
            case.engine,
            "error" if case.error else three_digits(case.per_second),
            percent(case.spread, 0),
            three_digits(code.instructions_per_second / 1e6 if code else None),
            three_digits(code.times_machine if code else None),
            *(three_digits(case.ratio_to.get(peer)) for peer in peers),
        )
    return table


def _startup(startup: dict[str, Starts]) -> RenderableType:
    table = number_table("start", *STAGES, "starts")
    for kind, starts in startup.items():
        table.add_row(kind, *(f"{starts.seconds[stage]:.2f}" for stage in STAGES), str(starts.starts))
    return table


def _regions(regions: list[RegionTimes]) -> RenderableType:
    """Return a row per region, and the sums of each build."""
    timings = list(dict.fromkeys(region.timing for region in regions))
    times = (f"{timing}\n{kind}" for timing in timings for kind in ("cold", "warm"))
    table = number_table("region", "blocks", "instructions", *times)
    for build in dict.fromkeys(region.build for region in regions):
        mine = [region for region in regions if region.build == build]
        for address in dict.fromkeys(region.address for region in mine):
            same = [region for region in mine if region.address == address]
            _region_row(table, f"{build} {address:06X}", same[:1], same, timings)
        _region_row(table, f"{build} all", [region for region in mine if region.timing == timings[0]], mine, timings)
    return table


def _region_row(
    table: Table, name: str, sizes: list[RegionTimes], regions: list[RegionTimes], timings: list[str]
) -> None:
    counts = sum(region.blocks for region in sizes), sum(region.instructions for region in sizes)
    times = []
    for timing in timings:
        mine = [region for region in regions if region.timing == timing]
        times += [sum(region.cold for region in mine), sum(region.warm for region in mine)]
    table.add_row(name, *map(str, counts), *(f"{seconds:.2f}" for seconds in times))
