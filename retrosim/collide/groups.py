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

from typing import NamedTuple

import numpy as np

from . import _small_scenes
from ._arguments import EVERYONE, own_starts
from ._boxes import Scenes, listed, numbers, scene_of
from ._results import array_of, flag_array
from .kernels.pairs.hierarchical_grid import COUNTS, FIRST, FLAGS

NAMES, OTHER_NAMES = ("x0", "y0", "size"), ("x1", "y1", "other")


class Groups(NamedTuple):
    """Two groups, as they are passed."""

    x0: np.ndarray
    y0: np.ndarray
    size: int | np.ndarray
    x1: np.ndarray
    y1: np.ndarray
    other: int | np.ndarray


def _scenes(groups, closed, words, starts) -> Scenes:
    """Check arguments; words: categories and masks of both groups, starts: of both."""
    x0, y0, size, x1, y1, other = groups
    if (starts[0] is None) != (starts[1] is None):
        raise ValueError("starts and other_starts: allowed both or neither")
    scene = scene_of(x0, y0, size, closed, words[0], words[1], NAMES)
    others = scene_of(x1, y1, other, closed, words[2], words[3], OTHER_NAMES)
    begins, ends = own_starts("starts", starts[0], len(scene)), own_starts("other_starts", starts[1], len(others))
    if len(begins) != len(ends):
        raise ValueError(f"other_starts has length {len(ends)}: allowed {len(begins)}, as starts has")
    return Scenes(scene, begins, others, ends)


def _numbers(groups: Groups, closed, words, starts, wanted, out) -> np.ndarray:
    """Do what `collided`, `counts` and `first` do; see `_scenes`."""
    is_plain = all(word is EVERYONE for word in words) and starts[0] is starts[1] is None
    found = _small_scenes.number_two(*groups, closed, wanted, out) if is_plain else None
    if found is not None:
        return found
    scenes = _scenes(groups, closed, words, starts)
    out = flag_array(out, len(scenes.scene)) if wanted == FLAGS else array_of(out, np.int32, len(scenes.scene))
    if is_plain:
        _small_scenes.learn(groups, wanted, out)
    out[:] = numbers(scenes, wanted)
    return out


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

    >>> bullets, foes = (np.array([5, 99]), np.array([5, 0])), (np.array([0, 90]), np.array([0, -40]))
    >>> collided(*bullets, *foes, size=4, other=30).tolist()
    [1, 0]
    """
    groups, words = Groups(x0, y0, size, x1, y1, other), (category, mask, other_category, other_mask)
    return _numbers(groups, closed, words, (starts, other_starts), FLAGS, out)


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

    >>> bullets, foes = (np.array([5, 99]), np.array([5, 0])), (np.array([0, 90]), np.array([0, -40]))
    >>> counts(*bullets, *foes, size=4, other=90).tolist()
    [1, 1]
    """
    groups, words = Groups(x0, y0, size, x1, y1, other), (category, mask, other_category, other_mask)
    return _numbers(groups, closed, words, (starts, other_starts), COUNTS, out)


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

    >>> bullets, foes = (np.array([5, 99]), np.array([5, 0])), (np.array([0, 90]), np.array([0, -40]))
    >>> first(*bullets, *foes, size=4, other=30).tolist()
    [0, -1]
    """
    groups, words = Groups(x0, y0, size, x1, y1, other), (category, mask, other_category, other_mask)
    return _numbers(groups, closed, words, (starts, other_starts), FIRST, out)


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

    >>> bullets, foes = (np.array([5, 99]), np.array([5, 0])), (np.array([0, 90]), np.array([0, -40]))
    >>> pairs(*bullets, *foes, size=4, other=90).tolist()
    [[0, 0], [1, 1]]
    """
    is_plain = category is mask is other_category is other_mask is EVERYONE and starts is other_starts is None
    found = _small_scenes.list_two(x0, y0, size, x1, y1, other, closed, out) if is_plain else None
    if found is not None:
        return found
    groups, words = Groups(x0, y0, size, x1, y1, other), (category, mask, other_category, other_mask)
    found = listed(_scenes(groups, closed, words, (starts, other_starts)), out)
    if is_plain:
        _small_scenes.learn(groups, None, found)
    return found
