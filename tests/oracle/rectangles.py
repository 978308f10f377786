"""The oracle of rectangles at any angle (Rekaby 2011).

A rectangle is (x, y, half width, half height, angle), in units of 1/32 pixel and of a 1024th of a turn. Operations are
counted as Rekaby's steps cost them; shifts and table look-ups are free.
"""

from __future__ import annotations

import math

Point = tuple[int, int]
Rectangle = tuple[int, int, int, int, int]


SINES = [round(16384 * math.sin(2 * math.pi * angle / 1024)) for angle in range(1024)]


def sine(angle: int) -> int:
    return SINES[angle % 1024]


def cosine(angle: int) -> int:
    return sine(angle + 256)


class Study:
    """Two rectangles under test; `spent` is additions, multiplications and comparisons, `why` names the reason."""

    def __init__(self, a: Rectangle, b: Rectangle) -> None:
        self.a, self.b = a, b
        self.spent = [0, 0, 0]
        self.why = ""

    def _spend(self, additions: int, multiplications: int = 0) -> None:
        self.spent[0] += additions
        self.spent[1] += multiplications

    def _is_less(self, a: int, b: int) -> bool:
        self.spent[2] += 1
        return a < b

    def _corners(self, r: Rectangle) -> list[Point]:
        """Return all corners: four products, then four sums of two products and two coordinates."""
        self._spend(16, 4)
        return corners(r)

    def _one_corner(self, r: Rectangle) -> Point:
        self._spend(4, 4)
        return corners(r)[0]

    def _seen_from(self, point: Point, r: Rectangle) -> Point:
        self._spend(2)
        x, y = point[0] - r[0], point[1] - r[1]
        if r[4] % 256 == 0:
            return x, y
        self._spend(3, 4)
        c, s = cosine(r[4]), -sine(r[4])
        return (x * c - y * s) >> 14, (x * s + y * c) >> 14

    def _stable_last(self) -> tuple[Rectangle, Rectangle]:
        """Return both rectangles, an upright one as the second if there is any."""
        return (self.b, self.a) if self.a[4] % 256 == 0 and self.b[4] % 256 else (self.a, self.b)

    def _is_in_boundaries(self, point: Point, r: Rectangle) -> bool:
        x, y = self._seen_from(point, r)
        width, height = upright(r)
        for value, limit in ((x, width), (y, height)):
            self._spend(1)  # the sign of the limit
            if self._is_less(value, -limit) or self._is_less(limit, value):
                return False
        return True

    def point_1(self) -> bool:
        a, b = self._stable_last()
        if any(self._is_in_boundaries(corner, b) for corner in self._corners(a)):
            return True
        return self._is_in_boundaries(self._one_corner(b), a)

    def _has_faces(self, point: Point, r: Rectangle) -> bool:
        x, y = point[0] - r[0], point[1] - r[1]
        self._spend(2)
        c, s = cosine(r[4]), sine(r[4])
        for half, side in ((r[2], (c, s)), (r[3], (-s, c))):
            self._spend(2, 2)  # with the sign of the limit
            face = x * side[0] + y * side[1]
            if self._is_less(face, -half * 2**14) or self._is_less(half * 2**14, face):
                return False
        return True

    def point_2(self) -> bool:
        if any(self._has_faces(corner, self.b) for corner in self._corners(self.a)):
            return True
        return self._has_faces(self._one_corner(self.b), self.a)

    def _status(self, x: int, y: int, width: int, height: int) -> set[str]:
        """Return the point's status, Rekaby's four locations, as the names of those that are 1."""
        status = set()
        for value, limit, below, above in ((x, width, "left", "right"), (y, height, "up", "down")):
            self._spend(1)
            if self._is_less(value, -limit):
                status.add(below)
            elif self._is_less(limit, value):
                status.add(above)
        return status

    def line_1(self) -> bool:
        a, b = self._stable_last()
        width, height = upright(b)
        points, statuses = [], []
        for corner in self._corners(a):
            points.append(self._seen_from(corner, b))
            statuses.append(self._status(*points[-1], width, height))
            if not statuses[-1]:
                self.why = "corner"
                return True
        for k in range(4):
            n = (k + 1) % 4
            if self._is_line_hit(points[k], points[n], statuses[k], statuses[n], width, height):
                return True
        self.why = "nested"
        return self._is_in_boundaries(self._one_corner(b), a)

    def _is_line_hit(self, p: Point, q: Point, status_p: set[str], status_q: set[str], width: int, height: int) -> bool:
        if status_p & status_q:
            return False
        either = status_p | status_q
        if {"left", "right"} <= either or {"up", "down"} <= either:
            self.why = "opposite" if len(either) == 2 else "opposite, and beyond"
            return True
        self._spend(2)
        dx, dy = q[0] - p[0], q[1] - p[1]
        self.why = "crossing"
        sides = {"left": -width, "right": width}
        if any(self._is_crossing(sides[side] - p[0], p[1], dx, dy, height) for side in either & set(sides)):
            return True
        sides = {"up": -height, "down": height}
        return any(self._is_crossing(sides[side] - p[1], p[0], dy, dx, width) for side in either & set(sides))

    def _is_crossing(self, distance: int, start: int, dx: int, dy: int, limit: int) -> bool:
        """Tell whether start + dy * distance / dx lies in -limit..limit, both sides multiplied by dx."""
        self._spend(2, 2)
        value = start * dx + distance * dy
        if self._is_less(dx, 0):
            self._spend(2)
            value, dx = -value, -dx
        self._spend(1, 1)
        return not self._is_less(value, -limit * dx) and not self._is_less(limit * dx, value)


