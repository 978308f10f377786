"""Objects that look like one of several sprites."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retrosim.jit import kernel


class Placed(NamedTuple):
    """Objects with sprites.

    shape  int32[n]              which sprite each object looks like
    x, y   int16[n] or int32[n]  upper-left corners, pixels
    """

    shape: np.ndarray
    x: np.ndarray
    y: np.ndarray


@kernel
def first_misplaced(first, across, height, cells):
    """Return the index of the first sprite that is not all in its table, or -1.

    first   int32[k]  where each sprite begins
    across  int32[k]  words or pixels per row
    height  int32[k]  rows
    cells   int       words or pixels of the table
    """
    for i in range(len(first)):
        begin, row, rows = np.int64(first[i]), np.int64(across[i]), np.int64(height[i])
        if begin < 0 or row < 1 or rows < 1 or begin + row * rows > cells:
            return i
    return -1
