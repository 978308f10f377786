"""What lies at points, in boxes and circles, on segments, and nearest: questions to a scene that has been sorted.

A box is the rectangle from its first to its last unit, sides included. The kernel finds the boxes that meet a
rectangle around what is asked; the rest is arithmetic on whole arrays, exact in 64 bits: squares of up to 31 bits,
and fractions of a segment with one denominator for both axes.

Arrays of all functions here
    scene    int32[n, 6]  columns of `kernels.hierarchical_grid`; INDEX is any
    queries  int64[q, ..] coordinates in 32 bits signed
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ._boxes import MAX_COORDINATE, MIN_COORDINATE, NO_RESULTS, NOTHING, Sorted, are_compiled, own_axis, rows_for
from ._first_calls import COMPILER, MAX_CANDIDATES
from ._results import check_capacity, keys_of, sort_keys
from .kernels.pairs import hierarchical_grid as grid
from .kernels.pairs.hierarchical_grid import ANY, BOTTOM, COUNTS, INDEX, LEFT, PAIRS, RIGHT, TOP, TWO, WORD
from .kernels.pairs.queries import list_crossings, list_nearest

MAX_RADIUS = (1 << 31) - 1
MAX_PIECES = 32


class Crossings(NamedTuple):
    """Where segments enter boxes.

    rows         int32[m, 2]  segment, box
    numerator    int64[m]     how far along the segment, over `denominator`: 0 where it begins, 1 where it ends
    denominator  int64[m]     of one segment the same for all boxes, 1 or more
    normal       int8[m, 2]   x and y of the side that is entered, outwards: one of them -1 or 1; 0, 0: begins inside
    """

    rows: np.ndarray
    numerator: np.ndarray
    denominator: np.ndarray
    normal: np.ndarray


def own_points(x: np.ndarray, y: np.ndarray, names: tuple[str, str] = ("x", "y")) -> np.ndarray:
    """Check points; return them as int64[q, 2]."""
    across, down = own_axis(names[0], x), own_axis(names[1], y)
    if len(across) != len(down):
        raise ValueError(f"{names[1]} has length {len(down)}: allowed {len(across)}, as {names[0]} has")
    points = np.empty((len(across), 2), np.int64)
    points[:, 0], points[:, 1] = across, down
    return points


def own_segments(x0: np.ndarray, y0: np.ndarray, x1: np.ndarray, y1: np.ndarray) -> np.ndarray:
    """Check segments; return them as int64[q, 4]."""
    begins, ends = own_points(x0, y0, ("x0", "y0")), own_points(x1, y1, ("x1", "y1"))
    if len(begins) != len(ends):
        raise ValueError(f"x1 has length {len(ends)}: allowed {len(begins)}, as x0 has")
    too_long = abs(ends - begins) > MAX_RADIUS
    if too_long.any():
        index, axis = np.unravel_index(int(np.argmax(too_long)), too_long.shape)
        name, way = "xy"[axis], (ends - begins)[index, axis]
        raise ValueError(f"{name}1[{index}] - {name}0[{index}] = {way}: allowed {-MAX_RADIUS}..{MAX_RADIUS}")
    return np.concatenate([begins, ends], axis=1)


def near_boxes(prepared: Sorted, sides: np.ndarray, words: np.ndarray | None = None) -> np.ndarray:
    """List the boxes that meet rectangles, int32[m, 2] of query and box, in ascending order.

    sides  int64[q, 4]  left, top, right, bottom, all included; cut to the range of coordinates
    words  int32[q]     see `hierarchical_grid`; None for all boxes, whatever their words
    """
    rows = _found(prepared, sides, words)
    sort_keys(rows, True)
    return rows


def _found(prepared: Sorted, sides: np.ndarray, words: np.ndarray | None = None) -> np.ndarray:
    """Do what `near_boxes` does, but return keys, in any order: memory of int32[m, 2], see `keys_of`."""
    queries, kind = _queries(sides, words), ANY if words is None else TWO
    rows = np.empty((rows_for(len(sides)), 2), np.int32)
    total = prepared.search(queries, 0, len(queries), kind, PAIRS, keys_of(rows), NO_RESULTS)
    if total > len(rows):
        check_capacity(total, None, "objects for these queries", instead=" in one call")
        rows = np.empty((total, 2), np.int32)
        prepared.search(queries, 0, len(queries), kind, PAIRS, keys_of(rows), NO_RESULTS)
    return rows[:total]


def count_near(prepared: Sorted, sides: np.ndarray) -> np.ndarray:
    """Count the boxes that meet each rectangle, int32[q]; see `near_boxes`."""
    counts = np.zeros(len(sides), np.int32)
    prepared.search(_queries(sides, None), 0, len(sides), ANY, COUNTS, NOTHING, counts)
    return counts


def _queries(sides: np.ndarray, words: np.ndarray | None) -> np.ndarray:
    """Return rectangles as a scene."""
    queries = np.empty((len(sides), 6), np.int32)
    queries[:, :4] = np.clip(sides, MIN_COORDINATE, MAX_COORDINATE)
    queries[:, INDEX], queries[:, WORD] = np.arange(len(sides)), 0 if words is None else words
    return queries


def gaps(scene: np.ndarray, centres: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how far points are from boxes along x and along y, int64[m] each.

    rows  int32[m, 2]  point, box
    """
    points, boxes = centres[rows[:, 0]], scene[rows[:, 1]].astype(np.int64)
    return (
        np.maximum(0, np.maximum(boxes[:, LEFT] - points[:, 0], points[:, 0] - boxes[:, RIGHT])),
        np.maximum(0, np.maximum(boxes[:, TOP] - points[:, 1], points[:, 1] - boxes[:, BOTTOM])),
    )


