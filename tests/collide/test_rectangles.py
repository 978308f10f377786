"""Rectangles: kernels against the oracle, the documented failures, and the exact test against all.

--full takes five times as many pairs.
"""

import numpy as np
import pytest

from retrosim.collide.documents import rectangles
from tests.helpers.amount import FULL, amount
from tests.oracle.rectangles import Study, corners, five_points, separating_axis

TIMES = 5 if FULL else 1
RANDOM_PAIRS = 20_000 * TIMES
METHODS = rectangles.METHODS[:-1]
EXACT_PAIRS = amount(4000, 20_000)
ROUNDING = {"point_1": 3, "point_2": 2}
"""Units of 1/32 pixel by which a method's verdict may be off: a corner is rounded down in x and y (1.4 units); the
first method rounds it once more when it is rotated."""


def arrays(objects):
    """Return x, y, half and angle of a list of (x, y, half width, half height, angle)."""
    table = np.array(objects, np.int16).reshape(-1, 5)
    x, y, angle = (np.ascontiguousarray(table[:, column]) for column in (0, 1, 4))
    return x, y, np.ascontiguousarray(table[:, 2:4]), angle


def random_objects(rng, count, upright=0.3, span=1500):
    """Return pairs of rectangles near each other, some upright, some with extreme sides and positions."""
    half = rng.integers(1, 2048, (count, 2))
    thin = rng.random((count, 2)) < 0.2
    half[thin] = rng.choice([1, 2, 20, 2047], thin.sum())
    angle = rng.integers(-2048, 2048, count)
    angle = np.where(rng.random(count) < upright, angle & ~255, angle)
    x, y = rng.integers(-1024, 21504, count), rng.integers(-1024, 16384, count)
    x[1::2] = np.clip(x[::2] + rng.integers(-span, span + 1, count // 2), -1024, 21503)
    y[1::2] = np.clip(y[::2] + rng.integers(-span, span + 1, count // 2), -1024, 16383)
    return np.column_stack((x, y, half, angle)).tolist()


def verdicts(objects):
    """Check kernels and oracle on objects 0 and 1, in all methods; return what each method finds."""
    found = {}
    pair = np.array([[0, 1]], np.int32)
    for method in rectangles.METHODS:
        found[method] = int(rectangles.hits(*arrays(objects), pair, method=method)[0])
    for method in METHODS:
        study = Study(*objects)
        assert found[method] == getattr(study, method)()
        assert rectangles.count_operations(*arrays(objects), pair, method=method).tolist() == study.spent
    assert found["separating_axis"] == separating_axis(*objects)
    return found


def every_pair(count):
    return np.arange(count, dtype=np.int32).reshape(-1, 2)


@pytest.mark.first_case
@pytest.mark.parametrize("method", METHODS)
def test_at_random(method):
    """Pairs shared among the three methods, and the operations of all of them."""
    rng = np.random.default_rng(2003 + METHODS.index(method))
    objects = random_objects(rng, 2 * (RANDOM_PAIRS // 3))
    studies = [Study(*map(tuple, pair)) for pair in zip(objects[::2], objects[1::2])]
    expected = [getattr(study, method)() for study in studies]
    pairs = every_pair(len(objects))
    assert rectangles.hits(*arrays(objects), pairs, method=method).tolist() == expected
    total = np.sum([study.spent for study in studies], axis=0).tolist()
    assert rectangles.count_operations(*arrays(objects), pairs, method=method).tolist() == total
    assert 0.2 < np.mean(expected) < 0.8


def test_the_exact_method_at_random():
    objects = random_objects(np.random.default_rng(64), RANDOM_PAIRS // 2, span=3000)
    expected = [separating_axis(a, b) for a, b in zip(objects[::2], objects[1::2])]
    assert rectangles.hits(*arrays(objects), every_pair(len(objects))).tolist() == expected
    assert 0.2 < np.mean(expected) < 0.8


def test_errors_are_the_documented_ones():
    """Apart from near touches no method errs but as documented: misses without a corner inside, and opposite codes."""
    objects = random_objects(np.random.default_rng(12), 5000 * TIMES)
    errors = {"point_1": 0, "point_2": 0, "line_1 beyond": 0}
    for a, b in zip(objects[::2], objects[1::2]):
        surely, never = separating_axis(a, b, -4), not separating_axis(a, b, 4)
        for method in ("point_1", "point_2"):
            found = getattr(Study(a, b), method)()
            assert not (found and never), (method, a, b)
            errors[method] += surely and not found
        study = Study(a, b)
        found = study.line_1()
        assert found or not surely, (a, b)
        if found and never:
            assert study.why == "opposite, and beyond", (a, b)
            errors["line_1 beyond"] += 1
    assert min(errors["point_1"], errors["point_2"]) > 50 * TIMES and errors["line_1 beyond"] > 9 * TIMES


@pytest.mark.parametrize("method", ROUNDING)
def test_five_points_are_right(method):
    """Held against corners that nobody rounds; a third of the rectangles are bars of 1 to 8 pixels."""
    rng = np.random.default_rng(681)
    objects = random_objects(rng, 2 * EXACT_PAIRS)
    for bar in objects[::3]:
        bar[2:4] = rng.permutation([rng.integers(16, 129), rng.integers(900, 2048)]).tolist()
    found = rectangles.hits(*arrays(objects), every_pair(len(objects)), method=method)
    tolerance, hits, misses = ROUNDING[method], 0, 0
    for a, b, hit in zip(objects[::2], objects[1::2], found.tolist()):
        if method == "point_1" and a[4] % 256 == 0 and b[4] % 256:
            a, b = b, a
        if hit:
            hits += 1
            assert five_points(a, b, tolerance), (a, b)
        else:
            misses += 1
            assert not five_points(a, b, -tolerance), (a, b)
    assert min(hits, misses) > EXACT_PAIRS // 5


@pytest.mark.parametrize(
    "a, b",
    [
        ((4424, 5505, 96, 107, 998), (5003, 4998, 32, 960, 681)),
        ((6239, 6631, 171, 97, 88), (4999, 4995, 32, 1920, 404)),
        ((3922, 3748, 183, 144, 311), (4991, 4998, 64, 1920, 928)),
        ((5029, 5889, 1, 2047, 0), (5021, 5632, 32, 2047, -1)),
    ],
)
def test_a_corner_in_a_thin_bar(a, b):
    """Short sides between rounded corners point elsewhere; the point algorithms must not follow them."""
    assert five_points(a, b, -2)
    assert verdicts([a, b]) == dict.fromkeys(rectangles.METHODS, 1)


@pytest.mark.without_jit
def test_figure_11_nested():
    """One rectangle inside the other: found through the outer one's lack of corners only by the fifth point."""
    outer, inner = (9600, 6400, 1500, 1200, 40), (9700, 6300, 200, 100, 300)
    assert set(verdicts([outer, inner]).values()) == {1}
    assert set(verdicts([inner, outer]).values()) == {1}
    upright = (9600, 6400, 1500, 1200, 512)
    assert set(verdicts([upright, inner]).values()) == {1}
    assert set(verdicts([inner, upright]).values()) == {1}


@pytest.mark.without_jit
@pytest.mark.parametrize("turn", [0, 37, 128, 256, 700])
def test_figure_12_cross(turn):
    """Sides cross and no corner is inside: the point algorithms find nothing, the line algorithm does."""
    flat, steep = (9600, 6400, 1600, 200, turn), (9650, 6350, 1600, 200, turn + 256)
    expected = {"point_1": 0, "point_2": 0, "line_1": 1, "separating_axis": 1}
    assert verdicts([flat, steep]) == verdicts([steep, flat]) == expected


def test_another_corner_than_the_fifth_point():
    """A corner of B sticks into a side of A: five points see it if it happens to be B's first, else not."""
    wall = (9600, 6400, 300, 2000, 0)
    for angle in (128, 384, 640, 896):
        lozenge = (9600 + 300 + 400, 6400, 300, 300, angle)  # one corner 24 units into the wall's right side
        result = verdicts([wall, lozenge])
        assert result["separating_axis"] == result["line_1"] == 1
        assert result["point_1"] == 1  # the upright wall becomes B, so that all of the lozenge's corners are tested
        assert result["point_2"] == (angle == 896)  # the first corner is the left one
        tilted = verdicts([(*rectangle[:4], rectangle[4] + 1) for rectangle in (wall, lozenge)])
        assert tilted == result | {"point_1": int(angle == 896)}


def test_opposite_codes_beyond_a_corner():
    """A side from LEFT UP to RIGHT passes above B's corner: the line algorithm takes it for a hit."""
    square, bar = (9600, 6400, 320, 320, 0), (9600 + 500, 6400 - 700, 1400, 20, 100)
    result = verdicts([bar, square])
    assert result == {"point_1": 0, "point_2": 0, "line_1": 1, "separating_axis": 0}
    study = Study(bar, square)
    assert study.line_1() and study.why == "opposite, and beyond"


def test_opposite_codes_with_the_others_clear_are_exact():
    square, bar = (9600, 6400, 320, 320, 0), (9600, 6400 - 200, 1400, 20, 10)
    assert verdicts([bar, square]) == {"point_1": 0, "point_2": 0, "line_1": 1, "separating_axis": 1}
    study = Study(bar, square)
    assert study.line_1() and study.why == "opposite"


@pytest.mark.without_jit
def test_quarter_turns_are_exact():
    """Upright rectangles at every quarter turn: all methods are exact, except for crosses and fifth points."""
    for first in (0, 256, 512, 768):
        for second in (0, 256, 512, 768):
            a, b = (9600, 6400, 320, 640, first), (0, 0, 160, 480, second)
            (wa, ha), (wb, hb) = ((r[3], r[2]) if r[4] % 512 else (r[2], r[3]) for r in (a, b))
            for dx in (wa + wb, wa + wb + 1):
                for dy in (0, ha + hb, ha + hb + 1):
                    result = verdicts([a, (9600 + dx, 6400 + dy, *b[2:])])
                    assert result["separating_axis"] == (dx == wa + wb and dy <= ha + hb)
                    assert result["line_1"] == result["separating_axis"]


def test_corners():
    objects = random_objects(np.random.default_rng(4), 2000)
    found = rectangles.corners(*arrays(objects))
    assert (found.dtype, found.shape) == (np.int16, (2000, 4, 2))
    assert [[tuple(p) for p in shape] for shape in found.tolist()] == [corners(r) for r in objects]
    out = np.empty_like(found)
    assert rectangles.corners(*arrays(objects), out=out) is out and np.array_equal(out, found)


def test_factors_fit_16_bits_and_sums_32():
    """The corners of the allowed range: what the kernels multiply stays in words of the machines."""
    worst = 0
    for angle in range(0, 1024, 3):
        for a in ((-1024, -1024, 2047, 2047, angle), (21503, 16383, 2047, 2047, angle)):
            for turn in (0, 85, 128, 300):
                study = Study(a, (-1024, 16383, 2047, 2047, turn))
                far = Study(a, (21503, 16383, 2047, 2047, turn))
                for s in (study, far):
                    for corner in corners(a):
                        worst = max(worst, *map(abs, s._seen_from(corner, s.b)))
                        worst = max(worst, *map(abs, corner))
    assert 30_000 < worst <= 32767


@pytest.mark.without_jit
@pytest.mark.parametrize("method", rectangles.METHODS)
def test_pairs_are_the_hits_of_all(method):
    objects = random_objects(np.random.default_rng(7), 60)
    every = np.stack(np.triu_indices(60, 1), axis=1).astype(np.int32)
    hits = rectangles.hits(*arrays(objects), every, method=method).astype(bool)
    found = rectangles.pairs(*arrays(objects), method=method)
    assert np.array_equal(found, every[hits]) and len(found) > 10
    out = np.empty((200, 2), np.int32)
    assert rectangles.pairs(*arrays(objects), method=method, out=out).base is out
    flags = np.empty(len(every), np.uint8)
    assert rectangles.hits(*arrays(objects), every, method=method, out=flags) is flags


@pytest.mark.parametrize(
    "change, message",
    [
        ({"x": np.array([21504], np.int16)}, r"x\[0\] = 21504: allowed -1024\.\.21503"),
        ({"y": np.array([16384], np.int16)}, r"y\[0\] = 16384: allowed -1024\.\.16383"),
        ({"half": np.array([[0, 1]], np.int16)}, r"half\[0, 0\] = 0: allowed 1\.\.2047, Q11\.5"),
        ({"half": np.array([[1, 2048]], np.int16)}, r"half\[0, 1\] = 2048: allowed 1\.\.2047"),
        ({"half": np.ones((2, 2), np.int16)}, "half has 2 rows: allowed 1, as x has"),
        ({"angle": np.zeros(1, np.int32)}, "angle has dtype int32: allowed int16, as x has"),
        ({"method": "sat"}, "method 'sat': allowed point_1, point_2, line_1, separating_axis"),
    ],
)
def test_refusals(change, message):
    arguments = {
        "x": np.zeros(1, np.int16),
        "y": np.zeros(1, np.int16),
        "half": np.ones((1, 2), np.int16),
        "angle": np.zeros(1, np.int16),
    } | change
    with pytest.raises(ValueError, match=message):
        rectangles.pairs(**arguments)


def test_other_refusals():
    zero = np.zeros(1, np.int32)
    with pytest.raises(ValueError, match=r"x has dtype int32: allowed int16, Q11\.5"):
        rectangles.pairs(zero, zero, np.ones((1, 2), np.int16), zero)
    square = arrays([(0, 0, 1, 1, 0)])
    with pytest.raises(ValueError, match="method 'separating_axis': allowed point_1, point_2, line_1"):
        rectangles.count_operations(*square, np.zeros((0, 2), np.int32), method="separating_axis")
    with pytest.raises(ValueError, match=r"out is int16\[4, 2\]: allowed int16\[1, 4, 2\]"):
        rectangles.corners(*square, out=np.zeros((4, 2), np.int16))
