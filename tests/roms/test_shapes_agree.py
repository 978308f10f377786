"""The ROM `shapes`: machine code, kernels and the oracle agree, routine by routine, on every machine.

--full tests each routine on 300 random inputs (pairs, scenes, planes, angles) instead of 120.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import chain, product

import numpy as np
import pytest

from retrosim.collide import collided, count_tests
from retrosim.collide.documents import boxes, compound, rectangles, spheres
from retrosim.collide.kernels.documents.blocks import Handlers, measure_plane, place_handlers, scan_blocks
from retrosim.collide.kernels.shapes.boxes import box_exit, box_exit_two
from retrosim.numeric import tables
from tests.helpers.amount import amount
from tests.helpers.machine.flat import MACHINES
from tests.helpers.rom import shape_scenes as scenes
from tests.helpers.rom.shape_units import Unit
from tests.oracle import blocks as block_oracle
from tests.oracle import boxes as oracle
from tests.oracle import compound as compound_oracle
from tests.oracle import rectangles as rectangle_oracle
from tests.oracle import sectors as sector_oracle
from tests.oracle import spheres as sphere_oracle

RANDOM = amount(120, 300)
SEED = 2011
AT_ONCE = 1000  # scenes, planes


@cache
def unit_of(machine: str) -> Unit:
    return Unit(machine)


@pytest.fixture(scope="module", autouse=True)
def units_are_freed():
    yield
    unit_of.cache_clear()


def neighbours(count: int) -> np.ndarray:
    return np.arange(count, dtype=np.int32).reshape(-1, 2)


def columns(rows, *numbers: int) -> list[np.ndarray]:
    table = np.array(rows, np.int16)
    return [np.ascontiguousarray(table[:, number]) for number in numbers]


# What kernels and oracle say of pairs: (kind of object, kernel of all objects, oracle of two)


def shapes_touch(rows) -> list[int]:
    x, y, circle = columns(rows, 0, 1, 4)
    size = np.array(rows, np.int32)[:, 2:4].copy()
    return boxes.hits(x, y, neighbours(len(rows)), size=size, circle=circle).tolist()


def exits(kernel: Callable) -> Callable:
    return lambda rows: [kernel(tuple(a[:4]), tuple(b[:4])) for a, b in zip(rows[::2], rows[1::2])]


def oracle_exit(test: Callable) -> Callable:
    """Return what tells how many additions a test of two boxes needs to find them apart, 0 if it does not."""

    def tell(a, b) -> int:
        spent = [0, 0, 0]
        return 0 if test((*a[:4], False), (*b[:4], False), spent) else spent[0]

    return tell


def compounds_touch(rows) -> list[int]:
    x, y = columns([origin for origin, _ in rows], 0, 1)
    parts = np.array([part for _, each in rows for part in each], np.int16).reshape(-1, 5)
    first = np.cumsum([0, *(len(each) for _, each in rows)]).astype(np.int32)
    shape = np.ascontiguousarray(parts[:, :4])
    return compound.hits(x, y, shape, first, neighbours(len(rows)), circle=parts[:, 4].copy()).tolist()


def placed(one) -> list:
    (x, y), parts = one
    return [(x + part[0], y + part[1], *part[2:]) for part in parts]


def spheres_meet(rows) -> list[int]:
    x, y, z, radius = columns(rows, 0, 1, 2, 3)
    return spheres.hits(x, y, z, neighbours(len(rows)), radius=radius).tolist()


def rectangle_hits(method: str) -> Callable:
    def find(rows) -> list[int]:
        x, y, angle = columns(rows, 0, 1, 4)
        half = np.array(rows, np.int16)[:, 2:4].copy()
        return rectangles.hits(x, y, half, angle, neighbours(len(rows)), method=method).tolist()

    return find


def study(method: str) -> Callable:
    return lambda a, b: getattr(rectangle_oracle.Study(tuple(a), tuple(b)), method)()


ROUTINES = {
    "BoxesApart": ("shape", exits(box_exit), oracle_exit(oracle.get_collision_result)),
    "BoxesApartTwo": ("shape", exits(box_exit_two), oracle_exit(oracle.with_two_additions)),
    "ShapesTouch": ("shape", shapes_touch, lambda a, b: oracle.get_collision_result(a, b, [0, 0, 0])),
    "ShapesTouchTwo": ("shape", shapes_touch, lambda a, b: oracle.with_two_additions(a, b, [0, 0, 0])),
    "CompoundsTouch": ("compound", compounds_touch, lambda a, b: compound_oracle.compounds_touch(placed(a), placed(b))),
    "SpheresMeet": ("sphere", spheres_meet, sphere_oracle.spheres_meet),
    "PointOne": ("rectangle", rectangle_hits("point_1"), study("point_1")),
    "PointTwo": ("rectangle", rectangle_hits("point_2"), study("point_2")),
    "LineOne": ("rectangle", rectangle_hits("line_1"), study("line_1")),
}
INPUTS = {
    "shape": (scenes.random_shapes, scenes.odd_shapes),
    "compound": (scenes.random_compounds, scenes.odd_compounds),
    "sphere": (scenes.random_spheres, scenes.odd_spheres),
    "rectangle": (scenes.random_rectangles, scenes.odd_rectangles),
}


@cache
def judged(routine: str, is_random: bool) -> tuple[list, list[int]]:
    """Return objects, and what kernel and oracle say of their pairs; the same for all machines."""
    kind, kernel, tell = ROUTINES[routine]
    at_random, odd = INPUTS[kind]
    rows = at_random(np.random.default_rng((SEED, len(kind))), RANDOM) if is_random else odd()
    expected = [int(tell(a, b)) for a, b in zip(rows[::2], rows[1::2])]
    assert kernel(rows) == expected
    return rows, expected


def on_machine(unit: Unit, routine: str, rows) -> list[int]:
    """Return what the machine says of pairs."""
    kind, results = ROUTINES[routine][0], []
    if kind != "compound":
        return unit.test(routine, unit.objects(kind, rows))
    for start in range(0, len(rows), 2 * AT_ONCE):
        some = rows[start : start + 2 * AT_ONCE]
        results += unit.test(routine, unit.compounds(*zip(*some)))
    return results


@pytest.mark.first_case
@pytest.mark.parametrize("routine", ROUTINES)
@pytest.mark.parametrize("machine", MACHINES)
def test_random_pairs(machine: str, routine: str) -> None:
    rows, expected = judged(routine, True)
    hits = sum(map(bool, expected))
    print(f"seed {SEED}: {len(expected)} pairs, {hits} not 0")
    assert on_machine(unit_of(machine), routine, rows) == expected
    assert 0.15 * len(expected) < hits < 0.85 * len(expected)


@pytest.mark.parametrize("routine", ROUTINES)
@pytest.mark.parametrize("machine", MACHINES)
def test_adversarial_pairs(machine: str, routine: str) -> None:
    rows, expected = judged(routine, False)
    assert on_machine(unit_of(machine), routine, rows) == expected
    assert len(expected) > 150 and 0 in expected and any(expected)


@pytest.mark.parametrize("routine", ["PointOne", "PointTwo", "LineOne"])
@pytest.mark.parametrize("machine", MACHINES)
def test_figure_11_nested(machine: str, routine: str) -> None:
    """No corner of the outer rectangle is inside: the fifth point finds it, in all methods."""
    assert on_machine(unit_of(machine), routine, scenes.nested()) == [1] * 4


@pytest.mark.parametrize(("routine", "expected"), [("PointOne", 0), ("PointTwo", 0), ("LineOne", 1)])
@pytest.mark.parametrize("machine", MACHINES)
def test_figure_12_cross(machine: str, routine: str, expected: int) -> None:
    """Edges cross, no corner is inside: the point algorithms miss it, the line algorithm does not."""
    assert on_machine(unit_of(machine), routine, scenes.crosses()) == [expected] * 10


def reach(unit: Unit, routine: str, make: Callable) -> int:
    """Return the largest of the distances 29, 30, 31 of two 30-pixel objects that counts, along both axes."""
    found = [on_machine(unit, routine, [row for d in (29, 30, 31) for row in make(d, axis)]) for axis in (0, 1)]
    assert found[0] == found[1] == sorted(found[0], reverse=True)
    return 28 + sum(found[0])


def moved(distance: int, axis: int, *rest: int) -> tuple[int, ...]:
    return (100 + distance * (axis == 0), 100 + distance * (axis == 1), *rest)


@pytest.mark.parametrize("machine", MACHINES)
class TestTouching:
    """Where documents differ, at the last place that does not and does count: strict is 29, inclusive 30."""

    def test_document_002_boxes_count_touching(self, machine: str) -> None:
        for routine in ("ShapesTouch", "ShapesTouchTwo"):
            make = lambda d, axis: [moved(0, axis, 30, 30, 0), moved(d, axis, 30, 30, 0)]  # noqa: E731
            assert reach(unit_of(machine), routine, make) == 30

    def test_document_002_circles_count_touching(self, machine: str) -> None:
        for routine in ("ShapesTouch", "ShapesTouchTwo"):
            make = lambda d, axis: [moved(0, axis, 30, 30, 1), moved(d, axis, 30, 30, 1)]  # noqa: E731
            assert reach(unit_of(machine), routine, make) == 30

    def test_document_002_compounds_count_touching(self, machine: str) -> None:
        part = [(0, 0, 30, 30, 0)]
        make = lambda d, axis: [(moved(0, axis), part), (moved(d, axis), part)]  # noqa: E731
        assert reach(unit_of(machine), "CompoundsTouch", make) == 30

    def test_document_003_spheres_are_strict(self, machine: str) -> None:
        make = lambda d, axis: [moved(0, axis, 0, 15), moved(d, axis, 0, 15)]  # noqa: E731
        assert reach(unit_of(machine), "SpheresMeet", make) == 29

    def test_document_003_rectangles_count_touching(self, machine: str) -> None:
        for routine, turn in product(("PointOne", "PointTwo", "LineOne"), (0, 256, 512, 768)):

            def make(d: int, axis: int, turn: int = turn) -> list:
                return [(*(32 * p for p in moved(each, axis)), 480, 480, turn) for each in (0, d)]

            assert reach(unit_of(machine), routine, make) == 30

    def test_document_003_blocks_count_touching(self, machine: str) -> None:
        planes = [([(*moved(each, axis), 30, 30) for each in (0, d)], 6) for axis in (0, 1) for d in (29, 30, 31)]
        found = [len(pairs) for pairs, _, _ in by_blocks(unit_of(machine), planes)]
        assert found == [1, 1, 0] * 2


# The pair loop


@cache
def random_scenes() -> tuple[list, list]:
    """Return scenes (shapes, categories, masks) and for both variants what kernels and oracle find."""
    rng, made, found = np.random.default_rng((SEED, 3)), [], []
    for _ in range(RANDOM):
        count = int(rng.integers(0, 9))
        rows = np.column_stack(
            (rng.integers(-40, 40, (count, 2)), rng.integers(0, 60, (count, 2)), rng.integers(0, 2, count))
        ).reshape(-1, 5)
        category, mask = (rng.integers(0, 65536, count).astype(np.uint16) & 0x8421 for _ in range(2))
        made.append((rows, category, mask))
        found.append(tuple(expected_of(rows, category, mask, method) for method in boxes.METHODS))
    return made, found


def expected_of(rows, category, mask, method: str) -> tuple[list, int]:
    """Return the pairs found and how many were looked at, after comparing kernel and oracle."""

    def is_wanted(i: int, j: int) -> bool:
        return bool(category[i] & mask[j]) and bool(category[j] & mask[i])

    test = {"four_additions": oracle.get_collision_result, "two_additions": oracle.with_two_additions}[method]
    pairs, counts = oracle.handle_collisions(rows.tolist(), is_wanted, test)
    x, y, circle = columns(rows, 0, 1, 4)
    size = rows[:, 2:4].astype(np.int32)
    options = {"size": size, "circle": circle, "category": category, "mask": mask, "method": method}
    assert boxes.pairs(x, y, **options).tolist() == [list(pair) for pair in pairs]
    assert boxes.count_operations(x, y, **options).tolist() == counts
    return pairs, counts[0]


@pytest.mark.parametrize("machine", MACHINES)
def test_pair_loop_with_filters(machine: str) -> None:
    unit, (made, found) = unit_of(machine), random_scenes()
    for number, routine in enumerate(("ShapesTouch", "ShapesTouchTwo")):
        for start in range(0, len(made), AT_ONCE):
            some = made[start : start + AT_ONCE]
            seen = unit.handle(routine, [unit.objects("shape", *scene) for scene in some])
            expected = [each[number] for each in found[start : start + AT_ONCE]]
            assert seen == [(pairs, looked_at, len(pairs)) for pairs, looked_at in expected]
    assert sum(len(each[0][0]) for each in found) > RANDOM // 2


@pytest.mark.parametrize("machine", MACHINES)
def test_pair_loop_with_every_kind_of_filter(machine: str) -> None:
    """Nobody, everybody, the highest and the lowest bit, one-sided wishes: all pairs of such objects at one place."""
    words = np.array([0, 1, 0x8000, 0x8001, 0x7FFF, 0xFFFF], np.uint16)
    category, mask = (each.ravel() for each in np.meshgrid(words, words))
    rows = np.array([(5, 5, 9, 9, 0)] * len(category))
    for method, routine in zip(boxes.METHODS, ("ShapesTouch", "ShapesTouchTwo")):
        pairs, looked_at = expected_of(rows, category, mask, method)
        found = unit_of(machine).handle(routine, [unit_of(machine).objects("shape", rows, category, mask)])
        assert found == [(pairs, looked_at, len(pairs))]
        assert 0 < len(pairs) == looked_at < len(rows) * (len(rows) - 1) // 2


@pytest.mark.parametrize("machine", MACHINES)
def test_pair_loop_lists_what_there_is_room_for(machine: str) -> None:
    unit = unit_of(machine)
    heap = unit.objects("shape", [(5, 5, 9, 9, 0)] * 12)
    everything = [(a, b) for a in range(12) for b in range(a + 1, 12)]
    for room in (0, 1, 65, 66):
        assert unit.handle("ShapesTouch", [heap], room) == [(everything[:room], 66, 66)]


@pytest.mark.parametrize("machine", MACHINES)
def test_pair_loop_takes_every_kind_of_object(machine: str) -> None:
    unit, rng = unit_of(machine), np.random.default_rng((SEED, 4))
    category, mask = rng.integers(0, 8, 40), rng.integers(0, 8, 40)
    rows = scenes.random_compounds(rng, 20)
    x, y = columns([origin for origin, _ in rows], 0, 1)
    parts = np.array([part for _, each in rows for part in each], np.int16)
    first = np.cumsum([0, *(len(each) for _, each in rows)]).astype(np.int32)
    shape, options = np.ascontiguousarray(parts[:, :4]), {"category": category, "mask": mask}
    expected = compound.pairs(x, y, shape, first, circle=parts[:, 4].copy(), **options)
    found = unit.handle("CompoundsTouch", [unit.compounds(*zip(*rows), category, mask)])
    assert found[0][0] == [tuple(pair) for pair in expected.tolist()] and len(expected) > 20
    rows = scenes.random_spheres(rng, 20)
    *places, radius = columns(rows, 0, 1, 2, 3)
    expected = spheres.pairs(*places, radius=radius)
    found = unit.handle("SpheresMeet", [unit.objects("sphere", rows)])
    assert found == [([tuple(pair) for pair in expected.tolist()], 780, len(expected))]
    rows = [(x // 4, y // 4, *rest) for x, y, *rest in scenes.random_rectangles(rng, 20)]
    x, y, angle = columns(rows, 0, 1, 4)
    half = np.array(rows, np.int16)[:, 2:4].copy()
    for routine, method in (("PointOne", "point_1"), ("PointTwo", "point_2"), ("LineOne", "line_1")):
        expected = rectangles.pairs(x, y, half, angle, method=method)
        found = unit.handle(routine, [unit.objects("rectangle", rows)])
        assert found == [([tuple(pair) for pair in expected.tolist()], 780, len(expected))]


# Blocks


def judged_plane(plane) -> tuple[list, list[int], tuple[int, int, int]]:
    """Return what the kernels say of a plane, after comparing them with the oracle."""
    rows, log2 = plane
    table = np.array(rows, np.int32).reshape(-1, 4)
    x, y, sides = table[:, 0].copy(), table[:, 1].copy(), table[:, 2:].copy()
    across, down, count = measure_plane(x, y, sides, log2)
    heads, tally = np.empty((across, down), np.int32), np.empty((across, down), np.int64)
    handlers = Handlers(heads, np.empty(count, np.int32), np.empty(count, np.int32))
    found = np.empty((len(rows) * (len(rows) + 1) // 2, 2), np.int32)
    place_handlers(x, y, sides, log2, handlers)
    total = scan_blocks(x, y, sides, log2, handlers, found, tally)
    pairs, checks = block_oracle.in_blocks(rows, log2)
    listed = [tuple(pair) for pair in found[:total].tolist()]
    assert sorted(listed) == pairs and tally.sum() == checks
    return listed, tally.ravel().tolist(), (across, down, count)


def by_blocks(unit: Unit, planes) -> list:
    """Compare machine and kernels on planes; return what they find."""
    expected = [judged_plane(plane) for plane in planes]
    assert unit.check_planes(planes, [sizes for *_, sizes in expected]) == expected
    return expected


@cache
def random_planes() -> tuple[list, list]:
    rng = np.random.default_rng((SEED, 5))
    planes = [scenes.random_plane(rng) for _ in range(RANDOM)]
    return planes, [judged_plane(plane) for plane in planes]


@pytest.mark.parametrize("machine", MACHINES)
def test_blocks_at_random(machine: str) -> None:
    unit, (planes, expected) = unit_of(machine), random_planes()
    at_once = 100  # the work space of all together
    for start in range(0, len(planes), at_once):
        some, wanted = planes[start : start + at_once], expected[start : start + at_once]
        assert unit.check_planes(some, [sizes for *_, sizes in wanted]) == wanted
    assert sum(len(pairs) for pairs, *_ in expected) > RANDOM


@pytest.mark.parametrize("machine", MACHINES)
def test_blocks_on_adversarial_planes(machine: str) -> None:
    """The document's 4950 checks for a hundred in a block among them."""
    for plane in scenes.odd_planes():
        by_blocks(unit_of(machine), [plane])
    pairs, checks, _ = by_blocks(unit_of(machine), [([(0, 0, 30, 30)] * 100, 6)])[0]
    assert len(pairs) == checks[0] == 4950


