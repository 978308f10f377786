"""Boxes of any size, few of them: all are compared, which takes less time than any sorting.

Arguments are copied, once, and the copies are checked. So the routines that are called from Python (`jit.Entry`) take
what a caller passes as it is. What fills the last vector lies nowhere.

Arguments of all functions here
    x, y     integers[n]                   upper-left corners
    sides    integers[1 or n, 1 or 2]      of all boxes or of each; one for both axes, or width and height
    extra    int                           0 for half-open boxes, 1 for closed ones
    boxes    int32[4, n + pad]             left, top, right, bottom; the last unit of a box belongs to it
"""

from __future__ import annotations

import numpy as np

from retrosim.jit import Entry, kernel

from .hierarchical_grid import COUNTS, FIRST, NONE
from .simd import (
    BOXES_AT_ONCE,
    COPIED_AT_ONCE,
    WORD_BITS,
    copy_sixteen,
    lowest_bit,
    touching_bits,
    touching_word,
    without_lowest,
)

MAX_OBJECTS = 256
MAX_SMALL, MAX_OTHERS = 128, 1 << 24  # of two groups, the smaller one and the larger one
BLOCK = 1024  # boxes that are compared while they are in the fastest cache
MAX_WORDS = 1 << 20  # of bits for two groups: 8 MB
REFUSED, TOO_LARGE = -1, -2
"""Status: a value is wrong; too many objects for these kernels."""
MIN_COORDINATE, MAX_COORDINATE = -(1 << 31), (1 << 31) - 1


@kernel
def are_boxes(x, y, sides, extra):
    """Check lengths."""
    count, columns = len(x), sides.shape[1]
    return len(y) == count and (len(sides) == 1 or len(sides) == count) and 1 <= columns <= 2 and 0 <= extra <= 1


@kernel
def copy_boxes(x, y, sides, extra, begin, end, boxes):
    """Copy boxes begin .. end - 1, fill the last vector, and tell whether all is allowed; see `are_boxes`."""
    step, last, is_right, count, k = 0 if len(sides) == 1 else 1, sides.shape[1] - 1, True, end - begin, 0
    are_dense = count >= COPIED_AT_ONCE and x.strides[0] == x.itemsize and y.strides[0] == y.itemsize
    if are_dense and step and last and sides.strides[0] == 2 * sides.strides[1] == 2 * sides.itemsize:
        while k + COPIED_AT_ONCE <= count:
            is_right &= copy_sixteen(x, y, begin + k, sides, 2 * (begin + k), extra, boxes, k)
            k += COPIED_AT_ONCE
    elif are_dense and not step:
        same = np.empty(2 * COPIED_AT_ONCE, sides.dtype)
        for each in range(COPIED_AT_ONCE):
            same[2 * each], same[2 * each + 1] = sides[0, 0], sides[0, last]
        while k + COPIED_AT_ONCE <= count:
            is_right &= copy_sixteen(x, y, begin + k, same, 0, extra, boxes, k)
            k += COPIED_AT_ONCE
    while k < count:
        i = begin + k
        left, top = np.int64(x[i]), np.int64(y[i])
        width, height = np.int64(sides[i * step, 0]), np.int64(sides[i * step, last])
        is_right &= (
            (left >= MIN_COORDINATE) & (top >= MIN_COORDINATE) & (left <= MAX_COORDINATE) & (top <= MAX_COORDINATE)
        )
        is_right &= ((x[i] < 0) == (left < 0)) & ((y[i] < 0) == (top < 0))  # 64 bits without a sign may be more
        is_right &= (width >= 1) & (height >= 1) & (width <= MAX_COORDINATE) & (height <= MAX_COORDINATE)
        is_right &= (left + width + extra - 1 <= MAX_COORDINATE) & (top + height + extra - 1 <= MAX_COORDINATE)
        boxes[0, k], boxes[1, k] = left, top
        boxes[2, k], boxes[3, k] = left + width + extra - 1, top + height + extra - 1
        k += 1
    for side in range(4):
        nowhere = MAX_COORDINATE if side < 2 else MIN_COORDINATE
        for k in range(np.uint64(count), np.uint64(boxes.shape[1])):
            boxes[side, k] = nowhere
    return is_right


@kernel
def copy_all(x, y, sides, extra, boxes):
    """Copy all boxes, as `bitmap_index` takes them. Status: 0, or REFUSED."""
    is_right = are_boxes(x, y, sides, extra) and len(x) <= boxes.shape[1]
    return 0 if is_right and copy_boxes(x, y, sides, extra, np.int64(0), len(x), boxes) else REFUSED


@kernel
def box_at(boxes, i):
    """Return a box as `touching_bits` takes it."""
    return np.int64(boxes[0, i]), np.int64(boxes[1, i]), np.int64(boxes[2, i]), np.int64(boxes[3, i])


