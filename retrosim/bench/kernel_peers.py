"""What runs in `retrosim bench kernels`: `retrosim.collide`, and what else a Python game can find overlaps with.

Every contender is given the same frames: squares of SIDE pixels, half open, at whole pixels. Where a library's boxes
are closed, or its distances not strict, it gets CLOSED_SIDE, which is the same question at whole pixels. What a game
would keep from frame to frame (rectangles, bodies) is made beforehand and moved outside the time; an index is built
inside it, since everything moves.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from retrosim.collide import batch, collided, plane

from . import mixed_peers

SIDE, CLOSED_SIDE = 30, 29.5
FLAGS, PAIRS = "flags", "pairs"
SQUARES = "squares"
SCENES = 64  # in a batch
Frames = list[tuple[np.ndarray, ...]]
Answer = Callable[[int], Any]


@dataclass(frozen=True)
class Contender:
    """One way to answer one question.

    question     FLAGS or PAIRS
    make         frames -> answer: frame number -> flags of each object, or pairs, integers[m, 2], in any order; or a
                 function that makes them of what was found, outside the time
    package      whose it is, None for ours
    min_objects  from which on it is worth showing
    max_objects  up to which it ends in reasonable time and memory
    scenes       frames that one call answers for
    note         what it is
    scene        of which kind: SQUARES, or one of `mixed_peers.SIZES`
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


def _tree_pairs(frames: Frames) -> Answer:
    from scipy.spatial import cKDTree

    def answer(number: int) -> np.ndarray:
        tree = cKDTree(_points(*frames[number]), balanced_tree=False, compact_nodes=False)
        return tree.query_pairs(CLOSED_SIDE, p=np.inf, output_type="ndarray")

    return answer


def _tree_nearest(frames: Frames) -> Answer:
    from scipy.spatial import cKDTree

    def answer(number: int) -> np.ndarray:
        points = _points(*frames[number])
        tree = cKDTree(points, balanced_tree=False, compact_nodes=False)
        workers = 2 if len(points) >= 20_000 else 1
        near, _ = tree.query(points, 2, p=np.inf, distance_upper_bound=CLOSED_SIDE, workers=workers)
        return np.isfinite(near[:, 1])

    return answer


def _shapely_pairs(frames: Frames) -> Answer:
    import shapely

    def answer(number: int) -> np.ndarray:
        x, y = frames[number]
        boxes = shapely.box(x, y, x + CLOSED_SIDE, y + CLOSED_SIDE)
        first, second = shapely.STRtree(boxes).query(boxes)  # bounding boxes, which is all that there is to compare
        return np.stack((first, second), axis=1)[first < second]

    return answer


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


def _pygame(frames: Frames) -> list[list[Any]]:
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    import pygame

    return [[pygame.Rect(a, b, SIDE, SIDE) for a, b in zip(x.tolist(), y.tolist())] for x, y in frames]


def _pygame_flags(frames: Frames) -> Answer:
    rects = _pygame(frames)

    def answer(number: int) -> list[bool]:
        here = rects[number]
        return [len(rect.collidelistall(here)) > 1 for rect in here]

    return answer


def _pygame_pairs(frames: Frames) -> Answer:
    rects = _pygame(frames)

    def answer(number: int) -> list[tuple[int, int]]:
        here = rects[number]
        return [(i, j) for i, rect in enumerate(here) for j in rect.collidelistall(here) if j > i]

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


MAX_POWER_LAW = 200_000  # boxes; 2 000 000 have 41 million pairs, more than `world.pairs` returns without an array
_PAIRS: dict[str, tuple[Any, dict[str, Any], str]] = {
    "scipy": (_tree_pairs, {}, "cKDTree.query_pairs, Chebyshev metric"),
    "shapely": (_shapely_pairs, {}, "STRtree.query of all boxes at once"),
    "pymunk": (_pymunk_pairs, {"max_objects": 20_000}, "Space.step, positions and arbiters by pymunk.batch"),
}


