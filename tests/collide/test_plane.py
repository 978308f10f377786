"""Many objects on a plane: the same flags and pairs as the four shifts and as all pairs, in one thread and in two."""

import numpy as np
import pytest

from retrosim.collide import collided, pairs, plane
from retrosim.collide.documents.sectors import random_scene


def check(x, y, size):
    """Check both ways to count threads against all pairs; return the pairs."""
    expected = pairs(x, y, size=size, method="brute_force")
    flags = np.zeros(len(x), np.uint8)
    flags[expected.ravel()] = 1
    for threads in (None, 1, 2):
        assert np.array_equal(plane.collided(x, y, size=size, threads=threads), flags)
        assert np.array_equal(plane.pairs(x, y, size=size, threads=threads), expected)
    return expected


@pytest.mark.parametrize("seed", range(20))
def test_on_the_screen_it_is_the_four_shifts(seed):
    for count in (0, 1, 2, 50, 200):
        x, y = random_scene(count, seed)
        for size in (1, 8, 30, 31):
            assert np.array_equal(plane.collided(x, y, size=size), collided(x, y, size=size))
            assert np.array_equal(plane.pairs(x, y, size=size), pairs(x, y, size=size))


@pytest.mark.full
@pytest.mark.parametrize("dtype", [np.int16, np.int32])
def test_planes_at_random(dtype):
    """From crowded to nearly empty, on squares, on a long and on a high plane."""
    rng, found = np.random.default_rng(1994), 0
    for _ in range(80):
        count = int(rng.integers(0, 300))
        width, height = (int(10 ** rng.uniform(0.5, 4.5)) for _ in range(2))
        x, y = rng.integers(0, width, count).astype(dtype), rng.integers(0, height, count).astype(dtype)
        found += len(check(x, y, int(rng.integers(1, 32))))
    assert found > 10_000


def test_distances_across_every_border():
    """Two objects 29 and 30 apart, at every offset to the borders of columns and cells."""
    for corner in range(100):
        for apart, count in ((29, 1), (30, 0)):
            there = np.array([corner, corner + apart], np.int32)
            level = np.full(2, 57, np.int32)
            for x, y in ((there, level), (level, there), (there, there), (there, there[::-1].copy())):
                assert len(plane.pairs(x, y, size=30)) == count
                assert plane.collided(x, y, size=30).tolist() == [count, count]


def test_more_candidates_than_rounds():
    """Crowds in one cell and at one place: the list of candidates fills up many times over."""
    rng = np.random.default_rng(3)
    for count in (6, 7, 40, 700):
        assert len(check(np.full(count, 99, np.int32), np.full(count, 31, np.int32), 30)) == count * (count - 1) // 2
        x, y = (rng.integers(0, 90, count).astype(np.int32) for _ in range(2))
        check(x, y, 17)


def test_numbers_of_objects_around_what_the_small_kernel_and_a_vector_hold():
    """From one object to more than the small kernel takes, on the screen and where corners do not fit 16 bits."""
    rng = np.random.default_rng(16)
    for count in (1, 2, 7, 8, 9, 31, 32, 33, 63, 64, 65, 255, 256, 257, 300):
        x, y = rng.integers(0, 640, count).astype(np.int32), rng.integers(0, 480, count).astype(np.int32)
        for offset in (0, 32_000, 40_000, plane.MAX_COORDINATE - 640):
            check(x + np.int32(offset), y, 30)
            check(y, x + np.int32(offset), 31)


def test_differences_that_wrap_in_16_bits():
    """Corners 65536 apart are alike in 16 bits and far apart all the same."""
    x = np.array([100, 100 + 65536, 100 + 2 * 65536, 32703, 32704, 32767, 32768], np.int32)
    y = np.full(7, 9, np.int32)
    for count in range(1, 8):
        check(x[:count], y[:count], 30)
        check(y[:count], x[:count], 30)
        check(np.concatenate([x[:count]] * 50), np.concatenate([y[:count]] * 50), 30)


def test_the_first_object_is_not_marked_for_nothing():
    x, y = np.array([5, 100, 110, 300], np.int32), np.array([5, 100, 105, 300], np.int32)
    assert plane.collided(x, y).tolist() == [0, 1, 1, 0]


