"""What answers while kernels are being compiled gives the answers of the kernels; and few boxes, in all forms."""

from functools import partial
from threading import Event

import numpy as np
import pytest

from retrosim.collide import _first_calls, _queries, batch, convex, groups, masks, plane, world
from retrosim.collide.documents import sectors
from retrosim.collide.scene import Scene
from tests.oracle import worlds as oracle

from .random_worlds import KINDS, random_world
from .test_scene import ask, scene_of
from .test_world import check, numbers_of


@pytest.fixture
def uncompiled(monkeypatch):
    """Let nothing ever be compiled."""
    monkeypatch.setattr(_first_calls.COMPILER, "is_done", lambda name, job: False)
    monkeypatch.setattr(world._small_scenes, "ARRAY", None)


@pytest.mark.without_jit
@pytest.mark.parametrize("kind", KINDS)
def test_worlds_before_the_kernels(kind, uncompiled):
    rng = np.random.default_rng(KINDS.index(kind))
    for count in (0, 1, 60):
        check(random_world(rng, kind, count), bool(count & 1))


def test_groups_and_scenes_before_the_kernels(uncompiled):
    rng = np.random.default_rng(2)
    scene, other = random_world(rng, "mixed", 40), random_world(rng, "mixed", 50)
    x0, y0, x1, y1 = (axis % 300 for axis in (scene.x, scene.y, other.x, other.y))
    size, sides = scene.size % 60 + 1, other.size % 60 + 1
    meets = (x0[:, None] < x1 + sides[:, 0]) & (x1 < x0[:, None] + size[:, :1])
    meets &= (y0[:, None] < y1 + sides[:, 1]) & (y1 < y0[:, None] + size[:, 1:])
    given = (x0, y0, x1, y1)
    assert groups.pairs(*given, size=size, other=sides).tolist() == np.argwhere(meets).tolist() and meets.sum() > 50
    assert groups.counts(*given, size=size, other=sides).tolist() == meets.sum(axis=1).tolist()
    assert groups.collided(*given, size=size, other=sides).tolist() == meets.any(axis=1).tolist()
    first = np.where(meets.any(axis=1), meets.argmax(axis=1), -1)
    assert groups.first(*given, size=size, other=sides).tolist() == first.tolist()
    kept = Scene()
    kept.add(x1, y1, size=sides)
    assert kept.in_boxes(x0, y0, size=size).tolist() == np.argwhere(meets).tolist()


def test_segments_before_the_kernels(uncompiled):
    rng = np.random.default_rng(6)
    for kind in ("mixed", "edges"):
        ask(rng, scene_of(random_world(rng, kind, 20)))


def test_shapes_and_masks_before_the_kernels(monkeypatch):
    """The kernels' own Python code."""
    rng = np.random.default_rng(4)
    outlines = [[(0, 0)], [(-20, 0), (20, 0)], [(-10, -10), (10, -10), (0, 15)], [(-9, -9), (9, -9), (9, 9), (-9, 9)]]
    polygons = convex.pack(outlines, radius=[16, 5, 0, 3])
    images = [(rng.random(form) < 0.2).astype(np.uint8) for form in ((5, 7), (40, 33), (64, 70), (1, 1))]
    x, y = rng.integers(-60, 60, (2, 40))
    shape, listed = rng.integers(0, 4, 40).astype(np.int32), np.argwhere(np.triu(np.ones((40, 40)), 1))
    close = np.array(listed, np.int32, order="C")

    def answers():
        yield from (convex.hits(x, y, shape, polygons, close), *convex.contacts(x, y, shape, polygons, close))
        sprites = masks.pack(images)
        yield from (*sprites, masks.contacts(x, y, shape, sprites, close))
        yield from (masks.hits(x, y, shape, sprites, close, method=method) for method in ("any", "parts"))

    expected = list(answers())
    with monkeypatch.context() as patch:
        patch.setattr(_first_calls.COMPILER, "is_done", lambda name, job: False)
        assert all(np.array_equal(one, other) for one, other in zip(answers(), expected))
    assert 40 < expected[0].sum() < len(close) and 40 < expected[-1].sum() < len(close)


