"""Sectors: arguments, refusals, scratch space, the lists of the grid, and the scenes of the analysis."""

import numpy as np
import pytest

import retrosim.collide
from retrosim.collide import METHODS, collided, count_tests, pairs, reports, tally_tests, workspace
from retrosim.collide.documents.sectors import SECTOR_SIZES, even_scene, random_scene
from retrosim.collide.kernels.pairs.sectors import SECTORS, place
from tests.oracle import sectors as reference
from tests.oracle.scenes import Random, randomize_objects
from tests.oracle.sectors import update_sectors

X, Y = np.array([10, 35, 300], np.int16), np.array([10, 12, 300], np.int16)
ROUTINES = (collided, reports, pairs, count_tests)
GRID_METHODS = METHODS[:-1]


def test_public_names():
    assert sorted(retrosim.collide.__all__) == [
        "METHODS", "collided", "count_tests", "intersect", "pairs", "reports", "tally_tests", "workspace",
    ]  # fmt: skip
    for name in retrosim.collide.__all__:
        assert hasattr(retrosim.collide, name)


def test_result_types():
    flags, raw, unique = collided(X, Y), reports(X, Y), pairs(X, Y)
    assert (flags.dtype, flags.tolist()) == (np.uint8, [1, 1, 0])
    assert (raw.dtype, raw.tolist()) == (np.int32, [[1, 0], [1, 0]])
    assert (unique.dtype, unique.tolist()) == (np.int32, [[0, 1]])
    assert count_tests(X, Y) == 2
    nothing = np.zeros(0, np.int32)
    assert pairs(nothing, nothing).shape == reports(nothing, nothing).shape == (0, 2)


@pytest.mark.without_jit
@pytest.mark.parametrize("method", (None, *METHODS))
def test_out_is_filled_and_returned(method):
    out, rows = np.full(3, 7, np.uint8), np.full((5, 2), 7, np.int32)
    assert collided(X, Y, out=out, method=method) is out
    assert out.tolist() == [1, 1, 0]
    found = pairs(X, Y, out=rows, method=method)
    assert found.tolist() == [[0, 1]] == rows[:1].tolist() and np.shares_memory(found, rows)
    with pytest.raises(ValueError, match="out has 0 rows: this scene has 1 pairs"):
        pairs(X, Y, out=rows[:0], method=method)
    for wrong in (np.zeros((5, 3), np.int32), np.zeros((5, 2), np.int16), np.zeros((5, 4), np.int32)[:, ::2], [0, 1]):
        with pytest.raises(ValueError, match="out"):
            pairs(X, Y, out=wrong, method=method)


@pytest.mark.parametrize("dtype", [np.int16, np.int32])
@pytest.mark.parametrize("count", [0, 1, 33, 200, 256, 257, 700])
def test_whatever_is_fastest_gives_the_same(count, dtype):
    x, y = (axis.astype(dtype) for axis in random_scene(count, 1994))
    for size in (1, 8, 30, 31):
        for method in METHODS:
            assert np.array_equal(collided(x, y, size=size), collided(x, y, size=size, method=method))
            assert np.array_equal(pairs(x, y, size=size), pairs(x, y, size=size, method=method))


@pytest.mark.full
def test_a_read_only_array_and_one_that_is_not_aligned():
    frozen, odd = X.copy(), np.frombuffer(b"." + Y.tobytes(), np.int16, offset=1)
    frozen.flags.writeable = False
    assert not odd.flags.aligned
    for x, y in ((frozen, Y), (X, frozen[::-1].copy()), (X, odd)):
        expected = pairs(x.copy(), y.copy(), method="brute_force")
        assert np.array_equal(pairs(x, y), expected) and collided(x, y).sum() == len(np.unique(expected))


@pytest.mark.parametrize("method", METHODS)
def test_workspace_may_be_dirty_and_larger(method):
    work = workspace(50)
    work[:] = 0xDEADBEEF
    for _ in range(2):
        assert collided(X, Y, workspace=work, method=method).tolist() == [1, 1, 0]
        assert pairs(X, Y, workspace=work, method=method).tolist() == [[0, 1]]


@pytest.mark.parametrize("routine", ROUTINES)
@pytest.mark.parametrize("method", GRID_METHODS)
@pytest.mark.parametrize("dtype", [np.int16, np.int32])
def test_off_the_screen_is_refused(dtype, method, routine):
    limits = np.iinfo(dtype)
    for name, maximum in (("x", 639), ("y", 479)):
        for wrong in (-1, maximum + 1, limits.min, limits.max):
            axes = {"x": X.astype(dtype), "y": Y.astype(dtype)}
            axes[name][1] = wrong
            with pytest.raises(ValueError, match=rf"{name}\[1\] = {wrong}: allowed 0\.\.{maximum}"):
                routine(axes["x"], axes["y"], method=method)


