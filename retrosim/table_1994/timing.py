"""The table of 1994 beside ours: complete checks per second, clocks per check, and what they are made of.

Every cell is one experiment of the ROM's own harness (see `harness`). By default it is a sample of a
few scenes, with `full` the 30 seconds of 1994. Both count the same things; they differ by which random
scenes they meet. How much that may be is stated per row as `scatter`: one standard deviation of the cell, from the
scatter of pair tests between scenes (counted by kernels), the cost of a pair test, and the number of scenes.

Nothing here is fitted to the printed table; ratios are reported as they come.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from typing import Any

from retrosim.checks import check_choice
from retrosim.cpu.spec.sources import changed_readings, chosen_readings
from retrosim.jobs import HERE, Job, Workers, run_jobs
from retrosim.machine import PRESETS, Machine
from retrosim.machine.interval import Interval, intervals
from retrosim.machine.presets import changed_memory, memory_parameters, preset
from retrosim.report.json import SPREAD
from retrosim.rom import Rom, load_rom

from .analysis import Density, Split, analysis_table, parts, scene_tests, solve, solve_between
from .harness import TEST_SECONDS, Experiment, Harness, begin, experiment, open_harness
from .printed import OBJECTS, PRINTED, Reference, experiment_line, printed_cycles, printed_range, reference_of

# What one came for: the printed clocks of 1994 beside those of one build, and a sentence on how far they are apart.


@dataclass(frozen=True)
class AnswerRow:
    """A row of the reference build beside 1994.

    objects .. scatter         as of a `TableRow`
    printed_low, printed_high  clocks by the rounding of what was printed
    agrees                     do the two intervals meet? None where nothing was printed
    """

    objects: int
    printed_per_second: float | None
    printed_cycles: float | None
    cycles: float
    low: int | None
    high: int | None
    ratio: float | None
    scatter: float | None
    printed_low: float | None
    printed_high: float | None
    agrees: bool | None


@dataclass(frozen=True)
class Answer:
    """The reference build of a machine compared with the printed column; verdict: a sentence or two."""

    machine: str
    build: str
    reason: str
    rows: list[AnswerRow]
    verdict: str


def answer_of(machine: str, clock_hz: int, reference: Reference, rows: Sequence[TableRow]) -> Answer:
    """Compare the reference build, whose rows these are, with the printed column."""
    lines = [_compared(machine, clock_hz, row) for row in rows]
    return Answer(machine, reference.build, reference.reason, lines, _verdict(machine, reference, lines))


def _compared(machine: str, clock_hz: int, row: TableRow) -> AnswerRow:
    printed = printed_range(machine, row.objects, clock_hz)
    low, high = printed or (None, None)
    agrees = None
    if printed is not None:
        bottom, top = (row.cycles if end is None else end for end in (row.low, row.high))
        agrees = bottom <= printed[1] and printed[0] <= top
    ours = row.cycles, row.low, row.high, row.ratio, row.scatter
    return AnswerRow(row.objects, row.printed_per_second, row.printed_cycles, *ours, low, high, agrees)


def _verdict(machine: str, reference: Reference, rows: Sequence[AnswerRow]) -> str:
    ratios = [row.ratio for row in rows if row.ratio is not None]
    if not ratios:
        return f"1994 printed nothing for the {machine}: these are the clocks of build {reference.build}."
    span = f"{min(ratios):.2f}" if len(ratios) == 1 else f"{min(ratios):.2f} to {max(ratios):.2f}"
    said = f"Build {reference.build} takes {span} times the clocks of 1994"
    outside = [row.ratio for row in rows if row.agrees is False and row.ratio is not None]
    if not outside:
        return f"{said}, in all rows within what our model leaves open."
    fewer = sum(ratio < 1 for ratio in outside)
    counts = ((fewer, "fewer"), (len(outside) - fewer, "more"))
    parts = " and ".join(f"{way} in {count} of {len(ratios)} rows" for count, way in counts if count)
    return f"{said}: {parts}, beyond what our model leaves open. {reference.doubt}"


# The cells of one build on one machine, measured one after the other on a single machine: a job of plain data.

ROM = "sectors"


@dataclass(frozen=True)
class Cells:
    """What to measure.

    machine, build  names
    objects         experiments, each 0..200
    seed            of the scenes
    seconds         of a sample
    scenes          of a sample, in place of seconds; both None: the 30 seconds of 1994
    interval        also return between which the clocks plausibly are
    settings        engine, memory_clocks, readings: as for a Machine
    """

    machine: str
    build: str
    objects: Sequence[int]
    seed: int
    seconds: float | None
    scenes: int | None
    interval: bool = True
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Measured:
    """What an experiment gave; numbers as of a `TableRow`."""

    objects: int
    engine: str
    per_second: float
    cycles: float
    low: int | None
    high: int | None
    instructions: float
    checks: int
    scenes: int
    microseconds: int
    pair_tests: float


@dataclass(frozen=True)
class WholeRun:
    """The 30 seconds of 1994; line: what the program of 1994 would have printed."""

    line: str


@dataclass(frozen=True)
class TableRow:
    """A cell of the table.

    engine                               that ran at the end of the experiment
    printed_per_second, printed_cycles   None where 1994 printed nothing
    per_second, cycles, instructions     per check, ours
    low, high                            between which our clocks plausibly are; None without intervals
    ratio                                cycles / printed_cycles, or None
    checks, scenes, microseconds         the sample: counted checks, random scenes, simulated time
    pair_tests                           mean per check in these very scenes
    whole                                None of a sample
    scatter                              of cycles by the choice of scenes, relative; None without a split
    """

    machine: str
    build: str
    objects: int
    engine: str
    printed_per_second: float | None
    printed_cycles: float | None
    per_second: float
    cycles: float
    low: int | None
    high: int | None
    instructions: float
    cycles_per_instruction: float
    ratio: float | None
    checks: int
    scenes: int
    microseconds: int
    pair_tests: float
    whole: WholeRun | None = field(metadata=SPREAD)
    scatter: float | None = None


def measure_cells(given: dict[str, Any]) -> list[dict[str, Any]]:
    """Run the experiments of `Cells`, return `Measured` for each: a job, both as plain data."""
    cells = Cells(**given)
    program = open_harness(cells.machine, load_rom(ROM), cells.build, **cells.settings)
    bars = check_intervals(program, cells.objects, cells.seed) if cells.interval else [None] * len(cells.objects)
    measured = []
    for objects, bar in zip(cells.objects, bars, strict=True):
        done = experiment(program, objects, seed=cells.seed, seconds=cells.seconds, scenes=cells.scenes)
        measured.append(asdict(_measured(cells, objects, done, bar)))
    program.stop_compiling()
    return measured


def check_intervals(program: Harness, objects: Sequence[int], seed: int) -> list[Interval]:
    """Return the clocks of the second check of each experiment, the clock read before it included, with intervals."""

    def count(machine: Machine) -> list[int]:
        assert isinstance(machine, Harness)
        return [_second_check(machine, each, seed) for each in objects]

    return intervals(program, count)


def _second_check(program: Harness, objects: int, seed: int) -> int:
    begin(program, objects, seed)
    reached = []
    for _ in range(3):
        program.reach("DetermineCollisions")
        reached.append(program.cycles)
        program.run(instructions=1)
    return reached[2] - reached[1]


def _measured(cells: Cells, objects: int, done: Experiment, bar: Interval | None) -> Measured:
    cycles = done.cycles_per_check
    low, high = bar.around(cycles) if bar else (None, None)
    tests = scene_tests(objects, cells.seed, done.scenes) @ done.weights / done.checks
    return Measured(
        objects,
        done.engine,
        done.checks_per_second,
        cycles,
        low,
        high,
        done.instructions / done.checks,
        done.checks,
        done.scenes,
        done.microseconds,
        float(tests),
    )


def _row(cells: Cells, measured: Measured) -> TableRow:
    machine, objects, cycles = cells.machine, measured.objects, measured.cycles
    printed = printed_cycles(machine, objects, preset(machine).clock_hz)
    is_whole = cells.seconds is None and cells.scenes is None
    line = experiment_line(objects, measured.checks, measured.microseconds)
    return TableRow(
        **asdict(measured),
        machine=machine,
        build=cells.build,
        printed_per_second=PRINTED.get(machine, {}).get(objects),
        printed_cycles=printed,
        cycles_per_instruction=cycles / measured.instructions,
        ratio=None if printed is None else cycles / printed,
        whole=WholeRun(line) if is_whole else None,
    )


SEED = 1994
SAMPLE_SCENES = 12  # of 50 checks: the choice of scenes then moves no row by more than a percent or so
POPULATION = 1000  # scenes for the mean and the scatter of pair tests
AUTO = {True: "recompile", False: "interpret"}
"""Whole experiments? -> the engine for them: compiling all regions of a program pays in long runs only."""

NOTES = (
    "0 objects has one: the list of the original always begins with object 0, so that row places one object.",
    "Counted as in 1994: the clock reads before each check are in, random placement is out.",
    "ours/1994 compares clocks: below 1, our build on our model of the CPU needs fewer. No constant is fitted to it.",
    "Intervals: what the sources of our model leave open, each thing changed alone; see `retrosim guide accuracy`.",
    "Scatter: one standard deviation of our clocks by the choice of random scenes, 50 checks to each.",
    "The printed figures have three significant digits. Which compiler and options they stand for is not recorded.",
    "Clocks of memory are estimates from the parts (list machines --details); a 68040 copies back unless changed.",
)
SPLIT_NOTES = (
    "Parts of a check by least squares of relative errors, the same for both columns; clock reads fall to the visits.",
    "Intervals of parts, 1994: by the rounding of the printed rates alone (81 stands for 80.5 to 81.5), on four rows "
    "for three unknowns; ours: by the intervals of the rows.",
    "period-68000 and period-divide pay for their pair tests by an assumption: that the compiler called its "
    "library for long multiplication and division, that it divided by 16 with DIVW. No source says that it did.",
)


@dataclass(frozen=True)
class BuildSplit:
    """What a check of a build is made of; build: None for the printed column; low, high: see `solve_between`."""

    machine: str
    build: str | None
    costs: Split = field(metadata=SPREAD)
    low: dict[str, float] | None
    high: dict[str, float] | None


@dataclass(frozen=True)
class PairTests:
    """Mean and standard deviation of pair tests between scenes of so many objects."""

    objects: int
    mean: float
    deviation: float


@dataclass(frozen=True)
class ClockSettings:
    """Machine -> parameters of caches and bus, and reading -> option; and of both what differs from the preset's."""

    memory: dict[str, dict[str, int]]
    memory_changed: dict[str, dict[str, int]]
    readings: dict[str, dict[str, str]]
    readings_changed: dict[str, dict[str, str]]


