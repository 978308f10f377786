"""Checks of whole arrays."""

from __future__ import annotations

from retrosim.jit import kernel


@kernel
def first_beyond(values, minimum, maximum):
    """Return the index of the first entry outside minimum..maximum, or -1."""
    for i in range(len(values)):
        if int(values[i]) < minimum or int(values[i]) > maximum:
            return i
    return -1
