"""What answers in `retrosim bench kernels`: `retrosim.collide`, and what else a Python game can find overlaps with.

Every finder gets the same frames: boxes that are half open, at whole pixels. Where a library's boxes are closed, or its
distances not strict, their sides are half a pixel shorter, which is the same question at whole pixels. What a game
would keep from frame to frame (rectangles, bodies) is made beforehand and moved outside the time; an index is built
inside it, since everything moves. In a scene of rays nothing moves, and the index is kept where a library keeps one.

pymunk's `segment_query` and pygame's `clipline` round: of 3000 hits among 50 objects the one misses 8 that only touch,
the other one finds 79 more. So they are no peers for segments.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from retrosim.collide import batch, collided, groups, plane, world
from retrosim.collide.scene import Scene

from .kernel_scenes import BULLETS, FLAGS, PAIRS, RAYS, SIDE, SQUARES, Frame

_SHORTER = 0.5  # so that closed boxes at whole pixels meet where half-open ones overlap
CLOSED_SIDE = SIDE - _SHORTER
SCENES = 64  # in a batch
Frames = list[Frame]
Answer = Callable[[int], Any]
_Maker = tuple[str | None, Callable[[Frames], Answer], int, str]  # package, make, objects up to which, note


@dataclass(frozen=True)
class Finder:
    """One way to answer one question.

    question     FLAGS or PAIRS
    make         frames -> answer: frame number -> flags of each object, or pairs, integers[m, 2], in any order; or a
                 function that makes them of what was found, outside the time
    package      whose it is, None for ours
    min_objects  from which on it is worth showing
    max_objects  up to which it ends in reasonable time and memory
    scenes       frames that one call answers for
    note         what it is
    scene        of which kind: SQUARES, or one of `kernel_scenes.SIZES`
    """

    question: str
    make: Callable[[Frames], Answer]
    package: str | None = None
    min_objects: int = 1
    max_objects: int = 1 << 22
    scenes: int = 1
    note: str = ""
    scene: str = SQUARES


def _points(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    points = np.empty((len(x), 2))
    points[:, 0], points[:, 1] = x, y
    return points


def _flags_of(count: int, pairs: np.ndarray) -> np.ndarray:
    """Return flags as a user of a library that lists pairs would make them."""
    flags = np.zeros(count, np.bool_)
    flags[pairs.ravel()] = True
    return flags


def _flagged(make: Callable[[Frames], Answer]) -> Callable[[Frames], Answer]:
    """Return an answer in flags, made of one in pairs."""

    def make_flags(frames: Frames) -> Answer:
        pairs, count = make(frames), len(frames[0][0])

        def answer(number: int) -> Any:
            found = pairs(number)
            return (lambda: _flags_of(count, found())) if callable(found) else _flags_of(count, found)

        return answer

    return make_flags


def _per_frame(*modules: str) -> Callable[[Callable], Callable[[Frames], Answer]]:
    """Make a `Finder.make` of a routine that gets these modules, imported outside the time, and a frame."""

    def decorate(routine: Callable) -> Callable[[Frames], Answer]:
        def make(frames: Frames) -> Answer:
            libraries = [importlib.import_module(module) for module in modules]
            return lambda number: routine(*libraries, frames[number])

        return make

    return decorate


def _collided(**given: Any) -> Callable[[Frames], Answer]:
    return lambda frames: lambda number: plane.collided(*frames[number], **given)


def _collided_out(frames: Frames) -> Answer:
    flags = np.empty(len(frames[0][0]), np.uint8)
    return lambda number: plane.collided(*frames[number], out=flags)


def _pairs(frames: Frames) -> Answer:
    return lambda number: plane.pairs(*frames[number])


def _four_shifts(frames: Frames) -> Answer:
    small = [(x.astype(np.int16), y.astype(np.int16)) for x, y in frames]
    return lambda number: collided(*small[number], method="four_shifts")


def _many(routine: Callable) -> Callable[[Frames], Answer]:
    """Return an answer for SCENES frames in one call; the first of them is checked."""

    def make(frames: Frames) -> Answer:
        orders = [[(first + k) % len(frames) for k in range(SCENES)] for first in range(len(frames))]
        scenes = [tuple(np.stack([frames[n][axis] for n in order]) for axis in (0, 1)) for order in orders]
        return lambda number: routine(*scenes[number])

    return make


def _first_pairs(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    rows, ends = batch.pairs(x, y)
    return rows[: ends[0]]


@_per_frame("scipy.spatial")
def _tree_pairs(spatial: Any, frame: Frame) -> np.ndarray:
    tree = spatial.cKDTree(_points(*frame), balanced_tree=False, compact_nodes=False)
    return tree.query_pairs(CLOSED_SIDE, p=np.inf, output_type="ndarray")


@_per_frame("scipy.spatial")
def _tree_nearest(spatial: Any, frame: Frame) -> np.ndarray:
    points = _points(*frame)
    tree = spatial.cKDTree(points, balanced_tree=False, compact_nodes=False)
    workers = 2 if len(points) >= 20_000 else 1
    near, _ = tree.query(points, 2, p=np.inf, distance_upper_bound=CLOSED_SIDE, workers=workers)
    return np.isfinite(near[:, 1])


@_per_frame("shapely")
def _shapely_pairs(shapely: Any, frame: Frame) -> np.ndarray:
    x, y = frame
    boxes = shapely.box(x, y, x + CLOSED_SIDE, y + CLOSED_SIDE)
    first, second = shapely.STRtree(boxes).query(boxes)  # bounding boxes, which is all that there is to compare
    return np.stack((first, second), axis=1)[first < second]


def _pymunk_pairs(frames: Frames) -> Answer:
    """Bodies in a space: positions in and arbiters out by pymunk.batch, a step of next to no time between."""
    import pymunk
    import pymunk.batch

    space = pymunk.Space()
    space.iterations, space.collision_persistence, space.collision_slop = 1, 1, 1000
    if len(frames[0][0]) > 1000:
        space.use_spatial_hash(SIDE, 10 * len(frames[0][0]))
    bodies = [pymunk.Body(1, float("inf")) for _ in frames[0][0]]
    for body in bodies:
        space.add(body, pymunk.Poly.create_box(body, (CLOSED_SIDE, CLOSED_SIDE)))
    ids = np.array([body.id for body in bodies])
    order = np.argsort(ids)
    kinds = pymunk.batch.BodyFields
    moved = kinds.POSITION | kinds.ANGLE | kinds.VELOCITY | kinds.ANGULAR_VELOCITY
    states = []
    for x, y in frames:
        state = np.zeros((len(x), 6))
        state[:, :2] = _points(x, y)
        states.append(state)
    given, found = pymunk.batch.Buffer(), pymunk.batch.Buffer()
    wanted = pymunk.batch.ArbiterFields.BODY_A_ID | pymunk.batch.ArbiterFields.BODY_B_ID

    def answer(number: int) -> Callable[[], np.ndarray]:
        given.set_float_buf(states[number])
        pymunk.batch.set_space_bodies(space, moved, given)
        space.step(1e-9)
        found.clear()
        pymunk.batch.get_space_arbiters(space, wanted, found)
        pairs = np.frombuffer(found.int_buf(), np.intp).reshape(-1, 2).copy()
        return lambda: order[np.searchsorted(ids[order], pairs)]

    return answer


def _rects(frames: Frames) -> list[list[Any]]:
    """Return pygame's rectangles: squares, or boxes with sizes of their own."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # it greets on stdout
    import pygame

    squares = np.full((len(frames[0][0]), 2), SIDE)
    boxes = (zip(x.tolist(), y.tolist(), *(size or [squares])[0].T.tolist()) for x, y, *size in frames)
    return [[pygame.Rect(*box) for box in frame] for frame in boxes]


