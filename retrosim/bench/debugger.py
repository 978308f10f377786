"""What the debugger costs: the speed of a machine with one, as part of its speed without, in one run.

A breakpoint or watchpoint is at code or memory that the game passes once a frame, with a condition that never holds.
Every contender is a machine of its own that plays the same game; they take turns, and medians of processor time count.
"""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Callable, Sequence
from datetime import date
from statistics import median
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from retrosim.cache.sources import source_digest
from retrosim.checks import check_choice
from retrosim.machine import Machine
from retrosim.machine.presets import preset
from retrosim.report.tables import number_table

from .engines import Steps, host
from .laps import fill_lap
from .programs import commit

ROM, PLACE, VARIABLE, BYTES = "shooter", "MoveAll", "gFrame", 4
NEVER = "frame < 0"
MACHINES = ("mc68000-8", "mc68040-25", "i386dx-33", "i486dx2-66", "ppc601-80")
ENGINES = ("recompile", "interpret")
WITHOUT = "no debugger"
WARM_FRAMES = 60
COLUMNS = ("machine", "engine", "name", "per_second", "ratio", "worst_ratio", "laps")
GOAL = 0.5  # of the speed without a debugger, with a point


def _nothing(machine: Machine) -> None:
    assert machine.debugger


def _breakpoint(machine: Machine) -> None:
    machine.debugger.breakpoint(PLACE, NEVER)


def _watchpoint(machine: Machine) -> None:
    machine.debugger.watchpoint(VARIABLE, BYTES, "write", NEVER)


CONTENDERS: dict[str, Callable[[Machine], None] | None] = {
    WITHOUT: None,
    "debugger, no points": _nothing,
    "one breakpoint, condition false": _breakpoint,
    "one watchpoint, condition false": _watchpoint,
}


def benchmark_debugger(
    *,
    machines: Sequence[str] | None = None,
    engines: Sequence[str] | None = None,
    rounds: int = 9,
    seconds: float = 0.3,
    progress: Callable[[int, int, str], None] | None = None,
) -> dict[str, Any]:
    """Measure. The defaults take some three minutes.

    machines  presets' names, None for all processors
    engines   some of ENGINES, None for all
    rounds    laps of each, 1 or more
    seconds   aimed at for a lap
    Returns   dict for JSON with
        verdict  a sentence: is at least half of the speed left with a point?
        cases    one dict per machine, engine and contender: machine, engine, name, per_second (frames by the median
                 lap), ratio (to the machine without a debugger, by medians of the laps' ratios), worst_ratio, laps
        host, made, method
    Errors    ValueError
    """
    chosen, asked = list(machines or MACHINES), list(engines or ENGINES)
    for name in chosen:
        preset(name)
    for engine in asked:
        check_choice("engine", engine, ENGINES)
    steps = Steps(progress, len(chosen) * len(asked) * (1 + rounds))
    cases = [case for name in chosen for engine in asked for case in _race(name, engine, rounds, seconds, steps)]
    steps.end()
    with_point = [case["ratio"] for case in cases if case["name"].startswith("one ")]
    kept = "at least half" if min(with_point) >= GOAL else "less than half"
    return {
        "verdict": f"with a point {kept} of the speed is left: {min(with_point):.2f} to {max(with_point):.2f} of it",
        "cases": cases,
        "host": host(),
        "made": {"date": date.today().isoformat(), "sources": source_digest(), "commit": commit()},
        "method": {"rounds": rounds, "seconds": seconds},
    }


def _race(name: str, engine: str, rounds: int, seconds: float, steps: Steps) -> list[dict[str, Any]]:
    steps.next(f"{name}, {engine}: opening")
    machines = {contender: _opened(name, engine, prepare) for contender, prepare in CONTENDERS.items()}
    count, _ = fill_lap(lambda frames: _lap(machines[WITHOUT], frames), seconds)
    laps: dict[str, list[float]] = {contender: [] for contender in machines}
    for number in range(rounds):
        steps.next(f"{name}, {engine}: lap {number + 1} of {rounds}")
        for contender, machine in machines.items():
            laps[contender].append(count / _lap(machine, count))
    cases = []
    for contender, rates in laps.items():
        ratios = [rate / without for rate, without in zip(rates, laps[WITHOUT])]
        cases.append(
            {
                "machine": name,
                "engine": engine,
                "name": contender,
                "per_second": median(rates),
                "ratio": median(ratios),
                "worst_ratio": min(ratios),
                "laps": rounds,
            }
        )
    return cases


def _opened(name: str, engine: str, prepare: Callable[[Machine], None] | None) -> Machine:
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


def render_debugger(result: dict[str, Any]) -> RenderableType:
    """Return what was found, for a rich console."""
    names = list(CONTENDERS)
    table = number_table("machine", "engine", "frames/s", "debugger", "breakpoint", "watchpoint")
    cases = {(case["machine"], case["engine"], case["name"]): case for case in result["cases"]}
    for machine, engine in dict.fromkeys((case["machine"], case["engine"]) for case in result["cases"]):
        mine = [cases[machine, engine, name] for name in names]
        ratios = [f"{case['ratio']:.2f}" for case in mine[1:]]
        table.add_row(machine, engine, f"{mine[0]['per_second']:,.0f}", *ratios)
    method = result["method"]
    legend = (
        "frames/s: without a debugger; then ratios to that: a debugger without points, with a breakpoint, with a",
        "watchpoint that the game passes once a frame, both with a condition that never holds. Medians of",
        f"{method['rounds']} laps of about {method['seconds']:g} s of processor time.",
    )
    return Group(Text(result["verdict"], style="bold"), Text(), table, Text(), *map(Text, legend))


def debugger_csv(result: dict[str, Any]) -> str:
    """Return the cases as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([case[column] for column in COLUMNS] for case in result["cases"])
    return text.getvalue()
