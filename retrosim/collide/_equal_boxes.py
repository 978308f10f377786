"""Boxes of one size: the way from a call to the kernel that answers it, for `sectors`, `plane` and `world`.

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

from threading import local

import numpy as np

from retrosim.checks import check_integer
from retrosim.jit import REFUSED_TYPES, uncompiled

from ._arguments import check_vectors, own_within, refuse_masks
from ._first_calls import COMPILER, is_admitted, squares
from ._results import MAX_PAIRS, check_capacity, flag_array, keys_of, row_table, sort_keys
from ._threads import both
from .kernels.pairs import small, uniform_grid
from .kernels.pairs.hierarchical_grid import FLAGS, PAIRS
from .kernels.pairs.sector_grid import MAX_SIDE, copy_axis
from .kernels.pairs.small import DONE, REFUSED, TOO_LARGE
from .kernels.pairs.uniform_grid import (
    CORNERS_8,
    CORNERS_16,
    MAX_OBJECTS,
    SHORT_BITS,
    begin_columns,
    count_columns,
    fill_columns,
    low_bits_of,
    plan_grid,
    scan_columns,
)

ARRAY, FLAG, INDEX = np.ndarray, np.dtype(np.uint8), np.dtype(np.int32)
TAKEN = (np.dtype(np.int16), np.dtype(np.int32))  # types of coordinates on the plane
MAX_X = uniform_grid.MAX_COORDINATE
MAX_SMALL = small.MAX_OBJECTS
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


def mark(x, y, size, max_x, max_y, threads, out) -> np.ndarray:
    """Flag every object that collides; return the flags, uint8[n]."""
    if type(size) is not int:
        size = check_integer("size", size, 1, MAX_SIDE)
    if not (type(x) is type(y) is ARRAY and (out is None or type(out) is ARRAY)):
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
    except REFUSED_TYPES:
        pass
    x, y = _own_squares(x, y, size, max_x, max_y)  # either a value is refused here, or from here on none changes
    flags = flag_array(out, len(x))
    if not is_admitted(entry, x, y, size, max_x, max_y, flags):
        found = squares(x, y, size, FLAGS)
        if found is not None:
            flags[:] = found
            return flags
        COMPILER.wait()
    return mark(x, y, size, max_x, max_y, threads, flags)


def list_pairs(x, y, size, max_x, max_y, threads, out, capacity=0) -> np.ndarray:
    """List every overlapping pair once; return int32[m, 2], in ascending order.

    capacity  int  rows to begin with, if `out` is None; 0 for a guess
    """
    if type(size) is not int:
        size = check_integer("size", size, 1, MAX_SIDE)
    if not (type(x) is type(y) is ARRAY and (out is None or type(out) is ARRAY)):
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
    except REFUSED_TYPES:
        total = REFUSED
    x, y = _own_squares(x, y, size, max_x, max_y)  # either a value is refused here, or from here on none changes
    rows = row_table(out, 0, 2, np.int32)
    check_capacity(total, out)
    if not is_admitted(entry, x, y, size, max_x, max_y, rows):
        found = squares(x, y, size, PAIRS)
        if found is not None:
            check_capacity(len(found), out)
            if out is None:
                return found
            rows[: len(found)] = found
            return rows[: len(found)]
        COMPILER.wait()
    return list_pairs(x, y, size, max_x, max_y, threads, out, max(total, 0))


class Refusals:
    """How many calls of `world` go another way at once: scenes off the plane seldom come alone."""

    left, AFTER_ONE = 0, 63

    def is_next(self) -> bool:
        """Tell whether this call is one of them."""
        if self.left:
            self.left -= 1
            return True
        return False

    def note(self) -> None:
        """Remember that a scene was refused."""
        self.left = self.AFTER_ONE


REFUSALS = Refusals()


def mark_within(x, y, size, out) -> np.ndarray | None:
    """Do what `mark` does where all is as on the plane, and nothing has to be said; None elsewhere."""
    if REFUSALS.is_next() or not (type(x) is type(y) is ARRAY and (out is None or type(out) is ARRAY)):
        return None
    try:
        count = len(x)
        flags = np.empty(count, FLAG) if out is None else out
        status = small.MARK.call(x, y, size, MAX_X, MAX_X, flags) if count <= MAX_SMALL else TOO_LARGE
        if status == TOO_LARGE:
            many = count >= TWO_THREADS
            status = _mark_many(x, y, size, MAX_X, MAX_X, None, flags) if many else _mark_plane(x, y, size, flags)
        if status == DONE:
            return flags
    except (*REFUSED_TYPES, ValueError):  # of `_mark_many`
        pass
    REFUSALS.note()
    return None


def list_within(x, y, size, out) -> np.ndarray | None:
    """Do what `list_pairs` does where all is as on the plane, and nothing has to be said; None elsewhere."""
    if REFUSALS.is_next() or not (type(x) is type(y) is ARRAY and (out is None or type(out) is ARRAY)):
        return None
    total = TOO_LARGE
    try:
        count = len(x)
        rows = np.empty((4 * count, 2), INDEX) if out is None else out
        for _ in range(2):
            if count <= MAX_SMALL:
                total = small.LIST.call(x, y, size, MAX_X, MAX_X, rows)
            if total == TOO_LARGE or count > MAX_SMALL:
                if count >= TWO_THREADS:
                    total = _list_many(x, y, size, MAX_X, MAX_X, None, rows, out is None)
                else:
                    total = _list_plane(x, y, size, MAX_X, MAX_X, rows, out is None)
            if 0 <= total <= len(rows):
                return rows[:total]
            if out is not None or not len(rows) < total <= MAX_PAIRS:
                break
            rows = np.empty((total, 2), INDEX)
    except (*REFUSED_TYPES, ValueError):  # of `_list_many`
        pass
    if out is not None and total > 0:  # it has been written to, and `x` may be a part of it: nothing is read again
        check_capacity(total, out)
    REFUSALS.note()
    return None


def learn_within(x, y, size, wanted, out) -> None:
    """Have the kernels compiled for arguments that have been checked, if they are as on the plane."""
    if not (type(x) is type(y) is ARRAY and x.dtype == y.dtype and x.dtype in TAKEN):
        return
    if not (x.flags.carray and y.flags.carray):
        return
    if len(x) and (min(x.min(), y.min()) < 0 or max(x.max(), y.max()) > MAX_X):
        return
    small_kernel, grid_kernel = (small.MARK, uniform_grid.MARK) if wanted == FLAGS else (small.LIST, uniform_grid.LIST)
    if is_admitted(small_kernel if len(x) <= MAX_SMALL else grid_kernel, x, y, size, MAX_X, MAX_X, out):
        REFUSALS.left = 0


def _mark_plane(x, y, size, flags) -> int:
    return uniform_grid.MARK.call(x, y, size, MAX_X, MAX_X, flags)


def check_squares(x, y, size) -> int:
    """Look at all but the coordinates themselves; return their number. Errors: ValueError, for what is wrong first."""
    count = check_vectors(x=x, y=y)
    check_integer("size", size, 1, MAX_SIDE)
    if count > MAX_OBJECTS:
        raise ValueError(f"x has length {count}: allowed {MAX_OBJECTS} or less")
    return count


def _own_squares(x, y, size, max_x, max_y) -> list[np.ndarray]:
    """Check each argument; return copies of the coordinates, of the same types."""
    check_squares(x, y, size)
    copies = [*own_within(0, max_x, x=x), *own_within(0, max_y, y=y)]
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
    """Copy corners; return the copies, memory for words, and what `sector_grid.copy_axis` returns for x and for y."""
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
    first, second = (grid, size, corners, flags, keys[0]), (grid, size, corners, flags, keys[1])
    return both(scan_columns, (*left, *first), (*right, *second), threads)


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
        uniform_grid.scan_plane(*corners[:2], size, max_x, max_y, None, keys)
    if total <= len(keys):
        sort_keys(rows[:total], are_ours)
    return total
