"""Boxes of one size: the way from a call to the kernel that answers it, for `sectors`, `plane`, `batch` and `world`.

A call goes straight to compiled code (`jit.Entry`), which copies its arguments and checks the copies: up to 256 objects
are all compared (`kernels.small`), more are sorted into a grid first (`kernels.uniform_grid`), very many by two
threads. What is refused is looked at argument by argument: one is wrong, and the error names it, or there are types
that are new, or more pairs than expected.

Arguments of all functions here
    x, y          int16[n] or int32[n]  upper-left corners, pixels
    size          int                   side of all boxes, 1..31 pixels
    max_x, max_y  int                   what x and y may be at most
    threads       1, 2 or None          see `plane`
"""

from __future__ import annotations

from itertools import pairwise
from threading import local
from typing import Any, NamedTuple

import numpy as np

from retrosim.checks import check_integer
from retrosim.jit import JIT, REFUSED_TYPES, kinds_of, uncompiled

from ._arguments import check_vectors, own_starts, own_within, refuse_masks
from ._first_calls import COMPILER, is_admitted, squares
from ._results import array_of, check_capacity, flag_array, keys_of, row_table, sort_keys
from ._threads import both
from .kernels.pairs import small, uniform_grid
from .kernels.pairs.hierarchical_grid import FIRST, FLAGS, PAIRS
from .kernels.pairs.sectors import MAX_SIDE, copy_axis
from .kernels.pairs.small import DONE, REFUSED, TOO_LARGE
from .kernels.pairs.uniform_grid import (
    CORNERS_8,
    CORNERS_16,
    MAX_COUNTED,
    MAX_OBJECTS,
    SHORT_BITS,
    begin_columns,
    count_columns,
    fill_columns,
    list_scenes,
    low_bits_of,
    mark_scenes,
    number_scenes,
    plan_grid,
    scan_columns,
)

ARRAY, FLAG, INDEX = np.ndarray, np.dtype(np.uint8), np.dtype(np.int32)
MAX_X = uniform_grid.MAX_COORDINATE
MAX_SMALL = small.MAX_OBJECTS
MAX_BY_NUMPY = 2000  # scenes of one call: some tenths of a second
TWO_THREADS = 500_000  # objects: tens of milliseconds of work. Three threads start for it, late if the host is busy.


