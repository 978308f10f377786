"""What the debugger costs: the speed of a machine with one, as part of its speed without, in one run.

A breakpoint or watchpoint is at code or memory that the game passes once a frame, with a condition that never holds.
Every contender is a machine of its own that plays the same game; they take turns, and medians of processor time count.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median

from rich.console import Group, RenderableType
from rich.text import Text

from retrosim.checks import check_choice
from retrosim.machine import Machine
from retrosim.machine.presets import preset
from retrosim.report.tables import number_table

from .contenders import HOST_PACKAGES
from .race import (
    Entrant,
    HostFacts,
    MadeFrom,
    Progress,
    RaceProgress,
    Ready,
    cases_csv,
    check_laps,
    host,
    made_from,
    race,
)

ROM, PLACE, VARIABLE, BYTES = "shooter", "MoveAll", "gFrame", 4
NEVER = "frame < 0"
MACHINES = ("mc68000-8", "mc68040-25", "i386dx-33", "i486dx2-66", "ppc601-80")
ENGINES = ("recompile", "interpret")
WITHOUT = "no debugger"
WARM_FRAMES = 60
COLUMNS = ("machine", "engine", "name", "per_second", "ratio", "worst_ratio", "laps")
GOAL = 0.5  # of the speed without a debugger, with a point


CONTENDERS: dict[str, Callable[[Machine], object] | None] = {
    WITHOUT: None,
    "debugger, no points": lambda machine: machine.debugger,
    "one breakpoint, condition false": lambda machine: machine.debugger.breakpoint(PLACE, NEVER),
    "one watchpoint, condition false": lambda machine: machine.debugger.watchpoint(VARIABLE, BYTES, "write", NEVER),
}


@dataclass(frozen=True)
class DebuggerCase:
    """What a machine reached.

    per_second   frames, by the median lap
    ratio        to the machine without a debugger, by the median of the laps' ratios
    worst_ratio  the lowest of them
    """

    machine: str
    engine: str
    name: str
    per_second: float
    ratio: float
    worst_ratio: float
    laps: int


@dataclass(frozen=True)
class DebuggerMethod:
    """How it was measured; see `benchmark_debugger`."""

    rounds: int
    seconds: float


@dataclass(frozen=True)
class DebuggerResult:
    """What `benchmark_debugger` measured; `verdict` says whether at least half of the speed is left with a point."""

    verdict: str
    cases: list[DebuggerCase]
    host: HostFacts
    made: MadeFrom
    method: DebuggerMethod


def benchmark_debugger(
    *,
    machines: Sequence[str] | None = None,
    engines: Sequence[str] | None = None,
    rounds: int = 9,
    seconds: float = 0.3,
    progress: Progress | None = None,
) -> DebuggerResult:
    """Measure. The defaults take some three minutes.

    machines  presets' names, None for all processors
    engines   some of ENGINES, None for all
    rounds    laps of each, 1 or more
    seconds   aimed at for a lap
    Errors    ValueError
    """
    chosen, asked = list(machines or MACHINES), list(engines or ENGINES)
    for name in chosen:
        preset(name)
    for engine in asked:
        check_choice("engine", engine, ENGINES)
    check_laps(rounds, seconds)
    steps = RaceProgress(progress, len(chosen) * len(asked) * (len(CONTENDERS) + rounds))
    cases = [case for name in chosen for engine in asked for case in _race(name, engine, rounds, seconds, steps)]
    steps.end()
    with_point = [case.ratio for case in cases if case.name.startswith("one ")]
    kept = "at least half" if min(with_point) >= GOAL else "less than half"
    return DebuggerResult(
        verdict=f"with a point {kept} of the speed is left: {min(with_point):.2f} to {max(with_point):.2f} of it",
        cases=cases,
        host=host(HOST_PACKAGES),
        made=made_from(),
        method=DebuggerMethod(rounds, seconds),
    )


def _race(name: str, engine: str, rounds: int, seconds: float, steps: RaceProgress) -> list[DebuggerCase]:
    """Let machines with and without a debugger take turns; all play the same frames. Errors: RetrosimError."""

    def make_ready(prepare: Callable[[Machine], object] | None) -> Ready:
        return Ready(partial(_lap, _opened(name, engine, prepare)))

    entries = [Entrant(contender, partial(make_ready, prepare)) for contender, prepare in CONTENDERS.items()]
    race(entries, rounds, seconds, steps, f"{name}, {engine}", errors=(), are_alike=True)
    cases = []
    for entry in entries:
        ratios = [rate / without for rate, without in zip(entry.rates, entries[0].rates)]
        rate = median(entry.rates)
        cases.append(DebuggerCase(name, engine, entry.engine, rate, median(ratios), min(ratios), rounds))
    return cases


def _opened(name: str, engine: str, prepare: Callable[[Machine], object] | None) -> Machine:
    machine = Machine(name, ROM, engine=engine)
    if prepare is not None:
        prepare(machine)
    _lap(machine, WARM_FRAMES)
    while machine.is_compiling:
        _lap(machine, WARM_FRAMES)
    return machine


def _lap(machine: Machine, frames: int) -> float:
    """Run frames, under the debugger if there is one; return seconds of processor time."""
    is_debugged = "debugger" in vars(machine)
    begun = time.process_time()
    if is_debugged:
        machine.debugger.run(frames=frames)
    else:
        machine.run(frames=frames)
    return time.process_time() - begun


def render_debugger(result: DebuggerResult) -> RenderableType:
    """Return everything that was measured, for a rich console."""
    table = number_table("machine", "engine", "frames/s", "debugger", "breakpoint", "watchpoint")
    by_place = {(case.machine, case.engine, case.name): case for case in result.cases}
    for machine, engine in dict.fromkeys((case.machine, case.engine) for case in result.cases):
        without, *others = (by_place[machine, engine, name] for name in CONTENDERS)
        table.add_row(machine, engine, f"{without.per_second:,.0f}", *(f"{case.ratio:.2f}" for case in others))
    method = result.method
    legend = (
        "frames/s: without a debugger; then ratios to that: a debugger without points, with a breakpoint, with a",
        "watchpoint that the game passes once a frame, both with a condition that never holds. Medians of",
        f"{method.rounds} laps of about {method.seconds:g} s of processor time.",
    )
    return Group(Text(result.verdict, style="bold"), Text(), table, Text(), *map(Text, legend))


def debugger_csv(result: DebuggerResult) -> str:
    """Return the cases as CSV."""
    return cases_csv(COLUMNS, result.cases)