def test_batches_before_the_kernels(monkeypatch):
    rng = np.random.default_rng(5)
    x, y = rng.integers(0, 300, (2, 1200)).astype(np.int16)
    room = np.empty((9000, 2), np.int32)

    def answers():
        for starts in (np.array([0]), np.array([0, 0, 3, 3, 500, 1200])):
            given = x[: starts[-1]], y[: starts[-1]]
            yield batch.collided(*given, starts=starts, size=9)
            yield from batch.pairs(*given, starts=starts, size=9)
            yield from batch.pairs(*given, starts=starts, size=9, out=room.copy())

    expected = list(answers())
    with monkeypatch.context() as patch:
        patch.setattr(_first_calls.COMPILER, "is_done", lambda name, job: False)
        assert all(np.array_equal(one, other) for one, other in zip(answers(), expected))
        with pytest.raises(ValueError, match=r"out has 5 rows: this scene has \d+ pairs"):
            batch.pairs(x.reshape(2, 600), y.reshape(2, 600), out=room[:5])
    assert len(expected[-2]) > 500


def test_squares_before_the_kernels(monkeypatch):
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 611, (2, 300)).astype(np.int16) % 451
    for count in (200, 300):
        expected = plane.pairs(x[:count], y[:count]), sectors.collided(x[:count], y[:count])
        with monkeypatch.context() as patch:
            patch.setattr(_first_calls.COMPILER, "is_done", lambda name, job: False)
            for entry in (sectors.mark.__globals__["small"], sectors.mark.__globals__["uniform_grid"]):
                for name in ("MARK", "LIST"):
                    patch.setattr(getattr(entry, name), "call", getattr(entry, name)._call_plain)
            out = np.empty((5000, 2), np.int32)
            assert np.array_equal(sectors.pairs(x[:count], y[:count], out=out), expected[0]) and len(expected[0]) > 99
            assert np.array_equal(sectors.pairs(x[:count], y[:count]), expected[0])
            assert np.array_equal(sectors.collided(x[:count], y[:count]), expected[1])
            with pytest.raises(ValueError, match=r"out has 3 rows: this scene has \d+ pairs"):
                sectors.pairs(x[:count], y[:count], out=out[:3].copy())


@pytest.fixture
def begun(monkeypatch):
    """Begin to compile with the first call, and end when somebody waits for it; return what is done, by name."""
    compiler, awaited = _first_calls.COMPILER, Event()
    run, wait = compiler._run, compiler.wait
    monkeypatch.setattr(compiler, "is_done", partial(_first_calls.BackgroundCompiler.is_done, compiler))
    monkeypatch.setattr(compiler, "_run", lambda name, job: awaited.wait() and run(name, job))
    monkeypatch.setattr(compiler, "wait", lambda name=None: awaited.set() or wait(name))
    monkeypatch.setattr(compiler, "done", set())
    monkeypatch.setattr(compiler, "_jobs", {})
    yield compiler.done
    compiler.wait()


def test_too_much_for_numpy_waits_for_the_kernels(begun, monkeypatch):
    monkeypatch.setattr(_first_calls, "MAX_CANDIDATES", 10)
    x = np.arange(400)
    assert len(world.pairs(x, x, size=3)) == 797 and "scenes" in begun


@pytest.mark.without_jit
def test_as_many_candidates_as_numpy_takes(monkeypatch):
    x = np.zeros(5, np.int32)
    monkeypatch.setattr(_first_calls, "MAX_CANDIDATES", 10)
    assert len(_first_calls.squares(x, x, 3, _first_calls.PAIRS)) == 10
    monkeypatch.setattr(_first_calls, "MAX_CANDIDATES", 9)
    assert _first_calls.squares(x, x, 3, _first_calls.PAIRS) is None


