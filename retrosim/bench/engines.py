"""Host speed: complete checks per second of our engines and of the kernel, beside other emulators and plain C.

All of them work on one scene; those that run machine code run the same ROM image from the same memory. They take turns,
lap by lap, so that a disturbance of the host meets all, and the median lap counts, in processor time of the one thread
that each of them has. After every lap the collision flags must be those of the plain-Python reference, and the memory
that the ROM's routine writes must be the same everywhere; a contender that fails this is reported as an error and gets
no figure.
"""

from __future__ import annotations

import csv
import io
import json
import os
import platform
import re
import statistics
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import date
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from retrosim.cache.sources import PACKAGE, source_digest
from retrosim.checks import check_choice
from retrosim.errors import RetrosimError
from retrosim.machine.choices import WARM_CALLS
from retrosim.machine.presets import preset
from retrosim.report.tables import number_table
from retrosim.report.text import warmth
from retrosim.rom import Rom, load_rom

from .contenders import ENGINES, PEERS, SIMULATED, Contender, Lap, open_contender, why_missing
from .laps import Entry, fill_lap
from .peers import PACKAGES
from .startup import STAGES, region_times, startup_times
from .workload import Workload, prepare

MACHINE = "mc68040-25"
COLUMNS = ("name", "engine", "per_second", "spread", "instructions_per_second", "times_machine", "error")
RESULTS = PACKAGE.parent / "tools" / "bench"  # of a checkout: one file per host
ROM = "sectors"
_TIMINGS = tuple(dict.fromkeys(timing for engine, timing in SIMULATED.values() if engine == "recompile"))
_PACKAGES = ("numba", "llvmlite", "numpy", *PACKAGES.values())