@pytest.mark.without_jit
def test_the_corners_of_the_plane():
    far = plane.MAX_COORDINATE
    x, y = np.array([0, far, 0, far, far - 29], np.int32), np.array([0, 0, far, far, far - 29], np.int32)
    assert check(x, y, 30).tolist() == [[3, 4]]
    assert check(x[:0], y[:0], 30).tolist() == []


def test_large_scenes_in_two_threads():
    """500 000 objects of the density of 200 on the screen: two threads by default."""
    rng = np.random.default_rng(200)
    x, y = rng.integers(0, 32_000, 500_000).astype(np.int32), rng.integers(0, 24_000, 500_000).astype(np.int32)
    assert len(x) >= plane.TWO_THREADS
    flags, listed = plane.collided(x, y), plane.pairs(x, y)
    assert np.array_equal(flags, plane.collided(x, y, threads=1))
    assert np.array_equal(listed, plane.pairs(x, y, threads=1))
    assert np.flatnonzero(flags).tolist() == np.unique(listed).tolist()
    assert (np.abs(np.diff(x[listed], axis=1)) < 30).all() and (np.abs(np.diff(y[listed], axis=1)) < 30).all()
    tile = (x < 640) & (y < 480)
    inside = np.flatnonzero(tile)
    expected = inside[pairs(x[tile], y[tile])]
    assert listed[tile[listed].all(axis=1)].tolist() == expected.tolist() and len(expected) > 100


def test_two_threads_and_hardly_rows_enough():
    """Rows for all pairs, but not for either half's in half of them: all in the left column, all in the right one."""
    rng = np.random.default_rng(5)
    for left in (0, 2000):
        x = np.concatenate([np.full(300, left), np.arange(300) * 40 % 2400]).astype(np.int32)
        y = np.concatenate([rng.integers(0, 900, 300), np.arange(300) * 37]).astype(np.int32)
        expected = plane.pairs(x, y, threads=1)
        rows = np.empty((len(expected) + 1, 2), np.int32)
        for out in (rows, rows[:-1], rows.reshape(-1)[1:-1].reshape(-1, 2)):  # the last one is not aligned
            assert np.array_equal(plane.pairs(x, y, threads=2, out=out), expected) and len(expected) > 300
        with pytest.raises(ValueError, match=f"out has 9 rows: this scene has {len(expected)} pairs"):
            plane.pairs(x, y, threads=2, out=rows[:9])


def test_out_is_used():
    x = np.array([5, 10, 900], np.int32)
    flags, rows = np.full(3, 9, np.uint8), np.zeros((4, 2), np.int32)
    assert plane.collided(x, x, out=flags) is flags and flags.tolist() == [1, 1, 0]
    assert np.shares_memory(plane.pairs(x, x, out=rows), rows) and rows[0].tolist() == [0, 1]
    with pytest.raises(ValueError, match="out has 0 rows: this scene has 1 pairs"):
        plane.pairs(x, x, out=rows[:0])


@pytest.mark.parametrize(
    "change, message",
    [
        ({"x": np.array([-1], np.int32)}, r"x\[0\] = -1: allowed 0\.\.1048575"),
        ({"y": np.array([1048576], np.int32)}, r"y\[0\] = 1048576: allowed 0\.\.1048575"),
        ({"size": 32}, r"size 32: allowed 1\.\.31"),
        ({"size": 0}, r"size 0: allowed 1\.\.31"),
        ({"threads": 3}, r"threads 3: allowed 1\.\.2"),
        ({"x": np.zeros(1, np.int64)}, "x has dtype int64: allowed int16 or int32"),
    ],
)
def test_refusals(change, message):
    for count in (1, 257):
        given = {"x": np.zeros(count, np.int32), "y": np.zeros(count, np.int32)}
        for routine in (plane.collided, plane.pairs):
            routine(**given)  # types are known now
            wrong = {name: np.resize(new, count) if name in given else new for name, new in change.items()}
            with pytest.raises(ValueError, match=message):
                routine(**given | wrong)