@kernel
def list_small(x, y, sides, extra, rows):
    """List the pairs that overlap, in ascending order.

    rows     int32[k, 2]  output, lower index first; pairs beyond k are only counted
    Returns  int          pairs, or a status below 0
    """
    count, total = len(x), 0
    if count > MAX_OBJECTS or rows.shape[1] != 2:
        return TOO_LARGE
    boxes = np.empty((4, count + BOXES_AT_ONCE), np.int32)
    if not are_boxes(x, y, sides, extra) or not copy_boxes(x, y, sides, extra, np.int64(0), count, boxes):
        return REFUSED
    for i in range(count):
        box = box_at(boxes, i)
        for at in range(i + 1, count, BOXES_AT_ONCE):
            near = touching_bits(boxes, at, box)
            while near:
                if total < len(rows):
                    rows[total, 0] = i
                    rows[total, 1] = at + lowest_bit(near)
                total += 1
                near = without_lowest(near)
    return total


@kernel
def number_small(x, y, sides, extra, wanted, results):
    """Write a number for each object, see `hierarchical_grid.search`. Status: 0, or below.

    wanted   int              FLAGS, COUNTS or FIRST
    results  uint8 or int32[n]  output
    """
    count = len(x)
    if count > MAX_OBJECTS:
        return TOO_LARGE
    boxes = np.empty((4, count + BOXES_AT_ONCE), np.int32)
    if not are_boxes(x, y, sides, extra) or len(results) != count:
        return REFUSED
    if not copy_boxes(x, y, sides, extra, np.int64(0), count, boxes):
        return REFUSED
    for i in range(count):
        results[i] = NONE if wanted == FIRST else 0
    for i in range(count):
        box = box_at(boxes, i)
        for at in range(i + 1, count, BOXES_AT_ONCE):
            near = touching_bits(boxes, at, box)
            while near:
                j = at + lowest_bit(near)
                near = without_lowest(near)
                if wanted == COUNTS:
                    results[i] += 1
                    results[j] += 1
                elif wanted == FIRST:
                    if results[i] == NONE:
                        results[i] = j
                    if results[j] == NONE:
                        results[j] = i
                else:
                    results[i] = results[j] = 1
    return 0


@kernel
def are_small(x0, x1):
    """Tell whether two groups are for these kernels."""
    return min(len(x0), len(x1)) <= MAX_SMALL and max(len(x0), len(x1)) <= MAX_OTHERS


@kernel
def list_two(x0, y0, sides, x1, y1, other, extra, rows):
    """List the pairs of two groups that overlap, in ascending order; `other` are the sides of the second.

    rows     int32[k, 2]  output: indices in both groups; pairs beyond k are only counted
    Returns  int          pairs, or a status below 0
    """
    total, words = 0, (len(x1) + WORD_BITS - 1) // WORD_BITS
    if not are_small(x0, x1) or len(x0) * words > MAX_WORDS or rows.shape[1] != 2:
        return TOO_LARGE
    if not (are_boxes(x0, y0, sides, extra) and are_boxes(x1, y1, other, extra)):
        return REFUSED
    boxes = np.empty((4, len(x0)), np.int32)
    others = np.empty((4, min(BLOCK, len(x1)) + WORD_BITS), np.int32)
    near = np.empty(len(x0) * words, np.int64)
    if not copy_boxes(x0, y0, sides, extra, np.int64(0), len(x0), boxes):
        return REFUSED
    for begin in range(0, len(x1), BLOCK):
        count = min(BLOCK, len(x1) - begin)
        if not copy_boxes(x1, y1, other, extra, begin, begin + count, others):
            return REFUSED
        for i in range(len(x0)):
            box = box_at(boxes, i)
            for at in range(0, count, WORD_BITS):
                near[i * words + (begin + at) // WORD_BITS] = touching_word(others, at, box)
    for i in range(len(x0)):
        for w in range(words):
            bits = near[np.uint64(i * words + w)]
            while bits:
                if total < len(rows):
                    rows[total, 0], rows[total, 1] = i, w * WORD_BITS + lowest_bit(bits)
                total += 1
                bits = without_lowest(bits)
    return total


@kernel
def number_two(x0, y0, sides, x1, y1, other, extra, wanted, results):
    """Write a number for each object of the first group; see `number_small` and `list_two`."""
    if not are_small(x0, x1):
        return TOO_LARGE
    boxes = np.empty((4, len(x0)), np.int32)
    others = np.empty((4, len(x1) + WORD_BITS), np.int32)
    if not (are_boxes(x0, y0, sides, extra) and are_boxes(x1, y1, other, extra)) or len(results) != len(x0):
        return REFUSED
    if not copy_boxes(x0, y0, sides, extra, np.int64(0), len(x0), boxes):
        return REFUSED
    if not copy_boxes(x1, y1, other, extra, np.int64(0), len(x1), others):
        return REFUSED
    for i in range(len(x0)):
        box, found = box_at(boxes, i), 0
        first = NONE
        for at in range(0, len(x1), WORD_BITS):
            near = touching_word(others, at, box)
            if near:
                if first == NONE:
                    first = at + lowest_bit(near)
                if wanted != COUNTS:
                    break
                while near:
                    near = without_lowest(near)
                    found += 1
        results[i] = first if wanted == FIRST else found if wanted == COUNTS else np.int64(first != NONE)
    return 0


LIST, NUMBER, LIST_TWO, NUMBER_TWO = Entry(list_small), Entry(number_small), Entry(list_two), Entry(number_two)
COPY = Entry(copy_all)
