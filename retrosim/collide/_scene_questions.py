"""What can be asked of a scene that is kept: what lies at points, in boxes and circles, on segments, and nearest.

Each method takes a batch of questions. See `scene` for conventions, and `_queries` for the arithmetic.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from retrosim.checks import check_integer

from . import _queries
from ._arguments import EVERYONE
from ._boxes import Sorted, own_radii, scene_of
from ._results import Casts
from ._threads import one_at_a_time
from .kernels.hierarchical_grid import ANY, COUNTS, FIRST, FLAGS, INDEX, TWO, WORD


class Questions:
    """The part of `Scene` that answers questions.

    _table   int32[n, k]  see `kernels.kept_pairs`: boxes, ids, words
    _closed  bool         whether touching counts for boxes
    """

    _lock: Any
    _table: np.ndarray
    _closed: bool

    def _prepared(self) -> Sorted:
        """Return the scene, sorted."""
        raise NotImplementedError

    def _ids_of(self, rows: np.ndarray) -> np.ndarray:
        """Return the ids of rows of the table, -1 for -1."""
        return np.where(rows < 0, np.int32(-1), np.append(self._table[:, INDEX], np.int32(-1))[rows])

    def _with_ids(self, rows: np.ndarray) -> np.ndarray:
        """Return rows of query and object with ids in place of numbers."""
        return np.stack([rows[:, 0], self._table[rows[:, 1], INDEX]], axis=1)

    @one_at_a_time
    def at_points(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """List the objects at points: int32[m, 2] of point and id.

        >>> scene = Scene()
        >>> ids = scene.add(np.array([0, 20, 90]), np.array([0, 10, 5]), size=30)
        >>> scene.at_points(np.array([25]), np.array([15])).tolist()
        [[0, 0], [0, 1]]
        """
        points = _queries.own_points(x, y)
        return self._with_ids(_queries.near_boxes(self._prepared(), np.concatenate([points, points], axis=1)))

    @one_at_a_time
    def in_boxes(
        self,
        x: np.ndarray,
        y: np.ndarray,
        *,
        size: int | np.ndarray,
        category: int | np.ndarray = EVERYONE,
        mask: int | np.ndarray = EVERYONE,
    ) -> np.ndarray:
        """List the objects that overlap boxes, by the rule of the scene: int32[m, 2] of box and id.

        Without `category` and `mask` all objects are found, as by the other queries.

        >>> scene = Scene()
        >>> ids = scene.add(np.array([0, 20, 90]), np.array([0, 10, 5]), size=30)
        >>> scene.in_boxes(np.array([85]), np.array([0]), size=10).tolist()
        [[0, 2]]
        """
        asked, kind = self._asked(x, y, size, category, mask)
        words = None if kind == ANY else asked[:, WORD]
        return self._with_ids(_queries.near_boxes(self._prepared(), asked[:, :4].astype(np.int64), words))

    def _asked(self, x: Any, y: Any, size: Any, category: Any, mask: Any) -> tuple[np.ndarray, int]:
        """Check boxes; return them as a scene, and whether all objects are looked for, ANY, or as words say, TWO."""
        asked = scene_of(x, y, size, self._closed, category, mask)
        return asked, ANY if category is EVERYONE and mask is EVERYONE else TWO

    @one_at_a_time
    def any_in_boxes(
        self,
        x: np.ndarray,
        y: np.ndarray,
        *,
        size: int | np.ndarray,
        category: int | np.ndarray = EVERYONE,
        mask: int | np.ndarray = EVERYONE,
    ) -> np.ndarray:
        """Flag the boxes that some object overlaps, see `in_boxes`: uint8[q].

        >>> scene = Scene()
        >>> ids = scene.add(np.array([0, 20, 90]), np.array([0, 10, 5]), size=30)
        >>> scene.any_in_boxes(np.array([85, 55]), np.array([0, 0]), size=10).tolist()
        [1, 0]
        """
        return self._prepared().numbers(*self._asked(x, y, size, category, mask), FLAGS).astype(np.uint8)

    @one_at_a_time
    def counts_in_boxes(
        self,
        x: np.ndarray,
        y: np.ndarray,
        *,
        size: int | np.ndarray,
        category: int | np.ndarray = EVERYONE,
        mask: int | np.ndarray = EVERYONE,
    ) -> np.ndarray:
        """Count the objects that overlap each box, see `in_boxes`: int32[q].

        >>> scene = Scene()
        >>> ids = scene.add(np.array([0, 20, 90]), np.array([0, 10, 5]), size=30)
        >>> scene.counts_in_boxes(np.array([22, 55]), np.array([12, 0]), size=10).tolist()
        [2, 0]
        """
        return self._prepared().numbers(*self._asked(x, y, size, category, mask), COUNTS)

    @one_at_a_time
    def first_in_boxes(
        self,
        x: np.ndarray,
        y: np.ndarray,
        *,
        size: int | np.ndarray,
        category: int | np.ndarray = EVERYONE,
        mask: int | np.ndarray = EVERYONE,
    ) -> np.ndarray:
        """Find the lowest id of the objects that overlap each box, see `in_boxes`: int32[q], -1 for none.

        >>> scene = Scene()
        >>> ids = scene.add(np.array([0, 20, 90]), np.array([0, 10, 5]), size=30)
        >>> scene.first_in_boxes(np.array([22, 55]), np.array([12, 0]), size=10).tolist()
        [0, -1]
        """
        return self._ids_of(self._prepared().numbers(*self._asked(x, y, size, category, mask), FIRST))

    @one_at_a_time
    def in_circles(self, x: np.ndarray, y: np.ndarray, *, radius: int | np.ndarray) -> np.ndarray:
        """List the objects no farther from (x, y) than `radius`, 0..2147483647: int32[m, 2] of circle and id.

        >>> scene = Scene()
        >>> ids = scene.add(np.array([0, 20, 90]), np.array([0, 10, 5]), size=30)
        >>> scene.in_circles(np.array([60]), np.array([20]), radius=12).tolist()
        [[0, 1]]
        """
        points = _queries.own_points(x, y)
        radii = own_radii("radius", radius, len(points))
        return self._with_ids(_queries.in_circles(self._prepared(), self._table, points, radii))

    @one_at_a_time
    def on_segments(self, x0: np.ndarray, y0: np.ndarray, x1: np.ndarray, y1: np.ndarray) -> _queries.Crossings:
        """Find all objects on segments from (x0, y0) to (x1, y1), in ascending order, and where each is entered.

        >>> scene = Scene()
        >>> ids = scene.add(np.array([0, 20, 90]), np.array([0, 10, 5]), size=30)
        >>> ends = (np.array([n]) for n in (-10, 12, 110, 12))
        >>> scene.on_segments(*ends).rows.tolist()
        [[0, 0], [0, 1], [0, 2]]
        """
        return _queries.on_segments(self._prepared(), self._table, _queries.own_segments(x0, y0, x1, y1))

    @one_at_a_time
    def cast(self, x0: np.ndarray, y0: np.ndarray, x1: np.ndarray, y1: np.ndarray) -> Casts:
        """Find the first object on each segment from (x0, y0) to (x1, y1): a ray, a bullet, a line of sight.

        >>> scene = Scene()
        >>> ids = scene.add(np.array([0, 20, 90]), np.array([0, 10, 5]), size=30)
        >>> ends = (np.array([n]) for n in (60, 12, 110, 12))
        >>> found = scene.cast(*ends)
        >>> found.hit.tolist(), found.numerator.tolist(), found.denominator.tolist()
        ([2], [30], [50])
        """
        found = self.on_segments(x0, y0, x1, y1)
        first = _queries.first_of(found, len(x0))
        is_hit = first >= 0
        hit, numerator, denominator = np.full(len(first), -1, np.int32), np.zeros_like(first), np.ones_like(first)
        normal = np.zeros((len(first), 2), np.int8)
        hit[is_hit], numerator[is_hit] = found.rows[first[is_hit], 1], found.numerator[first[is_hit]]
        denominator[is_hit], normal[is_hit] = found.denominator[first[is_hit]], found.normal[first[is_hit]]
        return Casts(hit, numerator, denominator, normal)

    @one_at_a_time
    def nearest(self, x: np.ndarray, y: np.ndarray, *, k: int = 1) -> np.ndarray:
        """Return the k objects nearest to points, by distance, then by id: int32[q, k]; -1 where there are no more.

        >>> scene = Scene()
        >>> ids = scene.add(np.array([0, 20, 90]), np.array([0, 10, 5]), size=30)
        >>> scene.nearest(np.array([80]), np.array([0]), k=2).tolist()
        [[2, 1]]
        """
        check_integer("k", k, 1, 1 << 16)
        return self._ids_of(_queries.nearest(self._prepared(), self._table, _queries.own_points(x, y), k))
