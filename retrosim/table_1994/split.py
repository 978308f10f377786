"""What a check is made of: clocks per sector visit, per object and pass, and per pair test.

A check visits all sectors in each of four passes, places every object in each pass, and tests pairs. A table of clocks
over numbers of objects is resolved into these three by least squares, in which every row's *relative* error weighs the
same: by absolute errors the largest row would decide alone. The printed table and ours go through the same code.

The row "0 objects" has one object in its list, so it places four objects and tests no pair. With none in its place the
printed 68040 column gives 103, 113 and 179 instead of 102, 115 and 177.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from retrosim.collide.documents.sectors import count_tests
from retrosim.collide.kernels.documents.scenes import randomize
from retrosim.collide.kernels.pairs.sector_grid import SECTORS

PARTS = ("sector_visit", "object_pass", "pair_test")
PASSES = 4
SECTOR_VISITS = PASSES * SECTORS


@dataclass(frozen=True)
class Split:
    """Clocks per part of a check, and how far they miss the table.

    sector_visit, object_pass, pair_test  clocks
    worst  largest relative error over the rows
    """

    sector_visit: float
    object_pass: float
    pair_test: float
    worst: float


def scene_tests(objects: int, seed: int, scenes: int) -> np.ndarray:
    """Count the pair tests of a check in each of the harness's first scenes.

    objects  0..200
    seed     0..2**32-1
    scenes   0 or more
    Returns  int64[scenes]
    """
    x, y = np.empty(objects, np.int16), np.empty(objects, np.int16)
    tests, state = np.zeros(scenes, np.int64), seed
    for scene in range(scenes if objects else 0):
        state = randomize(x, y, state)
        tests[scene] = count_tests(x, y)
    return tests


def parts(objects: int, tests: float) -> tuple[float, float, float]:
    """Return how many sector visits, placings and pair tests a check of `objects` objects has."""
    return SECTOR_VISITS, PASSES * max(objects, 1), tests


def solve(amounts: Sequence[Sequence[float]], clocks: Sequence[float]) -> Split:
    """Resolve clocks per check into clocks per part.

    amounts  [n][3]  sector visits, placings and pair tests of each row; n is 3 or more
    clocks   [n]     per check, above 0
    Errors   ValueError  rows too few or too much alike
    """
    matrix, total = np.asarray(amounts, float), np.asarray(clocks, float)
    if matrix.ndim != 2 or matrix.shape[1] != 3 or total.shape != matrix.shape[:1]:
        raise ValueError(f"amounts {matrix.shape}, clocks {total.shape}: allowed (n, 3) and (n,)")
    if not (total > 0).all():
        raise ValueError(f"clocks {total.min()}: allowed above 0")
    relative = matrix / total[:, None]
    costs, _, rank, _ = np.linalg.lstsq(relative, np.ones(len(total)), rcond=None)
    if rank < 3:
        raise ValueError(f"rows of rank {rank}: allowed three or more that differ in objects and in pair tests")
    return Split(*(float(cost) for cost in costs), worst=float(np.abs(relative @ costs - 1).max()))


def solve_between(
    amounts: Sequence[Sequence[float]], tables: Iterable[Sequence[float]]
) -> tuple[dict[str, float], dict[str, float]]:
    """Return the least and the most clocks of each part over several tables of clocks per check.

    amounts, tables  as for `solve`; a table for each case
    Errors           ValueError
    """
    found = [asdict(solve(amounts, clocks)) for clocks in tables]
    low, high = ({part: extreme(each[part] for each in found) for part in PARTS} for extreme in (min, max))
    return low, high
