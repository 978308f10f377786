"""The way from a call to the kernels for few boxes: straight, where nothing has to be looked at.

A call goes to compiled code (`jit.Entry`), which copies its arguments and checks the copies. What it refuses, the
functions here return None for, and `_boxes` answers: it says what is wrong, or it has the types compiled, in a thread.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from retrosim.jit import REFUSED_TYPES, Entry

from ._first_calls import COMPILER, is_admitted
from ._results import check_capacity
from .kernels.pairs.bitmap_index import MAX_OBJECTS as MAX_LISTED
from .kernels.pairs.bitmap_index import list_indexed
from .kernels.pairs.hierarchical_grid import FLAGS
from .kernels.pairs.small_boxes import COPY, LIST, LIST_TWO, MAX_OBJECTS, MAX_SMALL, NUMBER, NUMBER_TWO, REFUSED

ARRAY, EMPTY, SIDE, FLAG, NUMBERS = np.ndarray, np.empty, np.dtype(np.int32), np.dtype(np.uint8), np.dtype(np.int32)
MAX_SIDE = (1 << 31) - 1
INDEXED = "indexed"  # for `COMPILER`


def _sides_of(size: Any, count: int) -> np.ndarray | None:
    """Return sides as the kernels take them, unchecked."""
    if type(size) is ARRAY:
        if size.ndim == 0 or len(size) != count:
            return None
        return size if size.ndim == 2 else size.reshape(-1, 1)
    if type(size) is int and 1 <= size <= MAX_SIDE:
        sides = np.empty((1, 2), SIDE)
        sides.fill(size)
        return sides
    return None


def list_one(x: Any, y: Any, size: Any, closed: Any, out: Any) -> np.ndarray | None:
    """List pairs as `world.pairs` does."""
    try:
        if type(x) is type(y) is ARRAY and (out is None or type(out) is ARRAY):
            count = len(x)
            if count > MAX_LISTED:
                return None
            sides = size if type(size) is ARRAY and size.shape == (count, 2) else _sides_of(size, count)
            extra = 0 if closed is False else 1 if closed is True else None
            call, guess = (LIST.call, 4 * count + 64) if count <= MAX_OBJECTS else (_list_indexed, 16 * count + 64)
            rows = EMPTY((guess, 2), NUMBERS) if out is None else out
            total = call(x, y, sides, extra, rows)
            if total > len(rows) and out is None:
                rows = EMPTY((total, 2), NUMBERS)
                total = call(x, y, sides, extra, rows)
            return _filled(rows, total, out)
    except REFUSED_TYPES:
        pass
    return None


def _filled(rows: np.ndarray, total: int, out: np.ndarray | None) -> np.ndarray | None:
    """Return the filled rows, None if a kernel refused or found more. Errors: ValueError: `out` is too short."""
    if out is not None and total > len(out):  # `x` may be a part of `out`, which was written to: nothing is read again
        check_capacity(total, out)
    return rows[:total] if 0 <= total <= len(rows) else None


def _list_indexed(x: Any, y: Any, sides: Any, extra: Any, rows: np.ndarray) -> int:
    """Do what `small_boxes.list_small` does for up to MAX_LISTED objects."""
    boxes = EMPTY((4, len(x)), NUMBERS)
    if rows.dtype != NUMBERS or not rows.flags.carray or rows.ndim != 2 or rows.shape[1] != 2:
        return REFUSED
    status = COPY.call(x, y, sides, extra, boxes)
    return list_indexed(boxes, len(x), rows) if status == 0 and INDEXED in COMPILER.done else REFUSED


def _compile_indexed() -> None:
    """Call the kernel, for nothing, with arguments of the types that it always has."""
    list_indexed(np.zeros((4, 1), NUMBERS), 1, np.empty((1, 2), NUMBERS))


def list_two(x0: Any, y0: Any, size: Any, x1: Any, y1: Any, other: Any, closed: Any, out: Any) -> np.ndarray | None:
    """List pairs as `groups.pairs` does."""
    try:
        if _are_arrays(x0, y0, x1, y1, out):
            sides = size if type(size) is ARRAY and size.shape == (len(x0), 2) else _sides_of(size, len(x0))
            others = other if type(other) is ARRAY and other.shape == (len(x1), 2) else _sides_of(other, len(x1))
            rows = EMPTY((16 * len(x0) + 64, 2), NUMBERS) if out is None else out
            total = LIST_TWO.call(
                x0, y0, sides, x1, y1, others, 0 if closed is False else 1 if closed is True else None, rows
            )
            return _filled(rows, total, out)
    except REFUSED_TYPES:
        pass
    return None


def number_one(x: Any, y: Any, size: Any, closed: Any, wanted: int, out: Any) -> np.ndarray | None:
    """Find numbers as `world` does."""
    try:
        if type(x) is type(y) is ARRAY and (out is None or type(out) is ARRAY) and len(x) <= MAX_OBJECTS:
            results = _results(out, len(x), wanted)
            sides, extra = _sides_of(size, len(x)), 0 if closed is False else 1 if closed is True else None
            return results if NUMBER.call(x, y, sides, extra, wanted, results) == 0 else None
    except REFUSED_TYPES:
        pass
    return None


def number_two(
    x0: Any, y0: Any, size: Any, x1: Any, y1: Any, other: Any, closed: Any, wanted: int, out: Any
) -> np.ndarray | None:
    """Find numbers as `groups` does."""
    try:
        if _are_arrays(x0, y0, x1, y1, out):
            sides, others = _sides_of(size, len(x0)), _sides_of(other, len(x1))
            results, extra = _results(out, len(x0), wanted), 0 if closed is False else 1 if closed is True else None
            status = NUMBER_TWO.call(x0, y0, sides, x1, y1, others, extra, wanted, results)
            return results if status == 0 else None
    except REFUSED_TYPES:
        pass
    return None


def _results(out: np.ndarray | None, count: int, wanted: int) -> np.ndarray:
    """Return an array for flags or numbers. Errors: TypeError: `out` is for others, which the kernel takes as well."""
    form = FLAG if wanted == FLAGS else NUMBERS
    if out is None:
        return EMPTY(count, form)
    if out.dtype != form:
        raise TypeError
    return out


def _are_arrays(x0: Any, y0: Any, x1: Any, y1: Any, out: Any) -> bool:
    """Tell whether compiled code may look at two groups, and is made for so many objects."""
    is_right = type(x0) is type(y0) is type(x1) is type(y1) is ARRAY and (out is None or type(out) is ARRAY)
    return is_right and (len(x0) <= MAX_SMALL or len(x1) <= MAX_SMALL)


def learn(parts: tuple[Any, ...], wanted: int | None, out: np.ndarray) -> None:
    """Have the kernels compiled for arguments that have been checked.

    parts   x, y, size of a scene, or of two groups
    wanted  None for pairs
    """
    groups = [parts[k : k + 3] for k in range(0, len(parts), 3)]
    given: list[Any] = []
    for x, y, size in groups:
        sides = _sides_of(size, len(x))
        if not type(x) is type(y) is ARRAY or sides is None:
            return
        given += [x, y, sides]
    count = min(len(group[0]) for group in groups)
    if len(groups) == 1 and wanted is None and MAX_OBJECTS < count <= MAX_LISTED:
        COMPILER.is_done(INDEXED, _compile_indexed)
        is_admitted(COPY, *given, 0, np.empty((4, 1), NUMBERS))
    elif count <= (MAX_OBJECTS if len(groups) == 1 else MAX_SMALL):
        entry: Entry = ((LIST, NUMBER), (LIST_TWO, NUMBER_TWO))[len(groups) - 1][wanted is not None]
        is_admitted(entry, *given, 0, *((out,) if wanted is None else (wanted, out)))
