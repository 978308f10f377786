"""Objects for the routines of No-collision boxes 2011 and Rekaby 2011, at random and made to break them.

Pairs are neighbours in a list. Shapes are (x, y, width, height, is circle), compounds ((x, y), [shapes]), spheres
(x, y, z, radius), rectangles (x, y, half width, half height, angle).
"""

from __future__ import annotations

from itertools import product

import numpy as np

MIN, MAX = -16384, 16383
MAX_X, MAX_Y, MAX_HALF = 21503, 16383, 2047  # of a rectangle's centre, from -1024 on, and of its half sides


def random_shapes(rng, pairs: int) -> list:
    """Crowded, in a tenth of the pairs with places and sides from the whole range."""
    count = 2 * pairs
    rows = np.column_stack(
        (rng.integers(-40, 40, (count, 2)), rng.integers(0, 60, (count, 2)), rng.integers(0, 2, count))
    )
    wild = np.repeat(rng.random(pairs) < 0.1, 2)
    rows[wild, :2] = rng.integers(MIN, MAX + 1, (wild.sum(), 2))
    rows[wild, 2:4] = rng.integers(0, MAX + 1, (wild.sum(), 2))
    return rows.tolist()


def odd_shapes() -> list:
    """Every relative position of small boxes and circles, the edges of the range, odd circles, points; twice the same,
    one inside the other up to its edges, bars that cross, points on edges and corners."""
    found = []
    for first, second in product((0, 1), repeat=2):
        outer, flat, tall = (50, 60, 40, 40, first), (45, 75, 50, 8, first), (66, 55, 8, 50, second)
        inside = [outer, (55, 65, 4, 9, second), (50, 60, 10, 10, second), (80, 90, 10, 10, second)]
        points = [(x, y, 0, 0, second) for x in (49, 50, 70, 90, 91) for y in (59, 60, 80, 100, 101)]
        for other in (*inside, *points):
            found += [outer, other, other, outer]
        found += [flat, tall, tall, flat, points[0], points[0]]
    for first, second in product((0, 1), repeat=2):
        for dx, dy in product(range(-6, 7), repeat=2):
            found += [(0, 0, 3, 2, first), (dx, dy, 2, 4, second)]
        for dx, dy in product((-31, -30, -29, 0, 29, 30, 31), repeat=2):
            for width in (30, 31):
                found += [(100, 100, width, width, first), (100 + dx, 100 + dy, width, width, second)]
        corners = list(product((MIN, 0, MAX), repeat=2))
        for one, other in product(corners, repeat=2):
            for side in (0, 1, MAX - 1, MAX):
                found += [(*one, side, side, first), (*other, side, side, second)]
        for dx, dy in product((0, 11585, 11586, MAX - 1, MAX), repeat=2):  # large circles about to part
            found += [(0, 0, MAX, MAX, first), (dx, dy, MAX, MAX, second)]
            found += [(dx, dy, MAX, 0, first), (0, 0, 0, MAX, second)]
    return found


def random_compounds(rng, pairs: int) -> list:
    found = []
    for _ in range(2 * pairs):
        count = int(rng.integers(0, 5))
        parts = np.column_stack(
            (rng.integers(-30, 31, (count, 2)), rng.integers(0, 20, (count, 2)), rng.integers(0, 2, count))
        )
        found.append((tuple(rng.integers(-12, 13, 2).tolist()), parts.tolist()))
    return found


def odd_compounds() -> list:
    """A cross and a bullet in its corners, nothing at all, and the edges of the range."""
    cross, bullet = [(0, 8, 30, 8, 0), (11, 0, 8, 24, 0)], [(0, 0, 8, 8, 0)]
    found = []
    for dx, dy in product((-9, -8, -7, 0, 2, 3, 10, 11, 19, 20, 21, 30, 31), repeat=2):
        found += [((100, 100), cross), ((100 + dx, 100 + dy), bullet)]
    found += [((0, 0), []), ((0, 0), bullet), ((0, 0), bullet), ((0, 0), []), ((0, 0), []), ((0, 0), [])]
    ring = [(0, 0, 30, 4, 0), (0, 26, 30, 4, 0), (0, 0, 4, 30, 0), (26, 0, 4, 30, 0)]
    for dx, dy in product((4, 5, 11, 17, 18), repeat=2):  # nested, in a hole, and at its edges
        found += [((7, 9), ring), ((7 + dx, 9 + dy), bullet)]
    found += [((7, 9), ring), ((7, 9), ring), ((7, 9), [(3, 3, 0, 0, 1)]), ((10, 12), [(0, 0, 0, 0, 0)])]
    far = [(-8192, -8192, 0, 0, 0), (8191, 8191, 8191, 8191, 0)]
    for one, other in product(product((-8192, 8191), repeat=2), repeat=2):
        found += [(one, far), (other, far)]
        found += [(one, far[1:]), (other, far[:1])]
    return found


