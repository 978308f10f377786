"""`retrosim bench programs`: programs that nothing was tuned for, on every processor and engine, beside others.

The ROM `bench` has them, each a routine that returns a checksum. All emulators run the same images; `native-c` is the
same sources, compiled for this host with -O2. Every lap's checksum must be the one in rom.toml.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from retrosim.checks import check_choice
from retrosim.cpu.engines.regions.regions import BLANK
from retrosim.errors import RetrosimError
from retrosim.machine import Machine, open_machine
from retrosim.machine.presets import machines_for, preset
from retrosim.report.json import SPREAD
from retrosim.report.tables import number_table
from retrosim.report.text import decimal, percent, short_percent, times
from retrosim.rom import Rom, load_rom

from .contenders import (
    ENGINES,
    HOST_PACKAGES,
    ON_REQUEST,
    PEERS,
    SIMULATED,
    OfMachineCode,
    Peer,
    Simulated,
    of_machine_code,
    opened,
    ready_for,
)
from .native import NOT_NATIVE, PROGRAM_SOURCES, NativePrograms, why_missing
from .peers import PACKAGES
from .race import (
    Entrant,
    HostFacts,
    MadeFrom,
    Progress,
    RaceProgress,
    Ready,
    Skipped,
    cases_csv,
    check_laps,
    host,
    made_from,
    race,
    ratios,
    skipped_lines,
)
from .workload import LOOP, PAGE, RepeatedWork, job_of

ROM = "bench"
CONTENDERS = tuple(engine for engine in ENGINES if engine != "kernel")
COLUMNS = (
    *("machine", "program", "engine", "per_second", "best_per_second", "spread"),
    *("instructions_per_second", "times_machine", "error"),
)
MACHINE_CODE = "recompile-table"


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


def _of_native(ratio: float) -> str:
    return f"{percent(ratio, 0)} of native C"


def _times_unicorn(ratio: float) -> str:
    return f"{decimal(ratio, 1)} times Unicorn"


GOALS = (
    Goal(MACHINE_CODE, "native-c", 0.50, "mean", _of_native),
    Goal(MACHINE_CODE, "unicorn", 25, "mean", _times_unicorn),
    Goal(MACHINE_CODE, "native-c", 0.25, "each", _of_native),
    Goal("interpret-table", "unicorn", 2, "mean", _times_unicorn),
)


@dataclass(frozen=True)
class ProgramCost:
    """What a run of a program costs on a machine with its full timing."""

    instructions: int
    seconds: float


@dataclass(frozen=True)
class ProgramCase:
    """What an engine reached in one program on one machine.

    per_second  runs, by the median lap; None with an error
    ratio_to    peer -> our speed over its, by medians; `best_ratio_to` by the best laps
    spread      fastest less slowest lap, over the median
    count       runs in a lap
    """

    machine: str
    program: str
    engine: str
    per_second: float | None
    best_per_second: float | None
    ratio_to: dict[str, float]
    best_ratio_to: dict[str, float]
    spread: float | None
    laps: int
    count: int
    error: str | None
    machine_code: OfMachineCode | None = field(metadata=SPREAD)


@dataclass(frozen=True)
class Mean:
    """Peer -> geometric mean of the ratios to it over the programs, of an engine on a machine."""

    machine: str
    engine: str
    ratio_to: dict[str, float]


@dataclass(frozen=True)
class Reached:
    """What was reached of a goal.

    met               None where nothing was measured
    found             the lowest ratio
    machine, program  where that was; no program of a mean
    """

    engine: str
    peer: str
    over: str
    minimum: float
    met: bool | None
    found: float | None
    machine: str | None
    program: str | None
    text: str


@dataclass(frozen=True)
class SkippedOn(Skipped):
    """Who was left out on a machine, and why."""

    machine: str


@dataclass(frozen=True)
class ProgramMethod:
    """How it was measured, and what has to be equal."""

    rounds: int
    seconds: float
    compared: str


@dataclass(frozen=True)
class ProgramResult:
    """What was measured of programs.

    verdict  a sentence: which goals are met, or how fast it is
    notes    what else is to be known
    """

    verdict: str
    goals: list[Reached]
    means: list[Mean]
    cases: list[ProgramCase]
    skipped: list[SkippedOn]
    host: HostFacts
    made: MadeFrom
    method: ProgramMethod
    notes: list[str]


def geometric_mean(ratios: Sequence[float]) -> float:
    """Return the geometric mean of ratios above 0."""
    return math.exp(math.fsum(map(math.log, ratios)) / len(ratios))


def goals_of(cases: Sequence[ProgramCase], means: Sequence[Mean]) -> tuple[str, list[Reached]]:
    """Compare with the goals what was measured.

    Returns   the verdict, and what was reached of each goal
    """
    goals = []
    for goal in GOALS:
        rows: Sequence[Mean | ProgramCase] = means if goal.over == "mean" else cases
        mine = [row for row in rows if row.engine == goal.engine and goal.peer in row.ratio_to]
        worst = min(mine, key=lambda row: row.ratio_to[goal.peer], default=None)
        goals.append(_reached(goal, worst))
    return _verdict(goals, sum(case.error is not None for case in cases)), goals


def _reached(goal: Goal, worst: Mean | ProgramCase | None) -> Reached:
    said = f"{goal.engine}, {'geometric mean' if goal.over == 'mean' else 'slowest program'}"
    wanted = goal.engine, goal.peer, goal.over, goal.minimum
    if worst is None:
        return Reached(*wanted, None, None, None, None, f"{said}: not measured beside {goal.peer}")
    lowest = worst.ratio_to[goal.peer]
    is_met, program = lowest >= goal.minimum, worst.program if isinstance(worst, ProgramCase) else None
    where = f"{program} on {worst.machine}" if program else worst.machine
    mark = "met" if is_met else "not met"
    text = f"{said}: {goal.text(lowest)} ({where}); goal {goal.text(goal.minimum)}: {mark}"
    return Reached(*wanted, is_met, lowest, worst.machine, program, text)


def _verdict(goals: Iterable[Reached], errors: int) -> str:
    measured = [goal.met for goal in goals if goal.met is not None]
    met = sum(measured)
    said = f"{met} of {len(measured)} goals are met on every processor measured" if measured else "No goal was measured"
    cases = "1 case has" if errors == 1 else f"{errors} cases have"
    wrong = f"; {cases} an error" if errors else "; all checksums are right"
    return f"{said}{wrong}."


def benchmark_programs(
    *,
    programs: Sequence[str] | None = None,
    machines: Sequence[str] | None = None,
    engines: Sequence[str] | None = None,
    rounds: int = 5,
    seconds: float = 0.05,
    progress: Progress | None = None,
) -> ProgramResult:
    """Measure. The defaults take some ten minutes, the first time twice that for what has to be compiled.

    programs  some of the ROM's, None for all
    machines  presets' names, None for one of each processor
    engines   some of CONTENDERS, None for all but ON_REQUEST
    rounds    laps of each, 1 or more
    seconds   aimed at for a lap, above 0
    Errors    ValueError, RomError
    """
    rom = load_rom(ROM)
    names = list(programs or rom.constants)
    for name in names:
        check_choice("program", name, rom.constants)
    asked = list(engines or [engine for engine in CONTENDERS if engine not in ON_REQUEST])
    for engine in asked:
        check_choice("engine", engine, CONTENDERS)
    check_laps(rounds, seconds)
    chosen = list(machines or one_of_each({info.isa for info in rom.images}))
    has_sources = any(rom.path.glob(PROGRAM_SOURCES))
    missing = {m: {e: r for e in asked if (r := why_missing(e, preset(m).isa, has_sources))} for m in chosen}
    present = {machine: [engine for engine in asked if engine not in missing[machine]] for machine in chosen}
    steps = RaceProgress(progress, sum(1 + len(here) + len(names) * (len(here) + rounds) for here in present.values()))
    cases = [
        case for machine in chosen for case in _races(rom, machine, names, present[machine], rounds, seconds, steps)
    ]
    steps.end()
    means = means_of(cases)
    verdict, goals = goals_of(cases, means)
    return ProgramResult(
        verdict=verdict,
        goals=goals,
        means=means,
        cases=cases,
        skipped=[SkippedOn(engine, why, machine) for machine, here in missing.items() for engine, why in here.items()],
        host=host(HOST_PACKAGES),
        made=made_from(),
        method=ProgramMethod(rounds, seconds, "checksums"),
        notes=[],
    )


def one_of_each(isas: Collection[str]) -> list[str]:
    """Return the first machine of each of some ISAs."""
    first: dict[str, str] = {}
    for name in machines_for(isas):
        first.setdefault(preset(name).isa, name)
    return list(first.values())


def open_programs(
    machine: str, rom: Rom, names: Iterable[str], **options: Any
) -> tuple[Machine, dict[str, RepeatedWork]]:
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


Emulator = Simulated | Peer | NativePrograms


def _races(
    rom: Rom, name: str, programs: list[str], engines: list[str], rounds: int, seconds: float, steps: RaceProgress
) -> list[ProgramCase]:
    """Let contenders take turns at each program on one machine."""
    steps.next(f"{name}: preparing")
    machine, jobs = open_programs(name, rom, programs)
    memory = machine.mem.tobytes()
    order: Literal["big", "little"] = "little" if machine.image.isa.startswith("i") else "big"
    costs = {program: _cost(machine, program) for program in programs}
    cases = []

    def open_one(engine: str, folder: Path) -> Emulator:
        return _open(engine, rom, machine, memory, jobs, folder)

    with opened(engines, open_one, lambda engine: steps.next(f"{name}: {engine}, opening")) as contenders:
        for program in programs:
            expected = rom.constants[program].to_bytes(4, order)
            entries = [
                Entrant(engine, partial(_ready, engine, contenders[engine], jobs[program], expected))
                for engine in engines
                if engine != "native-c" or program not in NOT_NATIVE
            ]
            race(entries, rounds, seconds, steps, f"{name}: {program}")
            cases += cases_of(name, program, costs[program], entries)
    return cases


def _cost(machine: Machine, program: str) -> ProgramCost:
    """Return what a run costs after another one."""
    measured = machine.measure(program, warm=1)
    return ProgramCost(measured.instructions, measured.cycles / machine.clock_hz)


def _open(
    engine: str, rom: Rom, machine: Machine, memory: bytes, jobs: dict[str, RepeatedWork], folder: Path
) -> Emulator:
    """Make a contender ready. Errors: RetrosimError."""
    first = next(iter(jobs.values()))
    if engine in SIMULATED:
        kind, timing = SIMULATED[engine]
        return Simulated(kind, open_engine(machine.name, rom, jobs, engine=kind, timing=timing), first)
    if engine in PACKAGES:
        return Peer(engine, machine.image.isa, memory, first, folder)
    return NativePrograms(rom, first, "little" if machine.image.isa.startswith("i") else "big", folder)


def _ready(engine: str, contender: Emulator | RetrosimError, job: RepeatedWork, expected: bytes) -> Ready:
    """Give a contender a program. Errors: RetrosimError, it could not be opened."""
    if isinstance(contender, RetrosimError):
        raise contender
    contender.job = job
    return ready_for(engine, contender, partial(_timed, contender, expected))


def _timed(contender: Emulator, expected: bytes, count: int) -> float:
    lap = contender.run(count)
    if lap.result != expected:
        raise RetrosimError(f"wrong checksum {lap.result.hex()}, expected {expected.hex()}")
    return lap.seconds


def cases_of(machine: str, program: str, cost: ProgramCost, entries: Iterable[Entrant]) -> list[ProgramCase]:
    """Return what the contenders reached."""
    entries = list(entries)
    rates = {entry.engine: entry.rate for entry in entries}
    best_rates = {entry.engine: entry.best_rate for entry in entries}
    return [
        ProgramCase(
            machine=machine,
            program=program,
            engine=entry.engine,
            per_second=entry.rate,
            best_per_second=entry.best_rate,
            ratio_to=ratios(entry.rate, rates, PEERS, entry.engine),
            best_ratio_to=ratios(entry.best_rate, best_rates, PEERS, entry.engine),
            spread=entry.spread,
            laps=len(entry.rates),
            count=entry.count,
            error=entry.error,
            machine_code=of_machine_code(entry.engine, entry.rate, cost.instructions, cost.seconds),
        )
        for entry in entries
    ]


def means_of(cases: Sequence[ProgramCase]) -> list[Mean]:
    """Return the geometric means of each machine and engine over the programs."""
    means = []
    for machine, engine in dict.fromkeys((case.machine, case.engine) for case in cases):
        mine = [case for case in cases if (case.machine, case.engine) == (machine, engine)]
        by_peer = {peer: [case.ratio_to[peer] for case in mine if peer in case.ratio_to] for peer in PEERS}
        ratio_to = {peer: geometric_mean(values) for peer, values in by_peer.items() if values}
        means.append(Mean(machine, engine, ratio_to))
    return means


def programs_csv(result: ProgramResult) -> str:
    """Return the cases as CSV, one column more per peer: ours over its speed."""
    return cases_csv(COLUMNS, result.cases, PEERS)


# As text: the verdict, the goals, a table of machines, then one per machine.

_LEGEND = (
    "off, table, full: the recompiler without timing, with table clocks, with pipeline and caches;",
    "interpret: the interpreter with table clocks. Ratios of speeds, by median laps;",
    "machines: geometric means over the programs. full/table: what the pipeline model leaves of the speed",
)
MACHINE_HEADINGS = (
    *("", "off\nto C", "table\nto C", "slowest\nto C", "full\nto C"),
    *("table to\nUnicorn", "full to\nUnicorn", "interpret\nto Unicorn"),
)
PROGRAM_HEADINGS = (
    *("", "off\nto C", "table\nto C", "full/\ntable", "table to\nUnicorn", "interpret\nto Unicorn"),
    *("x real\nfull", "table\nMIPS"),
)


def render_programs(result: ProgramResult) -> RenderableType:
    """Return everything that was measured, for a rich console."""
    parts: list[RenderableType] = [Text(result.verdict, style="bold")]
    parts += [Text(f"  {goal.text}") for goal in result.goals]
    parts += [Text(), _machines_table(result.means, result.cases)]
    for machine in dict.fromkeys(case.machine for case in result.cases):
        mine = [case for case in result.cases if case.machine == machine]
        parts += [Text(), Text(machine, style="bold"), _programs_table(mine)]
        parts += [Text(f"{case.program}, {case.engine}: {case.error}", style="bold red") for case in mine if case.error]
    parts += [Text(), *skipped_lines(result.skipped), *map(Text, result.notes)]
    method = result.method
    parts += [
        Text(str(result.host)),
        Text(
            f"Medians of {method.rounds} laps of about {method.seconds:g} s of processor time; "
            f"{method.compared} compared"
        ),
        *(Text(line) for line in _LEGEND),
    ]
    return Group(*parts)


def _machines_table(means: Sequence[Mean], cases: Sequence[ProgramCase]) -> Table:
    table = number_table(*MACHINE_HEADINGS)
    for machine in dict.fromkeys(mean.machine for mean in means):
        ratio = {mean.engine: mean.ratio_to for mean in means if mean.machine == machine}
        off, clocks, full, interpret = (
            ratio.get(engine, {}) for engine in ("recompile-off", MACHINE_CODE, "recompile-full", "interpret-table")
        )
        native = [
            (case.ratio_to["native-c"], case.program)
            for case in cases
            if case.machine == machine and case.engine == MACHINE_CODE and "native-c" in case.ratio_to
        ]
        slowest = min(native, default=None)
        table.add_row(
            machine,
            short_percent(off.get("native-c")),
            short_percent(clocks.get("native-c")),
            f"{short_percent(slowest[0])} {slowest[1]}" if slowest else "-",
            short_percent(full.get("native-c")),
            times(clocks.get("unicorn")),
            times(full.get("unicorn")),
            times(interpret.get("unicorn")),
        )
    return table


def _programs_table(cases: Sequence[ProgramCase]) -> Table:
    """Return a row for each program of one machine."""
    table = number_table(*PROGRAM_HEADINGS)
    for program in dict.fromkeys(case.program for case in cases):
        by_engine = {case.engine: case for case in cases if case.program == program}
        code = by_engine[MACHINE_CODE].machine_code if MACHINE_CODE in by_engine else None
        full = by_engine["recompile-full"].machine_code if "recompile-full" in by_engine else None
        table.add_row(
            program,
            short_percent(_quotient(by_engine, "recompile-off", "native-c")),
            short_percent(_quotient(by_engine, MACHINE_CODE, "native-c")),
            short_percent(_quotient(by_engine, "recompile-full", MACHINE_CODE)),
            times(_quotient(by_engine, MACHINE_CODE, "unicorn")),
            times(_quotient(by_engine, "interpret-table", "unicorn")),
            times(full.times_machine if full else None),
            f"{code.instructions_per_second / 1e6:,.0f}" if code else "-",
        )
    return table


def _quotient(cases: dict[str, ProgramCase], engine: str, over: str) -> float | None:
    """Return the speed of one engine over that of another, None where one was not measured."""
    rates = [cases[name].per_second if name in cases else None for name in (engine, over)]
    return rates[0] / rates[1] if rates[0] and rates[1] else None
