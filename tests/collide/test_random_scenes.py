"""Kernels against the oracle on some thousand random scenes, from sparse to crowded, and the four-shift theorem.

--full takes three times as many; tests/roms/test_sectors_flags.py asks
all builds of the ROM about as many.
"""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrosim.collide import METHODS, collided, count_tests, intersect, pairs, reports, workspace
from retrosim.jit import JIT
from tests.helpers.amount import FULL, amount
from tests.oracle import sectors as reference
from tests.oracle.scenes import Random, randomize_objects

TIMES = 3 if FULL else 1
SCENES = amount(1000, 3000)


def random_scene(rng):
    """Return up to 40 corners, now over the whole screen, now crowded into a window anywhere on it."""
    count = int(rng.integers(0, 41))
    width, height = int(rng.integers(1, 641)), int(rng.integers(1, 481))
    left, top = int(rng.integers(0, 641 - width)), int(rng.integers(0, 481 - height))
    return (left + rng.integers(0, width, count)).tolist(), (top + rng.integers(0, height, count)).tolist()


def agree(x, y, dtype, abs, method, size=30, work=None):
    arrays = np.array(x, dtype), np.array(y, dtype)
    sides = size if isinstance(size, int) else np.array(size, int)
    options = {"size": sides, "abs": abs, "method": method, "workspace": work}
    flags, found, tests = reference.check(x, y, bits=8 * np.dtype(dtype).itemsize, size=size, abs=abs, method=method)
    assert collided(*arrays, **options).tolist() == flags
    assert [tuple(row) for row in reports(*arrays, **options).tolist()] == found
    assert count_tests(*arrays, **options) == tests
    return found


def test_four_shifts_on_many_scenes():
    rng, work, hits = np.random.default_rng(1994), workspace(40), 0
    for number in range(SCENES):
        x, y = random_scene(rng)
        dtype, abs = (np.int16, np.int32)[number & 1], ("inline", "macro")[number >> 1 & 1]
        hits += len(agree(x, y, dtype, abs, "four_shifts", work=work))
    assert hits > SCENES


@pytest.mark.parametrize("method", METHODS)
def test_sizes_on_random_scenes(method):
    rng = np.random.default_rng(21)
    for _ in range(100 * TIMES):
        x, y = random_scene(rng)
        size = rng.integers(1, 32, len(x)).tolist()
        found = agree(x, y, np.int16, "inline", method, size)
        assert reference.distinct(found) == reference.distinct(
            reference.check(x, y, size=size, method="brute_force")[1]
        )


@pytest.mark.without_jit
@pytest.mark.parametrize("method", METHODS)
def test_two_hundred_objects(method):
    random = Random(1994)
    for number in range(20 if FULL else 8 if JIT else 2):
        x, y = randomize_objects(200, random)
        agree(x, y, (np.int16, np.int32)[number & 1], "inline", method)


boxes = st.lists(
    st.tuples(st.integers(0, 639), st.integers(0, 479), st.integers(1, 31), st.integers(1, 31)), max_size=40
)


@settings(deadline=None, max_examples=100 * TIMES)
@given(boxes, st.integers(0, 600), st.integers(0, 440))
def test_four_shifts_find_every_overlap_and_nothing_else(found, left, top):
    """With sides below half a sector; boxes anywhere, and the same ones crowded together."""
    table = np.array(found, np.int64).reshape(-1, 4)
    crowded = np.stack((left + table[:, 0] % 40, top + table[:, 1] % 40), axis=1)
    for corners in (table[:, :2], crowded):
        x, y = (np.ascontiguousarray(axis, np.int16) for axis in corners.T)
        size = table[:, 2:]
        first, second = np.triu_indices(len(x), 1)
        overlap = np.abs(2 * x[first].astype(int) + size[first, 0] - 2 * x[second] - size[second, 0])
        overlap = overlap < size[first, 0] + size[second, 0]  # centres nearer than half the sum of the sides
        below = np.abs(2 * y[first].astype(int) + size[first, 1] - 2 * y[second] - size[second, 1])
        overlap &= below < size[first, 1] + size[second, 1]
        expected = np.stack((first, second), axis=1)[overlap].tolist()
        assert pairs(x, y, size=size).tolist() == expected
        times = Counter((min(row), max(row)) for row in reports(x, y, size=size).tolist())
        assert set(times.values()) <= {1, 2, 4}
        for method in METHODS[1:]:
            assert pairs(x, y, size=size, method=method).tolist() == expected


@settings(deadline=None, max_examples=70 * TIMES)
@given(boxes)
def test_flags_are_the_objects_of_the_pairs(found):
    x, y = (np.array([box[axis] for box in found], np.int16) for axis in (0, 1))
    listed = pairs(x, y)
    assert np.flatnonzero(collided(x, y)).tolist() == np.unique(listed).tolist()
    assert intersect(x[listed[:, 0]], y[listed[:, 0]], x[listed[:, 1]], y[listed[:, 1]]).all()
