"""The analysis of Moertel 1994: what the four shifts cost and what adjacent sectors do, by formula and by counting.

The article counts pair tests per sector when every sector holds K objects: 2K^2 - 2K for four shifts, (81K^2 - 9K)/2
for all pairs of nine sectors. Two things that it leaves out are shown as well. Adjacent sectors need not be tested that
wastefully: K(K-1)/2 + 8K^2 tests suffice, or K(K-1)/2 + 4K^2 with half of the neighbours. And objects placed at random
do not come K to a sector but K on average: the mean number of pairs in a sector is then K^2/2, not K(K-1)/2, the four
shifts cost 2K^2, and no method costs more than 20.25 times that at any K. The large gains at K = 1, 2 and 3 are those
of a screen where objects keep their distance.

Counts come from the kernels as they run. An *even* scene has K objects in each of the 80 sectors that the screen
touches, and the same K in each sector of the shifted grids. A *random* scene places 75 K objects over the screen, which
has the area of 75 sectors. The formulas know no border, where a sector has fewer neighbours or is cut off: so the 40
sectors with eight whole neighbours are counted apart, and for the even scene the whole screen too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field

import numpy as np

from retrosim.collide.documents.sectors import count_tests, even_scene, random_scene, tally_tests
from retrosim.collide.kernels.pairs.sectors import (
    FILLED_COLUMNS,
    FILLED_ROWS,
    SCREEN_HEIGHT,
    SCREEN_WIDTH,
    SECTOR,
    SECTORS,
    randomize,
)
from retrosim.report.json import SPREAD

METHODS = ("four_shifts", "nine_sectors", "all_neighbours", "half_neighbours")
DENSITIES = (1, 2, 3, 4, 5, 10, 20, 50)
LIMITS = {"nine_sectors": 20.25, "all_neighbours": 4.25, "half_neighbours": 2.25}
"""What each method's formula over that of the four shifts tends to as K grows."""

_SEED = 1994
_SCENES = 400  # random scenes at K = 1; fewer at larger K, for about as many tests
_INNER = (slice(1, FILLED_COLUMNS - 1), slice(1, FILLED_ROWS - 2))  # the last row of sectors is half a sector high
_INNER_SECTORS = (FILLED_COLUMNS - 2) * (FILLED_ROWS - 3)
_SCREEN_SECTORS = SCREEN_WIDTH * SCREEN_HEIGHT // SECTOR**2


def formula_costs(each: int) -> dict[str, int]:
    """Return the pair tests per sector that K = `each` objects in every sector cost, for each of METHODS.

    Source  Moertel 1994, analysis (four_shifts, nine_sectors); the neighbours counted one by one (the others)
    """
    own = each * (each - 1) // 2
    return {
        "four_shifts": 4 * own,
        "nine_sectors": 9 * each * (9 * each - 1) // 2,
        "all_neighbours": own + 8 * each**2,
        "half_neighbours": own + 4 * each**2,
    }


def random_costs(each: int) -> dict[str, float]:
    """Return the mean pair tests per sector when K = `each` is only the mean number of objects in a sector.

    Each of 75 K objects falls into each of 75 sectors with equal chance. Nine sectors are not gathered around one that
    is empty, which at K = 1 spares a third of the tests.
    """
    objects, chance = each * _SCREEN_SECTORS, 1 / _SCREEN_SECTORS
    pairs = objects * (objects - 1) / 2
    empty, chance_if_empty = (1 - chance) ** objects, chance / (1 - chance)
    return {
        "four_shifts": 4 * pairs * chance**2,
        "nine_sectors": pairs * ((9 * chance) ** 2 - empty * (8 * chance_if_empty) ** 2),
        "all_neighbours": 17 * pairs * chance**2,
        "half_neighbours": 9 * pairs * chance**2,
    }


def count_even(each: int) -> tuple[dict[str, float], dict[str, float]]:
    """Run all METHODS on an even scene; return tests per inner sector, and per sector over the whole screen."""
    x, y = even_scene(each, _SEED)
    inner, whole = {}, {}
    for method in METHODS:
        tally = tally_tests(x, y, method=method)
        inner[method] = int(tally[_INNER].sum()) / _INNER_SECTORS
        whole[method] = int(tally.sum()) / (FILLED_COLUMNS * FILLED_ROWS)
    return inner, whole


def count_random(each: int) -> dict[str, float]:
    """Run all METHODS on random scenes; return the mean tests per inner sector."""
    count = each * _SCREEN_SECTORS
    scenes = max(_SCENES // each**2, 6)
    sums = dict.fromkeys(METHODS, 0)
    for seed in range(_SEED, _SEED + scenes):
        x, y = random_scene(count, seed)
        for method in METHODS:
            sums[method] += int(tally_tests(x, y, method=method)[_INNER].sum())
    return {method: total / (scenes * _INNER_SECTORS) for method, total in sums.items()}


@dataclass(frozen=True)
class Density:
    """Pair tests a sector, one number per method, at a density of objects.

    objects_per_sector   K
    tests                by where they come from:
        formula              by the formulas
        counted              the same counted in inner sectors of an even scene: equal to the formulas
        counted_screen       the same over all sectors of the screen, borders included
        random_expected      mean for objects placed at random
        random_counted       the same counted in inner sectors of random scenes
    ratio                for each of these, the other methods over four_shifts; None where those need no test
    limit                what the ratios of the formulas tend to
    """

    objects_per_sector: int
    tests: dict[str, Mapping[str, float]] = field(metadata=SPREAD)
    ratio: dict[str, dict[str, float | None]]
    limit: dict[str, float]


def analysis_table(densities: Iterable[int] = DENSITIES) -> list[Density]:
    """Return one row per density.

    densities  K, each 1..200
    Errors     ValueError
    """
    rows = []
    for each in densities:
        if not 1 <= each <= 200:
            raise ValueError(f"objects per sector {each}: allowed 1..200")
        inner, whole = count_even(each)
        tests: dict[str, Mapping[str, float]] = {
            "formula": formula_costs(each),
            "counted": inner,
            "counted_screen": whole,
            "random_expected": random_costs(each),
            "random_counted": count_random(each),
        }
        ratios = {name: _ratios(costs) for name, costs in tests.items()}
        rows.append(Density(each, tests, ratios, dict(LIMITS)))
    return rows


def _ratios(costs: Mapping[str, float]) -> dict[str, float | None]:
    base = costs["four_shifts"]
    return {method: costs[method] / base if base else None for method in LIMITS}


# What a check is made of: clocks per sector visit, per object and pass, and per pair test.
#
# A check visits all sectors in each of four passes, places every object in each pass, and tests pairs. A table of
# clocks over numbers of objects is resolved into these three by least squares, in which every row's *relative* error
# weighs the same: by absolute errors the largest row would decide alone. The printed table and ours go through the same
# code.
#
# The row "0 objects" has one object in its list, so it places four objects and tests no pair. With none in its place
# the printed 68040 column gives 103, 113 and 179 instead of 102, 115 and 177.

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
    sector_visit, object_pass, pair_test = map(float, costs)
    return Split(sector_visit, object_pass, pair_test, worst=float(np.abs(relative @ costs - 1).max()))


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
