"""The rows of the tests of measured loops as one table, which `guide/accuracy.md` shows. To print it:

python -m tests.helpers.accuracy
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from retrosim.cpu.spec.readings import Reading
from retrosim.cpu.x86 import cpu
from retrosim.machine.interval import combined
from retrosim.machine.presets import PRESETS
from tests.cpu.m68k import test_measured as m68k
from tests.cpu.ppc import test_measured as ppc
from tests.cpu.x86 import test_measured as x86


@dataclass(frozen=True)
class Line:
    """A row: clocks from outside, how far ours may be from them to count as met, ours, and between which they are."""

    machine: str
    code: str
    outside: float
    spread: float
    ours: float
    low: float
    high: float
    source: str
    miss: str

    @property
    def is_met(self) -> bool:
        return abs(self.ours - self.outside) <= self.spread + 1e-9

    @property
    def is_inside(self) -> bool:
        return self.low - self.spread <= self.outside + 1e-9 and self.outside <= self.high + self.spread + 1e-9


Run = Callable[[Mapping[str, str]], float]


def lines(with_intervals: bool = True) -> list[Line]:
    """Return all rows that are counted by the default readings; without intervals nothing runs."""
    return [line for family in (_m68k, _x86, _ppc) for line in family(with_intervals)]


def _others(readings: Iterable[Reading], run: Run) -> dict[str, list[float]]:
    return {each.name: [run({each.name: option}) for option in each.options[1:]] for each in readings}


def _m68k(with_intervals: bool) -> Iterator[Line]:
    for name, row in m68k.ROWS.items():
        if row.readings:
            continue
        number, code = name.split(", ", 1) if name in m68k.CAPTURE else ("", name)
        stages = "BogoMips" if name in m68k.BOGOMIPS else "the manual's stages, by hand"
        run: Run = lambda given, row=row: m68k.a_pass(row, dict(given))  # noqa: E731
        found = combined(row.ours, _others(m68k.CPU.readings, run) if with_intervals else {})
        spread, source = m68k.TOLERANCE * row.outside, f"A3640 board, row {number}" if number else stages
        yield Line("mc68040-25", code, row.outside, spread, row.ours, found.low, found.high, source, row.missed)


def _x86(with_intervals: bool) -> Iterator[Line]:
    for row in x86.ROWS:
        if row.waits:
            continue
        run: Run = lambda given, row=row: x86.clocks_of(row, **given)  # noqa: E731
        machine = {"i386": "i386dx-33", "i486": "i486dx2-66"}[row.model[:4]]
        others = _others(cpu(row.model).readings, run) if with_intervals else {}
        if with_intervals and machine == "i386dx-33":
            others |= _boards(row)
        found = combined(row.ours, others)
        yield Line(machine, row.name, row.clocks, row.spread, row.ours, found.low, found.high, row.source, row.miss)


def _boards(row: Any) -> dict[str, list[float]]:
    """Return the clocks of a row on the 386's boards: its code does not come from a cache of its own."""
    usual, found = x86.NO_WAITS["i386"], {}
    for place, (name, each) in enumerate(PRESETS["i386dx-33"].memory.items()):
        ends = [[*usual[:place], clocks, *usual[place + 1 :]] for clocks in (each.low, each.high)]
        found[name] = [x86.clocks_of(replace(row, waits=tuple(waits))) for waits in ends if any(waits)]
    return found


def _ppc(with_intervals: bool) -> Iterator[Line]:
    for row in ppc.ROWS:
        run: Run = lambda given, row=row: ppc.clocks_of(row, **given)  # noqa: E731
        found = combined(row.ours, _others(ppc.CPU.readings, run) if with_intervals else {})
        yield Line("ppc601-80", row.name, row.clocks, row.spread, row.ours, found.low, found.high, row.source, row.miss)


def table(rows: Iterable[Line]) -> str:
    """Return the rows as a table of the guide, those that are missed with the reason."""
    text = ["| machine | code | outside | ours | between | | source |", "|---|---|---|---|---|---|---|"]
    for row in rows:
        outside = f"{row.outside:g}" + (f" +- {row.spread:.2g}" if row.spread else "")
        between = f"{row.low:.4g} .. {row.high:.4g}"
        said = f"{row.source}; {row.miss}" if row.miss else row.source
        verdict = "in" if row.is_met else "**out**"
        cells = (f"`{row.machine}`", f"`{row.code}`", outside, f"{row.ours:g}", between, verdict, said)
        text.append(f"| {' | '.join(cells)} |")
    return "\n".join(text) + "\n"


def summary(rows: Iterable[Line]) -> str:
    """Return one line a machine: how many rows are met, and how many lie inside the interval."""
    rows = list(rows)
    text = ["| machine | rows | within the tolerance | inside the interval |", "|---|---|---|---|"]
    for machine in (*dict.fromkeys(row.machine for row in rows), ""):
        mine = [row for row in rows if row.machine == machine or not machine]
        counts = (len(mine), sum(row.is_met for row in mine), sum(row.is_inside for row in mine))
        text.append(f"| {f'`{machine}`' if machine else 'all'} | {' | '.join(str(count) for count in counts)} |")
    return "\n".join(text) + "\n"


if __name__ == "__main__":
    found = lines()
    print(summary(found))
    print(table(found), end="")
