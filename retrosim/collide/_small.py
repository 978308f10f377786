"""The way from a call to the kernels for few boxes: straight, where nothing has to be looked at.

A call goes to compiled code (`jit.Entry`), which copies its arguments and checks the copies. What it refuses, the
functions here return None for, and `_worlds` answers: it says what is wrong, or it has the types compiled, in a thread.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from retrosim.jit import REFUSED_TYPES, Entry

from ._arguments import EVERYONE
from ._start import is_admitted
from .kernels.hierarchical_grid import FLAGS
from .kernels.small_boxes import LIST, LIST_TWO, MAX_OBJECTS, MAX_SMALL, NUMBER, NUMBER_TWO

ARRAY, SIDE, FLAG, NUMBERS = np.ndarray, np.dtype(np.int32), np.dtype(np.uint8), np.dtype(np.int32)
MAX_SIDE = (1 << 31) - 1


def is_plain(category: Any, mask: Any, starts: Any) -> bool:
    """Tell whether all objects meet, in one scene."""
    return category is EVERYONE and mask is EVERYONE and starts is None


def _sides_of(size: Any, count: int) -> np.ndarray | None:
    """Return sides as the kernels take them, unchecked."""
    if type(size) is int and 1 <= size <= MAX_SIDE:
        sides = np.empty((1, 2), SIDE)
        sides.fill(size)
        return sides
    if type(size) is ARRAY and size.ndim and len(size) == count:
        return size.reshape(-1, 1) if size.ndim == 1 else size
    return None


def _group(parts: tuple[Any, ...], maximum: int) -> tuple[Any, ...] | None:
    """Return corners and sides of a group."""
    x, y, size = parts
    if not (type(x) is type(y) is ARRAY) or x.ndim != 1 or len(x) > maximum:
        return None
    sides = _sides_of(size, len(x))
    return None if sides is None else (x, y, sides)


def _scene(parts: tuple[Any, ...]) -> tuple[tuple[Any, ...] | None, int]:
    """Return the arguments of a kernel, unless it is not for these, and how many objects are asked about.

    parts  x, y, size of a scene, or of two groups
    """
    if len(parts) == 3:
        one = _group(parts, MAX_OBJECTS)
        return one, len(one[0]) if one else 0
    first, second = _group(parts[:3], MAX_SIDE), _group(parts[3:], MAX_SIDE)
    if first is None or second is None or min(len(first[0]), len(second[0])) > MAX_SMALL:
        return None, 0
    return first + second, len(first[0])


def pairs(parts: tuple[Any, ...], closed: Any, out: Any) -> np.ndarray | None:
    """List pairs as `world.pairs` and `groups.pairs` do; see `_scene`."""
    given, count = _scene(parts)
    if given is None or type(closed) is not bool or (out is not None and type(out) is not ARRAY):
        return None
    rows = np.empty((16 * count + 64, 2), NUMBERS) if out is None else out
    try:
        total = (LIST if len(parts) == 3 else LIST_TWO).call(*given, int(closed), rows)
    except REFUSED_TYPES:
        return None
    return rows[:total] if 0 <= total <= len(rows) else None


def numbers(parts: tuple[Any, ...], closed: Any, wanted: int, out: Any) -> np.ndarray | None:
    """Find numbers as `world` and `groups` do; see `_scene`."""
    given, count = _scene(parts)
    if given is None or type(closed) is not bool or (out is not None and type(out) is not ARRAY):
        return None
    results = np.empty(count, FLAG if wanted == FLAGS else NUMBERS) if out is None else out
    try:
        status = (NUMBER if len(parts) == 3 else NUMBER_TWO).call(*given, int(closed), wanted, results)
    except REFUSED_TYPES:
        return None
    return results if status == 0 else None


def learn(parts: tuple[Any, ...], wanted: int | None, out: np.ndarray) -> None:
    """Have the kernels compiled for arguments that have been checked; wanted: None for pairs."""
    given, _ = _scene(parts)
    if given is None:
        return
    entries = (LIST, NUMBER) if len(parts) == 3 else (LIST_TWO, NUMBER_TWO)
    entry: Entry = entries[wanted is not None]
    arguments = (*given, 0, out) if wanted is None else (*given, 0, wanted, out)
    is_admitted(entry, *arguments)
