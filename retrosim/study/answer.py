"""What one came for: the printed clocks of 1994 beside those of one build, and a sentence on how far they are apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .printed import printed_range
from .reference import Reference

KEYS = ("objects", "printed_per_second", "printed_cycles", "cycles", "low", "high", "ratio", "scatter")


def answer_of(machine: str, clock_hz: int, reference: Reference, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Compare the reference build with the printed column.

    rows     of that build, as `timing_table` returns them
    Returns  dict with
        machine, build, reason
        rows      dicts of KEYS, and printed_low, printed_high: clocks by the rounding of what was printed;
                  agrees: do the two intervals meet? None where nothing was printed
        verdict   a sentence or two
    """
    lines = [{key: row[key] for key in KEYS} | _compared(machine, clock_hz, row) for row in rows]
    verdict = _verdict(machine, reference, lines)
    return {"machine": machine, "build": reference.build, "reason": reference.reason, "rows": lines, "verdict": verdict}


def _compared(machine: str, clock_hz: int, row: dict[str, Any]) -> dict[str, Any]:
    known = printed_range(machine, row["objects"], clock_hz)
    if known is None:
        return {"printed_low": None, "printed_high": None, "agrees": None}
    low, high = known
    bottom, top = (row["cycles"] if row[end] is None else row[end] for end in ("low", "high"))
    return {"printed_low": low, "printed_high": high, "agrees": bottom <= high and low <= top}


def _verdict(machine: str, reference: Reference, rows: Sequence[dict[str, Any]]) -> str:
    ratios = [row["ratio"] for row in rows if row["ratio"] is not None]
    if not ratios:
        return f"1994 printed nothing for the {machine}: these are the clocks of build {reference.build}."
    span = f"{min(ratios):.2f}" if len(ratios) == 1 else f"{min(ratios):.2f} to {max(ratios):.2f}"
    said = f"Build {reference.build} takes {span} times the clocks of 1994"
    outside = [row for row in rows if row["agrees"] is False]
    if not outside:
        return f"{said}, in all rows within what our model leaves open."
    fewer = sum(row["ratio"] < 1 for row in outside)
    counts = ((fewer, "fewer"), (len(outside) - fewer, "more"))
    parts = " and ".join(f"{way} in {count} of {len(ratios)} rows" for count, way in counts if count)
    return f"{said}: {parts}, beyond what our model leaves open. {reference.doubt}"
