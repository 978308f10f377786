"""The cost of a routine as text: rich tables that fit 80 columns, and the annotated listing as CSV."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import PurePosixPath

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from retrosim.machine.presets import preset
from retrosim.report.json import to_json
from retrosim.report.tables import figures_table
from retrosim.report.text import between, counted, csv_text, percent, warmth

from .counting import causes_of
from .report import CallCost, CallTotals, CostReport, FunctionCost, InstructionCost, LineCost, Origin, Report
from .sources import line_of

SHOWN = 10  # lines, functions and calls, unless told otherwise
CAUSES_NOTE = (
    "execute: base clocks of the instruction; waits: what was added, by cause; both per visit. Together they are the "
    "clocks, to the last one. The manual's entries ({source}) are in --csv and --json."
)
ACCESSES = "Accesses: operands, and lines of code entered."
INTERVAL = "In brackets: between which the cycles plausibly are, by what the sources of the model leave open."


def render_cost(report: CostReport, top: int = SHOWN) -> RenderableType:
    """Return everything that `cost_report` found, for a rich console; of lines, functions and calls the `top` first."""
    parts: list[RenderableType] = [Text(cost_title(report), style="bold"), _totals(report)]
    where = report.breakdown
    if report.totals.causes:
        parts += [Text("What the clocks went to", style="bold"), causes_table(report)]
    legend = CAUSES_NOTE if report.totals.causes else preset(report.machine).cpu().legend
    parts += hottest(report, top)
    if len(where.calls) > 1:
        parts += [heading("Calls", where.calls, top), call_tree(where.calls, top)]
    parts += [
        Text("Executed instructions", style="bold"),
        *_listing(where.listing, where.sources),
        Text(legend.format(source=sources_of(where.listing))),
    ]
    shown = {ACCESSES: report.caches, INTERVAL: report.totals.low is not None}
    notes = [Text(text) for text, is_shown in shown.items() if is_shown]
    again = settings(report) | {"Version": f"retrosim {report.origin.version}"}
    return Group(*parts, *notes, Text(), repeated(again))


def hottest(report: Report, top: int) -> list[RenderableType]:
    """Return the lines and functions that took most, the `top` first of each."""
    lines, functions = report.breakdown.lines, report.breakdown.functions
    parts: list[RenderableType] = []
    if lines:
        parts += [heading("Hottest source lines", lines, top), hottest_lines(lines[:top])]
    return [*parts, heading("Hottest functions", functions, top), hottest_functions(functions[:top])]


def sources_of(listing: Sequence[InstructionCost]) -> str:
    """Return where most of the clocks are from, and how many other sources there are."""
    clocks: dict[str, int] = {}
    for row in listing:
        if row.explanation:
            clocks[row.explanation.source] = clocks.get(row.explanation.source, 0) + row.cycles
    first, *others = sorted(clocks, key=lambda source: -clocks[source])
    return f"{first}, and {len(others)} more" if others else first


def listing_csv(report: CostReport) -> str:
    """Return the annotated listing as CSV; addresses in hexadecimal, a column for each cause."""
    rows = [to_json(row) | (row.causes or {}) | {"address": f"{row.address:06X}"} for row in report.breakdown.listing]
    return csv_text([column for column in rows[0] if column != "causes"], rows)


def cost_title(report: CostReport) -> str:
    """Return what was called, with what, where."""
    arguments = ", ".join(
        [*map(str, report.arguments), *(f"{name}={word:#x}" for name, word in report.registers.items())]
    )
    build = f", build {report.build}" if report.build else ""
    return f"{report.entry}({arguments}) on {report.machine}{build}, timing {report.timing}"


def settings(report: Report) -> dict[str, str]:
    """Return the program, the machine, what the clocks depend on, and the command line."""
    origin, clocks = report.origin, report.clocks
    shown = {"Program": program_of(origin, report.build), "Parameters": parameters_of(origin)}
    shown |= {"Machine": f"{report.machine} ({report.model}, {report.clock_hz / 1e6:g} MHz)", "Timing": report.timing}
    if isinstance(report, CostReport) and report.caches:
        shown["Caches at the start"] = warmth(report.warm)
    shown["Memory and bus"] = _chosen(clocks.memory, clocks.memory_changed)
    shown["Readings"] = _chosen(clocks.readings, clocks.readings_changed)
    return shown | {"Command": origin.command}


def program_of(origin: Origin, build: str) -> str:
    """Return the name of a program, and its build."""
    return ", ".join(filter(None, (origin.program, build and f"build {build}")))


def parameters_of(origin: Origin) -> str:
    """Return the parameters of a ROM."""
    return ", ".join(f"{name} {value}" for name, value in origin.parameters.items())


def _chosen(values: Mapping[str, object], changed: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {value}{' (changed)' if name in changed else ''}" for name, value in values.items())


def repeated(rows: Mapping[str, str]) -> RenderableType:
    """Return what has to be the same for the same clocks."""
    return named_values("To repeat it", rows)


def named_values(heading: str, rows: Mapping[str, str]) -> RenderableType:
    """Return names with values under a heading; what is empty is left out."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows.items():
        if value:
            table.add_row(name, Text(value))
    return Group(Text(heading, style="bold"), table)


