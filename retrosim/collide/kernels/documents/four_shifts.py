"""The method of Moertel 1994: four passes over the sectors, the grid shifted by half a sector between them."""

from __future__ import annotations

import numpy as np

from retrosim.jit import kernel

from ..pairs.overlap import box_of, is_overlap, is_overlap_along, note_hit
from ..pairs.sector_grid import END, SECTORS, SHIFT, copy_axis, first_of, first_outside, next_of, place


@kernel
def mark_four_shifts(x, y, size, is_16_bit, work, flags):
    """Flag all objects that collide: the original's routine, for boxes of one size.

    x, y       int16[n] or int32[n]   upper-left corners, pixels
    size       int                    side of every box, 1..MAX_SIDE pixels
    is_16_bit  bool                   differences are 16 bits wide (16-bit scalar, inline `_Abs`), else 32
    work       uint32[SECTORS + n]    scratch, or more
    flags      uint8[n]               output, 1 where an object collides; untouched unless the status is -1
    Status     int                    -1, or the index of the first object off the screen
    Source     Moertel 1994, _DetermineCollisions
    """
    outside = first_outside(x, y)
    if outside >= 0:
        return outside
    heads = work[:SECTORS]
    links = work[SECTORS:]
    flags[:] = 0
    for shift in range(4):
        place(x, y, (shift >> 1) * SHIFT, (shift & 1) * SHIFT, heads, links)
        for sector in range(SECTORS):
            a = first_of(heads, sector, len(x))
            while a != END:
                b = next_of(links, a)
                while b != END:
                    if is_overlap_along(x[a], x[b], size, size, is_16_bit) and is_overlap_along(
                        y[a], y[b], size, size, is_16_bit
                    ):
                        flags[a] = 1
                        flags[b] = 1
                    b = next_of(links, b)
                a = next_of(links, a)
    return -1


@kernel
def copy_and_mark(x, y, size, is_16_bit, work, flags):
    """Do what `mark_four_shifts` does, with copies of corners that another thread may write."""
    xs, ys = np.empty(len(x), np.int32), np.empty(len(x), np.int32)
    copy_axis(x, xs)
    copy_axis(y, ys)
    return mark_four_shifts(xs, ys, size, is_16_bit, work, flags)


@kernel
def scan_four_shifts(boxes, is_16_bit, work, flags, reports, tally, log2, rows):
    """Flag, report and count: the original's four passes, for boxes of any allowed sizes.

    Its sectors are as many as the tally has entries.

    boxes      Boxes                  on the screen, sides 1..MAX_SIDE pixels
    is_16_bit  bool                   differences are 16 bits wide, else 32
    work       uint32[SECTORS + n]    scratch, or more
    flags      uint8[n]               output, zero on entry; 1 where a box is in a collision
    reports    int32[m, 2]            output, hits in the original's order; those beyond m rows are only counted
    tally      int64[SECTORS]         output, zero on entry; pair tests made in each sector, column by column
    log2, rows int                    of a sector's pixels, and sectors in a column
    Returns    int                    reports
    Source     Moertel 1994, _DetermineCollisions
    """
    x, y, width, height = boxes
    heads = work[: len(tally)]
    links = work[len(tally) :]
    half = 1 << (log2 - 1)
    total = 0
    for shift in range(4):
        place(x, y, (shift >> 1) * half, (shift & 1) * half, heads, links, log2, rows)
        for sector in range(len(tally)):
            tests = 0
            a = first_of(heads, sector, len(x))
            while a != END:
                b = next_of(links, a)
                while b != END:
                    tests += 1
                    if is_overlap(box_of(x, y, width, height, a), box_of(x, y, width, height, b), is_16_bit):
                        total = note_hit(flags, reports, total, a, b)
                    b = next_of(links, b)
                a = next_of(links, a)
            tally[sector] += tests
    return total