def benchmark(
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
    progress: Callable[[int, int, str], None] | None = None,
) -> dict[str, Any]:
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
    progress  called with steps done, their number, and what comes next
    Returns   dict for JSON with
        cases    one dict per scene and engine: name, engine, build, objects, per_second (None with an error),
                 ratio_to (peer -> our speed over its), spread ((fastest - slowest) / median lap), laps, checks (in a
                 lap), error (None), and for machine code instructions_per_second and times_machine, which is how many
                 times as fast as the machine itself, by its full timing
        skipped  dicts of engine and reason
        startup  see `startup.startup_times`, or None
        regions  see `startup.region_times`, or None
        host     what it ran on
        made     date, version of retrosim, digest of its sources
        method   machine, rounds, seconds, seed, warm
    Errors    ValueError, RomError
    """
    _check(objects, rounds, seconds, engines)
    rom, asked, isa = load_rom(ROM), list(engines or ENGINES), preset(machine).isa
    for build in builds:
        rom.image(isa, build)
    missing = {engine: reason for engine in asked if (reason := why_missing(engine, rom, isa))}
    present = [engine for engine in asked if engine not in missing]
    cold_starts, warm_starts = (1, 3) if startup else (0, 0)
    compiled = 2 * len(builds) * len(_TIMINGS) if startup else 0
    laps = len(builds) * len(objects) * (1 + len(present) * (rounds + 1))
    steps = Steps(progress, laps + cold_starts + warm_starts + compiled)
    cases: list[dict[str, Any]] = []
    for build in builds:
        for count in objects:
            steps.next(f"{build}, {count} objects: preparing")
            workload = prepare(machine, rom, build, count, seed, warm)
            entries = _race(rom, workload, present, rounds, seconds, steps)
            cases += _cases(workload, entries)
    starts = regions = None
    if startup:
        starts = startup_times(machine, cold=cold_starts, warm=warm_starts, progress=steps.next)
        regions = [each for build in builds for each in region_times(machine, build, _TIMINGS, steps.next)]
    steps.end()
    return {
        "cases": cases,
        "skipped": [{"engine": engine, "reason": reason} for engine, reason in missing.items()],
        "startup": starts,
        "regions": regions,
        "host": host(),
        "made": {"date": date.today().isoformat(), "sources": source_digest()},
        "method": {"machine": machine, "rounds": rounds, "seconds": seconds, "seed": seed, "warm": warm},
    }


class Steps:
    """Progress: says what comes next, and how much is done."""

    def __init__(self, progress: Callable[[int, int, str], None] | None, total: int) -> None:
        self._progress, self._total, self._done = progress, total, 0

    def next(self, text: str) -> None:
        if self._progress is not None:
            self._progress(min(self._done, self._total), self._total, text)
        self._done += 1

    def end(self) -> None:
        self._done = self._total
        self.next("done")


def _check(objects: Sequence[int], rounds: int, seconds: float, engines: Sequence[str] | None) -> None:
    for count in objects:
        if not 1 <= count <= 200:
            raise ValueError(f"objects {count}: allowed 1..200")
    if rounds < 1:
        raise ValueError(f"rounds {rounds}: allowed 1 or more")
    if not 0 < seconds <= 60:
        raise ValueError(f"seconds {seconds}: allowed above 0, to 60")
    for engine in engines or ():
        check_choice("engine", engine, ENGINES)


def _race(rom: Rom, workload: Workload, engines: list[str], rounds: int, seconds: float, steps: Steps) -> list[Entry]:
    """Let contenders take turns at one scene."""
    entries = [Entry(engine) for engine in engines]
    scene = f"{workload.build}, {workload.objects} objects"
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="retrosim-bench-")))
        contenders: dict[str, Contender] = {}
        for entry in entries:
            steps.next(f"{scene}: {entry.engine}, first laps")
            try:
                contender = open_contender(entry.engine, rom, workload, folder)
                stack.callback(contender.close)
                contenders[entry.engine] = contender
                entry.count, _ = fill_lap(partial(_seconds, contender=contender, workload=workload), seconds)
            except RetrosimError as error:
                entry.error = str(error)
        for number in range(rounds):
            for entry in entries:
                steps.next(f"{scene}: {entry.engine}, lap {number + 1} of {rounds}")
                if entry.error is None:
                    _lap(entry, contenders[entry.engine], workload)
    return entries


def _seconds(count: int, contender: Contender, workload: Workload) -> float:
    """Run a lap. Errors: RetrosimError, its result is wrong."""
    lap = contender.run(count)
    wrong = _difference(lap, workload)
    if wrong:
        raise RetrosimError(wrong)
    return lap.seconds


def _lap(entry: Entry, contender: Contender, workload: Workload) -> None:
    try:
        entry.rates.append(entry.count / _seconds(entry.count, contender, workload))
    except RetrosimError as error:
        entry.error = str(error)


def _difference(lap: Lap, workload: Workload) -> str | None:
    """Return what is wrong with the result of a lap, None if it is right."""
    wrong = [index for index, (ours, right) in enumerate(zip(lap.result, workload.flags)) if ours != right]
    if wrong or len(lap.result) != len(workload.flags):
        return f"wrong collision flags: {len(wrong)} of {len(workload.flags)}, the first of object {wrong[:1]}"
    if lap.written not in (None, workload.after):
        return f"right collision flags, but other memory: digest {lap.written}, expected {workload.after}"
    return None


def _cases(workload: Workload, entries: list[Entry]) -> list[dict[str, Any]]:
    medians = {entry.engine: statistics.median(entry.rates) for entry in entries if entry.error is None}
    cases = []
    for entry in entries:
        rate = medians.get(entry.engine)
        runs_rom = entry.engine in SIMULATED or entry.engine in PACKAGES
        ratios = {peer: rate / medians[peer] for peer in PEERS if rate and peer in medians and peer != entry.engine}
        case = {
            "name": f"sectors {workload.build}, {workload.objects} objects",
            "engine": entry.engine,
            "build": workload.build,
            "objects": workload.objects,
            "per_second": rate,
            "ratio_to": ratios,
            "spread": (max(entry.rates) - min(entry.rates)) / rate if rate else None,
            "laps": len(entry.rates),
            "checks": entry.count,
            "error": entry.error,
        }
        if runs_rom and rate:
            case["instructions_per_second"] = rate * workload.instructions
            case["times_machine"] = rate * workload.cycles / workload.clock_hz
        cases.append(case)
    return cases


def host(packages: Sequence[str] = _PACKAGES) -> dict[str, Any]:
    """Return what this runs on: system, processor, cpus, python, packages (name -> version)."""
    versions = {}
    for package in packages:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return {
        "system": platform.system(),
        "processor": _processor(),
        "cpus": os.cpu_count(),
        "python": platform.python_version(),
        "packages": versions,
    }


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()


def host_file(machine: str) -> Path:
    """Return where a checkout keeps results by machine and kind of host: processor, system, Python; no host's name.

    Errors   RetrosimError  this is no checkout
    """
    if not RESULTS.is_dir():
        raise RetrosimError(f"{RESULTS}: no such folder; results are kept in a checkout of the repository only")
    here = host()
    processor = re.sub(r"\((r|tm)\)|\b(cpu|processor)\b|@.*", " ", here["processor"].lower())
    python = here["python"].rpartition(".")[0]
    words = re.findall(r"[a-z0-9.]+", f"{processor} {here['cpus']} cpus {here['system']} python {python}".lower())
    return RESULTS / f"{machine}-{'-'.join(words)}.json"


def results_csv(result: dict[str, Any]) -> str:
    """Return the cases as CSV, one column more per peer: ours over its speed."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*COLUMNS, *(f"ratio_to_{peer}" for peer in PEERS)])
    for case in result["cases"]:
        plain = [case.get(column) for column in COLUMNS]
        writer.writerow([*plain, *(case["ratio_to"].get(peer) for peer in PEERS)])
    for kind, times in (result["startup"] or {}).items():
        text.write("".join(f"# {kind} start, {stage}: {times[stage]:.3f} s\n" for stage in STAGES))
    for each in result["regions"] or []:
        size = f"{each['blocks']} blocks, {each['instructions']} instructions"
        times = f"{each['cold']:.3f} s cold, {each['warm']:.3f} s warm"
        text.write(f"# region {each['address']:06X} of {each['build']}, timing {each['timing']}, {size}: {times}\n")
    return text.getvalue()


