"""Counts and first hits where there are too many pairs to look at: against the oracle.

how many scenes: see random_worlds.py.
"""

import numpy as np
import pytest

from retrosim.collide import _boxes, groups, world
from retrosim.collide.kernels.pairs.hierarchical_grid import ONE, TWO
from retrosim.collide.scene import Scene
from tests.helpers.amount import FULL
from tests.oracle import worlds as oracle

from .random_worlds import KINDS, SCENES, limited, random_world


def table_of(scene, closed):
    return _boxes.scene_of(scene.x, scene.y, scene.size, closed, scene.category, scene.mask)


@pytest.mark.without_jit
@pytest.mark.parametrize("kind", KINDS)
def test_counts_by_ranks(kind):
    rng, found = np.random.default_rng(KINDS.index(kind)), 0
    for number in range(SCENES):
        scenes = [random_world(rng, kind, int(rng.integers(0, limited(number, 60)))) for _ in range(2)]
        closed = bool(number & 1)
        one, other = (table_of(scene, closed) for scene in scenes)
        ends = np.array(oracle.pairs(scenes[0].boxes(), closed), np.int64).ravel()
        expected = np.bincount(ends, minlength=len(one))
        assert _boxes.counts(one, one, ONE).tolist() == expected.tolist()
        begins = [a for a, _ in oracle.pairs_between(scenes[0].boxes(), scenes[1].boxes(), closed)]
        between = np.bincount(np.array(begins, np.int64), minlength=len(one))
        assert _boxes.counts(one, other, TWO).tolist() == between.tolist()
        found += len(ends) + len(begins)
    assert found > SCENES // 2


@pytest.mark.full
@pytest.mark.without_jit
@pytest.mark.parametrize("kind", ["mixed", "pile", "bars"])
def test_all_that_count_do_so(kind, monkeypatch):
    """With a limit of no pairs at all: each call counts by ranks, or looks at pairs if there are too many words."""
    scene = random_world(np.random.default_rng(2), kind, 40)
    words = {"category": scene.category, "mask": scene.mask}
    two = {"other": scene.size, "other_category": scene.category, "other_mask": scene.mask}
    kept = Scene()
    kept.add(scene.x, scene.y, size=scene.size, **words)
    starts = np.array([0, 15, 15, 40])

    def answers():
        for name in ("counts", "first"):
            yield getattr(world, name)(scene.x, scene.y, size=scene.size, **words)
            yield getattr(world, name)(scene.x, scene.y, size=scene.size, starts=starts)
            yield getattr(groups, name)(scene.x, scene.y, scene.x, scene.y, size=scene.size, **words, **two)
            yield getattr(kept, name)()
            yield getattr(kept, f"{name}_in_boxes")(scene.x, scene.y, size=scene.size)

    expected = [found.tolist() for found in answers()]
    assert all(map(any, expected[:5]))  # counts
    taken, count, first = [], _boxes.counts, _boxes.first
    monkeypatch.setattr(_boxes, "max_pairs_for", lambda count: -1)
    monkeypatch.setattr(_boxes, "counts", lambda *given: taken.append("counts") or count(*given))
    monkeypatch.setattr(_boxes, "first", lambda *given: taken.append("first") or first(*given[:-1], 1000))
    monkeypatch.setattr(_boxes, "FIRST_BLOCK", 3)
    assert [found.tolist() for found in answers()] == expected and sorted(taken) == ["counts"] * 7 + ["first"] * 7
    monkeypatch.setattr(_boxes, "MAX_WORDS", 1)
    assert [found.tolist() for found in answers()] == expected


def test_blocks_are_small_where_there_are_many_pairs():
    """Objects on their own, then a pile: a block with too many pairs is divided."""
    x = np.concatenate([np.arange(300) * 40, np.zeros(700, np.int64) - 5000])
    expected = [-1] * 300 + [301] + [300] * 699
    searches, one = [], _boxes.Sorted(table_of_places(x), 0, len(x))

    def search(*given):
        searches.append(given[2] - given[1])
        return one._search_some(*given)

    limit = _boxes.FIRST_BLOCK * len(x)
    assert _boxes.first(table_of_places(x), len(x), ONE, search, limit).tolist() == expected
    assert searches != sorted(searches) and sum(searches) < 10 * len(x)


def table_of_places(x):
    return _boxes.scene_of(x, np.zeros_like(x), 9, False)


def test_a_pile_is_counted_at_once():
    """More pairs than 31 bits can count, and between two groups than 32."""
    x = np.zeros(66_000, np.int32)
    assert (world.counts(x, x, size=9) == 65_999).all()
    if FULL:
        assert (groups.counts(x, x, x, x, size=9, other=9) == 66_000).all()
    assert world.first(x, x, size=9).tolist() == [1] + [0] * 65_999
    few = x[: None if FULL else 9000]  # compared two by two, since those that may not meet are no pairs
    masks = np.where(np.arange(len(few)) < 10, 1, 2)
    found = world.counts(few, few, size=9, category=3 - masks, mask=masks).tolist()
    assert found == [len(few) - 10] * 10 + [10] * (len(few) - 10)
