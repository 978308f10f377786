"""Contenders for boxes of mixed sizes in `retrosim bench kernels`: `collide.world` and `collide.groups`, and peers.

Three scenes ask for all pairs, a fourth for the pairs of ten bullets and all others. Every contender gets the same
frames: x, y and sizes, half open, at whole pixels. Where a library's boxes are closed, or its circles are not boxes, it
gets sides shorter by half a pixel, or filters what it finds. Boxes, bodies and rectangles that a game would keep are
made beforehand where the library lets them move; an index is built inside the time, since everything moves.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from retrosim.collide import groups, world
from retrosim.collide.scene import Scene

# Contenders for segments among boxes, and for scenes of which little moves: `collide.scene`, and peers.
#
# A scene of rays is one of mixed sizes and as many segments as RAYS; every object that a segment meets is wanted, and
# the index is kept where a library keeps one, since nothing moves. In the other kind one object in a hundred moves.
#
# pymunk's `segment_query` and pygame's `clipline` round: of 3000 hits among 50 objects the one misses 8 that only
# touch, the other one finds 79 more. So they are no peers here.

RAYS = 1000
LONGEST = 300  # pixels along each axis
Frames = list[tuple[np.ndarray, ...]]  # x, y int32[n], size int32[n, 2], and for rays int64[RAYS, 4]
Answer = Callable[[int], Any]


def with_rays(frames: Frames, rng: np.random.Generator) -> Frames:
    """Add segments to a scene; as many frames, of which only these differ."""
    x, y, size = frames[0]
    made: Frames = []
    for _ in frames:
        begin = np.stack([rng.integers(axis.min(), axis.max() + 1, RAYS) for axis in (x, y)], axis=1)
        made.append((x, y, size, np.hstack([begin, begin + rng.integers(-LONGEST, LONGEST + 1, (RAYS, 2))])))
    return made


def expected_hits(frame: tuple[np.ndarray, ...]) -> np.ndarray:
    """Return segment and object of each hit, int64[m, 2], by NumPy: boxes of which no side separates the two."""
    x, y, size, rays = (array.astype(np.int64) for array in frame)
    right, bottom, lists = x + size[:, 0] - 1, y + size[:, 1] - 1, []
    for x0, y0, x1, y1 in rays.tolist():
        near = np.flatnonzero(
            (x <= max(x0, x1)) & (right >= min(x0, x1)) & (y <= max(y0, y1)) & (bottom >= min(y0, y1))
        )
        corners = [(a[near] - x0, b[near] - y0) for a in (x, right) for b in (y, bottom)]
        sides = np.array([(x1 - x0) * b - (y1 - y0) * a for a, b in corners])
        lists.append(near[(sides.min(axis=0) <= 0) & (sides.max(axis=0) >= 0)])
    return np.stack([np.repeat(np.arange(RAYS), [len(each) for each in lists]), RAYS + np.concatenate(lists)], axis=1)


def _kept(frame: tuple[np.ndarray, ...]) -> Scene:
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


def with_little_moving(frames: Frames, rng: np.random.Generator) -> Frames:
    """Let one object in a hundred move, and one at least."""
    x, y, size = frames[0]
    made: Frames = []
    for _ in frames:
        made.append((x, y, size))
        some = rng.permutation(len(x))[: max(1, len(x) // 100)]
        x, y = x.copy(), y.copy()
        for axis in (x, y):
            axis[some] += rng.integers(-3, 4, len(some)).astype(axis.dtype)
    return made


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


BULLETS = 10
SHORTER = 0.5  # so that closed boxes at whole pixels meet where half-open ones overlap
SCREEN, ON_SCREEN = (640, 480), 200
MAX_STEP = 3
Frame = tuple[np.ndarray, ...]  # x, y int32[n], size int32[n, 2]


def _uniform(rng: np.random.Generator, count: int) -> np.ndarray:
    return rng.integers(4, 57, (count, 2))


def _power_law(rng: np.random.Generator, count: int) -> np.ndarray:
    sides = np.minimum(4000, 4 / (1 - rng.random(count))).astype(np.int64)  # 4 .. 4000, half of them below 8
    return np.repeat(sides[:, None], 2, axis=1)


SIZES = {
    "mixed": _uniform, "power law": _power_law, "clustered": _uniform, "1 % moving": _uniform, "bullets": _uniform,
    "rays": _uniform,
}  # fmt: skip
"""Kind of scene -> how its sizes are made."""


def mixed_scene(kind: str, count: int, seed: int) -> list[Frame]:
    """Place objects on a plane that grows with their number, 200 to 640 x 480 pixels, and let them move.

    Returns  x, y, size of each frame; of "clustered", fifty in a group; of "bullets", the first ten 4 x 4
    """
    rng = np.random.default_rng([seed, count, *kind.encode()])
    size = SIZES[kind](rng, count).astype(np.int32)
    limits = np.maximum(1, np.array(SCREEN) * (count / ON_SCREEN) ** 0.5).astype(np.int64)
    here = rng.integers(0, limits, (count, 2))
    if kind == "clustered":
        centres = rng.integers(0, 3 * limits, (-(-count // 50), 2))
        here = centres[rng.integers(0, len(centres), count)] + rng.normal(0, 60, (count, 2)).astype(np.int64)
    if kind == "bullets":
        size[:BULLETS] = 4
    frames: list[tuple[np.ndarray, ...]] = []
    for _ in range(8 if count <= 2000 else 3):
        frames.append((here[:, 0].astype(np.int32), here[:, 1].astype(np.int32), size))
        here = here + rng.integers(-MAX_STEP, MAX_STEP + 1, (count, 2))
    if kind == "rays":
        return with_rays(frames, rng)
    return with_little_moving(frames, rng) if kind == "1 % moving" else frames


def expected_pairs(kind: str, scene: Frame) -> np.ndarray:
    """Return the pairs that overlap, int64[m, 2] in ascending order, by NumPy and nothing of ours."""
    if kind == "rays":
        return expected_hits(scene)
    x, y, size = (array.astype(np.int64) for array in scene)
    right, bottom, lists = x + size[:, 0], y + size[:, 1], []
    firsts = range(BULLETS if kind == "bullets" else len(x))
    for i in firsts:
        b = slice(BULLETS if kind == "bullets" else i + 1, None)
        near = (x[b] < right[i]) & (right[b] > x[i]) & (y[b] < bottom[i]) & (bottom[b] > y[i])
        lists.append((b.start or 0) + np.flatnonzero(near))
    return np.stack([np.repeat(np.arange(len(lists)), [len(each) for each in lists]), np.concatenate(lists)], axis=1)


def pairs_by_world(frames: list[Frame]) -> Answer:
    """Ask `world.pairs`."""

    def answer(number: int) -> np.ndarray:
        x, y, size = frames[number]
        return world.pairs(x, y, size=size)

    return answer


def pairs_by_groups(frames: list[Frame]) -> Answer:
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
    sides[:, 0], sides[:, 1], sides[:, 2], sides[:, 3] = x, y, x + size[:, 0] - SHORTER, y + size[:, 1] - SHORTER
    return sides


def pairs_by_shapely(frames: list[Frame]) -> Answer:
    """Query an STRtree for all boxes at once."""
    import shapely

    def answer(number: int) -> np.ndarray:
        boxes = shapely.box(*_sides(frames[number]).T)
        first, second = shapely.STRtree(boxes).query(boxes)
        return np.stack((first, second), axis=1)[first < second]

    return answer


def bullets_by_shapely(frames: list[Frame]) -> Answer:
    """Query an STRtree of the others for ten boxes."""
    import shapely

    def answer(number: int) -> np.ndarray:
        boxes = shapely.box(*_sides(frames[number]).T)
        return shapely.STRtree(boxes[BULLETS:]).query(boxes[:BULLETS]).T + [0, BULLETS]

    return answer


def _rtree(sides: np.ndarray) -> Any:
    from rtree import index

    return index.Index((np.arange(len(sides)), sides[:, :2].copy(), sides[:, 2:].copy()))


def pairs_by_rtree(frames: list[Frame]) -> Answer:
    """Query an index, loaded in bulk, for all boxes at once."""

    def answer(number: int) -> np.ndarray:
        sides = _sides(frames[number])
        found, counts = _rtree(sides).intersection_v(sides[:, :2].copy(), sides[:, 2:].copy())
        first = np.repeat(np.arange(len(sides)), counts.astype(np.int64))
        return np.stack((first, found), axis=1)[first < found]

    return answer


def bullets_by_rtree(frames: list[Frame]) -> Answer:
    """Query an index of the others for ten boxes."""

    def answer(number: int) -> np.ndarray:
        sides = _sides(frames[number])
        found, counts = _rtree(sides[BULLETS:]).intersection_v(sides[:BULLETS, :2].copy(), sides[:BULLETS, 2:].copy())
        return np.stack((np.repeat(np.arange(BULLETS), counts.astype(np.int64)), found + BULLETS), axis=1)

    return answer


def pairs_by_scipy(frames: list[Frame]) -> Answer:
    """Query a tree of centres for the largest size, then compare what was found."""
    from scipy.spatial import cKDTree

    def answer(number: int) -> np.ndarray:
        sides = _sides(frames[number])
        reach = float((sides[:, 2:] - sides[:, :2]).max())
        tree = cKDTree((sides[:, :2] + sides[:, 2:]) / 2, balanced_tree=False, compact_nodes=False)
        found = tree.query_pairs(reach, p=np.inf, output_type="ndarray")
        a, b = sides[found[:, 0]], sides[found[:, 1]]
        return found[((a[:, :2] <= b[:, 2:]) & (b[:, :2] <= a[:, 2:])).all(axis=1)]

    return answer


def _rects(frames: list[Frame]) -> list[list[Any]]:
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # it greets on stdout
    import pygame

    return [[pygame.Rect(*each) for each in zip(x.tolist(), y.tolist(), *size.T.tolist())] for x, y, size in frames]


def pairs_by_pygame(frames: list[Frame]) -> Answer:
    """Ask `Rect.collidelistall` for each."""
    rects = _rects(frames)

    def answer(number: int) -> list[tuple[int, int]]:
        here = rects[number]
        return [(i, j) for i, rect in enumerate(here) for j in rect.collidelistall(here) if j > i]

    return answer


def bullets_by_pygame(frames: list[Frame]) -> Answer:
    """Ask `Rect.collidelistall` for ten."""
    rects = [(here[:BULLETS], here[BULLETS:]) for here in _rects(frames)]

    def answer(number: int) -> list[tuple[int, int]]:
        bullets, others = rects[number]
        return [(i, j + BULLETS) for i, rect in enumerate(bullets) for j in rect.collidelistall(others)]

    return answer


def pairs_by_quadtree(frames: list[Frame]) -> Answer:
    """Query fastquadtree's `RectQuadTree`, filled anew, for each box: closed ones of whole numbers."""
    from fastquadtree import RectQuadTree

    def answer(number: int) -> np.ndarray:
        x, y, size = frames[number]
        sides = np.stack([x, y, x + size[:, 0] - 1, y + size[:, 1] - 1], axis=1).astype(np.int32)
        bounds = (*(sides[:, :2].min(axis=0) - 1).tolist(), *(sides[:, 2:].max(axis=0) + 2).tolist())
        tree = RectQuadTree(bounds, 16, dtype="i32")
        tree.insert_many_np(sides)
        found = [tree.query_np(tuple(box))[0] for box in sides.tolist()]
        first, second = np.repeat(np.arange(len(x)), [len(each) for each in found]), np.concatenate(found)
        return np.stack([first, second], axis=1)[first < second]

    return answer


