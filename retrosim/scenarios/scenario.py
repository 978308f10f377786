"""What a scenario consists of, and what all of them have in common.

A scenario's `words` int64[k] begin with the frame counter, the random state and the input of the frame before.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from retrosim.checks import check_choice, check_integer
from retrosim.rom import Rom
from retrosim.rom.reading import MemoryReader
from retrosim.screen.shapes import Columns, Shapes

FRAME, RANDOM, PAD_BEFORE = range(3)
LEFT, RIGHT, UP, DOWN, FIRE = 1, 2, 4, 8, 16  # of the input "pad"
Layout = Sequence[tuple[str, tuple[int, ...]]]
"""Of a saved state: type, in little-endian order, and shape of each array."""

Parameters = Mapping[str, int]
"""The ROM's parameters by name."""

Placed = Mapping[str, Mapping[int, int]]
"""Of a scene: column -> entry -> value."""


class SceneTarget(NamedTuple):
    """What a scene may write to: a column, or a variable as an array of one entry.

    array             a view of the scenario's own
    minimum, maximum  that its kernels take
    """

    array: np.ndarray
    minimum: int
    maximum: int


def targets_of(arrays: Mapping[str, np.ndarray], ranges: Mapping[str, tuple[int, int]]) -> dict[str, SceneTarget]:
    """Return those of some arrays that have a range."""
    return {name: SceneTarget(arrays[name], *span) for name, span in ranges.items()}


class Scenario(ABC):
    """One scenario under way: its arrays, and the kernels that work on them.

    mark    8 bytes that tell its machine hashes from those of the others
    words   int64[k]
    takes   names of the ROM's parameters that the kernels know; a ROM that has another one is refused, since other
            machines would play it
    besides  entries of columns besides one for each object of the parameter
    placed_columns  columns that only a scene changes, so that a saved state has them besides its own layout
    """

    mark: ClassVar[bytes]
    takes: ClassVar[tuple[str, ...]] = ("objects", "seed")
    placed_columns: ClassVar[tuple[str, ...]] = ()
    besides: ClassVar[int] = 0
    words: np.ndarray

    @staticmethod
    @abstractmethod
    def layout(parameters: Parameters) -> Layout:
        """Return what a state with these parameters has besides the words that all scenarios have."""

    @abstractmethod
    def __init__(self, rom: Rom, parameters: Parameters) -> None:
        """Make everything as it is at power-on: nothing has run.

        parameters  those of `takes`, all of them
        Errors      RomError
        """

    @abstractmethod
    def start(self) -> None:
        """Do what the program does before its first frame."""

    @abstractmethod
    def run(self, pad: int, frames: int) -> None:
        """Run frames with an input."""

    @abstractmethod
    def draw(self, screen: np.ndarray) -> None:
        """Draw uint8[480, 640] after a frame."""

    @abstractmethod
    def columns(self) -> dict[str, np.ndarray | list[int]]:
        """Return the columns of the world, in the order of the ROM's description."""

    def numbers(self, count: int, own: Mapping[str, int]) -> dict[str, np.ndarray | list[int]]:
        """Return the columns that every world begins with: the count of its objects, and words.

        own   name -> place in `words`, of the scenario's own
        """
        words = {"frame": FRAME, "random": RANDOM, "pad_before": PAD_BEFORE} | dict(own)
        columns: dict[str, np.ndarray | list[int]] = {"count": [count]}
        return columns | {name: [self.words[word]] for name, word in words.items()}

    def auxiliary(self) -> Columns:
        """Return the columns that the scenario's shapes need besides the world."""
        return {}

    @abstractmethod
    def saved(self) -> list[np.ndarray]:
        """Return the arrays of `layout`."""

    @abstractmethod
    def targets(self) -> dict[str, SceneTarget]:
        """Return what a scene may write to, by the names of its columns."""

    def check_placed(self, columns: Placed) -> None:
        """Check that kernels stay within their arrays with what a scene gives, whatever its ROM's manifest says.

        Errors   ValueError
        """
        targets = self.targets()
        for name, entries in columns.items():
            check_choice("column", name, targets)
            array, minimum, maximum = targets[name]
            check_integer(f"entries of {name}", max(entries) + 1, 1, len(array))
            for value in entries.values():
                check_integer(name, value, minimum, maximum)

    def place(self, columns: Placed) -> None:
        """Write what a scene gives, after `check_placed`."""
        targets = self.targets()
        for name, entries in columns.items():
            targets[name].array[list(entries)] = list(entries.values())

    def placed(self) -> dict[str, np.ndarray]:
        """Return the columns that a saved state has besides `saved`, where there is a scene."""
        targets = self.targets()
        return {name: targets[name].array for name in self.placed_columns}

    def place_again(self, placed: Mapping[str, np.ndarray]) -> None:
        """Write what `placed` gave. Errors: ValueError for what no scene may place."""
        targets = self.targets()
        for name, values in placed.items():
            array, minimum, maximum = targets[name]
            check_span(name, values, minimum, maximum)
            array[:] = values

    @abstractmethod
    def restore(self, arrays: Sequence[np.ndarray], placed: Mapping[str, np.ndarray]) -> None:
        """Take the arrays of `layout`, as a frame leaves them, and make what follows from them.

        placed   what `placed` gave; empty where there is no scene
        Errors   ValueError if a value is impossible
        """


@dataclass(frozen=True)
class ShapeSource:
    """How the shapes that a scenario tests follow from its world, for overlays and figures.

    objects    columns of the world that it needs, all of one length
    single     columns of the world that it needs, of one entry each
    shapes     shapes(columns, auxiliary ones among them)
    auxiliary  auxiliary(reader, columns): what else the routine reads, found in a simulated machine's memory; the
               native machine has it in its own arrays. Errors: ValueError where the program lacks it
    """

    objects: tuple[str, ...]
    single: tuple[str, ...]
    shapes: Callable[[Columns], Shapes]
    auxiliary: Callable[[MemoryReader, Columns], Columns] = lambda reader, columns: {}


def check_span(name: str, values: np.ndarray, minimum: int, maximum: int) -> None:
    """Refuse values outside minimum..maximum. Errors: ValueError."""
    check_integer(f"least {name}", values.min(), minimum)
    check_integer(f"greatest {name}", values.max(), minimum, maximum)
