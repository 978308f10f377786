"""Many scenes in one call: the cost of a call is paid once, and a scene of 50 boxes takes a third of a microsecond.

    >>> import numpy as np
    >>> from retrosim.collide import batch
    >>> x = np.array([[10, 30, 300], [10, 50, 70]], np.int32)  # two scenes of three boxes each
    >>> y = np.array([[10, 20, 300], [10, 10, 10]], np.int32)
    >>> batch.collided(x, y, size=30).tolist()
    [[1, 1, 0], [0, 1, 1]]
    >>> batch.collided(x.ravel(), y.ravel(), starts=np.array([0, 2, 6]), size=30).tolist()  # of two boxes and of four
    [1, 1, 0, 0, 1, 1]
    >>> rows, ends = batch.pairs(x, y, size=30)
    >>> rows.tolist(), ends.tolist()
    ([[0, 1], [1, 2]], [1, 2])

Flags and pairs of a scene are those that `retrosim.collide.plane` gives.

Conventions
    x, y    int16[scenes, n] or int32[scenes, n], C-contiguous; or, with `starts`, all scenes one after another,
            [total]; upper-left corners, pixels, 0..1048575
    starts  integers[scenes + 1]: scene s is starts[s]..starts[s + 1] - 1; from 0 to `total`, never falling
    size    side of all boxes, 1..31 pixels; half open, touching is no collision
    Errors  ValueError  wrong dtype, shape or length; a value out of range, named with the range
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from retrosim.checks import check_integer
from retrosim.jit import JIT, kinds_of

from ._arguments import check_vectors, form_of, is_array, own_within
from ._first_calls import COMPILER, squares
from ._results import check_capacity, flag_array, keys_of, row_table, sort_keys
from .kernels.pairs.hierarchical_grid import FLAGS, PAIRS
from .kernels.pairs.sector_grid import MAX_SIDE
from .kernels.pairs.uniform_grid import MAX_COORDINATE, MAX_OBJECTS, list_scenes, mark_scenes

MAX_SCENES = 2000  # for NumPy: some tenths of a second


def _check(x, y, starts, size):
    """Check arguments; return copies of both coordinates and of `starts`, as vectors, and the side."""
    if starts is None:
        for name, values in (("x", x), ("y", y)):
            if not is_array(values) or values.ndim != 2 or not values.flags.c_contiguous:
                raise ValueError(f"{name}: allowed C-contiguous arrays, [scenes, n], or `starts` with [total]")
        if x.shape != y.shape:
            raise ValueError(f"y has shape {y.shape}: allowed {x.shape}, as x has")
        starts = np.arange(len(x) + 1, dtype=np.int64) * x.shape[1]
        x, y = x.reshape(-1), y.reshape(-1)
    side = check_integer("size", size, 1, MAX_SIDE)
    total = check_vectors(x=x, y=y)
    x, y = own_within(0, MAX_COORDINATE, x=x, y=y)
    starts = starts if isinstance(starts, np.ndarray) else np.asarray(starts)
    if not is_array(starts) or starts.dtype.kind not in "iu" or starts.ndim != 1 or len(starts) == 0:
        raise ValueError(f"starts is {form_of(starts)}: allowed integers[scenes + 1]")
    starts = starts.astype(np.int64)
    lengths = np.diff(starts)
    is_wrong = lengths.min(initial=0) < 0 or lengths.max(initial=0) > MAX_OBJECTS
    if starts[0] != 0 or starts[-1] != total or is_wrong:
        raise ValueError(f"starts: allowed from 0 to {total}, never falling, at most {MAX_OBJECTS} objects a scene")
    return x, y, starts, side


def _by_numpy(routine: Any, given: tuple, wanted: int) -> list[np.ndarray] | None:
    """Return what `_first_calls.squares` does for each scene; None if the kernel is compiled, or would be faster.

    given  arguments of the kernel: x, y, starts, side, ..
    """
    name = routine, given[0].itemsize
    if not JIT or name in COMPILER.done or COMPILER.is_done(name, lambda: routine.compile(kinds_of(*given))):
        return None
    x, y, starts, side = given[:4]
    found: list[np.ndarray] = []
    for begin, end in pairwise(starts.tolist()):
        scene = squares(x[begin:end], y[begin:end], side, wanted) if len(starts) <= MAX_SCENES else None
        if scene is None:
            COMPILER.wait(name)
            return None
        found.append(scene)
    return found


def collided(
    x: np.ndarray, y: np.ndarray, *, starts: np.ndarray | None = None, size: int = 30, out: np.ndarray | None = None
) -> np.ndarray:
    """Flag every object that is in some collision in its scene.

    out      uint8, of the shape of x, C-contiguous; None makes an array
    Returns  uint8, of the shape of x: 1 in a collision, else 0

    >>> x, y = np.array([[10, 30], [10, 50]], np.int32), np.array([[10, 20], [10, 10]], np.int32)
    >>> collided(x, y, size=30).tolist()
    [[1, 1], [0, 0]]
    """
    flat_x, flat_y, starts, side = _check(x, y, starts, size)
    if out is None:
        out = np.empty(x.shape, np.uint8)
    elif not is_array(out) or out.shape != x.shape or not out.flags.c_contiguous:
        raise ValueError(f"out: allowed a C-contiguous uint8 array of shape {x.shape}")
    given = flat_x, flat_y, starts, side, flag_array(out.reshape(-1), len(flat_x))
    found = _by_numpy(mark_scenes, given, FLAGS)
    if found is None:
        mark_scenes(*given)
    else:
        np.concatenate([given[-1][:0], *found], out=given[-1])
    return out


def pairs(
    x: np.ndarray, y: np.ndarray, *, starts: np.ndarray | None = None, size: int = 30, out: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """List every overlapping pair of every scene once.

    out      int32[m, 2]  with enough rows for all pairs; None makes an array
    Returns  int32[m, 2]    scene after scene: indices within the scene, the lower one first, in ascending order; a view
                            of `out` if that is given
             int64[scenes]  where the pairs of each scene end

    >>> x, y = np.array([[10, 30], [10, 50]], np.int32), np.array([[10, 20], [10, 10]], np.int32)
    >>> [part.tolist() for part in pairs(x, y, size=30)]
    [[[0, 1]], [1, 1]]
    """
    x, y, starts, side = _check(x, y, starts, size)
    rows = row_table(out, 2 * len(x) if out is None else 0, 2, np.int32)
    ends, are_keys = np.empty(len(starts) - 1, np.int64), np.zeros(len(starts) - 1, np.bool_)
    found = _by_numpy(list_scenes, (x, y, starts, side, rows, keys_of(rows), ends, are_keys), PAIRS)
    if found is None:
        list_scenes(x, y, starts, side, rows, keys_of(rows), ends, are_keys)
    else:
        np.cumsum([len(each) for each in found], out=ends)
    total = int(ends[-1]) if len(ends) else 0
    if total > len(rows):
        check_capacity(total, out)
        rows = np.empty((total, 2), np.int32)
        if found is None:
            list_scenes(x, y, starts, side, rows, keys_of(rows), ends, are_keys)
    if found is not None:
        np.concatenate([rows[:0], *found], out=rows[:total])
    for scene in np.flatnonzero(are_keys):
        sort_keys(rows[ends[scene - 1] if scene else 0 : ends[scene]], out is None)
    return rows[:total], ends
