"""A scene that is kept from frame to frame: objects are added, moved, removed; it answers questions and tells events.

    >>> import numpy as np
    >>> from retrosim.collide.scene import Scene
    >>> scene = Scene()
    >>> walls = scene.add(np.array([0, 200]), np.array([0, 50]), size=np.array([[100, 20], [30, 30]]))
    >>> hero, = scene.add(np.array([90]), np.array([10]), size=16)
    >>> scene.pairs().tolist(), scene.events().enter.tolist()
    ([[0, 2]], [[0, 2]])
    >>> scene.move([hero], np.array([190]), np.array([60]))
    >>> events = scene.events()
    >>> events.enter.tolist(), events.stay.tolist(), events.exit.tolist()
    ([[1, 2]], [], [[0, 2]])
    >>> scene.at_points(np.array([5, 210]), np.array([5, 55])).tolist()  # point, object
    [[0, 0], [1, 1]]
    >>> ray = (np.array([number]) for number in (0, 40, 400, 80))  # from (0, 40) to (400, 80)
    >>> shot = scene.cast(*ray)
    >>> shot.hit.tolist(), shot.numerator.tolist(), shot.denominator.tolist(), shot.normal.tolist()
    ([1], [8000], [16000], [[-1, 0]])
    >>> scene.nearest(np.array([0]), np.array([100]), k=2).tolist()
    [[0, 2]]
    >>> saved = scene.copy()
    >>> scene.remove([hero])
    >>> len(scene), len(saved), scene.hash() == saved.hash()
    (2, 3, False)

Conventions
    ids       int32; an object keeps its number, which is never used again. Calls take any integers[k] or a list of them
    x, y, size, category, mask  as in `retrosim.collide.world`
    closed    of the scene: whether touching counts for boxes
    queries   a box is the rectangle from its first to its last unit, so that a half-open box of 30 at 0 has the points
              0..29; its sides are part of it. Results are int32[m, 2]: query and id, in ascending order
    Errors    ValueError  names the argument, its value and what is allowed; the scene is as it was before

All answers are those of `world` for the same objects; they follow from the objects alone, not from their history.
Any number of threads may use a scene: their calls come one after the other. Copies are scenes of their own.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from retrosim.checks import check_integer
from retrosim.jit import REFUSED_TYPES

from . import _queries
from ._arguments import EVERYONE, form_of, is_array
from ._boxes import NO_RESULTS, NO_ROWS, Sorted, are_compiled, check_rows, chunks_of, own_radii, rows_for, scene_of
from ._first_calls import COMPILER, is_admitted
from ._queries import own_points
from ._results import Casts, Events, check_capacity, keys_of, sort_keys
from ._threads import one_at_a_time
from .kernels.pairs.hierarchical_grid import (
    ANY,
    BOTTOM,
    COUNTS,
    FIRST,
    FLAGS,
    INDEX,
    LEFT,
    ONE,
    PAIRS,
    RIGHT,
    TOP,
    TWO,
    WORD,
)
from .kernels.pairs.kept_pairs import COLUMNS, MAX_NEW, MOVE, STAMP, compare_lists, keep_new, merge_pairs, update_small

MAX_IDS = MAX_STAMP = (1 << 31) - 1
SHARE = 8  # an eighth of the objects is little enough to compare with what was sorted before it moved
PAIR = np.dtype(np.int32)
ARRAY, SAME = np.ndarray, np.empty((0, 2), np.int32)  # sides that stay as they are


class Scene:
    """Objects that stay; see the module for conventions and examples."""

    def __init__(self, *, closed: bool = False) -> None:
        scene_of(NO_RESULTS, NO_RESULTS, 1, closed)
        self._lock = threading.RLock()
        self._closed = closed
        self._table = np.empty((0, COLUMNS), np.int32)  # by id; INDEX is the id
        self._is_shared = self._has_gaps = False  # whether a copy has the same table; whether ids are missing
        self._next = self._stamp = 0  # the next id, the last change
        self._before = NO_ROWS
        self._ordered: tuple[Sorted, int] | None = None  # a sorted scene, and the last change that it knows
        self._listed: tuple[np.ndarray, int] | None = None  # pairs of rows, int32[m, 2], ours alone; the same

    def __len__(self) -> int:
        return len(self._table)

    @property
    def ids(self) -> np.ndarray:
        """The objects that there are, int32[n], in ascending order; a copy."""
        return self._table[:, INDEX].copy()

    @one_at_a_time
    def boxes(self) -> np.ndarray:
        """Return x, y, width and height of each object, in the order of `ids`: int64[n, 4].

        >>> scene = Scene()
        >>> ids = scene.add(np.array([0, 20, 90]), np.array([0, 10, 5]), size=30)
        >>> scene.boxes()[1].tolist()
        [20, 10, 30, 30]
        """
        sides = self._table[:, :4].astype(np.int64)
        sides[:, 2:] -= sides[:, :2] - (not self._closed)
        return sides

    @one_at_a_time
    def add(
        self,
        x: np.ndarray,
        y: np.ndarray,
        *,
        size: int | np.ndarray,
        category: int | np.ndarray = EVERYONE,
        mask: int | np.ndarray = EVERYONE,
    ) -> np.ndarray:
        """Add objects; return their ids, int32[k]: 0, 1, 2 .. in the order in which they are added to the scene.

        >>> scene = Scene()
        >>> scene.add(np.array([0, 20]), np.array([0, 10]), size=np.array([[30, 8], [16, 16]])).tolist()
        [0, 1]
        """
        scene = scene_of(x, y, size, self._closed, category, mask)
        check_integer("ids", self._next + len(scene), 0, MAX_IDS)
        self._stamp = self._next_stamp()
        added = np.empty((len(scene), COLUMNS), np.int32)
        added[:, :STAMP], added[:, STAMP] = scene, self._stamp
        added[:, INDEX] += np.int32(self._next)
        self._next += len(added)
        self._table, self._is_shared = np.concatenate([self._table, added]), False
        return added[:, INDEX].copy()

    def move(
        self, ids: np.ndarray | Sequence[int], x: np.ndarray, y: np.ndarray, *, size: int | np.ndarray | None = None
    ) -> None:
        """Put objects where x and y say; their sizes stay, unless they are given.

        >>> scene = Scene()
        >>> ids = scene.add(np.array([0, 20, 90]), np.array([0, 10, 5]), size=30)
        >>> scene.move(ids[2:], np.array([10]), np.array([9]))
        >>> scene.boxes()[2].tolist()
        [10, 9, 30, 30]
        """
        given = np.array(ids) if type(ids) is list else ids
        sides = SAME if size is None else size
        with self._lock:
            if type(given) is type(x) is type(y) is type(sides) is ARRAY:
                stamp, table = self._next_stamp(), self._own_table()
                try:
                    if MOVE.call(given, x, y, sides, int(self._closed), stamp, table) == 0:
                        self._stamp = stamp
                        return
                except REFUSED_TYPES:
                    pass
            self._move_checked(ids, x, y, size)
        if type(given) is type(x) is type(y) is type(sides) is ARRAY and sides.ndim == 2:
            is_admitted(MOVE, given, x, y, sides, 0, 0, self._table)

    def _move_checked(self, ids: Any, x: Any, y: Any, size: Any) -> None:
        """Do what `move` does, after a look at each argument."""
        where, points = self._where(ids), own_points(x, y)
        if len(points) != len(where):
            raise ValueError(f"x has length {len(points)}: allowed {len(where)}, as ids has")
        sides = np.ascontiguousarray(self.boxes()[where, 2:]) if size is None else size
        moved = scene_of(points[:, 0].copy(), points[:, 1].copy(), sides, self._closed)
        stamp, table = self._next_stamp(), self._own_table()
        table[where, :4], table[where, STAMP] = moved[:, :4], stamp
        self._stamp = stamp

    @one_at_a_time
    def remove(self, ids: np.ndarray | Sequence[int]) -> None:
        """Take objects out of the scene.

        >>> scene = Scene()
        >>> ids = scene.add(np.array([0, 20, 90]), np.array([0, 10, 5]), size=30)
        >>> scene.remove([1])
        >>> scene.ids.tolist()
        [0, 2]
        """
        stays, listed = np.ones(len(self), bool), self._listed
        stays[self._where(ids)] = False
        if listed is not None:
            rows = listed[0][stays[listed[0]].all(axis=1)]
            self._listed = (np.cumsum(stays, dtype=np.int32) - np.int32(1))[rows], listed[1]
        self._table = self._table[stays]
        self._is_shared, self._has_gaps, self._ordered = False, True, None

    def _next_stamp(self) -> int:
        """Return the number of the next change."""
        if self._stamp == MAX_STAMP:
            self._own_table()[:, STAMP] = self._stamp = 0
            self._listed = self._ordered = None
        return self._stamp + 1

    def _own_table(self) -> np.ndarray:
        """Return the table, which no copy of the scene has any more."""
        if self._is_shared:
            self._table, self._is_shared = self._table.copy(), False
        return self._table

    def _where(self, ids: Any) -> np.ndarray:
        """Return the rows of objects. Errors: ValueError, for an id that is not there, or is there twice."""
        try:
            given = np.array(ids, np.int64) if isinstance(ids, list | tuple) and not len(ids) else np.array(ids)
        except ValueError:  # of different lengths
            given = np.empty(0)
        is_vector = given.ndim == 1 and given.dtype.kind in "iu" and given.dtype.isnative
        if (isinstance(ids, np.ndarray) and not is_array(ids)) or not is_vector:
            raise ValueError(f"ids are {form_of(ids)}: allowed integers[k]")
        here = self._table[:, INDEX]
        where = np.searchsorted(here, given)
        known = where < len(here)
        known[known] = here[where[known]] == given[known]
        if not known.all():
            index = int(np.argmin(known))
            raise ValueError(f"ids[{index}] = {given[index]}: allowed ids of objects in the scene")
        if len(np.unique(given)) != len(given):
            raise ValueError(f"ids of {len(given)} objects: allowed each one once")
        return where

    def _prepared(self) -> Sorted:
        """Return the scene, sorted."""
        ordered = self._ordered
        if ordered is None or ordered[1] != self._stamp:
            table = self._table if are_compiled() else self._table.copy()  # NumPy sorts later
            ordered = self._ordered = Sorted(table, 0, len(table)), self._stamp
        return ordered[0]

    def _numbers(self, wanted: int) -> np.ndarray:
        return self._prepared().numbers(self._table, ONE, wanted)

    @one_at_a_time
    def collided(self) -> np.ndarray:
        """Flag every object that is in some collision: uint8[n], in the order of `ids`.

        >>> scene = Scene()
        >>> ids = scene.add(np.array([0, 20, 90]), np.array([0, 10, 5]), size=30)
        >>> scene.collided().tolist()
        [1, 1, 0]
        """
        return self._numbers(FLAGS).astype(np.uint8)

    @one_at_a_time
    def counts(self) -> np.ndarray:
        """Count the objects that each one collides with: int32[n], in the order of `ids`.

        >>> scene = Scene()
        >>> ids = scene.add(np.array([0, 20, 90]), np.array([0, 10, 5]), size=30)
        >>> scene.counts().tolist()
        [1, 1, 0]
        """
        return self._numbers(COUNTS)

    @one_at_a_time
    def first(self) -> np.ndarray:
        """Find the lowest id that each object collides with, -1 for none: int32[n], in the order of `ids`.

        >>> scene = Scene()
        >>> ids = scene.add(np.array([0, 20, 90]), np.array([0, 10, 5]), size=30)
        >>> scene.first().tolist()
        [1, 0, -1]
        """
        return self._ids_of(self._numbers(FIRST))

    def pairs(self) -> np.ndarray:
        """List every overlapping pair once: int32[m, 2] of ids, the lower one first, in ascending order.

        >>> scene = Scene()
        >>> ids = scene.add(np.array([0, 20, 90]), np.array([0, 10, 5]), size=30)
        >>> scene.pairs().tolist()
        [[0, 1]]
        """
        with self._lock:
            rows = self._pairs()
            return self._table[:, INDEX][rows] if self._has_gaps else rows.copy()

    def _pairs(self) -> np.ndarray:
        """List pairs of rows of the table; the list is kept."""
        listed, stamp, found = self._listed, self._stamp, None
        if listed is not None:
            if listed[1] == stamp:
                return listed[0]
            found = _update_by_comparing(self._table, *listed)
            if found is None:
                found = self._update_by_order(*listed)
        if found is None:
            found = _every_pair(self._table, self._prepared())
        self._listed = found, stamp
        return found

    def _update_by_order(self, rows: np.ndarray, stamp: int) -> np.ndarray | None:
        """Bring a list of pairs up to date by the scene as it was sorted last; None if it should be made anew."""
        table, ordered = self._table, self._ordered
        if not _are_ready() or not _has_little_moved(table, stamp):
            return None
        if ordered is None or not _has_little_moved(table, ordered[1]):
            ordered = self._prepared(), self._stamp
        return _update_by_order(table, rows, stamp, *ordered)

    @one_at_a_time
    def chunks(self, *, rows: int = 1 << 20) -> Iterator[np.ndarray]:
        """Make the list of `pairs` in parts, see `world.chunks`; the scene may change meanwhile.

        >>> scene = Scene()
        >>> ids = scene.add(np.array([0, 20, 90]), np.array([0, 10, 5]), size=30)
        >>> [rows.tolist() for rows in scene.chunks(rows=1)]
        [[[0, 1]]]
        """
        check_rows(rows)
        scene, ids = self._table.copy(), self.ids
        scene[:, INDEX] = np.arange(len(scene))
        return (ids[part] for part in chunks_of(self._prepared(), scene, rows))

    def events(self) -> Events:
        """Compare the pairs that collide with those of the last call: once a frame.

        >>> scene = Scene()
        >>> ids = scene.add(np.array([0, 20, 90]), np.array([0, 10, 5]), size=30)
        >>> scene.events().enter.tolist(), scene.events().stay.tolist()
        ([[0, 1]], [[0, 1]])
        """
        with self._lock:
            now, before = self.pairs(), self._before
            self._before = now.copy()
        if _are_ready():
            return Events(*_compared(before, now))
        here, then = (rows[:, 0].astype(np.int64) << 32 | rows[:, 1] for rows in (now, before))
        stays, stayed = (np.isin(a, b, assume_unique=True) for a, b in ((here, then), (then, here)))
        return Events(now[~stays], now[stays], before[~stayed])

    @one_at_a_time
    def copy(self) -> Scene:
        """Return a scene that is the same, events included, and independent from now on: to go back to.

        >>> scene = Scene()
        >>> ids = scene.add(np.array([0, 20, 90]), np.array([0, 10, 5]), size=30)
        >>> saved = scene.copy()
        >>> scene.remove([0])
        >>> len(scene), len(saved)
        (2, 3)
        """
        other = Scene.__new__(Scene)
        self._is_shared = True  # either one copies the table before it writes into it
        vars(other).update(vars(self), _lock=threading.RLock())
        return other

    __copy__ = copy

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=threading.RLock())

    @one_at_a_time
    def hash(self) -> str:
        """Return 32 hex digits of all that answers depend on: the same on every machine.

        >>> scene = Scene()
        >>> ids = scene.add(np.array([0, 20, 90]), np.array([0, 10, 5]), size=30)
        >>> scene.hash() == scene.copy().hash()
        True
        """
        digest = hashlib.blake2b(digest_size=16)
        digest.update(np.array([self._closed, self._next, len(self), len(self._before)], "<i8").tobytes())
        digest.update(self._table[:, [LEFT, TOP, RIGHT, BOTTOM, INDEX, WORD]].astype("<i4").tobytes())
        digest.update((self._before[:, 0].astype("<i8") << 32 | self._before[:, 1]).astype("<i8").tobytes())
        return digest.hexdigest()

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


# The pairs of the last list, brought up to date for what has moved since; where much has moved, all are looked for
# anew. See `kernels.kept_pairs` for stamps, tables and the arguments of all functions here.


def _are_ready() -> bool:
    """Tell whether the kernels are compiled."""
    return are_compiled() and COMPILER.is_done("kept", _compile)


def _compile() -> None:
    """Call the kernels, for nothing, with arguments of the types that they always have."""
    table, rows, keys = np.zeros((1, COLUMNS), np.int32), np.empty((MAX_NEW, 2), np.int32), np.zeros(1, np.int64)
    update_small(table, 0, rows[:0], rows)
    merge_pairs(table, 0, rows[:0], keys[:0], rows)
    keep_new(table, 0, 0, keys, keys, keys[:0], keys)
    compare_lists(rows[:0], rows[:0], np.empty((3, 0, 2), np.int32))


def _every_pair(table: np.ndarray, ordered: Sorted) -> np.ndarray:
    """List all pairs."""
    rows = np.empty((rows_for(len(table)), 2), PAIR)
    total = ordered.search(table, 0, len(table), ONE, PAIRS, keys_of(rows), NO_RESULTS)
    check_capacity(total, None, instead="; `chunks` makes them in parts")
    if total > len(rows):
        rows = np.empty((total, 2), PAIR)
        ordered.search(table, 0, len(table), ONE, PAIRS, keys_of(rows), NO_RESULTS)
    sort_keys(rows[:total], True)
    return rows[:total]


def _update_by_comparing(table: np.ndarray, before: np.ndarray, since: int) -> np.ndarray | None:
    """Bring a list up to date if next to nothing has moved; None: it is more than that, or nothing is compiled yet."""
    if "kept" not in COMPILER.done and not _are_ready():
        return None
    rows = np.empty((len(before) + MAX_NEW, 2), PAIR)
    total = update_small(table, since, before, rows)
    return rows[:total] if total >= 0 else None


def _has_little_moved(table: np.ndarray, stamp: int) -> bool:
    """Tell whether so little has moved since a change that what was made after it is worth bringing up to date."""
    return int(np.count_nonzero(table[:, STAMP] > stamp)) * SHARE <= len(table)


def _update_by_order(
    table: np.ndarray, before: np.ndarray, since: int, ordered: Sorted, sorted_at: int
) -> np.ndarray | None:
    """Bring a list up to date by a scene as it was sorted once; None if there are too many new pairs for that."""
    stamps = table[:, STAMP]
    moved, stale = np.flatnonzero(stamps > since), np.flatnonzero(stamps > sorted_at)
    asked = table[moved]
    asked[:, INDEX] = moved
    found, keys = np.empty((2, rows_for(len(moved))), np.int64)
    total = ordered.search(asked, 0, len(asked), TWO, PAIRS, found, NO_RESULTS)
    if total > len(found):
        return None
    new = keep_new(table, since, sorted_at, moved, stale, found[:total], keys)
    if new > len(keys):
        return None
    keys[:new].sort()
    rows = np.empty((len(before) + new, 2), PAIR)
    return rows[: merge_pairs(table, since, before, keys[:new], rows)]


def _compared(before: np.ndarray, now: np.ndarray) -> list[np.ndarray]:
    """Return the pairs that enter, stay and exit, see `compare_lists`."""
    changes = np.empty((3, len(before) + len(now), 2), PAIR)
    return [rows[:count].copy() for rows, count in zip(changes, compare_lists(before, now, changes))]
