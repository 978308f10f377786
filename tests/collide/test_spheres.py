"""Spheres against the oracle."""

import numpy as np
import pytest

from retrosim.collide.documents import spheres
from tests.oracle.spheres import spheres_meet

RANDOM_PAIRS = 100_000


def test_listed_pairs_at_random():
    rng = np.random.default_rng(333)
    centres = rng.integers(-40, 41, (2 * RANDOM_PAIRS, 3)).astype(np.int16)
    radius = rng.integers(0, 60, 2 * RANDOM_PAIRS)
    rows = np.column_stack((centres, radius)).tolist()
    expected = [spheres_meet(a, b) for a, b in zip(rows[::2], rows[1::2])]
    x, y, z = (np.ascontiguousarray(axis) for axis in centres.T)
    pairs = np.arange(2 * RANDOM_PAIRS, dtype=np.int32).reshape(-1, 2)
    assert spheres.hits(x, y, z, pairs, radius=radius).tolist() == expected
    assert 0.2 < np.mean(expected) < 0.8


@pytest.mark.parametrize("dtype", [np.int16, np.int32])
def test_scenes_at_random(dtype):
    rng = np.random.default_rng(9)
    for _ in range(20):
        count = int(rng.integers(0, 50))
        centres, radius = rng.integers(-300, 300, (3, count)).astype(dtype), rng.integers(0, 120, count)
        rows = np.column_stack((centres.T, radius)).tolist()
        expected = [[a, b] for a in range(count) for b in range(a + 1, count) if spheres_meet(rows[a], rows[b])]
        assert spheres.pairs(*centres, radius=radius).tolist() == expected


def test_touching_in_every_axis():
    """3-4-5 and 2-3-6-7: exactly as far apart as the radii, and one pixel nearer."""
    for apart in ((5, 0, 0), (0, 5, 0), (0, 0, 5), (3, 4, 0), (0, -3, 4), (-4, 0, 3)):
        x, y, z = (np.array([0, d], np.int16) for d in apart)
        assert spheres.pairs(x, y, z, radius=np.array([3, 2])).tolist() == []
        assert spheres.pairs(x, y, z, radius=3).tolist() == [[0, 1]]
    x, y, z = (np.array([0, d], np.int16) for d in (2, -3, 6))
    assert spheres.pairs(x, y, z, radius=np.array([0, 7])).tolist() == []
    assert spheres.pairs(x, y, z, radius=np.array([0, 8])).tolist() == [[0, 1]]


@pytest.mark.without_jit
def test_the_edges_of_the_range():
    """The farthest corners: 3 * 32767**2 fits 32 bits unsigned, and the largest spheres do not reach."""
    far = np.array([-16384, 16383], np.int16)
    assert 3 * 32767**2 < 2**32
    assert spheres.pairs(far, far, far, radius=16383).tolist() == []
    zero = np.zeros(2, np.int16)
    assert spheres.pairs(far, zero, zero, radius=16383).tolist() == []
    assert spheres.pairs(far + np.array([1, -1], np.int16), zero, zero, radius=16383).tolist() == [[0, 1]]


def test_out_and_refusals():
    zero, pairs = np.zeros(2, np.int16), np.array([[0, 1]], np.int32)
    flags, rows = np.empty(1, np.uint8), np.empty((1, 2), np.int32)
    assert spheres.hits(zero, zero, zero, pairs, radius=1, out=flags) is flags and flags.tolist() == [1]
    assert spheres.pairs(zero, zero, zero, radius=1, out=rows).base is rows and rows.tolist() == [[0, 1]]
    for radius, message in (
        (-1, r"radius -1: allowed 0\.\.16383"),
        (16384, r"radius 16384: allowed 0\.\.16383"),
        (np.array([1, -1]), r"radius\[1\] = -1"),
        (np.ones(2), "radius has dtype float64"),
    ):
        with pytest.raises(ValueError, match=message):
            spheres.pairs(zero, zero, zero, radius=radius)
