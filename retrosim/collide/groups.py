"""One group of boxes against another: bullets against enemies, a player against walls; sizes and world as in `world`.

    >>> import numpy as np
    >>> from retrosim.collide import groups
    >>> x0, y0 = np.array([0, 100, -500]), np.array([0, 50, 0])  # bullets, 4 x 4
    >>> x1, y1 = np.array([90, -20, 101]), np.array([40, -10, 52])  # enemies
    >>> enemies = np.array([[32, 32], [24, 16], [2, 2]])
    >>> groups.pairs(x0, y0, x1, y1, size=4, other=enemies).tolist()  # bullet, enemy
    [[0, 1], [1, 0], [1, 2]]
    >>> groups.first(x0, y0, x1, y1, size=4, other=enemies).tolist()
    [1, 0, -1]
    >>> groups.counts(x0, y0, x1, y1, size=4, other=enemies).tolist()
    [1, 2, 0]
    >>> groups.collided(x1, y1, x0, y0, size=enemies, other=4).tolist()  # which enemies are hit
    [1, 1, 1]

Conventions are those of `world`, and
    x0, y0   corners of the boxes that are asked about; `size`, `category`, `mask` and `starts` are theirs
    x1, y1   corners of the boxes that they may collide with; `other`, `other_category`, `other_mask` and
             `other_starts` are theirs. With `starts`, scene s of the first is compared with scene s of the second
"""

from __future__ import annotations

import numpy as np

from ._arguments import EVERYONE
from ._results import array_of, flag_array
from ._worlds import Scenes, listed, numbers, own_starts, scene_of
from .kernels.hierarchical_grid import COUNTS, FIRST, FLAGS

OTHER_NAMES = ("x1", "y1", "other")


def _scenes(
    x0, y0, x1, y1, size, other, closed, category, mask, other_category, other_mask, starts, other_starts
) -> Scenes:
    """Check arguments."""
    if (starts is None) != (other_starts is None):
        raise ValueError("starts and other_starts: allowed both or neither")
    scene = scene_of(x0, y0, size, closed, category, mask, ("x0", "y0", "size"))
    others = scene_of(x1, y1, other, closed, other_category, other_mask, OTHER_NAMES)
    starts, ends = own_starts("starts", starts, len(scene)), own_starts("other_starts", other_starts, len(others))
    if len(starts) != len(ends):
        raise ValueError(f"other_starts has length {len(ends)}: allowed {len(starts)}, as starts has")
    return Scenes(scene, starts, others, ends)


def collided(
    x0: np.ndarray,
    y0: np.ndarray,
    x1: np.ndarray,
    y1: np.ndarray,
    *,
    size: int | np.ndarray,
    other: int | np.ndarray,
    closed: bool = False,
    category: int | np.ndarray = EVERYONE,
    mask: int | np.ndarray = EVERYONE,
    other_category: int | np.ndarray = EVERYONE,
    other_mask: int | np.ndarray = EVERYONE,
    starts: np.ndarray | None = None,
    other_starts: np.ndarray | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Flag every object of the first group that collides with one of the second.

    Returns  uint8[n]  1 in a collision, else 0
    """
    scenes = _scenes(
        x0, y0, x1, y1, size, other, closed, category, mask, other_category, other_mask, starts, other_starts
    )
    out = flag_array(out, len(scenes.scene))
    out[:] = numbers(scenes, FLAGS)
    return out


def counts(
    x0: np.ndarray,
    y0: np.ndarray,
    x1: np.ndarray,
    y1: np.ndarray,
    *,
    size: int | np.ndarray,
    other: int | np.ndarray,
    closed: bool = False,
    category: int | np.ndarray = EVERYONE,
    mask: int | np.ndarray = EVERYONE,
    other_category: int | np.ndarray = EVERYONE,
    other_mask: int | np.ndarray = EVERYONE,
    starts: np.ndarray | None = None,
    other_starts: np.ndarray | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Count the objects of the second group that each one of the first collides with.

    Returns  int32[n]
    """
    scenes = _scenes(
        x0, y0, x1, y1, size, other, closed, category, mask, other_category, other_mask, starts, other_starts
    )
    out = array_of(out, np.int32, len(scenes.scene))
    out[:] = numbers(scenes, COUNTS)
    return out


def first(
    x0: np.ndarray,
    y0: np.ndarray,
    x1: np.ndarray,
    y1: np.ndarray,
    *,
    size: int | np.ndarray,
    other: int | np.ndarray,
    closed: bool = False,
    category: int | np.ndarray = EVERYONE,
    mask: int | np.ndarray = EVERYONE,
    other_category: int | np.ndarray = EVERYONE,
    other_mask: int | np.ndarray = EVERYONE,
    starts: np.ndarray | None = None,
    other_starts: np.ndarray | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Find the lowest index in the second group that each object of the first collides with.

    Returns  int32[n]  -1 where there is none
    """
    scenes = _scenes(
        x0, y0, x1, y1, size, other, closed, category, mask, other_category, other_mask, starts, other_starts
    )
    out = array_of(out, np.int32, len(scenes.scene))
    out[:] = numbers(scenes, FIRST)
    return out


def pairs(
    x0: np.ndarray,
    y0: np.ndarray,
    x1: np.ndarray,
    y1: np.ndarray,
    *,
    size: int | np.ndarray,
    other: int | np.ndarray,
    closed: bool = False,
    category: int | np.ndarray = EVERYONE,
    mask: int | np.ndarray = EVERYONE,
    other_category: int | np.ndarray = EVERYONE,
    other_mask: int | np.ndarray = EVERYONE,
    starts: np.ndarray | None = None,
    other_starts: np.ndarray | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """List every pair that overlaps, one object of each group.

    Returns  int32[m, 2]  indices in the first and in the second group, in ascending order; a view of `out` if given
    """
    scenes = _scenes(
        x0, y0, x1, y1, size, other, closed, category, mask, other_category, other_mask, starts, other_starts
    )
    return listed(scenes, out)
