"""Rounded convex polygons, by edges and vertices, exact in 64 bits; see `retrosim.collide.convex`."""

from __future__ import annotations

import math

import numpy as np

from retrosim.jit import kernel

FIRST, COUNT, RADIUS, LEFT, TOP, RIGHT, BOTTOM = range(7)
"""Columns of a table of outlines: where its vertices are, how many, how far it reaches around them, and its bounds."""


@kernel
def is_point_near(x, y, across, down, square):
    """Tell whether a point is less far than a distance from the segment from (0, 0) to (across, down).

    square  int  of the distance
    """
    along, length = x * across + y * down, across * across + down * down
    if along <= 0:
        return x * x + y * y < square
    if along >= length:
        return (x - across) * (x - across) + (y - down) * (y - down) < square
    area = x * down - y * across
    return area * area < square * length


@kernel
def is_apart(vertices, first, count, other_first, other_count, x, y, is_strict):
    """Tell whether the line through an edge of a polygon has all of the other one on its outer side.

    first, count  int  vertices of the polygon, in the order in which the inside is where the cross product is positive
    x, y          int  where the other one is, seen from this one
    is_strict     bool whether vertices on the line are on its outer side too
    """
    for k in range(count):
        a, b = first + k, first + (k + 1) % count
        across, down = np.int64(vertices[b, 0]) - vertices[a, 0], np.int64(vertices[b, 1]) - vertices[a, 1]
        is_outside = True
        for m in range(other_first, other_first + other_count):
            area = across * (vertices[m, 1] + y - vertices[a, 1]) - down * (vertices[m, 0] + x - vertices[a, 0])
            if area > 0 or (area == 0 and not is_strict):
                is_outside = False
                break
        if is_outside:
            return True
    return False


@kernel
def has_vertex_near(vertices, first, count, other_first, other_count, x, y, square):
    """Tell whether a vertex of the other one is near an edge of the first; see `is_apart` and `is_point_near`."""
    for k in range(count):
        a, b = first + k, first + (k + 1) % count
        across, down = np.int64(vertices[b, 0]) - vertices[a, 0], np.int64(vertices[b, 1]) - vertices[a, 1]
        for m in range(other_first, other_first + other_count):
            px, py = vertices[m, 0] + x - vertices[a, 0], vertices[m, 1] + y - vertices[a, 1]
            if is_point_near(px, py, across, down, square):
                return True
    return False


@kernel
def do_cross(vertices, first, count, other_first, other_count, x, y):
    """Tell whether two edges cross, each with its ends on different sides of the other; see `is_apart`."""
    for k in range(count):
        a, b = first + k, first + (k + 1) % count
        across, down = np.int64(vertices[b, 0]) - vertices[a, 0], np.int64(vertices[b, 1]) - vertices[a, 1]
        for m in range(other_count):
            c, d = other_first + m, other_first + (m + 1) % other_count
            cx, cy = vertices[c, 0] + x - vertices[a, 0], vertices[c, 1] + y - vertices[a, 1]
            dx, dy = vertices[d, 0] + x - vertices[a, 0], vertices[d, 1] + y - vertices[a, 1]
            before, after = across * cy - down * cx, across * dy - down * dx
            way_x, way_y = dx - cx, dy - cy
            here, there = way_y * cx - way_x * cy, way_x * (down - cy) - way_y * (across - cx)
            is_crossed = (before > 0) != (after > 0) and before != 0 and after != 0
            if is_crossed and (here > 0) != (there > 0) and here != 0 and there != 0:
                return True
    return False


@kernel
def mark_pairs(x, y, shape, outlines, vertices, pairs, out):
    """Write 1 for each listed pair that overlaps, else 0.

    x, y      int32[n]     where the point (0, 0) of each object's outline is
    shape     int32[n]     row of `outlines`
    outlines  int32[s, 7]  see above
    vertices  int32[v, 2]
    pairs     int32[m, 2]  indices
    out       uint8[m]     output
    """
    for p in range(len(pairs)):
        a, b = pairs[p, 0], pairs[p, 1]
        one, other = shape[a], shape[b]
        way_x, way_y = np.int64(x[b]) - x[a], np.int64(y[b]) - y[a]
        out[p] = 0
        if (
            way_x + outlines[other, LEFT] >= outlines[one, RIGHT]
            or way_x + outlines[other, RIGHT] <= outlines[one, LEFT]
        ):
            continue
        if (
            way_y + outlines[other, TOP] >= outlines[one, BOTTOM]
            or way_y + outlines[other, BOTTOM] <= outlines[one, TOP]
        ):
            continue
        first, count = np.int64(outlines[one, FIRST]), np.int64(outlines[one, COUNT])
        other_first, other_count = np.int64(outlines[other, FIRST]), np.int64(outlines[other, COUNT])
        reach = np.int64(outlines[one, RADIUS]) + outlines[other, RADIUS]
        if reach == 0:
            if min(count, other_count) > 2:
                out[p] = not (
                    is_apart(vertices, first, count, other_first, other_count, way_x, way_y, True)
                    or is_apart(vertices, other_first, other_count, first, count, -way_x, -way_y, True)
                )
            continue
        square = reach * reach
        out[p] = (
            has_vertex_near(vertices, first, count, other_first, other_count, way_x, way_y, square)
            or has_vertex_near(vertices, other_first, other_count, first, count, -way_x, -way_y, square)
            or do_cross(vertices, first, count, other_first, other_count, way_x, way_y)
            or (count > 2 and not is_apart(vertices, first, count, other_first, 1, way_x, way_y, False))
            or (other_count > 2 and not is_apart(vertices, other_first, other_count, first, 1, -way_x, -way_y, False))
        )


