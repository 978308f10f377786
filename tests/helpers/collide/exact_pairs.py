"""Exact judges of pairs, many at a time: whole numbers of 64 bits, or Python's, and no table, no root, no rounding.

They are written from the definition of a shape, not from any text's method, and import nothing of the package. A box is
(x, y, width, height), a circle (x, y, radius), columns int64[n, k]; a rectangle (x, y, half width, half height, angle)
in Q11.5 and 1024ths of a turn.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np

SINE_BITS = 20
"""Of a sine here: with the largest rectangle, 2895 units from centre to corner, nothing is off by 0.003 units."""
STRIDE = 256  # bits of a row of a picture as one number


def boxes_common(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the smaller side of what two boxes have in common: 0 where they touch, negative where they are apart."""
    first = np.maximum(a[:, :2], b[:, :2])
    last = np.minimum(a[:, :2] + a[:, 2:4], b[:, :2] + b[:, 2:4])
    return (last - first).min(axis=1)


def balls_common(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the squared sum of radii, the last columns, less the squared distance of the centres."""
    return (a[:, -1] + b[:, -1]) ** 2 - ((a[:, :-1] - b[:, :-1]) ** 2).sum(axis=1)


def bits_of(picture: np.ndarray) -> int:
    """Return the pixels of bool[h, w] as one number."""
    rows = np.zeros((len(picture), STRIDE), np.uint8)
    rows[:, : picture.shape[1]] = picture
    return int.from_bytes(np.packbits(rows, bitorder="little").tobytes(), "little")


def do_pixels_meet(a: int, a_at: tuple[int, int], b: int, b_at: tuple[int, int]) -> bool:
    """Tell whether two pictures have a pixel in common; no wider than 64 pixels, less than that apart."""
    shift = (b_at[1] - a_at[1]) * STRIDE + b_at[0] - a_at[0]
    return bool(a & (b << shift)) if shift >= 0 else bool(b & (a << -shift))


def boxes_in_frame(apart: np.ndarray, move: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Tell whether two boxes overlap at any time 0..1. apart, move, a, b: int64[n, 2]: corner of a from b, sides."""
    zero, one = np.zeros(len(apart), np.int64), np.ones(len(apart), np.int64)
    early, late, under = [zero], [one], [one]  # when they meet along an axis: from early / under to late / under
    never = np.zeros(len(apart), bool)
    for axis in (0, 1):
        speed, low, high = move[:, axis], -a[:, axis] - apart[:, axis], b[:, axis] - apart[:, axis]
        never |= (speed == 0) & ((low >= 0) | (high <= 0))
        early.append(np.where(speed == 0, -1, np.where(speed > 0, low, -high)))
        late.append(np.where(speed == 0, 2, np.where(speed > 0, high, -low)))
        under.append(np.maximum(abs(speed), 1))
    for i in range(3):  # each of the three intervals, of which that of the frame has its ends, begins before each ends
        for j in range(3):
            never |= early[i] * under[j] >= late[j] * under[i]
    return ~never


def circles_in_frame(apart: tuple[int, int], move: tuple[int, int], reach: int) -> bool:
    """Tell whether two circles overlap at any time 0..1: where the distance, a parabola in time, is smallest."""
    squared, product = move[0] ** 2 + move[1] ** 2, apart[0] * move[0] + apart[1] * move[1]
    if product >= 0 or not squared:
        nearest = Fraction(apart[0] ** 2 + apart[1] ** 2)
    elif -product >= squared:
        nearest = Fraction((apart[0] + move[0]) ** 2 + (apart[1] + move[1]) ** 2)
    else:
        nearest = Fraction((apart[0] * move[1] - apart[1] * move[0]) ** 2, squared)
    return nearest < reach**2


@cache
def sines() -> np.ndarray:
    """Return int64[1024 + 256]: sines of 1024ths of a turn, SINE_BITS binary places, from their series in fractions."""
    pi = _machin()
    values = []
    for angle in range(257):
        x = 2 * pi * angle / 1024
        term, total, n = x, Fraction(0), 1
        while abs(term) > Fraction(1, 1 << 40):
            total += term
            term = -term * x * x / ((n + 1) * (n + 2))
            term, n = Fraction(round(term * (1 << 60)), 1 << 60), n + 2
        values.append(round(total * (1 << SINE_BITS)))
    quarter = np.array(values, np.int64)
    half = np.concatenate([quarter, quarter[-2::-1]])[:-1]
    turn = np.concatenate([half, -half])
    return np.concatenate([turn, turn[:256]])


def _machin() -> Fraction:
    def arctan_of(inverse: int) -> Fraction:
        return sum(
            (Fraction((-1) ** k, (2 * k + 1) * inverse ** (2 * k + 1)) for k in range(30)), Fraction(0)
        ).limit_denominator(1 << 70)

    return 16 * arctan_of(5) - 4 * arctan_of(239)


def directions(r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return cosine and sine of rectangles."""
    wrapped = r[:, 4] % 1024
    return sines()[wrapped + 256], sines()[wrapped]


def rectangles_meet(a: np.ndarray, b: np.ndarray, tolerance: float) -> np.ndarray:
    """Tell whether rectangles have a point in common, both larger by a tolerance on all sides (smaller: negative)."""
    extra = round(tolerance * 32)
    meet = np.ones(len(a), bool)
    for r in (a, b):
        cosine, sine = directions(r)
        for x, y in ((cosine, sine), (-sine, cosine)):
            reach = np.zeros(len(a), np.int64)
            for other in (a, b):
                c, s = directions(other)
                along, across = abs(x * c + y * s) >> SINE_BITS - 6, abs(y * c - x * s) >> SINE_BITS - 6
                halves = np.maximum(other[:, 2:4] * 32 + extra, 0)
                reach += halves[:, 0] * along + halves[:, 1] * across  # 2**-(5 + SINE_BITS + 6) units
            apart = abs((a[:, 0] - b[:, 0]) * x + (a[:, 1] - b[:, 1]) * y)
            meet &= apart << 5 + 6 <= reach
    return meet


def corners(r: np.ndarray) -> np.ndarray:
    """Return the corners relative to the centre, int64[n, 4, 2], SINE_BITS places: upper left first, clockwise."""
    c, s = directions(r)
    signs = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    w, h = r[:, 2], r[:, 3]
    return np.stack([np.stack([i * w * c - j * h * s, i * w * s + j * h * c], axis=1) for i, j in signs], axis=1)


def seen_from(points: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Return points int64[n, k, 2], SINE_BITS places, along and across rectangles, in 32nds of units."""
    c, s = (each[:, None] for each in directions(r))
    x, y = (points[..., axis] - (r[:, None, axis] << SINE_BITS) for axis in (0, 1))
    x, y = x >> SINE_BITS - 15, y >> SINE_BITS - 15  # so that products have 63 bits
    return np.stack([x * c + y * s, y * c - x * s], axis=-1) >> SINE_BITS + 15 - 5


def are_inside(points: np.ndarray, r: np.ndarray, tolerance: float) -> np.ndarray:
    """Tell which points lie in rectangles that are larger by a tolerance, bool[n, k]."""
    limit = r[:, None, 2:4] * 32 + round(tolerance * 32)
    return (abs(seen_from(points, r)) <= limit).all(axis=2)


def placed(r: np.ndarray) -> np.ndarray:
    """Return the corners where they are, SINE_BITS binary places."""
    return corners(r) + (r[:, None, :2] << SINE_BITS)


def five_points(a: np.ndarray, b: np.ndarray, tolerance: float) -> np.ndarray:
    """Tell whether a corner of a lies in b, or the first corner of b in a."""
    return are_inside(placed(a), b, tolerance).any(axis=1) | are_inside(placed(b)[:, :1], a, tolerance)[:, 0]


def has_opposite_ends(a: np.ndarray, b: np.ndarray, tolerance: float) -> np.ndarray:
    """Tell whether a side of a has its ends on opposite sides of b, beyond its lines less a tolerance."""
    seen = seen_from(placed(a), b)
    limit = b[:, None, 2:4] * 32 - round(tolerance * 32)
    low, high = seen < -limit, seen > limit
    after = [np.roll(each, -1, axis=1) for each in (low, high)]
    return ((low & after[1]) | (high & after[0])).any(axis=(1, 2))
