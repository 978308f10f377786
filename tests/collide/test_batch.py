"""Many scenes in one call: each as if it were alone."""

import numpy as np
import pytest

from retrosim.collide import batch, plane


def check(x, y, starts, size, given=None):
    """Compare a batch with its scenes one by one; return how many pairs there are."""
    flags, (rows, ends) = (routine(x, y, starts=given, size=size) for routine in (batch.collided, batch.pairs))
    x, y, flags = x.reshape(-1), y.reshape(-1), flags.reshape(-1)
    begin = 0
    for scene, end in enumerate(ends):
        mine = slice(starts[scene], starts[scene + 1])
        assert np.array_equal(flags[mine], plane.collided(x[mine], y[mine], size=size))
        assert np.array_equal(rows[begin:end], plane.pairs(x[mine], y[mine], size=size))
        begin = end
    assert begin == len(rows) and len(ends) == len(starts) - 1
    return len(rows)


@pytest.mark.full
@pytest.mark.parametrize("dtype", [np.int16, np.int32])
def test_scenes_of_one_length(dtype):
    rng = np.random.default_rng(2)
    for scenes, count in ((0, 5), (1, 0), (3, 1), (40, 50), (5, 256), (3, 300)):
        x, y = (rng.integers(0, limit, (scenes, count)).astype(dtype) for limit in (640, 480))
        check(x, y, np.arange(scenes + 1) * count, 30)


def test_scenes_of_any_length():
    """Empty ones, small and large ones, crowds, and one too far out for 16 bits."""
    rng, found = np.random.default_rng(3), 0
    for _ in range(20):
        lengths = rng.choice([0, 0, 1, 2, 50, 200, 256, 257, 400], 12)
        starts = np.concatenate([[0], np.cumsum(lengths)])
        limit = int(rng.choice([60, 640, 5000]))
        x, y = (rng.integers(0, limit, starts[-1]).astype(np.int32) for _ in range(2))
        x[starts[5] :] += 100_000
        found += check(x, y, starts, int(rng.integers(1, 32)), starts)
    assert found > 50_000


@pytest.mark.without_jit
def test_out_is_used():
    x, y = np.array([[5, 10], [5, 90]], np.int16), np.zeros((2, 2), np.int16)
    flags, rows = np.full((2, 2), 9, np.uint8), np.zeros((3, 2), np.int32)
    assert batch.collided(x, y, out=flags) is flags and flags.tolist() == [[1, 1], [0, 0]]
    found, ends = batch.pairs(x, y, out=rows)
    assert np.shares_memory(found, rows) and (found.tolist(), ends.tolist()) == ([[0, 1]], [1, 1])
    with pytest.raises(ValueError, match="out has 0 rows: this scene has 1 pairs"):
        batch.pairs(x, y, out=rows[:0])


X = np.zeros((2, 3), np.int16)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"x": X.ravel()}, r"x: allowed C-contiguous arrays, \[scenes, n\]"),
        ({"y": X[:, ::2]}, "y: allowed C-contiguous arrays"),
        ({"y": X[:1]}, r"y has shape \(1, 3\): allowed \(2, 3\), as x has"),
        ({"x": X - 1}, r"x\[0\] = -1: allowed 0\.\.1048575"),
        ({"size": 32}, r"size 32: allowed 1\.\.31"),
        ({"x": X.ravel(), "y": X.ravel(), "starts": np.array([0, 5])}, "starts: allowed from 0 to 6, never falling"),
        ({"x": X.ravel(), "y": X.ravel(), "starts": np.array([0, 4, 2, 6])}, "starts: allowed from 0 to 6"),
        ({"x": X.ravel(), "y": X.ravel(), "starts": np.array([], int)}, r"starts is int64\[0\]: allowed integers"),
        ({"x": X.ravel(), "y": X.ravel(), "starts": np.array([0.0, 6])}, "starts is float64"),
    ],
)
def test_refusals(change, message):
    for routine in (batch.collided, batch.pairs):
        with pytest.raises(ValueError, match=message):
            routine(**({"x": X, "y": X} | change))
    for wrong in (np.zeros((2, 2), np.uint8), np.zeros((2, 3), np.int8), np.zeros((3, 2), np.uint8).T, [0]):
        with pytest.raises(ValueError, match="out"):
            batch.collided(X, X, out=wrong)
