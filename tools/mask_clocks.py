#!/usr/bin/env python3
"""Measure what one row costs in the mask tests of ROM masks; print a table.

    tools/mask_clocks.py

The clocks of a row are the difference between calls with 48 and with 16 common rows, none with a common pixel, divided
by 32; where there are caches, an earlier call has filled them. The last column has the manual's clocks of the three
instructions that Mackey 1995 names: a MOV from memory, a SHL and an AND with memory.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from retrosim.cost.cost import cost_report
from retrosim.machine import Machine, open_machine
from retrosim.machine.memory import RETURN_ADDRESS

FEW, MANY = 16, 48
LEFT, RIGHT = 0x8000, 0x9000
PARTS = 3  # tests of 32 by 32 pixels that two sprites of 64 need at a shift that is not 0
THREE = ("MOV", "SHL", "AND")


@dataclass(frozen=True)
class Case:
    """A way to test, and how its routine is called.

    words  words(rows) -> arguments
    """

    title: str
    machine: str
    build: str
    entry: str
    words: Callable[[int], tuple[int, ...]]
    convention: str = "c"


def cases() -> list[Case]:
    """Return the rows of the table, PCs first."""

    def touch(shift: int, *between: int) -> Callable[[int], tuple[int, ...]]:
        return lambda rows: (0, LEFT, 0, RIGHT, *between, rows, shift)

    parts = 4 * MANY, 4 * MANY
    found = [
        Case(f"32 pixels, 286 code, shift {where}", "i80286-12", "real", "TouchWord", touch(shift), "pascal")
        for where, shift in (("below 16", 5), ("from 16 on", 21))
    ]
    for machine in ("i386dx-33", "i486dx2-66"):
        real = (
            ("32 pixels, 386 code", "TouchDword", touch(5)),
            ("64 pixels, SHLD, shift below 32", "TouchQword", touch(5, *parts)),
            ("64 pixels, SHLD, shift from 32 on", "TouchQword", touch(37, *parts)),
            ("64 pixels as two parts", "CollideParts", lambda rows: (0, LEFT, 0, 0, 0, RIGHT, 5, MANY - rows)),
            ("32 pixels, 286 code, shift below 16", "TouchWord", touch(5)),
            ("32 pixels, 286 code, shift from 16 on", "TouchWord", touch(21)),
        )
        found += [Case(title, machine, "real", entry, words, "pascal") for title, entry, words in real]
        found.append(Case("32 pixels, flat 32-bit mode", machine, "flat", "mask_touch", flat))
    found += [Case("32 pixels, LSL and AND", name, "O2", "mask_touch", flat) for name in ("mc68000-8", "mc68040-25")]
    return [*found, Case("32 pixels, slw and and", "ppc601-80", "O2", "mask_touch", flat)]


def flat(rows: int) -> tuple[int, ...]:
    """Return the arguments of mask_touch."""
    return LEFT, RIGHT, rows, 5


def opened(case: Case) -> Machine:
    """Return a machine that has called the routine once, on two sprites of 64 x 48 transparent pixels."""
    machine = open_machine(case.machine, "masks", build=case.build, engine="evaluate")
    machine.run(frames=1)
    for address in (LEFT, RIGHT) if case.entry == "CollideParts" else ():
        machine.write(address, bytes((64, 0, MANY, 0)))
    machine.enter(case.entry, *case.words(MANY), convention=case.convention)
    machine.run(until=RETURN_ADDRESS)
    return machine


def row_clocks(case: Case) -> tuple[float, float]:
    """Return clocks and instructions of a row."""
    machine, clocks, instructions = opened(case), [], []
    for rows in (FEW, MANY):
        done = machine.measure(case.entry, *case.words(rows), convention=case.convention)
        if done.result & 0xFF:
            raise RuntimeError(f"{case}: empty sprites collide")
        clocks.append(done.cycles)
        instructions.append(done.instructions)
    return tuple((many - few) / (MANY - FEW) for few, many in (clocks, instructions))


def claimed_clocks(case: Case) -> int | None:
    """Return the manual's clocks of the three instructions, None where the routine uses others."""
    if case.entry not in ("TouchDword", "mask_touch") or not case.machine.startswith("i"):
        return None
    words = case.words(FEW)
    report = cost_report(opened(case), case.entry, *words, convention=case.convention)
    listing = report.breakdown.listing
    loop = [row for row in listing if row.visits == FEW and row.text.split()[0] in THREE]
    return round(sum(row.explanation.base for row in loop)) if len(loop) == len(THREE) else None


def main() -> int:
    """Print the table."""
    print("| test | machine | instructions a row | clocks a row | Mackey's MOV, SHL, AND |")
    print("|---|---|---|---|---|")
    for case in cases():
        clocks, instructions = row_clocks(case)
        claim = claimed_clocks(case)
        print(f"| {case.title} | `{case.machine}` | {instructions:g} | {clocks:g} | {claim or '-'} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