@kernel
def root(square):
    """Return the integer square root, rounded down, of a number below 1 << 62."""
    found = np.int64(math.sqrt(square))  # right to some last bits, which are put right
    while found * found > square:
        found -= 1
    while (found + 1) * (found + 1) <= square:
        found += 1
    return found


@kernel
def is_larger(one, one_square, other, other_square):
    """Tell whether one / root(one_square) > other / root(other_square), exactly.

    one, other  int  31 bits and a sign; the squares have 30 bits
    """
    if (one >= 0) != (other >= 0):
        return one >= 0
    left, right = one * one, other * other  # times the square of the other one, in 32 + 64 bits
    left_lower, right_lower = (left & 0xFFFFFFFF) * other_square, (right & 0xFFFFFFFF) * one_square
    left_upper = (left >> 32) * other_square + (left_lower >> 32)
    right_upper = (right >> 32) * one_square + (right_lower >> 32)
    left_lower, right_lower = left_lower & 0xFFFFFFFF, right_lower & 0xFFFFFFFF
    if left_upper == right_upper:
        return left_lower > right_lower if one >= 0 else left_lower < right_lower
    return left_upper > right_upper if one >= 0 else left_upper < right_upper


@kernel
def gap_along(vertices, first, count, other_first, other_count, x, y, way_x, way_y):
    """Return how far the first outline lies beyond the other one in a direction, times the length of its vector.

    x, y          int  where the other one is, seen from the first
    way_x, way_y  int  the direction; the result is negative if they overlap along it
    """
    lowest, highest = np.int64(1) << 62, -(np.int64(1) << 62)
    for k in range(first, first + count):
        lowest = min(lowest, vertices[k, 0] * way_x + vertices[k, 1] * way_y)
    for k in range(other_first, other_first + other_count):
        highest = max(highest, (vertices[k, 0] + x) * way_x + (vertices[k, 1] + y) * way_y)
    return lowest - highest


@kernel
def way_apart(vertices, first, count, other_first, other_count, x, y):
    """Find the direction in which two outlines are farthest apart, or overlap least; see `gap_along`.

    That is at right angles to an edge of one of them, or, if a vertex of each is nearest, the line through these.

    Returns  int, int, int  the gap and the direction, in which the first one leaves the other
    """
    best, best_x, best_y, best_square, near = np.int64(0), np.int64(0), np.int64(-1), np.int64(0), np.int64(1) << 62
    for turn in range(2):
        begin, corners, sign = (other_first, other_count, 1) if turn == 0 else (first, count, -1)
        for k in range(corners if corners > 1 else 0):
            a, b = begin + k, begin + (k + 1) % corners
            way_x = np.int64(vertices[b, 1] - vertices[a, 1]) * sign  # outwards: clockwise on the screen
            way_y = np.int64(vertices[a, 0] - vertices[b, 0]) * sign
            gap = gap_along(vertices, first, count, other_first, other_count, x, y, way_x, way_y)
            square = way_x * way_x + way_y * way_y
            if square and (best_square == 0 or is_larger(gap, square, best, best_square)):
                best, best_x, best_y, best_square = gap, way_x, way_y, square
    if best_square and best < 0:  # at 0 they touch, or both lie on one line, maybe apart
        return best, best_x, best_y
    corner_x, corner_y = np.int64(0), np.int64(0)
    for k in range(first, first + count):
        for m in range(other_first, other_first + other_count):
            way_x = np.int64(vertices[k, 0]) - vertices[m, 0] - x
            way_y = np.int64(vertices[k, 1]) - vertices[m, 1] - y
            if way_x * way_x + way_y * way_y < near:
                near, corner_x, corner_y = way_x * way_x + way_y * way_y, way_x, way_y
    if near:
        gap = gap_along(vertices, first, count, other_first, other_count, x, y, corner_x, corner_y)
        if best_square == 0 or is_larger(gap, near, best, best_square):
            best, best_x, best_y = gap, corner_x, corner_y
    return best, best_x, best_y


@kernel
def list_contacts(x, y, shape, outlines, vertices, pairs, hits, out):
    """Write how listed pairs overlap; arguments as for `mark_pairs`.

    hits  uint8[m]     what `mark_pairs` wrote
    out   int64[m, 5]  output: depth, shift along x and y, direction along x and y; zeros where there is no hit
    """
    for p in range(len(pairs)):
        for column in range(5):
            out[p, column] = 0
        if not hits[p]:
            continue
        a, b = pairs[p, 0], pairs[p, 1]
        one, other = shape[a], shape[b]
        first, count = np.int64(outlines[one, FIRST]), np.int64(outlines[one, COUNT])
        other_first, other_count = np.int64(outlines[other, FIRST]), np.int64(outlines[other, COUNT])
        reach = np.int64(outlines[one, RADIUS]) + outlines[other, RADIUS]
        to_x, to_y = np.int64(x[b]) - x[a], np.int64(y[b]) - y[a]
        gap, way_x, way_y = way_apart(vertices, first, count, other_first, other_count, to_x, to_y)
        square = way_x * way_x + way_y * way_y
        if gap >= 0:
            out[p, 0] = reach - root(gap * gap // square)
        else:
            out[p, 0] = reach + root((gap * gap - 1) // square) + 1
        length = (root(reach * reach * square - 1) + 1 if reach else np.int64(0)) - gap  # along the vector, rounded up
        out[p, 1] = -(-abs(way_x) * length // square) * (1 if way_x > 0 else -1)
        out[p, 2] = -(-abs(way_y) * length // square) * (1 if way_y > 0 else -1)
        out[p, 3], out[p, 4] = way_x, way_y