def upright(r: Rectangle) -> Point:
    """Return the half sides along x and y of a rectangle turned until it is upright."""
    return (r[3], r[2]) if r[4] % 512 == 256 else (r[2], r[3])


def corners(r: Rectangle) -> list[Point]:
    """Return the corners rounded down to whole units: upper left, upper right, lower right, lower left at angle 0."""
    return [(r[0] + (x >> 14), r[1] + (y >> 14)) for x, y in _turned(r)]


def _turned(r: Rectangle) -> list[Point]:
    """Return the corners relative to the centre, in units of 2**-14 of those of `r`: exact."""
    c, s = cosine(r[4]), sine(r[4])
    half = ((-r[2], -r[3]), (r[2], -r[3]), (r[2], r[3]), (-r[2], r[3]))
    return [(w * c - h * s, w * s + h * c) for w, h in half]


def separating_axis(a: Rectangle, b: Rectangle, closer: int = 0) -> bool:
    """Tell whether two rectangles have a point in common: no side of either separates the exact polygons.

    closer  both are larger by this on all sides, or smaller if it is negative
    """
    shapes = []
    for r in (a, b):
        grown = (r[0], r[1], max(r[2] + closer, 0), max(r[3] + closer, 0), r[4])
        shapes.append([((r[0] << 14) + x, (r[1] << 14) + y) for x, y in _turned(grown)])
    for r in (a, b):
        c, s = cosine(r[4]), sine(r[4])
        for axis in ((c, s), (-s, c)):
            spans = [[x * axis[0] + y * axis[1] for x, y in shape] for shape in shapes]
            if max(spans[0]) < min(spans[1]) or max(spans[1]) < min(spans[0]):
                return False
    return True


def five_points(a: Rectangle, b: Rectangle, closer: int = 0) -> bool:
    """Tell whether a corner of `a` lies in `b`, or the first corner of `b` in `a`, both exact polygons.

    closer  what a corner is to lie in is larger by this on all sides, or smaller if it is negative
    """
    points = [(a, b, corner) for corner in _turned(a)] + [(b, a, _turned(b)[0])]
    return any(_is_in(((r[0] << 14) + x, (r[1] << 14) + y), other, closer) for r, other, (x, y) in points)


def _is_in(point: Point, r: Rectangle, closer: int) -> bool:
    """Tell whether a point lies in a rectangle; the point's units are 2**-14 of the rectangle's."""
    c, s = cosine(r[4]), sine(r[4])
    x, y = point[0] - (r[0] << 14), point[1] - (r[1] << 14)
    unit = c**2 + s**2
    return abs(x * c + y * s) <= (r[2] + closer) * unit and abs(y * c - x * s) <= (r[3] + closer) * unit
