"""The tables of the accuracy page are those of the tests of measured loops."""

from __future__ import annotations

import os

import pytest

from retrosim.guide import read_page
from tests.helpers import accuracy

ALL = os.environ.get("RETROSIM_ACCURACY") == "1"
BETWEEN, VERDICT = 4, 5  # columns


def cells(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in table.splitlines()[2:]]


def test_the_page_has_every_row() -> None:
    """All but the intervals, for which every row would run a dozen times."""
    text = read_page("accuracy").text
    rows = accuracy.lines(with_intervals=ALL)
    shown = cells(text[text.index("| machine | code |") :].split("\n\n")[0])
    wanted = cells(accuracy.table(rows))
    for line in (*shown, *wanted) if not ALL else ():
        line[BETWEEN] = ""
    assert shown == wanted
    if ALL:
        assert accuracy.summary(rows) in text


@pytest.mark.parametrize("machine", ["mc68040-25", "i486dx2-66", "i386dx-33", "ppc601-80"])
def test_the_summary_counts_the_rows(machine: str) -> None:
    rows = [row for row in accuracy.lines(with_intervals=False) if row.machine == machine]
    met = sum(row.is_met for row in rows)
    assert f"| `{machine}` | {len(rows)} | {met} | " in read_page("accuracy").text
    assert met == sum(not row.miss for row in rows)


def test_nine_of_ten_rows_lie_inside() -> None:
    """As the page says, which RETROSIM_ACCURACY=1 checks."""
    line = next(line for line in read_page("accuracy").text.splitlines() if line.startswith("| all |"))
    total, _, inside = (int(cell) for cell in line.strip("| ").split(" | ")[1:])
    assert inside >= 0.9 * total