@pytest.mark.parametrize("routine", ROUTINES)
@pytest.mark.parametrize("method", GRID_METHODS)
def test_the_whole_screen_is_allowed(method, routine):
    x, y = np.array([0, 639, 0, 639], np.int16), np.array([0, 0, 479, 479], np.int16)
    assert np.sum(routine(x, y, method=method)) == 0


def test_refusal_leaves_out_alone():
    out, outside = np.full(3, 7, np.uint8), np.array([0, 640, 0], np.int16)
    for method in GRID_METHODS:
        with pytest.raises(ValueError, match="640"):
            collided(outside, Y, out=out, method=method)
    assert out.tolist() == [7, 7, 7]


@pytest.mark.parametrize("routine", ROUTINES)
@pytest.mark.parametrize("method", GRID_METHODS)
@pytest.mark.parametrize("wrong", [-1, 0, 32, 33, 64, 2**40])
def test_sides_of_half_a_sector_or_more_are_refused(wrong, method, routine):
    with pytest.raises(ValueError, match=rf"size {wrong}: allowed 1\.\.31"):
        routine(X, Y, size=wrong, method=method)
    with pytest.raises(ValueError, match=rf"size\[2\] = {wrong}: allowed 1\.\.31"):
        routine(X, Y, size=np.array([1, 31, wrong]), method=method)
    with pytest.raises(ValueError, match=rf"size\[0, 1\] = {wrong}: allowed 1\.\.31"):
        routine(X, Y, size=np.array([[1, wrong], [1, 1], [1, 1]]), method=method)


@pytest.mark.parametrize("routine", ROUTINES)
@pytest.mark.parametrize(
    "change, message",
    [
        ({"x": [10, 35, 300]}, "x is a list: allowed a NumPy array"),
        ({"y": None}, "y is a NoneType: allowed a NumPy array"),
        ({"x": X.astype(np.int64)}, "x has dtype int64: allowed int16 or int32"),
        ({"x": X.astype(np.uint16)}, "x has dtype uint16: allowed int16 or int32"),
        ({"x": X.astype(float)}, "x has dtype float64: allowed int16 or int32"),
        ({"x": X.astype(">i2")}, "x has dtype >i2: allowed int16 or int32"),
        ({"y": Y.astype(np.int32)}, "y has dtype int32: allowed int16, as x has"),
        ({"x": X[None]}, r"x has shape \(1, 3\): allowed one dimension"),
        ({"x": np.int16(3)}, "x is a int16: allowed a NumPy array"),
        ({"x": np.array(3, np.int16)}, r"x has shape \(\): allowed one dimension"),
        ({"x": np.repeat(X, 2)[::2]}, r"x has strides \(4,\): allowed C-contiguous"),
        ({"y": Y[:2]}, "y has length 2: allowed 3, as x has"),
        ({"size": 29.5}, r"size 29\.5: allowed 1\.\.31, a whole number"),
        ({"size": True}, r"size True: allowed 1\.\.31"),
        ({"size": "30"}, r"size '30': allowed 1\.\.31, a whole number"),
        ({"size": np.full(3, 8.0)}, "size has dtype float64: allowed integers"),
        ({"size": np.full(2, 8)}, r"size has shape \(2,\): allowed \(3,\) or \(3, 2\)"),
        ({"abs": "labs"}, "abs 'labs': allowed inline, macro"),
        ({"method": "quadtree"}, "method 'quadtree': allowed four_shifts, nine_sectors"),
        ({"workspace": np.zeros(SECTORS + 2, np.uint32)}, f"workspace has length {SECTORS + 2}: allowed {SECTORS + 3}"),
        ({"workspace": np.zeros(400, np.int32)}, r"workspace is int32\[400\]: allowed uint32\[n\]"),
        ({"workspace": 5}, r"workspace is int: allowed uint32\[n\]"),
    ],
)
def test_wrong_arguments_are_named(change, message, routine):
    with pytest.raises(ValueError, match=message):
        routine(**({"x": X, "y": Y} | change))