@dataclass(frozen=True)
class TimingMethod:
    """How the cells were measured: full, or samples of so many seconds or scenes; the other of the two is None."""

    full: bool
    seconds: float | None
    scenes: int | None
    seed: int
    clocks: ClockSettings = field(metadata=SPREAD)


@dataclass(frozen=True)
class TimingTable:
    """The table: `retrosim timing --json`.

    answer    of each machine whose reference build was measured
    split     of each machine, of the printed column and of each build; only where there are three rows or more
    analysis  empty without details
    notes     sentences that belong under the table
    """

    answer: list[Answer]
    rows: list[TableRow]
    split: list[BuildSplit]
    tests: list[PairTests]
    analysis: list[Density]
    method: TimingMethod
    notes: list[str]


def timing_table(
    machines: Sequence[str] | None = None,
    full: bool = False,
    progress: Callable[[int, int, str], None] = lambda done, total, text: None,
    *,
    builds: Sequence[str] | None = None,
    details: bool = True,
    objects: Sequence[int] = OBJECTS,
    seconds: float | None = None,
    seed: int = SEED,
    memory: Mapping[str, int] | None = None,
    readings: Mapping[str, str] | None = None,
    engine: str = "auto",
    interval: bool = True,
    workers: Workers = HERE,
) -> TimingTable:
    """Measure every cell.

    machines  names of presets, None for all that 1994 measured and that have an image of the ROM
    full      run the 30 simulated seconds of 1994 in each cell, instead of a sample
    progress  called with the number of cells done, their total, and what is left
    builds    of the ROM, None for all
    details   measure all builds; else only the one of `reference`, unless `builds` are given
    objects   experiments, each 0..200
    seconds   length of a sample, above 0, to 10; it goes on to the end of a scene. None: SAMPLE_SCENES scenes
    seed      of the scenes
    memory    parameters of caches and bus that differ from the presets'
    readings  how open questions of the clocks are answered; each machine must have them
    engine    as for a Machine; auto: the one that is done first
    interval  run every alternative as well, see `machine.interval`
    workers   who runs them: this process, several, or a cluster
    Errors    ValueError, RomError
    """
    rom = load_rom(ROM)
    names = list(dict.fromkeys(machines)) if machines is not None else machines_of(rom)
    check_scenes(objects, seed)
    length = None if full else seconds
    scenes = SAMPLE_SCENES if not full and seconds is None else None
    used = method_of(names, memory, readings)
    settings: dict[str, Any] = {"engine": AUTO[full] if engine == "auto" else engine}
    settings |= {"memory_clocks": dict(memory or {}), "readings": dict(readings or {})}
    wanted = [(name, build) for name in names for build in _wanted(rom, name, builds, details)]
    blocks = [Cells(name, build, tuple(objects), seed, length, scenes, interval, settings) for name, build in wanted]
    measured = _measure(blocks, workers, progress)
    rows = [_row(block, Measured(**cell)) for block, cells in zip(blocks, measured, strict=True) for cell in cells]
    tests = {count: scene_tests(count, seed, POPULATION) for count in objects}
    split = [costs for name in names for costs in _splits(name, rows, {n: float(t.mean()) for n, t in tests.items()})]
    rows = [replace(row, scatter=_scatter(row, split, float(tests[row.objects].std()))) for row in rows]
    return TimingTable(
        [answer for name in names if (answer := _answer(name, rom, rows))],
        rows,
        split,
        [PairTests(count, float(each.mean()), float(each.std())) for count, each in tests.items()],
        analysis_table() if details else [],
        TimingMethod(full, TEST_SECONDS if full else length, scenes, seed, used),
        [
            *NOTES,
            *(SPLIT_NOTES if split else ()),
            *(note(name) for name in names for note in (service_note, printed_note) if note(name)),
        ],
    )


