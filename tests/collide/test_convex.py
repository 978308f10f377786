"""Convex shapes against the oracle: every kind with every other, at random, touching, crossing, nested."""

import numpy as np
import pytest

from retrosim.collide import convex, masks, world
from tests.oracle import convex as oracle

from .random_worlds import HIGH, LOW, SCENES


def random_outline(rng, scale):
    """Return a convex outline, a segment or a point, in either order."""
    points = oracle.hull([tuple(p) for p in rng.integers(-scale, scale + 1, (int(rng.integers(1, 12)), 2)).tolist()])
    return points[:: int(rng.choice([1, -1]))][:64]


def check(rng, scale, count=14):
    """Compare all pairs of a scene; return how many overlap."""
    outlines = [random_outline(rng, scale) for _ in range(count)]
    radius = (rng.integers(0, scale + 1, count) * rng.integers(0, 2, count)).tolist()
    polygons = convex.pack(outlines, radius=radius)
    x, y = (rng.integers(-2 * scale, 2 * scale + 1, count) + int(rng.integers(-(10**9), 10**9)) for _ in range(2))
    shape = np.arange(count, dtype=np.int32)
    pairs = np.ascontiguousarray(np.argwhere(np.triu(np.ones((count, count), bool), 1)), np.int32)
    expected = []
    for a, b in pairs.tolist():
        one, other = ([(int(x[k]) + p, int(y[k]) + q) for p, q in outlines[k]] for k in (a, b))
        expected.append(int(oracle.do_overlap(one, other, radius[a] + radius[b])))
    found = convex.hits(x, y, shape, polygons, pairs)
    assert found.tolist() == expected
    check_contacts(x, y, outlines, radius, pairs, convex.contacts(x, y, shape, polygons, pairs), found)
    left, top, size = convex.bounds(x, y, shape, polygons)
    close = {tuple(pair) for pair in world.pairs(left, top, size=size).tolist()}
    assert {tuple(pair) for pair in pairs[found > 0].tolist()} <= close
    return sum(expected)


def check_contacts(x, y, outlines, radius, pairs, found, hits):
    """The depth is the least there is; after the shift nothing overlaps; normal and shift point the same way."""
    assert np.array_equal(found.hit, hits) and not found.depth[hits == 0].any() and not found.shift[hits == 0].any()
    for p in np.flatnonzero(hits)[:3].tolist():
        a, b = pairs[p].tolist()
        one, other = ([(int(x[k]) + u, int(y[k]) + v) for u, v in outlines[k]] for k in (a, b))
        reach, depth, (right, down) = radius[a] + radius[b], int(found.depth[p]), found.shift[p].tolist()
        if depth < 2000:  # the oracle counts up to it
            assert depth == oracle.depth(one, other, reach)
        assert not oracle.do_overlap([(u + right, v + down) for u, v in one], other, reach)
        assert right**2 + down**2 <= (depth + 2) ** 2
        assert (np.sign(found.shift[p]) == np.sign(found.normal[p])).all()


@pytest.mark.full
def test_random_shapes():
    rng, hits = np.random.default_rng(1), 0
    for number in range(SCENES * 4 if SCENES <= 1000 else SCENES):
        hits += check(rng, (3, 10, 300, convex.MAX_PART)[number % 4])
    assert hits > 40 * SCENES


@pytest.mark.full
@pytest.mark.without_jit
def test_the_same_without_the_compiler():
    rng = np.random.default_rng(2)
    assert sum(check(rng, scale, 8) for scale in (3, 9, convex.MAX_PART)) > 9


@pytest.mark.without_jit
def test_contacts_on_one_line():
    """Segments and points without any width, one behind the other: the way out is along the line that they lie on."""
    shapes = convex.pack([[(-4, -2), (4, 2)], [(0, 0)], [(-2, -1), (2, 1)]], radius=[3, 4, 4])
    pairs = np.array([[0, 1], [1, 0], [0, 2], [2, 0], [1, 2]], np.int32)
    for at in range(8):
        x, y = np.array([0, 2 * at, -2 * at]), np.array([0, at, -at])
        shape = np.arange(3, dtype=np.int32)
        outlines, radius = [[(-4, -2), (4, 2)], [(0, 0)], [(-2, -1), (2, 1)]], [3, 4, 4]
        found = convex.contacts(x, y, shape, shapes, pairs)
        check_contacts(x, y, outlines, radius, pairs[:3], convex.Contacts(*(part[:3] for part in found)), found.hit[:3])
        check_contacts(x, y, outlines, radius, pairs[3:], convex.Contacts(*(part[3:] for part in found)), found.hit[3:])


