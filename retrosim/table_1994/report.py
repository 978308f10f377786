"""The timing table as text: rich tables that fit 80 columns, on a terminal and in a pipe."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from retrosim.machine import PRESETS
from retrosim.report.json import to_json
from retrosim.report.page import PageSection, facts, notes_section, page, paragraph, records, settings
from retrosim.report.tables import heading, notes, number_table
from retrosim.report.text import between, counted, csv_text, decimal, grouped, percent

from .analysis import METHODS, PARTS, Density
from .causes import CauseRow, CausesTable
from .timing import Answer, BuildSplit, TableRow, TimingTable

ANSWER_NOTES = (
    "0 objects has one in its list. Clocks per check; between: what the sources of our model leave open.",
    "No constant is fitted to the table. `retrosim guide table` says what may account for the differences.",
    "All builds, and what a check is made of: `retrosim timing --details`.",
)
_TESTS = "Pair tests per sector"
_ANALYSES = {
    "formula": ("counted", 0, f"{_TESTS}, K objects in every sector: by formula, and counted"),
    "random_expected": ("random_counted", 1, f"{_TESTS}, K on average, placed at random: expected, and counted"),
}


def render_timing(result: TimingTable, details: bool = True) -> RenderableType:
    """Return what `timing_table` found, for a rich console: the answer first; with details everything."""
    answers = [part for answer in result.answer for part in _answer(result, answer)]
    if not details:
        return Group(*answers, notes(ANSWER_NOTES))
    method = result.method
    sampled = counted(method.scenes, "scene") if method.scenes else f"{method.seconds:g} simulated s or more"
    how = "30 simulated seconds per row" if method.full else f"samples of {sampled}"
    parts: list[RenderableType] = [*answers]
    for machine in dict.fromkeys(row.machine for row in result.rows):
        rows = [row for row in result.rows if row.machine == machine]
        split = [build for build in result.split if build.machine == machine]
        parts += [*_machine(result, machine), Text(f"Complete checks, {how}"), _cells(rows)]
        if split:
            parts += [heading("What a check is made of: clocks, and their ratio to those of 1994"), _split(split)]
        if method.full:
            parts += [heading("What the program of 1994 would have printed"), *_lines(rows), Text()]
    for source, (counts, digits, title) in _ANALYSES.items() if result.analysis else ():
        parts += [heading(title), _analysis(result.analysis, source, counts, digits)]
    return Group(*parts, notes(result.notes))


def _answer(result: TimingTable, answer: Answer) -> list[RenderableType]:
    """Return the table of the reference build of a machine, and the verdict below it."""
    table = number_table("objects", "clocks of\n1994", "ours", "ours, between", "ours/\n1994")
    for row in answer.rows:
        table.add_row(
            str(row.objects),
            grouped(row.printed_cycles),
            grouped(row.cycles),
            between(row.low, row.high),
            Text(decimal(row.ratio, 2), style="bold"),
        )
    about = Text(f"Build {answer.build}: {answer.reason}.")
    return [*_machine(result, answer.machine), about, table, Padding(Text(answer.verdict), (0, 0, 1, 0))]


def render_causes(result: CausesTable) -> RenderableType:
    """Return everything that `causes_table` found, for a rich console."""
    parts: list[RenderableType] = []
    for machine in dict.fromkeys(row.machine for row in result.rows):
        parts += _machine(result, machine)
        rows = [row for row in result.rows if row.machine == machine]
        for build in dict.fromkeys(row.build for row in rows):
            parts.append(_causes(build, [row for row in rows if row.build == build]))
        legend = Table.grid(padding=(0, 1, 0, 0))
        for name, meaning in result.causes[machine].items():
            legend.add_row(Text(name, style="bold"), Text(meaning))
        parts.append(Padding(legend, (0, 0, 1, 0)))
    return Group(*parts, notes(result.notes))


def rows_csv(result: TimingTable | CausesTable) -> str:
    """Return the rows of either table as CSV, one column for each cause."""
    rows = [{**row, **row.get("causes", {})} for row in to_json(result.rows)]
    columns = dict.fromkeys(name for row in rows for name in row if name != "causes")
    return csv_text(list(columns), rows)


def _machine(result: TimingTable | CausesTable, machine: str) -> list[Text]:
    """Return the heading of a machine, and what of it is not the preset's."""
    lines = [heading(f"{machine}: {PRESETS[machine].title}")]
    changed, known = result.method.clocks.memory_changed[machine], PRESETS[machine].memory
    if changed:
        shown = ", ".join(f"{name} {value} (preset {known[name].value})" for name, value in changed.items())
        lines.append(Text(f"Memory changed: {shown}"))
    if readings := result.method.clocks.readings_changed[machine]:
        lines.append(Text(f"Readings changed: {', '.join(f'{name}={option}' for name, option in readings.items())}"))
    return lines