@pytest.mark.parametrize(
    "out, message",
    [
        (np.zeros(2, np.uint8), "out has length 2: allowed 3"),
        (np.zeros(4, np.uint8), "out has length 4: allowed 3"),
        (np.zeros(3, np.int8), r"out is int8\[3\]: allowed uint8\[n\]"),
        (np.zeros((3, 1), np.uint8), r"out is uint8\[3, 1\]: allowed uint8\[n\]"),
        (np.zeros(6, np.uint8)[::2], "out has strides"),
        (np.frombuffer(bytes(3), np.uint8), "out is read-only"),
        ([0, 0, 0], r"out is list: allowed uint8\[n\]"),
    ],
)
def test_wrong_out_is_refused(out, message):
    with pytest.raises(ValueError, match=message):
        collided(X, Y, out=out)


def test_brute_force_has_no_sectors():
    with pytest.raises(ValueError, match="brute_force"):
        tally_tests(X, Y, method="brute_force")
    with pytest.raises(ValueError, match="count -1"):
        workspace(-1)


@pytest.mark.parametrize("xoff", [0, 32])
@pytest.mark.parametrize("yoff", [0, 32])
def test_lists_are_those_of_the_oracle(xoff, yoff):
    """Same heads, same order in every list, for corners at every sector and half sector of the screen."""
    x = [column for column in (*range(0, 640, 32), 639) for _ in (*range(0, 480, 32), 479)]
    y = [row for _ in (*range(0, 640, 32), 639) for row in (*range(0, 480, 32), 479)]
    heads, links = np.empty(SECTORS, np.uint32), np.empty(len(x), np.uint32)
    place(np.array(x, np.int16), np.array(y, np.int16), xoff, yoff, heads, links)
    for sector, head in enumerate(heads.tolist()):
        members = []
        while head != 0xFFFFFFFF:
            members.append(head)
            head = int(links[head])
        assert members == reference.update_sectors(x, y, xoff, yoff)[sector // 9][sector % 9]


@pytest.mark.parametrize("sector", SECTOR_SIZES)
def test_sectors_of_any_size_find_what_brute_force_finds(sector: int) -> None:
    rng = np.random.default_rng(sector)
    for side in (1, sector // 4, sector // 2 - 1):
        x, y = rng.integers(0, 640, 120).astype(np.int16), rng.integers(0, 480, 120).astype(np.int16)
        assert np.array_equal(collided(x, y, size=side, sector=sector), collided(x, y, size=side, method="brute_force"))
        assert np.array_equal(pairs(x, y, size=side, sector=sector), pairs(x, y, size=side, method="brute_force"))
        tally = tally_tests(x, y, size=side, sector=sector)
        assert tally.shape == (-(-640 // sector) + 1, -(-480 // sector) + 1)
        assert tally.sum() == count_tests(x, y, size=side, sector=sector)


@pytest.mark.parametrize(
    "options, words",
    [
        ({"sector": 48}, "sector 48: allowed 16, 32, 64, 128, 256"),
        ({"sector": 512}, "sector 512: allowed 16..256"),
        ({"sector": 32, "size": 16}, "size 16: allowed 1..15"),
        ({"sector": 32, "size": 5, "method": "nine_sectors"}, "sector 32: allowed 64 with nine_sectors"),
    ],
)
def test_sectors_that_are_refused(options: dict, words: str) -> None:
    corners = np.zeros(3, np.int16)
    with pytest.raises(ValueError, match=words):
        collided(corners, corners, **options)


@pytest.mark.parametrize("seed", [0, 1994, 2**32 - 1])
def test_random_scene_is_the_oracles(seed):
    x, y = random_scene(200, seed)
    assert (x.tolist(), y.tolist()) == randomize_objects(200, Random(seed))


@pytest.mark.without_jit
@pytest.mark.parametrize("each", [1, 3])
def test_even_scene_is_even_in_all_four_grids(each):
    x, y = even_scene(each, 7)
    assert x.min() >= 0 and x.max() <= 639 and y.min() >= 0 and y.max() <= 479
    for xoff, yoff in ((0, 0), (0, 32), (32, 0), (32, 32)):
        lists = update_sectors(x.tolist(), y.tolist(), xoff, yoff)
        counts = [len(objects) for column in lists for objects in column]
        assert sorted(counts) == [0] * 19 + [each] * 80
    assert len(np.unique(x % 64)) > 8


def test_refusals():
    with pytest.raises(ValueError, match=r"count -1: allowed 0\.\.4194304"):
        random_scene(-1, 0)
    with pytest.raises(ValueError, match="seed 4294967296"):
        random_scene(1, 2**32)
    with pytest.raises(ValueError, match="each 0"):
        even_scene(0, 1)
