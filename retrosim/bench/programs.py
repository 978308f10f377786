"""`retrosim bench programs`: programs that nothing was tuned for, on every processor and engine, beside others.

The ROM `bench` has them, each a routine that returns a checksum. All emulators run the same images; `native-c` is the
same sources, compiled for this host with -O2. They take turns, lap by lap, in processor time. Every lap's checksum must
be the one in rom.toml; a contender that returns another one is reported as an error and gets no figure.
"""

from __future__ import annotations

import csv
import io
import math
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, Literal

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from retrosim.cache.sources import PACKAGE, source_digest
from retrosim.checks import check_choice
from retrosim.cpu.engines.regions.regions import BLANK
from retrosim.errors import RetrosimError
from retrosim.machine import Machine, open_machine
from retrosim.machine.presets import machines_for, preset
from retrosim.report.tables import number_table
from retrosim.rom import Rom, load_rom

from .contenders import ENGINES, PEERS, SIMULATED, Lap, Peer, Simulated, call_tool, find_compiler, missing_peer
from .engines import Steps, host
from .laps import Entry, fill_lap
from .peers import PACKAGES
from .workload import LOOP, PAGE, Job, job_of

# What the engines are to reach on the programs of `retrosim bench programs`, and whether they do.

MACHINE_CODE = "recompile-table"
PERCENT = 100.0


def geometric_mean(ratios: Sequence[float]) -> float:
    """Return the geometric mean of ratios above 0."""
    return math.exp(math.fsum(map(math.log, ratios)) / len(ratios))


@dataclass(frozen=True)
class Goal:
    """What an engine is to reach beside a peer.

    minimum of its speed over the peer's
    over    "mean": the geometric mean over the programs; "each": the slowest program
    text    of a ratio
    """

    engine: str
    peer: str
    minimum: float
    over: str
    text: Callable[[float], str]


def _percent(ratio: float) -> str:
    return f"{PERCENT * ratio:.0f} % of native C"


def _times(ratio: float) -> str:
    return f"{ratio:.1f} times Unicorn"


GOALS = (
    Goal(MACHINE_CODE, "native-c", 0.50, "mean", _percent),
    Goal(MACHINE_CODE, "unicorn", 25, "mean", _times),
    Goal(MACHINE_CODE, "native-c", 0.25, "each", _percent),
    Goal("interpret-table", "unicorn", 2, "mean", _times),
)


