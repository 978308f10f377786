"""Boxes of any size: all questions against the oracle, on ordinary and hostile scenes; floats made integers.

how many scenes: see random_worlds.py.
"""

import tracemalloc
from fractions import Fraction

import numpy as np
import pytest

from retrosim.collide import _boxes, groups, world
from retrosim.collide._first_calls import COMPILER
from retrosim.collide.kernels.pairs import hierarchical_grid as grid
from retrosim.collide.scene import Scene
from retrosim.jit import JIT
from tests.helpers.amount import usually
from tests.oracle import worlds as oracle

from .random_worlds import HIGH, KINDS, LOW, SCENES, limited, random_world
from .random_worlds import Scene as World


def numbers_of(found, count):
    """Return flags, counts and first hits as they follow from pairs."""
    near = [set() for _ in range(count)]
    for a, b in found:
        near[a].add(b)
        near[b].add(a)
    return [int(bool(n)) for n in near], [len(n) for n in near], [min(n, default=-1) for n in near]


def check(scene, closed):
    """Ask everything; return the pairs."""
    options = scene.options() | {"closed": closed}
    expected, count = oracle.pairs(scene.boxes(), closed), len(scene.x)
    assert world.pairs(scene.x, scene.y, **options).tolist() == expected
    flags, counts, first = numbers_of(expected, count)
    assert world.collided(scene.x, scene.y, **options).tolist() == flags
    assert world.counts(scene.x, scene.y, **options).tolist() == counts
    assert world.first(scene.x, scene.y, **options).tolist() == first
    chunks = list(world.chunks(scene.x, scene.y, **options, rows=7))
    assert [row for rows in chunks for row in rows.tolist()] == expected
    assert all(0 < len(rows) < 7 + count for rows in chunks)
    return expected


@pytest.mark.parametrize("kind", KINDS)
def test_random_worlds(kind):
    rng, found = np.random.default_rng(KINDS.index(kind)), 0
    for number in range(SCENES):
        count = int(rng.integers(0, limited(number, 60 if number % 3 else 240)))
        found += len(check(random_world(rng, kind, count), bool(number & 1)))
    assert found > SCENES // 2


@pytest.mark.without_jit
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_without_the_compiler(kind, monkeypatch):
    """A few objects, sorted all the same."""
    monkeypatch.setattr(grid, "MAX_UNSORTED", 5)
    for closed in (False, True):
        check(random_world(np.random.default_rng(3), kind, 23), closed)


@pytest.mark.parametrize(
    "large, area, is_downwards",
    [((3000, 3000), 4000, True), ((60_000, 2), [4000, 1000], True), ((2, 60_000), [400, 60_000], False)],
)
def test_which_level_searches_the_other(large, area, is_downwards):
    """Few squares or flat bars search for the many small boxes; the small ones search for bars that span many rows."""
    rng = np.random.default_rng(7)
    size = np.array([[4, 4]] * 320 + [large] * 20)
    places = rng.integers(0, area, (340, 2))
    x, y = places[:, 0].copy(), places[:, 1].copy()
    scene, work = _boxes.scene_of(x, y, size, False), grid.workspace(340)
    used = grid.Order(*grid.sort_scene(scene, 0, 340, grid.MAX_UNSORTED, work)).used
    assert used == 2 and bool(work.levels[1, grid.LEVEL_SET] & 1) == is_downwards
    everyone = np.full(340, 0xFFFF)
    assert len(check(World(x, y, size, everyone, everyone), False)) > 10


@pytest.mark.first_case
@pytest.mark.parametrize("kind", ["screen", "power", "cluster"])
def test_large_worlds(kind):
    """More objects than the oracle has time for: counts and pairs by NumPy, a column at a time."""
    scene = random_world(np.random.default_rng(5), kind, 9000)
    right, bottom = scene.x + scene.size[:, 0], scene.y + scene.size[:, 1]
    lists = [
        i + 1 + np.flatnonzero(
            (scene.x[i + 1 :] < right[i]) & (right[i + 1 :] > scene.x[i])
            & (scene.y[i + 1 :] < bottom[i]) & (bottom[i + 1 :] > scene.y[i])
        )
        for i in range(len(scene.x))
    ]  # fmt: skip
    found = world.pairs(scene.x, scene.y, size=scene.size)
    assert np.array_equal(found[:, 1], np.concatenate(lists))
    counts = np.bincount(found.ravel(), minlength=9000)
    assert np.array_equal(world.counts(scene.x, scene.y, size=scene.size), counts)
    assert np.array_equal(world.collided(scene.x, scene.y, size=scene.size), counts > 0)