def write_results(path: str | Path, result: dict[str, Any]) -> Path:
    """Write results into a new file, JSON or CSV by its suffix; a file that exists is left alone.

    path    ending in .json or .csv
    Errors  ValueError, RetrosimError  the file exists or cannot be written; then no part of it stays
    """
    path = Path(path)
    writers = {".json": lambda: json.dumps(result, indent=1) + "\n", ".csv": lambda: results_csv(result)}
    if path.suffix not in writers:
        raise ValueError(f"{path}: allowed names that end in {' or '.join(writers)}")
    text = writers[path.suffix]()
    try:
        path.touch(exist_ok=False)
    except FileExistsError:
        raise RetrosimError(f"{path}: exists already; nothing was written") from None
    except OSError as error:
        raise RetrosimError(f"{path}: cannot be made: {error.strerror or error}") from error
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        path.unlink(missing_ok=True)
        raise RetrosimError(f"{path}: cannot be written: {error.strerror or error}") from error
    return path


# The benchmark as text: one rich table per scene, 80 columns wide at most.

_LEGEND = (
    "recompile: our regions of the program, compiled as a whole; interpret: our handler per instruction",
    "-full, -table, -off: with pipeline model and caches, with table clocks, without timing",
    "evaluate: the same instruction rows on plain Python integers",
    "kernel: the routine in Numba; native-c: the ROM's own C source compiled with -O2 for this host",
    "x real: times the speed of the simulated machine by its full timing",
    "spread: fastest less slowest lap, over the median",
)


