"""Scenes made to break the routine: every grid line and crossing, corners, one pixel apart, identical positions."""

import numpy as np
import pytest

from retrosim.collide import METHODS, collided, count_tests, pairs, reports, tally_tests
from retrosim.jit import JIT
from tests.helpers.amount import FULL
from tests.oracle import sectors as reference

pytestmark = pytest.mark.without_jit
LINES_X = range(32, 640, 32)
LINES_Y = range(32, 480, 32)
STEP = 1 if JIT or FULL else 5  # Python has time for some lines


def same(x, y, *, dtype=np.int16, abs="inline", size=30, method="four_shifts"):
    """Check that kernels and oracle agree on flags, reports, pairs and tests; return the reports."""
    arrays = np.array(x, dtype), np.array(y, dtype)
    sides = size if isinstance(size, int) else np.array(size, int)
    options = {"size": sides, "abs": abs, "method": method}
    bits = 16 if dtype == np.int16 else 32
    flags, found, tests = reference.check(x, y, bits=bits, size=size, abs=abs, method=method)
    assert collided(*arrays, **options).tolist() == flags
    assert [tuple(row) for row in reports(*arrays, **options).tolist()] == found
    assert [tuple(row) for row in pairs(*arrays, **options).tolist()] == reference.distinct(found)
    assert count_tests(*arrays, **options) == tests
    return found


@pytest.mark.parametrize("apart", [1, 28, 29, 30, 31, 32, 33])
def test_across_every_line(apart):
    """Two objects with each grid line between them, at every offset to the line; seen up to 29 pixels apart."""
    for lines, limit in ((LINES_X, 639), (LINES_Y, 479)):
        for line in lines[::STEP]:
            for before in range(1, apart + 1):
                along = [line - before, line - before + apart]
                if along[0] < 0 or along[1] > limit:
                    continue
                scene = (along, [77, 77]) if lines is LINES_X else ([77, 77], along)
                flags = collided(*(np.array(axis, np.int16) for axis in scene)).tolist()
                assert flags == [int(apart < 30)] * 2, (line, before)


@pytest.mark.full
def test_a_sample_of_lines_in_full():
    for line in (32, 64, 320, 448):
        for apart in (29, 30):
            for before in (1, 15, apart):
                along = [line - before, line - before + apart]
                for method in METHODS:
                    same(along, [40, 40], method=method)
                    same([40, 40], along, method=method)


def test_across_every_crossing():
    """Two objects on opposite sides of both lines, on either diagonal: exactly one of the four passes has both."""
    for x in LINES_X[::STEP]:
        for y in LINES_Y:
            for tops in ([y - 15, y + 14], [y + 14, y - 15]):
                xs, ys = np.array([x - 15, x + 14], np.int16), np.array(tops, np.int16)
                assert reports(xs, ys).tolist() == [[1, 0]], (x, y)
    same([305, 334], [145, 174])


@pytest.mark.parametrize("x, y, times", [(10, 10, 4), (50, 10, 2), (10, 50, 2), (50, 50, 1)])
def test_multiplicity(x, y, times):
    """A pair that a line of one grid parts is missed by the passes with that grid: 1, 2 or 4 reports, never 3."""
    assert same([x, x + 20], [y, y + 20]) == [(1, 0)] * times


def test_identical_positions_are_reported_four_times():
    for x, y in ((0, 0), (639, 0), (0, 479), (639, 479), (31, 32), (64, 63), (320, 240)):
        assert same([x] * 3, [y] * 3) == [(2, 1), (2, 0), (1, 0)] * 4


def test_all_objects_on_one_pixel():
    """All pairs, four times each: more reports than rows are made at first."""
    count = 200 if JIT or FULL else 50
    assert len(same([300] * count, [200] * count)) == 2 * count * (count - 1)


@pytest.mark.parametrize("abs", ["inline", "macro"])
@pytest.mark.parametrize("dtype", [np.int16, np.int32])
@pytest.mark.parametrize("method", METHODS)
def test_every_build_and_method(method, dtype, abs):
    """The four corners of the screen, touching, overlapping by one pixel and by all, over lines of both grids."""
    x = [0, 29, 30, 610, 639, 639, 0, 63, 64, 95, 96, 320, 320, 349, 350]
    y = [0, 29, 0, 0, 29, 479, 479, 63, 64, 95, 66, 240, 240, 240, 269]
    same(x, y, dtype=dtype, abs=abs, method=method)


@pytest.mark.parametrize("method", METHODS)
def test_a_grid_of_touching_objects_never_collides(method):
    x = [column * 30 for column in range(20) for _ in range(10)]
    y = [row * 30 for _ in range(20) for row in range(10)]
    assert same(x, y, method=method) == []


@pytest.mark.parametrize("method", METHODS)
def test_bullets_and_ships(method):
    """Sides of 8 and 30, also as width and height."""
    x, y, sides = [100, 129, 130, 93, 92], [100] * 5, [30, 8, 8, 8, 8]
    assert reference.distinct(same(x, y, size=sides, method=method)) == [(0, 1), (0, 3), (1, 2), (3, 4)]
    width, height = np.array(sides), np.array([30, 1, 1, 1, 1])
    y = np.array([100, 129, 130, 129, 129], np.int16)
    found = pairs(np.array(x, np.int16), y, size=np.stack((width, height), axis=1), method=method)
    oracle = reference.check(x, y.tolist(), size=(width.tolist(), height.tolist()), method=method)[1]
    assert [tuple(row) for row in found.tolist()] == reference.distinct(oracle) == [(0, 1), (0, 3), (3, 4)]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("count", [0, 1])
def test_nothing_to_test(count, method):
    assert same([5] * count, [5] * count, method=method) == []


def test_tests_are_counted_where_they_are_made():
    x, y = np.array([0, 10, 20, 639, 600], np.int16), np.array([0, 10, 20, 470, 470], np.int16)
    tally = tally_tests(x, y)
    assert tally.shape == (11, 9)
    assert tally.sum() == count_tests(x, y) == reference.check(x.tolist(), y.tolist())[2]
    assert tally[0, 0] == 4 * 3  # three pairs, in all passes
    assert tally[9, 7] == 2  # one pair, in the two passes that leave the columns where they are
    assert np.count_nonzero(tally) == 2
