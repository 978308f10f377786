"""Clocks as text: with thousands apart, and between which they are."""

from __future__ import annotations


def grouped(value: float | None) -> str:
    """Return clocks as a whole number with its thousands apart, "-" for None."""
    return "-" if value is None else f"{value:,.0f}"


def between(low: float | None, high: float | None) -> str:
    """Return an interval, "-" where there is none."""
    return "-" if low is None or high is None else f"{low:,.0f} .. {high:,.0f}"
