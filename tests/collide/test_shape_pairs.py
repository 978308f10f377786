"""Lists of pairs in scenes of many objects: the same as those of all pairs, tested one by one."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from retrosim.collide import _shape_pairs
from retrosim.collide.documents import boxes, compound, rectangles, spheres, swept

COUNT = _shape_pairs.MAX_ALL + 80
EVERY = np.stack(np.triu_indices(COUNT, 1), axis=1).astype(np.int32)


def positions(rng: np.random.Generator, spans: list[tuple[int, int]], dtype: type = np.int16) -> list[np.ndarray]:
    """Place a third anywhere, a third in a heap, and the rest at the ends of the range."""
    axes = []
    for low, high in spans:
        axis = rng.integers(low, high + 1, COUNT)
        middle = (low + high) // 2
        axis[: COUNT // 3] = rng.integers(middle - 40, middle + 40, COUNT // 3)
        axis[-30:] = rng.choice([low, high], 30)
        axes.append(axis.astype(dtype))
    return axes


def of_boxes(rng: np.random.Generator) -> tuple:
    x, y = positions(rng, [(-16384, 16383)] * 2, rng.choice([np.int16, np.int32]))
    size = rng.integers(0, rng.choice([20, 400, 16384]), (COUNT, 2))
    kinds = rng.integers(1, 8, COUNT).astype(np.uint16)
    circle = rng.random(COUNT) < 0.5
    met = (kinds[EVERY[:, 0]] & kinds[EVERY[:, 1]]) != 0
    listed = partial(boxes.pairs, x, y, size=size, circle=circle, category=kinds, mask=kinds)
    return listed, boxes.hits(x, y, EVERY, size=size, circle=circle) & met


def of_spheres(rng: np.random.Generator) -> tuple:
    x, y, z = positions(rng, [(-16384, 16383)] * 3)
    radius = rng.integers(0, rng.choice([20, 400, 16384]), COUNT)
    return partial(spheres.pairs, x, y, z, radius=radius), spheres.hits(x, y, z, EVERY, radius=radius)


def of_compounds(rng: np.random.Generator) -> tuple:
    x, y = positions(rng, [(-8192, 8191)] * 2)
    first = np.concatenate([[0], np.cumsum(rng.integers(0, 4, COUNT))]).astype(np.int32)
    reach = rng.choice([20, 8191])
    parts = rng.integers(-reach, reach + 1, (first[-1], 4)).astype(np.int16)
    parts[:, 2:] = abs(parts[:, 2:])
    circle = rng.random(len(parts)) < 0.5
    listed = partial(compound.pairs, x, y, parts, first, circle=circle)
    return listed, compound.hits(x, y, parts, first, EVERY, circle=circle)


def of_moving(rng: np.random.Generator) -> tuple:
    here = positions(rng, [(-32768, 32767)] * 2)
    moves = positions(rng, [(-4095, 4095)] * 2)
    shape = {"size": rng.integers(1, rng.choice([20, 16384]), (COUNT, 2))}
    if rng.random() < 0.5:
        shape = {"radius": rng.integers(0, rng.choice([20, 8192]), COUNT)}
    return partial(swept.pairs, *here, *moves, **shape), swept.hits(*here, *moves, EVERY, **shape)


def of_rectangles(rng: np.random.Generator, method: str) -> tuple:
    x, y = positions(rng, [(-1024, 21503), (-1024, 16383)])
    half = rng.integers(1, rng.choice([60, 2048]), (COUNT, 2)).astype(np.int16)
    half[::3, 1] = 1  # lines: none of what is added for rounding is hidden by their height
    angle = rng.integers(-512, 512, COUNT).astype(np.int16)
    angle[::5] &= -256
    shapes = x, y, half, angle
    return partial(rectangles.pairs, *shapes, method=method), rectangles.hits(*shapes, EVERY, method=method)


SCENES = {
    "boxes": of_boxes,
    "spheres": of_spheres,
    "compound": of_compounds,
    "swept": of_moving,
    **{f"rectangles, {method}": partial(of_rectangles, method=method) for method in rectangles.METHODS},
}


@pytest.mark.parametrize("scene", SCENES)
def test_pairs_are_the_hits_of_all(scene: str) -> None:
    totals = []
    for seed in range(12):
        listed, flags = SCENES[scene](np.random.default_rng([1994, seed]))
        expected = EVERY[flags != 0]
        assert np.array_equal(listed(), expected), seed
        totals.append(len(expected))
    assert min(totals) < max(totals) and max(totals) > COUNT


@pytest.mark.parametrize("crowded", [1, 8], ids=["candidates", "every pair"])
def test_a_pile(crowded: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its candidates are many: they come in parts, or every pair is tested."""
    monkeypatch.setattr(_shape_pairs, "ROWS", 100)
    monkeypatch.setattr(_shape_pairs, "CROWDED", crowded)
    monkeypatch.setattr(_shape_pairs, "rows_for", lambda count: 64)
    x, y = np.zeros(COUNT, np.int16), np.zeros(COUNT, np.int16)
    assert np.array_equal(boxes.pairs(x, y, size=1), EVERY)
    out = np.empty((len(EVERY) + 1, 2), np.int32)
    assert boxes.pairs(x, y, size=1, out=out).base is out
    with pytest.raises(ValueError, match=f"out has 9 rows: this scene has {len(EVERY)} pairs"):
        boxes.pairs(x, y, size=1, out=np.empty((9, 2), np.int32))


def test_no_object_has_parts() -> None:
    x = np.zeros(COUNT, np.int16)
    assert len(compound.pairs(x, x, np.empty((0, 4), np.int16), np.zeros(COUNT + 1, np.int32))) == 0
