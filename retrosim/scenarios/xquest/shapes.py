"""What the ROM `xquest` tests: boxes that sectors bring together, then masks of a bit per pixel where boxes overlap."""

from __future__ import annotations

import numpy as np

from retrosim.collide.kernels.pairs.sector_grid import ROWS
from retrosim.rom.reading import Reader
from retrosim.screen.shapes import Columns, Shapes, pairs_of, table

from ..scenario import ShapeSource
from ..sectors.shapes import LOG2_SIDE, OBJECTS, passes
from ..shapes import both, centres, overlapping
from ..walks import CalledTest, Flag, Sectors, WalkSource

MAX_ROWS, BITS = 32, 32  # of a mask
PICTURE_BYTES, HEIGHT_AT, MASK_AT = 12, 2, 8  # struct picture, as tools/draw_sprites.py writes it
MAX_PICTURES = 256
EMPTY_MASK = np.zeros((1, MAX_ROWS), np.uint32)


def auxiliary(reader: Reader, _: Columns) -> Columns:
    """Return `masks`, uint32[p, 32]: the rows of each picture's mask where its address points to, 0 below the last."""
    count = min(reader.capacity("gPictures", PICTURE_BYTES), MAX_PICTURES)
    height = reader.column("gPictures", HEIGHT_AT, PICTURE_BYTES, "s16", count)
    first = reader.column("gPictures", MASK_AT, PICTURE_BYTES, "u32", count).astype(np.int64)
    rows = np.arange(MAX_ROWS)
    words = reader.entries(first[:, None] + 4 * rows, "u32")
    return {"masks": np.where(rows < height[:, None], words, 0).astype(np.uint32)}


def bits_of(masks: np.ndarray) -> np.ndarray:
    """Return masks as bool[p, 32, 32], leftmost pixel first: bit 31."""
    return (masks[..., None] >> np.arange(BITS - 1, -1, -1, dtype=np.uint32) & 1).astype(bool)


def outlines_of(masks: np.ndarray) -> np.ndarray:
    """Return the outlines of masks, int[k, 3]: picture, x, y of pixels with a neighbour that is not of the mask."""
    bits = bits_of(masks)
    around = np.pad(bits, ((0, 0), (1, 1), (1, 1)))
    inner = around[:, :-2, 1:-1] & around[:, 2:, 1:-1] & around[:, 1:-1, :-2] & around[:, 1:-1, 2:]
    return np.argwhere(bits & ~inner)[:, [0, 2, 1]]


def outlines_at(masks: np.ndarray, shape: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the outlines of objects, int32[q, 3]: object, x, y."""
    outlines = outlines_of(masks)
    first = np.searchsorted(outlines[:, 0], np.arange(len(masks) + 1))
    counts = (first[1:] - first[:-1])[shape]
    owner = np.repeat(np.arange(len(shape)), counts)
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    which = first[shape[owner]] + within
    return table(owner, x[owner] + outlines[which, 1], y[owner] + outlines[which, 2])


def touching(masks: np.ndarray, shape: np.ndarray, x: np.ndarray, y: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Tell which pairs have a pixel in common, bool[m]: the left one's rows shifted and ANDed with the right one's.

    The rule is that of `collide.masks`, for all pairs at a time and without a compiler.
    Source   Mackey 1995
    """
    a, b = pairs.T
    left, right = np.where(x[a] <= x[b], (a, b), (b, a))
    top, rows = np.maximum(y[a], y[b])[:, None], np.arange(MAX_ROWS)
    padded = np.pad(masks, ((0, 0), (0, 1)))  # a row of zeros, for those that a mask does not have
    ours, theirs = (
        padded[shape[which][:, None], np.minimum(top + rows - y[which][:, None], MAX_ROWS)] for which in (left, right)
    )
    shift = np.minimum(x[right] - x[left], BITS)[:, None].astype(np.uint64)
    return (ours.astype(np.uint64) << shift & theirs).any(axis=1)


def shapes(columns: Columns) -> Shapes:
    """Return boxes and outlines of masks; tested, to the pixel, are the pairs whose boxes overlap."""
    x, y, width, height = columns["px"] >> 5, columns["py"] >> 5, columns["wide"], columns["high"]
    hit, masks = columns["collided"] != 0, columns["masks"] if len(columns["masks"]) else EMPTY_MASK
    shape = np.clip(columns["shape"], 0, len(masks) - 1)
    grids, shared = passes(x, y)
    near = pairs_of(shared)
    tested = near[overlapping((x, y, width, height), *near.T)]
    judged = tested[both(hit, tested)]
    return Shapes(
        hit=hit,
        centres=centres((x, y, width, height)),
        boxes=table(np.arange(len(x)), x, y, x + width, y + height),
        outlines=outlines_at(masks, shape, x, y),
        tested=tested,
        hits=judged[touching(masks, shape, x, y, judged)],
        grids=grids,
    )


SHAPES = ShapeSource(
    objects=("px", "py", "wide", "high", "shape", "collided"), single=(), shapes=shapes, auxiliary=auxiliary
)


# How the check of the ROM `xquest` is followed: boxes first, masks where these overlap.

WALK = WalkSource(
    check="DetermineTouches",
    tests=(CalledTest("BoxesOverlap", OBJECTS),),
    flags=(
        Flag("gBoxArray", "boxes overlap, but no pixel does", is_hit=False),
        Flag("gCollisionArray", "pixels overlap"),
    ),
    passes="UpdateSectors",
    sectors=Sectors("CalcTouchesInSector", ROWS, 1 << LOG2_SIDE),
)
