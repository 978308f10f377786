"""The rows of the tests of measured loops as tables, which `guide/accuracy.md` shows. To print them:

python -m tests.helpers.accuracy
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median

from retrosim.cpu.spec.sources import Reading
from retrosim.cpu.x86 import cpu
from retrosim.machine.interval import combined
from tests.cpu.m68k import test_measured as m68k
from tests.cpu.ppc import test_measured as ppc
from tests.cpu.x86 import test_measured as x86
from tests.helpers.cpu.x86_measured import clocks_of
from tests.helpers.measured import Count, Range, alternatives

BY_HAND = "the manual's stages, by hand"


@dataclass(frozen=True)
class Line:
    """A row: clocks from outside, how far ours may be from them to count as met, ours, and between which they are.

    decided   what of the model the row decided; "" if it is held out
    """

    machine: str
    code: str
    outside: float
    spread: float
    ours: float
    low: float
    high: float
    source: str
    miss: str
    decided: str

    @property
    def is_met(self) -> bool:
        return abs(self.ours - self.outside) <= self.spread + 1e-9

    @property
    def is_inside(self) -> bool:
        return self.low - self.spread <= self.outside + 1e-9 and self.outside <= self.high + self.spread + 1e-9

    @property
    def width(self) -> float:
        """Of the interval, relative."""
        return (self.high - self.low) / self.ours


def lines(with_intervals: bool = True) -> list[Line]:
    """Return all rows that are counted by the default readings; without intervals nothing runs."""
    return [line for family in (_m68k, _x86, _ppc) for line in family(with_intervals)]


def held_out(rows: Iterable[Line]) -> list[Line]:
    """Return the rows that decided nothing."""
    return [row for row in rows if not row.decided]


def _others(
    readings: Sequence[Reading], board: Sequence[Range], count: Count, wanted: bool
) -> dict[str | int, list[float]]:
    return alternatives(readings, board, count) if wanted else {}


def _m68k(with_intervals: bool) -> Iterator[Line]:
    for name, row in m68k.ROWS.items():
        if row.readings:
            continue
        number, code = name.split(", ", 1) if name in m68k.CAPTURE else ("", name)
        stages = "BogoMips" if name in m68k.BOGOMIPS else "GNU MP" if name in m68k.GNU_MP else BY_HAND
        count = partial(m68k.clocks_of, row)
        found = combined(row.ours, _others(m68k.CPU.readings, row.memory, count, with_intervals))
        source = f"A3640 board, row {number}" if number else stages
        decided = "the rules of the stages" if name in m68k.STAGES else row.decided
        ends = found.low, found.high
        yield Line("mc68040-25", code, row.outside, row.spread, row.ours, *ends, source, row.missed, decided)


def _x86(with_intervals: bool) -> Iterator[Line]:
    for row in x86.ROWS:
        if row.name.endswith("a wait state of code"):
            continue
        machine = {"i286": "i80286-12", "i386": "i386dx-33", "i486": "i486dx2-66"}[row.model[:4]]
        found = combined(
            row.ours, _others(cpu(row.model).readings, row.memory, partial(clocks_of, row), with_intervals)
        )
        ends = found.low, found.high
        yield Line(machine, row.name, row.clocks, row.spread, row.ours, *ends, row.source, row.miss, row.decided)


def _ppc(with_intervals: bool) -> Iterator[Line]:
    for row in ppc.ROWS:
        count: Count = lambda choices, memory, row=row: ppc.clocks_of(row, choices)  # noqa: E731
        found = combined(row.ours, _others(ppc.CPU.readings, (), count, with_intervals))
        ends = found.low, found.high
        yield Line("ppc601-80", row.name, row.clocks, row.spread, row.ours, *ends, row.source, row.miss, row.decided)


def table(rows: Iterable[Line], last: str) -> str:
    """Return rows as a table of the guide, those that are missed with the reason.

    last   heading of the last column: "decided" also says what
    """
    text = [f"| machine | code | outside | ours | between | | {last} |", "|---|---|---|---|---|---|---|"]
    for row in rows:
        outside = f"{row.outside:g}" + (f" +- {float(f'{row.spread:.2g}'):g}" if row.spread else "")
        between = f"{row.low:.4g} .. {row.high:.4g}"
        said = "; ".join(part for part in (row.source, row.miss, row.decided and f"decided: {row.decided}") if part)
        verdict = "in" if row.is_met else "**out**"
        cells = (f"`{row.machine}`", f"`{row.code}`", outside, f"{row.ours:g}", between, verdict, said)
        text.append(f"| {' | '.join(cells)} |")
    return "\n".join(text) + "\n"


def summary(rows: Iterable[Line]) -> str:
    """Return one line a machine: how many rows are met and inside the interval, and how wide that is."""
    rows = list(rows)
    text = [
        "| machine | rows | within the tolerance | inside the interval | median width |",
        "|---|---|---|---|---|",
    ]
    for machine in (*dict.fromkeys(row.machine for row in rows), ""):
        mine = [row for row in rows if row.machine == machine or not machine]
        counts = (len(mine), sum(row.is_met for row in mine), sum(row.is_inside for row in mine))
        width = f"{100 * median(row.width for row in mine):.0f} %"
        text.append(f"| {f'`{machine}`' if machine else 'all'} | {' | '.join(map(str, counts))} | {width} |")
    return "\n".join(text) + "\n"


def tables(with_intervals: bool = True) -> dict[str, str]:
    """Return the tables of the page by heading."""
    rows = lines(with_intervals)
    out, used = held_out(rows), [row for row in rows if row.decided]
    return {
        "held out, counted": summary(out),
        "used, counted": summary(used),
        "held out": table(out, "source"),
        "used": table(used, "source, and what it decided"),
    }


if __name__ == "__main__":
    for heading, text in tables().items():
        print(f"{heading}\n\n{text}")