def _totals(report: CostReport) -> RenderableType:
    totals, clocks = report.totals, report.clocks
    bars = "" if totals.low is None else f" ({between(totals.low, totals.high)})"
    lines = [
        f"{totals.cycles:,} cycles{bars}",
        f"{counted(totals.instructions, 'instruction')}, {totals.cycles_per_instruction:.2f} cycles per instruction",
        f"{totals.microseconds:,.2f} us at {report.clock_hz / 1e6:g} MHz{_result(totals)}",
    ]
    changed = [f"{name} {value}" for name, value in clocks.memory_changed.items()]
    changed += [f"{name}={option}" for name, option in clocks.readings_changed.items()]
    if changed:
        lines.append(f"changed: {', '.join(changed)}")
    if report.caches:
        lines.append(f"caches {warmth(report.warm)}")
    for name, cache in (report.caches or {}).items():
        counts = {"accesses": cache.accesses, "hits": cache.hits, "misses": cache.misses}
        lines.append(f"{name} cache: " + ", ".join(f"{n:,} {what}" for what, n in counts.items() if n is not None))
    return Padding(Text("\n".join(lines)), (0, 0, 1, 0))


def _result(totals: CallTotals) -> str:
    """Return a result signed, unsigned and in hexadecimal, each where it says something else; "" for none."""
    unsigned, signed = totals.result, totals.result_signed
    if not totals.has_result:
        return ""
    more = "" if signed == unsigned else f"{unsigned} unsigned, "
    return f"; result {signed} ({more}{unsigned:#x})"


def causes_table(report: Report) -> RenderableType:
    """Return a table of what the clocks went to."""
    causes, meanings = report.totals.causes or {}, causes_of(report.machine)
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column()
    table.add_column(justify="right")
    table.add_column(justify="right", no_wrap=True)
    total = sum(causes.values())
    for name, clocks in causes.items():
        if clocks:
            table.add_row(name, f"{clocks:,}", percent(clocks, of=total), Text(meanings[name]))
    return Padding(table, (0, 0, 1, 0))


def heading(text: str, rows: Sequence[object], top: int) -> Text:
    """Return the heading of a table that shows the `top` first rows."""
    more = f", {top} of {len(rows)}" if len(rows) > top else ""
    return Text(text + more, style="bold")


def function_name(row: FunctionCost | InstructionCost) -> str:
    """Return the function of a row."""
    return row.function or "(outside all functions)"


def line_name(file: str | None, line: int | None) -> str:
    """Return a source line, its file without folders."""
    return f"{PurePosixPath(file).name}:{line}" if file else "(without a line)"


