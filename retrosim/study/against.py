"""Two calls side by side: what is different about them, and where the clocks went."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import PurePosixPath
from typing import Any

from .cost_text import cost_title

SETTINGS = ("machine", "build", "timing", "warm", "arguments", "registers", "memory", "readings")


def compare_costs(
    first: dict[str, Any],
    second: dict[str, Any],
    files: Sequence[str] = ("", ""),
    flags: Sequence[str] = ("", ""),
) -> dict[str, Any]:
    """Compare two reports of `cost_report`; return plain data for JSON.

    files    what the two programs are called
    flags    what their compilers were told
    Returns  dict
        titles     of both
        changed    what was asked for differently: name -> [first, second]
        totals     name -> [first, second]: cycles, instructions, microseconds, cycles_per_instruction; misses of caches
                   that both have
        results    of both
        functions  [{function, cycles, inclusive, instructions}], each [first, second]; None where there is none
        causes     [{cause, cycles}], likewise; empty unless both have causes
        lines      [{line, text, cycles, instructions}], likewise; lines are the same if file and text are, or file and
                   number where the text was not found; empty unless both have lines
    Functions, causes and lines come in the order of their difference in clocks, the largest first.
    """
    both = (first, second)
    asked = {"file": list(files), "cflags": list(flags), "entry": [_entry(each) for each in both]}
    asked |= {name: [each[name] for each in both] for name in SETTINGS}
    totals = {
        name: [each["totals"][name] for each in both]
        for name in ("cycles", "instructions", "microseconds", "cycles_per_instruction")
    }
    for name in first["caches"] or ():
        if name in (second["caches"] or ()):
            totals[f"{name}_misses"] = [each["caches"][name]["misses"] for each in both]
    causes, lines = [_causes(each) for each in both], [each["lines"] for each in both]
    return {
        "titles": [cost_title(each) for each in both],
        "changed": {name: pair for name, pair in asked.items() if pair[0] != pair[1]},
        "totals": totals,
        "results": [each["totals"]["result"] for each in both],
        "functions": _paired([e["functions"] for e in both], _function, ("cycles", "inclusive", "instructions")),
        "causes": _paired(causes, _cause, ("cycles",)) if all(causes) else [],
        "lines": _paired(lines, _line, ("cycles", "instructions")) if all(lines) else [],
    }


def _entry(report: dict[str, Any]) -> str:
    return report["entry"]["symbol"] or f"{report['entry']['address']:06X}"


def _function(row: dict[str, Any]) -> dict[str, Any]:
    return {"function": row["function"]}


def _line(row: dict[str, Any]) -> dict[str, Any]:
    file = PurePosixPath(row["file"]).name if row["file"] else ""
    return {"line": file if row["text"] else f"{file}:{row['line']}", "text": row["text"]}


def _causes(report: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"cause": name, "cycles": clocks} for name, clocks in (report["totals"]["causes"] or {}).items()]


def _cause(row: dict[str, Any]) -> dict[str, Any]:
    return {"cause": row["cause"]}


def _paired(
    rows: Sequence[Sequence[dict[str, Any]]], key: Callable[[dict[str, Any]], dict[str, Any]], columns: Sequence[str]
) -> list[dict[str, Any]]:
    """Bring together what both have under the same key; sums where one has several."""
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for number, side in enumerate(rows):
        for row in side:
            named = key(row)
            pair = found.setdefault(tuple(named.values()), named | {column: [None, None] for column in columns})
            for column in columns:
                pair[column][number] = (pair[column][number] or 0) + row[column]
    return sorted(found.values(), key=lambda row: -abs(difference(row["cycles"])))


def difference(pair: Sequence[float | None]) -> float:
    """Return the second less the first; what is not there is 0."""
    return (pair[1] or 0) - (pair[0] or 0)