def render_bench(result: dict[str, Any]) -> RenderableType:
    """Return everything that `benchmark` found, for a rich console.

    result  as `benchmark` returns it
    """
    parts: list[RenderableType] = []
    for name in dict.fromkeys(case["name"] for case in result["cases"]):
        cases = [case for case in result["cases"] if case["name"] == name]
        errors = [Text(f"{case['engine']}: {case['error']}", style="bold red") for case in cases if case["error"]]
        parts += [Text(f"{name}: complete checks per second", style="bold"), _case_table(cases), *errors, Text()]
    parts += [Text(f"{skipped['engine']}: left out, {skipped['reason']}") for skipped in result["skipped"]]
    if result["startup"]:
        parts += [Text("To the first frame, seconds", style="bold"), _startup(result["startup"]), Text()]
    if result["regions"]:
        parts += [Text("To compile the regions of the ROM, and to load them, seconds", style="bold")]
        parts += [_regions(result["regions"]), Text()]
    host, method = result["host"], result["method"]
    packages = ", ".join(f"{name} {number}" for name, number in host["packages"].items())
    parts += [
        Text(f"{host['processor']}, {host['cpus']} CPUs, {host['system']}, Python {host['python']}, {packages}"),
        Text(f"Medians of {method['rounds']} laps of about {method['seconds']:g} s of processor time; flags compared"),
        Text(f"x real: the clocks of a check on that machine, caches {warmth(method['warm'])}"),
        *(Text(line) for line in _LEGEND),
    ]
    return Group(*parts)


def _three(value: float | None) -> str:
    """Return a number with three digits or all before the point."""
    if value is None:
        return "-"
    digits = 3 if value < 1 else 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:.{digits}f}" if value >= 0.001 else f"{value:.0e}"


def _case_table(cases: list[dict[str, Any]]) -> RenderableType:
    peers = [peer for peer in PEERS if any(peer in case["ratio_to"] for case in cases)]
    table = number_table("engine", "checks/s", "spread", "MIPS", "x real", *(f"to\n{peer}" for peer in peers))
    for case in cases:
        instructions = case.get("instructions_per_second")
        table.add_row(
            case["engine"],
            "error" if case["error"] else _three(case["per_second"]),
            "-" if case["spread"] is None else f"{100 * case['spread']:.0f} %",
            _three(instructions / 1e6 if instructions else None),
            _three(case.get("times_machine")),
            *(_three(case["ratio_to"].get(peer)) for peer in peers),
        )
    return table


def _startup(startup: dict[str, dict[str, float]]) -> RenderableType:
    table = number_table("start", *STAGES, "starts")
    for kind, times in startup.items():
        table.add_row(kind, *(f"{times[stage]:.2f}" for stage in STAGES), str(times["starts"]))
    return table


def _regions(regions: list[dict[str, Any]]) -> RenderableType:
    """Return a row per region, and the sums of each build."""
    timings = list(dict.fromkeys(each["timing"] for each in regions))
    times = (f"{timing}\n{kind}" for timing in timings for kind in ("cold", "warm"))
    table = number_table("region", "blocks", "instructions", *times)
    for build in dict.fromkeys(each["build"] for each in regions):
        mine = [each for each in regions if each["build"] == build]
        for address in dict.fromkeys(each["address"] for each in mine):
            same = [each for each in mine if each["address"] == address]
            _region_row(table, f"{build} {address:06X}", same[:1], same, timings)
        _region_row(table, f"{build} all", [each for each in mine if each["timing"] == timings[0]], mine, timings)
    return table


def _region_row(table: Table, name: str, sizes: list[dict[str, Any]], each: list[dict[str, Any]], timings: list[str]):
    counts = (str(sum(region[key] for region in sizes)) for key in ("blocks", "instructions"))
    times = (sum(r[kind] for r in each if r["timing"] == t) for t in timings for kind in ("cold", "warm"))
    table.add_row(name, *counts, *(f"{seconds:.2f}" for seconds in times))