class Memory(local):
    """Memory of a thread for TWO_THREADS objects or more, 16 bytes for each.

    It is used again by the next call: what is new has to be cleared by the system, a quarter of the time of a call.
    """

    corners, words = np.empty((2, 0), np.int32), np.empty(0, np.int64)

    def take(self, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return memory for x, y, int32[count], and words, int64[count]."""
        if len(self.words) < count:
            self.corners, self.words = np.empty((2, count), np.int32), np.empty(count, np.int64)
        return self.corners[0, :count], self.corners[1, :count], self.words[:count]


MEMORY = Memory()


def mark(x, y, size, max_x, max_y, threads, out, is_only=True) -> Any:
    """Flag every object that collides; return the flags, uint8[n].

    is_only  bool  whether this is the only way: else None is returned for scenes that do not lie on the plane
    """
    if type(size) is not int:
        size = check_integer("size", size, 1, MAX_SIDE)
    if not (type(x) is type(y) is ARRAY and (out is None or type(out) is ARRAY)):
        if not is_only:
            return None
        refuse_masks(x=x, y=y, out=out)  # compiled code does not see them
    entry = small.MARK
    try:
        count = len(x)
        flags = np.empty(count, FLAG) if out is None else out
        status = entry.call(x, y, size, max_x, max_y, flags) if count <= MAX_SMALL and threads != 2 else TOO_LARGE
        if status == TOO_LARGE:
            entry = uniform_grid.MARK
            if count >= TWO_THREADS or threads == 2:
                status = _mark_many(x, y, size, max_x, max_y, threads, flags)
            else:
                status = entry.call(x, y, size, max_x, max_y, flags)
        if status == DONE:
            return flags
    except (*REFUSED_TYPES, ValueError):  # the latter of `_mark_many`
        pass
    x, y = _own_squares(x, y, size, max_x, max_y, is_only)  # a value is refused here, or from here on none changes
    if x is None:
        return None
    flags = flag_array(out, len(x))
    if not is_admitted(entry, x, y, size, max_x, max_y, flags):
        found = squares(x, y, size, FLAGS)
        if found is not None:
            flags[:] = found
            return flags
        COMPILER.wait()
    return mark(x, y, size, max_x, max_y, threads, flags)


def list_pairs(x, y, size, max_x, max_y, threads, out, is_only=True, capacity=0) -> Any:
    """List every overlapping pair once; return int32[m, 2], in ascending order.

    is_only   bool  see `mark`
    capacity  int   rows to begin with, if `out` is None; 0 for a guess
    """
    if type(size) is not int:
        size = check_integer("size", size, 1, MAX_SIDE)
    if not (type(x) is type(y) is ARRAY and (out is None or type(out) is ARRAY)):
        if not is_only:
            return None
        refuse_masks(x=x, y=y, out=out)  # compiled code does not see them
    entry, total = small.LIST, TOO_LARGE
    try:
        count = len(x)
        rows = np.empty((capacity or 4 * count, 2), INDEX) if out is None else out
        if count <= MAX_SMALL and threads != 2:
            total = entry.call(x, y, size, max_x, max_y, rows)
        if total == TOO_LARGE:
            entry = uniform_grid.LIST
            if count >= TWO_THREADS or threads == 2:
                total = _list_many(x, y, size, max_x, max_y, threads, rows, out is None)
            else:
                total = _list_plane(x, y, size, max_x, max_y, rows, out is None)
        if 0 <= total <= len(rows):
            return rows[:total]
    except (*REFUSED_TYPES, ValueError):  # the latter of `_list_many`
        total = REFUSED
    if total > 0:
        check_capacity(total, out)  # `x` may be a part of `out`, which was written to: nothing is read again
        if not capacity:
            return list_pairs(x, y, size, max_x, max_y, threads, out, is_only, total)
    x, y = _own_squares(x, y, size, max_x, max_y, is_only)  # a value is refused here, or from here on none changes
    if x is None:
        return None
    rows = row_table(out, 0, 2, np.int32)
    if not is_admitted(entry, x, y, size, max_x, max_y, rows):
        found = squares(x, y, size, PAIRS)
        if found is not None:
            check_capacity(len(found), out)
            if out is None:
                return found
            rows[: len(found)] = found
            return rows[: len(found)]
        COMPILER.wait()
    return list_pairs(x, y, size, max_x, max_y, threads, out)


def number(x, y, size, wanted, out, is_only=True) -> Any:
    """Count the objects that each one collides with, or find the lowest; return int32[n].

    wanted   int   COUNTS or FIRST of `kernels.hierarchical_grid`
    is_only  bool  see `mark`; None is also returned for crowds
    """
    if not (type(x) is type(y) is ARRAY and (out is None or type(out) is ARRAY)):
        return None
    entry = small.NUMBER
    try:
        count = len(x)
        results = np.empty(count, INDEX) if out is None else out
        status = entry.call(x, y, size, MAX_X, MAX_X, wanted, results) if count <= MAX_SMALL else TOO_LARGE
        if status == TOO_LARGE:
            entry = uniform_grid.NUMBER
            status = entry.call(x, y, size, MAX_X, MAX_X, wanted, results)
        if status != REFUSED:
            return results if status == DONE else None
    except REFUSED_TYPES:
        pass
    x, y = _own_squares(x, y, size, MAX_X, MAX_X, is_only)
    if x is None:
        return None
    results = array_of(out, np.int32, len(x))
    if not is_admitted(entry, x, y, size, MAX_X, MAX_X, wanted, results):
        found = squares(x, y, size, wanted)
        if found is not None:
            results[:] = found
            return results
        COMPILER.wait()
    return number(x, y, size, wanted, results)


class OffPlane:
    """How many calls of `world` go another way at once: scenes off the plane seldom come alone."""

    left, AFTER_ONE = 0, 63


OFF_PLANE = OffPlane()


def side_within(size, closed) -> int:
    """Return the side of boxes as `mark` takes them, if a scene of `world` is likely to lie on the plane, else 0.

    Closed boxes meet where half-open ones do that are one unit larger.
    """
    if type(size) is not int or type(closed) is not bool or not 0 < size <= MAX_SIDE - closed:
        return 0
    if OFF_PLANE.left:
        OFF_PLANE.left -= 1
        return 0
    return size + closed


class Batch(NamedTuple):
    """Many scenes, one behind the other, checked; nobody else can write into these arrays.

    x, y    int16[n] or int32[n]  corners on the plane
    starts  int64[scenes + 1]     scene s is starts[s] .. starts[s + 1] - 1
    size    int                   side of all boxes
    """

    x: np.ndarray
    y: np.ndarray
    starts: np.ndarray
    size: int


def batch_within(x, y, starts, side) -> Batch | None:
    """Return scenes of `world` if they lie on the plane, else None."""
    x, y = _own_squares(x, y, side, MAX_X, MAX_X, False)
    if x is None:
        return None
    x.flags.writeable = y.flags.writeable = True  # the kernels are compiled for one type
    return Batch(x, y, own_starts("starts", starts, len(x)), side)


def mark_batch(batch: Batch, flags: np.ndarray) -> None:
    """Flag every object that is in some collision in its scene; flags is uint8[n], output."""
    answers = _by_numpy(mark_scenes, batch, (flags,), FLAGS)
    if answers is None:
        mark_scenes(*batch, flags)
    else:
        flags[:] = np.concatenate([flags[:0], *answers])


def number_batch(batch: Batch, wanted: int, results: np.ndarray) -> bool:
    """Count the objects that each one collides with in its scene, or find the lowest; False: there are crowds.

    results  int32[n]  output: for FIRST, indices of the whole arrays
    """
    answers = _by_numpy(number_scenes, batch, (wanted, results), wanted)
    if answers is None:
        return bool(number_scenes(*batch, wanted, results) == DONE)
    for begin, answer in zip(batch.starts, answers):
        results[begin : begin + len(answer)] = answer + (begin * (answer >= 0) if wanted == FIRST else 0)
    return True


def list_batch(batch: Batch, out: np.ndarray | None, are_whole: bool) -> tuple[np.ndarray, np.ndarray]:
    """List every overlapping pair of every scene once, in ascending order.

    out        int32[m, 2] or None
    are_whole  bool                        whether indices are those of the whole arrays, or count from 0 in each scene
    Returns    int32[m, 2], int64[scenes]  pairs; where those of each scene end
    """
    scenes, origins = len(batch.starts) - 1, batch.starts[:-1] * are_whole
    rows = row_table(out, 2 * len(batch.x) if out is None else 0, 2, np.int32)
    ends, are_keys = np.empty(scenes, np.int64), np.zeros(scenes, np.bool_)
    answers = _by_numpy(list_scenes, batch, (rows, keys_of(rows), origins, ends, are_keys), PAIRS)
    if answers is None:
        list_scenes(*batch, rows, keys_of(rows), origins, ends, are_keys)
    else:
        np.cumsum([len(answer) for answer in answers], out=ends)
    total = int(ends[-1]) if scenes else 0
    if total > len(rows):
        check_capacity(total, out)
        rows = np.empty((total, 2), np.int32)
        if answers is None:
            list_scenes(*batch, rows, keys_of(rows), origins, ends, are_keys)
    if answers is not None:
        np.concatenate(
            [rows[:0], *(answer + origin for answer, origin in zip(answers, origins.astype(np.int32)))],
            out=rows[:total],
        )
    for scene in np.flatnonzero(are_keys):
        pairs = rows[ends[scene - 1] if scene else 0 : ends[scene]]
        sort_keys(pairs, out is None)
        pairs += np.int32(origins[scene])
    return rows[:total], ends


def _by_numpy(routine: Any, batch: Batch, others: tuple, wanted: int) -> list[np.ndarray] | None:
    """Return what `squares` does for each scene; None if the kernel is compiled, or would be faster.

    others  what the kernel takes besides the batch
    """
    name = routine, batch.x.itemsize
    if not JIT or COMPILER.is_done(name, lambda: routine.compile(kinds_of(*batch, *others))):
        return None
    answers: list[np.ndarray] = []
    for begin, end in pairwise(batch.starts.tolist() if len(batch.starts) <= MAX_BY_NUMPY else ()):
        answer = squares(batch.x[begin:end], batch.y[begin:end], batch.size, wanted)
        if answer is None:
            break
        answers.append(answer)
    if len(answers) < len(batch.starts) - 1:
        COMPILER.wait(name)
        return None
    return answers


def check_squares(x, y, size) -> int:
    """Look at all but the coordinates themselves; return their number. Errors: ValueError, for what is wrong first."""
    count = check_vectors(x=x, y=y)
    check_integer("size", size, 1, MAX_SIDE)
    if count > MAX_OBJECTS:
        raise ValueError(f"x has length {count}: allowed {MAX_OBJECTS} or less")
    return count


def _own_squares(x, y, size, max_x, max_y, is_only) -> list[Any]:
    """Check each argument; return copies of the coordinates, of the same types. is_only: see `mark`; two times None."""
    try:
        check_squares(x, y, size)
        copies = [*own_within(0, max_x, x=x), *own_within(0, max_y, y=y)]
    except ValueError:
        if is_only:
            raise
        OFF_PLANE.left = OFF_PLANE.AFTER_ONE
        return [None, None]
    for copy, given in zip(copies, (x, y)):
        copy.flags.writeable = given.flags.writeable
    return copies


def _list_plane(x, y, size, max_x, max_y, rows, are_ours) -> int:
    """Do for many objects what `small.check_and_list` does for few; are_ours: see `sort_keys`."""
    total = uniform_grid.LIST.call(x, y, size, max_x, max_y, rows)
    if 0 < total <= len(rows):
        sort_keys(rows[:total], are_ours)
    return total


def _copy_many(x, y, threads) -> tuple[np.ndarray, np.ndarray, np.ndarray, int, int]:
    """Copy corners; return the copies, memory for words, and what `sectors.copy_axis` returns for x and for y."""
    xs, ys, words = MEMORY.take(len(x))
    return xs, ys, words, *both(copy_axis, (x, xs), (y, ys), threads)


def _scan_many(x, y, words, highest_x, highest_y, size, max_x, max_y, threads, flags, keys) -> tuple[int, int]:
    """Sort and compare in two parts: each has half of the objects, then half of the columns; see `scan_columns`.

    x, y, words, highest_x, highest_y  what `_copy_many` returned
    Returns                            pairs of each half, or REFUSED
    """
    grid = uncompiled(plan_grid)(len(x), highest_x, highest_y, max_x, max_y)  # compiled code returns no named tuples
    if grid.columns == 0:
        return REFUSED, REFUSED
    count, half, log2 = len(x), len(x) // 2, grid.log2_column
    counts, columns = np.zeros((2, grid.columns), np.int32), np.empty(grid.columns + 1, np.int32)
    both(count_columns, (x, 0, half, log2, counts[0]), (x, half, count, log2, counts[1]), threads)
    begin_columns(counts, columns)
    first, second = (0, half, grid, counts[0], words), (half, count, grid, counts[1], words)
    both(fill_columns, (x, y, *first), (x, y, *second), threads)
    middle = int(np.searchsorted(columns, half))
    corners = CORNERS_8 if uncompiled(low_bits_of)(grid) == SHORT_BITS else CORNERS_16
    left, right = (words, columns, 0, middle), (words, columns, middle, grid.columns)
    one, other = ((grid, size, corners, flags, part, MAX_COUNTED) for part in keys)
    return both(scan_columns, (*left, *one), (*right, *other), threads)


def _mark_many(x, y, size, max_x, max_y, threads, flags) -> int:
    """Do what `uniform_grid.check_and_mark` does for very many objects, or in two threads."""
    flags = flag_array(flags, check_squares(x, y, size))
    status, _ = _scan_many(*_copy_many(x, y, threads), size, max_x, max_y, threads, flags, (None, None))
    return REFUSED if status == REFUSED else DONE


def _list_many(x, y, size, max_x, max_y, threads, rows, are_ours) -> int:
    """Do what `_list_plane` does for very many objects, or in two threads: each part has half of the rows."""
    check_squares(x, y, size)
    keys, corners = keys_of(row_table(rows, 0, 2, np.int32)), _copy_many(x, y, threads)
    capacity = len(keys) // 2
    halves = keys[:capacity], keys[capacity:]
    first, second = _scan_many(*corners, size, max_x, max_y, threads, None, halves)
    if first == REFUSED:
        return REFUSED
    total = first + second
    if first <= capacity and second <= len(keys) - capacity:
        keys[first:total] = keys[capacity : capacity + second]
    elif total <= len(keys):  # more than half of the rows for one of them, but enough for both
        uniform_grid.scan_plane(*corners[:2], size, max_x, max_y, None, keys, MAX_COUNTED)
    if total <= len(keys):
        sort_keys(rows[:total], are_ours)
    return total
