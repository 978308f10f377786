"""The oracle of convex shapes: how far their outlines are apart, by the hull of all differences of their vertices."""

from __future__ import annotations

from fractions import Fraction

Point = tuple[int, int]


def area(a: Point, b: Point, c: Point) -> int:
    """Return twice the area of a triangle, positive for one way round."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def hull(points: list[Point]) -> list[Point]:
    """Return the corners of the convex hull in order (Andrew's monotone chain)."""
    ordered = sorted(set(points))
    chains = []
    for chain in (ordered, ordered[::-1]):
        half: list[Point] = []
        for point in chain:
            while len(half) > 1 and area(half[-2], half[-1], point) <= 0:
                half.pop()
            half.append(point)
        chains += half[:-1]
    return chains or ordered


def do_overlap(one: list[Point], other: list[Point], radius: int) -> bool:
    """Tell whether two outlines are less than `radius` apart; without it, whether their insides have a common point."""
    corners = hull([(b[0] - a[0], b[1] - a[1]) for a in one for b in other])
    sides = list(zip(corners, corners[1:] + corners[:1]))
    inside = len(corners) > 2 and all(area(a, b, (0, 0)) > 0 for a, b in sides)
    if radius == 0:
        return inside and min(len(one), len(other)) > 2
    return inside or any(_squared_distance(a, b) < radius**2 for a, b in sides)


def depth(one: list[Point], other: list[Point], radius: int) -> int:
    """Return how far two outlines that overlap have to be moved apart, rounded up to a whole number.

    Without the radius that is the distance of (0, 0) from the sides of the hull of all differences.
    """
    corners = hull([(b[0] - a[0], b[1] - a[1]) for a in one for b in other])
    sides = list(zip(corners, corners[1:] + corners[:1]))
    nearest = min(_squared_distance(a, b) for a, b in sides)
    sign = 1 if len(corners) > 2 and all(area(a, b, (0, 0)) >= 0 for a, b in sides) else -1
    whole = 0
    while not _reaches(whole - radius, sign, nearest):
        whole += 1
    return whole


def _reaches(whole: int, sign: int, square: Fraction) -> bool:
    """Tell whether a number >= sign * root(square)."""
    if sign > 0:
        return whole >= 0 and whole**2 >= square
    return whole >= 0 or whole**2 <= square


def _squared_distance(a: Point, b: Point) -> Fraction:
    """Return how far the segment from a to b is from (0, 0), squared."""
    way = b[0] - a[0], b[1] - a[1]
    length = way[0] ** 2 + way[1] ** 2
    time = min(Fraction(1), max(Fraction(0), Fraction(-(a[0] * way[0] + a[1] * way[1]), length))) if length else 0
    return (a[0] + time * way[0]) ** 2 + (a[1] + time * way[1]) ** 2 + Fraction(0)
