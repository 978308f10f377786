"""The tables of the accuracy page are those of the tests of measured loops."""

from __future__ import annotations

import re

import pytest

from retrosim.guide import read_page
from tests.helpers import accuracy
from tests.helpers.amount import SOAK

ALL = SOAK
BETWEEN, INSIDE, WIDTH = 4, 3, 4  # columns


def cells(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in table.splitlines()[2:]]


def tables_of_the_page() -> list[list[list[str]]]:
    """Return the four tables, in the order of `accuracy.tables` but for the two that count, which come first."""
    found = re.findall(r"(?:^\|.*\n)+", read_page("accuracy").text + read_page("facts/accuracy_rows").text, re.M)
    return [cells(table) for table in found]


def without(table: list[list[str]], *columns: int) -> list[list[str]]:
    return [[cell for place, cell in enumerate(line) if place not in columns] for line in table]


@pytest.fixture(scope="module")
def wanted() -> list[list[list[str]]]:
    return [cells(table) for table in accuracy.tables(with_intervals=ALL).values()]


def test_the_page_has_every_row(wanted) -> None:
    """All but the intervals, for which every row would run a dozen times."""
    shown = tables_of_the_page()
    hidden = ((INSIDE, WIDTH), (INSIDE, WIDTH), (BETWEEN,), (BETWEEN,))
    assert len(shown) == len(wanted)
    for ours, theirs, columns in zip(shown, wanted, hidden, strict=True):
        columns = () if ALL else columns
        assert without(ours, *columns) == without(theirs, *columns)


def test_the_page_counts_its_own_rows() -> None:
    """How many are inside, by the intervals that it prints."""
    counted, _, rows, _ = tables_of_the_page()
    inside = 0
    for row in rows:
        outside, _, spread = row[2].partition(" +- ")
        low, high = (float(end) for end in row[BETWEEN].split(" .. "))
        inside += low - float(spread or 0) <= float(outside) <= high + float(spread or 0)
    total = counted[-1]
    assert total[:2] == ["all", str(len(rows))] and int(total[INSIDE]) == inside
    assert f"{inside} of {len(rows)} is\n{round(100 * inside / len(rows))} %" in read_page("accuracy").text


def test_held_out_rows_decided_nothing() -> None:
    rows = accuracy.lines(with_intervals=False)
    assert {bool(row.decided) for row in rows} == {True, False}
    machines = {"mc68040-25", "i80286-12", "i386dx-33", "i486dx2-66", "ppc601-80"}
    assert {row.machine for row in accuracy.held_out(rows)} == machines
    assert all(bool(row.miss) != row.is_met for row in rows)
