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

import numpy as np

from retrosim.checks import check_integer

from ._arguments import check_vectors, form_of, is_array, own_within
from ._equal_boxes import MAX_X, Batch, list_batch, mark_batch
from ._results import flag_array
from .kernels.pairs.sectors import MAX_SIDE
from .kernels.pairs.uniform_grid import MAX_OBJECTS


def _check(x, y, starts, size) -> Batch:
    """Check arguments; coordinates and `starts` are copied, as vectors."""
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
    x, y = own_within(0, MAX_X, x=x, y=y)
    starts = starts if isinstance(starts, np.ndarray) else np.asarray(starts)
    if not is_array(starts) or starts.dtype.kind not in "iu" or starts.ndim != 1 or len(starts) == 0:
        raise ValueError(f"starts is {form_of(starts)}: allowed integers[scenes + 1]")
    starts = starts.astype(np.int64)
    lengths = np.diff(starts)
    is_wrong = lengths.min(initial=0) < 0 or lengths.max(initial=0) > MAX_OBJECTS
    if starts[0] != 0 or starts[-1] != total or is_wrong:
        raise ValueError(f"starts: allowed from 0 to {total}, never falling, at most {MAX_OBJECTS} objects a scene")
    return Batch(x, y, starts, side)


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
    scenes = _check(x, y, starts, size)
    if out is None:
        out = np.empty(x.shape, np.uint8)
    elif not is_array(out) or out.shape != x.shape or not out.flags.c_contiguous:
        raise ValueError(f"out: allowed a C-contiguous uint8 array of shape {x.shape}")
    mark_batch(scenes, flag_array(out.reshape(-1), len(scenes.x)))
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
    return list_batch(_check(x, y, starts, size), out, False)
