"""Checks of whole arrays, and the copies that are checked.

The caller of a library function may write into its arrays from another thread while a kernel runs. So what decides
about an index is read once: copied into memory of our own, and checked and counted there.
"""

from __future__ import annotations

import numpy as np

from retrosim.jit import kernel


@kernel
def copy_axis(values, copy):
    """Copy coordinates; return the largest, -1 if any is negative, 0 if there is none.

    values  int16[n] or int32[n]  memory of the caller
    copy    int16[n] or int32[n]  output, or longer; the numbers are cut to its type
    """
    if len(values) == 0:
        return np.int64(0)
    lowest, highest = values[0], values[0]  # of the coordinates' own type, so that the loop is vectorised
    for i in range(len(values)):
        value = values[np.uint64(i)]
        copy[np.uint64(i)] = value
        lowest, highest = min(lowest, value), max(highest, value)
    return np.int64(highest) if lowest >= 0 else np.int64(-1)