@pytest.mark.without_jit
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_in_two_threads(kind, monkeypatch):
    """Few objects, divided all the same: each question to `world`, `groups` and a scene that stays."""
    scene = random_world(np.random.default_rng(6), kind, 61 if JIT else 40)
    one = {"size": scene.size, "category": scene.category, "mask": scene.mask}
    other = {"other": scene.size, "other_category": scene.category, "other_mask": scene.mask}
    kept = Scene()
    kept.add(scene.x, scene.y, **one)

    def answers():
        for question in ("pairs", "collided", "counts", "first"):
            yield getattr(world, question)(scene.x, scene.y, **one)
            yield getattr(groups, question)(scene.x, scene.y, scene.x, scene.y, **one, **other)
        yield kept.nearest(scene.x, scene.y, k=3)
        yield from world.chunks(scene.x, scene.y, **one, rows=9)

    expected = [found.tolist() for found in answers()]
    monkeypatch.setattr(_boxes, "TWO_THREADS", 2)
    assert [found.tolist() for found in answers()] == expected and len(expected[0]) + (kind == "edges") > 0


@pytest.mark.without_jit
def test_many_scenes_in_one_call():
    rng = np.random.default_rng(8)
    scenes = [random_world(rng, kind, int(rng.integers(0, 12))) for kind in KINDS]
    starts = np.cumsum([0, *(len(scene.x) for scene in scenes)])
    x, y, size = (np.concatenate([getattr(scene, name) for scene in scenes]) for name in ("x", "y", "size"))
    expected = []
    for scene, start in zip(scenes, starts):
        scene.category[:] = scene.mask[:] = 1
        expected += [[start + a, start + b] for a, b in oracle.pairs(scene.boxes(), False)]
    given = {"size": size, "starts": starts}
    assert world.pairs(x, y, **given).tolist() == expected and len(expected) > 9
    flags, counts, first = numbers_of(expected, len(x))
    assert world.collided(x, y, **given).tolist() == flags
    assert world.counts(x, y, **given).tolist() == counts
    assert world.first(x, y, **given).tolist() == first


def test_many_scenes_are_what_each_is_alone():
    """Small ones, sorted ones, empty ones, and some with more pairs than there is room for at first."""
    rng = np.random.default_rng(10)
    counts = [int(c) for c in rng.choice([0, 1, 5, 40, 140, 300], 24)]
    scenes = [random_world(rng, KINDS[number % len(KINDS)], count) for number, count in enumerate(counts)]
    begins = np.cumsum([0, *counts])
    x, y, size, category, mask = (
        np.concatenate([getattr(scene, name) for scene in scenes]) for name in ("x", "y", "size", "category", "mask")
    )
    words = {"category": category, "mask": mask}
    two = {"other": size, "other_category": category, "other_mask": mask, "other_starts": begins}
    world.counts(x, y, size=size, starts=begins)
    COMPILER.wait()  # from here on one kernel does them all
    for question in ("pairs", "collided", "counts", "first"):
        alone, between = [], []
        for scene, begin in zip(scenes, begins.tolist()):
            given = {"size": scene.size, "category": scene.category, "mask": scene.mask}
            other = {"other": scene.size, "other_category": scene.category, "other_mask": scene.mask}
            for list_of, answer in (
                (alone, getattr(world, question)(scene.x, scene.y, **given)),
                (between, getattr(groups, question)(scene.x, scene.y, scene.x, scene.y, **given, **other)),
            ):
                shift = {"pairs": begin, "first": np.where(answer < 0, 0, begin) if question == "first" else 0}
                list_of.append(answer + shift.get(question, 0))
        found = getattr(world, question)(x, y, size=size, starts=begins, **words)
        assert np.array_equal(found, np.concatenate(alone))
        found = getattr(groups, question)(x, y, x, y, size=size, starts=begins, **words, **two)
        assert np.array_equal(found, np.concatenate(between))


