"""Contenders for segments among boxes, and for scenes of which little moves: `collide.scene`, and peers.

A scene of rays is one of mixed sizes and as many segments as RAYS; every object that a segment meets is wanted, and the
index is kept where a library keeps one, since nothing moves. In the other kind one object in a hundred moves.

pymunk's `segment_query` and pygame's `clipline` round: of 3000 hits among 50 objects the one misses 8 that only touch,
the other one finds 79 more. So they are no peers here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from retrosim.collide.scene import Scene

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