def _pygame_flags(frames: Frames) -> Answer:
    rects = _rects(frames)

    def answer(number: int) -> list[bool]:
        here = rects[number]
        return [len(rect.collidelistall(here)) > 1 for rect in here]

    return answer


def _numpy_near(frames: Frames) -> Answer:
    """Compare all pairs at once: differences of 16 bits, compared as in `retrosim.collide.kernels.pairs.simd`."""
    small = [[axis.astype(np.int16) for axis in frame] for frame in frames]

    def answer(number: int) -> np.ndarray:
        near = [(np.subtract.outer(axis, axis - (SIDE - 1)).view(np.uint16) < 2 * SIDE - 1) for axis in small[number]]
        return np.bitwise_and(near[0], near[1], out=near[0])

    return answer


def _numpy_flags(frames: Frames) -> Answer:
    near = _numpy_near(frames)

    def answer(number: int) -> np.ndarray:
        found = near(number)
        np.fill_diagonal(found, False)
        return found.any(axis=0)

    return answer


def _numpy_pairs(frames: Frames) -> Answer:
    near = _numpy_near(frames)
    return lambda number: np.stack(np.divmod(np.flatnonzero(np.triu(near(number), 1)), len(frames[0][0])), axis=1)


# Boxes of many sizes, bullets, and segments.


