"""What lies on segments, and nearest to points; exact in 64 bits.

A segment is followed through the rows of a sorted scene: in each it is asked which boxes are near the part of it that
is as high as these reach, and those are tested. Where it enters a box is a fraction of one denominator for both axes.
For the nearest boxes, squares around a point grow until there are enough of them in one.

Arguments of all functions here
    scene     int32[n, 6]  columns of `hierarchical_grid`; sides are part of a box
    segments  int64[q, 4]  x and y of both ends, less than 1 << 31 apart along each axis
"""

from __future__ import annotations

import numpy as np

from retrosim.jit import kernel

from .hierarchical_grid import (
    ANY,
    BASE,
    BOTTOM,
    HEIGHT,
    INDEX,
    LAST,
    LEFT,
    LOG2,
    PAIRS,
    RIGHT,
    TOP,
    WIDTH,
    WORD,
    search,
    sort_numbers,
)
from .simd import BOXES_AT_ONCE, lowest_bit, touching_bits
from .uniform_grid import MAX_COUNTED

SLOPE_BITS = 31
MAX_RADIUS = (1 << 31) - 1
MIN_COORDINATE, MAX_COORDINATE = -(1 << 31), (1 << 31) - 1


@kernel
def span(way, near, far):
    """Return when a point is between two limits of one axis, both included, in steps of one unit; the last: if ever.

    way        int  how far it goes, from 0
    near, far  int  limits, near <= far
    Returns    int, int, int, bool  first and last step there, all steps
    """
    if way == 0:
        return np.int64(0), np.int64(1), np.int64(1), near <= 0 and far >= 0
    length = abs(way)
    first, last = (near, far) if way > 0 else (-far, -near)
    return max(0, min(first, length)), max(0, min(last, length)), length, first <= length and last >= 0


@kernel
def crossing(scene, box, segments, s):
    """Return where a segment enters a box: numerator, denominator, x and y of the normal; numerator -1: nowhere."""
    x, y = segments[s, 0], segments[s, 1]
    way_x, way_y = segments[s, 2] - x, segments[s, 3] - y
    enter_x, leave_x, steps_x, is_x = span(way_x, scene[box, LEFT] - x, scene[box, RIGHT] - x)
    enter_y, leave_y, steps_y, is_y = span(way_y, scene[box, TOP] - y, scene[box, BOTTOM] - y)
    enter_x, leave_x, enter_y, leave_y = enter_x * steps_y, leave_x * steps_y, enter_y * steps_x, leave_y * steps_x
    enter = max(enter_x, enter_y)
    if not (is_x and is_y) or enter > min(leave_x, leave_y):
        return np.int64(-1), np.int64(1), 0, 0
    normal_x = 0 if enter == 0 or enter_x < enter else -1 if way_x > 0 else 1
    normal_y = 0 if enter == 0 or enter_y < enter or normal_x != 0 else -1 if way_y > 0 else 1
    return enter, steps_x * steps_y, normal_x, normal_y


@kernel
def meets_line(rows, j, x, y, way_x, way_y):
    """Tell whether the line of a segment meets that part of a box which is in the rectangle around the segment.

    rows, j             of `hierarchical_grid.Work`: the box
    x, y, way_x, way_y  int64  where the segment begins, and how far it goes
    """
    left, right = max(min(0, way_x), rows[LEFT, j] - x), min(max(0, way_x), rows[RIGHT, j] - x)
    top, bottom = max(min(0, way_y), rows[TOP, j] - y), min(max(0, way_y), rows[BOTTOM, j] - y)
    if way_y < 0:
        left, right = right, left
    if way_x < 0:
        top, bottom = bottom, top
    return (way_x * top <= way_y * right) & (way_x * bottom >= way_y * left)


@kernel
def first_key(keys, key, count):
    """Return the first place of a key or of a larger one: without branches, since nothing is known beforehand."""
    at, size = 0, count
    while size > 1:
        half = size >> 1
        at += half * (keys[2, np.uint64(at + half - 1)] < key)
        size -= half
    return at + (count > 0 and keys[2, at] < key)