def pairs_by_box2d(frames: list[Frame]) -> Answer:
    """Put sensors into a `b2World`, and step it by no time; its contacts that touch."""
    import Box2D as b2

    x, _, size = frames[0]
    space = b2.b2World(gravity=(0, 0), doSleep=False)
    halves = ((size - SHORTER) / 2).tolist()
    bodies = [space.CreateDynamicBody(fixedRotation=True, userData=k) for k in range(len(x))]
    for body, half in zip(bodies, halves):
        body.CreatePolygonFixture(box=half, isSensor=True, density=1)
    places = [(np.stack(frame[:2], axis=1) + (size - SHORTER) / 2).tolist() for frame in frames]

    def answer(number: int) -> list[tuple[int, int]]:
        for body, place in zip(bodies, places[number]):
            body.position = place
        space.Step(0, 0, 0)
        return [(c.fixtureA.body.userData, c.fixtureB.body.userData) for c in space.contacts if c.touching]

    return answer


def pairs_by_numpy(frames: list[Frame]) -> Answer:
    """Compare all with all at once."""

    def answer(number: int) -> np.ndarray:
        x, y, size = frames[number]
        before = [np.less.outer(axis, axis + side) for axis, side in ((x, size[:, 0]), (y, size[:, 1]))]
        near = before[0] & before[0].T & before[1] & before[1].T
        return np.stack(np.divmod(np.flatnonzero(np.triu(near, 1)), len(x)), axis=1)

    return answer


def bullets_by_numpy(frames: list[Frame]) -> Answer:
    """Compare ten with all others at once."""

    def answer(number: int) -> np.ndarray:
        x, y, size = frames[number]
        right, bottom, b = x + size[:, 0], y + size[:, 1], BULLETS
        near = np.less.outer(x[:b], right[b:]) & np.greater.outer(right[:b], x[b:])
        near &= np.less.outer(y[:b], bottom[b:]) & np.greater.outer(bottom[:b], y[b:])
        return np.argwhere(near) + [0, BULLETS]

    return answer