# Nine adjacent sectors


def judged_squares(squares) -> tuple[list[int], int]:
    """Return the flags of a scene and how many tests are made, after comparing kernels and oracle."""
    x, y = columns(np.reshape(squares, (-1, 2)), 0, 1)
    flags, _, tests = sector_oracle.check(x.tolist(), y.tolist(), method="nine_sectors")
    assert collided(x, y, method="nine_sectors").tolist() == flags
    assert count_tests(x, y, method="nine_sectors") == tests
    return flags, tests


@cache
def random_squares() -> tuple[list, list]:
    rng = np.random.default_rng((SEED, 7))
    made = [scenes.random_squares(rng) for _ in range(RANDOM)]
    return made, [judged_squares(squares) for squares in made]


@pytest.mark.parametrize("machine", MACHINES)
def test_nine_sectors_at_random(machine: str) -> None:
    unit, (made, expected) = unit_of(machine), random_squares()
    for start in range(0, len(made), AT_ONCE):
        assert unit.check_nines(made[start : start + AT_ONCE]) == expected[start : start + AT_ONCE]
    assert sum(sum(flags) for flags, _ in expected) > RANDOM


@pytest.mark.parametrize("machine", MACHINES)
def test_nine_sectors_on_adversarial_scenes(machine: str) -> None:
    odd = scenes.odd_squares()
    expected = [judged_squares(squares) for squares in odd]
    assert unit_of(machine).check_nines(odd) == expected
    assert 0.2 * len(odd) < sum(any(flags) for flags, _ in expected) < 0.8 * len(odd)


