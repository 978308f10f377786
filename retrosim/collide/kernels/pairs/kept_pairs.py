"""A scene that is kept: objects are moved in its table, and the list of its pairs is brought up to date.

Each object has a stamp, the number of the change that concerned it last. What was made of the scene as it was after
some change, a list of pairs or a sorted scene, is out of date for objects with later stamps and for no others. So
those who ask need not write anything into the table, and may do so in several threads.

Arrays of all functions here
    table   int32[n, 7]  columns of `hierarchical_grid`, and STAMP; in ascending order of INDEX, which are ids
    since   int          the number of the last change that a list knows; objects with later stamps have moved
    before  int32[m, 2]  pairs of rows of the table, in ascending order, the lower one first; the list up to then
    keys    int64[k]     pairs, one number each, see `pair_keys`
"""

from __future__ import annotations

import numpy as np

from retrosim.jit import Entry, kernel

from .hierarchical_grid import BOTTOM, INDEX, LEFT, RIGHT, TOP, WORD, may_meet
from .simd import BOXES_AT_ONCE, lowest_bit, touching_bits
from .small_boxes import MAX_COORDINATE, MIN_COORDINATE, REFUSED, TOO_LARGE

STAMP, COLUMNS = WORD + 1, WORD + 2
MAX_COMPARED = 1 << 13  # comparisons, one at a time, that take less time than asking a sorted scene
MAX_NEW = 128  # new pairs that are sorted by insertion


@kernel
def row_of(table, number):
    """Return the row of an id, -1 if there is none."""
    if 0 <= number < len(table) and table[number, INDEX] == number:
        return number
    begin, end = 0, len(table)
    while begin < end:
        middle = (begin + end) >> 1
        if table[middle, INDEX] < number:
            begin = middle + 1
        else:
            end = middle
    return begin if begin < len(table) and table[begin, INDEX] == number else -1


@kernel
def within(value, lowest):
    """Tell whether an integer of any type is lowest..MAX_COORDINATE."""
    signed = np.int64(value)  # of 64 bits without a sign: negative if it is too large
    return (value >= 0) == (signed >= 0) and lowest <= signed <= MAX_COORDINATE


@kernel
def move_boxes(ids, x, y, sides, extra, stamp, table):
    """Put objects where x and y say, and stamp them. Status: 0, or REFUSED, and then nothing is changed.

    ids    integers[k]               of objects in the table, each one once
    x, y   integers[k]               upper-left corners
    sides  integers[k or 1, 1 or 2]  see `small_boxes`; [0, 2]: sides stay as they are
    extra  int                       0 for half-open boxes, 1 for closed ones
    stamp  int                       larger than all stamps there are
    """
    count, last, keeps, step = len(ids), sides.shape[1] - 1, len(sides) == 0, 1 if len(sides) > 1 else 0
    if len(x) != count or len(y) != count or (len(sides) > 1 and len(sides) != count) or not 0 <= last <= 1:
        return REFUSED
    rows, boxes, is_right, done = np.empty((2, count), np.int32), np.empty((4, count), np.int32), True, 0
    while done < count and is_right:
        number, left, top, row = ids[done], x[done], y[done], -1
        if within(number, 0):
            row = row_of(table, np.int64(number))
        is_right = row >= 0 and table[row, STAMP] != stamp
        is_right = is_right and within(left, MIN_COORDINATE) and within(top, MIN_COORDINATE)
        if is_right:
            if keeps:
                to_right = np.int64(table[row, RIGHT]) - table[row, LEFT]
                down = np.int64(table[row, BOTTOM]) - table[row, TOP]
            else:
                width, height = sides[done * step, 0], sides[done * step, last]
                is_right = within(width, 1) and within(height, 1)
                to_right, down = np.int64(width) + extra - 1, np.int64(height) + extra - 1
            right, bottom = np.int64(left) + to_right, np.int64(top) + down
            is_right = is_right and right <= MAX_COORDINATE and bottom <= MAX_COORDINATE
        if is_right:
            boxes[LEFT, done], boxes[TOP, done] = left, top
            boxes[RIGHT, done], boxes[BOTTOM, done] = right, bottom
            rows[0, done], rows[1, done] = row, table[row, STAMP]
            table[row, STAMP] = stamp
            done += 1
    for k in range(done):
        row = rows[0, k]
        if is_right:
            for side in range(4):
                table[row, side] = boxes[side, k]
        else:
            table[row, STAMP] = rows[1, k]
    return 0 if is_right else REFUSED


@kernel
def merge_pairs(table, since, before, keys, after):
    """Write what is left of a list of pairs, and new ones; return how many pairs that are.

    keys   int64[k]     the new ones, in ascending order
    after  int32[l, 2]  output: l at least m + k
    """
    total, new = 0, 0
    for p in range(len(before)):
        a, b = before[np.uint64(p), 0], before[np.uint64(p), 1]
        if table[np.uint64(a), STAMP] > since or table[np.uint64(b), STAMP] > since:
            continue
        key = np.int64(a) << 32 | b
        while new < len(keys) and keys[new] < key:
            after[total, 0], after[total, 1] = keys[new] >> 32, keys[new] & 0xFFFFFFFF
            total += 1
            new += 1
        after[total, 0], after[total, 1] = a, b
        total += 1
    while new < len(keys):
        after[total, 0], after[total, 1] = keys[new] >> 32, keys[new] & 0xFFFFFFFF
        total += 1
        new += 1
    return total


