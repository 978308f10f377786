"""Two claims of Rekaby 2011, measured: the size of blocks is a balance, and five points do for eight.

Blocks: on the ROM `gallery`, whose objects have boxes of at most 31 pixels, the clocks of a check with every size of
block, beside those of all pairs and of the four shifted grids of Moertel 1994. Points: corners of one rectangle are
tested against the other until one is inside; eight are all of both, five all of A and the first of B.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

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
from retrosim.report.tables import number_table
from retrosim.scenarios.gallery import rules
from retrosim.table_1994.report import heading

OBJECTS = 96
PAIRS = 2000  # rectangles whose middles are near, for the points
NEAR_Q5, MIN_HALF_Q5, HALF_RANGE_Q5 = 40 << 5, 64, 400
FIGURES = ("handlers", "checks", "tests")
ROM, ROUTINE, RECORD = "gallery", "DetermineCollisions", "gGallery"

Progress = Callable[[int, int, str], None]


def measure_balance(
    machines: Sequence[str] | None = None,
    progress: Progress = lambda done, total, text: None,
    *,
    seed: int = 2011,
    engine: str = "auto",
) -> dict[str, Any]:
    """Measure both; return plain data for JSON.

    machines  names of presets that the ROM has images for, None for all
    progress  called with the number of steps done, their total, and what is being done
    seed      of the scene and of the pairs of rectangles
    engine    as for a Machine
    Returns   dict with
        objects, seed
        blocks    one dict per broad phase: broad, side (of a block, pixels, None), handlers, checks, tests,
                  cycles (machine -> clocks of a check, the second time)
        optimum   machine -> the broad phase with blocks that takes the fewest clocks
        points    pairs, collisions; per "five" and "eight": points (tested), missed (collisions not found);
                  apart: the same points for pairs that do not collide; saved, saved_apart: 0..1
    Errors    ValueError for an unknown machine
    """
    isas = {image.isa for image in NativeMachine(ROM).rom.images}
    names = list(dict.fromkeys(machines or [name for name, each in PRESETS.items() if each.isa in isas]))
    for name in names:
        preset(name)
    rows: list[dict[str, Any]] = [
        {"broad": name, "side": int(name.split()[1]) if name.startswith("blocks") else None, "cycles": {}}
        for name in rules.BROADS
    ]
    total = len(names) + 1
    for number, name in enumerate(names):
        progress(number, total, f"blocks on {name}")
        _measure_blocks(rows, name, seed, engine)
    progress(len(names), total, "points")
    points = _count_points(seed)
    progress(total, total, "done")
    with_blocks = [row for row in rows if row["side"]]
    optimum = {name: min(with_blocks, key=lambda row: row["cycles"][name])["broad"] for name in names}
    return {"objects": OBJECTS, "seed": seed, "blocks": rows, "optimum": optimum, "points": points}


def _measure_blocks(rows: list[dict[str, Any]], name: str, seed: int, engine: str) -> None:
    """Measure the check with every broad phase, and note the figures of the last one that is measured."""
    machine = open_machine(name, ROM, parameters={"objects": OBJECTS, "seed": seed}, engine=engine)
    machine.run(frames=1)
    place = machine.image.symbols[RECORD].address
    order: Literal["big", "little"] = "big" if machine.core.cpu.big_endian else "little"
    for number, row in enumerate(rows):
        words = (rules.LINES, number)
        machine.write(place, b"".join(word.to_bytes(4, order) for word in words))
        row["cycles"][name] = machine.measure(ROUTINE, warm=1).cycles
        machine.call(ROUTINE)
        data = bytes(machine.mem[place + 8 : place + 20])
        row |= {figure: int.from_bytes(data[4 * i : 4 * i + 4], order) for i, figure in enumerate(FIGURES)}


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


def _count_points(seed: int) -> dict[str, Any]:
    counts = {name: {"points": 0, "missed": 0, "apart": 0} for name in ("five", "eight")}
    collisions = 0
    for pair in _rectangles(seed).tolist():
        a, b = tuple(pair[0]), tuple(pair[1])
        is_hit = bool(is_hit_separating_axis(a, b))
        collisions += is_hit
        for name, corners in (("five", 1), ("eight", 4)):
            tested, found = _tested(a, b, corners)
            counts[name]["points"] += tested
            counts[name]["apart"] += 0 if is_hit else tested
            counts[name]["missed"] += int(is_hit and not found)
    five, eight = counts["five"], counts["eight"]
    return {
        "pairs": PAIRS,
        "collisions": collisions,
        **counts,
        "saved": 1 - five["points"] / eight["points"],
        "saved_apart": 1 - five["apart"] / eight["apart"],
    }


def render_balance(found: dict[str, Any]) -> RenderableType:
    """Return both as tables, with what they say in front."""
    names, points = list(found["optimum"]), found["points"]
    sides = {name: broad.removeprefix("blocks ") for name, broad in found["optimum"].items()}
    each = ", ".join(f"{side} pixels on {name}" for name, side in sides.items())
    best = each if len(set(sides.values())) > 1 or len(sides) == 1 else f"{next(iter(sides.values()))} pixels on all"
    work = number_table("broad phase", *FIGURES)
    clocks = number_table("broad phase", *(name.replace("-", "-\n") for name in names))
    for row in found["blocks"]:
        work.add_row(row["broad"], *(f"{row[figure]:,}" for figure in FIGURES))
        marks = ["*" if found["optimum"][name] == row["broad"] else " " for name in names]
        clocks.add_row(row["broad"], *(f"{row['cycles'][name]}{mark}" for name, mark in zip(names, marks)))
    corners = number_table("points", "tested", "of pairs apart", "collisions missed")
    for name in ("eight", "five"):
        corners.add_row(name, *(str(points[name][key]) for key in ("points", "apart", "missed")))
    lost = points["five"]["missed"] - points["eight"]["missed"]
    said = (
        f"Five points for eight: {points['saved_apart']:.1%} fewer where two rectangles are apart, "
        f"{points['saved']:.1%} over all {points['pairs']} pairs; "
        f"{lost} more of {points['collisions']} collisions are missed."
    )
    parts: list[RenderableType] = [Text(f"Best size of blocks: {best}."), Text(said), Text()]
    parts += [heading(f"{found['objects']} objects, line algorithm, seed {found['seed']}"), work]
    parts += [Text(), heading("Clocks of a check; *: the best size of blocks"), clocks]
    return Group(*parts, Text(), heading("Corners tested until one is inside"), corners)
