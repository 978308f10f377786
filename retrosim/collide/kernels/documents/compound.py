"""Objects made of several boxes and circles; see `retrosim.collide.documents.compound`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retrosim.jit import kernel

from ..shapes.boxes import is_touching, may_collide


class Compounds(NamedTuple):
    """Objects and their parts.

    x, y    int16[n] or int32[n]        origins of the objects, pixels
    parts   int16[p, 4] or int32[p, 4]  upper-left corner from the origin, width, height
    first   int32[n + 1]                where each object's parts begin
    circle  uint8[p]                    1 for a circle
    """

    x: np.ndarray
    y: np.ndarray
    parts: np.ndarray
    first: np.ndarray
    circle: np.ndarray


@kernel
def part_of(x, y, parts, i, p):
    """Return part `p`, which is one of object `i`, as a box on the screen."""
    return int(x[i]) + int(parts[p, 0]), int(y[i]) + int(parts[p, 1]), int(parts[p, 2]), int(parts[p, 3])


@kernel
def is_compound_touching(x, y, parts, first, circle, a, b):
    """Tell whether any part of object `a` collides with any part of object `b`; the columns of `Compounds`."""
    for p in range(first[a], first[a + 1]):
        part = part_of(x, y, parts, a, p)
        for q in range(first[b], first[b + 1]):
            if is_touching(part, part_of(x, y, parts, b, q), circle[p] & circle[q]):
                return True
    return False


@kernel
def mark_compounds(objects, pairs, out):
    """Write 1 for each listed pair that collides, else 0.

    objects  Compounds
    pairs    int32[m, 2]  indices
    out      uint8[m]     output
    """
    x, y, parts, first, circle = objects
    for p in range(len(pairs)):
        out[p] = is_compound_touching(x, y, parts, first, circle, pairs[p, 0], pairs[p, 1])


@kernel
def scan_compounds(objects, filters, found):
    """List every pair i < j that may collide and does.

    objects  Compounds
    filters  boxes.Filter
    found    int32[m, 2]  output
    Returns  int          collisions
    """
    x, y, parts, first, circle = objects
    category, mask = filters
    total = 0
    for a in range(len(x)):
        for b in range(a + 1, len(x)):
            if may_collide(category, mask, a, b) and is_compound_touching(x, y, parts, first, circle, a, b):
                if total < len(found):
                    found[total, 0] = a
                    found[total, 1] = b
                total += 1
    return total
