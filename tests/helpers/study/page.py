"""The clocks that the guide's page on the table of 1994 shows, and whether a measurement agrees with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from retrosim.table_1994.analysis import scene_tests
from retrosim.table_1994.timing import SAMPLE_SCENES, SEED
from tests.helpers.pages import GUIDE, table_rows

PAGE = GUIDE / "table.md"
OBJECTS = (0, 50, 100, 200)
TOLERANCE = 0.015  # other scenes differ by more than their pair tests


def shown(machine: str) -> dict[tuple[str, int], int]:
    """Return (build, objects) -> clocks of a check, as the page has them."""
    found = {}
    for build, *cells in table_rows(PAGE, f"{machine} clocks")[2:]:
        for objects, cell in zip(OBJECTS, cells, strict=True):
            found[build.removeprefix("-"), objects] = int(cell.split(" = ")[0].replace(",", ""))
    return found


def pair_clocks(machine: str) -> dict[str, int]:
    """Return build -> clocks of a pair test, as the page has them."""
    return {row[0].removeprefix("-"): int(row[3]) for row in table_rows(PAGE, f"{machine} parts")[1:]}


def check_page(rows: Sequence[Mapping[str, Any]]) -> None:
    """Compare the rows of a timing table, as JSON has them, with the page, whose cells are samples of known scenes.

    Scenes that have more pair tests take so much longer.
    """
    tests = {objects: float(scene_tests(objects, SEED, SAMPLE_SCENES).mean()) for objects in OBJECTS}
    for row in rows:
        machine, build, objects = row["machine"], row["build"], row["objects"]
        more = pair_clocks(machine)[build] * (row["pair_tests"] - tests[objects])
        page = shown(machine)[build, objects]
        assert row["cycles"] == pytest.approx(page + more, rel=TOLERANCE), (machine, build, objects)
