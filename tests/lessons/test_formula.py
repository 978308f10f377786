"""Formulas over reports: what they reach, what they refuse."""

from __future__ import annotations

import pytest

from retrosim.lessons.formula import Formula

REPORTS = {
    "study": {"rows": [{"method": "boxes", "tests": 276.0}, {"method": "four-shifts", "tests": 92}]},
    "run": {"values": {"missed": 3}, "fast": True, "text": "boxes", "none": None},
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("run.values.missed", 3),
        ('run["values"]["missed"] + 1', 4),
        ('study.rows["boxes"].tests / study.rows["four-shifts"].tests', 3),
        ("study.rows[1].tests * (2 - 0.5)", 138),
        ("100 * run.values.missed / 8", 37.5),
        ("\n2 + 3 * 4\n", 14),
    ],
)
def test_values(text: str, value: float) -> None:
    result = Formula(text).value(REPORTS)
    assert result == value and type(result) is type(value)


def test_names() -> None:
    assert Formula("a.b + c[0] * 2").names == {"a", "c"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a b",
        "f(1)",
        "a ** 9",
        "a.b[c]",
        "a[1:2]",
        "-a",
        "[1]",
        "a if b else c",
        "True",
        "1+" * 100 + "1",
        "(" * 150,
    ],
)
def test_what_is_no_formula(text: str) -> None:
    with pytest.raises(ValueError):
        Formula(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("run.values.hits", "hits"),
        ("other.values", "other"),
        ('study.rows["points"].tests', "points"),
        ("study.rows[2]", "IndexError"),
        ("run.values.missed / 0", "ZeroDivision"),
        ("run.text", "no number"),
        ("run.text * 2", "no number"),
        ("run.fast", "no number"),
        ("run.none.deeper", "nothing is in None"),
    ],
)
def test_what_has_no_value(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Formula(text).value(REPORTS)