def random_spheres(rng, pairs: int) -> list:
    rows = np.column_stack((rng.integers(-40, 41, (2 * pairs, 3)), rng.integers(0, 60, 2 * pairs)))
    wild = np.repeat(rng.random(pairs) < 0.1, 2)
    rows[wild, :3] = rng.integers(MIN, MAX + 1, (wild.sum(), 3))
    rows[wild, 3] = rng.integers(0, MAX + 1, wild.sum())
    return rows.tolist()


def odd_spheres() -> list:
    """As far apart as the radii along every axis and 3-4-5, 2-3-6-7; and the farthest corners: 3 * 32767**2."""
    found = []
    for apart in ((5, 0, 0), (0, -5, 0), (0, 0, 5), (3, 4, 0), (0, -3, 4), (-4, 0, 3)):
        for radii in ((3, 2), (3, 3), (2, 2), (5, 0), (0, 5)):
            found += [(0, 0, 0, radii[0]), (*apart, radii[1])]
    for radii in ((0, 6), (0, 7), (0, 8), (3, 4)):
        found += [(0, 0, 0, radii[0]), (2, -3, 6, radii[1])]
    for radii in ((0, 0), (0, 1), (1, 1), (5, 90), (90, 90)):  # at one place, and nested
        for apart in ((0, 0, 0), (0, 0, 1), (-3, 2, 4)):
            found += [(8, -9, 7, radii[0]), (8 + apart[0], apart[1] - 9, 7 + apart[2], radii[1])]
    for one, other in product(product((MIN, MAX), repeat=3), repeat=2):
        for radius in (0, 1, 16382, MAX):
            found += [(*one, radius), (*other, radius)]
    return found


def random_rectangles(rng, pairs: int) -> list:
    """Near each other, some upright, some with the extremes of sides."""
    count = 2 * pairs
    half = rng.integers(1, MAX_HALF + 1, (count, 2))
    thin = rng.random((count, 2)) < 0.2
    half[thin] = rng.choice([1, 2, 20, MAX_HALF], thin.sum())
    angle = rng.integers(-2048, 2048, count)
    angle = np.where(rng.random(count) < 0.3, angle & ~255, angle)
    x, y = rng.integers(-1024, MAX_X + 1, count), rng.integers(-1024, MAX_Y + 1, count)
    x[1::2] = np.clip(x[::2] + rng.integers(-1500, 1501, pairs), -1024, MAX_X)
    y[1::2] = np.clip(y[::2] + rng.integers(-1500, 1501, pairs), -1024, MAX_Y)
    return np.column_stack((x, y, half, angle)).tolist()


def nested() -> list:
    """Figure 11: one rectangle inside the other, upright or not."""
    outer, inner, upright = (9600, 6400, 1500, 1200, 40), (9700, 6300, 200, 100, 300), (9600, 6400, 1500, 1200, 512)
    return [outer, inner, inner, outer, upright, inner, inner, upright]


def crosses() -> list:
    """Figure 12: edges cross and no corner is inside."""
    found = []
    for turn in (0, 37, 128, 256, 700):
        flat, steep = (9600, 6400, 1600, 200, turn), (9650, 6350, 1600, 200, turn + 256)
        found += [flat, steep, steep, flat]
    return found


