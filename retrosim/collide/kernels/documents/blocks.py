"""Boxes in a plane cut into blocks; see `retrosim.collide.documents.blocks`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retrosim.jit import kernel

from ..shapes.boxes import box_exit

END = np.int32(-1)


class Handlers(NamedTuple):
    """For each block a list of the objects that reach into it: one handler for each of them.

    heads    int32[columns, rows]  first handler of each block, or END
    objects  int32[h]              the object of each handler
    links    int32[h]              next handler of the same block, or END
    """

    heads: np.ndarray
    objects: np.ndarray
    links: np.ndarray


@kernel
def measure_plane(x, y, size, log2_block):
    """Return how large a plane must be.

    x, y     int16[n] or int32[n]  upper-left corners, pixels, not negative
    size     int32[n, 2]           widths and heights
    Returns  int, int, int         columns and rows of blocks, handlers
    """
    columns, rows, handlers = 0, 0, 0
    for i in range(len(x)):
        left, right = int(x[i]) >> log2_block, (int(x[i]) + size[i, 0]) >> log2_block
        top, bottom = int(y[i]) >> log2_block, (int(y[i]) + size[i, 1]) >> log2_block
        columns, rows = max(columns, right + 1), max(rows, bottom + 1)
        handlers += (right - left + 1) * (bottom - top + 1)
    return columns, rows, handlers


@kernel
def place_handlers(x, y, size, log2_block, handlers):
    """Give every block a handler for each object that reaches into it, the last object in front.

    x, y, size  as for `measure_plane`
    handlers    Handlers  output
    Source      Rekaby 2011, Introduction
    """
    heads, objects, links = handlers
    heads[:] = END
    handler = 0
    for i in range(len(x)):
        for column in range(int(x[i]) >> log2_block, ((int(x[i]) + size[i, 0]) >> log2_block) + 1):
            for row in range(int(y[i]) >> log2_block, ((int(y[i]) + size[i, 1]) >> log2_block) + 1):
                objects[handler] = i
                links[handler] = heads[column, row]
                heads[column, row] = handler
                handler += 1


@kernel
def scan_blocks(x, y, size, log2_block, handlers, found, tally):
    """Check all pairs of each block, list those that overlap or touch, each once, and count the checks.

    x, y, size  as for `measure_plane`
    handlers    Handlers              as placed
    found       int32[m, 2]           output, block by block, lower index first
    tally       int64[columns, rows]  output, or larger: checks in each block
    Returns     int                   pairs
    """
    heads, objects, links = handlers
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
                        box_exit((ax, ay, size[a, 0], size[a, 1]), (bx, by, size[b, 0], size[b, 1])) == 0
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


@kernel
def scan_plane(x, y, size, log2_block, plane, found, tally):
    """Do what `place_handlers` and `scan_blocks` do; plane: what `measure_plane` returned."""
    columns, rows, count = plane
    handlers = Handlers(np.empty((columns, rows), np.int32), np.empty(count, np.int32), np.empty(count, np.int32))
    place_handlers(x, y, size, log2_block, handlers)
    return scan_blocks(x, y, size, log2_block, handlers, found, tally)