def _wanted(rom: Rom, machine: str, builds: Sequence[str] | None, details: bool) -> list[str]:
    """Return the builds to measure on a machine. Errors: ValueError."""
    if builds is None and not details:
        return [reference_of(machine, rom).build]
    return builds_of(rom, machine, builds)


def _answer(machine: str, rom: Rom, rows: Sequence[TableRow]) -> Answer | None:
    reference = reference_of(machine, rom)
    mine = [row for row in rows if (row.machine, row.build) == (machine, reference.build)]
    return answer_of(machine, preset(machine).clock_hz, reference, mine) if mine else None


def method_of(
    names: Sequence[str], memory: Mapping[str, int] | None, readings: Mapping[str, str] | None
) -> ClockSettings:
    """Return parameters of caches and bus, and readings, of each machine; and those that differ. Errors: ValueError."""
    used = {name: memory_parameters(preset(name), memory) for name in names}
    there = {name: preset(name).cpu().readings for name in names}
    chosen = {name: chosen_readings(there[name], readings, f" on {name}") for name in names}
    return ClockSettings(
        used,
        {name: changed_memory(preset(name), values) for name, values in used.items()},
        chosen,
        {name: changed_readings(there[name], chosen[name]) for name in names},
    )


def service_note(machine: str) -> str:
    return f"A clock read on the {machine} takes its trap and {preset(machine).service_clocks} clocks, an estimate."


