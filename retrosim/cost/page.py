"""Reports as pages: figures, causes, calls, the source beside its instructions; profiles in the terminal too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from pathlib import PurePosixPath
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from retrosim.machine.presets import preset
from retrosim.report.json import to_json
from retrosim.report.page import Column, PageSection, bar, facts, flame_graph, page, paragraph, table
from retrosim.report.text import percent

from .counting import causes_of
from .report import CacheCounts, CallCost, CostReport, InstructionCost, LineCost, ProfileReport, ProfileTotals, Report
from .text import (
    CAUSES_NOTE,
    INTERVAL,
    call_tree,
    causes_table,
    cost_title,
    function_name,
    heading,
    hottest,
    settings,
    sources_of,
)

MAX_GAP = 30  # lines that were not executed, between two that were, which are shown
NOTE = (
    "Counted, not sampled: every instruction, call and return. Clocks are busy ones; waiting for the next frame or for "
    "an interrupt is left out."
)


def cost_page(report: CostReport) -> str:
    """Return the page of what `cost_report` found."""
    totals = report.totals
    head = [paragraph(headline(report), "big"), facts(assumptions(report))]
    if totals.low is not None:
        head.append(paragraph(INTERVAL, "dim"))
    return page(cost_title(report), head, _sections(report))


def _sections(report: Report) -> list[PageSection]:
    sections = []
    if report.totals.causes:
        sections.append(PageSection("What the clocks went to", [causes_section(report)]))
    sections += call_sections(report)
    if isinstance(report, CostReport) and report.caches:
        sections.append(PageSection("Caches", [_caches(report.caches)]))
    if report.breakdown.lines:
        sections.append(PageSection("Source lines", [line_table(report)]))
    return [*sections, PageSection("Source and instructions", source_parts(report))]


def headline(report: CostReport) -> str:
    """Return the figures that matter first."""
    totals = report.totals
    interval = "" if totals.low is None else f" ({totals.low:,} to {totals.high:,})"
    time = f"{totals.microseconds:,.2f} µs at {report.clock_hz / 1e6:g} MHz"
    return f"{totals.cycles:,} clocks{interval}, {totals.instructions:,} instructions, {time}"


def assumptions(report: Report) -> dict[str, Any]:
    """Return the machine, and what the clocks depend on."""
    shown: dict[str, Any] = settings(report)
    if isinstance(report, CostReport):
        shown["Clocks per instruction"] = f"{report.totals.cycles_per_instruction:.2f}"
    return shown


def call_sections(report: Report) -> list[PageSection]:
    """Return the flame graph, the functions and the calls."""
    caches = report.breakdown.calls[0].misses
    functions = [Column("function", "code"), Column("own clocks"), Column("own %", "share"), Column("with calls")]
    functions += [Column("with calls %", "share"), Column("instructions"), Column("visits")]
    rows = [
        (function_name(row), row.cycles, row.percent, row.inclusive, row.inclusive_percent)
        + (row.instructions, row.visits)
        for row in report.breakdown.functions
    ]
    calls = [Column("called", "code"), Column("from", "code"), Column("by", "code"), Column("times")]
    calls += [Column("with calls"), Column("%", "share"), Column("own clocks")]
    calls += [Column(f"{name} misses") for name in caches]
    return [
        PageSection("Flame graph", [flame_graph("flame", to_json(report.breakdown.calls))]),
        PageSection("Functions", [table("functions", functions, rows)]),
        PageSection("Calls", [table("calls", calls, _call_rows(report.breakdown.calls))]),
    ]


def _call_rows(calls: Sequence[CallCost]) -> Iterator[list[Any]]:
    for call in calls:
        by = "" if call.parent is None else calls[call.parent].function
        counts = call.calls, call.inclusive_cycles, call.percent, call.cycles, *call.misses.values()
        yield [call.function, _place(call.site_file, call.site_line, call.site), by, *counts]


def _place(file: str | None, line: int | None, address: int | None) -> str:
    if file:
        return f"{PurePosixPath(file).name}:{line}"
    return "" if address is None else f"{address:06X}"


def causes_section(report: Report) -> str:
    """Return a table of what the clocks went to."""
    causes, meanings = report.totals.causes or {}, causes_of(report.machine)
    total = sum(causes.values()) or 1
    rows = [(name, count, 100 * count / total, meanings[name]) for name, count in causes.items() if count]
    columns = [Column("cause", "code"), Column("clocks"), Column("%", "share"), Column("what that is", "text")]
    return table("causes", columns, rows)


def _caches(caches: Mapping[str, CacheCounts]) -> str:
    columns = [Column("cache", "text"), Column("accesses"), Column("hits"), Column("misses")]
    return table("caches", columns, [(name, row.accesses, row.hits, row.misses) for name, row in caches.items()])


def line_table(report: Report) -> str:
    """Return the source lines."""
    columns = [Column("line", "code"), Column("clocks"), Column("%", "share"), Column("instructions"), Column("visits")]
    rows = [
        (_place(row.file, row.line, None) or "(without a line)", row.cycles, row.percent)
        + (row.instructions, row.visits, row.text)
        for row in report.breakdown.lines
    ]
    return table("lines", [*columns, Column("source", "code")], rows)


def source_parts(report: Report) -> list[str]:
    """Return every function with its source lines, and their instructions beside them."""
    listing, sources = report.breakdown.listing, report.breakdown.sources
    total = sum(row.cycles for row in listing) or 1
    costs: Sequence[LineCost | InstructionCost] = report.breakdown.lines or listing
    hottest = max(row.cycles for row in costs) / total
    parts = [paragraph(_legend(report), "dim")]
    heads = "<span>address</span><span>instruction</span><span>visits</span><span>clocks</span><span>%</span>"
    source = '<div class="src"><span class="n">line</span><b>%</b><span>source</span></div>'
    for row in report.breakdown.functions:
        inside = [inner for inner in listing if inner.function == row.function]
        figures = f"{row.cycles:,} clocks ({row.percent:.1f} %), {row.inclusive:,} with calls"
        parts.append(f"<h3>{escape(function_name(row))} — {figures}</h3>")
        parts.append(f'<div class="line heads"><div>{source}</div><div class="insn">{heads}</div></div>')
        parts += _lines(inside, sources, total, hottest)
    return parts


def _legend(report: Report) -> str:
    listing = report.breakdown.listing
    if not listing or listing[0].explanation is None:
        return "Clocks of an instruction: from the end of the one before it to its own end."
    legend = CAUSES_NOTE if report.totals.causes else preset(report.machine).cpu().legend
    return legend.format(source=sources_of(listing))


def _lines(
    rows: Sequence[InstructionCost], sources: Mapping[str, Sequence[str]], total: int, hottest: float
) -> Iterator[str]:
    """Yield the lines of a function in the order of its source, and those between them.

    total    clocks of everything; hottest: share of the hottest line, whose bar is a whole one
    """
    ordered = sorted(rows, key=lambda row: (row.file or "", row.line or 0))
    before: tuple[str, int] | None = None
    for (file, line), inside in groupby(ordered, key=lambda row: (row.file, row.line)):
        text = sources.get(file or "", ())
        if before and before[0] == file and text and line - before[1] <= MAX_GAP:
            yield from (_line(file, number, text, (), total, hottest) for number in range(before[1] + 1, line))
        yield _line(file, line, text, list(inside), total, hottest)
        before = (file, line) if file else None


def _line(
    file: str | None, line: int | None, text: Sequence[str], rows: Sequence[InstructionCost], total: int, hottest: float
) -> str:
    share = sum(row.cycles for row in rows) / total
    shown = text[line - 1] if line and line <= len(text) else PurePosixPath(file).name if file else ""
    part = f"{100 * share:.1f}" if rows else ""
    source = f'<span class="n">{line or ""}</span><b>{part}{f"<br>{bar(share / hottest)}" if rows else ""}</b>'
    code = "".join(_instruction(row, total) for row in rows)
    side = f'<div class="src">{source}<pre>{escape(shown)}</pre></div>'
    return f'<div class="line{"" if rows else " cold"}"><div>{side}</div><div>{code}</div></div>'


def _instruction(row: InstructionCost, total: int) -> str:
    share = row.cycles / total
    cells = (f"{row.address:06X}", row.text, f"{row.visits:,}", f"{row.cycles:,}", f"{100 * share:.1f}")
    heat = f"border-left-color:color-mix(in srgb, var(--heat) {min(100, round(400 * share))}%, transparent)"
    spans = "".join(f"<span>{escape(cell)}</span>" for cell in cells)
    return f'<div class="insn heat" style="{heat}">{spans}<small>{escape(", ".join(_said(row)))}</small></div>'


def _said(row: InstructionCost) -> Iterable[str]:
    """Yield what an instruction's clocks were, each visit, and its misses."""
    said = row.explanation
    if said is None:
        return
    if said.causes:
        yield from (f"{name} {count / row.visits:.3g}" for name, count in said.causes.items() if count)
    else:
        yield f"base {said.base:.3g}"
        if said.stalls:
            yield f"stalls {said.stalls:.3g}"
        if said.entry:
            yield said.entry
    yield from (f"{count:,} {name} misses" for name, count in said.misses.items() if count)


