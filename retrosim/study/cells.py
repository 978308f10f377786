"""The cells of one build on one machine, measured one after the other on a single machine: a job of plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from retrosim.machine import Machine
from retrosim.machine.interval import Interval, intervals
from retrosim.rom import load_rom

from .harness import Experiment, Harness, begin, experiment, open_harness
from .printed import PRINTED, experiment_line, printed_cycles
from .split import scene_tests

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


def measure_cells(given: dict[str, Any]) -> list[dict[str, Any]]:
    """Run the experiments; return a row for each, without what the other builds are needed for.

    given  the fields of `Cells`: a job of plain data
    """
    cells = Cells(**given)
    program = open_harness(cells.machine, load_rom(ROM), cells.build, **cells.settings)
    bars = check_intervals(program, cells.objects, cells.seed) if cells.interval else [None] * len(cells.objects)
    rows = []
    for objects, bar in zip(cells.objects, bars, strict=True):
        done = experiment(program, objects, seed=cells.seed, seconds=cells.seconds, scenes=cells.scenes)
        rows.append(_row(cells, objects, done, bar))
    program.stop_compiling()
    return rows


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


def _row(cells: Cells, objects: int, done: Experiment, bar: Interval | None) -> dict[str, Any]:
    machine = cells.machine
    printed = printed_cycles(machine, objects, done.clock_hz)
    instructions, cycles = done.instructions / done.checks, done.cycles_per_check
    tests = scene_tests(objects, cells.seed, done.scenes) @ done.weights / done.checks
    low, high = bar.around(cycles) if bar else (None, None)
    row = {
        "machine": machine,
        "build": cells.build,
        "objects": objects,
        "engine": done.engine,
        "printed_per_second": PRINTED.get(machine, {}).get(objects),
        "printed_cycles": printed,
        "per_second": done.checks_per_second,
        "cycles": cycles,
        "low": low,
        "high": high,
        "instructions": instructions,
        "cycles_per_instruction": cycles / instructions,
        "ratio": None if printed is None else cycles / printed,
        "checks": done.checks,
        "scenes": done.scenes,
        "microseconds": done.microseconds,
        "pair_tests": float(tests),
    }
    is_full = cells.seconds is None and cells.scenes is None
    return row | ({"line": experiment_line(objects, done.checks, done.microseconds)} if is_full else {})
