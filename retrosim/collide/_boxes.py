"""Boxes of any size at any place: what leads from arguments to the kernels of `kernels.hierarchical_grid`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import local
from typing import Any, NamedTuple

import numpy as np

from retrosim.checks import check_integer, shortened

from . import _first_calls
from ._arguments import EVERYONE, check_layout, check_range, filter_of, form_of, is_array, own_copy, sides_of
from ._first_calls import call
from ._results import MAX_PAIRS, check_capacity, keys_of, row_table, sort_keys
from ._threads import both
from .kernels.pairs import hierarchical_grid as grid
from .kernels.pairs.hierarchical_grid import (
    ANY,
    BOTTOM,
    COUNTS,
    FIRST,
    FLAGS,
    INDEX,
    LATER,
    LEFT,
    NONE,
    ONE,
    PAIRS,
    RIGHT,
    TOP,
    TWO,
    WORD,
    search_scenes,
)
from .kernels.pairs.pair_keys import add_below
from .kernels.pairs.simd import BOXES_AT_ONCE
from .kernels.pairs.uniform_grid import MAX_COUNTED

# Counts and first hits for crowds, where there are too many pairs to look at them all.
#
# What does not overlap a box lies wholly to the left, to the right, above or below, and what lies in a corner is two of
# these. All are numbers of points below a point, in one axis or in two, so the time depends on the objects alone.
#
# The lowest box that overlaps another is looked for among the first ones, then among the next, more and more at a time;
# in a crowd few are left after the first of these blocks.
#
# Arrays of all functions here
#     asked, boxes  int32[n, 6], int32[m, 6]  columns of `kernels.hierarchical_grid`; INDEX counts from 0

FIRST_BLOCK = 64  # boxes among which first hits are looked for first
Search = Callable[[np.ndarray, int, int, int, np.ndarray, int], int]
MAX_WORDS = 64  # different ones among those that are asked about: each takes a pass over all


def counts(asked: np.ndarray, boxes: np.ndarray, kind: int) -> np.ndarray | None:
    """Count the boxes that each one collides with, int32[n]; None if there are more than MAX_WORDS different words.

    kind  ONE: `asked` are the boxes themselves, and none collides with itself; TWO, or ANY, whatever their words
    """
    if kind == ANY:
        return touching(asked, boxes).astype(np.int32)
    words, numbers = np.unique(asked[:, WORD], return_inverse=True)
    if len(words) > MAX_WORDS:
        return None
    results = np.zeros(len(asked), np.int64)
    for number, word in enumerate(words):
        mine = numbers == number
        results[mine] = touching(asked[mine], boxes[meets(word, boxes[:, WORD])])
        if kind == ONE and meets(word, words[number : number + 1])[0]:
            results[mine] -= 1
    return results.astype(np.int32)


def first(asked: np.ndarray, count: int, kind: int, search: Search, limit: int) -> np.ndarray:
    """Find the lowest box that each one collides with, int32[n], NONE for none.

    count   how many boxes there are
    kind    as for `counts`
    search  does what `Sorted.search` does for FIRST, for boxes begin .. end - 1 alone, numbered from 0, with arguments
            asked, begin, end, kind, results, limit
    limit   pairs of one search: FIRST_BLOCK for each of `asked` or more
    """
    found, begin, size = np.full(len(asked), NONE, np.int32), 0, FIRST_BLOCK
    while begin < count:
        end = min(begin + size, count)
        left = np.flatnonzero(found == NONE)
        own = left[(left >= begin) & (left < end)] if kind == ONE else left[:0]
        others = np.setdiff1d(left, own, assume_unique=True)
        rows, results = asked[others], np.full(len(others), NONE, np.int32)
        rows[:, INDEX] = np.arange(len(others))
        mine = np.full(end - begin if len(own) else 0, NONE, np.int32)
        is_done = search(rows, begin, end, ANY if kind == ANY else TWO, results, limit) <= limit
        if is_done and len(own):
            is_done = search(asked[begin:end], begin, end, ONE, mine, limit) <= limit
        if not is_done:
            size = FIRST_BLOCK
            continue
        for where, here in ((others, results), (own, mine[own - begin] if len(own) else mine)):
            found[where] = np.where(here == NONE, NONE, here + begin)
        begin, size = end, 2 * size
    return found


def meets(word: np.int32, words: np.ndarray) -> np.ndarray:
    """Tell which of some words let their objects collide with one, bool[m]; see `hierarchical_grid.may_meet`."""
    one, other = np.int64(word), words.astype(np.int64)
    both = one & (other >> 16 & 0xFFFF | other << 16)
    found: np.ndarray = (both & 0xFFFF != 0) & (both >> 16 & 0xFFFF != 0)
    return found


def touching(asked: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """Count the boxes that have a point in common with each one, whatever their words: int64[n]."""
    sides, others = asked.astype(np.int64), boxes.astype(np.int64)
    left = (others[:, RIGHT], sides[:, LEFT])  # what ends before this begins lies to the left
    right = (-others[:, LEFT], -sides[:, RIGHT])
    above = (others[:, BOTTOM], sides[:, TOP])
    below = (-others[:, TOP], -sides[:, BOTTOM])
    found = np.full(len(asked), len(boxes), np.int64)
    for points, limits in (left, right, above, below):
        found -= np.searchsorted(np.sort(points), limits)
    for first in (left, right):
        for second in (above, below):
            _add_below(*first, *second, found)
    return found


def _add_below(
    points: np.ndarray, limits: np.ndarray, others: np.ndarray, bounds: np.ndarray, found: np.ndarray
) -> None:
    """Add the numbers of points that are below limits, where the others, of the same points, are below bounds."""
    order, across = np.argsort(points, kind="stable"), np.argsort(others, kind="stable")
    ranks = np.empty(len(points), np.int64)
    ranks[across] = np.arange(len(points))
    before, below = np.searchsorted(points[order], limits), np.searchsorted(others[across], bounds)
    where = np.argsort(before, kind="stable")
    tree, bits = np.zeros(len(points) + 1, np.int32), len(points).bit_length()
    count = (len(points) + len(limits)) * bits
    call(add_below, lambda: count, ranks[order], before[where], below[where], where, tree, found)


MIN_COORDINATE, MAX_COORDINATE = -(1 << 31), (1 << 31) - 1
MAX_OBJECTS = 1 << 24
MAX_KEPT = 100_000  # objects for which a thread keeps memory: 6 MB
TWO_THREADS = 100_000  # objects to look for: some milliseconds of work
MAX_COMPARED = 100  # to compare them with an object takes about as long as to sort it
NOTHING, NO_ROWS = np.empty(0, np.int64), np.empty((0, 2), np.int32)
NO_RESULTS = np.empty(0, np.int32)
KERNELS = "scenes"  # for `_first_calls.COMPILER`


def own_axis(name: str, values: np.ndarray) -> np.ndarray:
    """Return a copy of a vector of any integers that fit 32 bits, int32[n]."""
    if not is_array(values) or values.dtype.kind not in "iu" or not values.dtype.isnative:
        raise ValueError(f"{name} is {form_of(values)}: allowed integers[n]; `quantise({name})` makes them of others")
    if values.ndim != 1:
        raise ValueError(f"{name} has shape {values.shape}: allowed one dimension, [n]")
    check_layout(name, values)
    if len(values) > MAX_OBJECTS:
        raise ValueError(f"{name} has length {len(values)}: allowed {MAX_OBJECTS} or less")
    copy = own_copy(values)
    if copy.dtype == np.int32:
        return copy
    if copy.dtype.itemsize >= 4 and len(copy):
        for index in (int(copy.argmin()), int(copy.argmax())):
            if not MIN_COORDINATE <= copy[index] <= MAX_COORDINATE:
                raise ValueError(f"{name}[{index}] = {copy[index]}: allowed {MIN_COORDINATE}..{MAX_COORDINATE}")
    return copy.astype(np.int32)


def scene_of(
    x: np.ndarray,
    y: np.ndarray,
    size: Any,
    closed: bool,
    category: Any = EVERYONE,
    mask: Any = EVERYONE,
    names: tuple[str, str, str] = ("x", "y", "size"),
) -> np.ndarray:
    """Check boxes; return a scene for the kernels, int32[n, 6], that nobody else can write.

    names  of x, y and size, for errors
    """
    lefts, tops = own_axis(names[0], x), own_axis(names[1], y)
    count = len(lefts)
    if len(tops) != count:
        raise ValueError(f"{names[1]} has length {len(tops)}: allowed {count}, as {names[0]} has")
    if not isinstance(closed, bool | np.bool_):
        raise ValueError(f"closed {shortened(repr(closed))}: allowed False or True")
    sides = own_sides(names[2], size, count)
    scene = np.empty((count, 6), np.int32)
    fill = grid.fill_scene if are_compiled() else _first_calls.fill_scene
    index = fill(lefts, tops, sides, int(closed), scene)
    if index >= 0:
        ends = [int(axis[index]) + int(side) for axis, side in zip((lefts, tops), sides[min(index, len(sides) - 1)])]
        axis = int(ends[0] <= MAX_COORDINATE + (not closed))
        allowed = f"allowed {MAX_COORDINATE + (not closed)} or less"
        raise ValueError(f"{names[axis]}[{index}] + {names[2]} = {ends[axis]}: {allowed}")
    if category is not EVERYONE or mask is not EVERYONE:
        words = filter_of(category, mask, count)
        scene[:, WORD] = (words.category.astype(np.uint32) << np.uint32(16) | words.mask).view(np.int32)
    return scene


def own_sides(name: str, size: Any, count: int) -> np.ndarray:
    """Check sides, 1..MAX_COORDINATE: one number, int[n] or int[n, 2]; return int32[1, 2] for one, else int32[n, 2]."""
    sides: np.ndarray
    if not isinstance(size, np.ndarray):
        sides = np.empty((1, 2), np.int32)
        sides.fill(check_integer(name, size, 1, MAX_COORDINATE))
        return sides
    if size.shape == (count, 2) and size.dtype == np.int32 and type(size) is np.ndarray:
        sides = np.array(size, order="C")
        check_range(1, MAX_COORDINATE, **{name: sides})
        return sides
    return np.ascontiguousarray(sides_of(name, size, count, MAX_COORDINATE).T)


class Memory(local):
    """Memory of a thread for scenes that are sorted during one call: what is new has to be cleared by the system."""

    work: grid.Work | None = None

    def take(self, count: int) -> grid.Work:
        """Return memory for `count` objects, which is used again by the next call."""
        if count > MAX_KEPT:
            return grid.workspace(count)
        if self.work is None or self.work.keys.shape[1] < count + BOXES_AT_ONCE:
            self.work = grid.workspace(min(2 * count + 256, MAX_KEPT))
        return self.work


MEMORY = Memory()


class Sorted:
    """A scene that is sorted, to be searched again and again, by any number of threads.

    scene    is not changed as long as this is used
    queries  how many objects are looked for in all; so few that it is not worth sorting are compared with everything
    work     memory for it; None makes some
    """

    def __init__(
        self, scene: np.ndarray, begin: int, end: int, queries: int = MAX_OBJECTS, work: grid.Work | None = None
    ) -> None:
        self.count = end - begin
        self._scene, self._queries, self._memory = scene[begin:end], queries, work
        self._sorted: tuple[grid.Work, grid.Order] | None = None
        if are_compiled():
            self.sort()

    def sort(self) -> tuple[grid.Work, grid.Order]:
        """Return the scene in order."""
        if self._sorted is None:
            work = self._memory or grid.workspace(self.count)
            max_unsorted = self.count if self._queries <= MAX_COMPARED else grid.MAX_UNSORTED
            self._sorted = work, grid.Order(*grid.sort_scene(self._scene, 0, self.count, max_unsorted, work))
        return self._sorted

    def search(
        self,
        scene: np.ndarray,
        begin: int,
        end: int,
        kind: int,
        wanted: int,
        keys: np.ndarray,
        results: np.ndarray,
        limit: int = MAX_COUNTED,
    ) -> int:
        """Do what `hierarchical_grid.search` does; return pairs."""
        if not are_compiled():
            total = _first_calls.search(scene[begin:end], self._scene, kind, wanted, keys, results)
            if total is not None:
                return total
            _first_calls.COMPILER.wait(KERNELS)
        if end - begin < TWO_THREADS:
            return int(grid.search(*self._search(scene, begin, end, 1, kind, wanted, keys, results), limit))
        other_keys, other_results = np.empty_like(keys), results.copy()
        one = self._search(scene, begin, end, 2, kind, wanted, keys, results)
        two = self._search(scene, begin + 1, end, 2, kind, wanted, other_keys, other_results)
        first, second = both(grid.search, (*one, limit), (*two, limit))
        if wanted == PAIRS and first + second <= len(keys):
            keys[first : first + second] = other_keys[:second]
        elif wanted == FIRST:  # NONE is the largest of these
            np.minimum(results.view(np.uint32), other_results.view(np.uint32), out=results.view(np.uint32))
        elif wanted != PAIRS:
            (np.maximum if wanted == FLAGS else np.add)(results, other_results, out=results)
        return int(first + second)

    def _search(self, scene, begin, end, step, kind, wanted, keys, results) -> tuple:
        """Return the arguments of `hierarchical_grid.search` for some objects, all but the limit."""
        memory = np.empty(self.count + BOXES_AT_ONCE if wanted == FLAGS and kind == ONE else 0, np.int32)
        return scene, begin, end, step, *self.sort(), grid.cursors(), memory, kind, wanted, keys, results

    def _search_some(self, scene: np.ndarray, begin: int, end: int, kind: int, results: np.ndarray, limit: int) -> int:
        """Find first hits among some of the objects only; see `first`."""
        some = Sorted(self._scene, begin, end)
        return some.search(scene, 0, len(scene), kind, FIRST, NOTHING, results, limit)

    def numbers(self, scene: np.ndarray, kind: int, wanted: int) -> np.ndarray:
        """Return flags, counts or first hits of each object of a scene, int32[n]; its INDEX counts from 0.

        kind  ONE, TWO or ANY
        """
        results = np.full(len(scene), NONE if wanted == FIRST else 0, np.int32)
        limit = max_pairs_for(len(scene))
        total = self.search(scene, 0, len(scene), kind, wanted, NOTHING, results, limit)
        if total > limit and wanted == FIRST:
            return first(scene, self.count, kind, self._search_some, limit)
        if total > limit:
            found = counts(scene, self._scene, kind)
            if found is not None:
                return found
            results[:] = 0
            total = self.search(scene, 0, len(scene), kind, wanted, NOTHING, results)
        if total > MAX_COUNTED:
            check_capacity(total, None)
        return results


def are_compiled() -> bool:
    """Tell whether the kernels for scenes are ready, and have them made if they are not."""
    return _first_calls.COMPILER.is_done(KERNELS, _compile)


def _compile() -> None:
    """Call the kernels, for nothing, with arguments of the types that they always have."""
    scene, work = np.zeros((1, 6), np.int32), grid.workspace(1)
    order = grid.Order(*grid.sort_scene(scene, 0, 1, grid.MAX_UNSORTED, work))
    cursors, memory = grid.cursors(), np.empty(1 + BOXES_AT_ONCE, np.int32)
    grid.search(scene, 0, 1, 1, work, order, cursors, memory, ONE, COUNTS, NOTHING, np.empty(1, np.int32), MAX_COUNTED)
    grid.fill_scene(scene[0, :1], scene[0, :1], scene[:, :2].copy(), 0, scene)


class Scenes(NamedTuple):
    """Many scenes, and those that they are compared with.

    scene   int32[n, 6]        all objects, scene after scene
    starts  int64[scenes + 1]  where they begin
    others  int32[m, 6]        None for pairs of one scene
    ends    int64[scenes + 1]  where the others begin
    """

    scene: np.ndarray
    starts: np.ndarray
    others: np.ndarray | None
    ends: np.ndarray


def numbers(scenes: Scenes, wanted: int) -> np.ndarray:
    """Return flags, counts or first hits of each object, int32[n]."""
    scene, starts, others, ends = _numbered(scenes)
    results = np.full(len(scene), NONE if wanted == FIRST else 0, np.int32)
    if _are_many(scenes):
        limit = max_pairs_for(len(scene))
        if _search_many(scenes, wanted, NOTHING, results, limit) <= limit:
            return results
    for s in range(len(starts) - 1):
        begin, end, first = int(starts[s]), int(starts[s + 1]), int(ends[s])
        results[begin:end] = found = _sorted(scenes, s).numbers(
            scene[begin:end], ONE if others is None else TWO, wanted
        )
        if wanted == FIRST and first:
            results[begin:end][found >= 0] += first
    return results


def max_pairs_for(count: int) -> int:
    """Return up to how many pairs it takes less time to look at each than what `counts` and `first` do."""
    return 64 * count + (1 << 22)


def _numbered(scenes: Scenes) -> Scenes:
    """Number the objects of each scene from 0."""
    if len(scenes.starts) > 2:
        scenes.scene[:, INDEX] -= np.repeat(scenes.starts[:-1], np.diff(scenes.starts)).astype(np.int32)
    return scenes


def _are_many(scenes: Scenes) -> bool:
    """Tell whether these are many scenes, and the kernel for them is compiled."""
    return len(scenes.starts) > 2 and are_compiled() and _first_calls.COMPILER.is_done("many scenes", _compile_many)


def _search_many(scenes: Scenes, wanted: int, keys: np.ndarray, results: np.ndarray, limit: int = MAX_COUNTED) -> int:
    """Search all scenes in one call; return pairs."""
    scene, starts, others, ends = scenes
    kind, others = (ONE, scene) if others is None else (TWO, others)
    largest = int(np.diff(ends).max())
    memory = np.empty(largest + BOXES_AT_ONCE if wanted == FLAGS and kind == ONE else 0, np.int32)
    work = MEMORY.take(largest), grid.cursors(), memory
    return int(search_scenes(scene, starts, others, ends, MAX_COMPARED, *work, kind, wanted, keys, results, limit))


def _compile_many() -> None:
    """Call the kernel, for nothing."""
    scenes = Scenes(np.zeros((0, 6), np.int32), np.zeros(2, np.int64), None, np.zeros(2, np.int64))
    _search_many(scenes, COUNTS, NOTHING, NO_RESULTS.copy())


def _sorted(scenes: Scenes, s: int) -> Sorted:
    """Sort what scene `s` is compared with."""
    here = scenes.ends if scenes.others is not None else scenes.starts
    begin, end, queries = int(here[s]), int(here[s + 1]), MAX_OBJECTS
    if scenes.others is not None:
        queries = int(scenes.starts[s + 1] - scenes.starts[s])
    work = MEMORY.take(end - begin) if len(here) == 2 else None
    return Sorted(scenes.scene if scenes.others is None else scenes.others, begin, end, queries, work)


def _sources(scene: np.ndarray, begin: int, end: int, others: np.ndarray | None) -> tuple[np.ndarray, int, int, int]:
    """Return what is looked for: all in order for ONE, whose numbers are places."""
    return (scene, 0, end - begin, ONE) if others is None else (scene, begin, end, TWO)


def listed(scenes: Scenes, out: np.ndarray | None) -> np.ndarray:
    """Return pairs in ascending order, int32[m, 2]; indices are those of the whole arrays."""
    scene, starts, others, ends = _numbered(scenes)
    rows = row_table(out, rows_for(len(scene)) if out is None else 0, 2, np.int32)
    are_many, sorted_scenes = _are_many(scenes), []
    for s in range(0 if are_many else len(starts) - 1):
        sorted_scenes.append((_sorted(scenes, s), int(starts[s]), int(starts[s + 1]), int(ends[s])))

    def scan(keys):
        if are_many:
            return _search_many(scenes, PAIRS, keys, NO_RESULTS)
        total = 0
        for one, begin, end, first in sorted_scenes:
            here = min(total, len(keys))
            total += one.search(*_sources(scene, begin, end, others), PAIRS, keys[here:], NO_RESULTS)
            if begin or first:
                keys[here : min(total, len(keys))] += (begin << 32) + first
            if total > MAX_COUNTED:
                break
        return total

    total = scan(keys_of(rows))
    check_capacity(total, out)
    if total > len(rows):
        rows = np.empty((total, 2), np.int32)
        total = scan(keys_of(rows))
    sort_keys(rows[:total], out is None)
    return rows[:total]


def rows_for(count: int) -> int:
    """Return how many pairs of so many objects there is memory for at first: what is not written costs nothing."""
    return 2 * count + 64 + min(30 * count, 1 << 23)


def chunks_of(one: Sorted, scene: np.ndarray, rows: int) -> Iterator[np.ndarray]:
    """Make all pairs of a scene in ascending order, as int32[m, 2]: about `rows` pairs at a time.

    An object's pairs are never divided, so there may be as many more as there are objects.
    """
    step = max(1, MAX_COUNTED // max(one.count, 1))
    for first in range(0, one.count, step):
        last = min(first + step, one.count)
        results = np.zeros(one.count, np.int32)
        one.search(scene, first, last, LATER, COUNTS, NOTHING, results)
        ends = np.cumsum(results[first:last], dtype=np.int64)
        begin = first
        while begin < last:
            before = int(ends[begin - first - 1]) if begin > first else 0
            end = max(begin + 1, first + int(np.searchsorted(ends, before + rows, side="right")))
            total = int(ends[end - first - 1]) - before
            if total:
                found = np.empty((total, 2), np.int32)
                one.search(scene, begin, end, LATER, PAIRS, keys_of(found), NO_RESULTS)
                sort_keys(found, True)
                yield found
            begin = end


def check_rows(rows: int) -> int:
    """Check how many pairs a chunk is to have."""
    return check_integer("rows", rows, 1, MAX_PAIRS)


def own_radii(name: str, radius: int | np.ndarray, count: int, maximum: int = MAX_COORDINATE) -> np.ndarray:
    """Check radii, 0..maximum, one number or int[n]; return int64[n]."""
    if not isinstance(radius, np.ndarray):
        return np.full(count, check_integer(name, radius, 0, maximum), np.int64)
    radii = own_axis(name, radius).astype(np.int64)
    if len(radii) != count:
        raise ValueError(f"{name} has length {len(radii)}: allowed {count}")
    check_range(0, maximum, **{name: radii})
    return radii
