"""What the ROM `tanks` tests: AABBs that blocks bring together, then rectangles at any angle where these overlap.

Rectangles are int[n, 5]: x, y of the centre, half width, half height in Q11.5, binary angle; points int[.., 2]. The
rules are those of `collide.kernels.oriented`, for all pairs at a time and without a compiler.
"""

from __future__ import annotations

import numpy as np

from retrosim.numeric.tables import FRACTION_BITS, QUARTER, SINES, TURN
from retrosim.rom.reading import Reader
from retrosim.screen.shapes import Columns, Grid, Shapes, pairs_of, table

from ..scenario import ShapeSource
from ..shapes import both
from ..walks import CalledTest, Flag, Records, WalkSource
from .rules import COLUMNS, LOG2_BLOCK, ROWS

RECTANGLE_BYTES, HALF_WIDTH_AT, HALF_HEIGHT_AT = 16, 8, 10  # struct rectangle, roms/shapes/src/shapes.h


def auxiliary(reader: Reader, columns: Columns) -> Columns:
    """Return `half`, int[n + 1, 2]: half sides of the tanks' rectangles and of the shell's, Q11.5."""
    count = len(columns["x"]) + 1
    sides = [reader.column("gTanks", at, RECTANGLE_BYTES, "s16", count) for at in (HALF_WIDTH_AT, HALF_HEIGHT_AT)]
    if len(sides[0]) < count:
        raise ValueError(f"gTanks has {len(sides[0])} rectangles: {count} are needed")
    return {"half": np.stack(sides, axis=1)}


def block_grid(boxes: np.ndarray) -> Grid:
    """Return the blocks, with how many boxes reach into each. boxes: int[n, 4], left, top, right, bottom, inclusive."""
    changes = np.zeros((COLUMNS + 1, ROWS + 1), int)
    left, top, right, bottom = np.clip(boxes.T >> LOG2_BLOCK, 0, np.array([[COLUMNS, ROWS] * 2]).T - 1)
    for column, change in ((left, 1), (right + 1, -1)):
        np.add.at(changes, (column, top), change)
        np.add.at(changes, (column, bottom + 1), -change)
    return Grid("blocks", 0, 0, 1 << LOG2_BLOCK, changes.cumsum(axis=0).cumsum(axis=1)[:-1, :-1])