def hottest_lines(rows: Sequence[LineCost]) -> RenderableType:
    """Return a table of source lines, with their text where it was found."""
    table, has_text = figures_table("cycles", "%", "visits"), any(row.text for row in rows)
    table.add_column("line", no_wrap=has_text, overflow="ellipsis" if has_text else "fold")
    if has_text:
        table.add_column("source", no_wrap=True, overflow="ellipsis", ratio=1)
        table.expand = True
    for row in rows:
        counts, source = (f"{row.cycles:,}", f"{row.percent:.1f}", f"{row.visits:,}"), Text(row.text or "")
        table.add_row(*counts, Text(line_name(row.file, row.line)), *([source] if has_text else []))
    return Padding(table, (0, 0, 1, 0))


def hottest_functions(rows: Sequence[FunctionCost]) -> RenderableType:
    """Return a table of functions: their own cycles, and those with all that they call."""
    table = figures_table("cycles", "%", "with calls", "%", "instructions", "visits")
    table.add_column("function", overflow="fold")
    for row in rows:
        own, inclusive = (f"{row.cycles:,}", f"{row.percent:.1f}"), f"{row.inclusive:,}"
        counts = (f"{row.inclusive_percent:.1f}", f"{row.instructions:,}", f"{row.visits:,}")
        table.add_row(*own, inclusive, *counts, Text(function_name(row)))
    return Padding(table, (0, 0, 1, 0))


def call_tree(rows: Sequence[CallCost], top: int) -> RenderableType:
    """Return the calls that took most with all that they led to, in the order of the tree."""
    costliest = sorted(rows, key=lambda row: -row.inclusive_cycles)[:top]  # with each its callers: they took no less
    table = figures_table("with calls", "%", "own", "times")
    table.add_column("called, from", overflow="fold")
    for row in sorted(costliest, key=lambda row: row.node):
        place = f", {line_name(row.site_file, row.site_line)}" if row.site_file else ""
        counts = (f"{row.inclusive_cycles:,}", f"{row.percent:.1f}", f"{row.cycles:,}", f"{row.calls:,}")
        table.add_row(*counts, Text("  " * row.depth + row.function + place))
    return Padding(table, (0, 0, 1, 0))


def _listing(rows: Sequence[InstructionCost], sources: dict[str, list[str]]) -> list[RenderableType]:
    """Return the source lines, each with a table of its instructions; all tables have the same column widths."""
    parts: list[RenderableType] = []
    is_plain = rows[0].causes is None
    for function, inside in groupby(rows, key=function_name):
        parts += [Text() if parts else _instructions(is_plain, True), Text(function, style="bold")]
        line: tuple[str, int | None] | None = None
        table = None
        for row in inside:
            if table is None or (row.file and (row.file, row.line) != line):
                if row.file:
                    line = (row.file, row.line)
                    text = line_of(sources, *line)
                    named = f"{line_name(row.file, row.line)}  {text}" if text else line_name(row.file, row.line)
                    parts.append(Text(named, style="dim", no_wrap=True, overflow="ellipsis"))
                table = _instructions(is_plain, False)
                parts.append(table)
            counts = (str(row.visits), str(row.cycles), *_explained(row))
            table.add_row(f"{row.address:06X}", row.code, Text(row.text), *counts)
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


def _explained(row: InstructionCost) -> list[str | Text]:
    """Return the cells that say what an instruction's clocks are: base, stalls and entry, or execute and waits."""
    said = row.explanation
    assert said is not None  # a call is stepped through
    if said.causes is None:
        return [_clocks(said.base), _clocks(said.stalls), Text(said.entry)]
    visit = {name: clocks / row.visits for name, clocks in said.causes.items()}
    execute = visit.pop("execute")
    waits = sorted((item for item in visit.items() if item[1]), key=lambda item: -item[1])
    return [_clocks(execute), Text(", ".join(f"{name} {_clocks(clocks)}" for name, clocks in waits))]


def _clocks(value: float) -> str:
    """Return clocks in at most six characters, a whole number without a point."""
    digits = 0 if abs(value) >= 1000 or value == int(value) else 1 if abs(value) >= 10 else 2
    return f"{value:.{digits}f}"
