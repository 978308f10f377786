"""Objects that look like one of several sprites."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Placed(NamedTuple):
    """Objects with sprites.

    shape  int32[n]              which sprite each object looks like
    x, y   int16[n] or int32[n]  upper-left corners, pixels
    """

    shape: np.ndarray
    x: np.ndarray
    y: np.ndarray