def turned(points: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Return points int[n, k, 2] turned about the origin by angles int[n], before the shift by FRACTION_BITS."""
    wrapped = angles & (TURN - 1)
    cosine, sine = (SINES[each].astype(np.int64)[:, None] for each in (wrapped + QUARTER, wrapped))
    x, y = points[..., 0], points[..., 1]
    return np.stack([x * cosine - y * sine, x * sine + y * cosine], axis=-1)


def corners_of(rectangles: np.ndarray) -> np.ndarray:
    """Return the corners, int[n, 4, 2]: unturned upper left, upper right, lower right, lower left."""
    signs = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    offsets = turned(rectangles[:, None, 2:4] * signs, rectangles[:, 4])
    return rectangles[:, None, :2] + (offsets >> FRACTION_BITS)


def is_upright(rectangles: np.ndarray) -> np.ndarray:
    """Tell whether their sides are parallel to the axes, bool[n]."""
    return rectangles[:, 4] & (QUARTER - 1) == 0


def seen_from(points: np.ndarray, rectangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return points int[n, k, 2] as seen from rectangles turned until they are upright, and their half sides then."""
    apart = points - rectangles[:, None, :2]
    upright = is_upright(rectangles)
    back = turned(apart, -rectangles[:, 4]) >> FRACTION_BITS
    is_lying = upright & (rectangles[:, 4] & QUARTER != 0)
    half = np.where(is_lying[:, None], rectangles[:, 3:1:-1], rectangles[:, 2:4])
    return np.where(upright[:, None, None], apart, back), half


def is_crossing(at: np.ndarray, limit: np.ndarray, along: np.ndarray, aside: np.ndarray) -> np.ndarray:
    """Tell whether lines meet a side, bool[n, 4]: where they reach `at`, are they within -limit..limit?

    along, aside  int[n, 4, 2]  both ends of the lines: the coordinate that reaches `at`, and the other one
    """
    d_along, d_aside = along[..., 1] - along[..., 0], aside[..., 1] - aside[..., 0]
    value = aside[..., 0] * d_along + (at - along[..., 0]) * d_aside
    return np.abs(value) <= limit * np.abs(d_along)


def line_hits(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Tell which pairs of rectangles, int[n, 5] each, the line algorithm finds in collision, bool[n].

    Source   Rekaby 2011, "Line algorithm 1"
    """
    is_swapped = (is_upright(a) & ~is_upright(b))[:, None]
    a, b = np.where(is_swapped, b, a), np.where(is_swapped, a, b)
    points, half = seen_from(corners_of(a), b)
    sides = half[:, None]
    before, after = points < -sides, points > sides  # [n, 4, 2]: left and up, right and down
    is_outside = np.any(before | after, axis=2)
    hit = ~np.all(is_outside, axis=1)
    ends = np.stack([points, np.roll(points, -1, axis=1)], axis=-1)  # [n, 4, 2, 2]: line, axis, end
    befores, afters = (np.stack([each, np.roll(each, -1, axis=1)], axis=-1) for each in (before, after))
    is_apart = np.any(np.all(befores, axis=-1) | np.all(afters, axis=-1), axis=2)
    is_before, is_after = np.asarray(befores.any(axis=-1)), np.asarray(afters.any(axis=-1))
    line = np.any(is_before & is_after, axis=2)
    for axis in (0, 1):
        at = np.where(is_after[..., axis], sides[..., axis], -sides[..., axis])
        is_met = is_crossing(at, sides[..., 1 - axis], ends[:, :, axis], ends[:, :, 1 - axis])
        line |= (is_before | is_after)[..., axis] & is_met
    hit |= np.any(line & ~is_apart, axis=1)
    corner, half = seen_from(corners_of(b)[:, :1], a)
    return hit | (np.abs(corner[:, 0]) <= half).all(axis=1)


def shapes(columns: Columns) -> Shapes:
    """Return AABBs and rectangles; tested are the pairs whose AABBs overlap or touch, by the line algorithm.

    The shell, object n, is there as long as it flies and in the frame in which it hits; of the tanks it meets it
    strikes the first that is not the player's, and that is its hit. Corners and pairs are not left in memory: both
    follow from the rectangles that are, by the rules of Rekaby 2011.
    """
    names, struck = ("x", "y", "angle"), int(columns["struck"][0])
    there = bool(columns["shell_flies"][0] or struck)
    x, y, angle = (np.append(columns[name], columns[f"shell_{name}"][: int(there)]) for name in names)
    count, half = len(columns["x"]), columns["half"][: len(x)]
    rectangles = np.stack([x, y, *half.T, angle], axis=1).astype(np.int64)
    points = corners_of(rectangles) >> 5
    first, last = points.min(axis=1), points.max(axis=1)
    near = ((first[:, None] <= last) & (last[:, None] >= first)).all(axis=2)
    tested = pairs_of(near)
    hit = np.append(columns["collided"], [struck] * there) != 0
    if 0 < struck < count:
        hit[struck] = True
    is_shot = tested[:, 1] == count
    judged = tested[both(hit, tested) & (~is_shot | (tested[:, 0] == struck))]
    owner = np.arange(len(x))
    return Shapes(
        hit=hit,
        centres=table(x >> 5, y >> 5),
        boxes=table(owner, *first.T, *(last.T + 1)),
        polygons=table(owner, *points.reshape(-1, 8).T),
        tested=tested,
        hits=judged[line_hits(rectangles[judged[:, 0]], rectangles[judged[:, 1]])],
        grids=(block_grid(np.concatenate([first, last], axis=1)),),
    )


SHAPES = ShapeSource(
    objects=("x", "y", "angle", "collided"),
    single=("struck", "shell_x", "shell_y", "shell_angle", "shell_flies"),
    shapes=shapes,
    auxiliary=auxiliary,
)


# How the check of the ROM `tanks` is followed: blocks have found all pairs before the line algorithm tests one.

WALK = WalkSource(
    check="DetermineClashes",
    tests=(CalledTest("LineOne", Records("gTanks", 65)),),
    flags=(Flag("gHitArray", "overlap"), Flag("gStruck", "the shell hits")),
)
