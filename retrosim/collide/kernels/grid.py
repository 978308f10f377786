"""The sector grid of document 000: 640x480 pixels in sectors of 64, one spare column and row for the shift.

A workspace is one uint32 array: SECTORS list heads, then two words per object (its link, and room to gather a list).
Lists are chains of object numbers that end with END, as the original's were chains of pointers that ended with NULL.

Coordinates are upper-left corners. The heads would bear 0..671 by 0..543 (`SCREEN` plus what the shifted grid leaves
spare), but the routines promise, and check, the screen itself. On the screen the spare row is never used: 480 is not
a multiple of 64, so the last row of sectors has 32 pixels to spare already.
"""

from __future__ import annotations

import numpy as np

from retrosim.collide.arguments import check_side
from retrosim.jit import kernel

SCREEN_WIDTH, SCREEN_HEIGHT = 640, 480
LOG2_SECTOR = 6
SECTOR = 1 << LOG2_SECTOR
SHIFT = SECTOR // 2
COLUMNS = -(-SCREEN_WIDTH // SECTOR) + 1
ROWS = -(-SCREEN_HEIGHT // SECTOR) + 1
SECTORS = COLUMNS * ROWS
LARGEST_SIDE = SHIFT - 1  # two corners nearer than half a sector are parted by at most one of the two grids
END = np.uint32(0xFFFFFFFF)
MOST_OBJECTS = 1 << 22  # of a workspace or a scene; the methods themselves have no such limit

RIGHTMOST, LOWEST = SCREEN_WIDTH - 1, SCREEN_HEIGHT - 1


def workspace(count: int) -> np.ndarray:
    """Return uint32 scratch space for up to `count` objects; hand it to any routine again and again."""
    return np.empty(SECTORS + 2 * check_side("count", count, MOST_OBJECTS, 0), np.uint32)


@kernel
def first_outside(x, y):
    """Return the index of the first object whose corner is off the screen, or -1.

    x, y  int16[n] or int32[n]  upper-left corners, pixels
    """
    signs = 0
    for i in range(len(x)):
        signs |= int(x[i]) | (RIGHTMOST - int(x[i])) | int(y[i]) | (LOWEST - int(y[i]))
    if signs >= 0:
        return -1
    for i in range(len(x)):
        if int(x[i]) < 0 or int(x[i]) > RIGHTMOST or int(y[i]) < 0 or int(y[i]) > LOWEST:
            return i
    return -1


@kernel
def place(x, y, xoff, yoff, heads, links):
    """Empty all lists, then push every object, in order, on the front of its sector's list.

    x, y        int16[n] or int32[n]  upper-left corners on the screen, pixels
    xoff, yoff  int                   shift of the grid, 0 or SHIFT
    heads       uint32[SECTORS]       output, first object of each sector, x major
    links       uint32[n]             output, next object of the same sector
    Source      Moertel 1994, UpdateSectors
    """
    heads[:] = END
    for o in range(len(x)):
        sector = np.uint64(((int(x[o]) + xoff) >> LOG2_SECTOR) * ROWS + ((int(y[o]) + yoff) >> LOG2_SECTOR))
        links[o] = heads[sector]
        heads[sector] = np.uint32(o)
