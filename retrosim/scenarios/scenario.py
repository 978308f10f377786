"""What the native machine needs of a scenario, and what all scenarios have in common.

A scenario has arrays of state and `words` int64[k], which begin with the frame counter, the random state and the input
of the frame before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol

import numpy as np

from retrosim.checks import check_choice, check_integer
from retrosim.screen.shapes import Columns

FRAME, RANDOM, PAD_BEFORE = range(3)
Ranges = Mapping[str, tuple[int, int, int]]
"""Of parameters: default, least, most."""
Layout = Sequence[tuple[str, tuple[int, ...]]]
"""Of a saved state: type, in little-endian order, and shape of each array."""


class Scenario(Protocol):
    """One scenario under way; those of this package inherit it.

    magic     8 bytes a saved state begins with
    pad_mask  the greatest input
    words     int64[k]
    """

    magic: ClassVar[bytes]
    pad_mask: ClassVar[int]
    words: np.ndarray

    @staticmethod
    def ranges(rom: Any) -> Ranges:
        """Return what its parameters may be, as the ROM's description says; they are `objects` and `seed`."""
        return {name: (each.default, each.minimum, each.maximum) for name, each in rom.parameters.items()}

    @staticmethod
    def layout(objects: int) -> Layout:
        """Return what a state of so many objects has, beside the words that all scenarios have."""

    def __init__(self, rom: Any, objects: int, seed: int) -> None:
        """Make everything as it is at power-on: nothing has run."""

    def start(self) -> None:
        """Do what the program does before its first frame."""

    def run(self, pad: int, frames: int) -> None:
        """Run frames with an input."""

    def draw(self, screen: np.ndarray) -> None:
        """Draw uint8[480, 640] after a frame."""

    def columns(self) -> dict[str, np.ndarray | list[int]]:
        """Return the columns of the world, in the order of the ROM's description."""

    def beside(self) -> Columns:
        """Return what the module of `shapes` for this scenario reads beside the world."""

    def saved(self) -> list[np.ndarray]:
        """Return the arrays of `layout`."""

    def restore(self, arrays: Sequence[np.ndarray], *, has_run: bool) -> None:
        """Take the arrays of `layout`, and make what follows from them. Errors: ValueError if a value is impossible."""


def checked_parameters(ranges: Ranges, given: Mapping[str, int] | None) -> dict[str, int]:
    """Return all parameters, defaults filled in. Errors: ValueError."""
    values = {name: default for name, (default, _, _) in ranges.items()}
    for name, value in (given or {}).items():
        check_choice("parameter", name, ranges)
        _, least, most = ranges[name]
        values[name] = check_integer(name, value, least, most)
    return values


def check_span(name: str, values: np.ndarray, least: int, most: int) -> None:
    """Refuse values outside least..most. Errors: ValueError."""
    check_integer(f"least {name}", values.min(), least)
    check_integer(f"greatest {name}", values.max(), least, most)