def profile_summary(totals: ProfileTotals) -> list[str]:
    """Return the figures that matter first."""
    busy = percent(totals.cycles, of=(totals.cycles + totals.waited) or 1)
    lines = [f"{totals.cycles:,} busy clocks ({busy}), {totals.instructions:,} instructions"]
    if totals.frames:
        low, mean, high = (
            round(clocks or 0) for clocks in (totals.cycles_minimum, totals.cycles_mean, totals.cycles_maximum)
        )
        lines.append(f"{totals.frames:,} frames, busy clocks of one: {mean:,} on average, {low:,} to {high:,}")
    return lines


def render_profile(report: ProfileReport, top: int) -> RenderableType:
    """Return lines, functions and calls, the `top` hottest of each, for a rich console."""
    parts: list[RenderableType] = [Text(line) for line in profile_summary(report.totals)]
    parts.append(Text())
    if report.totals.causes:
        parts += [Text("What the clocks went to", style="bold"), causes_table(report)]
    calls = report.breakdown.calls
    parts += [*hottest(report, top), heading("Calls", calls, top), call_tree(calls, top), Text(NOTE)]
    return Group(*parts)


def profile_page(report: ProfileReport, title: str) -> str:
    """Return the page."""
    head = [paragraph(line, "big") for line in profile_summary(report.totals)]
    head += [facts(assumptions(report)), paragraph(NOTE, "dim")]
    return page(title, head, _sections(report))
