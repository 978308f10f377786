"""Boxes of any mix of sizes: sorted into rows, rows from left to right, and runs of neighbours compared.

A box belongs to a level by its longer side, to a row of that level by its upper side, and to a place in the row by
its left side. No box of a level is wider or higher than its rows, so what overlaps a box is, in its own level and each
higher one, in two or three rows, there in one run. In a lower level it may be in many rows; still, for pairs within one
scene the few large boxes look for the many small ones where that takes fewer runs. The rows of the first level are the
higher the fewer objects there are to an area, as a sample tells: to look for a row takes longer than to compare a
vector of boxes. Level, row and place are one number, the key by which boxes are sorted. Rows with nothing in them take
no room and no time: the cost depends on the objects, not on the extent of the world, nor on an outlier in it.

A run is looked for from where the last one in that row was, by steps that grow and then shrink: a scene is searched
in its own order, so most runs begin where the last one did. A few boxes are one row that is not sorted, and one run.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retrosim.jit import kernel

from .simd import BOXES_AT_ONCE, lowest_bit, touching_bits

LEFT, TOP, RIGHT, BOTTOM, INDEX, WORD = range(6)
"""Columns of a scene. The last unit of a box belongs to it; a word is a category above a mask, see `boxes.Filter`."""
ONE, LATER, TWO, ANY = range(4)
"""What is searched: one scene for all its pairs; one for the objects behind each; another scene; so, unfiltered."""
PAIRS, FLAGS, COUNTS, FIRST = range(4)
"""What is wanted: pairs, a flag for each object, in how many pairs it is, the lowest index that it overlaps."""
BASE, LOG2, WIDTH, HEIGHT, LAST, SIZE, LEVEL_SET = range(7)
"""Columns of a table of levels: their first row, log2 of its height, the largest right - left, and bottom - top, the
number of the last row, counted from the first, and how many boxes there are; the levels in which these search for pairs
of one scene, a bit for each."""
NUMBER = 6
"""The first of two more arrays in `Work.rows`."""
NONE = -1
MAX_UNSORTED = 128  # objects that are compared without sorting
MIN_LOG2, MAX_LOG2, STEP, LEVELS = 4, 13, 3, 10  # log2 of the first level's rows; how much higher those of the next are
CROWD_LOG2 = 5  # log2 of the objects in a square as high as the first level's rows, by the estimate of their density
SAMPLE, OUTLIERS = 32, 2  # objects that tell the extent of most, and how many of them at both ends do not count
X_FRACTION = 3  # places in a row are distinguished to 1 / 8 of the rows of the lowest level
END, UNSORTED = np.int64(1 << 62), 40
FEWER = 2  # a lower level is searched if that takes so many times fewer runs than it has boxes: its rows are far apart
MAX_DIGIT = 11  # bits by which keys are sorted in one pass
MAX_DIGITS = (1 << MAX_DIGIT) + 1
MASK = 0xFFFF
MAX_RIGHT = (1 << 31) - 1


class Work(NamedTuple):
    """A scene in order, and the memory in which it was sorted; see `workspace`.

    rows    int32[8, n + BOXES_AT_ONCE]  each column of the scene, in order; twice numbers that are being sorted
    keys    int64[3, n + BOXES_AT_ONCE]  twice keys that are being sorted; the keys in order: level and row in the upper
                                         bits, the place in the row in the lower ones
    levels  int64[LEVELS, 7]             the levels in use, BASE .. LEVEL_SET
    ends    int32[MAX_DIGITS]            of the objects of each digit
    """

    rows: np.ndarray
    keys: np.ndarray
    levels: np.ndarray
    ends: np.ndarray


class Order(NamedTuple):
    """What is where in `Work`.

    count   int  objects
    used    int  levels
    left    int  x of place 0
    top     int  y of row 0 of each level
    x_bits  int  bits of a place
    shift   int  log2 of the units of x in one place
    """

    count: int
    used: int
    left: int
    top: int
    x_bits: int
    shift: int


def workspace(count: int) -> Work:
    """Return memory for scenes of up to `count` objects; compiled code that allocates takes seconds to compile."""
    return Work(
        np.empty((NUMBER + 2, count + BOXES_AT_ONCE), np.int32),
        np.empty((3, count + BOXES_AT_ONCE), np.int64),
        np.empty((LEVELS, LEVEL_SET + 1), np.int64),
        np.empty(MAX_DIGITS, np.int32),
    )


def cursors() -> np.ndarray:
    """Return where to search first: a number for each of four rows of each level."""
    return np.zeros((LEVELS, 4), np.int64)


@kernel
def fill_scene(x, y, sides, extra, scene):
    """Write boxes as a scene.

    x, y     int32[n]           upper-left corners
    sides    int32[n or 1, 2]   width and height of each, or of all; 1 or more
    extra    int                0 for half-open boxes, 1 for closed ones
    scene    int32[n, 6]        output, all but the words
    Returns  int                the first box that ends beyond 32 bits, -1 if none does
    """
    for i in range(len(x)):
        of = i if len(sides) > 1 else 0
        right = np.int64(x[i]) + sides[of, 0] + extra - 1
        bottom = np.int64(y[i]) + sides[of, 1] + extra - 1
        if max(right, bottom) > MAX_RIGHT:
            return i
        scene[i, LEFT], scene[i, TOP], scene[i, RIGHT], scene[i, BOTTOM] = x[i], y[i], right, bottom
        scene[i, INDEX] = i
        scene[i, WORD] = -1
    return -1


@kernel
def level_of(scene, i, first_log2):
    """Return the level of a box."""
    side, level = max(scene[i, RIGHT] - scene[i, LEFT], scene[i, BOTTOM] - scene[i, TOP]), 0
    while side >> (first_log2 + STEP * level):
        level += 1
    return level


@kernel
def sort_numbers(numbers, count):
    """Sort the first `count` of int64[k] in ascending order: by insertion, from afar first if they are many."""
    gap = 1
    while gap * 9 < count:
        gap = gap * 3 + 1
    while gap:
        for k in range(gap, count):
            number, at = numbers[k], k
            while at >= gap and numbers[at - gap] > number:
                numbers[at] = numbers[at - gap]
                at -= gap
            numbers[at] = number
        gap //= 3


@kernel
def log2_of(number):
    """Return the bits of a number but one, 0 for 0 and 1."""
    log2 = 0
    while number >> log2 > 1:
        log2 += 1
    return log2


@kernel
def first_log2_of(scene, begin, end):
    """Return log2 of how high the first level's rows should be: less where objects are dense, as a sample tells."""
    sample, area_log2, count = np.empty(SAMPLE, np.int64), 0, end - begin
    for axis in (LEFT, TOP):
        for k in range(SAMPLE):
            sample[k] = scene[begin + k * count // SAMPLE, axis]
        sort_numbers(sample, SAMPLE)
        area_log2 += log2_of(sample[SAMPLE - 1 - OUTLIERS] - sample[OUTLIERS])
    return min(max(MIN_LOG2, (area_log2 + CROWD_LOG2 - log2_of(count)) >> 1), MAX_LOG2)


@kernel
def sort_keys(keys, rows, ends, count, last_bit):
    """Sort keys, and numbers with them, by turns from one array into the other.

    keys, rows, ends  see `Work`; keys below 1 << last_bit
    Returns           int  which of the two they are in at last
    """
    passes = max(1, (last_bit + MAX_DIGIT - 1) // MAX_DIGIT)
    turn, digit = 0, (last_bit + passes - 1) // passes
    last = (1 << digit) - 1
    for shift in range(0, last_bit, max(1, digit)):
        for d in range(last + 2):
            ends[d] = 0
        for k in range(count):
            ends[((keys[turn, k] >> shift) & last) + 1] += 1
        for d in range(last):
            ends[d + 1] += ends[d]
        for k in range(count):
            key = keys[turn, k]
            d = (key >> shift) & last
            to = ends[d]
            ends[d] = to + 1
            keys[1 - turn, to] = key
            rows[NUMBER + 1 - turn, to] = rows[NUMBER + turn, k]
        turn = 1 - turn
    return turn


@kernel
def sort_scene(scene, begin, end, max_unsorted, work):
    """Sort the objects begin .. end - 1, which are then numbered from 0.

    scene         int32[n, 6]  columns as above
    max_unsorted  int          objects up to which none are sorted: all are one run
    work          Work         output
    Returns       what an Order has, as a plain tuple: when Ctrl-C is pressed during a kernel that Python called, Numba
                  crashes if it is to make a named one
    """
    rows, keys, levels, ends = work
    count, used, base, x_bits, last_bit, turn = end - begin, 0, 0, 0, 0, 0
    left, top, right, bottom = END, END, -END, -END
    first_log2 = first_log2_of(scene, begin, end) if count > max_unsorted else MIN_LOG2
    for level in range(LEVELS):
        levels[level, WIDTH] = levels[level, HEIGHT] = -1
        levels[level, SIZE] = 0
    for i in range(begin, end):
        level = level_of(scene, i, first_log2) if count > max_unsorted else 0
        levels[level, WIDTH] = max(levels[level, WIDTH], scene[i, RIGHT] - scene[i, LEFT])
        levels[level, HEIGHT] = max(levels[level, HEIGHT], scene[i, BOTTOM] - scene[i, TOP])
        levels[level, SIZE] += 1
        left, right = min(left, np.int64(scene[i, LEFT])), max(right, np.int64(scene[i, LEFT]))
        top, bottom = min(top, np.int64(scene[i, TOP])), max(bottom, np.int64(scene[i, TOP]))
        rows[NUMBER, i - begin] = i - begin
        keys[0, i - begin] = 0
    shift = UNSORTED
    for level in range(LEVELS):
        if levels[level, WIDTH] >= 0:
            log2 = first_log2 + STEP * level if count > max_unsorted else UNSORTED
            shift = min(shift, log2 - X_FRACTION)
            levels[level, BASE], levels[level, LOG2], levels[level, LAST] = base, log2, (bottom - top) >> log2
            base += levels[level, LAST] + 1
    if count > max_unsorted:
        while (right - left) >> (shift + x_bits):
            x_bits += 1
        while base >> last_bit:
            last_bit += 1
        for i in range(begin, end):
            level = level_of(scene, i, first_log2)
            row = levels[level, BASE] + ((scene[i, TOP] - top) >> levels[level, LOG2])
            keys[0, i - begin] = row << x_bits | (scene[i, LEFT] - left) >> shift
        turn = sort_keys(keys, rows, ends, count, x_bits + last_bit)
    for k in range(count):
        here = rows[NUMBER + turn, k]
        keys[2, k], rows[INDEX, k] = keys[turn, k], here
        for side in range(4):
            rows[side, k] = scene[begin + here, side]
        rows[WORD, k] = scene[begin + here, WORD]
    for k in range(count, count + BOXES_AT_ONCE):
        keys[2, k] = END
    for level in range(LEVELS):
        if levels[level, WIDTH] >= 0:
            for column in range(LEVEL_SET):
                levels[used, column] = levels[level, column]
            used += 1
    choose_levels(rows, levels, used, top)
    return count, used, left, top, x_bits, shift


@kernel
def choose_levels(rows, levels, used, top):
    """Write LEVEL_SET: of two levels the boxes of one search in the other.

    rows, levels  see `Work`
    used, top     see `Order`
    """
    end = 0
    for own in range(used):
        begin, end = end, end + levels[own, SIZE]
        levels[own, LEVEL_SET] = (1 << used) - (1 << own)
        for level in range(own):
            runs, above = 0, levels[level, HEIGHT] + top
            for k in range(begin, end):
                first = max(0, rows[TOP, k] - above) >> levels[level, LOG2]
                runs += min(levels[level, LAST], (rows[BOTTOM, k] - top) >> levels[level, LOG2]) - first + 1
            if runs * FEWER <= levels[level, SIZE]:
                levels[own, LEVEL_SET] |= 1 << level
                levels[level, LEVEL_SET] ^= 1 << own


@kernel
def first_at(keys, at, key, count):
    """Return the first place of a key or of a larger one, in steps from `at` on."""
    step = 1
    while at > 0 and keys[2, at - 1] >= key:
        at = max(0, at - step)
        step <<= 1
    step = BOXES_AT_ONCE
    while step:
        if at + step <= count and keys[2, at + step - 1] < key:
            at += step
            step <<= 1
        else:
            step >>= 1
    return at


@kernel
def next_unflagged(unflagged, at):
    """Return the first place from `at` on that has no flag yet, and shorten the way to it."""
    end = at
    while unflagged[end] != end:
        end = np.int64(unflagged[end])
    while unflagged[at] != end:
        after = np.int64(unflagged[at])
        unflagged[at] = end
        at = after
    return end


@kernel
def may_meet(one, other):
    """Tell whether two words let their objects collide, see `boxes.may_collide`."""
    both = one & (other >> 16 & MASK | other << 16)
    return both & MASK != 0 and both >> 16 & MASK != 0


@kernel
def search(scene, begin, end, step, work, order, cursors, unflagged, kind, wanted, found, results, limit):
    """Find what overlaps the objects of a scene.

    scene        int32[n, 6]       objects begin, begin + step .. below `end` are looked for, with the numbers in INDEX;
                                   not read for ONE
    work, order  Work, Order       the objects that are looked at, from `sort_scene`; only read
    cursors      int64[LEVELS, 4]  see `cursors`; changed
    unflagged    int32[k]          for FLAGS of ONE, else not used: memory, count + BOXES_AT_ONCE, for the places of
                                   the next objects without a flag
    kind         int               ONE .. ANY; for LATER the numbers of the scene are those of `work`
    wanted       int               PAIRS .. FIRST
    found        int64[k]          output of PAIRS: index in the upper half, of the other one in the lower; the lower
                                   index first, but for TWO and ANY; pairs beyond k are only counted
    results      int32[n]          output of FLAGS and COUNTS (zero on entry), and FIRST (NONE on entry)
    limit        int               once there are more pairs, no others are looked for
    Returns      int               pairs; for FLAGS 0
    """
    rows, keys, levels, _ = work
    count, used, origin_x, origin_y, x_bits, shift = order
    own, total, is_one, is_marking = 0, 0, kind == ONE, wanted == FLAGS and kind == ONE
    for k in range(count + BOXES_AT_ONCE if is_marking else 0):
        unflagged[k] = k
    is_listing = wanted == PAIRS and kind == ONE
    for k in range(count if is_listing else 0):
        is_listing &= rows[WORD, np.uint64(k)] == -1
    for i in range(begin, end, step):
        if is_one:
            left, top, right, bottom = rows[LEFT, i], rows[TOP, i], rows[RIGHT, i], rows[BOTTOM, i]
            mine, word = rows[INDEX, i], rows[WORD, i]
            while own + 1 < used and keys[2, i] >> x_bits >= levels[own + 1, BASE]:
                own += 1
        else:
            left, top, right, bottom = scene[i, LEFT], scene[i, TOP], scene[i, RIGHT], scene[i, BOTTOM]
            mine, word = scene[i, INDEX], scene[i, WORD]
        box = (np.int64(left), np.int64(top), np.int64(right), np.int64(bottom))
        level_set = levels[own, LEVEL_SET] if is_one else (1 << used) - 1
        for level in range(used):
            if not level_set >> level & 1:
                continue
            base, is_own = levels[level, BASE], is_one and level == own
            above = 0 if is_own else levels[level, HEIGHT]
            row = max(0, top - above - origin_y) >> levels[level, LOG2]
            last = min(levels[level, LAST], (bottom - origin_y) >> levels[level, LOG2])
            while row <= last:
                last_key = base + row << x_bits | min((1 << x_bits) - 1, (right - origin_x) >> shift)
                if is_own and keys[2, i] >> x_bits == base + row:
                    at = i + 1
                else:
                    first_key = base + row << x_bits | max(0, left - levels[level, WIDTH] - origin_x) >> shift
                    at = first_at(keys, cursors[level, row & 3], first_key, count)
                    cursors[level, row & 3] = at
                row = max(row + 1, (keys[2, at] >> x_bits) - base)
                while keys[2, at] <= last_key:
                    if is_marking and unflagged[i] != i:
                        at = next_unflagged(unflagged, at)
                        if keys[2, at] > last_key:
                            break
                    near = touching_bits(rows, at, box)
                    while near and is_listing:  # what most calls ask for, without any other question
                        j = at + lowest_bit(near)
                        near &= near - 1
                        other = rows[INDEX, np.uint64(j)]
                        if total < len(found):
                            found[np.uint64(total)] = np.int64(min(mine, other)) << 32 | max(mine, other)
                        total += keys[2, np.uint64(j)] <= last_key
                    while near:
                        j = at + lowest_bit(near)
                        near &= near - 1
                        if keys[2, j] > last_key:
                            break
                        if kind != ANY and not may_meet(word, rows[WORD, j]):
                            continue
                        other = rows[INDEX, j]
                        if kind == LATER and other <= mine:
                            continue
                        if is_marking:
                            unflagged[i], unflagged[j] = i + 1, j + 1
                            continue
                        if wanted == PAIRS:
                            a, b = (min(mine, other), max(mine, other)) if is_one else (mine, other)
                            if total < len(found):
                                found[total] = np.int64(a) << 32 | b
                        elif wanted == FIRST:
                            if results[mine] == NONE or other < results[mine]:
                                results[mine] = other
                            if is_one and (results[other] == NONE or mine < results[other]):
                                results[other] = mine
                        elif wanted == COUNTS:
                            results[mine] += 1
                            if is_one:
                                results[other] += 1
                        else:
                            results[mine] = 1
                            row, at, near = END, count, 0
                            continue
                        total += 1
                    at = min(at + BOXES_AT_ONCE, count)
        if total > limit:
            break
    for i in range(count if is_marking else 0):
        results[rows[INDEX, i]] = unflagged[i] != i
    return total


# Many scenes of boxes of any size, one after the other: each is sorted and searched as if it were alone.


@kernel
def search_scenes(
    scene, starts, others, ends, max_compared, work, cursors, unflagged, kind, wanted, found, results, limit
):
    """Do what `hierarchical_grid.search` does, scene by scene.

    scene         int32[n, 6]        scene s is starts[s] .. starts[s + 1] - 1; INDEX counts from 0 in each
    starts, ends  int64[scenes + 1]
    others        int32[m, 6]        for TWO: scene s is ends[s] .. ends[s + 1] - 1; for ONE the same as `scene`
    max_compared  int                objects that are looked for up to which none are sorted, for TWO
    work          Work               for the largest scene; `unflagged` too
    kind          int                ONE or TWO
    found         int64[k]           output of PAIRS; indices are those of whole arrays
    results       int32[n]           output of the others; first hits are indices of whole arrays
    limit         int                of the pairs of all scenes
    """
    total = 0
    for s in range(len(starts) - 1):
        begin, end, first, last = starts[s], starts[s + 1], ends[s], ends[s + 1]
        is_small = kind == TWO and end - begin <= max_compared
        order = Order(*sort_scene(others, first, last, last - first if is_small else MAX_UNSORTED, work))
        cursors[:] = 0
        here = min(total, len(found))
        rest, mine, left = found[here:], results[begin:end], limit - total
        asked = scene[begin:end]
        total += search(  # np.int64: see `uniform_grid`
            asked,
            np.int64(0),
            end - begin,
            np.int64(1),
            work,
            order,
            cursors,
            unflagged,
            kind,
            wanted,
            rest,
            mine,
            left,
        )
        for k in range(here, min(total, len(found))):
            found[k] += (begin << 32) + first
        for i in range(begin, end if wanted == FIRST else begin):
            if results[i] >= 0:
                results[i] += first
        if total > limit:
            break
    return total
