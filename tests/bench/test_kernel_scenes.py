"""Scenes of `retrosim bench kernels`, and the judge."""

from itertools import pairwise

import numpy as np

from retrosim.bench.kernel_scenes import FLAGS, MAX_STEP, PAIRS, Judge, every_pair, moving_scene
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