def _causes(build: str, rows: list[CauseRow]) -> RenderableType:
    """Return a table with a line for each cause: clocks a check and percent, for each number of objects."""
    table = number_table("objects", *(heading for row in rows for heading in (str(row.objects), "%")))
    table.title, table.title_justify, table.title_style = build, "left", "bold"
    for name in rows[0].causes:
        cells = []
        for row in rows:
            clocks = row.causes[name]
            cells += [decimal(clocks / row.checks), decimal(100 * clocks / row.cycles, 1)]
        table.add_row(name, *cells, end_section=name == list(rows[0].causes)[-1])
    table.add_row("clocks", *(cell for row in rows for cell in (decimal(row.cycles_per_check), "")))
    table.add_row("ours/1994", *(cell for row in rows for cell in (decimal(row.ratio, 3), "")))
    return Padding(table, (0, 0, 1, 0))


def _open(row: TableRow) -> str:
    """Return how far the clocks may be off, to the side that is farther, in percent."""
    if row.low is None or row.high is None:
        return "-"
    return percent(max(row.cycles - row.low, row.high - row.cycles) / row.cycles)


def _cells(rows: list[TableRow]) -> RenderableType:
    table = number_table(
        *("build,\nobjects", "1994\nper s", "ours\nper s", "1994\nclocks", "ours\nclocks"),
        *("ours/\n1994", "left\nopen", "scatter", "instruc-\ntions", "clocks/\ninstr."),
    )
    for before, row, following in zip([None, *rows], rows, [*rows[1:], None]):
        if before is None or before.build != row.build:
            table.add_row(Text(row.build, style="bold"))
        table.add_row(
            f"{row.objects:>5}",
            decimal(row.printed_per_second),
            decimal(row.per_second),
            decimal(row.printed_cycles),
            decimal(row.cycles),
            Text(decimal(row.ratio, 3), style="bold"),
            _open(row),
            percent(row.scatter),
            decimal(row.instructions),
            decimal(row.cycles_per_instruction, 2),
            end_section=following is not None and following.build != row.build,
        )
    return Padding(table, (0, 0, 1, 0))


def _split(split: list[BuildSplit]) -> RenderableType:
    table = number_table("build", "sector\nvisit", "", "object\nand pass", "", "pair\ntest", "", "worst\nrow")
    printed = next((build.costs for build in split if build.build is None), None)
    for build in split:
        costs, cells = build.costs, []
        for part in PARTS:
            clocks = getattr(costs, part)
            ratio = "" if printed is None or costs is printed else decimal(clocks / getattr(printed, part), 2)
            cells += [decimal(clocks), ratio]
        table.add_row(build.build or "1994", *cells, percent(costs.worst))
        if build.low is None or build.high is None:
            continue
        bars = [cell for part in PARTS for cell in (between(build.low[part], build.high[part]), "")]
        table.add_row("", *(Text(bar, style="dim") for bar in bars), "")
    return Padding(table, (0, 0, 1, 0))


def _lines(rows: list[TableRow]) -> list[RenderableType]:
    lines: list[RenderableType] = []
    for build in dict.fromkeys(row.build for row in rows):
        mine = [row.whole.line for row in rows if row.build == build and row.whole]
        lines += [Text(build), *(Padding(Text(line), (0, 0, 0, 2)) for line in mine)]
    return lines


def _analysis(rows: list[Density], formula: str, counted: str, digits: int) -> RenderableType:
    others = METHODS[1:]
    table = number_table(
        "K", "", *(name.replace("_", "\n") for name in METHODS), *(f"{name.split('_')[0]}/\nfour" for name in others)
    )
    for row in rows:
        for source, first in ((formula, str(row.objects_per_sector)), (counted, "")):
            tests = (decimal(row.tests[source][method], digits) for method in METHODS)
            ratios = (decimal(row.ratio[source][method], 2) for method in others)
            is_last = source == counted and row is rows[-1]
            table.add_row(first, source.removeprefix("random_"), *tests, *ratios, end_section=is_last)
    if rows:
        table.add_row("", "limit", *("" for _ in METHODS), *(decimal(rows[-1].limit[method], 2) for method in others))
    return Padding(table, (0, 0, 1, 0))


def timing_page(result: TimingTable) -> str:
    """Return the page of what `timing_table` found."""
    verdicts = [paragraph(f"{answer.machine}: {answer.verdict}", "big") for answer in result.answer]
    sections = []
    for answer in result.answer:
        about = paragraph(f"Build {answer.build}: {answer.reason}.")
        title = f"{answer.machine} beside the table of 1994"
        sections.append(PageSection(title, [about, records(f"answer-{answer.machine}", answer.rows, "cycles")]))
    sections.append(PageSection("All builds", [records("rows", result.rows)]))
    if result.split:
        sections.append(PageSection("What a check is made of", [records("split", result.split)]))
    if result.analysis:
        sections.append(PageSection("Pair tests by analysis", [records("analysis", result.analysis)]))
    head = [*verdicts, facts(settings(result.method))]
    return page("Clocks of the routine of 1994", head, [*sections, notes_section(result.notes)])


def causes_page(result: CausesTable) -> str:
    """Return the page of what `causes_table` found."""
    meanings = [facts({"machine": name, **causes}) for name, causes in result.causes.items()]
    sections = [
        PageSection("What the clocks of a check went to", [records("rows", result.rows)]),
        PageSection("Causes", meanings),
        notes_section(result.notes),
    ]
    return page("Clocks of the routine of 1994, by cause", [], sections)
