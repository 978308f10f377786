"""The forms in which methods see the objects of a scene: of each kind the smallest that holds the whole rectangle.

Moertel 1994 has one size only, so its boxes are the squares of 30 pixels around the centres. Sprites have the pixels
whose centres lie in the rectangle.
"""

from __future__ import annotations

from functools import cached_property
from math import isqrt

import numpy as np

from retrosim.collide.documents import objects
from retrosim.numeric.tables import FRACTION_BITS, cosine, sine

from .scenes import Scene

SQUARE = 30
MAX_CIRCLES = 4


def root_up(square: int) -> int:
    """Return the square root rounded up."""
    root = isqrt(square)
    return root + (root * root < square)


def to_pixels_up(length_q5: int) -> int:
    return -(-length_q5 // 32)


class Forms:
    """The objects of a scene where the frame ends, in whole pixels.

    boxes    int[n, 4]   left, top, width, height of upright boxes
    radius   int[n]      of circles around the centres
    circles  list        of each object, (x from the centre, y, radius): several along its longer side
    sprites  list        of each object, uint8[h, w], 1 where opaque; they lie at the boxes' corners
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.count = len(scene.x)
        self._turns = [(cosine(angle), sine(angle)) for angle in scene.angle.tolist()]
        self._halves = [(width, height) for width, height in scene.half.tolist()]

    @cached_property
    def boxes(self) -> np.ndarray:
        rows = []
        for x, y, (half_width, half_height), (c, s) in zip(
            self.scene.x.tolist(), self.scene.y.tolist(), self._halves, self._turns, strict=True
        ):
            across, down = (
                to_pixels_up(-(-extent >> FRACTION_BITS))
                for extent in (half_width * abs(c) + half_height * abs(s), half_width * abs(s) + half_height * abs(c))
            )
            rows.append((x - across, y - down, 2 * across, 2 * down))
        return np.array(rows)

    @cached_property
    def squares(self) -> np.ndarray:
        """Left and top of the squares of Moertel 1994, int[n, 2]."""
        return np.stack([self.scene.x, self.scene.y], axis=1).astype(int) - SQUARE // 2

    @cached_property
    def radius(self) -> np.ndarray:
        return np.array([to_pixels_up(root_up(width * width + height * height)) for width, height in self._halves])

    def circle_at(self, i: int) -> tuple[int, int, int]:
        """Return x, y and radius of the circle around an object."""
        return int(self.scene.x[i]), int(self.scene.y[i]), int(self.radius[i])

    @cached_property
    def circles(self) -> list[list[tuple[int, int, int]]]:
        return [_row_of_circles(*half, *turn) for half, turn in zip(self._halves, self._turns)]

    @cached_property
    def sprites(self) -> list[np.ndarray]:
        return [self._sprite(i) for i in range(self.count)]

    def _sprite(self, i: int) -> np.ndarray:
        x, y = (np.arange(side) * 32 + 16 - side * 16 for side in self.boxes[i, 2:].tolist())  # from the centre, Q11.5
        (c, s), (half_width, half_height) = self._turns[i], self._halves[i]
        is_along = np.abs(x[None, :] * c + y[:, None] * s) <= half_width << FRACTION_BITS
        is_across = np.abs(y[:, None] * c - x[None, :] * s) <= half_height << FRACTION_BITS
        return (is_along & is_across).astype(np.uint8)

    @cached_property
    def records(self) -> tuple[np.ndarray, np.ndarray]:
        """The records and circles of Jon E P 2007."""
        flat = [circle for each in self.circles for circle in each]
        records = np.zeros(self.count, objects.OBJECT)
        records["type"], records["active"], records["detection"] = objects.ALIEN, 1, objects.DETECT_ALL
        records["x"], records["y"] = self.scene.x, self.scene.y
        records["count"] = [len(each) for each in self.circles]
        records["first"] = np.cumsum(records["count"]) - records["count"]
        return records, objects.make_circles(flat)


def _row_of_circles(half: int, half_across: int, c: int, s: int) -> list[tuple[int, int, int]]:
    """Cover a rectangle around the origin with equal circles along its longer side.

    Their centres are whole pixels; what that rounds off is added to the radius.
    """
    if half < half_across:
        half, half_across, c, s = half_across, half, -s, c
    count = min(-(-half // half_across), MAX_CIRCLES)
    rows = []
    for number in range(count):
        along = half * (2 * number + 1 - count) // count
        exact = along * c >> FRACTION_BITS, along * s >> FRACTION_BITS
        x, y = (value + 16 >> 5 for value in exact)
        missed = root_up((exact[0] - 32 * x) ** 2 + (exact[1] - 32 * y) ** 2) + 2 if along else 0
        part = -(-half // count)
        rows.append((x, y, to_pixels_up(root_up(part * part + half_across * half_across) + missed)))
    return rows
