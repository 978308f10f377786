"""Early-out boxes, circles after boxes, filters and counts, against the oracle."""

import numpy as np
import pytest

from retrosim.collide.documents import boxes
from tests.oracle import boxes as oracle

RANDOM_PAIRS = 100_000


def shapes_of(x, y, size, circle):
    return [
        (int(a), int(b), int(w), int(h), bool(c))
        for a, b, (w, h), c in zip(x, y, size, np.broadcast_to(circle, len(x)))
    ]


def crowd(rng, count, span=40):
    """Return x, y, sizes and circles of objects crowded enough that many pairs meet."""
    x, y = (rng.integers(-span, span, count).astype(np.int16) for _ in range(2))
    return x, y, rng.integers(0, 60, (count, 2)), rng.integers(0, 2, count).astype(bool)


def agree(x, y, size, circle, **options):
    """Check kernel and oracle on one scene, both variants; return the pairs."""
    shapes = shapes_of(x, y, size, circle)
    found = None
    for method, test in zip(boxes.METHODS, (oracle.get_collision_result, oracle.with_two_additions)):
        expected, counts = oracle.handle_collisions(shapes, test=test, **options.get("oracle", {}))
        kernel = options.get("kernel", {})
        found = [tuple(p) for p in boxes.pairs(x, y, size=size, circle=circle, method=method, **kernel).tolist()]
        assert found == expected
        assert boxes.count_operations(x, y, size=size, circle=circle, method=method, **kernel).tolist() == counts
    return found


@pytest.mark.full
def test_listed_pairs_at_random():
    rng = np.random.default_rng(2002)
    x, y, size, circle = crowd(rng, 2 * RANDOM_PAIRS)
    size[:, 1] = np.where(circle, size[:, 0], size[:, 1])
    pairs = np.arange(2 * RANDOM_PAIRS, dtype=np.int32).reshape(-1, 2)
    flags = boxes.hits(x, y, pairs, size=size, circle=circle).tolist()
    shapes, both = shapes_of(x, y, size, circle), 0
    for number, (a, b) in enumerate(zip(shapes[::2], shapes[1::2])):
        assert flags[number] == oracle.get_collision_result(a, b, [0, 0, 0]), (number, a, b)
        both += a[4] and b[4]
    assert both > 20_000 and 20_000 < sum(flags) < 80_000


def test_scenes_at_random():
    rng, hits = np.random.default_rng(713), 0
    for number in range(150):
        x, y, size, circle = crowd(rng, int(rng.integers(0, 40)), 100)
        dtype = (np.int16, np.int32)[number & 1]
        hits += len(agree(x.astype(dtype), y.astype(dtype), size, circle))
    assert hits > 2000


@pytest.mark.without_jit
def test_every_relative_position():
    """A box of 3x2 and one of 2x4, and circles of those widths, at every offset where anything can change."""
    offsets = [(dx, dy) for dx in range(-6, 7) for dy in range(-6, 7)]
    for circle in (False, True, np.array([True, False])):
        for dx, dy in offsets:
            agree(np.array([0, dx], np.int16), np.array([0, dy], np.int16), np.array([[3, 2], [2, 4]]), circle)


@pytest.mark.without_jit
def test_the_edges_of_the_range():
    x = np.array([-16384, -16384, 16383, 16383, 0], np.int16)
    y = np.array([-16384, 16383, -16384, 16383, 0], np.int16)
    for circle in (False, True):
        agree(x, y, np.full((5, 2), 16383), circle)
    assert boxes.pairs(x, y, size=16383).tolist() == [[3, 4]]  # by their corners
    assert boxes.pairs(x, y, size=16383, circle=True).tolist() == boxes.pairs(x, y, size=0).tolist() == []


def test_filters():
    rng = np.random.default_rng(16)
    x, y, size, circle = crowd(rng, 60)
    category, mask = (rng.integers(0, 65536, 60).astype(np.uint16) & 0x8421 for _ in range(2))

    def check_objects(i, j):
        return bool(int(category[i]) & int(mask[j])) and bool(int(category[j]) & int(mask[i]))

    wanted = {"kernel": {"category": category, "mask": mask}, "oracle": {"check_objects": check_objects}}
    found = agree(x, y, size, circle, **wanted)
    everything = [tuple(p) for p in boxes.pairs(x, y, size=size, circle=circle).tolist()]
    assert found == [pair for pair in everything if check_objects(*pair)] != everything
    assert boxes.pairs(x, y, size=size, circle=circle, allow=check_objects).tolist() == [list(p) for p in found]
    assert boxes.pairs(x, y, size=size, mask=0).tolist() == []