def _kept(frame: Frame) -> Scene:
    scene = Scene()
    scene.add(*frame[:2], size=frame[2])
    return scene


def rays_by_scene(frames: Frames) -> Answer:
    """Ask `Scene.on_segments`."""
    scene, rays = _kept(frames[0]), [[column.copy() for column in frame[3].T] for frame in frames]

    def answer(number: int) -> Callable[[], np.ndarray]:
        found = scene.on_segments(*rays[number]).rows
        return lambda: found + [0, RAYS]

    return answer


def rays_by_shapely(frames: Frames) -> Answer:
    """Query an STRtree that is kept, for lines that are made beforehand."""
    import shapely

    x, y, size, _ = frames[0]
    tree = shapely.STRtree(shapely.box(x, y, x + size[:, 0] - 1, y + size[:, 1] - 1))
    lines = [shapely.linestrings(frame[3].reshape(-1, 2, 2)) for frame in frames]

    def answer(number: int) -> Callable[[], np.ndarray]:
        found = tree.query(lines[number], predicate="intersects")
        return lambda: found.T + [0, RAYS]

    return answer


def moved_in_scene(frames: Frames) -> Answer:
    """Move what has moved since the last call in a kept scene, and ask for its pairs; a game knows what it moves."""
    scene, before = _kept(frames[0]), [0]
    moves = {}
    for a, here in enumerate(frames):
        for b, there in enumerate(frames):
            some = np.flatnonzero((here[0] != there[0]) | (here[1] != there[1]))
            moves[a, b] = some, there[0][some], there[1][some]

    def answer(number: int) -> np.ndarray:
        scene.move(*moves[before[0], number])
        before[0] = number
        return scene.pairs()

    return answer


@_per_frame()
def pairs_by_world(frame: Frame) -> np.ndarray:
    """Ask `world.pairs`."""
    x, y, size = frame
    return world.pairs(x, y, size=size)


def pairs_by_groups(frames: Frames) -> Answer:
    """Ask `groups.pairs`; numbers of the second group are made those of the scene outside the time."""
    parts = [(*(axis[:BULLETS] for axis in f), *(np.ascontiguousarray(axis[BULLETS:]) for axis in f)) for f in frames]

    def answer(number: int) -> Callable[[], np.ndarray]:
        x0, y0, size, x1, y1, other = parts[number]
        found = groups.pairs(x0, y0, x1, y1, size=size, other=other)
        return lambda: found + [0, BULLETS]

    return answer


def _sides(scene: Frame) -> np.ndarray:
    """Return left, top, right, bottom of closed boxes, float64[n, 4]."""
    x, y, size = scene
    sides = np.empty((len(x), 4))
    sides[:, 0], sides[:, 1], sides[:, 2], sides[:, 3] = x, y, x + size[:, 0] - _SHORTER, y + size[:, 1] - _SHORTER
    return sides


