"""The oracle of spheres (x, y, z, radius)."""

from __future__ import annotations

from collections.abc import Sequence


def spheres_meet(a: Sequence[int], b: Sequence[int]) -> bool:
    """Tell whether two spheres collide: L < r1 + r2, squared (Rekaby 2011)."""
    return sum((p - q) ** 2 for p, q in zip(a[:3], b[:3])) < (a[3] + b[3]) ** 2
