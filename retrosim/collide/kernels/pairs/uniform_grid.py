"""Many boxes of one size on a plane: sorted into the columns of a uniform grid, columns into cells, cells compared.

A cell is 1 << log2_cell pixels high, at least as high as a box, and as wide as its column: two or four times as wide
as high. While objects are sorted each is one word of 64 bits: from the top down y, the lower bits of x, its number.
What overlaps an object is in its own column or, if it lies in the left half of that, in the one to the left, else in
the one to the right: in two runs of neighbours, since the cells of a column lie one after the other. A run rarely has
more than ROW objects, so it is compared by one vector, whatever its length. The lower 8 bits of x and y are enough for
that, in cells of the lowest height: no two objects of two runs are 256 - 31 pixels apart. Else it is 16 bits.

For flags both runs are looked at; then an object's flag is known at once and written once. Cells whose runs are longer
than a vector are listed and looked at again afterwards, so that most objects need no test. For pairs it is the rest of
its own run and the run to the right. The first ROUNDS of their hits are written without asking whether there are so
many, and the count moves on only by those that exist: that costs less than branches that cannot be predicted.

Constants are handed on as np.int64(..): the compiler makes a function anew for every constant that it is called with.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retrosim.jit import Entry, kernel

from . import small
from .hierarchical_grid import FIRST, NONE
from .sectors import MAX_SIDE, copy_axis
from .simd import ONE_OF_TWO, SQUARES_AT_ONCE, lowest_bit, square_bits, square_twins
from .small import DONE, REFUSED, TOO_LARGE

COORDINATE_BITS, INDEX_BITS = 20, 22  # of x and of y, and of an object's number
X_SHIFT = INDEX_BITS
MAX_COORDINATE, MAX_OBJECTS = (1 << COORDINATE_BITS) - 1, 1 << INDEX_BITS
INDEX_MASK = MAX_OBJECTS - 1
LOG2_CELL, MAX_LOG2_CELL = 5, 12  # of larger cells 16 bits would not be enough for three columns
SHORT_BITS, LONG_BITS = 8, 16  # of x and of y: enough in cells of the lowest height, and in all
CORNERS_8, CORNERS_16 = np.empty(0, np.int16), np.empty(0, np.int32)  # of the types of `CellObjects.corners`
CORNERS_8.flags.writeable = CORNERS_16.flags.writeable = False  # as the compiler takes them in kernels, too
CROWD = 10  # objects in a run of wide cells from which on narrow ones are better
ROW = SQUARES_AT_ONCE
LAST = 1 << (2 * ROW - 1)  # a bit for `lowest_bit` to find in any case
ROUNDS = 3
PAIRS_EACH = 16  # of an object, up to which its number is found by looking at pairs
MAX_COUNTED = 1 << 31  # pairs: nobody has room for them, and millions of objects at one place have many times more


class Grid(NamedTuple):
    """A uniform grid.

    columns, cells  int  columns, and cells in each; no columns if a corner is where it must not be
    log2_cell       int  log2 of the height of a cell, pixels
    log2_column     int  log2 of its width: one or two more
    """

    columns: int
    cells: int
    log2_cell: int
    log2_column: int


class CellObjects(NamedTuple):
    """The objects of three columns, cell by cell.

    corners  int16[m] or int32[m]  the lower bits of y, and of x, see `simd.square_bits`
    words    int64[m]              y, the lower bits of x, number
    """

    corners: np.ndarray
    words: np.ndarray


@kernel
def plan_grid(count, highest_x, highest_y, max_x, max_y):
    """Choose a grid.

    count                 int   objects
    highest_x, highest_y  int   what `sectors.copy_axis` returned for their corners, pixels
    Returns               Grid  without columns if a corner lies outside 0..max_x, 0..max_y
    """
    if highest_x < 0 or highest_y < 0 or highest_x > max_x or highest_y > max_y:
        return Grid(0, 0, 0, 0)
    log2 = LOG2_CELL  # a sparse plane has larger cells
    while log2 < MAX_LOG2_CELL and ((highest_x >> log2 + 1) + 1) * ((highest_y >> log2) + 1) > 4 * count + 1024:
        log2 += 1
    is_sparse = (count << log2 + 2) * (3 << log2) <= CROWD * (highest_x + 1) * (highest_y + 1)
    log2_column = log2 + 2 if is_sparse else log2 + 1
    return Grid((highest_x >> log2_column) + 1, (highest_y >> log2) + 1, log2, log2_column)


@kernel
def count_columns(x, begin, end, log2_column, counts):
    """Add the objects begin .. end - 1 to the counts of their columns.

    x       int32[n]        pixels, those that the grid was planned for, in memory of our own
    counts  int32[columns]  added to
    """
    for i in range(begin, end):
        counts[np.uint64(int(x[np.uint64(i)]) >> log2_column)] += 1


@kernel
def begin_columns(counts, columns):
    """Turn counts into the indices at which each thread's part of each column begins.

    counts   int32[threads, columns]  changed
    columns  int32[columns + 1]       output: where each column begins, and the number of objects
    """
    total = 0
    for c in range(counts.shape[1]):
        columns[c] = total
        for t in range(counts.shape[0]):
            count = counts[t, c]
            counts[t, c] = total
            total += count
    columns[counts.shape[1]] = total


@kernel
def low_bits_of(grid):
    """Return how many of the lower bits of x and of y are enough to compare the objects of neighbouring cells."""
    return SHORT_BITS if grid.log2_cell == LOG2_CELL else LONG_BITS


@kernel
def fill_columns(x, y, begin, end, grid, cursors, words):
    """Write the objects begin .. end - 1 as words into their columns.

    x, y     int32[n]        see `count_columns`, which counted the same
    cursors  int32[columns]  where the next object of each column goes; advanced
    words    int64[n]        output
    """
    low_bits, log2_column = low_bits_of(grid), grid.log2_column
    low, y_shift = (1 << low_bits) - 1, X_SHIFT + low_bits
    for i in range(begin, end):
        at_x = int(x[np.uint64(i)])
        column = np.uint64(at_x >> log2_column)
        to = cursors[column]
        cursors[column] = to + 1
        words[np.uint64(to)] = int(y[np.uint64(i)]) << y_shift | (at_x & low) << X_SHIFT | i


@kernel
def load_column(words, begin, end, log2_cell, to, starts, objects):
    """Sort a column into its cells.

    words    int64[n]          the column is begin .. end - 1
    to       int               where its first object goes
    starts   int32[cells + 3]  output: where each cell begins, the real ones from 1 on. They have an empty one on either
                               side, so starts[c], starts[c + 3] are the limits of real cell c and its two neighbours
    objects  Objects           output
    """
    corners, sorted_words = objects
    half = 4 * corners.itemsize  # bits
    shift, above = X_SHIFT + half + log2_cell, 64 - X_SHIFT - 2 * half
    starts[:] = 0
    for w in range(begin, end):
        starts[np.uint64((words[np.uint64(w)] >> shift) + 3)] += 1
    for c in range(len(starts)):
        to += starts[c]
        starts[c] = to
    for w in range(begin, end):
        word = words[np.uint64(w)]
        cell = np.uint64((word >> shift) + 2)
        place = np.uint64(starts[cell])
        starts[cell] += 1
        corners[place] = word << above >> above + X_SHIFT
        sorted_words[place] = word


@kernel
def find_crowds(starts, crowds):
    """List the cells that have, with their two neighbours, more objects than one vector holds.

    starts   int32[cells + 3]  see `load_column`
    crowds   int32[cells]      output
    Returns  int               how many
    """
    count = 0
    for cell in range(len(starts) - 3):
        if starts[np.uint64(cell + 3)] - starts[np.uint64(cell)] > ROW:
            crowds[np.uint64(count)] = cell
            count += 1
    return count


@kernel
def run_bits(corners, begin, end, corner, size):
    """Return which of the first ROW objects of a run overlap a square; see `simd.square_bits`."""
    return square_bits(corners, begin, corner, size) & ((np.int64(1) << min(end - begin, ROW)) - 1)


@kernel
def has_overlaps(corners, begin, end, corner, size, more_than):
    """Tell whether more than so many of the objects begin .. end - 1 overlap a square."""
    for at in range(begin, end, ROW):
        near = run_bits(corners, at, end, corner, size)
        while near:
            if more_than == 0:
                return True
            more_than -= 1
            near &= near - 1
    return False


@kernel
def mark_column(left, here, right, begin, end, grid, size, objects, flags):
    """Flag the objects of a column that collide with each other or with those of the columns on either side.

    Of a crowded run the first ROW objects are looked at.

    left, here, right  int32[cells + 3]  the starts of three columns, see `load_column`
    begin, end         int               the objects of the one in the middle
    objects            Objects           of all three
    flags              uint8[n]          output, for all objects of the column
    """
    corners, words = objects
    shift, side = X_SHIFT + 4 * corners.itemsize + grid.log2_cell, X_SHIFT + grid.log2_column - 1
    for i in range(begin, end):
        word, corner = words[np.uint64(i)], np.int64(corners[np.uint64(i)])
        above = np.uint64(word >> shift)
        below = above + np.uint64(3)
        a, a_end = here[above], here[below]
        b, b_end = (right[above], right[below]) if word >> side & 1 else (left[above], left[below])
        near = square_twins(corners, a, a_end - a, corner, size) & ONE_OF_TWO
        near &= near - 1  # one of them is the object itself, or it is crowded
        near |= square_twins(corners, b, b_end - b, corner, size)
        flags[np.uint64(word & INDEX_MASK)] = near != 0


@kernel
def mark_crowds(crowds, are_here, left, here, right, grid, size, objects, flags):
    """Flag what `mark_column` has missed in crowded cells.

    crowds    int32[..]  from `find_crowds`
    are_here  bool       whether these cells are of the column in the middle
    """
    corners, words = objects
    side = X_SHIFT + grid.log2_column - 1
    for above in crowds:
        below = above + 3
        a, a_end = here[above], here[below]
        if not are_here and a_end - a > ROW:  # it has its turn, or had it
            continue
        for i in range(here[above + 1], here[above + 2]):
            word, corner = words[np.uint64(i)], np.int64(corners[np.uint64(i)])
            object_ = np.uint64(word & INDEX_MASK)
            if flags[object_]:
                continue
            b, b_end = (right[above], right[below]) if word >> side & 1 else (left[above], left[below])
            flags[object_] = has_overlaps(corners, a, a_end, corner, size, 1) or has_overlaps(
                corners, b, b_end, corner, size, 0
            )


@kernel
def list_near(near, i, first, second, words, keys, total):
    """List the pairs of object `i` that two vectors of comparisons have found.

    near           int       ROW bits for the objects from `first` on, then ROW for those from `second` on
    words          int64[m]  of `CellObjects`
    keys           int64[k]  output: lower index in the upper half; pairs beyond k are only counted
    total          int       pairs so far
    Returns        int       pairs now
    """
    mine = words[np.uint64(i)] & INDEX_MASK
    if total + ROUNDS <= len(keys):
        for _ in range(ROUNDS):  # written in any case, counted if it is a pair: there is no branch to predict
            bit = lowest_bit(near | LAST)
            partner = words[np.uint64((first if bit < ROW else second - ROW) + bit)] & INDEX_MASK
            keys[np.uint64(total)] = (min(mine, partner) << 32) | max(mine, partner)
            total += np.int64(near != 0)
            near &= near - 1
    while near:
        bit = lowest_bit(near)
        partner = words[np.uint64((first if bit < ROW else second - ROW) + bit)] & INDEX_MASK
        if total < len(keys):
            keys[np.uint64(total)] = (min(mine, partner) << 32) | max(mine, partner)
        total += 1
        near &= near - 1
    return total


@kernel
def list_column(here, right, begin, end, grid, size, objects, keys, total, limit):
    """List the pairs of a column with itself and with the column to its right; see `mark_column` and `list_near`.

    limit  int  pairs beyond which crowds are not counted any more
    """
    corners, words = objects
    shift, side = X_SHIFT + 4 * corners.itemsize + grid.log2_cell, X_SHIFT + grid.log2_column - 1
    for i in range(begin, end):
        word, corner = words[np.uint64(i)], np.int64(corners[np.uint64(i)])
        above = np.uint64(word >> shift)
        below = above + np.uint64(3)
        first, first_end = i + 1, np.int64(here[below])
        second, second_end = np.int64(right[above]), np.int64(right[below])
        second_end = second_end if word >> side & 1 else second
        near = run_bits(corners, first, first_end, corner, size)
        near |= run_bits(corners, second, second_end, corner, size) << ROW
        total = list_near(near, i, first, second, words, keys, total)
        for at in range(first + ROW, first_end if total <= limit else first, ROW):  # crowded
            total = list_near(run_bits(corners, at, first_end, corner, size), i, at, at, words, keys, total)
        for at in range(second + ROW, second_end if total <= limit else second, ROW):
            total = list_near(run_bits(corners, at, second_end, corner, size), i, at, at, words, keys, total)
    return total


@kernel
def scan_columns(words, columns, first, last, grid, size, corners, flags, keys, limit):
    """Compare the columns first .. last - 1 among themselves and with their neighbours; write flags or pairs.

    words    int64[n]             objects by columns
    columns  int32[columns + 1]   where each column begins
    grid     Grid
    size     int                  side of all boxes, pixels
    corners  int16[0] or int32[0]  CORNERS_8 or CORNERS_16, as `low_bits_of` says
    flags    uint8[n] or None     output, for all objects of these columns
    keys     int64[k] or None     output, see `list_near`
    limit    int                  pairs beyond which no more columns are looked at
    Returns  int                  pairs if `keys` is given
    """
    largest, total = 0, np.int64(0)
    for c in range(max(first - 1, 0), min(last + 1, grid.columns)):
        largest = max(largest, columns[c + 1] - columns[c])
    starts = np.zeros((3, grid.cells + 3), np.int32)  # in a column beyond the border all cells are empty
    crowds, crowded = np.empty((3, grid.cells), np.int32), np.zeros(3, np.int64)
    capacity = largest + 2 * ROW
    objects = CellObjects(np.zeros(3 * capacity, corners.dtype), np.zeros(3 * capacity, np.int64))
    for c in range(max(first - 1, 0), last + 1):
        slot, end = c % 3 * capacity, min(c + 1, grid.columns)
        load_column(words, columns[min(c, end)], columns[end], grid.log2_cell, slot, starts[c % 3], objects)
        if flags is not None:
            crowded[c % 3] = find_crowds(starts[c % 3], crowds[c % 3])
        if c <= first:
            continue
        left, here, right = starts[(c + 1) % 3], starts[(c + 2) % 3], starts[c % 3]
        begin = (c + 2) % 3 * capacity
        end = begin + columns[c] - columns[c - 1]
        if flags is not None:
            mark_column(left, here, right, begin, end, grid, size, objects, flags)
            for k in range(3):
                found = crowds[k, : crowded[k]]
                mark_crowds(found, k == (c + 2) % 3, left, here, right, grid, size, objects, flags)
        if keys is not None:
            total = list_column(here, right, begin, end, grid, size, objects, keys, total, limit)
            if total > limit:
                break
    return total


@kernel
def sort_into_columns(x, y, grid, columns):
    """Sort all objects into columns; return their words. columns is int32[columns + 1], output."""
    counts, words = np.zeros((1, grid.columns), np.int32), np.empty(len(x), np.int64)
    count_columns(x, 0, len(x), grid.log2_column, counts[0])
    begin_columns(counts, columns)
    fill_columns(x, y, 0, len(x), grid, counts[0], words)
    return words


@kernel
def scan_plane(x, y, size, max_x, max_y, flags, keys, limit):
    """Flag or list what collides, in one thread.

    x, y          int16[n] or int32[n]  upper-left corners, pixels; n at most MAX_OBJECTS
    size          int                   side of all boxes, 1 .. 1 << LOG2_CELL pixels
    max_x, max_y  int                   0..MAX_COORDINATE
    flags, keys, limit  see `scan_columns`
    Returns       int                   pairs if `keys` is given, else 0; REFUSED if a corner lies outside 0..max_x,
                                        0..max_y, and then nothing is written
    """
    xs, ys = np.empty(len(x), np.int32), np.empty(len(x), np.int32)
    grid = plan_grid(len(x), copy_axis(x, xs), copy_axis(y, ys), max_x, max_y)
    if grid.columns == 0:
        return REFUSED
    columns = np.empty(grid.columns + 1, np.int32)
    words = sort_into_columns(xs, ys, grid, columns)
    if low_bits_of(grid) == SHORT_BITS:
        return scan_columns(words, columns, np.int64(0), grid.columns, grid, size, CORNERS_8, flags, keys, limit)
    return scan_columns(words, columns, np.int64(0), grid.columns, grid, size, CORNERS_16, flags, keys, limit)


@kernel
def is_plane(x, y, size):
    """Check lengths and the side."""
    return len(x) == len(y) and len(x) <= MAX_OBJECTS and 1 <= size <= MAX_SIDE


@kernel
def check_and_mark(x, y, size, max_x, max_y, flags):
    """Flag every object that collides, after a check of all values. Status: DONE or REFUSED."""
    if not is_plane(x, y, size) or len(flags) != len(x):
        return REFUSED
    return DONE if scan_plane(x, y, size, max_x, max_y, flags, None, np.int64(MAX_COUNTED)) != REFUSED else REFUSED


@kernel
def check_and_list(x, y, size, max_x, max_y, rows):
    """List every pair that collides, after a check of all values.

    rows     int32[k, 2]  output: k keys in the same memory, see `list_near`
    Returns  int          pairs, or REFUSED
    """
    if not is_plane(x, y, size) or rows.shape[1] != 2:
        return REFUSED
    return scan_plane(x, y, size, max_x, max_y, None, rows.view(np.int64).reshape(-1), np.int64(MAX_COUNTED))


@kernel
def lower_to(results, i, partner):
    """Make `partner` the first that object `i` collides with, unless there is one with a lower number."""
    if results[np.uint64(i)] == NONE or partner < results[np.uint64(i)]:
        results[np.uint64(i)] = partner


@kernel
def number_scene(x, y, size, max_x, max_y, wanted, results, xs, ys, keys):
    """Count the objects that each one collides with, or find the lowest of them.

    x, y, size, max_x, max_y  see `scan_plane`
    wanted   int               COUNTS or FIRST of `hierarchical_grid`
    results  int32[n]          output
    xs, ys   int16[MAX_OBJECTS of `small`]  memory
    keys     int64[k]          memory
    Returns  int               DONE, REFUSED as by `scan_plane`, TOO_LARGE: k is too few for the pairs
    """
    status = small.copy_corners(x, y, max_x, max_y, xs, ys)
    if status == DONE:
        small.number_small(xs, ys, len(x), size, wanted, results)
    if status != TOO_LARGE:
        return status
    total = scan_plane(x, y, size, max_x, max_y, None, keys, len(keys))
    if total < 0 or total > len(keys):
        return REFUSED if total < 0 else TOO_LARGE
    results[:] = NONE if wanted == FIRST else 0
    for k in range(total):
        key = keys[np.uint64(k)]
        one, other = key >> 32, key & 0xFFFFFFFF
        if wanted == FIRST:
            lower_to(results, one, other)
            lower_to(results, other, one)
        else:
            results[np.uint64(one)] += 1
            results[np.uint64(other)] += 1
    return DONE


@kernel
def check_and_number(x, y, size, max_x, max_y, wanted, results):
    """Do what `number_scene` does, after a check of all values."""
    if not is_plane(x, y, size) or len(results) != len(x):
        return REFUSED
    xs, ys = np.empty(small.MAX_OBJECTS, np.int16), np.empty(small.MAX_OBJECTS, np.int16)
    return number_scene(x, y, size, max_x, max_y, wanted, results, xs, ys, np.empty(PAIRS_EACH * len(x), np.int64))


MARK, LIST, NUMBER = Entry(check_and_mark), Entry(check_and_list), Entry(check_and_number)


# Many scenes of boxes of one size in one call. Their arguments have been checked.
#
#     x, y    int16[total] or int32[total]  upper-left corners, pixels, 0..MAX_COORDINATE
#     starts  int64[scenes + 1]             scene s is starts[s] .. starts[s + 1] - 1
#     size    int                           side of all boxes, pixels


@kernel
def mark_scenes(x, y, starts, size, flags):
    """Flag every object that collides in its scene: flags is uint8[total], output."""
    xs, ys = np.empty(small.MAX_OBJECTS, np.int16), np.empty(small.MAX_OBJECTS, np.int16)
    for s in range(len(starts) - 1):
        begin, end, far = starts[s], starts[s + 1], np.int64(MAX_COORDINATE)
        if small.copy_corners(x[begin:end], y[begin:end], far, far, xs, ys) == DONE:
            small.mark_small(xs, ys, end - begin, size, flags[begin:end])
        else:
            scan_plane(x[begin:end], y[begin:end], size, far, far, flags[begin:end], None, np.int64(MAX_COUNTED))


@kernel
def list_scenes(x, y, starts, size, rows, keys, origins, ends, are_keys):
    """List the pairs of all scenes; those that there is no room for are only counted.

    rows      int32[k, 2]    output, scene after scene
    keys      int64[k]       the same memory
    origins   int64[scenes]  the index of the first object of each scene, in rows
    ends      int64[scenes]  output: where the pairs of each scene end
    are_keys  bool[scenes]   output: pairs of this scene are keys, see `pair_keys`, from 0 on, not rows in order
    """
    total = np.int64(0)
    xs, ys = np.empty(small.MAX_OBJECTS, np.int16), np.empty(small.MAX_OBJECTS, np.int16)
    for s in range(len(starts) - 1):
        begin, end, far = starts[s], starts[s + 1], np.int64(MAX_COORDINATE)
        status = small.copy_corners(x[begin:end], y[begin:end], far, far, xs, ys)
        are_keys[s] = status != DONE
        if status == DONE:
            first = total
            total += small.list_small(xs, ys, end - begin, size, rows[total:])
            for p in range(first, min(total, len(rows)) if origins[s] else first):
                rows[np.uint64(p), 0] += origins[s]
                rows[np.uint64(p), 1] += origins[s]
        else:
            total += scan_plane(x[begin:end], y[begin:end], size, far, far, None, keys[total:], np.int64(MAX_COUNTED))
        ends[s] = total


@kernel
def number_scenes(x, y, starts, size, wanted, results):
    """Do what `number_scene` does for all scenes; first objects are indices of the whole arrays. Status: see there."""
    largest = np.int64(0)
    for s in range(len(starts) - 1):
        largest = max(largest, starts[s + 1] - starts[s])
    xs, ys = np.empty(small.MAX_OBJECTS, np.int16), np.empty(small.MAX_OBJECTS, np.int16)
    keys = np.empty(PAIRS_EACH * largest, np.int64)
    for s in range(len(starts) - 1):
        begin, end, far = starts[s], starts[s + 1], np.int64(MAX_COORDINATE)
        here = results[begin:end]
        status = number_scene(x[begin:end], y[begin:end], size, far, far, wanted, here, xs, ys, keys)
        if status != DONE:
            return status
        for i in range(len(here) if wanted == FIRST else 0):
            if here[i] != NONE:
                here[i] += begin
    return DONE
