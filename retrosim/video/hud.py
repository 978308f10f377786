"""Says in words and figures what the machine is doing: pure functions from readings to lines of text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

MOST_OBJECTS = 1000
SIDE, LARGEST_SIDE = 30, 640
"""Pixels: of boxes that a world does not give sides, and what counts as one."""
SECTOR_LOG2 = 6
COLUMNS, ROWS = 11, 9
SHIFTS = ((0, 0), (0, 32), (32, 0), (32, 32))
"""Offsets (x, y) of the sector grid in the four passes, in pixels; Moertel 1994, DetermineCollisions."""


@dataclass(frozen=True)
class Scene:
    """Where the objects are and which of them collided.

    x, y      int[n]     upper left corners, pixels
    collided  bool[n]    as the machine found it
    sides     int[2, n] or int  width and height of each, or one side of all, pixels
    """

    x: np.ndarray
    y: np.ndarray
    collided: np.ndarray
    sides: np.ndarray | int = SIDE

    @cached_property
    def pairs(self) -> np.ndarray:
        """The pairs whose boxes overlap, int[m, 2], lower index first."""
        wide, high = self.boxes[2:] - self.boxes[:2]
        dx, dy = self.x - self.x[:, None], self.y - self.y[:, None]  # from the first of a pair to the second
        near_x, near_y = (dx < wide[:, None]) & (-dx < wide), (dy < high[:, None]) & (-dy < high)
        return np.argwhere(np.triu(near_x & near_y, 1))

    @cached_property
    def boxes(self) -> np.ndarray:
        """The boxes, int[4, n]: left, top, right, bottom."""
        corners = np.stack([self.x, self.y])
        return np.concatenate([corners, corners + self.sides])

    def sectors(self, shift: tuple[int, int]) -> np.ndarray:
        """Return how many objects each sector of the shifted grid holds, int[11, 9], column first."""
        index = ((self.x + shift[0]) >> SECTOR_LOG2) * ROWS + ((self.y + shift[1]) >> SECTOR_LOG2)
        known = index[(index >= 0) & (index < COLUMNS * ROWS)]
        return np.bincount(known, minlength=COLUMNS * ROWS).reshape(COLUMNS, ROWS)

    @cached_property
    def pair_tests(self) -> int:
        """The pair tests the four passes make: k (k - 1) / 2 in a sector of k objects."""
        return sum(int((held * (held - 1) // 2).sum()) for held in map(self.sectors, SHIFTS))


def scene_of(columns: Mapping[str, np.ndarray]) -> Scene | None:
    """Return the scene in the columns of a world, None if it has no objects of that kind, or more than can be shown.

    columns  name -> int32[n]; px, py in Q11.5, collided 0 or not; wide, high in pixels if sides differ
    """
    if not {"px", "py", "collided"} <= columns.keys():
        return None
    x, y, collided = (np.asarray(columns[name], np.int64) for name in ("px", "py", "collided"))
    if not len(x) == len(y) == len(collided) <= MOST_OBJECTS:  # a program's own count may be anything
        return None
    sides = [np.asarray(columns[name], np.int64) for name in ("wide", "high") if name in columns]
    if [len(each) for each in sides] != [len(x)] * 2:
        return Scene(x >> 5, y >> 5, collided != 0)
    return Scene(x >> 5, y >> 5, collided != 0, np.clip(sides, 1, LARGEST_SIDE))


@dataclass(frozen=True)
class Readings:
    """What the HUD shows.

    machine, rom  names
    frame         frames completed
    periods       of the clock that frames wait for, which the shown frames occupied
    cycles        CPU clocks of the last frame, 0 where none are counted
    instructions  instructions of the last frame, 0 where none are counted
    period_cycles CPU clocks in a period, 0 where none are counted
    scene         the objects, or None
    speed         multiple of real time
    period        what a period is called: "tick", "retrace"
    """

    machine: str
    rom: str
    frame: int = 0
    periods: int = 0
    cycles: int = 0
    instructions: int = 0
    period_cycles: Fraction = Fraction(0)
    scene: Scene | None = None
    speed: Fraction = Fraction(1)
    period: str = "tick"


def speed_text(speed: Fraction) -> str:
    """Return a speed as people write it: "1x", "1/4x", "8x"."""
    return f"{speed}x"


def counted(number: int, thing: str) -> str:
    """Return a number of things: "1 pair", "1,003 tests"."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


FIELDS = (24, 22, 18, 16, 12, 0)
"""Widths of the columns both metrics lines share, so that figures stay where they are while they change."""


def metrics_lines(readings: Readings) -> list[str]:
    """Return the two metrics lines.

    Returns  list[str]  at most 104 characters each: place in time; cost of the last frame and its collisions
    """
    r = readings
    place = [f"{r.machine} {r.rom}", f"frame {r.frame:,}", f"{r.period} {r.periods:,}", f"speed {speed_text(r.speed)}"]
    if r.period_cycles:
        cpi = f"{r.cycles / r.instructions:.2f}" if r.instructions else "-"
        share = float(100 * r.cycles / r.period_cycles)
        cost = [f"{r.cycles:,} cycles/frame", f"{share:.1f}% of a {r.period}", f"CPI {cpi}"]
    else:
        cost = ["native kernels", "no cycles counted", ""]
    if r.scene is not None:
        hits, count = int(r.scene.collided.sum()), len(r.scene.x)
        cost += [f"{hits} of {count} hit", counted(len(r.scene.pairs), "pair"), counted(r.scene.pair_tests, "test")]
    return ["".join(text.ljust(width) for text, width in zip(fields, FIELDS)).rstrip() for fields in (place, cost)]
