"""The cost of a routine as a page: figures, causes, calls, and the source beside its instructions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from pathlib import PurePosixPath
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from retrosim.machine.presets import preset
from retrosim.report.page import Column, Section, bar, facts, flame_graph, page, paragraph, table
from retrosim.report.tables import warmth

from .causes import causes_of
from .text import (
    CAUSES,
    INTERVAL,
    call_tree,
    causes_table,
    cost_title,
    heading,
    hottest_functions,
    hottest_lines,
    sources_of,
)

MAX_GAP = 30  # lines that were not executed, between two that were, which are shown
Row = Mapping[str, Any]


def cost_page(report: dict[str, Any]) -> str:
    """Return the page of what `cost_report` found."""
    totals = report["totals"]
    head = [paragraph(headline(report), "big"), facts(assumptions(report))]
    if totals["low"] is not None:
        head.append(paragraph(INTERVAL, "dim"))
    sections = []
    if totals["causes"]:
        sections.append(Section("What the clocks went to", [causes_section(report)]))
    sections += call_sections(report)
    if report["caches"]:
        sections.append(Section("Caches", [_caches(report)]))
    if report["lines"]:
        sections.append(Section("Source lines", [line_table(report)]))
    sections.append(Section("Source and instructions", source_parts(report)))
    return page(cost_title(report), head, sections)


def headline(report: Row) -> str:
    """Return the figures that matter first."""
    totals = report["totals"]
    interval = "" if totals["low"] is None else f" ({totals['low']:,} to {totals['high']:,})"
    time = f"{totals['microseconds']:,.2f} µs at {report['clock_hz'] / 1e6:g} MHz"
    return f"{totals['cycles']:,} clocks{interval}, {totals['instructions']:,} instructions, {time}"


def assumptions(report: Row) -> dict[str, Any]:
    """Return the machine, and what the clocks depend on."""
    found: dict[str, Any] = {"Machine": f"{report['machine']} ({report['model']}, {report['clock_hz'] / 1e6:g} MHz)"}
    found |= {"Program": report["build"] and f"build {report['build']}", "Timing": report["timing"]}
    if "warm" in report and report["caches"]:
        found["Caches at the start"] = warmth(report["warm"])
    chosen = {"Memory and bus": "memory", "Questions that sources leave open": "readings"}
    for title, key in chosen.items():
        changed = report[f"{key}_changed"]
        parts = [f"{name} {value}{' (changed)' if name in changed else ''}" for name, value in report[key].items()]
        found[title] = ", ".join(parts)
    if "totals" in report and "cycles_per_instruction" in report["totals"]:
        found["Clocks per instruction"] = f"{report['totals']['cycles_per_instruction']:.2f}"
    return found


def call_sections(report: Row) -> list[Section]:
    """Return the flame graph, the functions and the calls."""
    misses = [key for key in report["calls"][0] if key.endswith("_misses") and not key.startswith("inclusive_")]
    functions = [Column("function", "code"), Column("own clocks"), Column("own %", "share"), Column("with calls")]
    functions += [Column("with calls %", "share"), Column("instructions"), Column("visits")]
    keys = ("cycles", "percent", "inclusive", "inclusive_percent", "instructions", "visits")
    rows = [(_function(row), *(row[key] for key in keys)) for row in report["functions"]]
    calls = [
        Column("called", "code"),
        Column("from", "code"),
        Column("by", "code"),
        Column("times"),
        Column("with calls"),
    ]
    calls += [Column("%", "share"), Column("own clocks"), *(Column(key.replace("_", " ")) for key in misses)]
    return [
        Section("Flame graph", [flame_graph("flame", report["calls"])]),
        Section("Functions", [table("functions", functions, rows)]),
        Section("Calls", [table("calls", calls, _call_rows(report, misses))]),
    ]


def _call_rows(report: Row, misses: Sequence[str]) -> Iterator[list[Any]]:
    for row in report["calls"]:
        by = "" if row["parent"] is None else report["calls"][row["parent"]]["function"]
        counts = [row[key] for key in ("calls", "inclusive_cycles", "percent", "cycles", *misses)]
        yield [row["function"], _place(row["site_file"], row["site_line"], row["site"]), by, *counts]


def _place(file: str | None, line: int | None, address: int | None) -> str:
    if file:
        return f"{PurePosixPath(file).name}:{line}"
    return "" if address is None else f"{address:06X}"


def _function(row: Row) -> str:
    return row["function"] or "(outside all functions)"


def causes_section(report: Row) -> str:
    causes, meanings = report["totals"]["causes"], causes_of(report["machine"])
    total = sum(causes.values()) or 1
    rows = [(name, count, 100 * count / total, meanings[name]) for name, count in causes.items() if count]
    columns = [Column("cause", "code"), Column("clocks"), Column("%", "share"), Column("what that is", "text")]
    return table("causes", columns, rows)


def _caches(report: Row) -> str:
    columns = [Column("cache", "text"), Column("accesses"), Column("hits"), Column("misses")]
    rows = [(name, each["accesses"], each["hits"], each["misses"]) for name, each in report["caches"].items()]
    return table("caches", columns, rows)


def line_table(report: Row) -> str:
    """Return the source lines."""
    columns = [Column("line", "code"), Column("clocks"), Column("%", "share"), Column("instructions"), Column("visits")]
    rows = [
        (_place(row["file"], row["line"], None) or "(without a line)", row["cycles"], row["percent"])
        + (row["instructions"], row["visits"], row["text"])
        for row in report["lines"]
    ]
    return table("lines", [*columns, Column("source", "code")], rows)


def source_parts(report: Row) -> list[str]:
    """Return every function with its source lines, and their instructions beside them."""
    listing, sources = report["listing"], report["sources"]
    total = sum(row["cycles"] for row in listing) or 1
    hottest = max(row["cycles"] for row in (report["lines"] or listing)) / total
    parts = [paragraph(_legend(report), "dim")]
    heads = "<span>address</span><span>instruction</span><span>visits</span><span>clocks</span><span>%</span>"
    source = '<div class="src"><span class="n">line</span><b>%</b><span>source</span></div>'
    for row in report["functions"]:
        inside = [each for each in listing if each["function"] == row["function"]]
        figures = f"{row['cycles']:,} clocks ({row['percent']:.1f} %), {row['inclusive']:,} with calls"
        parts.append(f"<h3>{escape(_function(row))} — {figures}</h3>")
        parts.append(f'<div class="line heads"><div>{source}</div><div class="insn">{heads}</div></div>')
        parts += _lines(inside, sources, total, hottest)
    return parts


def _legend(report: Row) -> str:
    if not report["listing"] or "base" not in report["listing"][0]:
        return "Clocks of an instruction: from the end of the one before it to its own end."
    if report["totals"].get("causes"):
        return CAUSES.format(source=sources_of(report["listing"]))
    return preset(report["machine"]).cpu().legend.format(source=sources_of(report["listing"]))


def _lines(rows: Sequence[Row], sources: Mapping[str, Sequence[str]], total: int, hottest: float) -> Iterator[str]:
    """Yield the lines of a function in the order of its source, and those between them.

    total    clocks of everything; hottest: share of the hottest line, whose bar is a whole one
    """
    ordered = sorted(rows, key=lambda row: (row["file"] or "", row["line"] or 0))
    before: tuple[str, int] | None = None
    for (file, line), inside in groupby(ordered, key=lambda row: (row["file"], row["line"])):
        text = sources.get(file or "", ())
        if before and before[0] == file and text and line - before[1] <= MAX_GAP:
            yield from (_line(file, number, text, (), total, hottest) for number in range(before[1] + 1, line))
        yield _line(file, line, text, list(inside), total, hottest)
        before = (file, line) if file else None


def _line(
    file: str | None, line: int | None, text: Sequence[str], rows: Sequence[Row], total: int, hottest: float
) -> str:
    share = sum(row["cycles"] for row in rows) / total
    shown = text[line - 1] if line and line <= len(text) else PurePosixPath(file).name if file else ""
    percent = f"{100 * share:.1f}" if rows else ""
    source = f'<span class="n">{line or ""}</span><b>{percent}{f"<br>{bar(share / hottest)}" if rows else ""}</b>'
    code = "".join(_instruction(row, total) for row in rows)
    side = f'<div class="src">{source}<pre>{escape(shown)}</pre></div>'
    return f'<div class="line{"" if rows else " cold"}"><div>{side}</div><div>{code}</div></div>'


def _instruction(row: Row, total: int) -> str:
    share = row["cycles"] / total
    cells = (f"{row['address']:06X}", row["text"], f"{row['visits']:,}", f"{row['cycles']:,}", f"{100 * share:.1f}")
    heat = f"border-left-color:color-mix(in srgb, var(--heat) {min(100, round(400 * share))}%, transparent)"
    spans = "".join(f"<span>{escape(cell)}</span>" for cell in cells)
    return f'<div class="insn heat" style="{heat}">{spans}<small>{escape(", ".join(_said(row)))}</small></div>'


def _said(row: Row) -> Iterable[str]:
    """Yield what an instruction's clocks were, each visit, and its misses."""
    if row.get("causes"):
        yield from (f"{name} {count / row['visits']:.3g}" for name, count in row["causes"].items() if count)
    elif "base" in row:
        yield f"base {row['base']:.3g}"
        if row["stalls"]:
            yield f"stalls {row['stalls']:.3g}"
        if row["entry"]:
            yield row["entry"]
    yield from (f"{count:,} {key.replace('_', ' ')}" for key, count in row.items() if key.endswith("_misses") and count)


