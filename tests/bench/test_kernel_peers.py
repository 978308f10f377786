"""Whoever answers in `retrosim bench kernels` about boxes of many sizes gives the right pairs of every frame."""

import itertools
import sys

import numpy as np
import pytest

from retrosim.bench import kernel_peers, kernel_scenes
from retrosim.bench.kernel_peers import FINDERS, is_missing
from retrosim.bench.kernel_scenes import BULLETS, FLAGS, PAIRS, SIZES, SQUARES, Judge, mixed_scene, moving_scene
from tests.helpers.bench import stand_ins


@pytest.fixture(autouse=True)
def few_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (kernel_scenes, kernel_peers):
        monkeypatch.setattr(module, "RAYS", 80)


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


PEERS = [name for name, finder in FINDERS.items() if finder.package is not None]


@pytest.fixture
def libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have stand-ins for all libraries."""
    for name, module in stand_ins.modules().items():
        monkeypatch.setitem(sys.modules, name, module)


@pytest.mark.usefixtures("libraries")
@pytest.mark.parametrize("name", PEERS)
def test_what_a_library_is_asked(name: str) -> None:
    """Every frame, in an order that is not theirs, since bodies are moved from one to the next."""
    finder = FINDERS[name]
    frames = (moving_scene(40, 3) if finder.scene == SQUARES else mixed_scene(finder.scene, 40, 3))[:4]
    judge, answer = Judge(frames, finder.scene), finder.make(frames)
    question = FLAGS if finder.question == FLAGS else PAIRS
    for number in (0, len(frames) - 1, 1, 2):
        found = answer(number)
        assert judge.difference(question, number, found() if callable(found) else found) is None


@pytest.mark.usefixtures("libraries")
def test_boxes_that_touch_are_apart_for_every_library() -> None:
    """Squares 30, 29 and 31 pixels from each other, and boxes side by side."""
    axis = np.array([0, 30, 59, 90, 300], np.int32)
    for name in PEERS:
        finder, other = FINDERS[name], np.zeros(5, np.int32)
        if finder.scene == SQUARES:
            for frame in ((axis, other), (other, axis)):
                found = finder.make([frame])(0)
                found = found() if callable(found) else found
                assert Judge([frame]).difference(FLAGS if finder.question == FLAGS else PAIRS, 0, found) is None, name


@pytest.mark.parametrize("axis", [0, 1])
def test_what_moves_along_one_axis_has_moved(axis: int) -> None:
    """Three boxes, of which the last comes to the first and goes away again."""
    here = [np.array([0, 100, 200], np.int32), np.array([0, 0, 0], np.int32), np.full((3, 2), 10, np.int32)]
    here[axis], here[1 - axis] = here[0], here[1]
    there = list(here)
    there[axis] = np.array([0, 100, 5], np.int32)
    answer = kernel_peers.moved_in_scene([tuple(here), tuple(there)])
    assert [answer(number).tolist() for number in (0, 1, 1, 0)] == [[], [[0, 2]], [[0, 2]], []]


def test_a_batch_begins_with_the_frame_that_is_asked_for() -> None:
    """64 frames a call, the first again after the last; x and y each in an array of their own."""
    frames = [(np.array([n, n + 1]), np.array([10 * n, 10 * n + 1])) for n in range(3)]
    x, y = kernel_peers._many(lambda x, y: (x, y))(frames)(2)
    assert x.shape == y.shape == (64, 2)
    assert x[:4].tolist() == [[2, 3], [0, 1], [1, 2], [2, 3]] and y[:2].tolist() == [[20, 21], [0, 1]]


@pytest.mark.usefixtures("libraries")
@pytest.mark.parametrize("count, expected", [(1000, None), (1001, (30, 10_010))])
def test_many_bodies_are_in_a_hash(monkeypatch: pytest.MonkeyPatch, count: int, expected: tuple | None) -> None:
    spaces: list[stand_ins.Space] = []
    make = stand_ins.Space
    monkeypatch.setattr(sys.modules["pymunk"], "Space", lambda: [spaces.append(make()), spaces[-1]][1])
    FINDERS["pymunk-pairs"].make([(np.zeros(count, np.int32), np.zeros(count, np.int32))])
    assert spaces[0].spatial_hash == expected


@pytest.mark.parametrize(
    "name, package, question, scene, max_objects",
    [
        ("scipy-mixed", "scipy", "pairs, mixed", "mixed", 200_000),
        ("rtree-1-percent-moving", "rtree", "pairs, 1 % moving", "1 % moving", 20_000),
        ("world-power-law", None, "pairs, power law", "power law", 200_000),
        ("groups-bullets", None, "pairs, 10 bullets and all others", "bullets", 1 << 22),
        ("scene-rays", None, "objects on 1000 segments, kept scene", "rays", 200_000),
        ("pymunk", "pymunk", "flags", "squares", 20_000),
        ("four-shifts", None, "flags", "squares", 200),
        ("collided", None, "flags", "squares", 1 << 22),
        ("numpy-pairs", "numpy", "pairs", "squares", 2000),
    ],
)
def test_who_answers_what(name: str, package: str | None, question: str, scene: str, max_objects: int) -> None:
    finder = FINDERS[name]
    assert (finder.package, finder.question, finder.scene) == (package, question, scene)
    assert finder.max_objects == max_objects and finder.min_objects == (1 if scene == "squares" else 11)