def goals_of(cases: Iterable[dict[str, Any]], means: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Compare with the goals what was measured.

    cases, means  as `benchmark_programs` returns them
    Returns       dict of verdict (a sentence), and goals: a dict each of engine, peer, over, minimum, text, met (None
                  where nothing was measured), found (the lowest), machine and program (None of a mean) where that was
    """
    cases, means = list(cases), list(means)
    goals = []
    for goal in GOALS:
        rows = means if goal.over == "mean" else cases
        mine = [row for row in rows if row["engine"] == goal.engine and goal.peer in row["ratio_to"]]
        found = [(row["ratio_to"][goal.peer], row) for row in mine]
        lowest, row = min(found, key=lambda pair: pair[0], default=(None, {}))
        goals.append(
            {"engine": goal.engine, "peer": goal.peer, "over": goal.over, "minimum": goal.minimum}
            | {"met": None if lowest is None else lowest >= goal.minimum, "found": lowest}
            | {"machine": row.get("machine"), "program": row.get("program"), "text": _sentence(goal, lowest, row)}
        )
    return {"verdict": _verdict(goals, sum(case["error"] is not None for case in cases)), "goals": goals}


def _sentence(goal: Goal, lowest: float | None, row: dict[str, Any]) -> str:
    what = f"{goal.engine}, {'geometric mean' if goal.over == 'mean' else 'slowest program'}"
    if lowest is None:
        return f"{what}: not measured beside {goal.peer}"
    where = f"{row['program']} on {row['machine']}" if goal.over == "each" else row["machine"]
    mark = "met" if lowest >= goal.minimum else "not met"
    return f"{what}: {goal.text(lowest)} ({where}); goal {goal.text(goal.minimum)}: {mark}"


def _verdict(goals: list[dict[str, Any]], errors: int) -> str:
    measured = [goal for goal in goals if goal["met"] is not None]
    met = sum(goal["met"] for goal in measured)
    said = f"{met} of {len(measured)} goals are met on every processor measured" if measured else "No goal was measured"
    cases = "1 case has" if errors == 1 else f"{errors} cases have"
    wrong = f"; {cases} an error" if errors else "; all checksums are right"
    return f"{said}{wrong}."


ROM = "bench"
CONTENDERS = tuple(engine for engine in ENGINES if engine != "kernel")
ON_REQUEST = ("evaluate",)  # one run of a program takes it seconds
NOT_NATIVE = ("selfmod",)  # what the host's C cannot do
SOURCES = "src/*.c"
COLUMNS = (
    *("machine", "program", "engine", "per_second", "best_per_second", "spread"),
    *("instructions_per_second", "times_machine", "error"),
)
_DRIVER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "bench.h"

static const struct { const char *name; unsigned (*routine)(void); } programs[] = {%s};

int main(int number, char **words)
{
    struct timespec start, end;
    unsigned sum = 0, i = 0;
    long count;

    if (number != 3)
        return 2;
    while (strcmp(programs[i].name, words[1]))
        i++;
    count = atol(words[2]);
    programs[i].routine();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    while (count--)
        sum = programs[i].routine();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    printf("%%.9f %%08x", difftime(end.tv_sec, start.tv_sec) + 1e-9 * (end.tv_nsec - start.tv_nsec), sum);
    return 0;
}
"""


class NativePrograms:
    """The programs' sources, compiled for this host; every lap is a process that times itself.

    job  what is repeated; another may be put in its place
    """

    def __init__(self, rom: Rom, job: Job, order: Literal["big", "little"], folder: Path) -> None:
        self.job, self._order, self._program = job, order, folder / "native"
        table = ", ".join(f'{{"{name}", {name}}}' for name in rom.constants if name not in NOT_NATIVE)
        (folder / "driver.c").write_text(_DRIVER % table)
        sources = [*map(str, sorted(rom.path.glob(SOURCES))), str(folder / "driver.c")]
        flags = ["-O2", "-std=gnu11", f"-I{rom.path / 'src'}"]
        call_tool([find_compiler() or "cc", *flags, *sources, "-o", str(self._program)])

    def run(self, count: int) -> Lap:
        seconds, checksum = call_tool([str(self._program), self.job.name, str(count)]).split()
        return Lap(float(seconds), int(checksum, 16).to_bytes(4, self._order), None)

    def close(self) -> None:
        self._program.unlink(missing_ok=True)


Emulator = Simulated | Peer | NativePrograms


@dataclass(frozen=True)
class Cost:
    """What a run of a program costs on a machine with its full timing."""

    instructions: int
    seconds: float


def benchmark_programs(
    *,
    programs: Sequence[str] | None = None,
    machines: Sequence[str] | None = None,
    engines: Sequence[str] | None = None,
    rounds: int = 5,
    seconds: float = 0.05,
    progress: Callable[[int, int, str], None] | None = None,
) -> dict[str, Any]:
    """Measure. The defaults take some ten minutes, the first time twice that for what has to be compiled.

    programs  some of the ROM's, None for all
    machines  presets' names, None for one of each processor
    engines   some of CONTENDERS, None for all but ON_REQUEST
    rounds    laps of each, 1 or more
    seconds   aimed at for a lap, above 0
    progress  called with steps done, their number, and what comes next
    Returns   dict for JSON with
        verdict  a sentence: which goals are met
        goals    see `goals.goals_of`
        means    dicts of machine, engine, and ratio_to (peer -> geometric mean over the programs)
        cases    one dict per machine, program and engine: machine, program, engine, per_second (runs by the median lap,
                 None with an error), best_per_second, ratio_to (peer -> our speed over its, by medians),
                 best_ratio_to, spread, laps, count (runs in a lap), error (None), and of machine code
                 instructions_per_second and times_machine (times the machine's own speed, by its full timing)
        skipped  dicts of machine, engine and reason
        host     what it ran on
        notes    texts: what else is to be known
        made     date, digest of sources, commit (None outside a checkout)
        method   rounds, seconds, compared (what has to be equal)
    Errors    ValueError, RomError
    """
    rom = load_rom(ROM)
    names = list(programs or rom.constants)
    for name in names:
        check_choice("program", name, rom.constants)
    asked = list(engines or [each for each in CONTENDERS if each not in ON_REQUEST])
    for engine in asked:
        check_choice("engine", engine, CONTENDERS)
    if rounds < 1 or not 0 < seconds <= 60:
        raise ValueError(f"rounds {rounds}, seconds {seconds}: allowed 1 or more, and above 0, to 60")
    chosen = list(machines or one_of_each({info.isa for info in rom.images}))
    missing = {m: {e: r for e in asked if (r := why_missing(e, rom, preset(m).isa))} for m in chosen}
    present = {machine: [engine for engine in asked if engine not in missing[machine]] for machine in chosen}
    steps = Steps(progress, sum(1 + len(each) + len(names) * rounds for each in present.values()))
    cases = [
        case for machine in chosen for case in _race(rom, machine, names, present[machine], rounds, seconds, steps)
    ]
    steps.end()
    means = means_of(cases)
    return goals_of(cases, means) | {
        "means": means,
        "cases": cases,
        "skipped": [{"machine": m, "engine": e, "reason": r} for m, each in missing.items() for e, r in each.items()],
        "host": host(),
        "made": {"date": date.today().isoformat(), "sources": source_digest(), "commit": commit()},
        "method": {"rounds": rounds, "seconds": seconds, "compared": "checksums"},
        "notes": [],
    }


def one_of_each(isas: Collection[str]) -> list[str]:
    """Return the first machine of each of some ISAs."""
    found: dict[str, str] = {}
    for name in machines_for(isas):
        found.setdefault(preset(name).isa, name)
    return list(found.values())


def why_missing(engine: str, rom: Rom, isa: str) -> str | None:
    """Return why an engine cannot run on this host, or not the code of an ISA; None if it can."""
    if engine != "native-c":
        return missing_peer(engine, isa)
    if not list(rom.path.glob(SOURCES)):
        return "the ROM's sources are not here (they are in the repository, not in the installed package)"
    return None if find_compiler() else "no C compiler is installed"


def commit() -> str | None:
    """Return the commit that a checkout stands at, with "+" if files differ from it; None outside a checkout."""
    try:
        done = subprocess.run(
            ["git", "-C", str(PACKAGE.parent), "describe", "--always", "--abbrev=12", "--exclude=*", "--dirty=+"],
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        return None
    return done.stdout.strip() or None


def open_programs(machine: str, rom: Rom, names: Iterable[str], **options: Any) -> tuple[Machine, dict[str, Job]]:
    """Return a machine with a loop around each program in its memory, and the loops by program.

    options  engine and timing, as for a Machine
    """
    opened = open_machine(machine, rom, **options)
    places = range(LOOP + PAGE, LOOP + (1 << 20), 2 * PAGE)
    return opened, {name: job_of(opened, name, at) for name, at in zip(names, places)}


def open_engine(machine: str, rom: Rom, names: Iterable[str], **options: str) -> Machine:
    """Return a machine as `open_programs` does, with nothing where the loops are left.

    A run that ends at an address leaves the region around it to the interpreter; blank memory is in no region.
    """
    opened, jobs = open_programs(machine, rom, names, **options)
    for job in jobs.values():
        opened.write(job.end, bytes(BLANK))
    return opened


def _race(
    rom: Rom, name: str, programs: list[str], engines: list[str], rounds: int, seconds: float, steps: Steps
) -> list[dict[str, Any]]:
    """Let contenders take turns at each program on one machine; return their cases."""
    steps.next(f"{name}: preparing")
    machine, jobs = open_programs(name, rom, programs)
    memory = machine.mem.tobytes()
    order: Literal["big", "little"] = "little" if machine.image.isa.startswith("i") else "big"
    costs = {each: _cost(machine, each) for each in programs}
    cases = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="retrosim-bench-")))
        contenders: dict[str, Emulator | RetrosimError] = {}
        for engine in engines:
            steps.next(f"{name}: {engine}, opening")
            try:
                contenders[engine] = opened = _open(engine, rom, machine, memory, jobs, folder)
                stack.callback(opened.close)
            except RetrosimError as error:
                contenders[engine] = error
        for program in programs:
            expected = rom.constants[program].to_bytes(4, order)
            entries = [Entry(engine) for engine in engines if engine != "native-c" or program not in NOT_NATIVE]
            timed = partial(_timed, contenders, jobs[program], expected)
            for number in range(rounds):
                steps.next(f"{name}: {program}, lap {number + 1} of {rounds}")
                run_laps(entries, timed, partial(_warm_up, contenders, jobs[program]), seconds)
            cases += cases_of(name, program, costs[program], entries)
    return cases