# The profile of a whole program (see `profile.program`) in the terminal and as a page.

NOTE = (
    "Counted, not sampled: every instruction, call and return. Clocks are busy ones; waiting for the next frame or for "
    "an interrupt is left out."
)


def profile_summary(report: dict[str, Any]) -> list[str]:
    """Return the figures that matter first."""
    totals = report["totals"]
    share = 100 * totals["cycles"] / ((totals["cycles"] + totals["waited"]) or 1)
    lines = [f"{totals['cycles']:,} busy clocks ({share:.1f} %), {totals['instructions']:,} instructions"]
    if totals["frames"]:
        low, mean, high = (round(totals[f"cycles_{which}"]) for which in ("minimum", "mean", "maximum"))
        lines.append(f"{totals['frames']:,} frames, busy clocks of one: {mean:,} on average, {low:,} to {high:,}")
    return lines


def render_profile(report: dict[str, Any], top: int) -> RenderableType:
    """Return lines, functions and calls, the `top` hottest of each, for a rich console."""
    parts: list[RenderableType] = [Text(line) for line in profile_summary(report)]
    parts.append(Text())
    if report["totals"]["causes"]:
        parts += [Text("What the clocks went to", style="bold"), causes_table(report)]
    if report["lines"]:
        parts += [heading("Hottest source lines", report["lines"], top), hottest_lines(report["lines"][:top])]
    parts += [heading("Hottest functions", report["functions"], top), hottest_functions(report["functions"][:top])]
    parts += [heading("Calls", report["calls"], top), call_tree(report["calls"], top), Text(NOTE)]
    return Group(*parts)


def profile_page(report: dict[str, Any], title: str) -> str:
    """Return the page."""
    head = [paragraph(line, "big") for line in profile_summary(report)]
    head += [facts(assumptions(report)), paragraph(NOTE, "dim")]
    sections = call_sections(report)
    if report["totals"]["causes"]:
        sections.insert(0, Section("What the clocks went to", [causes_table(report)]))
    if report["lines"]:
        sections.append(Section("Source lines", [line_table(report)]))
    sections.append(Section("Source and instructions", source_parts(report)))
    return page(title, head, sections)
