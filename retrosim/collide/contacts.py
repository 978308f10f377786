"""Contacts of listed pairs: how deep two boxes or circles are in each other, which way out, and when they meet.

    >>> import numpy as np
    >>> from retrosim.collide import contacts
    >>> x, y = np.array([0, 25, 100]), np.array([0, 10, 0])
    >>> pairs = np.array([[0, 1], [1, 2]], np.int32)
    >>> found = contacts.boxes(x, y, pairs, size=30)
    >>> found.hit.tolist(), found.depth.tolist(), found.shift[0].tolist()  # object 0 has to go 5 units to the left
    ([1, 0], [5, 0], [-5, 0])
    >>> found = contacts.circles(x, y, pairs, radius=15)  # 26.9 apart
    >>> found.hit.tolist(), found.depth.tolist(), found.shift[0].tolist()
    ([1, 0], [4, 0], [-4, -2])
    >>> move_x, move_y = np.array([0, 90, 0]), np.array([0, 0, 0])
    >>> met = contacts.sweep_boxes(x, y, move_x, move_y, pairs, size=30)
    >>> met.hit.tolist(), met.numerator.tolist(), met.denominator.tolist(), met.normal[1].tolist()
    ([1, 1], [0, 45], [90, 90], [-1, 0])
    >>> met = contacts.sweep_circles(x, y, move_x, move_y, pairs, radius=15)
    >>> met.hit.tolist(), (met.numerator / met.denominator).round(3).tolist()
    ([1, 1], [0.0, 0.519])
    >>> met.numerator[1].item(), met.denominator[1].item()  # rounded down from (6750 - sqrt(6480000)) / 8100
    (17221286, 33177600)

Conventions
    x, y      integers[n], C-contiguous, -2147483648..2147483647: upper-left corners of boxes, centres of circles
    size      sides of boxes, 1..2147483647: one number, int[n], or int[n, 2] with width and height
    radius    radii of circles, 0..65535 where circles move, else 0..1073741823: one number, or int[n]
    move_x, move_y  as x: how far each object moves in the frame, in a straight line at constant speed; -1073741823..
              1073741823 for boxes, -65535..65535 for circles
    pairs     int32[m, 2], indices
    Errors    ValueError  wrong dtype, shape or length; a value out of range, named with the range

Touching is no contact: the depth is 0, and `hit` too. What moves meets if it overlaps at any time of the frame.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ._arguments import check_range, own_pairs
from ._boxes import own_radii, scene_of
from ._queries import cross, own_points
from .kernels.pairs.hierarchical_grid import LEFT, TOP

MAX_RADIUS, MAX_MOVING_RADIUS = (1 << 30) - 1, 65535
MAX_BOX_MOVE, MAX_CIRCLE_MOVE = (1 << 30) - 1, 65535
PARTS = 4096  # of what the square of the way divides a frame into, for circles


class Contacts(NamedTuple):
    """How pairs overlap.

    hit    uint8[m]     1 where they do; elsewhere the rest is 0
    depth  int64[m]     how far the first has to go, along `shift`; of circles rounded up to a whole unit
    shift  int64[m, 2]  x and y by which the first has to move so that they do not overlap any more. For boxes the least
                        there is, along one axis: of equal ones the first of left, right, up, down. For circles away
                        from the other centre, each axis rounded up; upwards if both centres are the same
    normal int64[m, 2]  the direction of the way out, exact: a vector of any length
    """

    hit: np.ndarray
    depth: np.ndarray
    shift: np.ndarray
    normal: np.ndarray


class Impacts(NamedTuple):
    """When pairs that move begin to overlap.

    hit          uint8[m]     1 where they do; elsewhere the rest means nothing
    numerator    int64[m]     the time over `denominator`: 0 at the beginning of the frame, where those are that overlap
    denominator  int64[m]     already, 1 at its end. Boxes: exact. Circles: 4096 * the square of the way; exact if the
                              time is a fraction at all, else rounded down to the next one of this denominator
    normal       int8[m, 2]   boxes: of the side of the second that is met, outwards: one of x and y is -1 or 1, or both
                              0 at the time 0. Circles: 0, 0; their normal is the line through the centres
    """

    hit: np.ndarray
    numerator: np.ndarray
    denominator: np.ndarray
    normal: np.ndarray


def boxes(x: np.ndarray, y: np.ndarray, pairs: np.ndarray, *, size: int | np.ndarray) -> Contacts:
    """Find the least way out for pairs of boxes.

    Returns  Contacts

    >>> x, y, pairs = np.array([0, 20, 90]), np.array([0, 10, 5]), np.array([[0, 1], [1, 2]], np.int32)
    >>> found = boxes(x, y, pairs, size=30)
    >>> found.hit.tolist(), found.depth.tolist(), found.shift[0].tolist()
    ([1, 0], [10, 0], [-10, 0])
    """
    corners, sides = _boxes(x, y, size)
    pairs = own_pairs(pairs, len(corners))
    near = corners[pairs[:, 1]] - corners[pairs[:, 0]]  # of the second, seen from the first
    back, ahead = sides[pairs[:, 0]] - near, sides[pairs[:, 1]] + near
    ways = np.stack([back[:, 0], ahead[:, 0], back[:, 1], ahead[:, 1]], axis=1)  # left, right, up, down
    which, hit = ways.argmin(axis=1), ways.min(axis=1) > 0
    depth = np.where(hit, ways.min(axis=1), 0)
    normal = hit[:, None] * np.array([[-1, 0], [1, 0], [0, -1], [0, 1]])[which]
    return Contacts(hit.astype(np.uint8), depth, depth[:, None] * normal, normal)


def circles(x: np.ndarray, y: np.ndarray, pairs: np.ndarray, *, radius: int | np.ndarray) -> Contacts:
    """Find how deep circles are in each other.

    Returns  Contacts

    >>> x, y, pairs = np.array([0, 20, 90]), np.array([0, 10, 5]), np.array([[0, 1], [1, 2]], np.int32)
    >>> circles(x, y, pairs, radius=15).depth.tolist()
    [8, 0]
    """
    centres = own_points(x, y)
    radii = own_radii("radius", radius, len(centres), MAX_RADIUS)
    pairs = own_pairs(pairs, len(centres))
    way, reach = centres[pairs[:, 0]] - centres[pairs[:, 1]], radii[pairs].sum(axis=1)
    hit = (abs(way) < reach[:, None]).all(axis=1)
    way[~hit] = 0
    square = (way * way).sum(axis=1)
    hit &= square < reach * reach
    distance = _root(square)
    depth = np.where(hit, reach - distance, 0)
    is_same = hit & (square == 0)
    shift = np.sign(way) * -(-abs(way) * depth[:, None] // np.maximum(distance, 1)[:, None])
    shift[is_same, 1] = -depth[is_same]
    way[~hit] = 0
    way[is_same, 1] = -1
    return Contacts(hit.astype(np.uint8), depth, shift, way)


def sweep_boxes(
    x: np.ndarray, y: np.ndarray, move_x: np.ndarray, move_y: np.ndarray, pairs: np.ndarray, *, size: int | np.ndarray
) -> Impacts:
    """Find when pairs of boxes meet, as an exact fraction of the frame.

    Returns  Impacts

    >>> x, y, pairs = np.array([0, 20, 90]), np.array([0, 10, 5]), np.array([[0, 1], [1, 2]], np.int32)
    >>> move_x, move_y = np.array([0, 0, -90]), np.array([0, 0, 0])
    >>> met = sweep_boxes(x, y, move_x, move_y, pairs, size=30)
    >>> met.hit.tolist(), met.numerator.tolist(), met.denominator.tolist()
    ([1, 1], [0, 40], [1, 90])
    """
    corners, sides = _boxes(x, y, size)
    moves = _moves(move_x, move_y, len(corners), MAX_BOX_MOVE)
    pairs = own_pairs(pairs, len(corners))
    first, second = pairs.T
    near = corners[second] - corners[first]
    before, after = near - sides[first], near + sides[second]
    way = moves[first] - moves[second]
    times = cross(way, before, after)
    overlaps = ((way != 0) | ((before < 0) & (after > 0))).all(axis=1)
    hit = times.is_possible & overlaps & (times.enter < times.leave)
    return Impacts(hit.astype(np.uint8), times.enter, times.denominator, times.normal)


def sweep_circles(
    x: np.ndarray, y: np.ndarray, move_x: np.ndarray, move_y: np.ndarray, pairs: np.ndarray, *, radius: int | np.ndarray
) -> Impacts:
    """Find when pairs of circles meet: which do is exact, and so is the time if it is a fraction.

    They meet at (a - sqrt(b)) / c, all whole numbers, where c is the square of the way of one seen from the other. If
    that is no fraction, it is rounded down to a multiple of 1 / (4096 * c), without rounding anything before: at the
    time that is returned they do not overlap yet, unless they did from the beginning, and one such step later they do.

    Returns  Impacts

    >>> x, y, pairs = np.array([0, 20, 90]), np.array([0, 10, 5]), np.array([[0, 1], [1, 2]], np.int32)
    >>> move_x, move_y = np.array([0, 0, -90]), np.array([0, 0, 0])
    >>> met = sweep_circles(x, y, move_x, move_y, pairs, radius=15)
    >>> met.hit.tolist(), (met.numerator / met.denominator).round(3).tolist()
    ([1, 1], [0.0, 0.449])
    """
    centres = own_points(x, y)
    moves = _moves(move_x, move_y, len(centres), MAX_CIRCLE_MOVE)
    radii = own_radii("radius", radius, len(centres), MAX_MOVING_RADIUS)
    pairs = own_pairs(pairs, len(centres))
    first, second = pairs.T
    start, way, reach = centres[first] - centres[second], moves[first] - moves[second], radii[pairs].sum(axis=1)
    hit = (abs(start) < reach[:, None] + abs(way)).all(axis=1)
    start[~hit] = 0  # far too large for squares
    turn, square = -(start * way).sum(axis=1), (way * way).sum(axis=1)  # nearest at the time turn / square
    area = start[:, 0] * way[:, 1] - start[:, 1] * way[:, 0]  # distance * length of the way, if nearest in between
    roots = np.array([r * r * s - a * a for r, s, a in zip(reach.tolist(), square.tolist(), area.tolist())], object)
    is_late, is_between = turn >= square, (turn > 0) & (turn < square)
    last = start + np.where(is_late & (turn > 0), 1, 0)[:, None] * way
    hit &= np.where(is_between, roots > 0, (last * last).sum(axis=1) < reach * reach)
    numerator = np.zeros(len(pairs), np.int64)
    meets = np.flatnonzero(hit & ((start * start).sum(axis=1) >= reach * reach))
    for p, root in zip(meets.tolist(), roots[meets]):  # of up to 96 bits
        numerator[p] = PARTS * int(turn[p]) - math.isqrt(PARTS * PARTS * root - 1) - 1
    normals = np.zeros((len(pairs), 2), np.int8)
    return Impacts(hit.astype(np.uint8), numerator, PARTS * np.maximum(square, 1), normals)


def _boxes(x: np.ndarray, y: np.ndarray, size: int | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Check boxes; return corners and sides, int64[n, 2] each."""
    scene = scene_of(x, y, size, False).astype(np.int64)
    return scene[:, [LEFT, TOP]], scene[:, 2:4] - scene[:, :2] + 1


def _moves(move_x: np.ndarray, move_y: np.ndarray, count: int, maximum: int) -> np.ndarray:
    """Check moves; return them as int64[n, 2]."""
    moves = own_points(move_x, move_y, ("move_x", "move_y"))
    if len(moves) != count:
        raise ValueError(f"move_x has length {len(moves)}: allowed {count}, as x has")
    for name, axis in zip(("move_x", "move_y"), (0, 1)):
        check_range(-maximum, maximum, **{name: moves[:, axis].copy()})
    return moves


def _root(squares: np.ndarray) -> np.ndarray:
    """Return integer square roots, rounded down, of int64[m] below 1 << 62."""
    root = np.sqrt(squares.astype(np.float64)).astype(np.int64)
    root -= root * root > squares
    root += (root + 1) * (root + 1) <= squares
    return root
