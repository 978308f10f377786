"""Rounded convex polygons, by edges and vertices, exact in 64 bits; see `retrosim.collide.convex`."""

from __future__ import annotations

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
