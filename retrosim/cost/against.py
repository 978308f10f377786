"""Two calls side by side: what is different about them, and where the clocks went."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import PurePosixPath
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from retrosim.report.page import Column, Section, facts, page, paragraph, table

from .text import cost_title

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


# Two calls side by side (see `against`) in the terminal and as a page.

LONG = 40  # characters of a name that takes the rest of the line
PARTS = (("causes", "cause"), ("functions", "function"), ("lines", "line"))
TITLES = {"causes": "What the clocks went to", "functions": "Functions", "lines": "Source lines"}


def answer(found: dict[str, Any]) -> str:
    """Return which call is faster, and by how much; on machines of different clocks by time."""
    totals = found["totals"]
    what, unit = ("microseconds", " us") if "machine" in found["changed"] else ("cycles", " clocks")
    first, second = totals[what]
    if first == second:
        return f"both take {_count(first)}{unit}"
    ratio = max(first, second) / (min(first, second) or 1)
    said = f"is {ratio:.2f} times as fast" if second < first else f"takes {ratio:.2f} times as long"
    return f"second: {_count(second)}{unit}, first: {_count(first)}; the second {said}"


def _count(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:,.2f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def _signed(pair: Sequence[Any]) -> str:
    change = difference(pair)
    return f"{change:+,.2f}" if isinstance(change, float) else f"{change:+,}"


def _name(row: dict[str, Any], key: str) -> str:
    return " ".join(filter(None, (row[key] or "(outside all functions)", row.get("text"))))


def render_against(found: dict[str, Any], top: int) -> RenderableType:
    """Return the answer, what was asked for differently, and what differs most."""
    parts: list[RenderableType] = [Text(answer(found), style="bold")]
    parts += [Text(f"{which}: {title}") for which, title in zip(("first ", "second"), found["titles"])]
    parts += [Text(f"{name}: {_said(pair[0])} -> {_said(pair[1])}") for name, pair in found["changed"].items()]
    rows = [(name.replace("_", " "), pair) for name, pair in found["totals"].items()]
    if found["results"][0] != found["results"][1]:
        parts.append(Text(f"they return {found['results'][0]} and {found['results'][1]}"))
    parts += [Text(), _pairs("", rows)]
    for part, key in PARTS:
        rows = [(_name(row, key), row["cycles"]) for row in found[part] if difference(row["cycles"])]
        if rows:
            more = f", {top} of {len(rows)}" if len(rows) > top else ""
            parts += [Text(f"{TITLES[part]}: clocks that changed{more}", style="bold"), _pairs(key, rows[:top])]
    return Group(*parts)


def _said(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {each}" for name, each in value.items()) or "-"
    return str(value) if value not in (None, "", []) else "-"


def _pairs(heading: str, rows: Sequence[tuple[str, Sequence[Any]]]) -> RenderableType:
    grid = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for column in ("first", "second", "change"):
        grid.add_column(column, justify="right", no_wrap=True)
    grid.add_column(heading, no_wrap=True, overflow="ellipsis", ratio=1)
    grid.expand = any(len(name) > LONG for name, _ in rows)
    for name, pair in rows:
        grid.add_row(_count(pair[0]), _count(pair[1]), _signed(pair), Text(name))
    return Padding(grid, (0, 0, 1, 0))


def against_page(found: dict[str, Any]) -> str:
    """Return the page."""
    head = [paragraph(answer(found), "big"), facts(dict(zip(("First", "Second"), found["titles"])))]
    head.append(facts({name: f"{_said(pair[0])} → {_said(pair[1])}" for name, pair in found["changed"].items()}))
    columns = [Column("", "text"), Column("first"), Column("second"), Column("change")]
    rows = [(name.replace("_", " "), *pair, difference(pair)) for name, pair in found["totals"].items()]
    sections = [Section("Totals", [table("totals", columns, rows)])]
    for part, key in PARTS:
        if not found[part]:
            continue
        names = [Column(key, "code"), *([Column("source", "code")] if part == "lines" else [])]
        counts = [name for name in found[part][0] if isinstance(found[part][0][name], list)]
        columns = [*names, *(Column(f"{name}, {which}") for name in counts for which in ("first", "second", "change"))]
        rows = [
            (*_names(row, key, part), *(value for name in counts for value in (*row[name], difference(row[name]))))
            for row in found[part]
        ]
        sections.append(Section(TITLES[part], [table(part, columns, rows)]))
    return page("Two calls side by side", head, sections)


def _names(row: dict[str, Any], key: str, part: str) -> tuple[str, ...]:
    name = row[key] or "(outside all functions)"
    return (name, row["text"] or "") if part == "lines" else (name,)