@pytest.mark.first_case
@pytest.mark.without_jit
@pytest.mark.parametrize("starts", [None, np.array([0, 3])])
@pytest.mark.parametrize("size", [9, np.array([[9, 9]] * 3)])
@pytest.mark.parametrize("word", ["category", "mask"])
def test_one_word_alone(word, size, starts):
    """Without the other word an object that belongs to nothing, or collides with nothing, still has no pair."""
    x = np.array([0, 3, 6])
    for question in ("pairs", "collided", "counts", "first"):  # what answers without words has been compiled
        getattr(world, question)(x, x, size=size)
        getattr(groups, question)(x, x, x, x, size=size, other=size)
    for words, expected in (
        ([1, 0, 2], [[0, 2]]),
        ([0, 0, 0], []),
        ([1, 2, 4], [[0, 1], [0, 2], [1, 2]]),
        ([1, 1, 0], [[0, 1]]),
    ):
        given = {"size": size, word: np.array(words)} | ({} if starts is None else {"starts": starts})
        flags, counts, first = numbers_of(expected, 3)
        assert world.pairs(x, x, **given).tolist() == expected
        assert world.collided(x, x, **given).tolist() == flags
        assert world.counts(x, x, **given).tolist() == counts
        assert world.first(x, x, **given).tolist() == first
        two = {"other": size} | ({} if starts is None else {"other_starts": starts})
        expected = [[a, b] for a in range(3) for b in range(3) if words[a]]
        assert groups.pairs(x, x, x, x, **given, **two).tolist() == expected
        assert groups.counts(x, x, x, x, **given, **two).tolist() == [3 * bool(each) for each in words]
        other = {f"other_{word}": given.pop(word)} | two
        expected = [[a, b] for a in range(3) for b in range(3) if words[b]]
        assert groups.pairs(x, x, x, x, **given, **other).tolist() == expected
        assert groups.collided(x, x, x, x, **given, **other).tolist() == [int(any(words))] * 3


@pytest.mark.without_jit
def test_extremes():
    """Boxes that reach from one end of the world to the other, and points at its corners."""
    x, y = np.array([LOW, 0, HIGH, LOW]), np.array([LOW, 0, HIGH, HIGH])
    size = np.array([[HIGH, HIGH], [HIGH, HIGH], [1, 1], [1, 1]])
    assert world.pairs(x, y, size=size).tolist() == []
    assert world.pairs(x[:3], y[:3], size=np.array([[HIGH, HIGH], [HIGH, HIGH], [1, 1]])).tolist() == []
    assert world.pairs(x[:2], y[:2] - [0, 1], size=HIGH).tolist() == []
    assert world.pairs(x[:2], y[:2], size=HIGH, closed=True).tolist() == []
    assert world.pairs(np.array([LOW, -1]), np.array([LOW, -1]), size=HIGH, closed=True).tolist() == [[0, 1]]
    assert world.pairs(np.array([LOW, -1]), np.array([LOW, -1]), size=HIGH).tolist() == []
    assert world.pairs(np.array([LOW, -2]), np.array([LOW, -2]), size=HIGH).tolist() == [[0, 1]]
    with pytest.raises(ValueError, match=r"x\[0\] \+ size = 2147483649: allowed 2147483648 or less"):
        world.pairs(x[2:3], y[1:2], size=2)
    with pytest.raises(ValueError, match=r"y\[0\] \+ size = 2147483648: allowed 2147483647 or less"):
        world.pairs(x[1:2], y[2:3], size=1, closed=True)
    with pytest.raises(ValueError, match=r"x\[1\] = 2147483648: allowed -2147483648\.\.2147483647"):
        world.pairs(np.array([0, HIGH + 1]), y[:2], size=1)
    with pytest.raises(ValueError, match="size 0: allowed 1"):
        world.pairs(x, y, size=0)


@pytest.mark.full
@pytest.mark.without_jit
def test_types_of_integers():
    """By default each is once x, y or sizes; with --full it is all of these, beside int64."""
    kinds = (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64)
    whole = [[each if k == place else np.int64 for k in range(3)] for each in kinds for place in range(3)]
    for x, y, size in usually([kinds[:3], kinds[3:6], kinds[5:]], whole):
        given = np.array([3, 5, 90], x), np.array([3, 5, 90], y)
        assert world.pairs(*given, size=np.array([4, 4, 4], size)).tolist() == [[0, 1]]
    with pytest.raises(ValueError, match=r"x\[2\] = 18446744073709551611: allowed"):  # -5, if it had a sign
        world.pairs(np.array([3, 5, 2**64 - 5], np.uint64), np.array([3, 5, 90], np.int64), size=4)
    for values in ([1, 2], np.array([1.0, 2.0]), np.array([True, False]), None):
        with pytest.raises(ValueError, match=r"x is .*: allowed integers\[n\]; `quantise\(x\)` makes them of others"):
            world.pairs(values, np.zeros(2, int), size=1)