@_per_frame("shapely")
def pairs_by_shapely(shapely: Any, frame: Frame) -> np.ndarray:
    """Query an STRtree for all boxes at once."""
    boxes = shapely.box(*_sides(frame).T)
    first, second = shapely.STRtree(boxes).query(boxes)
    return np.stack((first, second), axis=1)[first < second]


@_per_frame("shapely")
def bullets_by_shapely(shapely: Any, frame: Frame) -> np.ndarray:
    """Query an STRtree of the others for ten boxes."""
    boxes = shapely.box(*_sides(frame).T)
    return shapely.STRtree(boxes[BULLETS:]).query(boxes[:BULLETS]).T + [0, BULLETS]


def _rtree(index: Any, sides: np.ndarray) -> Any:
    return index.Index((np.arange(len(sides)), sides[:, :2].copy(), sides[:, 2:].copy()))


@_per_frame("rtree.index")
def pairs_by_rtree(index: Any, frame: Frame) -> np.ndarray:
    """Query an index, loaded in bulk, for all boxes at once."""
    sides = _sides(frame)
    found, counts = _rtree(index, sides).intersection_v(sides[:, :2].copy(), sides[:, 2:].copy())
    first = np.repeat(np.arange(len(sides)), counts.astype(np.int64))
    return np.stack((first, found), axis=1)[first < found]


@_per_frame("rtree.index")
def bullets_by_rtree(index: Any, frame: Frame) -> np.ndarray:
    """Query an index of the others for ten boxes."""
    sides = _sides(frame)
    found, counts = _rtree(index, sides[BULLETS:]).intersection_v(
        sides[:BULLETS, :2].copy(), sides[:BULLETS, 2:].copy()
    )
    return np.stack((np.repeat(np.arange(BULLETS), counts.astype(np.int64)), found + BULLETS), axis=1)


@_per_frame("scipy.spatial")
def pairs_by_scipy(spatial: Any, frame: Frame) -> np.ndarray:
    """Query a tree of centres for the largest size, then compare what was found."""
    sides = _sides(frame)
    reach = float((sides[:, 2:] - sides[:, :2]).max())
    tree = spatial.cKDTree((sides[:, :2] + sides[:, 2:]) / 2, balanced_tree=False, compact_nodes=False)
    found = tree.query_pairs(reach, p=np.inf, output_type="ndarray")
    a, b = sides[found[:, 0]], sides[found[:, 1]]
    return found[((a[:, :2] <= b[:, 2:]) & (b[:, :2] <= a[:, 2:])).all(axis=1)]


def pairs_by_pygame(frames: Frames) -> Answer:
    """Ask `Rect.collidelistall` for each."""
    rects = _rects(frames)

    def answer(number: int) -> list[tuple[int, int]]:
        here = rects[number]
        return [(i, j) for i, rect in enumerate(here) for j in rect.collidelistall(here) if j > i]

    return answer


def bullets_by_pygame(frames: Frames) -> Answer:
    """Ask `Rect.collidelistall` for ten."""
    rects = [(here[:BULLETS], here[BULLETS:]) for here in _rects(frames)]

    def answer(number: int) -> list[tuple[int, int]]:
        bullets, others = rects[number]
        return [(i, j + BULLETS) for i, rect in enumerate(bullets) for j in rect.collidelistall(others)]

    return answer


@_per_frame("fastquadtree")
def pairs_by_quadtree(fastquadtree: Any, frame: Frame) -> np.ndarray:
    """Query fastquadtree's `RectQuadTree`, filled anew, for each box: closed ones of whole numbers."""
    x, y, size = frame
    sides = np.stack([x, y, x + size[:, 0] - 1, y + size[:, 1] - 1], axis=1).astype(np.int32)
    bounds = (*(sides[:, :2].min(axis=0) - 1).tolist(), *(sides[:, 2:].max(axis=0) + 2).tolist())
    tree = fastquadtree.RectQuadTree(bounds, 16, dtype="i32")
    tree.insert_many_np(sides)
    found = [tree.query_np(tuple(box))[0] for box in sides.tolist()]
    first, second = np.repeat(np.arange(len(x)), [len(row) for row in found]), np.concatenate(found)
    return np.stack([first, second], axis=1)[first < second]


