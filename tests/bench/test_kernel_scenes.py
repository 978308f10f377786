"""Scenes of `retrosim bench kernels`, and the judge."""

from itertools import pairwise

import numpy as np
import pytest

from retrosim.bench import kernel_scenes
from retrosim.bench.kernel_scenes import (
    FLAGS,
    MAX_STEP,
    PAIRS,
    Judge,
    every_pair,
    expected_pairs,
    mixed_scene,
    moving_scene,
)
from retrosim.collide import plane


def test_scenes_have_the_density_of_200_on_the_screen_and_move():
    frames = moving_scene(3200, 1)
    assert len(frames) == 4 and all(axis.dtype == np.int32 for frame in frames for axis in frame)
    for x, y in frames:
        assert (x.min() >= 0, x.max() < 4 * 640, y.min() >= 0, y.max() < 4 * 480) == (True,) * 4
        assert x.max() > 4 * 600 and y.max() > 4 * 450
    for before, after in pairwise(frames):
        for axis in range(2):
            apart = abs(before[axis] - after[axis])
            assert apart.max() == MAX_STEP and np.count_nonzero(apart) > 2000
    assert all(np.array_equal(a, b) for a, b in zip(frames[3], moving_scene(3200, 1)[3]))
    assert len(moving_scene(50, 1)) == 16 and moving_scene(1, 1)[0][0].shape == (1,)


def test_the_judge():
    frames = moving_scene(300, 7)
    judge, right = Judge(frames), every_pair(*frames[2])
    assert judge.method == "every pair" and np.array_equal(right, plane.pairs(*frames[2]))
    assert judge.difference(PAIRS, 2, right[::-1, ::-1]) is None, "any order will do"
    assert judge.difference(PAIRS, 2, right[1:]) == f"wrong pairs: {len(right) - 1}, expected {len(right)}"
    assert judge.difference(PAIRS, 2, np.concatenate([right, right[:1]])).startswith("wrong pairs")
    flags = plane.collided(*frames[2])
    assert judge.difference(FLAGS, 2, flags) is None and judge.difference(FLAGS, 2, flags > 0) is None
    flags[5] ^= 1
    assert judge.difference(FLAGS, 2, flags) == "wrong collision flags: 1 of 300"
    assert judge.difference(FLAGS, 2, flags[1:]) == "wrong collision flags: 300 of 300"
    alone = Judge([(np.array([5], np.int32), np.array([5], np.int32))])
    assert alone.difference(PAIRS, 0, []) is None and alone.difference(FLAGS, 0, [0]) is None


def scene(*boxes: tuple[int, int, int, int]) -> tuple[np.ndarray, ...]:
    """Return x, y and size of boxes."""
    rows = np.array(boxes, np.int32)
    return rows[:, 0], rows[:, 1], rows[:, 2:]


def test_boxes_that_only_touch_do_not_overlap() -> None:
    here = scene((0, 0, 10, 6), (10, 0, 4, 4), (9, 5, 4, 4), (0, 6, 4, 4), (2, 2, 1, 1), (12, 3, 1, 1))
    assert expected_pairs("mixed", here).tolist() == [[0, 2], [0, 4], [1, 5]]
    squares = [np.array(axis) for axis in ((0, 30, 29, 0, 58), (0, 0, 29, 30, 0))]
    assert every_pair(*squares).tolist() == [[0, 2], [1, 2], [1, 4], [2, 3], [2, 4]]


def test_bullets_are_compared_with_all_others_only() -> None:
    boxes = [(100 * k, 0, 4, 4) for k in range(10)] + [(3, 3, 9, 9), (900, 3, 9, 9), (300, 4, 9, 9)]
    assert expected_pairs("bullets", scene(*boxes, (4, 4, 5, 5))).tolist() == [[0, 10], [9, 11]]


SEGMENTS = [
    ((-5, 3, 20, 3), True),  # through it
    ((12, 3, 12, 3), True),  # a point within
    ((-5, -1, 20, -1), False),
    ((-5, 0, 20, 0), True),  # along its upper side, and its lower one, whose last row is 7
    ((-5, 7, 20, 7), True),
    ((-5, 8, 20, 8), False),
    ((10, -5, 10, 20), True),
    ((9, -5, 9, 20), False),
    ((15, 20, 15, -5), True),
    ((16, 20, 16, -5), False),
    ((8, 2, 12, -2), True),  # just its corner
    ((8, 1, 12, -3), False),  # past it, although within the rectangle that bounds the segment
    ((17, 5, 13, 9), True),
    ((18, 5, 14, 9), False),
    ((0, 3, 9, 3), False),
    ((20, 3, 16, 3), False),
]


def test_segments_and_boxes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A box from 10 to 15 and from 0 to 7, after one that no segment meets; a hit is a segment and an object."""
    monkeypatch.setattr(kernel_scenes, "RAYS", len(SEGMENTS))
    rays = np.array([segment for segment, _ in SEGMENTS], np.int64)
    hits = expected_pairs("rays", (*scene((500, 500, 9, 9), (10, 0, 6, 8)), rays)).tolist()
    assert hits == [[n, len(SEGMENTS) + 1] for n, (_, is_hit) in enumerate(SEGMENTS) if is_hit]


def test_a_thousand_segments_of_at_most_300_pixels() -> None:
    x, y, _, rays = mixed_scene("rays", 90, 5)[0]
    assert len(rays) == 1000
    for axis, columns in ((x, rays[:, 0::2]), (y, rays[:, 1::2])):
        assert columns[:, 0].min() >= axis.min() and columns[:, 0].max() <= axis.max()
        lengths = columns[:, 1] - columns[:, 0]
        assert -300 <= lengths.min() < -280 and 280 < lengths.max() <= 300


def test_which_judge() -> None:
    """Up to 5000 objects all pairs are compared; bullets and segments always."""
    for kind, count, method in (
        (kernel_scenes.SQUARES, 5000, "every pair"), (kernel_scenes.SQUARES, 5001, "plane.pairs"),
        ("mixed", 5001, "world.pairs"), ("bullets", 5001, "every pair"),
    ):  # fmt: skip
        frames = moving_scene(count, 1)[:1] if kind == kernel_scenes.SQUARES else mixed_scene(kind, count, 1)[:1]
        assert Judge(frames, kind).method == method
