"""The sector grid of Moertel 1994: 640x480 pixels in sectors of 64, with a spare column and a spare row for the shift.

A sector's list is a chain of object numbers that ends with END, as the original's was a chain of pointers that ended
with NULL. A workspace is one uint32 array: SECTORS list heads, then the link of each object.

Coordinates are upper-left corners. The heads would hold 0..671 by 0..543 (the grid, less the shift), but the functions
promise, and check, the screen itself. On the screen the spare row is never used: 480 is not a multiple of 64, so the
last row of sectors has 32 pixels to spare anyway.

The grid comes first, then the pair test, all pairs, the four shifts, the alternatives, and random positions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retrosim.jit import kernel
from retrosim.numeric.fixed import wrap
from retrosim.numeric.random import advance, rand_scalar, rand_value

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


# The pair test, in both of its builds; see `retrosim.collide.documents.sectors.intersect`.


class HalfOpenBoxes(NamedTuple):
    """Axis-aligned boxes, half open.

    x, y           int32[n]  upper-left corners, pixels
    width, height  int32[n]  sides, pixels
    """

    x: np.ndarray
    y: np.ndarray
    width: np.ndarray
    height: np.ndarray


@kernel
def is_overlap_along(a, b, side_a, side_b, is_16_bit):
    """Tell whether two boxes overlap along one axis.

    a, b            int   coordinates, pixels
    side_a, side_b  int   sides along that axis, pixels
    is_16_bit       bool  differences are 16 bits wide, else 32
    Source          Moertel 1994, _Abs and _IntersectQ: strict, touching edges do not overlap
    """
    distance = wrap(int(a) - int(b), is_16_bit)
    if distance < 0:
        return wrap(-distance, is_16_bit) < side_a
    return distance < side_b


@kernel
def is_overlap(a, b, is_16_bit):
    """Tell whether two boxes (x, y, width, height) overlap; as `is_overlap_along`, in both axes."""
    return is_overlap_along(a[0], b[0], a[2], b[2], is_16_bit) and is_overlap_along(a[1], b[1], a[3], b[3], is_16_bit)


@kernel
def box_of(x, y, width, height, i):
    """Return box `i` of a scene."""
    return x[i], y[i], width[i], height[i]


@kernel
def note_hit(flags, reports, total, a, b):
    """Flag both objects of a hit, write the hit into row `total` of the reports, if there is one; return total + 1."""
    flags[a] = 1
    flags[b] = 1
    if total < len(reports):
        reports[total, 0] = a
        reports[total, 1] = b
    return total + 1


@kernel
def mark_overlaps(x0, y0, sides0, x1, y1, sides1, is_16_bit, out):
    """Write 1 where box i of one list overlaps box i of another, else 0.

    x0, y0, x1, y1  int32[n]     upper-left corners, pixels
    sides0, sides1  int32[2, n]  widths, then heights
    is_16_bit       bool         as for `is_overlap_along`
    out             uint8[n]     output
    """
    for i in range(len(out)):
        a, b = box_of(x0, y0, sides0[0], sides0[1], i), box_of(x1, y1, sides1[0], sides1[1], i)
        out[i] = is_overlap(a, b, is_16_bit)


# Every object against every other: no grid, no limits on position or size, and a check on the other methods.


@kernel
def scan_all_pairs(boxes, is_16_bit, flags, reports, tally):
    """Test every pair once, in the order (0,1) (0,2) .. (1,2) ..; flag and report those that overlap.

    boxes      Boxes     anywhere
    is_16_bit  bool      differences are 16 bits wide, else 32
    others               as for `scan_four_shifts`; all tests are counted in tally[0]
    Returns    int       reports
    """
    x, y, width, height = boxes
    total = 0
    for a in range(len(x)):
        for b in range(a + 1, len(x)):
            tally[0] += 1
            if is_overlap(box_of(x, y, width, height, a), box_of(x, y, width, height, b), is_16_bit):
                total = note_hit(flags, reports, total, a, b)
    return total


# The method of the article: four passes over the sectors, the grid shifted by half a sector between them.


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


# The alternative that it argues against: one unshifted grid, each sector together with its neighbours.
#
# There are three readings of "together with". The article's formula takes all nine sectors as one list and tests every
# pair of it: L(L-1)/2 tests with L = 9K. But only pairs with an object in the middle sector need a test: K(K-1)/2 +
# 8K^2. And each pair of neighbours meets twice that way, so half of the neighbours are enough: K(K-1)/2 + 4K^2.

# Column and row of a neighbour, relative; the first four come after the sector itself, column by column.
NEIGHBOURS = ((0, 1), (1, -1), (1, 0), (1, 1), (0, -1), (-1, 1), (-1, 0), (-1, -1))


@kernel
def scan_neighbours(boxes, is_16_bit, work, flags, reports, tally, neighbours):
    """Test each sector's objects among themselves, then against those of its first `neighbours` neighbours.

    neighbours  int  4 or 8, how many of NEIGHBOURS
    The other arguments and the result are those of `scan_four_shifts`.
    """
    x, y, width, height = boxes
    heads = work[:SECTORS]
    links = work[SECTORS:]
    place(x, y, 0, 0, heads, links)
    total = 0
    for column in range(COLUMNS):
        for row in range(ROWS):
            sector = np.uint64(column * ROWS + row)
            tests = 0
            a = first_of(heads, sector, len(x))
            while a != END:
                b = next_of(links, a)
                while b != END:
                    tests += 1
                    if is_overlap(box_of(x, y, width, height, a), box_of(x, y, width, height, b), is_16_bit):
                        total = note_hit(flags, reports, total, a, b)
                    b = next_of(links, b)
                for n in range(neighbours):
                    near_column = column + NEIGHBOURS[n][0]
                    near_row = row + NEIGHBOURS[n][1]
                    if 0 <= near_column < COLUMNS and 0 <= near_row < ROWS:
                        b = first_of(heads, np.uint64(near_column * ROWS + near_row), len(x))
                        while b != END:
                            tests += 1
                            if is_overlap(box_of(x, y, width, height, a), box_of(x, y, width, height, b), is_16_bit):
                                total = note_hit(flags, reports, total, a, b)
                            b = next_of(links, b)
                a = next_of(links, a)
            tally[sector] += tests
    return total


@kernel
def scan_nine(boxes, is_16_bit, work, flags, reports, tally):
    """Gather each sector and its eight neighbours into one list, and test every pair of the list.

    Sectors without objects of their own are skipped. The arguments and the result are those of `scan_four_shifts`.
    """
    x, y, width, height = boxes
    count = len(x)
    heads = work[:SECTORS]
    links = work[SECTORS : SECTORS + count]
    gathered = np.empty(count, np.uint32)
    place(x, y, 0, 0, heads, links)
    total = 0
    for column in range(COLUMNS):
        for row in range(ROWS):
            sector = np.uint64(column * ROWS + row)
            if first_of(heads, sector, count) == END:
                continue
            length = 0
            for near_column in range(max(column - 1, 0), min(column + 2, COLUMNS)):
                for near_row in range(max(row - 1, 0), min(row + 2, ROWS)):
                    o = first_of(heads, np.uint64(near_column * ROWS + near_row), count)
                    while o != END and length < count:
                        gathered[length] = o
                        length += 1
                        o = next_of(links, o)
            for i in range(length):
                a = gathered[i]
                for j in range(i + 1, length):
                    b = gathered[j]
                    if is_overlap(box_of(x, y, width, height, a), box_of(x, y, width, height, b), is_16_bit):
                        total = note_hit(flags, reports, total, a, b)
                tally[sector] += length - 1 - i
    return total


# Random positions: its formula, and scenes of a known density.

# The screen covers ten columns of whole sectors and eight rows, the last of them half a sector high.
FILLED_COLUMNS, FILLED_ROWS = SCREEN_WIDTH // SECTOR, -(-SCREEN_HEIGHT // SECTOR)


@kernel
def randomize(x, y, state):
    """Place every object at random, as the harness of 1994 does; return the new state of the generator.

    x, y    int16[n] or int32[n]  output, 0..638 and 0..478 pixels
    state   int                   0..2**32-1
    Source  Moertel 1994, _RandomizeObjects
    """
    for i in range(len(x)):
        state = advance(state)
        x[i] = rand_scalar(SCREEN_WIDTH - 1, state)
        state = advance(state)
        y[i] = rand_scalar(SCREEN_HEIGHT - 1, state)
    return state


@kernel
def fill_sectors(x, y, each, reach, state):
    """Place `each` objects in every sector that the screen touches, anywhere in its upper left `reach` pixels.

    x, y   int16[each * 80]  output, pixels
    each   int               objects in a sector
    reach  int               1..64; up to 32 the shifted grids hold the same objects in each sector as the unshifted,
                             and all of them are on the screen
    state  int               0..2**32-1; the new state is returned
    """
    for i in range(len(x)):
        sector = i // each
        state = advance(state)
        x[i] = sector % FILLED_COLUMNS * SECTOR + rand_value(state) % reach
        state = advance(state)
        y[i] = sector // FILLED_COLUMNS * SECTOR + rand_value(state) % reach
    return state