def _cost(machine: Machine, program: str) -> Cost:
    """Return what a run costs after another one."""
    found = machine.measure(program, warm=1)
    return Cost(found.instructions, found.cycles / machine.clock_hz)


def _open(engine: str, rom: Rom, machine: Machine, memory: bytes, jobs: dict[str, Job], folder: Path) -> Emulator:
    """Make a contender ready. Errors: RetrosimError."""
    own = Path(tempfile.mkdtemp(prefix=f"{engine}-", dir=folder))
    first = next(iter(jobs.values()))
    if engine in SIMULATED:
        kind, timing = SIMULATED[engine]
        return Simulated(kind, open_engine(machine.name, rom, jobs, engine=kind, timing=timing), first)
    if engine in PACKAGES:
        return Peer(engine, machine.image.isa, memory, first, own)
    return NativePrograms(rom, first, "little" if machine.image.isa.startswith("i") else "big", own)


def run_laps(
    entries: Iterable[Entry], timed: Callable[[str, int], float], warm_up: Callable[[str], None], seconds: float
) -> None:
    """Let each contender run a lap, and note its speed or its error.

    timed    engine, repetitions -> seconds; may raise a RetrosimError
    warm_up  is called with an engine before its first lap
    seconds  aimed at for a lap
    """
    for entry in entries:
        try:
            if entry.error is None and entry.engine in ON_REQUEST:  # once is enough
                entry.rates = entry.rates or [1 / timed(entry.engine, 1)]
            elif entry.error is None:
                if not entry.rates:
                    warm_up(entry.engine)
                    entry.count, _ = fill_lap(partial(timed, entry.engine), seconds)
                entry.rates.append(entry.count / timed(entry.engine, entry.count))
        except RetrosimError as error:
            entry.error = str(error)