@pytest.mark.without_jit
@pytest.mark.parametrize(
    "starts", [[0, 3], np.array([0, 2]), np.array([1, 3]), np.array([0, 2, 1, 3]), np.array([0.0, 3.0]), np.array([])]
)
def test_wrong_starts(starts):
    with pytest.raises(ValueError, match=r"starts .*allowed"):
        world.pairs(np.zeros(3, int), np.zeros(3, int), size=1, starts=starts)


def test_a_pile_takes_no_memory():
    """18 million pairs: flags, counts and the first need none, a list is refused, chunks are made one by one."""
    x = np.zeros(6000, np.int32)
    with pytest.raises(ValueError, match="this scene has 17997000 pairs: allowed 16777216, or an array for them all"):
        world.pairs(x, x, size=9)
    tracemalloc.start()
    assert (world.collided(x, x, size=9) == 1).all()
    assert (world.counts(x, x, size=9) == 5999).all()
    assert world.first(x, x, size=9).tolist() == [1, *[0] * 5999]
    total = 0
    for rows in world.chunks(x, x, size=9, rows=1 << 18):
        total += len(rows)
        if total > 2_000_000:
            break
    assert total > 2_000_000 and tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()
    many = np.zeros(200_000, np.int32)
    assert (world.collided(many, many, size=1) == 1).all()
    assert world.first(many, many, size=1).max() == 1


@pytest.mark.without_jit
def test_quantise_is_exact():
    rng = np.random.default_rng(2)
    values = np.concatenate([rng.normal(0, 10.0 ** rng.integers(-3, 5, 300)), [0.5, 1.5, -0.5, -2.5, 2**-30]])
    for scale in (1, 2, 32, 4096):
        exact = [Fraction(value) * scale for value in values.tolist()]
        assert world.quantise(values, scale=scale).tolist() == [round(value) for value in exact]  # halves to even
        assert world.quantise(values, scale=scale, rounding="floor").tolist() == [value // 1 for value in exact]
        assert world.quantise(values, scale=scale, rounding="ceiling").tolist() == [-(-value // 1) for value in exact]
    assert world.quantise([[1, 2], [3, 4]], scale=32).tolist() == [[32, 64], [96, 128]]
    assert world.quantise([0.5, -3.25], scale=4, rounding="exact").tolist() == [2, -13]
    assert world.quantise([]).tolist() == [] and world.quantise([LOW, HIGH]).tolist() == [LOW, HIGH]
    assert world.quantise(np.array([2**63], np.uint64) // 2**33).tolist() == [2**30]
    for wrong, why in (
        ([1.0, 0.3], r"values\[1\] = 0.3: allowed multiples of 1/4, for rounding 'exact'"),
        ([2**29], r"values\[0\] = 536870912: allowed -2147483648\.\.2147483647 after scaling by 4"),
        ([[0.0, np.inf]], r"values\[0, 1\] = inf: allowed"),
        (["1"], r"values are <U1\[1\]: allowed floats or integers"),
    ):
        with pytest.raises(ValueError, match=why):
            world.quantise(wrong, scale=4, rounding="exact")
    with pytest.raises(ValueError, match=r"scale 10: allowed powers of 2, 1\.\.16777216"):
        world.quantise([1.0], scale=10)


def test_an_array_for_numbers_is_not_one_for_flags():
    """Nor the other way round, whatever kernels have been compiled for."""
    x, numbers, flags = np.arange(9) - 5, np.empty(9, np.int32), np.empty(9, np.uint8)
    group = {"other": 3}
    for _ in range(2):
        for ask, given, more in ((world, (x, x), {}), (groups, (x, x, x, x), group)):
            ask.counts(*given, size=3, out=numbers, **more)
            ask.collided(*given, size=3, out=flags, **more)
            with pytest.raises(ValueError, match=r"out is int32\[9\]: allowed uint8\[n\]"):
                ask.collided(*given, size=3, out=numbers, **more)
            with pytest.raises(ValueError, match=r"out is uint8\[9\]: allowed int32\[9\]"):
                ask.first(*given, size=3, out=flags, **more)
