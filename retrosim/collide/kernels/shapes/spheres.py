"""Spheres in three axes; see `retrosim.collide.documents.spheres`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retrosim.jit import kernel


class Spheres(NamedTuple):
    """Spheres.

    x, y, z  int16[n] or int32[n]  centres, pixels
    radius   uint16[n]             pixels
    """

    x: np.ndarray
    y: np.ndarray
    z: np.ndarray
    radius: np.ndarray


@kernel
def sphere_of(x, y, z, radius, i):
    """Return sphere `i` as a tuple."""
    return int(x[i]), int(y[i]), int(z[i]), int(radius[i])


@kernel
def is_meeting(a, b):
    """Tell whether two spheres (x, y, z, radius) collide.

    Source  Rekaby 2011, "Sphere algorithms"
    """
    dx, dy, dz = a[0] - b[0], a[1] - b[1], a[2] - b[2]
    reach = a[3] + b[3]
    return dx * dx + dy * dy + dz * dz < reach * reach


@kernel
def mark_pairs(spheres, pairs, out):
    """Write 1 for each listed pair that collides, else 0.

    spheres  Spheres
    pairs    int32[m, 2]  indices
    out      uint8[m]     output
    """
    x, y, z, radius = spheres
    for p in range(len(pairs)):
        out[p] = is_meeting(sphere_of(x, y, z, radius, pairs[p, 0]), sphere_of(x, y, z, radius, pairs[p, 1]))


@kernel
def scan_pairs(spheres, found):
    """List every pair i < j that collides.

    spheres  Spheres
    found    int32[m, 2]  output
    Returns  int          collisions
    """
    x, y, z, radius = spheres
    total = 0
    for a in range(len(x)):
        sphere = sphere_of(x, y, z, radius, a)
        for b in range(a + 1, len(x)):
            if is_meeting(sphere, sphere_of(x, y, z, radius, b)):
                if total < len(found):
                    found[total, 0] = a
                    found[total, 1] = b
                total += 1
    return total