# The table of sines


@pytest.mark.parametrize("machine", MACHINES)
def test_sines_and_turned_points(machine: str) -> None:
    """All angles, with the corners of the words, and points at random."""
    rng, unit = np.random.default_rng((SEED, 6)), unit_of(machine)
    odd = [(a, x, y) for a in range(-1024, 1024, 3) for x, y in ((32767, 32767), (-32768, 32767), (-32768, -32768))]
    every = [(angle, 1, 0) for angle in range(-2048, 2048)]
    at_random = zip(rng.integers(-32768, 32768, RANDOM), *rng.integers(-32768, 32768, (2, RANDOM)))
    rows = [tuple(map(int, row)) for row in chain(odd, every, at_random)]
    for start in range(0, len(rows), 50_000):
        some = rows[start : start + 50_000]
        expected = []
        for angle, x, y in some:
            s, c = tables.sine(angle), tables.cosine(angle)
            assert (s, c) == (rectangle_oracle.sine(angle), rectangle_oracle.cosine(angle))
            turned = tables.rotated_x(x, y, c, s), tables.rotated_y(x, y, c, s)
            assert turned == ((x * c - y * s) >> 14, (x * s + y * c) >> 14)
            expected.append((s, c, *((each + 32768) % 65536 - 32768 for each in turned)))  # stored in words
        assert unit.turn(*zip(*some)) == expected


@pytest.mark.parametrize("machine", MACHINES)
def test_corners(machine: str) -> None:
    rows = [*scenes.odd_rectangles(), *judged("PointOne", True)[0]]
    x, y, angle = columns(rows, 0, 1, 4)
    found = rectangles.corners(x, y, np.array(rows, np.int16)[:, 2:4].copy(), angle)
    expected = [[tuple(point) for point in each] for each in found.tolist()]
    assert expected == [rectangle_oracle.corners(row) for row in rows]
    for start in range(0, len(rows), 20_000):
        assert unit_of(machine).corners(rows[start : start + 20_000]) == expected[start : start + 20_000]
