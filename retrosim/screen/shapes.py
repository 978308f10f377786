"""One structure for what any routine tests; whoever draws it knows no scenario."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

Columns = Mapping[str, np.ndarray]
"""Columns of a world, and auxiliary ones: name -> int64[n]."""
MIN_COORDINATE, MAX_COORDINATE = -16384, 16383  # a program may hold anything


def table(*columns: np.ndarray) -> np.ndarray:
    """Return int32[n, k] of k columns, int[n] each; values beyond MIN_COORDINATE..MAX_COORDINATE are limited."""
    rows = np.stack(np.broadcast_arrays(*columns), axis=1)
    return np.clip(rows, MIN_COORDINATE, MAX_COORDINATE).astype(np.int32)


def no_rows(width: int) -> np.ndarray:
    """Return int32[0, width]."""
    return np.empty((0, width), np.int32)


def pairs_of(related: np.ndarray) -> np.ndarray:
    """Return the pairs of a symmetric bool[n, n], int32[m, 2], lower index first, ascending."""
    pairs = np.flatnonzero(np.triu(related, 1))
    return np.stack(np.divmod(pairs, max(1, len(related))), axis=1).astype(np.int32)


@dataclass(frozen=True)
class CellGrid:
    """The cells by which a routine's broad phase finds the pairs to test.

    name    what it stands for
    left, top  corner of the first cell, pixels, not positive
    side    of a cell, pixels
    counts  int[columns, rows]  objects in each cell
    """

    name: str
    left: int
    top: int
    side: int
    counts: np.ndarray

    @property
    def tests(self) -> int:
        """The pair tests it costs: k (k - 1) / 2 in a cell of k objects."""
        return int((self.counts * (self.counts - 1) // 2).sum())


@dataclass(frozen=True, repr=False)
class Shapes:
    """What a routine tested in the last frame. Shapes name their object, 0..n-1, first; coordinates are pixels.

    hit       bool[n]         the routine's flag of each object
    centres   int32[n, 2]     x, y, where lines to others begin
    boxes     int32[b, 5]     object, left, top, right, bottom; encloses the pixels left..right-1, top..bottom-1
    polygons  int32[p, 9]     object, x and y of four corners in turn
    paths     int32[w, 9]     likewise: what a box swept in the frame
    circles   int32[c, 4]     object, x and y of the centre, radius
    outlines  int32[q, 3]     object, x, y: pixels of a mask with a neighbour that is not of the mask
    tested    int32[m, 2]     pairs that the narrow phase examined, lower object first, ascending, each once
    hits      int32[k, 2]     those of them that it found in collision, likewise
    grids     tuple[Grid]     in the order in which the routine uses them; empty if it has none
    """

    hit: np.ndarray
    centres: np.ndarray
    boxes: np.ndarray = field(default_factory=lambda: no_rows(5))
    polygons: np.ndarray = field(default_factory=lambda: no_rows(9))
    paths: np.ndarray = field(default_factory=lambda: no_rows(9))
    circles: np.ndarray = field(default_factory=lambda: no_rows(4))
    outlines: np.ndarray = field(default_factory=lambda: no_rows(3))
    tested: np.ndarray = field(default_factory=lambda: no_rows(2))
    hits: np.ndarray = field(default_factory=lambda: no_rows(2))
    grids: tuple[CellGrid, ...] = ()

    def __repr__(self) -> str:
        pairs = f"{len(self.tested):,} pairs tested, {len(self.hits):,} of them hit"
        return f"<Shapes of {len(self.hit):,} objects: {pairs}; {len(self.grids)} grids>"

    @property
    def tests(self) -> int:
        """The pair tests that the routine made, those of all its grids where it has some."""
        return sum(grid.tests for grid in self.grids) if self.grids else len(self.tested)
