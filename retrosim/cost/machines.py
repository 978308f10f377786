"""What a call costs on several machines: a table."""

from __future__ import annotations

from dataclasses import dataclass, field

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from retrosim.report.json import SPREAD
from retrosim.report.tables import number_table
from retrosim.report.text import between, times, warmth

from .report import Origin
from .text import named_values, parameters_of, repeated


@dataclass(frozen=True)
class MachineCost:
    """A call on one machine; low, high: between which the clocks plausibly are, None without an interval."""

    machine: str
    model: str
    clock_hz: int
    build: str
    timing: str
    cycles: int
    low: int | None
    high: int | None
    instructions: int
    microseconds: float
    unset_registers: list[str]


@dataclass(frozen=True)
class Refused:
    """A machine that cannot run the call, and why."""

    machine: str
    reason: str


@dataclass(frozen=True)
class MachinesReport:
    """What a call costs on every machine that can run it: `retrosim cost --machine all --json`.

    entry     what was called; arguments, registers: with what
    warm      calls before the one that counts
    machines  the least time first
    refused   those that cannot run it
    """

    origin: Origin = field(metadata=SPREAD)
    entry: str
    arguments: list[str]
    registers: dict[str, str]
    warm: int
    machines: list[MachineCost]
    refused: list[Refused]


def render_machines(report: MachinesReport) -> RenderableType:
    """Return the table, and a line for each reason why machines are not in it."""
    rows = report.machines
    words = [*report.arguments, *(f"{name}={word}" for name, word in report.registers.items())]
    head = f"{report.entry}({', '.join(words)}) on every machine that can run it"
    has_builds, has_interval = any(row.build for row in rows), any(row.low is not None for row in rows)
    headings = ["machine", *(["build"] if has_builds else []), "clocks", *(["between"] if has_interval else [])]
    table = number_table(*headings, "instructions", "us", "time")
    for row in rows:
        build = [row.build or "-"] if has_builds else []
        interval = [between(row.low, row.high)] if has_interval else []
        figures = (f"{row.instructions:,}", f"{row.microseconds:,.2f}", times(row.microseconds / rows[0].microseconds))
        table.add_row(row.machine, *build, f"{row.cycles:,}", *interval, *figures)
    timings = sorted({row.timing for row in rows})
    caches = warmth(report.warm).replace("warm:", "warm,") if report.warm else warmth(0)
    parts: list[RenderableType] = [Text(head, style="bold"), Padding(table, (0, 0, 1, 0))]
    if report.refused:
        reasons = {refused.machine: refused.reason for refused in report.refused}
        parts += [named_values("Cannot run it", reasons), Text()]
    again = {"Program": report.origin.program, "Parameters": parameters_of(report.origin)}
    again |= {"Timing": ", ".join(timings), "Caches": caches}
    again |= {"Command": report.origin.command, "Version": f"retrosim {report.origin.version}"}
    return Group(*parts, repeated(again))
