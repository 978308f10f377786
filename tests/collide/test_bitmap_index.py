"""Some hundred boxes of any size by a bitmap index: against all comparisons, on ordinary and hostile scenes."""

import numpy as np
import pytest

from retrosim.collide import world
from retrosim.collide.kernels.pairs import bitmap_index
from retrosim.collide.kernels.pairs.small_boxes import copy_boxes

from .random_worlds import KINDS, random_world


def every_pair(x, y, size, closed):
    """Return what overlaps, by NumPy and nothing of ours."""
    near = np.ones((len(x), len(x)), bool)
    for axis, side in ((x, size[:, 0]), (y, size[:, 1])):
        begins_first = np.less_equal.outer(axis, axis + side - (not closed))
        near &= begins_first & begins_first.T
    return np.argwhere(np.triu(near, 1)).astype(np.int32)


def listed(x, y, size, closed, room):
    rows, boxes = np.full((room, 2), -7, np.int32), np.empty((4, len(x)), np.int32)
    assert copy_boxes(x, y, size, int(closed), 0, len(x), boxes)
    return bitmap_index.list_indexed(boxes, len(x), rows), rows


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS)
def test_against_all_comparisons(kind):
    """What the kernel does not give up it has right, and `world.pairs` has all."""
    rng, answers = np.random.default_rng(KINDS.index(kind)), 0
    for number, count in enumerate((257, 300, 511, 512, 513, 700, 1025)):
        scene, closed = random_world(rng, kind, count), bool(number & 1)
        expected = every_pair(scene.x, scene.y, scene.size, closed)
        total, rows = listed(scene.x, scene.y, scene.size, closed, len(expected) + 3)
        if total != bitmap_index.TOO_MANY:
            assert total == len(expected) and np.array_equal(rows[:total], expected) and (rows[total + 1 :] == -7).all()
            answers += 1
        few = listed(scene.x, scene.y, scene.size, closed, 5)
        assert few[0] == total and (total < 5 or np.array_equal(few[1], expected[:5]))
        assert np.array_equal(world.pairs(scene.x, scene.y, size=scene.size, closed=closed), expected)
    assert answers > 4


@pytest.mark.without_jit
def test_small_tables(monkeypatch):
    """The index alone, with few boxes in few buckets; all types of integers give the same."""
    rng = np.random.default_rng(5)
    for count in (1, 2, 63, 64, 65, 130):
        x, y, size = rng.integers(0, 60, count), rng.integers(0, 90, count), rng.integers(1, 20, (count, 2))
        expected = every_pair(x, y, size, False)
        for kind in (np.int32, np.uint8):
            boxes = np.stack([x, y, x + size[:, 0] - 1, y + size[:, 1] - 1]).astype(kind).astype(np.int32)
            rows = np.empty((len(expected), 2), np.int32)
            assert bitmap_index.list_indexed(boxes, count, rows) == len(expected)
            assert np.array_equal(rows, expected)


@pytest.mark.full
def test_it_gives_up_what_the_grid_does_better():
    """Four groups far from each other, in each of them objects side by side: all in four buckets."""
    count = 2000
    x, y = np.arange(count) * 2, np.zeros(count, int)
    x += np.arange(count) // 500 * 500_000_000
    assert listed(x, y, np.ones((count, 2), int), False, 9)[0] == bitmap_index.TOO_MANY
    assert not len(world.pairs(x, y, size=1)) and len(world.pairs(x, y, size=2, closed=True)) == count - 4
