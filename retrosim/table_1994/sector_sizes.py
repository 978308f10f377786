"""What the size of a sector costs: pair tests and clocks of the four shifts over sizes of sectors and of objects.

Moertel 1994 says of the size that it must be more than twice the side of the largest object, and that 64 is an
excellent choice for objects of 30. Smaller sectors cannot be right, larger ones make more pair tests; but every pass
also empties and visits all sectors, of which small ones are many. So the fastest size is measured here: on the machine
code of the ROM sizes, whose flags are compared with the kernel's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from statistics import mean

import numpy as np
from rich.console import Group, RenderableType
from rich.text import Text

from retrosim.collide.documents.sectors import SECTOR_SIZES, collided, count_tests
from retrosim.errors import RetrosimError
from retrosim.machine import Machine, open_machine
from retrosim.report.tables import number_table

ROM, ROUTINE, PLACE = "sizes", "DetermineCollisions", "Prepare"
SIDES = (5, 7, 10, 15, 20, 30, 60, 120)
COUNTS = (20, 200)
OWN = 200, 30  # objects and side of the document's


@dataclass(frozen=True)
class SizeRow:
    """A size of sectors for so many objects of a side, pixels; tests and clocks of a check, means over the scenes."""

    objects: int
    side: int
    sector: int
    tests: float
    cycles: float
    is_advised: bool
    is_fastest: bool = False


@dataclass(frozen=True)
class SectorSizes:
    """Every size on a machine: one of `retrosim study --sectors --json`; verdict: in words."""

    machine: str
    seeds: list[int]
    rows: list[SizeRow]
    verdict: str


def advised(side: int) -> int:
    """Return the smallest size that the document allows: a power of two above twice the side; for 30 its 64."""
    return next(size for size in SECTOR_SIZES if size > 2 * side)


def sector_sizes(
    machine: str, seeds: Sequence[int], progress: Callable[[int, int, str], None] = lambda done, total, text: None
) -> SectorSizes:
    """Measure every size on a machine.

    machine  name of one that runs the ROM
    seeds    of the random scenes, over which tests and clocks are means
    progress progress(done, total, what)
    Errors   ValueError; RetrosimError when the ROM finds other collisions than the kernel
    """
    every = product(COUNTS, SIDES, SECTOR_SIZES)
    cases = [(count, side, sector) for count, side, sector in every if sector > 2 * side]
    rows = []
    for number, (count, side, sector) in enumerate(cases):
        progress(number, len(cases), f"{count} objects of {side}, sectors of {sector}")
        found = [_measured(machine, count, side, sector, seed) for seed in seeds]
        tests, cycles = (mean(each) for each in zip(*found, strict=True))
        rows.append(SizeRow(count, side, sector, tests, cycles, sector == advised(side)))
    lowest: dict[tuple[int, int], float] = {}
    for row in rows:
        lowest[_case(row)] = min(row.cycles, lowest.get(_case(row), row.cycles))
    rows = [replace(row, is_fastest=row.cycles == lowest[_case(row)]) for row in rows]
    progress(len(cases), len(cases), "done")
    return SectorSizes(machine, list(seeds), rows, _verdict(rows))


def _measured(machine: str, count: int, side: int, sector: int, seed: int) -> tuple[int, int]:
    """Return pair tests and clocks of a scene."""
    parameters = {"objects": count, "seed": seed, "sector": sector, "side": side}
    ours = open_machine(machine, ROM, parameters=parameters, engine="interpret")
    assert isinstance(ours, Machine)
    ours.run(frames=1)
    ours.call(PLACE)
    cycles = ours.measure(ROUTINE).cycles
    x, y = _corners(ours, count)
    flags = ours.mem[ours.address("gCollisionArray") :][:count]
    if not np.array_equal(flags, collided(x, y, size=side, sector=sector)):
        raise RetrosimError(f"{machine}: the ROM {ROM} differs from its kernel at sector {sector}, side {side}")
    return count_tests(x, y, size=side, sector=sector), cycles


def _corners(machine: Machine, count: int) -> tuple[np.ndarray, np.ndarray]:
    start, size = machine.address("gObjects"), machine.image.symbols["gObjects"].size // 200
    wide = size == 12  # coordinates of 32 bits
    order = ">" if machine.image.byte_order == "big" else "<"
    kind = np.dtype(f"{order}i{4 if wide else 2}")
    words = np.frombuffer(machine.mem[start : start + size * count].tobytes(), kind).reshape(count, -1)
    return words[:, 0].astype(np.int32 if wide else np.int16), words[:, 1].astype(np.int32 if wide else np.int16)


def _verdict(rows: Sequence[SizeRow]) -> str:
    fastest = {_case(row): row for row in rows if row.is_fastest}
    own = fastest[OWN]
    smallest = sum(row.is_advised for row in fastest.values())
    worst = max(fastest.values(), key=lambda row: _advised_of(rows, row).cycles / row.cycles)
    lost = _advised_of(rows, worst).cycles / worst.cycles
    holds = "holds" if own.is_advised else f"does not hold: {own.sector} is faster"
    return (
        f"The document's advice, sectors of {advised(OWN[1])} for {OWN[0]} objects of {OWN[1]}, {holds}. "
        f"The smallest allowed size is the fastest in {smallest} of {len(fastest)} cases: where objects are few or "
        f"small, emptying and visiting sectors costs more than pair tests, up to {lost:.0f} times the fastest "
        f"({worst.objects} objects of {worst.side}: {worst.sector})."
    )


def _advised_of(rows: Sequence[SizeRow], row: SizeRow) -> SizeRow:
    return next(each for each in rows if each.is_advised and _case(each) == _case(row))


def _case(row: SizeRow) -> tuple[int, int]:
    return row.objects, row.side


def render_sizes(result: SectorSizes) -> RenderableType:
    """Return the table for the terminal: clocks over sector size, a line for each number and side of objects."""
    lines = number_table("objects", "side", *map(str, SECTOR_SIZES), "fastest", "its tests")
    for case in dict.fromkeys(map(_case, result.rows)):
        by_size = {row.sector: row for row in result.rows if _case(row) == case}
        best = next(row for row in by_size.values() if row.is_fastest)
        clocks = [_thousands(by_size[size]) if size in by_size else "-" for size in SECTOR_SIZES]
        lines.add_row(*map(str, case), *clocks, str(best.sector), f"{best.tests:,.0f}")
    title = f"Thousands of clocks a check on the {result.machine}, by the side of a sector; * smallest allowed"
    return Group(Text(result.verdict), Text(), Text(title), lines)


def _thousands(row: SizeRow) -> str:
    return f"{row.cycles / 1000:,.1f}{'*' * row.is_advised}"
