"""Boxes of one size: the way from a call to the kernel that answers it, for `sectors` and for `plane`.

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

from collections.abc import Callable
from threading import Thread

import numpy as np

from retrosim.checks import check_integer
from retrosim.jit import REFUSED_TYPES

from ._arguments import check_vectors, own_within, refuse_masks
from ._results import check_capacity, flag_array, keys_of, row_table, sort_keys
from ._start import COMPILER, is_admitted, squares
from .kernels import small, uniform_grid
from .kernels.checks import copy_axis
from .kernels.hierarchical_grid import FLAGS, PAIRS
from .kernels.sector_grid import MAX_SIDE
from .kernels.small import DONE, REFUSED, TOO_LARGE
from .kernels.uniform_grid import MAX_OBJECTS, begin_columns, count_columns, fill_columns, plan_grid, scan_columns

ARRAY, FLAG, INDEX = np.ndarray, np.dtype(np.uint8), np.dtype(np.int32)
MAX_SMALL = small.MAX_OBJECTS
TWO_THREADS = 500_000  # objects: tens of milliseconds of work. Three threads start for it, late if the host is busy.


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
            scan = _mark_by_two if _threads_for(count, threads) == 2 else entry.call
            status = scan(x, y, size, max_x, max_y, flags)
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
            scan = _list_by_two if _threads_for(count, threads) == 2 else _list_plane
            total = scan(x, y, size, max_x, max_y, rows, out is None)
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


def _threads_for(count: int, threads: int | None) -> int:
    """Return how many threads to take for so many objects."""
    return threads or (2 if count >= TWO_THREADS else 1)


def _list_plane(x, y, size, max_x, max_y, rows, are_ours) -> int:
    """Do for many objects what `small.check_and_list` does for few; are_ours: see `sort_keys`."""
    total = uniform_grid.LIST.call(x, y, size, max_x, max_y, rows)
    if 0 < total <= len(rows):
        sort_keys(rows[:total], are_ours)
    return total


def _together(routine: Callable, first: tuple, second: tuple) -> tuple:
    """Call a kernel with two lists of arguments at the same time; return both results."""
    results: list = []
    thread = Thread(target=lambda: results.append(routine(*second)))
    thread.start()
    mine = routine(*first)
    thread.join()
    return mine, results[0]


def _copy_by_two(x, y) -> tuple[np.ndarray, np.ndarray, int, int]:
    """Copy corners in two threads; return the copies, and what `checks.copy_axis` returns for x and for y."""
    xs, ys = np.empty(len(x), np.int32), np.empty(len(x), np.int32)
    highest_x, highest_y = _together(copy_axis, (x, xs), (y, ys))
    return xs, ys, highest_x, highest_y


def _scan_by_two(x, y, highest_x, highest_y, size, max_x, max_y, flags, keys) -> tuple[int, int]:
    """Sort and compare in two threads: each takes half of the objects, then half of the columns; see `scan_columns`.

    x, y, highest_x, highest_y  what `_copy_by_two` returned
    Returns                     pairs of each half, or REFUSED
    """
    grid = plan_grid(len(x), highest_x, highest_y, max_x, max_y)
    if grid.columns == 0:
        return REFUSED, REFUSED
    count, half, log2 = len(x), len(x) // 2, grid.log2_column
    counts, columns = np.zeros((2, grid.columns), np.int32), np.empty(grid.columns + 1, np.int32)
    words = np.empty(count, np.int64)
    _together(count_columns, (x, 0, half, log2, counts[0]), (x, half, count, log2, counts[1]))
    begin_columns(counts, columns)
    _together(fill_columns, (x, y, 0, half, log2, counts[0], words), (x, y, half, count, log2, counts[1], words))
    middle = int(np.searchsorted(columns, half))
    first = (words, columns, 0, middle, grid, size, flags, keys[0])
    second = (words, columns, middle, grid.columns, grid, size, flags, keys[1])
    return _together(scan_columns, first, second)


def _mark_by_two(x, y, size, max_x, max_y, flags) -> int:
    """Do what `uniform_grid.check_and_mark` does, in two threads."""
    flags = flag_array(flags, check_squares(x, y, size))
    status, _ = _scan_by_two(*_copy_by_two(x, y), size, max_x, max_y, flags, (None, None))
    return REFUSED if status == REFUSED else DONE


def _list_by_two(x, y, size, max_x, max_y, rows, are_ours) -> int:
    """Do what `_list_plane` does, in two threads: each has half of the rows."""
    check_squares(x, y, size)
    keys, corners = keys_of(row_table(rows, 0, 2, np.int32)), _copy_by_two(x, y)
    capacity = len(keys) // 2
    first, second = _scan_by_two(*corners, size, max_x, max_y, None, (keys[:capacity], keys[capacity:]))
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