def around(centres: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """Return rectangles around circles, int64[q, 4]."""
    return np.concatenate([centres - radii[:, None], centres + radii[:, None]], axis=1)


def in_circles(prepared: Sorted, scene: np.ndarray, centres: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """List the boxes no farther from centres than radii: squared distance <= radius * radius; see `near_boxes`."""
    rows = near_boxes(prepared, around(centres, radii))
    across, down = gaps(scene, centres, rows)
    radius = radii[rows[:, 0]]
    return rows[across * across + down * down <= radius * radius]


def on_segments(prepared: Sorted, scene: np.ndarray, segments: np.ndarray) -> Crossings:
    """Find the boxes that have a point in common with segments; rows have the INDEX of boxes.

    segments  int64[q, 4]  x and y of both ends, no farther apart than MAX_RADIUS along either axis
    """
    if not (are_compiled() and COMPILER.is_done("segments", _compile)):
        found = _on_segments_by_numpy(prepared, scene, segments)
        if found is not None:
            return found
        COMPILER.finish("segments", _compile)
    work, order = prepared.sort()
    total = capacity = rows_for(len(segments))
    while True:
        rows, normals = np.empty((capacity, 2), np.int32), np.empty((capacity, 2), np.int8)
        fractions = np.empty((2, capacity), np.int64)
        total = list_crossings(scene, segments, work, order, rows, fractions, normals)
        if total <= capacity:
            return Crossings(rows[:total], fractions[0, :total], fractions[1, :total], normals[:total])
        check_capacity(total, None, "objects for these queries", instead=" in one call")
        capacity = total


def _compile() -> None:
    """Call the kernel for segments, for nothing."""
    scene, work = np.zeros((1, 6), np.int32), grid.workspace(1)
    order = grid.Order(*grid.sort_scene(scene, 0, 1, 1, work))
    rows, fractions = np.empty((1, 2), np.int32), np.empty((2, 1), np.int64)
    list_crossings(scene, np.zeros((1, 4), np.int64), work, order, rows, fractions, rows.astype(np.int8))


def _on_segments_by_numpy(prepared: Sorted, scene: np.ndarray, segments: np.ndarray) -> Crossings | None:
    """Do what the kernel for segments does, until it is compiled; None if the kernel would be faster."""
    begin, way = segments[:, :2], segments[:, 2:] - segments[:, :2]
    which, sides = _pieces(scene, begin, way)
    if count_near(prepared, sides).sum() > MAX_CANDIDATES:
        return None
    keys = keys_of(_found(prepared, sides))
    keys = np.unique(which[keys >> 32] << 32 | keys & 0xFFFFFFFF)
    rows = np.stack([keys >> 32, keys & 0xFFFFFFFF], axis=1).astype(np.int32)
    boxes = scene[rows[:, 1]].astype(np.int64)
    start = begin[rows[:, 0]]
    times = cross(way[rows[:, 0]], boxes[:, [LEFT, TOP]] - start, boxes[:, [RIGHT, BOTTOM]] - start)
    is_hit = times.is_possible & (times.enter <= times.leave)
    rows[:, 1] = scene[rows[:, 1], INDEX]
    return Crossings(rows[is_hit], times.enter[is_hit], times.denominator[is_hit], times.normal[is_hit])


class Times(NamedTuple):
    """When points that move are between two limits along both axes, of a way that takes the time 1.

    enter, leave  int64[m]    over `denominator`, cut to 0 .. 1
    denominator   int64[m]    1 or more
    normal        int8[m, 2]  of the side that is crossed at `enter`, see `Crossings`
    is_possible   bool[m]     along neither axis is that all before 0 or all after 1
    """

    enter: np.ndarray
    leave: np.ndarray
    denominator: np.ndarray
    normal: np.ndarray
    is_possible: np.ndarray


def cross(way: np.ndarray, near: np.ndarray, far: np.ndarray) -> Times:
    """Move points from (0, 0).

    way        int64[m, 2]  31 bits and a sign
    near, far  int64[m, 2]  limits, near <= far; they are part of what is between them
    """
    length, is_moving, forward = np.maximum(1, abs(way)), way != 0, way > 0
    first, last = np.where(forward, near, -far), np.where(forward, far, -near)
    other = length[:, ::-1]
    enters = np.where(is_moving, np.clip(first, 0, length), 0) * other
    leaves = np.where(is_moving, np.clip(last, 0, length), length) * other
    possible: np.ndarray = (first <= np.where(is_moving, length, 0)) & (last >= 0)
    enter = enters.max(axis=1)
    normal = np.where((enters == enter[:, None]) & (enter[:, None] > 0), -np.sign(way), 0).astype(np.int8)
    normal[normal[:, 0] != 0, 1] = 0  # through a corner: the side that stands upright
    return Times(enter, leaves.min(axis=1), length.prod(axis=1), normal, np.array(possible.all(axis=1)))


def _pieces(scene: np.ndarray, begin: np.ndarray, way: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return rectangles around segments, in pieces if they are oblique and long: whose each is, and int64[p, 4]."""
    side = int(np.median(scene[:, RIGHT].astype(np.int64) - scene[:, LEFT])) + 1 if len(scene) else 1
    pieces = np.clip(abs(way).min(axis=1) // (4 * side), 1, MAX_PIECES)
    which = np.repeat(np.arange(len(way)), pieces)
    number, of = np.arange(len(which)) - np.repeat(np.cumsum(pieces) - pieces, pieces), pieces[which][:, None]
    one, other = way[which] * number[:, None], way[which] * (number[:, None] + 1)
    floors, ceilings = np.minimum(one, other) // of, -(-np.maximum(one, other) // of)
    return which, np.concatenate([begin[which] + floors, begin[which] + ceilings], axis=1)


def first_of(crossings: Crossings, count: int) -> np.ndarray:
    """Return for each of `count` segments which crossing comes first, the lowest box if several do; -1 for none."""
    first = np.full(count, -1, np.int64)
    segments = crossings.rows[:, 0]
    starts = np.flatnonzero(np.diff(segments, prepend=np.int32(-1)))
    if len(starts):
        soonest = np.minimum.reduceat(crossings.numerator, starts)  # of one segment all have the same denominator
        ends = np.append(starts[1:], len(segments))
        where = np.flatnonzero(crossings.numerator == np.repeat(soonest, ends - starts))
        where = where[np.diff(segments[where], prepend=np.int32(-1)) != 0]
        first[segments[where]] = where
    return first


def nearest(prepared: Sorted, scene: np.ndarray, centres: np.ndarray, wanted: int) -> np.ndarray:
    """Return the boxes nearest to points, by distance and then by number; -1 where there are no more.

    Returns  int32[q, wanted]
    """
    out = np.full((len(centres), wanted), -1, np.int32)
    enough = min(wanted, len(scene))
    if enough == 0:
        return out
    radius = 1 + int(np.median(scene[:, RIGHT].astype(np.int64) - scene[:, LEFT])) // 2
    found = np.full((len(centres), enough), -1, np.int32)
    is_compiled = are_compiled() and COMPILER.is_done("nearest", _compile_nearest)
    if is_compiled or not _nearest_by_numpy(prepared, scene, centres, radius, found):
        COMPILER.finish("nearest", _compile_nearest)
        work, order = prepared.sort()
        list_nearest(scene, work, order, grid.cursors(), centres, radius, found)
    for query in np.flatnonzero(found[:, 0] < 0):  # across more than half of the range: squares of more than 64 bits
        every = np.stack([np.zeros(len(scene), np.int64), np.arange(len(scene))], axis=1)
        across, down = (gap.astype(object) for gap in gaps(scene, centres[query : query + 1], every))
        found[query] = np.argsort(across * across + down * down, kind="stable")[:enough]
    out[:, :enough] = found
    return out


def _compile_nearest() -> None:
    """Call the kernel, for nothing."""
    scene, work = np.zeros((1, 6), np.int32), grid.workspace(1)
    order = grid.Order(*grid.sort_scene(scene, 0, 1, 1, work))
    list_nearest(scene, work, order, grid.cursors(), np.zeros((1, 2), np.int64), 1, np.empty((1, 1), np.int32))


def _nearest_by_numpy(prepared: Sorted, scene: np.ndarray, centres: np.ndarray, radius: int, out: np.ndarray) -> bool:
    """Do what `kernels.nearest` does, until it is compiled; tell whether it has, or the kernel would be faster."""
    wanted = out.shape[1]
    radii, grows = np.full(len(centres), radius), np.arange(len(centres))
    while len(grows):
        grows = grows[count_near(prepared, around(centres[grows], radii[grows])) < wanted]
        radii[grows] *= 2
        grows = grows[radii[grows] <= MAX_RADIUS]
    reaches = radii * 1449 // 1024 + 1
    near = np.flatnonzero(reaches <= MAX_RADIUS)
    sides = around(centres, reaches)[near]
    if count_near(prepared, sides).sum() > MAX_CANDIDATES:
        return False
    rows = near_boxes(prepared, sides)
    across, down = gaps(scene, centres[near], rows)
    order = np.lexsort((rows[:, 1], across * across + down * down, rows[:, 0]))
    counts = np.bincount(rows[:, 0], minlength=len(near))
    rank = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    chosen = order[rank < wanted]
    out[near[rows[chosen, 0]], rank[rank < wanted]] = rows[chosen, 1]
    return True