def _timed(
    contenders: dict[str, Emulator | RetrosimError], job: Job, expected: bytes, engine: str, count: int
) -> float:
    contender = contenders[engine]
    if isinstance(contender, RetrosimError):
        raise contender
    contender.job = job
    lap = contender.run(count)
    if lap.result != expected:
        raise RetrosimError(f"wrong checksum {lap.result.hex()}, expected {expected.hex()}")
    return lap.seconds


def _warm_up(contenders: dict[str, Emulator | RetrosimError], job: Job, engine: str) -> None:
    """Have what is found at run time recompiled before the first lap."""
    contender = contenders[engine]
    if isinstance(contender, Simulated):
        contender.job = job
        contender.warm_up()


def cases_of(machine: str, program: str, cost: Cost, entries: list[Entry]) -> list[dict[str, Any]]:
    """Return what the contenders did, a dict each as `benchmark_programs` returns them."""
    good = {entry.engine: entry.rates for entry in entries if entry.error is None}
    cases = []
    for entry in entries:
        rates = good.get(entry.engine)
        peers = [peer for peer in PEERS if rates and peer in good and peer != entry.engine]
        rate = statistics.median(rates) if rates else None
        case = {
            "machine": machine,
            "program": program,
            "engine": entry.engine,
            "per_second": rate,
            "best_per_second": max(rates) if rates else None,
            "ratio_to": {peer: rate / statistics.median(good[peer]) for peer in peers} if rate else {},
            "best_ratio_to": {peer: max(rates) / max(good[peer]) for peer in peers} if rates else {},
            "spread": (max(rates) - min(rates)) / rate if rates and rate else None,
            "laps": len(entry.rates),
            "count": entry.count,
            "error": entry.error,
        }
        if rate and entry.engine != "native-c":
            case["instructions_per_second"] = rate * cost.instructions
            case["times_machine"] = rate * cost.seconds
        cases.append(case)
    return cases


