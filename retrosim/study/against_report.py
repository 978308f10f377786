"""Two calls side by side (see `against`) in the terminal and as a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from retrosim.profile.page import Column, Section, facts, page, paragraph, table

from .against import difference

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
