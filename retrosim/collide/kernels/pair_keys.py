"""Pairs as keys: one int64 each, the lower index in the upper half, so that sorting keys sorts pairs."""

from __future__ import annotations

import numpy as np

from retrosim.jit import kernel


@kernel
def split_keys(keys, rows):
    """Write keys as pairs.

    keys  int64[m]
    rows  int32[m, 2]  output; may be the same memory as `keys`
    """
    for k in range(len(keys)):
        key = keys[np.uint64(k)]
        rows[np.uint64(k), 0] = key >> 32
        rows[np.uint64(k), 1] = key & 0xFFFFFFFF
