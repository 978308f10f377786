"""The sector grid of Moertel 1994: 640x480 pixels in sectors of 64, with a spare column and a spare row for the shift.

A sector's list is a chain of object numbers that ends with END, as the original's was a chain of pointers that ended
with NULL. A workspace is one uint32 array: SECTORS list heads, then the link of each object.

Coordinates are upper-left corners. The heads would hold 0..671 by 0..543 (the grid, less the shift), but the functions
promise, and check, the screen itself. On the screen the spare row is never used: 480 is not a multiple of 64, so the
last row of sectors has 32 pixels to spare anyway.
"""

from __future__ import annotations

import numpy as np

from retrosim.jit import kernel

SCREEN_WIDTH, SCREEN_HEIGHT = 640, 480
MAX_X, MAX_Y = SCREEN_WIDTH - 1, SCREEN_HEIGHT - 1
LOG2_SECTOR = 6
SECTOR = 1 << LOG2_SECTOR
SHIFT = SECTOR // 2
COLUMNS = -(-SCREEN_WIDTH // SECTOR) + 1
ROWS = -(-SCREEN_HEIGHT // SECTOR) + 1
SECTORS = COLUMNS * ROWS
MAX_SIDE = SHIFT - 1  # two corners closer than half a sector are separated by at most one of the two grids
END = np.uint32(0xFFFFFFFF)
LOG2_SIZES = range(4, 9)  # of sectors that the four shifts also work with, 16 to 256 pixels


@kernel
def first_outside(x, y):
    """Return the index of the first object whose corner is off the screen, or -1.

    x, y  int16[n] or int32[n]  upper-left corners, pixels
    """
    signs = 0
    for i in range(len(x)):
        signs |= int(x[i]) | (MAX_X - int(x[i])) | int(y[i]) | (MAX_Y - int(y[i]))
    if signs >= 0:
        return -1
    for i in range(len(x)):
        if int(x[i]) < 0 or int(x[i]) > MAX_X or int(y[i]) < 0 or int(y[i]) > MAX_Y:
            return i
    return -1


@kernel
def place(x, y, xoff, yoff, heads, links, log2=LOG2_SECTOR, rows=ROWS):
    """Empty all lists, then push every object, in order, on the front of its sector's list.

    x, y        int16[n] or int32[n]  upper-left corners on the screen, pixels
    xoff, yoff  int                   shift of the grid, 0 or half a sector
    heads       uint32[SECTORS]       output, first object of each sector, column by column
    links       uint32[n]             output, next object of the same sector
    log2, rows  int                   of a sector's pixels, and sectors in a column
    Source      Moertel 1994, UpdateSectors
    """
    heads[:] = END
    for o in range(len(x)):
        sector = np.uint64(((int(x[o]) + xoff) >> log2) * rows + ((int(y[o]) + yoff) >> log2))
        links[o] = heads[sector]
        heads[sector] = np.uint32(o)


@kernel
def first_of(heads, sector, count):
    """Return the first of a sector's objects, or END; END also for what `place` did not write."""
    o = heads[sector]
    return o if o < np.uint32(count) else END


@kernel
def next_of(links, o):
    """Return the next object of the same sector, or END.

    Each is lower than the one before, because `place` pushes them in order. What is not comes from another thread that
    writes into the workspace; taken for END, it ends the list.
    """
    following = links[o]
    return following if following < o else END


# Checks of whole arrays, and the copies that are checked.
#
# The caller of a library function may write into its arrays from another thread while a kernel runs. So what decides
# about an index is read once: copied into memory of our own, and checked and counted there.


@kernel
def copy_axis(values, copy):
    """Copy coordinates; return the largest, -1 if any is negative, 0 if there is none.

    values  int16[n] or int32[n]  memory of the caller
    copy    int16[n] or int32[n]  output, or longer; the numbers are cut to its type
    """
    if len(values) == 0:
        return np.int64(0)
    lowest, highest = values[0], values[0]  # of the coordinates' own type, so that the loop is vectorised
    for i in range(len(values)):
        value = values[np.uint64(i)]
        copy[np.uint64(i)] = value
        lowest, highest = min(lowest, value), max(highest, value)
    return np.int64(highest) if lowest >= 0 else np.int64(-1)