@pytest.mark.without_jit
def test_touching_crossing_nested():
    square, cross = [(0, 0), (10, 0), (10, 10), (0, 10)], [(-9, 4), (19, 4), (19, 6), (-9, 6)]
    small, point, segment = [(4, 4), (6, 4), (5, 6)], [(5, 5)], [(-5, 5), (15, 5)]
    shapes = convex.pack([square, cross, small, point, segment, point], radius=[0, 0, 0, 0, 0, 1])

    def hit(a, b, x=0, y=0):
        return int(convex.hits(np.array([0, x]), np.array([0, y]), np.array([a, b], np.int32), shapes, pair)[0])

    pair = np.array([[0, 1]], np.int32)
    assert [hit(0, 0), hit(0, 1), hit(0, 2), hit(2, 0), hit(1, 1)] == [1] * 5
    assert [hit(0, 0, 10), hit(0, 0, 9), hit(0, 0, 10, 10), hit(0, 0, -9, 9)] == [0, 1, 0, 1], "touching is none"
    assert [hit(0, 3), hit(0, 4), hit(3, 3), hit(4, 4)] == [0] * 4, "nothing inside"
    assert [hit(0, 5), hit(5, 4), hit(5, 3), hit(5, 5, 2), hit(5, 5, 1)] == [1, 1, 1, 0, 1]
    assert [hit(0, 5, 6), hit(0, 5, 5), hit(5, 4, 0, 1), hit(5, 4, 0, 0)] == [0, 1, 0, 1]


def test_pixels_of_shapes_against_sprites():
    """A mask and a shape: as if every solid pixel were a square of its own."""
    rng, hits = np.random.default_rng(4), 0
    square = [(0, 0), (1, 0), (1, 1), (0, 1)]
    for _ in range(12):
        image = (rng.random((6, 7)) < 0.3).astype(np.uint8)
        outline, radius = random_outline(rng, 4), int(rng.integers(0, 4))
        drawn = convex.pixels(convex.pack([outline], radius=radius))
        (left, top), made = drawn.offset[0].tolist(), drawn.images[0]
        sprites, x, y = masks.pack([image, made]), *rng.integers(-7, 8, (2, 10)) + 1_000_000
        for at_x, at_y in zip(x.tolist(), y.tolist()):
            place = np.array([1_000_000, at_x + left]), np.array([1_000_000, at_y + top])
            found = masks.hits(*place, np.array([0, 1], np.int32), sprites, np.array([[0, 1]], np.int32))
            shape = [(u + at_x, v + at_y) for u, v in outline]
            cells = np.argwhere(image).tolist()
            solid = [[(1_000_000 + column + u, 1_000_000 + row + v) for u, v in square] for row, column in cells]
            expected = any(oracle.do_overlap(shape, cell, radius) for cell in solid)
            if len(outline) > 2 or radius:
                assert found[0] == expected
            hits += expected
    assert hits > 20
    with pytest.raises(ValueError, match=r"outlines\[0\] is 5000 x 1: allowed 4096 pixels"):
        convex.pixels(convex.pack([[(0, 0), (5000, 0)]]))


@pytest.mark.without_jit
def test_refusals():
    for outlines, why in (
        ([[(0, 0), (4, 0), (8, 0)]], "outlines\\[0\\] of 3 vertices: allowed convex outlines"),
        ([[(0, 0)], [(0, 0), (9, 0), (1, 1), (0, 9)]], "outlines\\[1\\] of 4 vertices: allowed convex"),
        ([[(0, 0), (9, 9), (9, 0), (0, 9)]], "allowed convex outlines, no three vertices on a line"),
        ([[(0, 0), (0, 0), (9, 0), (0, 9)]], "allowed convex"),
        ([[(8192, 0)]], r"outlines\[0\]\[0\] = \(8192, 0\): allowed -8191\.\.8191"),
        ([[(0.5, 0)]], "outlines\\[0\\] is list: allowed 1 to 64 vertices"),
        ([[]], "allowed 1 to 64 vertices"),
        ([[(0, 0)] * 65], "allowed 1 to 64 vertices"),
        ([5], "outlines\\[0\\] is int: allowed 1 to 64"),
    ):
        with pytest.raises(ValueError, match=why):
            convex.pack(outlines)
    with pytest.raises(ValueError, match="radius has length 1: allowed 2, as outlines has"):
        convex.pack([[(0, 0)], [(1, 1)]], radius=[3])
    with pytest.raises(ValueError, match=r"radius\[1\] -1: allowed 0..8191"):
        convex.pack([[(0, 0)], [(1, 1)]], radius=[3, -1])
    shapes, here, shape = convex.pack([[(0, 0)]], radius=9), np.array([LOW, HIGH]), np.zeros(2, np.int32)
    assert convex.hits(here, here, shape, shapes, np.array([[0, 1]], np.int32)).tolist() == [0]
    with pytest.raises(ValueError, match=r"x\[0\] = -2147483657: allowed"):
        convex.bounds(here, here, shape, shapes)
    for wrong in (None, [1], shapes._replace(outlines=shapes.outlines + 1), shapes._replace(vertices=np.zeros((1, 2)))):
        with pytest.raises(ValueError, match=r"polygons .*allowed what `pack` returns"):
            convex.hits(here, here, shape, wrong, np.array([[0, 1]], np.int32))
