"""Two claims of Rekaby 2011, measured: the size of blocks is a balance, and five points do for eight.

Blocks: on the ROM `gallery`, whose objects have boxes of at most 31 pixels, the clocks of a check with every size of
block, beside those of all pairs and of the four shifted grids of Moertel 1994. Points: corners of one rectangle are
tested against the other until one is inside; eight are all of both, five all of A and the first of B.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from rich.console import Group, RenderableType
from rich.text import Text

from retrosim.collide.kernels.shapes.oriented import (
    corners_of,
    is_hit_separating_axis,
    is_within,
    relative_to,
    upright_sides,
)
from retrosim.machine import PRESETS, NativeMachine, open_machine
from retrosim.machine.presets import preset
from retrosim.numeric.random import advance, rand_scalar
from retrosim.numeric.tables import TURN
from retrosim.report.tables import heading, number_table
from retrosim.report.text import grouped
from retrosim.scenarios.gallery import rules

OBJECTS = 96
PAIRS = 2000  # rectangles whose middles are near, for the points
NEAR_Q5, MIN_HALF_Q5, HALF_RANGE_Q5 = 40 << 5, 64, 400
ROM, ROUTINE, RECORD = "gallery", "DetermineCollisions", "gGallery"

Progress = Callable[[int, int, str], None]


@dataclass
class BroadPhase:
    """A broad phase of the ROM.

    side                    of a block, pixels; None without blocks
    cycles                  machine -> clocks of a check, the second time
    handlers, checks, tests as the machine that was measured last counted them
    """

    broad: str
    side: int | None
    cycles: dict[str, int] = field(default_factory=dict)
    handlers: int = 0
    checks: int = 0
    tests: int = 0


@dataclass
class Corners:
    """Corners that were tested, in all pairs and in those that do not collide; collisions that were not found."""

    points: int = 0
    missed: int = 0
    apart: int = 0


@dataclass(frozen=True)
class Points:
    """Five points for eight; saved, saved_apart: the part of the tests that it spares, in all pairs and those apart."""

    pairs: int
    collisions: int
    five: Corners
    eight: Corners
    saved: float
    saved_apart: float


@dataclass(frozen=True)
class Balance:
    """What `measure_balance` found; optimum: machine -> the broad phase with blocks that takes the fewest clocks."""

    objects: int
    seed: int
    blocks: list[BroadPhase]
    optimum: dict[str, str]
    points: Points


def measure_balance(
    machines: Sequence[str] | None = None,
    progress: Progress = lambda done, total, text: None,
    *,
    seed: int = 2011,
    engine: str = "auto",
) -> Balance:
    """Measure both.

    machines  names of presets that the ROM has images for, None for all
    progress  called with the number of steps done, their total, and what is being done
    seed      of the scene and of the pairs of rectangles
    engine    as for a Machine
    Errors    ValueError for an unknown machine
    """
    isas = {image.isa for image in NativeMachine(ROM).rom.images}
    names = list(dict.fromkeys(machines or [name for name, each in PRESETS.items() if each.isa in isas]))
    for name in names:
        preset(name)
    rows = [BroadPhase(name, int(name.split()[1]) if name.startswith("blocks") else None) for name in rules.BROADS]
    total = len(names) + 1
    for number, name in enumerate(names):
        progress(number, total, f"blocks on {name}")
        _measure_blocks(rows, name, seed, engine)
    progress(len(names), total, "points")
    points = _count_points(seed)
    progress(total, total, "done")
    with_blocks = [row for row in rows if row.side]
    optimum = {name: min(with_blocks, key=lambda row: row.cycles[name]).broad for name in names}
    return Balance(OBJECTS, seed, rows, optimum, points)


def _measure_blocks(rows: list[BroadPhase], name: str, seed: int, engine: str) -> None:
    """Measure the check with every broad phase, and note the figures of the last one that is measured."""
    machine = open_machine(name, ROM, parameters={"objects": OBJECTS, "seed": seed}, engine=engine)
    machine.run(frames=1)
    place = machine.image.symbols[RECORD].address
    order: Literal["big", "little"] = "big" if machine.core.cpu.big_endian else "little"
    for number, row in enumerate(rows):
        words = (rules.LINES, number)
        machine.write(place, b"".join(word.to_bytes(4, order) for word in words))
        row.cycles[name] = machine.measure(ROUTINE, warm=1).cycles
        machine.call(ROUTINE)
        data = bytes(machine.mem[place + 8 : place + 20])
        row.handlers, row.checks, row.tests = (int.from_bytes(data[i : i + 4], order) for i in (0, 4, 8))


def _rectangles(seed: int) -> np.ndarray:
    """Return pairs of rectangles with middles near each other, int64[PAIRS, 2, 5], from a seed."""
    found, state = np.zeros((PAIRS, 2, 5), np.int64), seed
    ends = np.array((NEAR_Q5, NEAR_Q5, HALF_RANGE_Q5, HALF_RANGE_Q5, TURN))
    for place in np.ndindex(found.shape):
        state = advance(state)
        found[place] = rand_scalar(int(ends[place[2]]), state) + MIN_HALF_Q5 * (place[2] in (2, 3))
    return found


def _tested(a: tuple[int, ...], b: tuple[int, ...], corners_of_b: int) -> tuple[int, bool]:
    """Test the corners of A in B, then some of B in A, until one is inside; return how many, and whether one was."""
    tested = 0
    for one, other, count in ((a, b, 4), (b, a, corners_of_b)):
        half_width, half_height = upright_sides(other)
        for corner in corners_of(one, None)[:count]:
            tested += 1
            if is_within(relative_to(corner, other, None), half_width, half_height, None):
                return tested, True
    return tested, False


def _count_points(seed: int) -> Points:
    five, eight = Corners(), Corners()
    collisions = 0
    for pair in _rectangles(seed).tolist():
        a, b = tuple(pair[0]), tuple(pair[1])
        is_hit = bool(is_hit_separating_axis(a, b))
        collisions += is_hit
        for counts, corners_of_b in ((five, 1), (eight, 4)):
            tested, is_inside = _tested(a, b, corners_of_b)
            counts.points += tested
            counts.apart += 0 if is_hit else tested
            counts.missed += int(is_hit and not is_inside)
    saved, saved_apart = 1 - five.points / eight.points, 1 - five.apart / eight.apart
    return Points(PAIRS, collisions, five, eight, saved, saved_apart)


def render_balance(result: Balance) -> RenderableType:
    """Return both as tables, with what they say in front."""
    names, points = list(result.optimum), result.points
    sides = {name: broad.removeprefix("blocks ") for name, broad in result.optimum.items()}
    by_machine = ", ".join(f"{side} pixels on {name}" for name, side in sides.items())
    best = by_machine if len(set(sides.values())) > 1 or len(sides) == 1 else f"{sides[names[0]]} pixels on all"
    work = number_table("broad phase", "handlers", "checks", "tests")
    clocks = number_table("broad phase", *(name.replace("-", "-\n") for name in names))
    for row in result.blocks:
        work.add_row(row.broad, *map(grouped, (row.handlers, row.checks, row.tests)))
        marks = ["*" if result.optimum[name] == row.broad else " " for name in names]
        clocks.add_row(row.broad, *(f"{grouped(row.cycles[name])}{mark}" for name, mark in zip(names, marks)))
    corners = number_table("points", "tested", "of pairs apart", "collisions missed")
    for name, counts in (("eight", points.eight), ("five", points.five)):
        corners.add_row(name, str(counts.points), str(counts.apart), str(counts.missed))
    said = (
        f"Five points for eight: {points.saved_apart:.1%} fewer where two rectangles are apart, "
        f"{points.saved:.1%} over all {points.pairs} pairs; "
        f"{points.five.missed - points.eight.missed} more of {points.collisions} collisions are missed."
    )
    parts: list[RenderableType] = [Text(f"Best size of blocks: {best}."), Text(said), Text()]
    parts += [heading(f"{result.objects} objects, line algorithm, seed {result.seed}"), work]
    parts += [Text(), heading("Clocks of a check; *: the best size of blocks"), clocks]
    return Group(*parts, Text(), heading("Corners tested until one is inside"), corners)
