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

from .causes import causes_of
from .figures import between, warmth

SHOWN = 10  # lines and functions
CAUSES = (
    "execute: base clocks of the instruction; waits: what was added, by cause; both per visit. Together they are the "
    "clocks, to the last one. The manual's entries ({source}) are in --csv and --json."
)
ACCESSES = "Accesses: operands, and lines of code entered."
INTERVAL = "In brackets: between which the cycles plausibly are, by what the sources of the model leave open."


def render_cost(report: dict[str, Any]) -> RenderableType:
    """Return everything that `cost_report` found, for a rich console."""
    parts: list[RenderableType] = [Text(_title(report), style="bold"), _totals(report)]
    if report["totals"]["causes"]:
        parts += [Text("What the clocks went to", style="bold"), _causes(report)]
    legend = CAUSES if report["totals"]["causes"] else preset(report["machine"]).cpu().legend
    if report["lines"]:
        parts += [_heading("Hottest source lines", report["lines"]), _hottest(report["lines"], "line", _line_name)]
    parts += [
        _heading("Hottest functions", report["functions"]),
        _hottest(report["functions"], "function", _function_name),
        Text("Executed instructions", style="bold"),
        *_listing(report["listing"]),
        Text(legend.format(source=_sources(report["listing"]))),
    ]
    shown = {ACCESSES: report["caches"], INTERVAL: report["totals"]["low"] is not None}
    return Group(*parts, *(Text(text) for text, is_shown in shown.items() if is_shown))


def _sources(listing: list[dict[str, Any]]) -> str:
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


def _title(report: dict[str, Any]) -> str:
    entry = report["entry"]
    arguments = ", ".join(
        [*map(str, report["arguments"]), *(f"{name}={word:#x}" for name, word in report["registers"].items())]
    )
    build = f", build {report['build']}" if report["build"] else ""
    name = entry["symbol"] or f"{entry['address']:06X}"
    return f"{name}({arguments}) on {report['machine']}{build}, timing {report['timing']}"


def _totals(report: dict[str, Any]) -> RenderableType:
    totals = report["totals"]
    bars = "" if totals["low"] is None else f" ({between(totals['low'], totals['high'])})"
    lines = [
        f"{totals['cycles']:,} cycles{bars}",
        f"{totals['instructions']:,} instructions, {totals['cycles_per_instruction']:.2f} cycles per instruction",
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


def _causes(report: dict[str, Any]) -> RenderableType:
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


def _heading(text: str, rows: list[dict[str, Any]]) -> Text:
    more = f", {SHOWN} of {len(rows)}" if len(rows) > SHOWN else ""
    return Text(text + more, style="bold")


def _function_name(row: dict[str, Any]) -> str:
    return row["function"] or "(outside all functions)"


def _line_name(row: dict[str, Any]) -> str:
    return f"{PurePosixPath(row['file']).name}:{row['line']}" if row["file"] else "(without a line)"


def _hottest(rows: list[dict[str, Any]], heading: str, name: Any) -> RenderableType:
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(heading, overflow="fold")
    for column in ("cycles", "%", "instructions", "visits"):
        table.add_column(column, justify="right", no_wrap=True)
    for row in rows[:SHOWN]:
        counts = (f"{row['cycles']:,}", f"{row['percent']:.1f}", f"{row['instructions']:,}", f"{row['visits']:,}")
        table.add_row(Text(name(row)), *counts)
    return Padding(table, (0, 0, 1, 0))


def _listing(rows: list[dict[str, Any]]) -> list[RenderableType]:
    """Return one table per function, all of the same column widths, with its source lines between the instructions."""
    parts: list[RenderableType] = []
    for function, inside in groupby(rows, key=_function_name):
        table = Table(box=None, show_header=not parts, pad_edge=False, padding=(0, 1, 0, 0), expand=True)
        table.add_column("addr", width=6, no_wrap=True)
        table.add_column("code", width=9, overflow="fold")
        table.add_column("instruction", ratio=3, overflow="fold")
        is_plain = rows[0]["causes"] is None
        clocks = (("base", 5), ("stalls", 6)) if is_plain else (("execute", 7),)
        for column, width in (("visits", 7), ("cycles", 8), *clocks):
            table.add_column(column, width=width, justify="right", no_wrap=True)
        table.add_column("entry" if is_plain else "waits", ratio=2, overflow="fold")
        line = None
        for row in inside:
            if row["file"] and (row["file"], row["line"]) != line:
                line = (row["file"], row["line"])
                table.add_row("", "", Text(_line_name(row), style="dim"))
            counts = (str(row["visits"]), str(row["cycles"]), *_explained(row))
            table.add_row(f"{row['address']:06X}", row["code"], Text(row["text"]), *counts)
        parts += [Text(), Text(function, style="bold"), table]
    return [*parts, Text()]


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
