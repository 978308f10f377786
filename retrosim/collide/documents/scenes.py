"""Positions for objects: the random formula of Moertel 1994, and scenes of a known density for the analysis table.

    >>> from retrosim.collide.documents import scenes
    >>> x, y = scenes.random_scene(3, seed=1994)
    >>> list(zip(x.tolist(), y.tolist()))
    [(412, 338), (610, 318), (498, 435)]
    >>> x, y = scenes.even_scene(2, seed=1994)
    >>> len(x), x[:2].tolist(), y[:2].tolist()  # two in each of 80 sectors; these are in the first
    (160, [31, 4], [2, 30])

Conventions
    out     int16[2, n], where to write x and y instead of making arrays
    Errors  ValueError  of one line, with the range
"""

from __future__ import annotations

import numpy as np

from retrosim.checks import check_integer

from .._results import array_of
from ..kernels.documents.scenes import FILLED_COLUMNS, FILLED_ROWS, fill_sectors, randomize
from ..kernels.pairs.sector_grid import SECTOR

MAX_RANDOM, MAX_SEED = 1 << 22, 2**32 - 1  # objects of a random scene


def random_scene(count: int, seed: int, *, out: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Place objects at random over the whole screen.

    count    0..4194304
    seed     0..2**32-1
    Returns  x, y: int16[count], pixels
    """
    count, seed = check_integer("count", count, 0, MAX_RANDOM), check_integer("seed", seed, 0, MAX_SEED)
    x, y = array_of(out, np.int16, 2, count)
    randomize(x, y, seed)
    return x, y


def even_scene(each: int, seed: int, *, out: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Place the same number of objects in each of the 80 sectors of the screen, in whichever way the grid is shifted.

    each     objects in a sector, 1..52428
    seed     0..2**32-1
    Returns  x, y: int16[80 * each], pixels; each within the upper left quarter of its sector
    """
    sectors = FILLED_COLUMNS * FILLED_ROWS
    each, seed = check_integer("each", each, 1, MAX_RANDOM // sectors), check_integer("seed", seed, 0, MAX_SEED)
    x, y = array_of(out, np.int16, 2, each * sectors)
    fill_sectors(x, y, each, SECTOR // 2, seed)
    return x, y
