"""What the clocks of a check of 1994 go to, by cause (see `retrosim.cost.counting`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from retrosim.cost.counting import CauseCounter, causes_of, check_causes, has_causes, named
from retrosim.machine.choices import CAUSES
from retrosim.machine.presets import preset
from retrosim.report.json import SPREAD
from retrosim.rom import Rom, load_rom

from .harness import LONGEST_SAMPLE, begin, open_harness
from .printed import OBJECTS, printed_cycles
from .timing import ROM, SEED, ClockSettings, builds_of, check_scenes, machines_of, method_of, service_note

SAMPLE_SECONDS = 1.0

NOTES = (
    "The causes add up to the clocks, to the last one: the timing model counts them while it runs.",
    "Clocks that older instructions hide cost nothing and are counted nowhere; a wait counts for what ended it.",
    "The clocks are those from the first check of a scene to the next random placement: 50 checks, 51 clock reads.",
)


@dataclass(frozen=True)
class Attribution:
    """Complete checks of an experiment, the clocks they took, those by cause, and the engine that ran at the end."""

    checks: int
    scenes: int
    cycles: int
    causes: dict[str, int]
    engine: str


def attribute_experiment(
    machine: str,
    rom: Rom,
    build: str,
    objects: int,
    *,
    seed: int = SEED,
    seconds: float = SAMPLE_SECONDS,
    memory: Mapping[str, int] | None = None,
    readings: Mapping[str, str] | None = None,
    engine: str = "auto",
) -> Attribution:
    """Run scenes of one experiment, as `harness.experiment` does, until their checks have taken so long.

    machine   a preset's name
    rom       with the harness of 1994 as its mode "harness"
    build     of the ROM
    objects   0..200
    seed      of the scenes, 0..2**32-1
    seconds   simulated, above 0, to 10
    memory    parameters of caches and bus that differ from the preset's
    readings  how open questions of the clocks are answered
    engine    as for a Machine
    Errors    ValueError, RomError, RetrosimError
    """
    if not 0 < seconds <= LONGEST_SAMPLE:
        raise ValueError(f"seconds {seconds}: allowed above 0, to {LONGEST_SAMPLE}")
    settings = {"engine": engine, "memory_clocks": memory, "readings": readings}
    program = open_harness(machine, rom, build, timing=CAUSES, **settings)
    begin(program, objects, seed)
    counter, cycles, scenes = CauseCounter(program), 0, 0
    counts = np.zeros(len(causes_of(machine)), np.int64)
    while cycles < seconds * program.clock_hz:
        program.reach("DetermineCollisions")
        counter.take()
        before = program.cycles
        program.reach("RandomizeObjects")
        counts += counter.take()
        cycles += program.cycles - before
        scenes += 1
    return Attribution(program.word("gIterations"), scenes, cycles, named(machine, counts), program.engine)


@dataclass(frozen=True)
class CauseRow:
    """A cell of the table.

    engine                  that ran at the end of the experiment
    checks, scenes, cycles  of the sample
    causes                  name -> clocks of the sample; their sum is `cycles`
    printed_cycles, ratio   as of `timing.Row`
    """

    machine: str
    build: str
    objects: int
    engine: str
    checks: int
    scenes: int
    cycles: int
    causes: dict[str, int]
    cycles_per_check: float
    printed_cycles: float | None
    ratio: float | None


@dataclass(frozen=True)
class CausesMethod:
    """How the cells were measured."""

    seconds: float
    seed: int
    clocks: ClockSettings = field(metadata=SPREAD)


@dataclass(frozen=True)
class CausesTable:
    """The table by causes: `retrosim timing --causes --json`.

    causes  machine -> {name -> what is counted under it}
    notes   sentences that belong under the table
    """

    rows: list[CauseRow]
    causes: dict[str, dict[str, str]]
    method: CausesMethod
    notes: list[str]


def causes_table(
    machines: Sequence[str] | None = None,
    progress: Callable[[int, int, str], None] = lambda done, total, text: None,
    *,
    builds: Sequence[str] | None = None,
    objects: Sequence[int] = OBJECTS,
    seconds: float = SAMPLE_SECONDS,
    seed: int = SEED,
    memory: Mapping[str, int] | None = None,
    readings: Mapping[str, str] | None = None,
    engine: str = "auto",
) -> CausesTable:
    """Resolve every cell of the table of 1994 into causes.

    The arguments are those of `timing.timing_table`.
    Errors    ValueError, RomError
    """
    rom = load_rom(ROM)
    counted = [name for name in machines_of(rom) if has_causes(name)]
    names = list(dict.fromkeys(machines)) if machines is not None else counted
    for name in names:
        check_causes(name)
    check_scenes(objects, seed)
    cells = [(name, build, count) for name in names for build in builds_of(rom, name, builds) for count in objects]
    rows = []
    for number, (name, build, count) in enumerate(cells):
        progress(number, len(cells), f"{name} {build}, {count} objects")
        done = attribute_experiment(
            name, rom, build, count, seed=seed, seconds=seconds, memory=memory, readings=readings, engine=engine
        )
        each = done.cycles / done.checks
        printed = printed_cycles(name, count, preset(name).clock_hz)
        counts = done.checks, done.scenes, done.cycles, done.causes
        ratio = None if printed is None else each / printed
        rows.append(CauseRow(name, build, count, done.engine, *counts, each, printed, ratio))
    progress(len(cells), len(cells), "done")
    return CausesTable(
        rows,
        {name: causes_of(name) for name in names},
        CausesMethod(seconds, seed, method_of(names, memory, readings)),
        [*NOTES, *(service_note(name) for name in names)],
    )
