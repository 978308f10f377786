"""Equal boxes: `world` answers by the kernels of `plane`, and by its own where a scene does not lie on the plane."""

import numpy as np
import pytest

from retrosim.collide import _equal_boxes, batch, groups, plane, world
from retrosim.collide._first_calls import COMPILER
from retrosim.collide.kernels.pairs import small, uniform_grid
from retrosim.collide.kernels.pairs.uniform_grid import MAX_COORDINATE


@pytest.fixture(autouse=True)
def nothing_off_the_plane(monkeypatch):
    monkeypatch.setattr(_equal_boxes.OFF_PLANE, "left", 0)


def scene(count: int, dtype: type, high: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(count)
    return tuple((high - rng.integers(0, 25 * int(count**0.5) + 1, count)).astype(dtype) for _ in range(2))


@pytest.mark.parametrize(
    ("count", "dtype"),
    [(300, np.int32), (3000, np.int32), *(pytest.param(n, np.int16, marks=pytest.mark.full) for n in (1, 200))],
)
@pytest.mark.parametrize(("size", "closed"), [(1, False), (30, False), (31, False), (30, True), (31, True)])
def test_the_same_as_by_the_kernels_for_any_size(count, dtype, size, closed):
    x, y = scene(count, dtype, 20_000 if dtype is np.int16 else MAX_COORDINATE)
    sides = np.full((count, 2), size)
    for _ in range(2):  # the second time the kernels are compiled
        assert np.array_equal(world.pairs(x, y, size=size, closed=closed), world.pairs(x, y, size=sides, closed=closed))
        for ask in (world.collided, world.counts, world.first):
            answer, expected = (ask(x, y, size=form, closed=closed) for form in (size, sides))
            assert np.array_equal(answer, expected) and answer.dtype == expected.dtype
    if size + closed <= 31:
        assert np.array_equal(plane.pairs(x, y, size=size + closed), world.pairs(x, y, size=size, closed=closed))


def test_which_way_is_taken(monkeypatch):
    x, y = scene(200, np.int32, 20_000)
    world.pairs(x, y, size=30)
    seen = []
    whole = world.list_pairs
    monkeypatch.setattr(world, "list_pairs", lambda *given: seen.append(whole(*given)) or seen[-1])
    world.pairs(x, y, size=30)
    assert seen[-1] is not None
    world.pairs(x - 20_001, y, size=30)  # off the plane: refused, and so the next ones at once
    assert seen[-1] is None and _equal_boxes.OFF_PLANE.left == _equal_boxes.OFF_PLANE.AFTER_ONE
    count = len(seen)
    world.pairs(x, y, size=30)
    world.counts(x, y, size=30, starts=np.array([0, 200]))
    assert len(seen) == count and _equal_boxes.OFF_PLANE.left == _equal_boxes.OFF_PLANE.AFTER_ONE - 2
    _equal_boxes.OFF_PLANE.left = 0
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


@pytest.mark.parametrize("dtype", [np.int32, pytest.param(np.int16, marks=pytest.mark.full)])
@pytest.mark.parametrize("high", [20_000, 400])  # apart and in crowds
def test_many_scenes_are_as_one_by_one(dtype, high, monkeypatch):
    rng = np.random.default_rng(high)
    starts = np.cumsum([0, 0, 1, 40, 256, 0, 400, 700, 5])
    x, y = (rng.integers(0, high, starts[-1]).astype(dtype) for _ in range(2))
    out, far = np.empty((300_000, 2), np.int32), np.full(starts[-1], 30)
    with monkeypatch.context() as patch:
        for name in ("listed", "numbers"):
            patch.delattr(world, name)  # not for these
        listed = world.pairs(x, y, size=29, closed=True, starts=starts, out=out)
        answers = [ask(x, y, size=30, starts=starts) for ask in (world.collided, world.counts, world.first)]
    assert np.shares_memory(listed, out)
    assert np.array_equal(listed, world.pairs(x, y, size=29, closed=True, starts=starts))
    assert np.array_equal(listed, world.pairs(x, y, size=far, starts=starts))
    one, ends = batch.pairs(x, y, size=30, starts=starts)
    assert np.array_equal(listed, one + np.repeat(starts[:-1], np.diff(ends, prepend=0))[:, None])
    for ask, answer in zip((world.collided, world.counts, world.first), answers):
        expected = ask(x, y, size=far, starts=starts)
        assert np.array_equal(answer, expected) and answer.dtype == expected.dtype


def test_crowds_are_not_looked_at_pair_by_pair():
    x = np.full(3000, 7, np.int32)
    for starts in (None, np.array([0, 1000, 3000])):
        counts, first = (ask(x, x, size=30, starts=starts) for ask in (world.counts, world.first))
        assert counts[[0, -1]].tolist() == ([2999, 2999] if starts is None else [999, 1999])
        assert first[[0, 1, 1000, -1]].tolist() == ([1, 0, 0, 0] if starts is None else [1, 0, 1001, 1000])


@pytest.mark.full
@pytest.mark.parametrize("starts", [None, np.array([0, 100, 300, 1000])])
def test_before_the_kernels_and_read_only(starts, monkeypatch):
    rng = np.random.default_rng(8)
    x, y = rng.integers(0, 900, (2, 1000)).astype(np.int32)
    asked = world.pairs, world.collided, world.counts, world.first
    expected = [ask(x, y, size=20, starts=starts) for ask in asked]
    x.flags.writeable = y.flags.writeable = False
    assert all(np.array_equal(ask(x, y, size=20, starts=starts), answer) for ask, answer in zip(asked, expected))
    with monkeypatch.context() as patch:
        patch.setattr(COMPILER, "is_done", lambda name, job: False)
        for entry in (
            entry for kernels in (small, uniform_grid) for entry in (kernels.MARK, kernels.LIST, kernels.NUMBER)
        ):
            patch.setattr(entry, "call", entry._call_plain)
        for ask, answer in zip(asked, expected):
            early = ask(x, y, size=20, starts=starts)
            assert np.array_equal(early, answer) and early.dtype == answer.dtype
        room = np.empty((9000, 2), np.int32)
        assert np.shares_memory(world.pairs(x, y, size=20, starts=starts, out=room), room)
        with pytest.raises(ValueError, match="out has 5 rows: this scene has"):
            world.pairs(x, y, size=20, starts=starts, out=room[:5])


def test_errors_are_those_of_the_world():
    """What is wrong on the plane and off it is told in the same words."""
    x = np.arange(4, dtype=np.int32)
    starts = np.array([0, 4])
    for ask in (world.pairs, world.collided, world.counts, world.first):
        for change, message in (
            ({"y": x[:3]}, "y has length 3: allowed 4, as x has"),
            ({"size": 0}, "size 0: allowed 1..2147483647"),
            ({"closed": 1}, "closed 1: allowed False or True"),
            ({"starts": starts[:1]}, "starts of 1 numbers: allowed 0, then"),
            ({"out": np.zeros(3, np.int64)}, "out "),
        ):
            for left in (0, 63):
                _equal_boxes.OFF_PLANE.left = left
                with pytest.raises(ValueError, match=message):
                    ask(**({"x": x, "y": x, "size": 30, "starts": None} | change))


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
