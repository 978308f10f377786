"""Swept tests against fractions, and the tunnelling that they catch."""

import numpy as np
import pytest

from retrosim.collide import intersect
from retrosim.collide.documents import objects, swept
from tests.oracle.swept import boxes_meet_in_frame, circles_meet_in_frame

RANDOM_PAIRS = 20_000


def moving(rng, count, span, max_move):
    x, y = (rng.integers(-span, span + 1, 2 * count).astype(np.int16) for _ in range(2))
    move_x, move_y = (rng.integers(-max_move, max_move + 1, 2 * count).astype(np.int16) for _ in range(2))
    still = rng.random((2, 2 * count)) < 0.2
    move_x[still[0]], move_y[still[1]] = 0, 0
    pairs = np.arange(2 * count, dtype=np.int32).reshape(-1, 2)
    apart = np.column_stack((x[::2].astype(int) - x[1::2], y[::2].astype(int) - y[1::2])).tolist()
    move = np.column_stack((move_x[::2].astype(int) - move_x[1::2], move_y[::2].astype(int) - move_y[1::2])).tolist()
    return (x, y, move_x, move_y), pairs, apart, move


@pytest.mark.first_case
@pytest.mark.parametrize("span, max_move, max_side", [(12, 9, 6), (200, 150, 90), (32767, 4095, 16383)])
def test_boxes_at_random(span, max_move, max_side):
    """On a coarse lattice, where touching is frequent, on the screen, and over the whole range."""
    rng = np.random.default_rng(span)
    scene, pairs, apart, move = moving(rng, RANDOM_PAIRS // 3, span, max_move)
    size = rng.integers(1, max_side + 1, (len(scene[0]), 2))
    sides = size.tolist()
    expected = [boxes_meet_in_frame(*each) for each in zip(apart, move, sides[::2], sides[1::2])]
    assert swept.hits(*scene, pairs, size=size).tolist() == expected
    assert 0.05 < np.mean(expected) < 0.9


@pytest.mark.parametrize("span, max_move, max_side", [(12, 9, 6), (200, 150, 90), (32767, 4095, 8191)])
def test_circles_at_random(span, max_move, max_side):
    rng = np.random.default_rng(span + 1)
    scene, pairs, apart, move = moving(rng, RANDOM_PAIRS // 3, span, max_move)
    radius = rng.integers(0, max_side + 1, len(scene[0]))
    reach = (radius[::2] + radius[1::2]).tolist()
    expected = [circles_meet_in_frame(*each) for each in zip(apart, move, reach)]
    assert swept.hits(*scene, pairs, radius=radius).tolist() == expected
    assert 0.05 < np.mean(expected) < 0.9


@pytest.mark.first_case
@pytest.mark.without_jit
@pytest.mark.parametrize("dtype", [np.int16, np.int32])
def test_pairs_are_the_hits_of_all(dtype):
    rng = np.random.default_rng(5)
    scene = [axis.astype(dtype) for axis in moving(rng, 30, 200, 90)[0]]
    every = np.stack(np.triu_indices(60, 1), axis=1).astype(np.int32)
    for shape in ({"size": 25}, {"radius": rng.integers(0, 20, 60)}):
        hits = swept.hits(*scene, every, **shape).astype(bool)
        assert np.array_equal(swept.pairs(*scene, **shape), every[hits]) and hits.sum() > 20


def test_objects_at_rest_are_the_plain_tests():
    """Without moves it is Moertel's test for boxes."""
    rng = np.random.default_rng(6)
    (x, y, *_), pairs, *_ = moving(rng, 2000, 60, 0)
    zero, size = np.zeros_like(x), rng.integers(1, 40, (len(x), 2))
    plain = intersect(x[::2].copy(), y[::2].copy(), x[1::2].copy(), y[1::2].copy(), size=size[::2], other=size[1::2])
    assert swept.hits(x, y, zero, zero, pairs, size=size).tolist() == plain.tolist()


def missile(x):
    """Return missile and ship, 25 pixels a frame against 8 pixels."""
    return (
        np.array([x, 100], np.int16),
        np.array([50, 50], np.int16),
        np.array([-25, 0], np.int16),
        np.zeros(2, np.int16),
    )


@pytest.mark.without_jit
@pytest.mark.parametrize("start", range(300, 325))
def test_tunnelling(start):
    """A missile of 2 pixels: from most starts no frame shows it on the ship; the swept test sees every passage once."""
    plain, found, x = 0, 0, start
    duel = np.array([[0, 1]], np.int32)
    size = np.array([2, 8])
    while x > 0:
        scene = missile(x)
        plain += int(intersect(scene[0][:1], scene[1][:1], scene[0][1:], scene[1][1:], size=2, other=8)[0])
        found += int(swept.hits(*scene, duel, size=size)[0])
        x -= 25
    assert plain == (start % 25 in range(8) or start % 25 == 24)
    assert (
        found == 1 + plain
    )  # a missile that does stand on the ship is there at the end of one frame and begin of the next


def test_the_rule_of_thumb():
    """At a tenth of its size per frame nothing tunnels: the plain test sees whatever the swept one does."""
    for start in range(200, 210):
        seen = [
            intersect(*(np.array([v], np.int16) for v in (x, 50, 100, 50)), size=10)[0] for x in range(start, 80, -1)
        ]
        assert sum(seen) == 19


def test_tunnelling_through_the_object_loop():
    """The same with the loop and the circles of Jon E P 2007: they collide in no frame."""
    circles = objects.make_circles([(0, 0, 4), (0, 0, 1)])
    for x in range(312, 0, -25):
        game = np.zeros(2, objects.OBJECT)
        game[0] = (objects.SHIP, 1, objects.DETECT_ALL, 0, 100, 50, 0, 1)
        game[1] = (objects.MISSILE, 1, objects.DETECT_SHIP, 0, x, 50, 1, 1)
        assert len(objects.check_all(game, circles)) == 0
    scene = missile(112)
    assert swept.hits(*scene, np.array([[0, 1]], np.int32), radius=np.array([1, 4])).tolist() == [1]


def test_touching_in_passing():
    """A corner that slides along a side, or meets a corner in mid-frame, only touches."""
    duel = np.array([[0, 1]], np.int32)

    def hit(x, y, vx, vy, **shape):
        return swept.hits(
            np.array([x, 0], np.int16), np.array([y, 0], np.int16),
            np.array([vx, 0], np.int16), np.array([vy, 0], np.int16), duel, **shape,
        ).tolist() == [1]  # fmt: skip

    assert not hit(-50, 10, 100, 0, size=10) and hit(-50, 9, 100, 0, size=10)
    assert not hit(-20, 0, 20, 20, size=10) and hit(-20, 0, 20, 19, size=10)  # corner to corner
    assert not hit(-20, 0, 10, 0, size=10) and hit(-20, 0, 11, 0, size=10)  # touching as the frame ends
    assert not hit(-50, 10, 100, 0, radius=5) and hit(-50, 9, 100, 0, radius=5)
    assert not hit(-20, 0, 10, 0, radius=5) and hit(-20, 0, 11, 0, radius=5)
    assert not hit(10, 0, 50, 0, size=10) and hit(9, 0, 50, 0, size=10)  # leaving


@pytest.mark.parametrize(
    "change, message",
    [
        ({"move_x": np.array([4096], np.int16)}, r"move_x\[0\] = 4096: allowed -4095\.\.4095"),
        ({"move_y": np.array([-4096], np.int16)}, r"move_y\[0\] = -4096"),
        ({"size": 0}, r"size 0: allowed 1\.\.16383"),
        ({"size": None, "radius": 8192}, r"radius 8192: allowed 0\.\.8191"),
        ({"size": None}, "neither size nor radius is given: allowed exactly one of them"),
        ({"radius": 3}, "both size and radius are given: allowed exactly one of them"),
        ({"move_x": np.zeros(1, np.int32)}, "move_x has dtype int32: allowed int16, as x has"),
    ],
)
def test_refusals(change, message):
    arguments = {name: np.zeros(1, np.int16) for name in ("x", "y", "move_x", "move_y")} | {"size": 8}
    with pytest.raises(ValueError, match=message):
        swept.pairs(**(arguments | change))
