"""Compound shapes against the oracle."""

import numpy as np
import pytest

from retrosim.collide.documents import boxes, compound
from tests.oracle.compound import compounds_touch


def scene(rng, count):
    """Return origins, parts, first and circles of objects with none to four parts each."""
    first = np.concatenate(([0], np.cumsum(rng.integers(0, 5, count)))).astype(np.int32)
    total = int(first[-1])
    parts = np.concatenate((rng.integers(-30, 31, (total, 2)), rng.integers(0, 20, (total, 2))), axis=1)
    x, y = (rng.integers(-100, 101, count) for _ in range(2))
    return x.astype(np.int16), y.astype(np.int16), parts.astype(np.int16), first, rng.integers(0, 2, total)


def placed(x, y, parts, first, circle):
    return [
        [(int(x[i]) + p[0], int(y[i]) + p[1], p[2], p[3], bool(c))
         for p, c in zip(parts[first[i] : first[i + 1]].tolist(), circle[first[i] : first[i + 1]])]
        for i in range(len(x))
    ]  # fmt: skip


@pytest.mark.full
def test_scenes_at_random():
    rng, hits, tested = np.random.default_rng(2011), 0, 0
    for _ in range(60):
        x, y, parts, first, circle = scene(rng, int(rng.integers(0, 50)))
        objects = placed(x, y, parts, first, circle)
        every = np.stack(np.triu_indices(len(x), 1), axis=1).astype(np.int32)
        expected = [compounds_touch(objects[a], objects[b]) for a, b in every]
        assert compound.hits(x, y, parts, first, every, circle=circle).tolist() == expected
        found = compound.pairs(x, y, parts, first, circle=circle)
        assert np.array_equal(found, every[np.array(expected, bool)])
        hits, tested = hits + len(found), tested + len(every)
    assert tested > 20_000 and hits > 400


def test_one_part_each_is_the_plain_routine():
    rng = np.random.default_rng(3)
    x, y = (rng.integers(0, 300, 80).astype(np.int32) for _ in range(2))
    size, circle = rng.integers(0, 60, (80, 2)), rng.integers(0, 2, 80)
    parts = np.concatenate((np.zeros((80, 2), np.int32), size.astype(np.int32)), axis=1)
    first = np.arange(81, dtype=np.int32)
    category = rng.integers(0, 4, 80)
    assert np.array_equal(
        compound.pairs(x, y, parts, first, circle=circle, category=category, mask=1),
        boxes.pairs(x, y, size=size, circle=circle, category=category, mask=1),
    )


@pytest.mark.without_jit
def test_the_edges_of_the_range():
    corner = np.array([-8192, -8192, 8191, 8191], np.int16)
    parts = np.array([[-8192, -8192, 0, 0], [8191, 8191, 8191, 8191]] * 4, np.int16)
    found = compound.pairs(corner, corner.copy(), parts, np.array([0, 2, 4, 6, 8], np.int32))
    assert len(found) == 6  # all meet around (-1, -1)
    assert compound.pairs(corner[:2], corner[2:].copy(), parts[:2], np.array([0, 1, 2], np.int32)).tolist() == []


@pytest.mark.parametrize(
    "change, message",
    [
        ({"x": np.array([8192], np.int16)}, r"x\[0\] = 8192: allowed -8192\.\.8191"),
        ({"parts": np.array([[0, 0, -1, 1]], np.int16)}, r"parts width\[0\] = -1: allowed 0\.\.8191"),
        ({"parts": np.array([[0, -8193, 1, 1]], np.int16)}, r"parts y\[0\] = -8193: allowed -8192\.\.8191"),
        ({"parts": np.zeros((1, 4))}, r"parts is float64\[1, 4\]: allowed int16\[n, 4\] or int32\[n, 4\]"),
        ({"first": np.array([0, 2], np.int32)}, r"first goes 0 \.\. 2: allowed ascending numbers, 0 \.\. 1"),
        ({"first": np.array([1, 1], np.int32)}, r"first goes 1 \.\. 1"),
        ({"first": np.array([0, 1, 1], np.int32)}, r"first is int32\[3\]: allowed int32\[2\]"),
        ({"first": [0, 1]}, r"first is list: allowed int32\[2\]"),
    ],
)
def test_refusals(change, message):
    arguments = {
        "x": np.zeros(1, np.int16),
        "y": np.zeros(1, np.int16),
        "parts": np.zeros((1, 4), np.int16),
        "first": np.array([0, 1], np.int32),
    } | change
    with pytest.raises(ValueError, match=message):
        compound.pairs(**arguments)
