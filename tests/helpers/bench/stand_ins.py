"""Stand-ins for the libraries that `retrosim bench kernels` compares: what is asked of each, answered by NumPy.

They do what the libraries document (closed boxes where theirs are closed, ids in an order of their own), so that the
way in which each is asked is tested where it is not installed.
"""

from __future__ import annotations

import itertools
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np


def _meet(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return which closed boxes of `a` and of `b` have a point in common: left, top, right, bottom."""
    a = a[:, None]
    return ((a[..., :2] <= b[:, 2:]) & (b[:, :2] <= a[..., 2:])).all(axis=2)


class Tree:
    """`scipy.spatial.cKDTree`: distances up to `r`, but less than an upper bound."""

    def __init__(self, points: np.ndarray, balanced_tree: bool, compact_nodes: bool) -> None:
        self.points = points

    def _distances(self, points: np.ndarray) -> np.ndarray:
        return abs(points[:, None] - self.points).max(axis=2)

    def query_pairs(self, r: float, p: float, output_type: str) -> np.ndarray:
        assert (p, output_type) == (np.inf, "ndarray")
        return np.argwhere(np.triu(self._distances(self.points) <= r, 1))

    def query(
        self, points: np.ndarray, k: int, p: float, distance_upper_bound: float, workers: int
    ) -> tuple[np.ndarray, np.ndarray]:
        assert p == np.inf and workers == (2 if len(points) >= 20_000 else 1)
        distances = self._distances(points)
        order = distances.argsort(axis=1, kind="stable")[:, :k]
        near = np.take_along_axis(distances, order, axis=1)
        return np.where(near < distance_upper_bound, near, np.inf), order


class STRtree:
    """`shapely.STRtree`, of boxes that are rows of four numbers, as lines are."""

    def __init__(self, boxes: np.ndarray) -> None:
        self.boxes = boxes

    def query(self, shapes: np.ndarray, predicate: str | None = None) -> np.ndarray:
        if predicate is None:
            return np.stack(np.nonzero(_meet(shapes, self.boxes)))
        assert predicate == "intersects"
        x0, y0, x1, y1 = (column[:, None] for column in shapes.T.astype(float))
        bounds = np.sort(shapes.reshape(-1, 2, 2), axis=1).reshape(-1, 4)
        sides = [
            (x1 - x0) * (bottom - y0) - (y1 - y0) * (right - x0)
            for right, bottom in itertools.product(self.boxes.T[0::2], self.boxes.T[1::2])
        ]
        is_crossed = (np.min(sides, axis=0) <= 0) & (np.max(sides, axis=0) >= 0)
        return np.stack(np.nonzero(_meet(bounds, self.boxes) & is_crossed))


class Index:
    """`rtree.index.Index`, loaded from arrays of ids, least and greatest corners."""

    def __init__(self, stream: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
        self.ids, self.sides = stream[0], np.hstack(stream[1:])

    def intersection_v(self, mins: np.ndarray, maxs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        near = _meet(np.hstack([mins, maxs]), self.sides)
        return self.ids[np.nonzero(near)[1]], near.sum(axis=1).astype(np.uint64)


class Rect:
    """`pygame.Rect`, half open."""

    def __init__(self, x: int, y: int, width: int, height: int) -> None:
        self.sides = x, y, x + width, y + height

    def collidelistall(self, others: list[Rect]) -> list[int]:
        left, top, right, bottom = self.sides
        sides = ((number, *other.sides) for number, other in enumerate(others))
        return [n for n, x0, y0, x1, y1 in sides if left < x1 and x0 < right and top < y1 and y0 < bottom]


class RectQuadTree:
    """`fastquadtree.RectQuadTree`: closed boxes, all within the bounds."""

    def __init__(self, bounds: tuple[int, int, int, int], capacity: int, dtype: str) -> None:
        assert dtype == "i32"
        self.bounds = bounds

    def insert_many_np(self, sides: np.ndarray) -> None:
        assert sides.dtype == np.int32
        if (sides[:, :2] < self.bounds[:2]).any() or (sides[:, 2:] >= self.bounds[2:]).any():
            raise ValueError("outside of the bounds")
        self.sides = sides

    def query_np(self, box: tuple[int, int, int, int]) -> tuple[np.ndarray, np.ndarray]:
        ids = np.flatnonzero(_meet(np.array([box]), self.sides)[0])
        return ids, self.sides[ids]


class Body:
    """A body of `Box2D`, or of `pymunk`, whose ids are in no order."""

    _numbers = itertools.count()

    def __init__(self, *_: float, **given: Any) -> None:
        self.userData, self.id = given.get("userData"), 7919 * next(self._numbers) % 100_003
        self.position, self.half = (0.0, 0.0), (0.0, 0.0)

    def CreatePolygonFixture(self, box: tuple[float, float], isSensor: bool, density: float) -> None:
        assert isSensor
        self.half = box

    @property
    def sides(self) -> list[float]:
        return [*np.subtract(self.position, self.half), *np.add(self.position, self.half)]


class B2World:
    """`Box2D.b2World`; contacts are of all pairs that might touch."""

    def __init__(self, gravity: tuple[float, float], doSleep: bool) -> None:
        assert gravity == (0, 0) and not doSleep
        self.bodies: list[Body] = []
        self.contacts: list[SimpleNamespace] = []

    def CreateDynamicBody(self, fixedRotation: bool, userData: int) -> Body:
        self.bodies.append(Body(userData=userData))
        return self.bodies[-1]

    def Step(self, *step: float) -> None:
        assert step == (0, 0, 0)
        sides = np.array([body.sides for body in self.bodies])
        near, pairs = _meet(sides, sides), itertools.combinations(range(len(sides)), 2)
        of = lambda number: SimpleNamespace(body=self.bodies[number])  # noqa: E731
        self.contacts = [SimpleNamespace(fixtureA=of(a), fixtureB=of(b), touching=bool(near[a, b])) for a, b in pairs]


class Space:
    """`pymunk.Space`."""

    def __init__(self) -> None:
        self.bodies: list[Body] = []
        self.spatial_hash: tuple[float, int] | None = None
        self.near = np.zeros((0, 0), bool)

    def use_spatial_hash(self, side: float, count: int) -> None:
        self.spatial_hash = side, count

    def add(self, body: Body, shape: Body) -> None:
        assert body is shape
        self.bodies.append(body)

    def step(self, seconds: float) -> None:
        assert 0 < seconds < 1e-6
        sides = np.array([body.sides for body in self.bodies])
        self.near = np.triu(_meet(sides, sides), 1)


class Buffer:
    """`pymunk.batch.Buffer`."""

    def __init__(self) -> None:
        self.floats, self.ints = np.zeros(0), np.zeros(0, np.intp)

    def set_float_buf(self, data: np.ndarray) -> None:
        self.floats = data

    def int_buf(self) -> bytes:
        return self.ints.tobytes()

    def clear(self) -> None:
        self.ints = np.zeros(0, np.intp)


def _create_box(body: Body, size: tuple[float, float]) -> Body:
    body.half = size[0] / 2, size[1] / 2
    return body


def _set_space_bodies(space: Space, fields: int, buffer: Buffer) -> None:
    assert fields == 15
    rows = buffer.floats.reshape(len(space.bodies), 6)  # place, angle, velocity, angular velocity
    assert not rows[:, 2:].any()
    for body, row in zip(space.bodies, rows, strict=True):
        body.position = tuple(row[:2])


def _get_space_arbiters(space: Space, fields: int, buffer: Buffer) -> None:
    assert fields == 3
    ids = np.array([body.id for body in space.bodies], np.intp)
    buffer.ints = np.concatenate([buffer.ints, ids[np.argwhere(space.near)].ravel()])


def modules() -> dict[str, ModuleType]:
    """Return a module for each name under which the libraries are imported."""
    batch = {
        "Buffer": Buffer, "set_space_bodies": _set_space_bodies, "get_space_arbiters": _get_space_arbiters,
        "BodyFields": SimpleNamespace(POSITION=1, ANGLE=2, VELOCITY=4, ANGULAR_VELOCITY=8),
        "ArbiterFields": SimpleNamespace(BODY_A_ID=1, BODY_B_ID=2),
    }  # fmt: skip
    contents: dict[str, dict[str, Any]] = {
        "scipy.spatial": {"cKDTree": Tree},
        "shapely": {
            "STRtree": STRtree,
            "box": lambda *sides: np.stack(sides, axis=1).astype(float),
            "linestrings": lambda points: points.reshape(-1, 4),
        },
        "rtree.index": {"Index": Index},
        "pygame": {"Rect": Rect},
        "fastquadtree": {"RectQuadTree": RectQuadTree},
        "Box2D": {"b2World": B2World},
        "pymunk.batch": batch,
    }
    made = {name: ModuleType(name) for name in contents}
    for name, parts in contents.items():
        vars(made[name]).update(parts)
    made["pymunk"] = ModuleType("pymunk")
    vars(made["pymunk"]).update(
        Space=Space, Body=Body, Poly=SimpleNamespace(create_box=_create_box), batch=made["pymunk.batch"]
    )
    return made
