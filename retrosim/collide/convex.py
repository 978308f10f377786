"""Convex shapes, exact: circles, capsules, rectangles at any angle, convex polygons, with rounded corners or without.

Every shape is a convex outline of 1 to 64 vertices and a radius around it: one vertex is a circle, two are a capsule,
four a rectangle. Broad phase first, with the bounds; then only the pairs that remain.

    >>> import numpy as np
    >>> from retrosim.collide import convex, world
    >>> outlines = [[(0, 0)], [(-20, 0), (20, 0)], [(-10, -30), (22, 14), (10, 30), (-22, -14)]]
    >>> shapes = convex.pack(outlines, radius=[16, 5, 0])  # a circle, a capsule, a rectangle that is turned
    >>> x, y, shape = np.array([0, 30, 63]), np.array([0, 12, 46]), np.array([0, 1, 2], np.int32)
    >>> left, top, size = convex.bounds(x, y, shape, shapes)
    >>> close = world.pairs(left, top, size=size)
    >>> close.tolist(), convex.hits(x, y, shape, shapes, close).tolist()
    ([[0, 1], [1, 2]], [1, 0])
    >>> found = convex.contacts(x, y, shape, shapes, close)
    >>> found.depth.tolist(), found.shift[0].tolist(), found.normal[0].tolist()  # the circle is 6 deep in the capsule
    ([6, 0], [-4, -5], [-10, -12])
    >>> drawn = convex.pixels(convex.pack([[(0, 0), (3, 0), (0, 3)]]))  # for `masks`: against sprites
    >>> drawn.offset.tolist(), drawn.images[0].tolist()
    ([[0, 0]], [[1, 1, 1], [1, 1, 0], [1, 0, 0]])

Conventions
    x, y      integers[n], C-contiguous, -2147483648..2147483647: where the point (0, 0) of each object's outline is
    shape     int32[n], which outline each object has
    polygons  what `pack` returned
    pairs     int32[m, 2], indices
    out       where to write, instead of making an array: uint8[m] for flags
    Errors    ValueError  wrong dtype, shape or length; a value out of range, named with the range

Two shapes overlap if they have inner points in common: touching is no collision. With a radius that is: their outlines
are nearer to each other than both radii together. A point or a segment without radius meets only what has one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from retrosim.checks import check_integer

from . import _first_calls
from ._arguments import form_of, own_list, own_numbers, own_pairs
from ._boxes import own_axis
from ._results import flag_array
from .contacts import Contacts
from .kernels.shapes.convex import BOTTOM, COUNT, FIRST, LEFT, RIGHT, TOP, list_contacts, mark_pairs

MAX_PIXELS = 4096
MAX_PART, MAX_VERTICES = 8191, 64  # of a vertex along each axis, and of a radius: squares of areas fit 63 bits


class Polygons(NamedTuple):
    """Outlines, as `pack` makes them.

    outlines  int32[s, 7]  first vertex, vertices, radius, and left, top, right, bottom with the radius
    vertices  int32[v, 2]  x and y, outline after outline, clockwise on the screen
    """

    outlines: np.ndarray
    vertices: np.ndarray


def pack(outlines: Sequence[Any], *, radius: Sequence[int] | int = 0) -> Polygons:
    """Check outlines, and put them into arrays.

    outlines  a list of outlines, each a list or an array of 1 to 64 vertices x, y, -8191..8191, either way round; three
              and more have to be convex, with no vertex on the line through its neighbours
    radius    how far the shapes reach around their outlines, 0..8191: one number, or one each
    Returns   Polygons
    Errors    ValueError

    >>> shapes = pack([[(0, 0)], [(-12, 0), (9, -7), (9, 7)]], radius=[20, 0])  # a circle, a triangle
    >>> len(shapes.outlines)
    2
    """
    outlines = own_list("outlines", outlines, "outlines")
    is_list = isinstance(radius, list | tuple | np.ndarray)
    radii: list[Any] = own_list("radius", radius, "radii") if is_list else [radius] * len(outlines)
    if len(radii) != len(outlines):
        raise ValueError(f"radius has length {len(radii)}: allowed {len(outlines)}, as outlines has")
    rows, vertices, first = [], [np.empty((0, 2), np.int32)], 0
    for number, (outline, reach) in enumerate(zip(outlines, radii)):
        points = _vertices(f"outlines[{number}]", outline)
        reach = check_integer(f"radius[{number}]" if is_list else "radius", reach, 0, MAX_PART)
        rows.append([first, len(points), reach, *(points.min(axis=0) - reach), *(points.max(axis=0) + reach)])
        vertices.append(points)
        first += len(points)
    return Polygons(np.array(rows, np.int32).reshape(-1, 7), np.concatenate(vertices).astype(np.int32))


def _vertices(name: str, outline: Any) -> np.ndarray:
    """Check one outline; return its vertices clockwise on the screen, int64[k, 2]."""
    try:
        points = np.array(outline)
    except ValueError:
        points = np.empty(0)
    is_table = points.ndim == 2 and points.shape[1] == 2 and 1 <= len(points) <= MAX_VERTICES
    if not is_table or points.dtype.kind not in "iu" or isinstance(outline, np.ma.MaskedArray):
        raise ValueError(f"{name} is {form_of(outline)}: allowed 1 to {MAX_VERTICES} vertices, two whole numbers each")
    points = points.astype(np.int64)
    if abs(points).max() > MAX_PART:
        index = int(np.argmax(abs(points).max(axis=1) > MAX_PART))
        raise ValueError(f"{name}[{index}] = {tuple(points[index].tolist())}: allowed {-MAX_PART}..{MAX_PART}")
    if len(points) < 3:
        return points
    sides = np.roll(points, -1, axis=0) - points
    there = points[None] - points[:, None]  # every vertex, seen from the beginning of every edge
    areas = sides[:, None, 0] * there[..., 1] - sides[:, None, 1] * there[..., 0]
    ends = np.eye(len(points), dtype=bool)
    inner = areas[~(ends | np.roll(ends, 1, axis=1))]
    if not ((inner > 0).all() or (inner < 0).all()):
        raise ValueError(f"{name} of {len(points)} vertices: allowed convex outlines, no three vertices on a line")
    return points if inner[0] > 0 else points[::-1]


def _check(x, y, shape, polygons):
    """Check arguments; return copies: x, y, shape, outlines, vertices."""
    x, y = own_axis("x", x), own_axis("y", y)
    if len(y) != len(x):
        raise ValueError(f"y has length {len(y)}: allowed {len(x)}, as x has")
    if not isinstance(polygons, Polygons):
        raise ValueError(f"polygons are {form_of(polygons)}: allowed what `pack` returns")
    for table, columns in zip(polygons, (7, 2)):
        if not isinstance(table, np.ndarray) or table.dtype != np.int32 or table.ndim != 2 or table.shape[1] != columns:
            raise ValueError(f"polygons have {form_of(table)}: allowed what `pack` returns")
    outlines, vertices = (np.array(table, order="C") for table in polygons)
    first, count = outlines[:, FIRST].astype(np.int64), outlines[:, COUNT].astype(np.int64)
    reach, parts = abs(outlines[:, COUNT + 1 :].astype(np.int64)), abs(vertices.astype(np.int64))
    is_inside = (first >= 0) & (count >= 1) & (count <= MAX_VERTICES) & (first + count <= len(vertices))
    if not is_inside.all() or (reach > 2 * MAX_PART).any() or (parts > MAX_PART).any():
        raise ValueError("polygons are not in their tables: allowed what `pack` returns")
    return x, y, own_numbers("shape", shape, len(x), len(outlines) - 1), outlines, vertices


def _steps(outlines: np.ndarray, pairs: np.ndarray) -> Callable[[], int]:
    """Return what tells how much work pairs are, see `_first_calls.call`."""
    return lambda: 4 * len(pairs) * int(outlines[:, COUNT].max(initial=0)) ** 2


def bounds(
    x: np.ndarray, y: np.ndarray, shape: np.ndarray, polygons: Polygons
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the bounding boxes of objects, for `world` and `groups`: left and top, int32[n], and size, int32[n, 2].

    Returns  int32[n], int32[n], int32[n, 2]
    Errors   ValueError  a box would begin beyond -2147483648

    >>> shapes = pack([[(0, 0)], [(-20, 0), (20, 0)]], radius=[16, 5])
    >>> x, y, shape = np.array([0, 30, 99]), np.array([0, 12, 0]), np.array([0, 1, 0], np.int32)
    >>> left, top, size = bounds(x, y, shape, shapes)
    >>> left.tolist(), size.tolist()
    ([-16, 5, 83], [[32, 32], [50, 10], [32, 32]])
    """
    x, y, shape, outlines, _ = _check(x, y, shape, polygons)
    mine = outlines[shape].astype(np.int64)
    left, top = x + mine[:, LEFT], y + mine[:, TOP]
    size = np.maximum(1, mine[:, [RIGHT, BOTTOM]] - mine[:, [LEFT, TOP]])
    return own_axis("x", left), own_axis("y", top), size.astype(np.int32)


