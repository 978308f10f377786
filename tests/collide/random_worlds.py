"""Scenes of boxes of any size, from ordinary to hostile, for the tests of what works on them.

--full takes 25 scenes of each kind instead of 12. With --times 1300 it is a million in
all: there, scenes of more than ten objects are one in a hundred, since the oracles compare every object with every
other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tests.helpers.amount import amount

SCENES = amount(12, 25)
EVERYONE = 0xFFFF
LOW, HIGH = -(1 << 31), (1 << 31) - 1
KINDS = ("screen", "mixed", "power", "cluster", "bars", "pile", "nested", "edges", "lattice", "outlier")


@dataclass
class Scene:
    """x, y int64[n]; size int64[n, 2]; category, mask int64[n]."""

    x: np.ndarray
    y: np.ndarray
    size: np.ndarray
    category: np.ndarray
    mask: np.ndarray

    def boxes(self, begin: int = 0, end: int | None = None) -> list[tuple[int, ...]]:
        """Return boxes as the oracle takes them."""
        columns = (self.x, self.y, self.size[:, 0], self.size[:, 1], self.category, self.mask)
        return list(zip(*(column[begin:end].tolist() for column in columns)))

    def options(self) -> dict[str, np.ndarray]:
        words = {"category": self.category, "mask": self.mask}
        return {"size": self.size} | (words if min(self.mask, default=0) < EVERYONE else {})


def limited(number: int, objects: int) -> int:
    """Return how many objects scene `number` may have."""
    return objects if SCENES <= 1000 or number % 100 == 0 else min(objects, 10)


def random_world(rng: np.random.Generator, kind: str, count: int) -> Scene:
    """Make one scene of a kind."""
    scale = int(2 ** rng.uniform(0, 12))
    extent = max(2, int(scale * max(count, 1) ** 0.5 * 2 ** rng.uniform(-2, 1)))
    places = rng.integers(-extent, extent, (count, 2))
    size = np.full((count, 2), scale)
    if kind == "mixed":
        size = rng.integers(1, 2 * scale + 1, (count, 2))
    elif kind == "power":
        size = np.minimum(1 + 3 / (rng.random((count, 2)) + 1e-5), 100_000).astype(np.int64)
    elif kind == "cluster":
        places = rng.integers(-100, 100, (count, 2)) + rng.choice([-1_000_000_000, 0, 2_000_000_000], (count, 2))
    elif kind == "bars":
        size = np.where(rng.integers(0, 2, (count, 1)) == [[0, 1]], 1, rng.integers(1, 100_001, (count, 2)))
    elif kind == "pile":
        places[:] = rng.integers(LOW, HIGH - scale, 2)
    elif kind == "nested":
        size = np.repeat(1 + np.arange(count)[:, None], 2, axis=1)
        places = -(size // 2)
    elif kind == "edges":  # at the ends of the range; as large as may be
        places = rng.choice([LOW, LOW + 1, -1, 0, 1, HIGH - 1], (count, 2))
        size = np.minimum(rng.choice([1, 2, HIGH], (count, 2)), HIGH - places)
    elif kind == "lattice":  # sides meet everywhere
        places = rng.integers(-4, 4, (count, 2)) * scale
        size = size * rng.integers(1, 3, (count, 1))
    elif kind == "outlier":
        places[: count // 20 + 1] = rng.integers(LOW, HIGH - scale, 2)
    words = rng.integers(0, 4, (2, count)) | (rng.random(count) < 0.5) * 3
    if count % 4 == 3:
        words[:] = EVERYONE
    return Scene(places[:, 0].copy(), places[:, 1].copy(), size.astype(np.int64), words[0], words[1])
