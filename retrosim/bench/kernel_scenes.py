"""Scenes of `retrosim bench kernels`: objects that move from frame to frame, and the right answers for each frame.

The plane grows with the number of objects, 200 to a screen. Scenes of SQUARES have one size; the others ask for the
pairs of boxes of many sizes, of ten bullets and all others, or for the objects that segments meet.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from retrosim.collide import plane, world
from retrosim.collide.kernels.pairs.sectors import SCREEN_HEIGHT, SCREEN_WIDTH

Frame = tuple[np.ndarray, ...]
"""x, y int32[n], pixels; of boxes of many sizes size int32[n, 2], and of rays int64[RAYS, 4] after them."""
SIDE = 30  # pixels
FLAGS, PAIRS = "flags", "pairs"
SQUARES = "squares"
ON_SCREEN = 200  # objects on the screen: the density of Moertel 1994
MAX_STEP = 3  # pixels that an object moves in a frame along each axis
BULLETS = 10
RAYS = 1000
LONGEST = 300  # pixels of a segment along each axis
MAX_JUDGED = 5_000  # objects up to which every pair is compared


def moving_scene(count: int, seed: int) -> list[Frame]:
    """Place objects at random on a plane that grows with their number, and let them move.

    Returns  x, y of each frame: int32[count], pixels; 16 frames up to 2000 objects, 4 up to 200 000, then 2
    """
    rng = np.random.default_rng([seed, count])
    scale = (count / ON_SCREEN) ** 0.5
    limits = max(1, round(SCREEN_WIDTH * scale)), max(1, round(SCREEN_HEIGHT * scale))
    here = [rng.integers(0, limit, count) for limit in limits]
    frames = []
    for _ in range(16 if count <= 2_000 else 4 if count <= 200_000 else 2):
        frames.append(tuple(axis.astype(np.int32) for axis in here))
        moved = [axis + rng.integers(-MAX_STEP, MAX_STEP + 1, count) for axis in here]
        here = [np.clip(axis, 0, limit - 1) for axis, limit in zip(moved, limits)]
    return frames


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
    limits = np.maximum(1, np.array((SCREEN_WIDTH, SCREEN_HEIGHT)) * (count / ON_SCREEN) ** 0.5).astype(np.int64)
    here = rng.integers(0, limits, (count, 2))
    if kind == "clustered":
        centres = rng.integers(0, 3 * limits, (-(-count // 50), 2))
        here = centres[rng.integers(0, len(centres), count)] + rng.normal(0, 60, (count, 2)).astype(np.int64)
    if kind == "bullets":
        size[:BULLETS] = 4
    frames: list[Frame] = []
    for _ in range(8 if count <= 2000 else 3):
        frames.append((here[:, 0].astype(np.int32), here[:, 1].astype(np.int32), size))
        here = here + rng.integers(-MAX_STEP, MAX_STEP + 1, (count, 2))
    if kind == "rays":
        return _with_rays(frames, rng)
    return _with_little_moving(frames, rng) if kind == "1 % moving" else frames


def _with_little_moving(frames: list[Frame], rng: np.random.Generator) -> list[Frame]:
    """Let one object in a hundred move, and one at least."""
    x, y, size = frames[0]
    made: list[Frame] = []
    for _ in frames:
        made.append((x, y, size))
        some = rng.permutation(len(x))[: max(1, len(x) // 100)]
        x, y = x.copy(), y.copy()
        for axis in (x, y):
            axis[some] += rng.integers(-3, 4, len(some)).astype(axis.dtype)
    return made


def _with_rays(frames: list[Frame], rng: np.random.Generator) -> list[Frame]:
    """Add segments to a scene; as many frames, of which only these differ."""
    x, y, size = frames[0]
    made: list[Frame] = []
    for _ in frames:
        begin = np.stack([rng.integers(axis.min(), axis.max() + 1, RAYS) for axis in (x, y)], axis=1)
        made.append((x, y, size, np.hstack([begin, begin + rng.integers(-LONGEST, LONGEST + 1, (RAYS, 2))])))
    return made


def every_pair(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the pairs that overlap, int[m, 2] in ascending order, by NumPy and nothing of ours."""
    x, y = x.astype(np.int64), y.astype(np.int64)
    lists = [
        i + 1 + np.flatnonzero((abs(x[i + 1 :] - x[i]) < SIDE) & (abs(y[i + 1 :] - y[i]) < SIDE)) for i in range(len(x))
    ]
    return np.stack([np.repeat(np.arange(len(x)), [len(row) for row in lists]), np.concatenate(lists)], axis=1)


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
    return np.stack([np.repeat(np.arange(len(lists)), [len(row) for row in lists]), np.concatenate(lists)], axis=1)


def expected_hits(frame: Frame) -> np.ndarray:
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
    return np.stack([np.repeat(np.arange(RAYS), [len(row) for row in lists]), RAYS + np.concatenate(lists)], axis=1)


class Judge:
    """The right answers for some frames: by NumPy up to MAX_JUDGED objects, then our pairs, for peers to confirm.

    scene  which kind, SQUARES or one of SIZES
    """

    def __init__(self, frames: list[Frame], scene: str = SQUARES) -> None:
        self._count = len(frames[0][0])
        is_small = self._count <= MAX_JUDGED or scene in ("bullets", "rays")
        self.method = "every pair" if is_small else "plane.pairs" if scene == SQUARES else "world.pairs"
        self._pairs = [self._right_pairs(frame, scene) for frame in frames]

    def _right_pairs(self, frame: Frame, scene: str) -> np.ndarray:
        """Return the pairs of a frame."""
        if self.method != "every pair":
            return plane.pairs(*frame) if scene == SQUARES else world.pairs(*frame[:2], size=frame[2])
        return every_pair(*frame) if scene == SQUARES else expected_pairs(scene, frame)

    def difference(self, question: str, number: int, answer: Any) -> str | None:
        """Return what is wrong with an answer to frame `number`, None if it is right."""
        right, given = self._pairs[number], np.asarray(answer)
        if question == FLAGS:
            flags = np.zeros(self._count, bool)
            flags[right.ravel()] = True
            wrong = np.count_nonzero(flags != (given != 0)) if given.shape == flags.shape else self._count
            return f"wrong collision flags: {wrong} of {self._count}" if wrong else None
        given = given.reshape(-1, 2).astype(np.int64)
        keys = np.sort(given.min(axis=1) << 32 | given.max(axis=1))
        is_right = np.array_equal(keys, right[:, 0].astype(np.int64) << 32 | right[:, 1].astype(np.int64))
        return None if is_right else f"wrong pairs: {len(given)}, expected {len(right)}"
