"""Contacts against the oracle, in fractions: boxes and circles, at rest and moving, at all scales."""

from fractions import Fraction

import numpy as np
import pytest

from retrosim.collide import contacts
from retrosim.collide.documents import swept
from tests.oracle import contacts as oracle

from .random_worlds import HIGH, LOW, SCENES

pytestmark = pytest.mark.without_jit  # nothing here is compiled but checks


def scene(rng, is_small):
    """Return x, y, size, radius, moves and pairs: near each other, at any place, at any scale."""
    count, scale = 24, int(2 ** rng.uniform(1, 8 if is_small else 29))
    corner = rng.integers(LOW // 2, HIGH // 2, (1, 2)) if rng.random() < 0.5 else 0
    places = corner + rng.integers(-scale, scale + 1, (count, 2))
    size = np.maximum(1, (scale * rng.choice([0, 0.25, 0.5, 1, 2], (count, 2))).astype(np.int64))
    places[::5, 0] = places[0, 0]  # sides on one line
    places = np.minimum(places, HIGH - size)
    moves = rng.integers(-scale, scale + 1, (count, 2)) * rng.integers(0, 2, (count, 2)) * 2
    return places, size, rng.integers(0, scale + 1, count), moves, rng.integers(0, count, (40, 2)).astype(np.int32)


def columns(table):
    return table[:, 0].copy(), table[:, 1].copy()


def test_boxes():
    rng, hits = np.random.default_rng(1), 0
    for number in range(SCENES):
        places, size, _, _, pairs = scene(rng, bool(number % 2))
        found = contacts.boxes(*columns(places), pairs, size=size)
        shapes = np.hstack([places, size]).tolist()
        for (a, b), hit, depth, shift, normal in zip(pairs.tolist(), *(column.tolist() for column in found)):
            one, other = shapes[a], shapes[b]
            assert hit == oracle.overlap(one, other) == any(normal)
            assert [(n > 0) - (n < 0) for n in normal] == [(s > 0) - (s < 0) for s in shift]
            assert tuple(shift) == (oracle.way_out(one, other) if hit else (0, 0))
            assert depth == abs(shift[0]) + abs(shift[1])
            hits += hit
    assert hits > 100


def test_circles():
    rng, hits = np.random.default_rng(2), 0
    for number in range(SCENES):
        places, _, radius, _, pairs = scene(rng, bool(number % 2))
        found = contacts.circles(*columns(places), pairs, radius=radius)
        shapes = np.hstack([places, radius[:, None]]).tolist()
        for (a, b), hit, depth, shift, normal in zip(pairs.tolist(), *(column.tolist() for column in found)):
            one, other = shapes[a], shapes[b]
            assert hit == oracle.overlap(one, other) == any(normal)
            assert [(n > 0) - (n < 0) for n in normal] == [(s > 0) - (s < 0) for s in shift]
            if not hit:
                assert depth == 0 and shift == [0, 0]
                continue
            reach, square = one[2] + other[2], (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2
            assert (reach - depth) ** 2 <= square < (reach - depth + 1) ** 2  # rounded up
            assert not oracle.overlap((one[0] + shift[0], one[1] + shift[1], one[2]), other)
            assert max(map(abs, shift)) <= depth + 1 or square < 9
            hits += 1
    assert hits > 100


def test_boxes_that_move():
    rng, hits = np.random.default_rng(3), 0
    for number in range(SCENES):
        places, size, _, moves, pairs = scene(rng, bool(number % 2))
        found = contacts.sweep_boxes(*columns(places), *columns(moves), pairs, size=size)
        shapes = np.hstack([places, size]).tolist()
        for (a, b), hit, numerator, denominator, normal in zip(pairs.tolist(), *(column.tolist() for column in found)):
            expected = oracle.box_impact(shapes[a], shapes[b], moves[a].tolist(), moves[b].tolist())
            assert hit == (expected is not None)
            if hit:
                time, way = Fraction(numerator, denominator), (moves[a] - moves[b]).tolist()
                assert time == expected
                assert sum(map(abs, normal)) == (time > 0) and sum(n * w for n, w in zip(normal, way)) <= 0
            hits += hit
    assert hits > 100


def test_circles_that_move():
    rng, hits, fractions = np.random.default_rng(4), 0, 0
    for _ in range(SCENES):
        places, _, radius, moves, pairs = scene(rng, True)
        moves *= int(rng.choice([1, 1, 100]))
        found = contacts.sweep_circles(*columns(places), *columns(moves), pairs, radius=radius)
        shapes = np.hstack([places, radius[:, None]]).tolist()
        for (a, b), hit, numerator, denominator, _ in zip(pairs.tolist(), *(column.tolist() for column in found)):
            given = shapes[a], shapes[b]
            ways = moves[a].tolist(), moves[b].tolist()
            assert hit == oracle.does_circle_hit(*given, *ways)
            if hit and oracle.overlap(*given):
                assert numerator == 0
            elif hit:
                time, exact = Fraction(numerator, denominator), oracle.circle_impact(*given, *ways)
                assert 0 <= time < 1 and not oracle.overlap(*given, time, *ways)
                assert oracle.overlap(*given, time + Fraction(1, denominator), *ways)
                assert exact is None or exact == time
                fractions += exact is not None
            hits += hit
    assert hits > 100 and fractions > 3


def test_the_same_pairs_as_swept():
    rng = np.random.default_rng(5)
    x, y, move_x, move_y = (rng.integers(-300, 300, 40).astype(np.int32) for _ in range(4))
    pairs = np.ascontiguousarray(np.argwhere(np.triu(np.ones((40, 40), bool), 1)), np.int32)
    for size, radius in ((30, 15), (90, 40)):
        boxes = contacts.sweep_boxes(x, y, move_x, move_y, pairs, size=size).hit
        assert boxes.tolist() == swept.hits(x, y, move_x, move_y, pairs, size=size).tolist() and boxes.any()
        circles = contacts.sweep_circles(x, y, move_x, move_y, pairs, radius=radius).hit
        assert circles.tolist() == swept.hits(x, y, move_x, move_y, pairs, radius=radius).tolist() and circles.any()


def test_extremes():
    """The largest numbers that are allowed: nothing wraps."""
    pair, largest = np.array([[0, 1]], np.int32), (1 << 30) - 1
    x, y = np.array([LOW, HIGH]), np.array([LOW, HIGH])
    assert contacts.boxes(x, y, pair, size=1).hit.tolist() == [0]
    assert contacts.circles(x, y, pair, radius=largest).hit.tolist() == [0]
    found = contacts.boxes(np.array([LOW, 0]), np.array([LOW, -5]), pair, size=HIGH)
    assert found.hit.tolist() == [0]
    found = contacts.boxes(np.array([LOW, -2]), np.array([LOW, LOW]), pair, size=HIGH)
    assert (found.depth.tolist(), found.shift.tolist()) == ([1], [[-1, 0]])
    move = np.array([largest, -largest])
    met = contacts.sweep_boxes(np.array([0, 2 * largest - 1]), np.zeros(2, int), move, move * 0, pair, size=1)
    assert (met.hit[0], met.numerator[0], met.denominator[0]) == (1, 2 * largest - 2, 2 * largest)
    for name, given in (("move_x", (move + 9, move)), ("move_y", (move, move - 9))):
        with pytest.raises(ValueError, match=rf"{name}\[\d\] = .*: allowed -1073741823\.\.1073741823"):
            contacts.sweep_boxes(x * 0, y * 0, *given, pair, size=1)
    with pytest.raises(ValueError, match=r"radius 65536: allowed 0\.\.65535"):
        contacts.sweep_circles(x, y, x * 0, y * 0, pair, radius=65536)
