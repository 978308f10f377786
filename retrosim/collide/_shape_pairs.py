"""All pairs of shapes of any kind that collide: in large scenes a broad phase by bounding boxes comes first."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ._arguments import EVERYONE
from ._boxes import NO_RESULTS, Sorted, chunks_of, rows_for, scene_of
from ._results import keys_of, pair_list, sort_keys
from .kernels.pairs.hierarchical_grid import ONE, PAIRS
from .kernels.pairs.uniform_grid import MAX_COUNTED

MAX_ALL = 256  # objects up to which every pair is tested, which then takes no longer
CROWDED = 8  # every pair is tested, too, if the bounding boxes of one in so many overlap
ROWS = 1 << 18  # candidates that are tested at a time: 2 MB


class Bounds(NamedTuple):
    """Bounding boxes, half open: integers[n] each that fit 32 bits, right above left and bottom above top."""

    left: np.ndarray
    top: np.ndarray
    right: np.ndarray
    bottom: np.ndarray


def around(x: np.ndarray, y: np.ndarray, reach: np.ndarray) -> Bounds:
    """Return boxes that reach as far, and one unit farther, on all sides of a point."""
    x, y, reach = x.astype(np.int32), y.astype(np.int32), reach.astype(np.int32) + 1
    return Bounds(x - reach, y - reach, x + reach, y + reach)


def near_pairs(
    count: int,
    find_bounds: Callable[[], Bounds],
    scan_all: Callable[[np.ndarray], int],
    mark: Callable[[np.ndarray, np.ndarray], object],
    out: np.ndarray | None,
    category: int | np.ndarray = EVERYONE,
    mask: int | np.ndarray = EVERYONE,
) -> np.ndarray:
    """List the pairs that collide, in ascending order, int32[m, 2].

    count        shapes
    find_bounds  returns their bounding boxes: shapes do not collide if these do not overlap
    scan_all     tests every pair, see `pair_list`: quicker for few shapes, and where most bounding boxes overlap
    mark         writes 1 for each of the pairs int32[m, 2] that collides into uint8[m], else 0
    out          int32[m, 2] with enough rows, or None
    """
    if count <= MAX_ALL:
        return pair_list(scan_all, out, 4 * count)
    bounds = find_bounds()
    sides = np.stack([bounds.right - bounds.left, bounds.bottom - bounds.top], axis=1)
    scene = scene_of(bounds.left, bounds.top, sides, False, category, mask)
    ordered = Sorted(scene, 0, count)
    rows = np.empty((rows_for(count), 2), np.int32)
    limit = max(len(rows), count * (count - 1) // (2 * CROWDED))
    total = ordered.search(scene, 0, count, ONE, PAIRS, keys_of(rows), NO_RESULTS, limit)
    if total > limit:
        return pair_list(scan_all, out, 4 * count)
    is_complete = total <= len(rows)
    if is_complete:
        sort_keys(rows[:total], True)

    def scan(found: np.ndarray) -> int:
        done = 0
        for candidates in [rows[:total]] if is_complete else chunks_of(ordered, scene, ROWS):
            flags = np.empty(len(candidates), np.uint8)
            mark(candidates, flags)
            near = candidates[flags.view(np.bool_)]
            here = found[done : done + len(near)]
            here[:] = near[: len(here)]
            done += len(near)
            if done > MAX_COUNTED:
                break
        return done

    return pair_list(scan, out, total if is_complete else 4 * count)