def printed_note(machine: str) -> str:
    """Say that the table of 1994 has no column for a machine; "" if it has."""
    return "" if machine in PRINTED else f"The table of 1994 has no figures for the {machine}: its columns are empty."


def machines_of(rom: Rom) -> list[str]:
    isas = {info.isa for info in rom.images}
    return [name for name, each in PRESETS.items() if each.isa in isas and name in PRINTED]


def builds_of(rom: Rom, machine: str, wanted: Sequence[str] | None) -> list[str]:
    """Return the builds to measure on a machine. Errors: ValueError."""
    there = [info.build for info in rom.images if info.isa == preset(machine).isa]
    for build in wanted or ():
        check_choice("build", build, there, f" on {machine}")
    if not there:
        raise ValueError(f"machine {machine!r}: the ROM {rom.name} has no image for it")
    return there if wanted is None else list(dict.fromkeys(wanted))


def check_scenes(objects: Sequence[int], seed: int) -> None:
    for count in objects:
        if not 0 <= count <= 200:
            raise ValueError(f"objects {count}: allowed 0..200")
    if not objects or len(set(objects)) < len(objects):
        raise ValueError(f"objects {list(objects)}: allowed one or more numbers, each once")
    if not 0 <= seed < 1 << 32:
        raise ValueError(f"seed {seed}: allowed 0..{2**32 - 1}")


