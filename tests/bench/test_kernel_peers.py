"""Whoever answers in `retrosim bench kernels` about boxes of many sizes gives the right pairs of every frame."""

import itertools

import numpy as np
import pytest

from retrosim.bench.kernel_peers import FINDERS, is_missing
from retrosim.bench.kernel_scenes import BULLETS, SIZES, SQUARES, Judge, mixed_scene

MIXED = [name for name, finder in FINDERS.items() if finder.scene != SQUARES]


@pytest.mark.parametrize("name", MIXED)
def test_every_frame_is_right(name: str) -> None:
    finder = FINDERS[name]
    if is_missing(finder):
        pytest.skip(f"{finder.package} is not installed: pip install '.[bench]'")
    frames = mixed_scene(finder.scene, 40, 3)
    judge, answer = Judge(frames, finder.scene), finder.make(frames)
    assert judge.method == "every pair"
    for number in (0, 2, len(frames) - 1, 1):
        found = answer(number)
        assert judge.difference(finder.question, number, found() if callable(found) else found) is None


@pytest.mark.parametrize("kind", SIZES)
def test_scenes_of_every_kind(kind: str) -> None:
    frames, again = mixed_scene(kind, 150, 5), mixed_scene(kind, 150, 5)
    assert len(frames) == 8 and len(mixed_scene(kind, 2001, 5)) == 3
    for frame, other in zip(frames, again, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(frame, other, strict=True))
        x, y, size = frame[:3]
        assert x.dtype == y.dtype == size.dtype == np.int32 and size.shape == (150, 2) and size.min() >= 1
    moved = [np.count_nonzero((a[0] != b[0]) | (a[1] != b[1])) for a, b in itertools.pairwise(frames)]
    if kind == "rays":
        assert not any(moved) and all(not np.array_equal(a[3], b[3]) for a, b in itertools.pairwise(frames))
        assert frames[0][3].shape[1] == 4
    elif kind == "1 % moving":
        assert max(moved) == 1  # of 150
    else:
        assert min(moved) > 120
    if kind == "bullets":
        assert (size[:BULLETS] == 4).all() and (size[BULLETS:] != 4).any()