@pytest.mark.first_case
@pytest.mark.parametrize("question", ["nearest", "segments"])
def test_questions_with_too_many_candidates_wait_for_the_kernels(question, begun, monkeypatch):
    """What the kernels do without listing every candidate is no error in the first call either."""
    monkeypatch.setattr(_queries, "MAX_CANDIDATES", 10)
    x, scene = np.arange(40), Scene()
    scene.add(x, x, size=3)
    if question == "nearest":
        assert scene.nearest(x, x, k=2)[-1].tolist() == [37, 38]
    else:
        met = scene.cast(x, x, -x, x)
        assert (met.hit[-1], met.numerator[-1], met.denominator[-1]) == (37, 0, 78)  # it begins inside
    assert {"nearest", "segments"} & begun == {question}


@pytest.mark.without_jit
@pytest.mark.parametrize("kind", KINDS)
def test_small_boxes(kind):
    """Straight to the kernels for few boxes: no categories, sides in every form, both ends of their number."""
    rng = np.random.default_rng(KINDS.index(kind))
    for count in (0, 1, 9, 40):
        scene = random_world(rng, kind, count)
        scene.category[:] = scene.mask[:] = 0xFFFF
        for closed in (False, True):
            if closed and kind == "edges":
                scene.size[:] = np.maximum(1, scene.size - 1)
                scene.x[:], scene.y[:] = np.minimum(scene.x, (1 << 31) - 3), np.minimum(scene.y, (1 << 31) - 3)
            expected = oracle.pairs(scene.boxes(), closed)
            flags, counts, first = numbers_of(expected, count)
            for _ in range(2):  # what the first call had compiled answers the second
                given = (scene.x, scene.y)
                assert world.pairs(*given, size=scene.size, closed=closed).tolist() == expected
                assert world.counts(*given, size=scene.size, closed=closed).tolist() == counts
                assert world.first(*given, size=scene.size, closed=closed).tolist() == first
                out = np.empty(count, np.uint8)
                assert world.collided(*given, size=scene.size, closed=closed, out=out) is out
                assert out.tolist() == flags


@pytest.mark.full
@pytest.mark.without_jit
def test_small_boxes_and_wrong_ones():
    """What the fast way refuses is named by the other one, before and after types are known to it."""
    x, y = np.array([3, 5, 90]), np.array([3, 5, 90])
    for _ in range(2):
        for size in (4, np.array([4, 4, 4]), np.array([[4, 4]] * 3), np.int16(4)):
            assert world.pairs(x, y, size=size).tolist() == [[0, 1]]
            assert groups.pairs(x, y, x[:1], y[:1], size=size, other=4).tolist() == [[0, 0], [1, 0]]
        for size, message in (
            (np.array([[4, 4]]), r"size has shape \(1, 2\)"),
            (np.array([4, 0, 4]), r"size\[1\] = 0: allowed 1"),
            (np.array([4, 4]), r"size has shape \(2,\)"),
            (1 << 31, "size 2147483648: allowed 1"),
            (True, "size True"),
            ((1 << 31) - 1, r"x\[0\] \+ size"),
        ):
            with pytest.raises(ValueError, match=message):
                world.pairs(x, y, size=size)
            with pytest.raises(ValueError, match="allowed"):
                groups.counts(x, y, x, y, size=4, other=size)
        with pytest.raises(ValueError, match=r"y has length 2"):
            world.counts(x, y[:2], size=4)
        with pytest.raises(ValueError, match=r"out has 0 rows: this scene has 1 pairs"):
            world.pairs(x, y, size=4, out=np.empty((0, 2), np.int32))
        with pytest.raises(ValueError, match=r"closed 1: allowed False or True"):
            world.pairs(x, y, size=4, closed=1)