def _measure(
    blocks: list[Cells], workers: Workers, progress: Callable[[int, int, str], None]
) -> list[list[dict[str, Any]]]:
    """Measure the cells of each build, and say what is left."""
    left = {index: f"{block.machine} {block.build}" for index, block in enumerate(blocks)}
    cells = [len(block.objects) for block in blocks]

    def report() -> None:
        done = sum(count for index, count in enumerate(cells) if index not in left)
        progress(done, sum(cells), f"left: {', '.join(left.values())}" if left else "done")

    def ended(index: int) -> None:
        del left[index]
        report()

    report()
    return run_jobs(measure_cells, [Job(asdict(block)) for block in blocks], workers, ended)


def _splits(machine: str, rows: list[TableRow], tests: dict[int, float]) -> list[BuildSplit]:
    """Return the split of the printed column, then that of each build."""
    mine = [row for row in rows if row.machine == machine]
    clock_hz = preset(machine).clock_hz
    printed = [(n, mean, each) for n, mean in tests.items() if (each := printed_cycles(machine, n, clock_hz))]
    tables: dict[str | None, list[Any]] = {None: printed} if mine else {}
    # rounded rates are independent of each other; what a model leaves open moves all rows the same way
    bounds: dict[str | None, list[Any]] = {None: [printed_range(machine, n, clock_hz) for n, _, _ in printed]}
    for row in mine:
        tables.setdefault(row.build, []).append((row.objects, row.pair_tests, row.cycles))
        bounds.setdefault(row.build, []).append((row.low, row.cycles, row.high))
    split = []
    for build, cells in tables.items():
        amounts = [parts(objects, tests) for objects, tests, _ in cells]
        try:
            costs = solve(amounts, [clocks for _, _, clocks in cells])
        except ValueError:  # rows too few to tell the parts apart
            continue
        known = [cell for cell in bounds[build] if None not in cell]
        cases = zip(*known) if build else product(*known)
        low, high = solve_between(amounts, cases) if len(known) == len(cells) else (None, None)
        split.append(BuildSplit(machine, build, costs, low, high))
    return split


def _scatter(row: TableRow, split: list[BuildSplit], deviation: float) -> float | None:
    for build in split:
        if (build.machine, build.build) == (row.machine, row.build):
            return abs(build.costs.pair_test) * deviation / row.scenes**0.5 / row.cycles
    return None