def pairs_by_box2d(frames: Frames) -> Answer:
    """Put sensors into a `b2World`, and step it by no time; its contacts that touch."""
    import Box2D as b2

    x, _, size = frames[0]
    space = b2.b2World(gravity=(0, 0), doSleep=False)
    halves = ((size - _SHORTER) / 2).tolist()
    bodies = [space.CreateDynamicBody(fixedRotation=True, userData=k) for k in range(len(x))]
    for body, half in zip(bodies, halves):
        body.CreatePolygonFixture(box=half, isSensor=True, density=1)
    places = [(np.stack(frame[:2], axis=1) + (size - _SHORTER) / 2).tolist() for frame in frames]

    def answer(number: int) -> list[tuple[int, int]]:
        for body, place in zip(bodies, places[number]):
            body.position = place
        space.Step(0, 0, 0)
        return [(c.fixtureA.body.userData, c.fixtureB.body.userData) for c in space.contacts if c.touching]

    return answer


@_per_frame()
def pairs_by_numpy(frame: Frame) -> np.ndarray:
    """Compare all with all at once."""
    x, y, size = frame
    before = [np.less.outer(axis, axis + side) for axis, side in ((x, size[:, 0]), (y, size[:, 1]))]
    near = before[0] & before[0].T & before[1] & before[1].T
    return np.stack(np.divmod(np.flatnonzero(np.triu(near, 1)), len(x)), axis=1)


@_per_frame()
def bullets_by_numpy(frame: Frame) -> np.ndarray:
    """Compare ten with all others at once."""
    x, y, size = frame
    right, bottom, b = x + size[:, 0], y + size[:, 1], BULLETS
    near = np.less.outer(x[:b], right[b:]) & np.greater.outer(right[:b], x[b:])
    near &= np.less.outer(y[:b], bottom[b:]) & np.greater.outer(bottom[:b], y[b:])
    return np.argwhere(near) + [0, BULLETS]


MAX_POWER_LAW = 200_000  # boxes; 2 000 000 have 41 million pairs, more than `world.pairs` returns without an array
_PAIRS: dict[str, tuple[Any, dict[str, Any], str]] = {
    "scipy": (_tree_pairs, {}, "cKDTree.query_pairs, Chebyshev metric"),
    "shapely": (_shapely_pairs, {}, "STRtree.query of all boxes at once"),
    "pymunk": (_pymunk_pairs, {"max_objects": 20_000}, "Space.step, positions and arbiters by pymunk.batch"),
}
_MIXED: dict[str, _Maker] = {
    "world": (None, pairs_by_world, 1 << 22, "world.pairs"),
    "shapely": ("shapely", pairs_by_shapely, 200_000, "STRtree.query"),
    "rtree": ("rtree", pairs_by_rtree, 20_000, "index.Index, loaded in bulk, intersection_v"),
    "pygame": ("pygame", pairs_by_pygame, 2000, "Rect.collidelistall"),
    "numpy": ("numpy", pairs_by_numpy, 2000, "all comparisons at once"),
    "fastquadtree": ("fastquadtree", pairs_by_quadtree, 20_000, "RectQuadTree.query_np for each"),
    "box2d": ("Box2D", pairs_by_box2d, 2000, "b2World.Step of no time, sensors"),
}
_SCIPY: dict[str, _Maker] = {"scipy": ("scipy", pairs_by_scipy, 200_000, "cKDTree.query_pairs for the largest size")}
_BY_SCENE: dict[str, dict[str, _Maker]] = {
    "mixed": _MIXED | _SCIPY,
    "power law": _MIXED | {"world": (None, pairs_by_world, MAX_POWER_LAW, "world.pairs")},
    "clustered": _MIXED | _SCIPY,
    "1 % moving": {"scene": (None, moved_in_scene, 1 << 22, "Scene.move, Scene.pairs")} | _MIXED | _SCIPY,
    "bullets": {
        "groups": (None, pairs_by_groups, 1 << 22, "groups.pairs"),
        "shapely": ("shapely", bullets_by_shapely, 200_000, "STRtree.query"),
        "rtree": ("rtree", bullets_by_rtree, 20_000, "index.Index, loaded in bulk, intersection_v"),
        "pygame": ("pygame", bullets_by_pygame, 200_000, "Rect.collidelistall"),
        "numpy": ("numpy", bullets_by_numpy, 1 << 22, "all comparisons at once"),
    },
    "rays": {
        "scene": (None, rays_by_scene, 200_000, "Scene.on_segments"),
        "shapely": ("shapely", rays_by_shapely, 200_000, "STRtree.query, predicate 'intersects'"),
    },
}
"""Scene -> finders: package, how an answer is made, objects up to which, note."""
_QUESTIONS = {
    "bullets": f"{PAIRS}, 10 bullets and all others",
    "rays": f"objects on {RAYS} segments, kept scene",
}


