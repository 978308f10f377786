"""Two calls side by side: what is different about them, and where the clocks went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from retrosim.report.json import SPREAD, to_json
from retrosim.report.page import Column, PageSection, facts, page, paragraph, table
from retrosim.report.tables import figures_table

from .report import CostReport, FunctionCost, LineCost
from .text import cost_title, repeated

LONG = 40  # characters of a name that takes the rest of the line
TITLES = {"causes": "What the clocks went to", "functions": "Functions", "lines": "Source lines"}
SETTINGS = ("machine", "build", "timing", "warm", "arguments", "registers", "memory", "readings")

Pair = list[Any]
"""Of the first call and the second; None where there is none."""


@dataclass(frozen=True)
class CostDifference:
    """What both calls, or one of them, have under one name.

    names   the name, and what else says which it is: {"function"}, {"cause"}, {"line", "text"}
    counts  "cycles" and what else was counted -> both
    """

    names: dict[str, str | None] = field(metadata=SPREAD)
    counts: dict[str, Pair] = field(metadata=SPREAD)

    @property
    def cycles(self) -> Pair:
        """The clocks of both."""
        return self.counts["cycles"]

    @property
    def name(self) -> str:
        """The name."""
        return next(iter(self.names.values())) or "(outside all functions)"


@dataclass(frozen=True)
class CostComparison:
    """Two calls side by side: `retrosim cost --against ... --json`.

    version, command  see `report.Origin`
    changed    what was asked for differently -> both
    have_results  do both return one?
    totals     cycles, instructions, microseconds, cycles_per_instruction, misses of caches that both have -> both
    functions, causes, lines  in the order of their difference in clocks, the largest first. No causes, no lines, unless
               both have some; lines are the same if file and text are, or file and number where the text was not found
    """

    titles: list[str]
    version: str
    command: str
    changed: dict[str, Pair]
    totals: dict[str, Pair]
    results: list[int]
    have_results: bool
    functions: list[CostDifference]
    causes: list[CostDifference]
    lines: list[CostDifference]


def compare_costs(
    first: CostReport, second: CostReport, files: Sequence[str] = ("", ""), flags: Sequence[str] = ("", "")
) -> CostComparison:
    """Compare two reports of `cost_report`.

    files    what the two programs are called
    flags    what their compilers were told
    """
    both = (first, second)
    settings = [to_json(report) for report in both]
    asked: dict[str, Pair] = {"file": list(files), "cflags": list(flags), "entry": [str(r.entry) for r in both]}
    asked |= {name: [setting[name] for setting in settings] for name in SETTINGS}
    totals: dict[str, Pair] = {
        name: [getattr(report.totals, name) for report in both]
        for name in ("cycles", "instructions", "microseconds", "cycles_per_instruction")
    }
    for name in first.caches or ():
        if first.caches and second.caches and name in second.caches:
            totals[f"{name}_misses"] = [first.caches[name].misses, second.caches[name].misses]
    functions = [[_function(row) for row in report.breakdown.functions] for report in both]
    causes: list[list[Named]] = [
        [({"cause": name}, {"cycles": clocks}) for name, clocks in (report.totals.causes or {}).items()]
        for report in both
    ]
    lines = [_lines(report.breakdown.lines) for report in both]
    return CostComparison(
        titles=[cost_title(report) for report in both],
        version=first.origin.version,
        command=first.origin.command,
        changed={name: pair for name, pair in asked.items() if pair[0] != pair[1]},
        totals=totals,
        results=[report.totals.result for report in both],
        have_results=all(report.totals.has_result for report in both),
        functions=_paired(functions),
        causes=_paired(causes) if all(causes) else [],
        lines=_paired(lines) if all(lines) else [],
    )


Named = tuple[dict[str, str | None], dict[str, int]]  # names and counts of one call


def _function(row: FunctionCost) -> Named:
    counts = {"cycles": row.cycles, "inclusive": row.inclusive, "instructions": row.instructions}
    return {"function": row.function}, counts


def _lines(rows: Sequence[LineCost]) -> list[Named]:
    lines: list[Named] = []
    for row in rows:
        file = PurePosixPath(row.file).name if row.file else ""
        names = {"line": file if row.text else f"{file}:{row.line}", "text": row.text}
        lines.append((names, {"cycles": row.cycles, "instructions": row.instructions}))
    return lines


def _paired(sides: Sequence[Sequence[Named]]) -> list[CostDifference]:
    """Bring together what both have under the same names; sums where one has several."""
    pairs: dict[tuple[str | None, ...], CostDifference] = {}
    for number, side in enumerate(sides):
        for names, counts in side:
            nothing = CostDifference(names, {name: [None, None] for name in counts})
            pair = pairs.setdefault(tuple(names.values()), nothing)
            for name, count in counts.items():
                pair.counts[name][number] = (pair.counts[name][number] or 0) + count
    return sorted(pairs.values(), key=lambda pair: -abs(difference(pair.cycles)))


def difference(pair: Sequence[float | None]) -> float:
    """Return the second less the first; what is not there is 0."""
    return (pair[1] or 0) - (pair[0] or 0)


def _parts(compared: CostComparison) -> dict[str, list[CostDifference]]:
    return {"causes": compared.causes, "functions": compared.functions, "lines": compared.lines}


def answer(compared: CostComparison) -> str:
    """Return which call is faster, and by how much; on machines of different clocks by time."""
    what, unit = ("microseconds", " us") if "machine" in compared.changed else ("cycles", " clocks")
    first, second = compared.totals[what]
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


def render_against(compared: CostComparison, top: int) -> RenderableType:
    """Return the answer, what was asked for differently, and what differs most."""
    parts: list[RenderableType] = [Text(answer(compared), style="bold")]
    parts += [Text(f"{which}: {title}") for which, title in zip(("first ", "second"), compared.titles)]
    parts += [Text(f"{name}: {_said(pair[0])} -> {_said(pair[1])}") for name, pair in compared.changed.items()]
    if compared.have_results and compared.results[0] != compared.results[1]:
        parts.append(Text(f"they return {compared.results[0]} and {compared.results[1]}"))
    parts += [Text(), _pairs("", [(name.replace("_", " "), pair) for name, pair in compared.totals.items()])]
    for part, differences in _parts(compared).items():
        changed = [row for row in differences if difference(row.cycles)]
        rows = [(" ".join(filter(None, (row.name, row.names.get("text")))), row.cycles) for row in changed]
        if rows:
            more = f", {top} of {len(rows)}" if len(rows) > top else ""
            parts.append(Text(f"{TITLES[part]}: clocks that changed{more}", style="bold"))
            parts.append(_pairs(part.removesuffix("s"), rows[:top]))
    return Group(*parts, repeated({"Command": compared.command, "Version": f"retrosim {compared.version}"}))


def _said(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {part}" for name, part in value.items()) or "-"
    return str(value) if value not in (None, "", []) else "-"


def _pairs(heading: str, rows: Sequence[tuple[str, Sequence[Any]]]) -> RenderableType:
    grid = figures_table("first", "second", "change")
    grid.add_column(heading, no_wrap=True, overflow="ellipsis", ratio=1)
    grid.expand = any(len(name) > LONG for name, _ in rows)
    for name, pair in rows:
        grid.add_row(_count(pair[0]), _count(pair[1]), _signed(pair), Text(name))
    return Padding(grid, (0, 0, 1, 0))


def against_page(compared: CostComparison) -> str:
    """Return the page."""
    head = [
        paragraph(answer(compared), "big"),
        facts(dict(zip(("First", "Second"), compared.titles)) | {"Command": compared.command}),
    ]
    head.append(facts({name: f"{_said(pair[0])} → {_said(pair[1])}" for name, pair in compared.changed.items()}))
    columns = [Column("", "text"), Column("first"), Column("second"), Column("change")]
    rows = [(name.replace("_", " "), *pair, difference(pair)) for name, pair in compared.totals.items()]
    sections = [PageSection("Totals", [table("totals", columns, rows)])]
    for part, differences in _parts(compared).items():
        if not differences:
            continue
        names = [Column(part.removesuffix("s"), "code"), *([Column("source", "code")] if part == "lines" else [])]
        counts = differences[0].counts
        columns = [*names, *(Column(f"{name}, {which}") for name in counts for which in ("first", "second", "change"))]
        cells = [
            (*_names(row), *(value for pair in row.counts.values() for value in (*pair, difference(pair))))
            for row in differences
        ]
        sections.append(PageSection(TITLES[part], [table(part, columns, cells)]))
    return page("Two calls side by side", head, sections)


def _names(row: CostDifference) -> list[str]:
    return [row.name, *(text or "" for text in list(row.names.values())[1:])]
