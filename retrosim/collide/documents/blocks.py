"""Boxes in a plane cut into blocks (Rekaby 2011): each block has a handler for every object that reaches into it.

    >>> import numpy as np
    >>> from retrosim.collide.documents import blocks
    >>> x, y = np.array([50, 70, 300], np.int16), np.array([50, 60, 300], np.int16)
    >>> blocks.pairs(x, y, size=30, block=64).tolist()  # they meet in two blocks, and are reported once
    [[0, 1]]
    >>> blocks.tally_tests(x, y, size=30, block=64)[:2, :2].tolist()  # the checks in the first blocks
    [[0, 0], [1, 1]]
    >>> piled = np.zeros(100, np.int16)
    >>> int(blocks.tally_tests(piled, piled, size=30, block=64).sum())  # Rekaby's example
    4950

Conventions
    x, y    int16[n] or int32[n], C-contiguous; upper-left corners, pixels, 0..16383
    size    sides, pixels, 0..16383: one number, int[n], or int[n, 2] with width and height
    block   side of a block, pixels: a power of two, 16..4096, such that 33554432 handlers are enough
    out     where to write, instead of making an array: int32[m, 2] or int64[columns, rows], large enough
    Errors  ValueError  wrong dtype, shape or length; a value out of range, named with the range
    Source  Rekaby, "Study of Collision Detection Algorithms in Strategic Games", 5 June 2011

An object of n x m blocks has n * m handlers: its box includes the right and the lower side, because touching counts
here. A block of N objects costs N(N-1)/2 checks. Of the blocks in which a pair meets, the one that holds the upper-left
corner of what the two boxes have in common reports it: both have a handler there, and there is only one such block.
"""

from __future__ import annotations

import numpy as np

from retrosim.checks import check_integer

from .._arguments import MAX_COORDINATE, check_vectors, own_within, size_table
from .._results import pair_list, tally_table
from ..kernels.documents.blocks import measure_plane, scan_plane

MIN_BLOCK, MAX_BLOCK = 16, 4096
MAX_HANDLERS = 1 << 25  # 256 MB


def _scan(x, y, size, block, out=None, tally=None):
    """Return the pairs in the order of the blocks, and the checks made in each block."""
    check_vectors(x=x, y=y)
    x, y = own_within(0, MAX_COORDINATE, x=x, y=y)
    side = check_integer("block", block, MIN_BLOCK, MAX_BLOCK)
    if side & (side - 1):
        raise ValueError(f"block {side}: allowed the powers of two {MIN_BLOCK}..{MAX_BLOCK}")
    boxes = (x, y, size_table("size", size, len(x)), side.bit_length() - 1)
    plane = columns, rows, handlers = measure_plane(*boxes)
    if handlers > MAX_HANDLERS:
        raise ValueError(f"block {side}: {handlers} handlers, allowed {MAX_HANDLERS}; larger blocks need fewer")
    tally = tally_table(tally, columns, rows)
    found = pair_list(lambda found: scan_plane(*boxes, plane, found, tally), out, 4 * len(x))
    return found, tally[:columns, :rows]


def pairs(
    x: np.ndarray, y: np.ndarray, *, size: int | np.ndarray = 30, block: int = 64, out: np.ndarray | None = None
) -> np.ndarray:
    """List every pair of boxes that overlap or touch once: the candidates for one of the finer tests.

    Returns  int32[m, 2]  indices, the lower one first, in ascending order
    """
    found = _scan(x, y, size, block, out=out)[0]
    ours = found if out is None else found.copy()  # sorted where nobody else can write
    found[:] = ours[np.lexsort((ours[:, 1], ours[:, 0]))]
    return found


def tally_tests(
    x: np.ndarray, y: np.ndarray, *, size: int | np.ndarray = 30, block: int = 64, out: np.ndarray | None = None
) -> np.ndarray:
    """Run the checks and return how many were made in each block.

    Returns  int64[columns, rows]  up to the last block that any object reaches into
    """
    return _scan(x, y, size, block, tally=out)[1]