@kernel
def boxes_on(scene, segments, s, work, order, hits):
    """Find the boxes of a sorted scene that a segment crosses, and return how many: numbers in hits, int64[n + 1]."""
    rows, keys, levels, _ = work
    count, used, origin_x, origin_y, x_bits, shift = order
    x, y, end_x, end_y, found = segments[s, 0], segments[s, 1], segments[s, 2], segments[s, 3], 0
    left, right, top, bottom = min(x, end_x), max(x, end_x), min(y, end_y), max(y, end_y)
    way_x, way_y = end_x - x, end_y - y
    start, way = (x, way_x) if way_y >= 0 else (end_x, -way_x)  # from the top down
    slope = (way << SLOPE_BITS) // max(1, bottom - top)
    for level in range(used):
        base, log2 = levels[level, BASE], levels[level, LOG2]
        row = max(0, top - levels[level, HEIGHT] - origin_y) >> log2
        last = min(levels[level, LAST], (bottom - origin_y) >> log2)
        while row <= last:
            from_y = max(top, origin_y + (row << log2))
            to_y = min(bottom, origin_y + ((row + 1) << log2) - 1 + levels[level, HEIGHT])
            one, other = left, right
            if bottom > top:  # what is rounded away is less than two units
                one = start + ((slope * (from_y - top)) >> SLOPE_BITS)
                other = start + ((slope * (to_y - top)) >> SLOPE_BITS)
            from_x, to_x = max(left, min(one, other) - 2), min(right, max(one, other) + 2)
            last_key = base + row << x_bits | min((1 << x_bits) - 1, (to_x - origin_x) >> shift)
            place = max(0, from_x - levels[level, WIDTH] - origin_x) >> shift
            at = first_key(keys, (base + row << x_bits) + min(1 << x_bits, place), count)
            row = max(row + 1, (keys[2, at] >> x_bits) - base)
            box = (from_x, from_y, to_x, to_y)
            while keys[2, at] <= last_key:
                near = touching_bits(rows, at, box)
                while near:
                    j = at + lowest_bit(near)
                    near &= near - 1
                    hits[found] = rows[INDEX, j]  # there or not: counted if it is
                    found += (keys[2, j] <= last_key) & meets_line(rows, j, x, y, way_x, way_y)
                at = min(at + BOXES_AT_ONCE, count)
    return found


@kernel
def list_crossings(scene, segments, work, order, rows, fractions, normals):
    """Write where segments enter boxes, in ascending order; return how many these are.

    work, order  of `hierarchical_grid.sort_scene`, for this scene
    rows         int32[m, 2]  output: segment, INDEX of the box; crossings beyond m are only counted
    fractions    int64[2, m]  output: numerators, denominators
    normals      int8[m, 2]   output
    """
    total, hits = 0, np.empty(order.count + 1, np.int64)
    for s in range(len(segments)):
        found = boxes_on(scene, segments, s, work, order, hits)
        sort_numbers(hits, found)
        for k in range(found if total + found <= len(rows) else 0):
            enter, steps, normal_x, normal_y = crossing(scene, hits[k], segments, s)
            to = total + k
            rows[to, 0], rows[to, 1] = s, scene[hits[k], INDEX]
            fractions[0, to], fractions[1, to] = enter, steps
            normals[to, 0], normals[to, 1] = normal_x, normal_y
        total += found
    return total


@kernel
def square_distance(scene, number, x, y):
    """Return the square of the distance of a point from a box, of up to 63 bits."""
    across = max(0, scene[number, LEFT] - x, x - scene[number, RIGHT])
    down = max(0, scene[number, TOP] - y, y - scene[number, BOTTOM])
    return across * across + down * down


@kernel
def list_nearest(scene, work, order, cursors, points, radius, numbers):
    """Find the boxes nearest to points, by distance and then by number.

    Once there are enough in a square, the nearest are no farther than its corners, so in the circle through these.

    scene, work, order  int32[n, 6] and what `hierarchical_grid.sort_scene` made of it; n at least k
    cursors             see `hierarchical_grid.search`; changed
    points              int64[q, 2]  32 bits signed
    radius              int          of the first squares, 1 or more
    numbers             int32[q, k]  output; a row is left as it is if its squares would be of more than 64 bits
    """
    wanted, found, nothing = numbers.shape[1], np.empty(order.count, np.int64), np.empty(0, np.int32)
    asked, squares = np.zeros((1, WORD + 1), np.int32), np.empty(wanted, np.int64)
    zero, one, kind, pairs = np.int64(0), np.int64(1), np.int64(ANY), np.int64(PAIRS)  # see `uniform_grid`
    limit = np.int64(MAX_COUNTED)
    for q in range(len(points)):
        x, y, reach, is_enough = points[q, 0], points[q, 1], radius, False
        while reach <= MAX_RADIUS:
            asked[0, LEFT], asked[0, RIGHT] = max(MIN_COORDINATE, x - reach), min(MAX_COORDINATE, x + reach)
            asked[0, TOP], asked[0, BOTTOM] = max(MIN_COORDINATE, y - reach), min(MAX_COORDINATE, y + reach)
            total = search(asked, zero, one, one, work, order, cursors, nothing, kind, pairs, found, nothing, limit)
            if is_enough:
                break
            is_enough = total >= wanted
            reach = reach * 1449 // 1024 + 1 if is_enough else 2 * reach  # a little more than the square root of 2
        if reach > MAX_RADIUS:
            continue
        kept = 0
        for f in range(total):
            number = np.int64(found[f] & 0xFFFFFFFF)
            square = square_distance(scene, number, x, y)
            if kept == wanted and (square, number) >= (squares[kept - 1], np.int64(numbers[q, kept - 1])):
                continue
            at = kept if kept < wanted else kept - 1
            while at and (square, number) < (squares[at - 1], np.int64(numbers[q, at - 1])):
                squares[at], numbers[q, at] = squares[at - 1], numbers[q, at - 1]
                at -= 1
            squares[at], numbers[q, at] = square, number
            kept = min(kept + 1, wanted)