def hits(
    x: np.ndarray,
    y: np.ndarray,
    shape: np.ndarray,
    polygons: Polygons,
    pairs: np.ndarray,
    *,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Test the listed pairs.

    Returns  uint8[m]  1 where the pair overlaps

    >>> shapes = pack([[(0, 0)], [(-20, 0), (20, 0)]], radius=[16, 5])
    >>> x, y, shape = np.array([0, 30, 99]), np.array([0, 12, 0]), np.array([0, 1, 0], np.int32)
    >>> pairs = np.array([[0, 1], [1, 2]], np.int32)
    >>> hits(x, y, shape, shapes, pairs).tolist()
    [1, 0]
    """
    x, y, shape, outlines, vertices = _check(x, y, shape, polygons)
    pairs = own_pairs(pairs, len(x))
    out = flag_array(out, len(pairs))
    _first_calls.call(mark_pairs, _steps(outlines, pairs), x, y, shape, outlines, vertices, pairs, out)
    return out


def contacts(x: np.ndarray, y: np.ndarray, shape: np.ndarray, polygons: Polygons, pairs: np.ndarray) -> Contacts:
    """Find how deep the listed pairs are in each other, and the shortest way out: the minimum translation.

    The direction is exact: at right angles to an edge, or the line through two corners; of equally short ways that of
    the first edge of the second shape, then of the first one. Depth and shift are rounded up, each axis by itself.

    Returns  Contacts

    >>> shapes = pack([[(0, 0)], [(-20, 0), (20, 0)]], radius=[16, 5])
    >>> x, y, shape = np.array([0, 30, 99]), np.array([0, 12, 0]), np.array([0, 1, 0], np.int32)
    >>> pairs = np.array([[0, 1], [1, 2]], np.int32)
    >>> contacts(x, y, shape, shapes, pairs).depth.tolist()
    [6, 0]
    """
    x, y, shape, outlines, vertices = _check(x, y, shape, polygons)
    pairs = own_pairs(pairs, len(x))
    hit, found = np.empty(len(pairs), np.uint8), np.empty((len(pairs), 5), np.int64)
    given, steps = (x, y, shape, outlines, vertices, pairs, hit), _steps(outlines, pairs)
    _first_calls.call(mark_pairs, steps, *given)
    _first_calls.call(list_contacts, steps, *given, found)
    return Contacts(hit, *(np.ascontiguousarray(part) for part in (found[:, 0], found[:, 1:3], found[:, 3:])))


class Pixels(NamedTuple):
    """Shapes as pixels: those that they overlap with any part of their squares.

    offset  int32[s, 2]  where the upper left pixel of each is, seen from the point (0, 0) of its outline
    images  list         uint8[h, w] of each, 1 or 0, as `masks.pack` takes them
    """

    offset: np.ndarray
    images: list[np.ndarray]


def pixels(polygons: Polygons) -> Pixels:
    """Turn shapes into pixels, so that `masks` tests them against sprites: exact, since objects are at whole pixels.

    polygons  shapes up to 4096 pixels wide and high
    Returns   Pixels
    Errors    ValueError

    >>> pixels(pack([[(0, 0), (3, 0), (0, 3)]])).images[0].tolist()
    [[1, 1, 1], [1, 1, 0], [1, 0, 0]]
    """
    nothing = np.empty(0, np.int32)
    _, _, _, outlines, vertices = _check(nothing, nothing, nothing, polygons)
    square = pack([[(0, 0), (1, 0), (1, 1), (0, 1)]])
    square.outlines[:, FIRST] += len(vertices)
    both = Polygons(np.concatenate([outlines, square.outlines]), np.concatenate([vertices, square.vertices]))
    images = []
    for number, (left, top, right, bottom) in enumerate(outlines[:, LEFT:].tolist()):
        width, height = max(1, right - left), max(1, bottom - top)
        if max(width, height) > MAX_PIXELS:
            raise ValueError(f"outlines[{number}] is {width} x {height}: allowed {MAX_PIXELS} pixels or less each way")
        row = np.arange(width + 1)  # the shape, then a row of pixels
        x, shape = np.where(row > 0, left + row - 1, 0), np.where(row > 0, len(outlines), number).astype(np.int32)
        pairs = np.stack([np.zeros(width, np.int32), row[1:].astype(np.int32)], axis=1)
        image = np.empty((height, width), np.uint8)
        for line in range(height):
            hits(x, np.where(row > 0, top + line, 0), shape, both, pairs, out=image[line])
        images.append(image)
    return Pixels(outlines[:, [LEFT, TOP]], images)