@kernel
def update_small(table, since, before, after):
    """Bring a list of pairs up to date, where little has moved or there are few objects.

    after    int32[m + MAX_NEW, 2]  output
    Returns  int                    pairs, or TOO_LARGE: not for this
    """
    count, moved, new = len(table), 0, 0
    for i in range(count):
        moved += table[np.uint64(i), STAMP] > since
    if moved * count > MAX_COMPARED:
        return TOO_LARGE
    keys = np.empty(MAX_NEW, np.int64)
    for i in range(count):
        if table[np.uint64(i), STAMP] <= since:
            continue
        left, top, right, bottom = table[i, LEFT], table[i, TOP], table[i, RIGHT], table[i, BOTTOM]
        for other in range(count):
            j = np.uint64(other)
            is_near = (table[j, LEFT] <= right) & (table[j, TOP] <= bottom)
            is_near &= (table[j, RIGHT] >= left) & (table[j, BOTTOM] >= top)
            if not is_near or other == i or (other < i and table[j, STAMP] > since):
                continue
            if not may_meet(table[i, WORD], table[j, WORD]):
                continue
            if new == MAX_NEW:
                return TOO_LARGE
            key, at = np.int64(min(i, other)) << 32 | max(i, other), new
            while at and keys[at - 1] > key:
                keys[at] = keys[at - 1]
                at -= 1
            keys[at] = key
            new += 1
    return merge_pairs(table, since, before, keys[:new], after)


@kernel
def keep_new(table, since, sorted_at, moved, stale, found, keys):
    """Make the new pairs of what has moved: of what a sorted scene has found, and among what it does not know.

    sorted_at  int       the last change that the sorted scene knows
    moved      int64[k]  the rows that have moved since `since`
    stale      int64[s]  the rows that have moved since `sorted_at`
    found      int64[f]  rows of `moved` in the upper half, of any object that was there then in the lower
    keys       int64[l]  output; pairs beyond l are only counted
    Returns    int       new pairs
    """
    total = 0
    for f in range(len(found)):
        i, j = found[f] >> 32, found[f] & 0xFFFFFFFF
        if table[j, STAMP] <= sorted_at and (j > i or table[j, STAMP] <= since):
            if total < len(keys):
                keys[total] = min(i, j) << 32 | max(i, j)
            total += 1
    boxes = np.empty((4, len(stale) + BOXES_AT_ONCE), np.int32)
    for s in range(len(stale)):
        for side in range(4):
            boxes[side, s] = table[stale[s], side]
    for s in range(len(stale), len(stale) + BOXES_AT_ONCE):
        boxes[LEFT, s] = boxes[TOP, s] = MAX_COORDINATE
        boxes[RIGHT, s] = boxes[BOTTOM, s] = MIN_COORDINATE
    for m in range(len(moved)):
        i = moved[m]
        box = np.int64(table[i, LEFT]), np.int64(table[i, TOP]), np.int64(table[i, RIGHT]), np.int64(table[i, BOTTOM])
        for at in range(0, len(stale), BOXES_AT_ONCE):
            near = touching_bits(boxes, at, box)
            while near:
                j = stale[at + lowest_bit(near)]
                near &= near - 1
                if j == i or (j < i and table[j, STAMP] > since) or not may_meet(table[i, WORD], table[j, WORD]):
                    continue
                if total < len(keys):
                    keys[total] = min(i, j) << 32 | max(i, j)
                total += 1
    return total


@kernel
def compare_lists(before, now, changes):
    """Tell what a list of pairs has that an earlier one has not, both have, and only the earlier one has.

    before   int32[m, 2], now int32[l, 2]  in ascending order
    changes  int32[3, m + l, 2]            output: enter, stay, exit
    Returns  int, int, int                 how many of each
    """
    enter, stay, leave, b, n = 0, 0, 0, 0, 0
    while b < len(before) or n < len(now):
        old = np.int64(before[b, 0]) << 32 | before[b, 1] if b < len(before) else np.int64(1 << 62)
        new = np.int64(now[n, 0]) << 32 | now[n, 1] if n < len(now) else np.int64(1 << 62)
        if new < old:
            changes[0, enter, 0], changes[0, enter, 1] = now[n, 0], now[n, 1]
            enter += 1
        elif new == old:
            changes[1, stay, 0], changes[1, stay, 1] = now[n, 0], now[n, 1]
            stay += 1
        else:
            changes[2, leave, 0], changes[2, leave, 1] = before[b, 0], before[b, 1]
            leave += 1
        n += new <= old
        b += old <= new
    return enter, stay, leave


MOVE = Entry(move_boxes)
