"""Numbers as text, at the borders where their form changes."""

from __future__ import annotations

import pytest

from retrosim.report.text import counted, csv_text, grouped, percent, short_percent, three_digits, times


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "-"), (0.0004, "4e-04"), (0.25, "0.250"), (1, "1.00"), (9.994, "9.99"), (10, "10.0"), (99.9, "99.9"),
     (100, "100"), (12345.6, "12346")],
)  # fmt: skip
def test_three_digits(value: float | None, text: str) -> None:
    assert three_digits(value) == text


def test_percentages() -> None:
    assert [percent(0.125), percent(1, of=8), percent(0.5, 0), percent(None)] == ["12.5 %", "12.5 %", "50 %", "-"]
    assert [short_percent(ratio) for ratio in (None, 0.099, 0.1, 1.5)] == ["-", "9.9 %", "10 %", "150 %"]


def test_factors_and_counts() -> None:
    assert [times(ratio) for ratio in (None, 0.123, 9.94, 10, 123.4)] == ["-", "0.12 x", "9.9 x", "10 x", "123 x"]
    assert [counted(number, "frame") for number in (0, 1, 1003)] == ["0 frames", "1 frame", "1,003 frames"]


def test_thousands_are_apart() -> None:
    assert [grouped(value, 1) for value in (None, 999.94, 1234.56)] == ["-", "999.9", "1,234.6"]


def test_csv_has_what_the_columns_name() -> None:
    rows = [{"a": 1, "b": None, "c": "left out"}, {"a": "x, y"}]
    assert csv_text(["a", "b"], rows) == 'a,b\n1,\n"x, y",\n'
