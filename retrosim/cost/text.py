"""The cost of a routine as text: rich tables that fit 80 columns, and the annotated listing as CSV."""

from __future__ import annotations

import csv
import io
from itertools import groupby
from pathlib import PurePosixPath
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from retrosim.machine.presets import preset
from retrosim.report.tables import between, warmth

from .causes import causes_of
from .sources import line_of

SHOWN = 10  # lines, functions and calls, unless told otherwise
CAUSES = (
    "execute: base clocks of the instruction; waits: what was added, by cause; both per visit. Together they are the "
    "clocks, to the last one. The manual's entries ({source}) are in --csv and --json."
)
ACCESSES = "Accesses: operands, and lines of code entered."
INTERVAL = "In brackets: between which the cycles plausibly are, by what the sources of the model leave open."


def render_cost(report: dict[str, Any], top: int = SHOWN) -> RenderableType:
    """Return everything that `cost_report` found, for a rich console; of lines, functions and calls the `top` first."""
    parts: list[RenderableType] = [Text(cost_title(report), style="bold"), _totals(report)]
    if report["totals"]["causes"]:
        parts += [Text("What the clocks went to", style="bold"), causes_table(report)]
    legend = CAUSES if report["totals"]["causes"] else preset(report["machine"]).cpu().legend
    if report["lines"]:
        parts += [heading("Hottest source lines", report["lines"], top), hottest_lines(report["lines"][:top])]
    parts += [
        heading("Hottest functions", report["functions"], top),
        hottest_functions(report["functions"][:top]),
    ]
    if len(report["calls"]) > 1:
        parts += [heading("Calls", report["calls"], top), call_tree(report["calls"], top)]
    parts += [
        Text("Executed instructions", style="bold"),
        *_listing(report["listing"], report["sources"]),
        Text(legend.format(source=sources_of(report["listing"]))),
    ]
    shown = {ACCESSES: report["caches"], INTERVAL: report["totals"]["low"] is not None}
    return Group(*parts, *(Text(text) for text, is_shown in shown.items() if is_shown))


def sources_of(listing: list[dict[str, Any]]) -> str:
    """Return where most of the clocks are from, and how many other sources there are."""
    clocks: dict[str, int] = {}
    for row in listing:
        clocks[row["source"]] = clocks.get(row["source"], 0) + row["cycles"]
    first, *others = sorted(clocks, key=lambda source: -clocks[source])
    return f"{first}, and {len(others)} more" if others else first


def listing_csv(report: dict[str, Any]) -> str:
    """Return the annotated listing as CSV; addresses in hexadecimal, a column for each cause."""
    text = io.StringIO()
    rows = [{**row, **(row["causes"] or {}), "address": f"{row['address']:06X}"} for row in report["listing"]]
    columns = [column for column in rows[0] if column != "causes"]
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def cost_title(report: dict[str, Any]) -> str:
    """Return what was called, with what, where."""
    entry = report["entry"]
    arguments = ", ".join(
        [*map(str, report["arguments"]), *(f"{name}={word:#x}" for name, word in report["registers"].items())]
    )
    build = f", build {report['build']}" if report["build"] else ""
    name = entry["symbol"] or f"{entry['address']:06X}"
    return f"{name}({arguments}) on {report['machine']}{build}, timing {report['timing']}"


def _totals(report: dict[str, Any]) -> RenderableType:
    totals = report["totals"]
    count = totals["instructions"]
    bars = "" if totals["low"] is None else f" ({between(totals['low'], totals['high'])})"
    lines = [
        f"{totals['cycles']:,} cycles{bars}",
        f"{count:,} instruction{'s'[count == 1 :]}, {totals['cycles_per_instruction']:.2f} cycles per instruction",
        f"{totals['microseconds']:,.2f} us at {report['clock_hz'] / 1e6:g} MHz; result {_result(totals)}",
    ]
    changed = [f"{name} {value}" for name, value in report["memory_changed"].items()]
    changed += [f"{name}={option}" for name, option in report["readings_changed"].items()]
    if changed:
        lines.append(f"changed: {', '.join(changed)}")
    if report["caches"]:
        lines.append(f"caches {warmth(report['warm'])}")
    for name, cache in (report["caches"] or {}).items():
        counts = {"accesses": cache["accesses"], "hits": cache["hits"], "misses": cache["misses"]}
        lines.append(f"{name} cache: " + ", ".join(f"{n:,} {what}" for what, n in counts.items() if n is not None))
    return Padding(Text("\n".join(lines)), (0, 0, 1, 0))


def _result(totals: dict[str, Any]) -> str:
    """Return a result signed, unsigned and in hexadecimal, each where it says something else."""
    unsigned, signed = totals["result"], totals["result_signed"]
    if signed == unsigned:
        return f"{unsigned} ({unsigned:#x})"
    return f"{signed} ({unsigned} unsigned, {unsigned:#x})"


def causes_table(report: dict[str, Any]) -> RenderableType:
    causes, meanings = report["totals"]["causes"], causes_of(report["machine"])
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column()
    table.add_column(justify="right")
    table.add_column(justify="right", no_wrap=True)
    total = sum(causes.values())
    for name, clocks in causes.items():
        if clocks:
            table.add_row(name, f"{clocks:,}", f"{100 * clocks / total:.1f} %", Text(meanings[name]))
    return Padding(table, (0, 0, 1, 0))