def means_of(cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the geometric means of each machine and engine over the programs."""
    found = []
    for machine, engine in dict.fromkeys((case["machine"], case["engine"]) for case in cases):
        mine = [case for case in cases if (case["machine"], case["engine"]) == (machine, engine)]
        ratios = {peer: [c["ratio_to"][peer] for c in mine if peer in c["ratio_to"]] for peer in PEERS}
        means = {peer: geometric_mean(each) for peer, each in ratios.items() if each}
        found.append({"machine": machine, "engine": engine, "ratio_to": means})
    return found


def programs_csv(result: dict[str, Any]) -> str:
    """Return the cases as CSV, one column more per peer: ours over its speed."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*COLUMNS, *(f"ratio_to_{peer}" for peer in PEERS)])
    for case in result["cases"]:
        plain = [case.get(column) for column in COLUMNS]
        writer.writerow([*plain, *(case["ratio_to"].get(peer) for peer in PEERS)])
    return text.getvalue()


# What `retrosim bench programs` found as text: the verdict, the goals, a table of machines, then one per machine.

SHOWN = {"recompile-off": "off", "recompile-table": "table", "recompile-full": "full", "interpret-table": "interpret"}
_LEGEND = (
    "off, table, full: the recompiler without timing, with table clocks, with pipeline and caches;",
    "interpret: the interpreter with table clocks. Ratios of speeds, by median laps;",
    "machines: geometric means over the programs. full/table: what the pipeline model leaves of the speed",
)


def render_programs(result: dict[str, Any]) -> RenderableType:
    """Return everything that `benchmark_programs` found, for a rich console."""
    parts: list[RenderableType] = [Text(result["verdict"], style="bold")]
    parts += [Text(f"  {goal['text']}") for goal in result["goals"]]
    parts += [Text(), machines_table(result["means"], result["cases"])]
    for machine in dict.fromkeys(case["machine"] for case in result["cases"]):
        mine = [case for case in result["cases"] if case["machine"] == machine]
        parts += [Text(), Text(machine, style="bold"), programs_table(mine)]
        parts += [Text(f"{c['program']}, {c['engine']}: {c['error']}", style="bold red") for c in mine if c["error"]]
    skipped = dict.fromkeys((each["engine"], each["reason"]) for each in result["skipped"])
    parts += [Text(), *(Text(f"{engine}: left out, {reason}") for engine, reason in skipped)]
    parts += [Text(note) for note in result["notes"]]
    host, method = result["host"], result["method"]
    packages = ", ".join(f"{name} {number}" for name, number in host["packages"].items())
    parts += [
        Text(f"{host['processor']}, {host['cpus']} CPUs, {host['system']}, Python {host['python']}, {packages}"),
        Text(
            f"Medians of {method['rounds']} laps of about {method['seconds']:g} s of processor time; "
            f"{method['compared']} compared"
        ),
        *(Text(line) for line in _LEGEND),
    ]
    return Group(*parts)


def percent(ratio: float | None) -> str:
    """Return a ratio as a percentage, "-" for None."""
    return "-" if ratio is None else f"{100 * ratio:.0f} %" if ratio >= 0.1 else f"{100 * ratio:.1f} %"


def times(ratio: float | None) -> str:
    """Return a ratio as a factor, "-" for None."""
    return "-" if ratio is None else f"{ratio:.0f} x" if ratio >= 10 else f"{ratio:.2g} x"


def quotient(cases: Iterable[dict[str, Any]], program: str, engine: str, over: str) -> float | None:
    """Return the speed of one engine over that of another in a program, None where one was not measured."""
    rates = {c["engine"]: c["per_second"] for c in cases if c["program"] == program and c["per_second"]}
    return rates[engine] / rates[over] if engine in rates and over in rates else None


def machine_rows(means: list[dict[str, Any]], cases: list[dict[str, Any]]) -> Iterable[tuple[str, ...]]:
    """Return a row of text per machine, as `MACHINE_HEADINGS` has them."""
    for machine in dict.fromkeys(mean["machine"] for mean in means):
        by_engine = {mean["engine"]: mean["ratio_to"] for mean in means if mean["machine"] == machine}
        table, interpret = (by_engine.get(engine, {}) for engine in ("recompile-table", "interpret-table"))
        mine = [case for case in cases if case["machine"] == machine]
        native = [
            (c["ratio_to"]["native-c"], c["program"])
            for c in mine
            if c["engine"] == "recompile-table" and "native-c" in c["ratio_to"]
        ]
        slowest = min(native, default=None)
        full, off = by_engine.get("recompile-full", {}), by_engine.get("recompile-off", {})
        yield (
            machine,
            percent(off.get("native-c")),
            percent(table.get("native-c")),
            f"{percent(slowest[0])} {slowest[1]}" if slowest else "-",
            percent(full.get("native-c")),
            times(table.get("unicorn")),
            times(full.get("unicorn")),
            times(interpret.get("unicorn")),
        )


MACHINE_HEADINGS = (
    *("", "off\nto C", "table\nto C", "slowest\nto C", "full\nto C"),
    *("table to\nUnicorn", "full to\nUnicorn", "interpret\nto Unicorn"),
)


def machines_table(means: list[dict[str, Any]], cases: list[dict[str, Any]]) -> Table:
    table = number_table(*MACHINE_HEADINGS)
    for row in machine_rows(means, cases):
        table.add_row(*row)
    return table


PROGRAM_HEADINGS = (
    *("", "off\nto C", "table\nto C", "full/\ntable", "table to\nUnicorn", "interpret\nto Unicorn"),
    *("x real\nfull", "table\nMIPS"),
)


def program_rows(cases: list[dict[str, Any]]) -> Iterable[tuple[str, ...]]:
    """Return a row of text per program of one machine, as `PROGRAM_HEADINGS` has them."""
    for program in dict.fromkeys(case["program"] for case in cases):
        by_engine = {case["engine"]: case for case in cases if case["program"] == program}
        mips = by_engine.get("recompile-table", {}).get("instructions_per_second")
        yield (
            program,
            percent(quotient(cases, program, "recompile-off", "native-c")),
            percent(quotient(cases, program, "recompile-table", "native-c")),
            percent(quotient(cases, program, "recompile-full", "recompile-table")),
            times(quotient(cases, program, "recompile-table", "unicorn")),
            times(quotient(cases, program, "interpret-table", "unicorn")),
            times(by_engine.get("recompile-full", {}).get("times_machine")),
            f"{mips / 1e6:,.0f}" if mips else "-",
        )


def programs_table(cases: list[dict[str, Any]]) -> Table:
    table = number_table(*PROGRAM_HEADINGS)
    for row in program_rows(cases):
        table.add_row(*row)
    return table
