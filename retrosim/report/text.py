"""Numbers as text: counts with their nouns, thousands apart, percentages, intervals, how warm the caches were; CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def counted(number: int, thing: str) -> str:
    """Return a number of things: "1 frame", "1,003 frames"."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def grouped(value: float | None, digits: int = 0) -> str:
    """Return clocks with their thousands apart and so many decimal places, "-" for None."""
    return "-" if value is None else f"{value:,.{digits}f}"


def decimal(value: float | None, digits: int = 0) -> str:
    """Return a number with so many decimal places, "-" for None."""
    return "-" if value is None else f"{value:.{digits}f}"


def three_digits(value: float | None) -> str:
    """Return a number with three digits or all before the point, "-" for None."""
    if value is None:
        return "-"
    digits = 3 if value < 1 else 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:.{digits}f}" if value >= 0.001 else f"{value:.0e}"


def percent(part: float | None, digits: int = 1, *, of: float = 1) -> str:
    """Return a part of something as a percentage with so many decimal places, "-" for None."""
    return "-" if part is None else f"{100 * part / of:.{digits}f} %"


def short_percent(ratio: float | None) -> str:
    """Return a ratio as a percentage, with one decimal place below 10 %, "-" for None."""
    return percent(ratio, 0 if ratio is not None and ratio >= 0.1 else 1)


def times(ratio: float | None) -> str:
    """Return a ratio as a factor of two digits, or of all before the point, "-" for None."""
    return "-" if ratio is None else f"{ratio:.0f} x" if ratio >= 10 else f"{ratio:.2g} x"


def between(low: float | None, high: float | None) -> str:
    """Return an interval, "-" where there is none."""
    return "-" if low is None or high is None else f"{low:,.0f} .. {high:,.0f}"


def warmth(calls: int) -> str:
    """Say how warm caches are after some calls of a routine before the one that counts."""
    if calls:
        return f"warm: {counted(calls, 'call')} before, with the same arguments"
    return "as the program has left them, empty if it has not run"


def csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Return rows as CSV under a line of headings: of each what the columns name, nothing for None."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