def heading(text: str, rows: list[dict[str, Any]], top: int) -> Text:
    """Return the heading of a table that shows the `top` first rows."""
    more = f", {top} of {len(rows)}" if len(rows) > top else ""
    return Text(text + more, style="bold")


def _function_name(row: dict[str, Any]) -> str:
    return row["function"] or "(outside all functions)"


def _line_name(row: dict[str, Any]) -> str:
    return f"{PurePosixPath(row['file']).name}:{row['line']}" if row["file"] else "(without a line)"


def _table(*columns: str) -> Table:
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    return table


def hottest_lines(rows: list[dict[str, Any]]) -> RenderableType:
    """Return a table of source lines, with their text where it was found."""
    table, has_text = _table("cycles", "%", "visits"), any(row["text"] for row in rows)
    table.add_column("line", no_wrap=has_text, overflow="ellipsis" if has_text else "fold")
    if has_text:
        table.add_column("source", no_wrap=True, overflow="ellipsis", ratio=1)
        table.expand = True
    for row in rows:
        cells = [f"{row['cycles']:,}", f"{row['percent']:.1f}", f"{row['visits']:,}", Text(_line_name(row))]
        table.add_row(*cells, *([Text(row["text"] or "")] if has_text else []))
    return Padding(table, (0, 0, 1, 0))


def hottest_functions(rows: list[dict[str, Any]]) -> RenderableType:
    """Return a table of functions: their own cycles, and those with all that they call."""
    table = _table("cycles", "%", "with calls", "%", "instructions", "visits")
    table.add_column("function", overflow="fold")
    for row in rows:
        own, inclusive = (f"{row['cycles']:,}", f"{row['percent']:.1f}"), f"{row['inclusive']:,}"
        counts = (f"{row['inclusive_percent']:.1f}", f"{row['instructions']:,}", f"{row['visits']:,}")
        table.add_row(*own, inclusive, *counts, Text(_function_name(row)))
    return Padding(table, (0, 0, 1, 0))


def call_tree(rows: list[dict[str, Any]], top: int) -> RenderableType:
    """Return the calls that took most with all that they led to, in the order of the tree."""
    hottest = sorted(rows, key=lambda row: -row["inclusive_cycles"])[:top]  # with each its callers: they took no less
    table = _table("with calls", "%", "own", "times")
    table.add_column("called, from", overflow="fold")
    for row in sorted(hottest, key=lambda row: row["node"]):
        place = f", {_line_name({'file': row['site_file'], 'line': row['site_line']})}" if row["site_file"] else ""
        counts = (f"{row['inclusive_cycles']:,}", f"{row['percent']:.1f}", f"{row['cycles']:,}", f"{row['calls']:,}")
        table.add_row(*counts, Text("  " * row["depth"] + row["function"] + place))
    return Padding(table, (0, 0, 1, 0))


def _listing(rows: list[dict[str, Any]], sources: dict[str, list[str]]) -> list[RenderableType]:
    """Return the source lines, each with a table of its instructions; all tables have the same column widths."""
    parts: list[RenderableType] = []
    is_plain = rows[0]["causes"] is None
    for function, inside in groupby(rows, key=_function_name):
        parts += [Text() if parts else _instructions(is_plain, True), Text(function, style="bold")]
        line: tuple[str, int] | None = None
        table = None
        for row in inside:
            if table is None or (row["file"] and (row["file"], row["line"]) != line):
                if row["file"]:
                    line = (row["file"], row["line"])
                    text = line_of(sources, *line)
                    named = f"{_line_name(row)}  {text}" if text else _line_name(row)
                    parts.append(Text(named, style="dim", no_wrap=True, overflow="ellipsis"))
                table = _instructions(is_plain, False)
                parts.append(table)
            counts = (str(row["visits"]), str(row["cycles"]), *_explained(row))
            table.add_row(f"{row['address']:06X}", row["code"], Text(row["text"]), *counts)
    return [*parts, Text()]


def _instructions(is_plain: bool, has_heading: bool) -> Table:
    """Return an empty table of instructions, with its heading or without."""
    table = Table(box=None, show_header=has_heading, pad_edge=False, padding=(0, 1, 0, 0), expand=True)
    table.add_column("addr", width=6, no_wrap=True)
    table.add_column("code", width=9, overflow="fold")
    table.add_column("instruction", ratio=3, overflow="fold")
    clocks = (("base", 5), ("stalls", 6)) if is_plain else (("execute", 7),)
    for column, width in (("visits", 7), ("cycles", 8), *clocks):
        table.add_column(column, width=width, justify="right", no_wrap=True)
    table.add_column("entry" if is_plain else "waits", ratio=2, overflow="fold")
    return table


def _explained(row: dict[str, Any]) -> list[str | Text]:
    """Return the cells that say what an instruction's clocks are: base, stalls and entry, or execute and waits."""
    if row["causes"] is None:
        return [_clocks(row["base"]), _clocks(row["stalls"]), Text(row["entry"])]
    each = {name: clocks / row["visits"] for name, clocks in row["causes"].items()}
    execute = each.pop("execute")
    waits = sorted((item for item in each.items() if item[1]), key=lambda item: -item[1])
    return [_clocks(execute), Text(", ".join(f"{name} {_clocks(clocks)}" for name, clocks in waits))]


def _clocks(value: float) -> str:
    """Return clocks in at most six characters, a whole number without a point."""
    digits = 0 if abs(value) >= 1000 or value == int(value) else 1 if abs(value) >= 10 else 2
    return f"{value:.{digits}f}"
