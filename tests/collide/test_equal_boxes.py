"""Equal boxes: `world` answers by the kernels of `plane`, and by its own where a scene does not lie on the plane."""

import numpy as np
import pytest

from retrosim.collide import _equal_boxes, groups, plane, world
from retrosim.collide._first_calls import COMPILER
from retrosim.collide.kernels.pairs.uniform_grid import MAX_COORDINATE


@pytest.fixture(autouse=True)
def nothing_refused(monkeypatch):
    monkeypatch.setattr(_equal_boxes.REFUSALS, "left", 0)


def scene(count: int, dtype: type, high: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(count)
    return tuple((high - rng.integers(0, 25 * int(count**0.5) + 1, count)).astype(dtype) for _ in range(2))


@pytest.mark.parametrize(("count", "dtype"), [(1, np.int16), (200, np.int16), (300, np.int32), (3000, np.int32)])
@pytest.mark.parametrize(("size", "closed"), [(1, False), (30, False), (31, False), (30, True), (31, True)])
def test_the_same_as_by_the_kernels_for_any_size(count, dtype, size, closed):
    x, y = scene(count, dtype, 20_000 if dtype is np.int16 else MAX_COORDINATE)
    sides = np.full((count, 2), size)
    for _ in range(2):  # the second time the kernels are compiled
        assert np.array_equal(world.pairs(x, y, size=size, closed=closed), world.pairs(x, y, size=sides, closed=closed))
        flags = world.collided(x, y, size=size, closed=closed)
        assert np.array_equal(flags, world.collided(x, y, size=sides, closed=closed))
    if size + closed <= 31:
        assert np.array_equal(plane.pairs(x, y, size=size + closed), world.pairs(x, y, size=size, closed=closed))


def test_which_way_is_taken(monkeypatch):
    x, y = scene(200, np.int32, 20_000)
    world.pairs(x, y, size=30)
    seen = []
    whole = _equal_boxes.list_within
    monkeypatch.setattr(_equal_boxes, "list_within", lambda *given: seen.append(whole(*given)) or seen[-1])
    world.pairs(x, y, size=30)
    assert seen[-1] is not None
    world.pairs(x - 20_001, y, size=30)  # off the plane: refused, and so the next ones at once
    assert seen[-1] is None and _equal_boxes.REFUSALS.left == _equal_boxes.REFUSALS.AFTER_ONE
    world.pairs(x, y, size=30)
    assert seen[-1] is None and _equal_boxes.REFUSALS.left == _equal_boxes.REFUSALS.AFTER_ONE - 1
    count = len(seen)
    world.pairs(x, y, size=32)
    world.pairs(x, y, size=31, closed=True)
    world.pairs(x, y, size=30, category=1)
    assert len(seen) == count


def test_room_for_the_pairs():
    x = np.zeros(100, np.int32)
    assert len(world.pairs(x, x, size=30)) == 100 * 99 // 2  # more than four for each
    with pytest.raises(ValueError, match="4950 pairs"):
        world.pairs(x, x, size=30, out=np.empty((10, 2), np.int32))
    out = np.empty((5000, 2), np.int32)
    assert np.shares_memory(world.pairs(x, x, size=30, out=out), out)


@pytest.mark.parametrize("low", [5000, -5000])  # on the plane and off it
@pytest.mark.parametrize("count", [3, 300])
def test_too_short_an_out_that_x_is_a_part_of_is_refused(count, low):
    y, enough = np.full(count, low, np.int32), np.empty((count * count, 2), np.int32)
    for _ in range(2):  # the second time the kernels are compiled
        world.pairs(y, y, size=30, out=enough)
        groups.pairs(y, y, y, y, size=30, other=30, out=enough)
        COMPILER.wait()
    memory = np.full(2 * count, low, np.int32)
    with pytest.raises(ValueError, match=f"out has 1 rows: this scene has {count * (count - 1) // 2} pairs"):
        world.pairs(memory[:count], y, size=30, out=memory[:2].reshape(1, 2))
    memory[:] = low
    with pytest.raises(ValueError, match=f"out has 1 rows: this scene has {count * count} pairs"):
        groups.pairs(memory[:count], y, y, y, size=30, other=30, out=memory[:2].reshape(1, 2))