def test_the_printed_costs():
    """At worst 4 additions and 4 comparisons; 2 additions in the variant; a little luck ends earlier."""
    x, y = np.array([0, 10], np.int16), np.array([0, 10], np.int16)
    assert boxes.count_operations(x, y).tolist() == [1, 4, 4, 0]
    assert boxes.count_operations(x, y, method="two_additions").tolist() == [1, 2, 4, 0]
    far = np.array([0, 100], np.int16)
    assert boxes.count_operations(far, y).tolist() == [1, 1, 1, 0]
    assert boxes.count_operations(far, y, method="two_additions").tolist() == [1, 1, 2, 0]
    assert boxes.count_operations(x, y, circle=True).tolist() == [1, 12, 5, 3]


def test_odd_circles_have_whole_radii():
    """A width of 31 gives a radius of 15, as `width / 2` does in C: 30 apart touches, 31 does not."""
    y = np.zeros(2, np.int16)
    for apart, expected in ((30, 1), (31, 0)):
        x = np.array([0, apart], np.int16)
        assert len(boxes.pairs(x, y, size=31, circle=True)) == expected
        assert len(boxes.pairs(x, y, size=31)) == 1


def test_out_is_used():
    x, y = np.array([0, 5, 200], np.int16), np.zeros(3, np.int16)
    rows = np.full((3, 2), 9, np.int32)
    found = boxes.pairs(x, y, out=rows)
    assert found.base is rows and rows.tolist() == [[0, 1], [9, 9], [9, 9]]
    flags = np.full(1, 9, np.uint8)
    assert boxes.hits(x, y, found, out=flags) is flags and flags.tolist() == [1]
    with pytest.raises(ValueError, match="out has 0 rows: this scene has 1 pairs"):
        boxes.pairs(x, y, out=rows[:0])
    crowded = np.zeros(100, np.int16)
    assert len(boxes.pairs(crowded, crowded)) == 4950  # more rows than are made at first


@pytest.mark.parametrize(
    "change, message",
    [
        ({"x": np.array([0, 16384], np.int16)}, r"x\[1\] = 16384: allowed -16384\.\.16383"),
        ({"y": np.array([-16385, 0], np.int16)}, r"y\[0\] = -16385: allowed -16384\.\.16383"),
        ({"size": -1}, r"size -1: allowed 0\.\.16383"),
        ({"size": np.array([1, 16384])}, r"size\[1\] = 16384: allowed 0\.\.16383"),
        ({"size": np.array([[1, -1], [1, 1]], np.int32)}, r"size\[0, 1\] = -1: allowed 0\.\.16383"),
        ({"size": np.zeros(3, int)}, r"size has shape \(3,\): allowed \(2,\) or \(2, 2\)"),
        ({"size": np.zeros(2)}, "size has dtype float64: allowed integers"),
        ({"circle": np.zeros(3, bool)}, r"circle has shape \(3,\): allowed \(2,\)"),
        ({"category": 65536}, r"category 65536: allowed 0\.\.65535"),
        ({"mask": np.array([0, -1])}, r"mask\[1\] = -1: allowed 0\.\.65535"),
        ({"method": "sweep"}, "method 'sweep': allowed four_additions, two_additions"),
        ({"out": np.zeros((2, 3), np.int32)}, r"out is int32\[2, 3\]: allowed int32\[n, 2\]"),
        ({"out": [1]}, r"out is list: allowed int32\[n, 2\]"),
    ],
)
def test_refusals(change, message):
    arguments = {"x": np.zeros(2, np.int16), "y": np.zeros(2, np.int16)} | change
    with pytest.raises(ValueError, match=message):
        boxes.pairs(arguments.pop("x"), arguments.pop("y"), **arguments)


def test_refused_pair_lists():
    zero = np.zeros(2, np.int16)
    for pairs, message in (
        (np.array([[0, 2]], np.int32), r"pairs\[0, 1\] = 2: allowed 0\.\.1"),
        (np.array([[-1, 0]], np.int32), r"pairs\[0, 0\] = -1: allowed 0\.\.1"),
        (np.array([[0, 1]]), r"pairs is int64\[1, 2\]: allowed int32\[n, 2\]"),
        ([[0, 1]], "pairs is list"),
    ):
        with pytest.raises(ValueError, match=message):
            boxes.hits(zero, zero, pairs)