def odd_rectangles() -> list:
    """The figures, the fifth point, opposite codes, quarter turns edge to edge, and the farthest corners."""
    found = nested() + crosses()
    for angle in (128, 384, 640, 896):
        for tilt in (0, 1):
            found += [(9600, 6400, 300, 2000, tilt), (10300, 6400, 300, 300, angle + tilt)]
    for bar in ((10100, 5700, 1400, 20, 100), (9600, 6200, 1400, 20, 10)):
        found += [bar, (9600, 6400, 320, 320, 0), (9600, 6400, 320, 320, 0), bar]
    for turn in (0, 100, 256, 301, 512, 768):  # twice the same, also a quarter turn later; nested
        for later in (0, 256, 512):
            found += [(9600, 6400, 700, 300, turn), (9600, 6400, 700, 300, turn + later)]
            found += [(9600, 6400, 700, 300, turn), (9600, 6400, 70, 30, turn + later)]
            found += [(9600, 6400, 1, 1, turn), (9600, 6400, 700, 300, turn + later)]
    for first, second in product((0, 256, 512, 768), repeat=2):
        width, height = (320, 640) if first % 512 == 0 else (640, 320)
        across, down = (160, 480) if second % 512 == 0 else (480, 160)
        for dx, dy in product((width + across, width + across + 1), (0, down + height, down + height + 1)):
            for right, low in product((1, -1), repeat=2):
                found += [(9600, 6400, 320, 640, first), (9600 + right * dx, 6400 + low * dy, 160, 480, second)]
    for turn, other in product(range(0, 1024, 51), (0, 85, 128, 300)):
        for x, y in product((-1024, MAX_X), (-1024, MAX_Y)):
            found += [(x, y, MAX_HALF, MAX_HALF, turn), (-1024, MAX_Y, MAX_HALF, MAX_HALF, other)]
            found += [(x, y, MAX_HALF, 1, turn), (MAX_X, MAX_Y, 1, MAX_HALF, other)]
        found += [(300, 300, 1, 1, turn), (300, 301, 1, 1, other)]
    return found


def random_squares(rng) -> list:
    """Return corners on the screen: at random, crowded, or at the lines of the grid."""
    count, screen = int(rng.integers(0, 30)), np.array([639, 479])
    kind = int(rng.integers(0, 3))
    places = rng.integers(0, screen + 1, (count, 2))
    if kind == 1:
        places = rng.integers(0, screen + 1) + rng.integers(-60, 61, (count, 2))
    elif kind == 2:
        places = rng.integers(0, 10, (count, 2)) * 64 + rng.choice([-30, -29, -1, 0, 1, 29, 30], (count, 2))
    return np.clip(places, 0, screen).tolist()


def odd_squares() -> list:
    """Two squares 0, 29 and 30 apart about crossings of the grid and in the corners; a heap, and nothing."""
    found, apart = [[], [(639, 479)], [(320, 240)] * 40], (-30, -29, 0, 29, 30)
    for x, y in product((0, 63, 64, 320, 610, 639), (0, 63, 64, 256, 450, 479)):
        for dx, dy in product(apart, apart):
            if 0 <= x + dx <= 639 and 0 <= y + dy <= 479:
                found.append([(x, y), (x + dx, y + dy)])
    return found


def random_plane(rng) -> tuple[list, int]:
    """Return boxes and log2 of a block's side."""
    count, largest = int(rng.integers(0, 12)), int(rng.choice([20, 150]))
    boxes = np.column_stack((rng.integers(0, 300, (count, 2)), rng.integers(0, largest, (count, 2))))
    return boxes.tolist(), int(rng.integers(4, 9))


def odd_planes() -> list[tuple[list, int]]:
    """Borders of blocks, pairs in many blocks, a heap, nothing, and the edges of the range."""
    found = [([], 4), ([(5, 5, 0, 0)], 4), ([(0, 0, 30, 30)] * 40, 6)]
    for place, apart in product((33, 34, 35), (30, 31)):
        found.append(([(place, place, 30, 30), (place + apart, place + apart, 30, 30)], 6))
    found.append(([(10, 10, 1000, 1000), (20, 15, 1000, 1000)], 4))
    found.append(([(60, 60, 9, 9)] * 3 + [(50, 50, 30, 30), (64, 64, 0, 0)], 6))  # identical, nested
    found.append(([(0, 60, 300, 10), (130, 0, 5, 200), (63, 70, 1, 0), (64, 70, 0, 1)], 6))  # bars that cross
    corners = [(0, 0), (MAX, 0), (MAX, MAX), (0, MAX)]
    found += [([(*corner, side, side) for corner in corners], log2) for side, log2 in ((MAX, 12), (MAX - 1, 10))]
    return found