_MIXED = {
    "world": (None, mixed_peers.pairs_by_world, 1 << 22, "world.pairs"),
    "shapely": ("shapely", mixed_peers.pairs_by_shapely, 200_000, "STRtree.query"),
    "rtree": ("rtree", mixed_peers.pairs_by_rtree, 20_000, "index.Index, loaded in bulk, intersection_v"),
    "pygame": ("pygame", mixed_peers.pairs_by_pygame, 2000, "Rect.collidelistall"),
    "numpy": ("numpy", mixed_peers.pairs_by_numpy, 2000, "all comparisons at once"),
    "fastquadtree": ("fastquadtree", mixed_peers.pairs_by_quadtree, 20_000, "RectQuadTree.query_np for each"),
    "box2d": ("Box2D", mixed_peers.pairs_by_box2d, 2000, "b2World.Step of no time, sensors"),
}
_SCIPY = {"scipy": ("scipy", mixed_peers.pairs_by_scipy, 200_000, "cKDTree.query_pairs for the largest size")}
_BY_SCENE = {
    "mixed": _MIXED | _SCIPY,
    "power law": _MIXED | {"world": (None, mixed_peers.pairs_by_world, MAX_POWER_LAW, "world.pairs")},
    "clustered": _MIXED | _SCIPY,
    "1 % moving": {"scene": (None, mixed_peers.moved_in_scene, 1 << 22, "Scene.move, Scene.pairs")} | _MIXED | _SCIPY,
    "bullets": {
        "groups": (None, mixed_peers.pairs_by_groups, 1 << 22, "groups.pairs"),
        "shapely": ("shapely", mixed_peers.bullets_by_shapely, 200_000, "STRtree.query"),
        "rtree": ("rtree", mixed_peers.bullets_by_rtree, 20_000, "index.Index, loaded in bulk, intersection_v"),
        "pygame": ("pygame", mixed_peers.bullets_by_pygame, 200_000, "Rect.collidelistall"),
        "numpy": ("numpy", mixed_peers.bullets_by_numpy, 1 << 22, "all comparisons at once"),
    },
    "rays": {
        "scene": (None, mixed_peers.rays_by_scene, 200_000, "Scene.on_segments"),
        "shapely": ("shapely", mixed_peers.rays_by_shapely, 200_000, "STRtree.query, predicate 'intersects'"),
    },
}
"""Scene -> contenders: package, how an answer is made, objects up to which, note."""
_QUESTIONS = {
    "bullets": f"{PAIRS}, 10 bullets and all others",
    "rays": f"objects on {mixed_peers.RAYS} segments, kept scene",
}


def _mixed() -> dict[str, Contender]:
    """Return contenders for boxes of mixed sizes."""
    contenders = {}
    for scene, makers in _BY_SCENE.items():
        question, word = _QUESTIONS.get(scene, f"{PAIRS}, {scene}"), scene.replace(" % ", "-percent-").replace(" ", "-")
        for name, (package, make, max_objects, note) in makers.items():
            contenders[f"{name}-{word}"] = Contender(
                question, make, package, mixed_peers.BULLETS + 1, max_objects, 1, note, scene
            )
    return contenders


CONTENDERS: dict[str, Contender] = {
    "collided": Contender(FLAGS, _collided(), note="plane.collided"),
    "collided-out": Contender(FLAGS, _collided_out, note="the same, out= an array made once"),
    "collided-1-thread": Contender(FLAGS, _collided(threads=1), min_objects=plane.TWO_THREADS,
                                   note="the same, threads=1"),
    "collided-batch": Contender(FLAGS, _many(lambda x, y: batch.collided(x, y)[0]), max_objects=2000, scenes=SCENES,
                                note=f"batch.collided, {SCENES} scenes a call, time of one"),
    "four-shifts": Contender(FLAGS, _four_shifts, max_objects=200, note="collided(method='four_shifts'), as in 1994"),
    **{
        name: Contender(FLAGS, _flagged(make), name, note=note, **given)
        for name, (make, given, note) in _PAIRS.items()
    },
    "scipy-nearest": Contender(FLAGS, _tree_nearest, "scipy", note="cKDTree.query, 2 nearest, 2 threads from 20 000"),
    "pygame": Contender(FLAGS, _pygame_flags, "pygame", max_objects=2000, note="Rect.collidelistall for each"),
    "numpy": Contender(FLAGS, _numpy_flags, "numpy", max_objects=2000, note="all differences at once"),
    "pairs": Contender(PAIRS, _pairs, note="plane.pairs"),
    "pairs-batch": Contender(PAIRS, _many(_first_pairs), max_objects=2000, scenes=SCENES,
                             note=f"batch.pairs, {SCENES} scenes a call, time of one"),
    **{
        f"{name}-pairs": Contender(PAIRS, make, name, note=note, **given)
        for name, (make, given, note) in _PAIRS.items()
    },
    "pygame-pairs": Contender(PAIRS, _pygame_pairs, "pygame", max_objects=2000, note="Rect.collidelistall for each"),
    "numpy-pairs": Contender(PAIRS, _numpy_pairs, "numpy", max_objects=2000, note="all differences at once"),
    **_mixed(),
}  # fmt: skip
"""Name -> contender: ours, then the peers."""


def is_missing(contender: Contender) -> bool:
    """Tell whether a peer is not installed."""
    return contender.package is not None and importlib.util.find_spec(contender.package) is None
