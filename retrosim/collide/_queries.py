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

from ._results import check_capacity, keys_of, sort_keys
from ._worlds import MAX_COORDINATE, MIN_COORDINATE, NO_RESULTS, NOTHING, Sorted
from .kernels.hierarchical_grid import ANY, BOTTOM, COUNTS, INDEX, LEFT, PAIRS, RIGHT, TOP, TWO, WORD

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


def near_boxes(prepared: Sorted, sides: np.ndarray, words: np.ndarray | None = None) -> np.ndarray:
    """List the boxes that meet rectangles, int32[m, 2] of query and box, in ascending order.

    sides  int64[q, 4]  left, top, right, bottom, all included; cut to the range of coordinates
    words  int32[q]     see `hierarchical_grid`; None for all boxes, whatever their words
    """
    queries, kind = _queries(sides, words), ANY if words is None else TWO
    rows = np.empty((2 * len(sides) + 64, 2), np.int32)
    total = prepared.search(queries, 0, len(queries), kind, PAIRS, keys_of(rows), NO_RESULTS)
    if total > len(rows):
        check_capacity(total, None, "objects for these queries")
        rows = np.empty((total, 2), np.int32)
        prepared.search(queries, 0, len(queries), kind, PAIRS, keys_of(rows), NO_RESULTS)
    sort_keys(rows[:total], True)
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
    """Find the boxes that have a point in common with segments.

    segments  int64[q, 4]  x and y of both ends, no farther apart than MAX_RADIUS along either axis
    """
    begin, way = segments[:, :2], segments[:, 2:] - segments[:, :2]
    rows = _near_segments(prepared, scene, begin, way)
    ways, lengths = way[rows[:, 0]], np.maximum(1, abs(way))[rows[:, 0]]
    boxes = scene[rows[:, 1]].astype(np.int64)
    enters, leaves = np.zeros((2, len(rows)), np.int64), np.empty((2, len(rows)), np.int64)
    is_hit = np.ones(len(rows), bool)
    for axis, (near, far) in enumerate(((LEFT, RIGHT), (TOP, BOTTOM))):
        at = begin[rows[:, 0], axis]
        forward, length, other = ways[:, axis] > 0, lengths[:, axis], lengths[:, 1 - axis]
        first = np.where(forward, boxes[:, near] - at, at - boxes[:, far])
        last = np.where(forward, boxes[:, far] - at, at - boxes[:, near])
        is_moving = ways[:, axis] != 0
        is_hit &= (first <= np.where(is_moving, length, 0)) & (last >= 0)
        enters[axis] = np.where(is_moving, np.clip(first, 0, length), 0) * other
        leaves[axis] = np.where(is_moving, np.clip(last, 0, length), length) * other
    numerator = enters.max(axis=0)
    is_hit &= numerator <= leaves.min(axis=0)
    normal = np.where((enters == numerator) & (numerator > 0), -np.sign(ways.T), 0).astype(np.int8).T
    normal[normal[:, 0] != 0, 1] = 0  # through a corner: the side that stands upright
    return Crossings(rows[is_hit], numerator[is_hit], lengths.prod(axis=1)[is_hit], normal[is_hit])


def _near_segments(prepared: Sorted, scene: np.ndarray, begin: np.ndarray, way: np.ndarray) -> np.ndarray:
    """List the boxes that meet rectangles around segments, in pieces if they are oblique and long."""
    if not len(scene):
        return np.empty((0, 2), np.int32)
    side = int(np.median(scene[:, RIGHT].astype(np.int64) - scene[:, LEFT])) + 1
    pieces = np.clip(abs(way).min(axis=1) // (4 * side), 1, MAX_PIECES)
    which = np.repeat(np.arange(len(way)), pieces)
    number, of = np.arange(len(which)) - np.repeat(np.cumsum(pieces) - pieces, pieces), pieces[which][:, None]
    one, other = way[which] * number[:, None], way[which] * (number[:, None] + 1)
    least, last = np.minimum(one, other) // of, -(-np.maximum(one, other) // of)
    rows = near_boxes(prepared, np.concatenate([begin[which] + least, begin[which] + last], axis=1))
    keys = np.unique(which[rows[:, 0]].astype(np.int64) << 32 | rows[:, 1])
    return np.stack([keys >> 32, keys & 0xFFFFFFFF], axis=1).astype(np.int32)


def first_of(crossings: Crossings, count: int) -> np.ndarray:
    """Return for each of `count` segments which crossing comes first, the lowest box if several do; -1 for none."""
    order = np.lexsort((crossings.rows[:, 1], crossings.numerator, crossings.rows[:, 0]))
    segments, where = np.unique(crossings.rows[order, 0], return_index=True)
    first = np.full(count, -1, np.int64)
    first[segments] = order[where]
    return first


def nearest(prepared: Sorted, scene: np.ndarray, centres: np.ndarray, wanted: int) -> np.ndarray:
    """Return the boxes nearest to points, by distance and then by number; -1 where there are no more.

    Squares around the points grow until there are enough boxes in them; the nearest are in the circles around those.

    Returns  int32[q, wanted]
    """
    out = np.full((len(centres), wanted), -1, np.int32)
    enough = min(wanted, len(scene))
    if enough == 0:
        return out
    radii = np.full(len(centres), 1 + int(np.median(scene[:, RIGHT].astype(np.int64) - scene[:, LEFT])) // 2)
    grows = np.arange(len(centres))
    while len(grows):
        grows = grows[count_near(prepared, around(centres[grows], radii[grows])) < enough]
        radii[grows] *= 2
        grows = grows[radii[grows] <= MAX_RADIUS]
    reaches = radii * 1449 // 1024 + 1  # a little more than the square root of 2
    is_far = reaches > MAX_RADIUS
    rows = near_boxes(prepared, around(centres, reaches)[~is_far])
    across, down = gaps(scene, centres[~is_far], rows)
    order = np.lexsort((rows[:, 1], across * across + down * down, rows[:, 0]))
    counts = np.bincount(rows[:, 0], minlength=np.count_nonzero(~is_far))
    rank = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    chosen = order[rank < enough]
    out[np.flatnonzero(~is_far)[rows[chosen, 0]], rank[rank < enough]] = rows[chosen, 1]
    for query in np.flatnonzero(is_far):  # across more than half of the range: squares of more than 64 bits
        every = np.stack([np.zeros(len(scene), np.int64), np.arange(len(scene))], axis=1)
        across, down = (gap.astype(object) for gap in gaps(scene, centres[query : query + 1], every))
        out[query, :enough] = np.argsort(across * across + down * down, kind="stable")[:enough]
    return out