def _mixed() -> dict[str, Finder]:
    """Return finders for the scenes that are not SQUARES."""
    finders = {}
    for scene, makers in _BY_SCENE.items():
        question, word = _QUESTIONS.get(scene, f"{PAIRS}, {scene}"), scene.replace(" % ", "-percent-").replace(" ", "-")
        for name, (package, make, max_objects, note) in makers.items():
            finders[f"{name}-{word}"] = Finder(question, make, package, BULLETS + 1, max_objects, 1, note, scene)
    return finders


FINDERS: dict[str, Finder] = {
    "collided": Finder(FLAGS, _collided(), note="plane.collided"),
    "collided-out": Finder(FLAGS, _collided_out, note="the same, out= an array made once"),
    "collided-1-thread": Finder(FLAGS, _collided(threads=1), min_objects=plane.TWO_THREADS,
                                note="the same, threads=1"),
    "collided-batch": Finder(FLAGS, _many(lambda x, y: batch.collided(x, y)[0]), max_objects=2000, scenes=SCENES,
                             note=f"batch.collided, {SCENES} scenes a call, time of one"),
    "four-shifts": Finder(FLAGS, _four_shifts, max_objects=200, note="collided(method='four_shifts'), as in 1994"),
    **{
        name: Finder(FLAGS, _flagged(make), name, note=note, **given)
        for name, (make, given, note) in _PAIRS.items()
    },
    "scipy-nearest": Finder(FLAGS, _tree_nearest, "scipy", note="cKDTree.query, 2 nearest, 2 threads from 20 000"),
    "pygame": Finder(FLAGS, _pygame_flags, "pygame", max_objects=2000, note="Rect.collidelistall for each"),
    "numpy": Finder(FLAGS, _numpy_flags, "numpy", max_objects=2000, note="all differences at once"),
    "pairs": Finder(PAIRS, _pairs, note="plane.pairs"),
    "pairs-batch": Finder(PAIRS, _many(_first_pairs), max_objects=2000, scenes=SCENES,
                          note=f"batch.pairs, {SCENES} scenes a call, time of one"),
    **{
        f"{name}-pairs": Finder(PAIRS, make, name, note=note, **given)
        for name, (make, given, note) in _PAIRS.items()
    },
    "pygame-pairs": Finder(PAIRS, pairs_by_pygame, "pygame", max_objects=2000, note="Rect.collidelistall for each"),
    "numpy-pairs": Finder(PAIRS, _numpy_pairs, "numpy", max_objects=2000, note="all differences at once"),
    **_mixed(),
}  # fmt: skip
"""Name -> finder: ours, then the peers."""


def is_missing(finder: Finder) -> bool:
    """Tell whether a peer is not installed."""
    return finder.package is not None and importlib.util.find_spec(finder.package) is None
