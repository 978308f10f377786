"""The plane cut into blocks (document 003): each block has a handler for every object that reaches into it.

    >>> import numpy as np
    >>> from retrosim.collide import blocks
    >>> x, y = np.array([50, 70, 300], np.int16), np.array([50, 60, 300], np.int16)
    >>> blocks.pairs(x, y, size=30, block=64).tolist()  # they meet in two blocks, and are reported once
    [[0, 1]]
    >>> blocks.tally_tests(x, y, size=30, block=64)[:2, :2].tolist()  # the checks in the first blocks
    [[0, 0], [1, 1]]
    >>> piled = np.zeros(100, np.int16)
    >>> int(blocks.tally_tests(piled, piled, size=30, block=64).sum())  # the document's example
    4950

Conventions
    x, y    int16[n] or int32[n], C-contiguous; upper-left corners, pixels, 0..16383
    size    sides, pixels, 0..16383: one number, int[n], or int[n, 2] with width and height
    block   side of a block, pixels: a power of two, 16..4096
    out     where to write, instead of making an array: int32[m, 2] or int64[columns, rows] with room enough
    Errors  ValueError  wrong dtype, shape or length; a value out of range, named with the range
    Source  Rekaby, "Study of Collision Detection Algorithms in Strategic Games", 5 June 2011

An object of n x m blocks has n * m handlers: its box includes the right and the lower edge, because touching counts
here. A block of N objects costs N(N-1)/2 checks. Of the blocks in which a pair meets, the one with the upper-left
corner of what the two boxes have in common reports it: both have a handler there, and there is only one such block.
"""

from __future__ import annotations

import numpy as np

from retrosim.collide import arguments
from retrosim.collide.boxes import box_exit
from retrosim.collide.results import pair_list, tally_table
from retrosim.jit import kernel

LEAST_BLOCK, MOST_BLOCK = 16, 4096
END = np.int32(-1)


@kernel
def measure_plane(x, y, sides, log2_block):
    """Return what the lists need.

    x, y     int16[n] or int32[n]  upper-left corners, pixels, not negative
    sides    int32[n, 2]           widths and heights
    Returns  int, int, int         columns and rows of blocks, handlers
    """
    columns, rows, handlers = 0, 0, 0
    for i in range(len(x)):
        left, right = int(x[i]) >> log2_block, (int(x[i]) + sides[i, 0]) >> log2_block
        top, bottom = int(y[i]) >> log2_block, (int(y[i]) + sides[i, 1]) >> log2_block
        columns, rows = max(columns, right + 1), max(rows, bottom + 1)
        handlers += (right - left + 1) * (bottom - top + 1)
    return columns, rows, handlers


@kernel
def place_handlers(x, y, sides, log2_block, heads, objects, links):
    """Give every block a handler for each object that reaches into it, the last object in front.

    heads    int32[columns, rows]  output, first handler of each block, or END
    objects  int32[h]              output, the object of each handler
    links    int32[h]              output, next handler of the same block, or END
    Source   document 003, Introduction
    """
    heads[:] = END
    handler = 0
    for i in range(len(x)):
        for column in range(int(x[i]) >> log2_block, ((int(x[i]) + sides[i, 0]) >> log2_block) + 1):
            for row in range(int(y[i]) >> log2_block, ((int(y[i]) + sides[i, 1]) >> log2_block) + 1):
                objects[handler] = i
                links[handler] = heads[column, row]
                heads[column, row] = handler
                handler += 1


@kernel
def scan_blocks(x, y, sides, log2_block, heads, objects, links, found, tally):
    """Check all pairs of each block, list those that overlap or touch, each once, and count the checks.

    found    int32[m, 2]           output, block by block, lower index first; pairs beyond m rows are only counted
    tally    int64[columns, rows]  output, or larger: checks in each block
    Returns  int                   pairs
    """
    total = 0
    for column in range(heads.shape[0]):
        for row in range(heads.shape[1]):
            checks = 0
            first = heads[column, row]
            while first != END:
                a = objects[first]
                second = links[first]
                while second != END:
                    b = objects[second]
                    checks += 1
                    ax, ay, bx, by = int(x[a]), int(y[a]), int(x[b]), int(y[b])
                    if (
                        box_exit(ax, ay, sides[a, 0], sides[a, 1], bx, by, sides[b, 0], sides[b, 1]) == 0
                        and max(ax, bx) >> log2_block == column
                        and max(ay, by) >> log2_block == row
                    ):
                        if total < len(found):
                            found[total, 0] = min(a, b)
                            found[total, 1] = max(a, b)
                        total += 1
                    second = links[second]
                first = links[first]
            tally[column, row] = checks
    return total


def _scan(x, y, size, block, out=None, tally=None):
    """Return the pairs in the order of the blocks, and the checks made in each block."""
    count = arguments.check_coordinates(x=x, y=y)
    arguments.check_range(0, arguments.MOST, x=x, y=y)
    sides = arguments.side_table("size", size, count)
    side = arguments.check_side("block", block, MOST_BLOCK, LEAST_BLOCK)
    if side & (side - 1):
        raise ValueError(f"block {side}: allowed the powers of two {LEAST_BLOCK}..{MOST_BLOCK}")
    log2_block = side.bit_length() - 1
    columns, rows, handlers = measure_plane(x, y, sides, log2_block)
    heads = np.empty((columns, rows), np.int32)
    tally = tally_table(tally, columns, rows)
    objects, links = np.empty(handlers, np.int32), np.empty(handlers, np.int32)
    place_handlers(x, y, sides, log2_block, heads, objects, links)
    return pair_list(
        lambda found: scan_blocks(x, y, sides, log2_block, heads, objects, links, found, tally), out, 4 * count
    ), tally[:columns, :rows]


def pairs(
    x: np.ndarray,
    y: np.ndarray,
    *,
    size: int | np.ndarray = 30,
    block: int = 64,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """List every pair of boxes that overlap or touch once: the candidates for one of the finer tests.

    Returns  int32[m, 2]  indices, the lower one first, in ascending order
    """
    found = _scan(x, y, size, block, out=out)[0]
    found[:] = found[np.lexsort((found[:, 1], found[:, 0]))]
    return found


def tally_tests(
    x: np.ndarray,
    y: np.ndarray,
    *,
    size: int | np.ndarray = 30,
    block: int = 64,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Run the checks and return how many were made in each block.

    Returns  int64[columns, rows]  up to the last block that any object reaches into
    """
    return _scan(x, y, size, block, tally=out)[1]
