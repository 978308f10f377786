"""What the ROM `gallery` tests: the shapes of the chosen method, on the pairs of the chosen broad phase.

Neither is left in memory; both follow from the objects, by the kernels of `rules`.
"""

from __future__ import annotations

import numpy as np

from retrosim.screen.framebuffer import HEIGHT, WIDTH
from retrosim.screen.shapes import Columns, Grid, Shapes, no_rows, pairs_of, table

from ..drawing import find_spans
from ..scenario import ShapeSource
from ..sectors.shapes import passes
from ..shapes import both
from ..tanks.shapes import corners_of
from ..walks import CalledTest, Flag, Sectors, WalkSource
from . import rules
from .rules import LOG2_SECTOR, SECTOR_ROWS

FINE = (rules.POINTS_1, rules.POINTS_2, rules.LINES, rules.BITMAP)  # methods that see the rectangles themselves


def block_grid(boxes: np.ndarray, log2_block: int) -> Grid:
    """Return the blocks, with how many boxes reach into each. boxes: int[n, 4], left, top, right, bottom, inclusive."""
    columns, rows = (WIDTH >> log2_block) + 1, (HEIGHT >> log2_block) + 1
    counts = np.zeros((columns, rows), int)
    for left, top, right, bottom in (boxes >> log2_block).tolist():
        counts[max(0, left) : right + 1, max(0, top) : bottom + 1] += 1
    return Grid(f"blocks of {1 << log2_block} pixels", 0, 0, 1 << log2_block, counts)


def scene_of(columns: Columns) -> rules.Scene:
    """Return what the kernels need to test pairs. Memory may hold anything: values outside their ranges are limited."""
    words = np.zeros(rules.WORDS, np.int64)
    words[rules.METHOD] = min(max(0, int(columns["method"][0])), len(rules.METHODS) - 1)
    words[rules.BROAD] = min(max(0, int(columns["broad"][0])), len(rules.BROADS) - 1)
    count, kinds = len(columns["x"]), (("half_width", rules.HALF_WIDTH_PX), ("half_height", rules.HALF_HEIGHT_PX))
    half = [np.clip(columns[name], known.min() << 5, known.max() << 5) for name, known in kinds]
    return rules.Scene(
        rows=np.stack([np.clip(columns[name], *limits) for name, limits in rules.LIMITS.items()]).astype(np.int32),
        half=np.stack(half).astype(np.int32),
        z=np.clip(columns["z"], 0, rules.MAX_Z_PX).astype(np.int32),
        flags=np.zeros((2, count), np.uint8),
        boxes=np.zeros((4, count), np.int32),
        words=words,
        blocks=np.zeros(rules.MAX_BLOCKS, np.int32),
        screen=np.zeros((HEIGHT, WIDTH), np.uint8),
        spans=np.zeros((HEIGHT, 2), np.int32),
    )


def circles_of(scene: rules.Scene, method: int) -> np.ndarray:
    """Return the circles that a method tests, int32[c, 4]."""
    count = scene.rows.shape[1]
    if method == rules.COMPOUND:
        parts = [(i, *rules.part_of(scene, i, k)) for i in range(count) for k in range(rules.PARTS)]
        return np.array([(i, x + width // 2, y + width // 2, width // 2) for i, x, y, width, _ in parts], np.int32)
    number = np.arange(count)
    return table(number, *(scene.rows[:2] >> 5), rules.RADIUS_PX[number & 3])


def painted(scene: rules.Scene, i: int) -> dict[int, tuple[int, int]]:
    """Return the pixels of an object: row -> first and last column."""
    top, end = find_spans(scene.spans, rules.rectangle_of(scene, i))
    return {row: (int(scene.spans[row, 0]), int(scene.spans[row, 1])) for row in range(top, end)}


def is_pixel_shared(scene: rules.Scene, a: int, b: int) -> bool:
    """Tell whether two objects have a pixel in common."""
    one, other = painted(scene, a), painted(scene, b)
    both_rows = one.keys() & other.keys()
    return any(max(one[row][0], other[row][0]) <= min(one[row][1], other[row][1]) for row in both_rows)


def shapes(columns: Columns) -> Shapes:
    """Return AABBs, and the circles or rectangles that the method tests; hits are pairs that it finds.

    The colours on the screen have no pairs: shown as hits are those with a pixel in common. Only the later object of
    such a pair is found.
    """
    scene = scene_of(columns)
    method, broad = int(scene.words[rules.METHOD]), int(scene.words[rules.BROAD])
    count, hit = len(columns["x"]), columns["collided"] != 0
    for i in range(count):
        rules.find_box(scene, i)
    left, top, width, height = scene.boxes.astype(np.int64)
    boxes = np.stack([left, top, left + width, top + height], axis=1)
    near = np.asarray(((boxes[:, None, :2] <= boxes[:, 2:]) & (boxes[:, None, 2:] >= boxes[:, :2])).all(axis=2))
    grids: tuple[Grid, ...] = ()
    related = np.ones((count, count), bool)
    if method == rules.BITMAP:
        related = near
    elif broad == rules.SECTORS:
        grids, related = passes(left, top)
    elif broad >= rules.BLOCKS_16:
        grids, related = (block_grid(boxes, broad - rules.BLOCKS_16 + rules.LOG2_BLOCK_16),), near
    tested = pairs_of(related)
    judged = tested[hit[tested[:, 1]] if method == rules.BITMAP else both(hit, tested)].tolist()
    find = is_pixel_shared if method == rules.BITMAP else rules.is_pair_found
    owner, (x, y) = np.arange(count), scene.rows[:2] >> 5
    rectangles = np.stack([*scene.rows[:2], *scene.half, scene.rows[rules.ANGLE]], axis=1).astype(np.int64)
    return Shapes(
        hit=hit,
        centres=table(x, y),
        boxes=table(owner, *boxes[:, :2].T, *(boxes[:, 2:].T + 1)),
        polygons=table(owner, *(corners_of(rectangles) >> 5).reshape(-1, 8).T) if method in FINE else no_rows(9),
        circles=no_rows(4) if method in (*FINE, rules.BOXES) else circles_of(scene, method),
        tested=tested,
        hits=np.array([pair for pair in judged if find(scene, *pair)], np.int32).reshape(-1, 2),
        grids=grids,
    )


SHAPES = ShapeSource(
    objects=(*rules.LIMITS, "half_width", "half_height", "z", "collided"),
    single=("method", "broad"),
    shapes=shapes,
)


# How the check of the ROM `gallery` is followed: passes and sectors where it uses these, pair tests in any case.

WALK = WalkSource(
    check="DetermineCollisions",
    tests=(CalledTest("TestPair"),),
    flags=(Flag("gFound", "collision"),),
    passes="UpdateSectors",
    sectors=Sectors("CalcCollisionsInSector", SECTOR_ROWS, 1 << LOG2_SECTOR),
)
