"""The study as text (rich tables that fit 80 columns), as CSV, as a page and as a picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, astuple
from math import log10

import numpy as np
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from retrosim.report.page import PageSection, facts, notes_section, page, paragraph, records, settings
from retrosim.report.tables import heading, notes, number_table
from retrosim.report.text import counted, csv_text, grouped
from retrosim.screen.font import draw_text, text_width
from retrosim.screen.framebuffer import BLACK, GRAY, WIDTH, blank, frame_rect, macintosh_palette, paint_rect

from .comparison import Comparison, Errors, FrameClocks
from .operations import KINDS

_MAX_LENGTH = 6  # characters of a heading
BAR_WIDTH = 40  # characters
USUAL_MACHINE = "mc68040-25"


def render_comparison(result: Comparison) -> RenderableType:
    """Return everything that `compare_methods` found, for a rich console."""
    settings = result.method
    names = [kind.scene for kind in result.scenes]
    parts: list[RenderableType] = [Padding("\n".join(verdict(result)), (0, 0, 1, 0))]
    if result.machines:
        parts += [heading(f"Clocks per frame on {charted(result)}, and pairs that are wrong as seen"), _chart(result)]
    parts += [
        heading(f"Errors: {settings.scenes} scenes of each random kind (seed {settings.seed}) and the named ones"),
        _errors(result),
        heading("As seen, by scene"),
        _by_scene(result, names),
        heading(f"A frame of {settings.objects} objects: tests and operations; host time of the kernel"),
        _work(result),
    ]
    if result.machines:
        parts += [heading("Clocks per frame"), _clocks(result, lambda clocks: grouped(clocks.cycles_per_frame))]
        parts += [heading("Clocks per pair"), _clocks(result, lambda clocks: grouped(clocks.cycles_per_pair, 1))]
    return Group(*parts, notes(result.notes))


def verdict(result: Comparison) -> list[str]:
    """Return the answer in three sentences: which method is the quickest, which errs least, which do as they say."""
    pairs = sum(kind.pairs for kind in result.scenes)
    wrong = {row.method: sum(astuple(row.seen)) for row in result.rows}
    best_count, worst_count = min(wrong.values()), max(wrong.values())
    best, worst = ([name for name, count in wrong.items() if count == wanted] for wanted in (best_count, worst_count))
    seen = f"Fewest wrong answers as seen: {_listed(best)}, {best_count:,} of {pairs:,} pairs"
    inexact = [row.method for row in result.rows if any(astuple(row.stated))]
    exact = f"{len(result.rows) - len(inexact)} of {counted(len(result.rows), 'method')}"
    return [
        f"{_quickest(result)}.",
        seen + (f"; most: {_listed(worst)}, {worst_count:,}." if worst_count > best_count else "."),
        f"Against what its document states, {exact} err nowhere{f'; {_listed(inexact)} do' if inexact else ''}.",
    ]


def _quickest(result: Comparison) -> str:
    """Return which method takes the fewest clocks on which machines."""
    by_method: dict[str, list[str]] = {}
    for machine in result.machines:
        clocks = {row.method: row.cycles[machine].cycles_per_frame for row in result.rows if machine in row.cycles}
        if clocks:
            by_method.setdefault(min(clocks, key=clocks.__getitem__), []).append(machine)
    if not by_method:
        return "No clocks were measured"
    if len(by_method) == 1 and len(result.machines) > 1:
        (method,) = by_method
        return f"Fewest clocks per frame: {method}, on every machine"
    return f"Fewest clocks per frame: {'; '.join(f'{name} on {_listed(on)}' for name, on in by_method.items())}"


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def charted(result: Comparison) -> str:
    """Return the machine whose clocks are drawn as bars: the usual one, else the first."""
    return USUAL_MACHINE if USUAL_MACHINE in result.machines else result.machines[0]


def _chart(result: Comparison) -> RenderableType:
    """Return bars of the clocks of each method, the quickest first."""
    machine = charted(result)
    clocks = {row.method: row.cycles[machine].cycles_per_frame for row in result.rows if machine in row.cycles}
    wrong = {row.method: sum(astuple(row.seen)) for row in result.rows}
    table = number_table("method", "clocks", "", "wrong")
    table.columns[2].justify = "left"
    highest = max(clocks.values(), default=1)
    for method in sorted(clocks, key=clocks.__getitem__):
        bar = "█" * max(1, round(BAR_WIDTH * clocks[method] / highest))
        table.add_row(method, grouped(clocks[method]), bar, f"{wrong[method]:,}")
    return _padded(table)


def _signed(errors: Errors) -> str:
    """Return errors as +1 -2, and "" where there is none."""
    values = (("+", errors.false_positives), ("-", errors.false_negatives))
    return " ".join(f"{sign}{value}" for sign, value in values if value)


def _padded(table: Table) -> RenderableType:
    return Padding(table, (0, 0, 1, 0))


def _errors(result: Comparison) -> RenderableType:
    """Return a table of methods, below the name of the text that they are from."""
    table = number_table("method", "as stated\nagainst", "false\n+", "false\n-", "as seen\nfalse +", "false\n-")
    table.columns[1].justify = "left"
    document = None
    for row in result.rows:
        if row.document != document:
            document = row.document
            table.add_row("", Text(document, style="bold"))
        counts = (*astuple(row.stated), *astuple(row.seen))
        table.add_row(row.method, row.reference, *map(str, counts))
    pairs, hits = sum(kind.pairs for kind in result.scenes), sum(kind.collisions for kind in result.scenes)
    table.caption, table.caption_justify = f"of {pairs} pairs, {hits} of which collide as seen", "left"
    return _padded(table)


def _broken(name: str) -> str:
    """Return a scene's name as a heading that takes little width."""
    parts = (word if len(word) <= _MAX_LENGTH else f"{word[:5]}-\n{word[5:]}" for word in name.split())
    return "\n".join(parts)


def _by_scene(result: Comparison, names: Sequence[str]) -> RenderableType:
    """Return a table of methods by scenes in two halves."""
    half = (len(names) + 1) // 2
    tables = []
    for some in (names[:half], names[half:]):
        table = number_table("method", *map(_broken, some))
        for row in result.rows:
            table.add_row(row.method, *(_signed(row.scenes[name]) for name in some))
        tables.append(_padded(table))
    return Group(*tables)


def _work(result: Comparison) -> RenderableType:
    table = number_table(
        "method", "tests", "addi-\ntions", "multi-\nplications", "compa-\nrisons", "on\nbits", "ns per\npair"
    )
    for row in result.rows:
        spent = (f"{row.operations[kind]:.0f}" for kind in KINDS)
        table.add_row(row.method, f"{row.tests:.1f}", *spent, f"{row.host_ns_per_pair:.1f}")
    return _padded(table)


def _clocks(result: Comparison, shown: Callable[[FrameClocks], str]) -> RenderableType:
    table = number_table("method", *(name.replace("-", "-\n") for name in result.machines))
    for row in result.rows:
        cells = (row.cycles.get(name) for name in result.machines)
        table.add_row(row.method, *(shown(cell) if cell else "-" for cell in cells))
    return _padded(table)


def comparison_csv(result: Comparison) -> str:
    """Return one line per method: errors, tests, operations, host time, then clocks on each machine."""
    rows = []
    for row in result.rows:
        cells = {key: getattr(row, key) for key in ("method", "document", "title", "reference")}
        errors = {"stated": row.stated, "seen": row.seen}
        errors |= {name.replace(" ", "_"): each for name, each in row.scenes.items()}
        for name, each in errors.items():
            cells |= {f"{name}_{kind}": count for kind, count in asdict(each).items()}
        cells |= {"tests": row.tests, **row.operations, "host_ns_per_pair": row.host_ns_per_pair}
        for machine in result.machines:
            clocks = row.cycles.get(machine)
            cells[f"{machine}_cycles_per_frame"] = clocks.cycles_per_frame if clocks else None
            cells[f"{machine}_cycles_per_pair"] = clocks.cycles_per_pair if clocks else None
        rows.append(cells)
    return csv_text(list(rows[0]), rows)


def study_page(result: Comparison) -> str:
    """Return the page of what `compare_methods` found."""
    errors, scenes, work = [], [], []
    for row in result.rows:
        about = {"method": row.method, "document": row.document, "title": row.title, "reference": row.reference}
        errors.append(about | {"stated": row.stated, "seen": row.seen})
        scenes.append({"method": row.method, **row.scenes})
        spent = {"tests": row.tests, **row.operations, "host_ns_per_pair": row.host_ns_per_pair}
        work.append({"method": row.method, **spent})
    sections = [
        PageSection("Errors", [records("errors", errors)]),
        PageSection("Errors by scene, as seen", [records("by-scene", scenes)]),
        PageSection("Tests and operations of a frame", [records("work", work, "host_ns_per_pair")]),
    ]
    for machine in result.machines:
        cells = {row.method: row.cycles.get(machine) for row in result.rows}
        clocks = [{"method": name} | (asdict(cell) if cell else {}) for name, cell in cells.items()]
        sections.append(PageSection(f"Clocks on {machine}", [records(f"on-{machine}", clocks, "cycles_per_pair")]))
    sections += [PageSection("Scenes", [records("scenes", result.scenes)]), notes_section(result.notes)]
    answer = [paragraph(sentence, "big" if number == 0 else "") for number, sentence in enumerate(verdict(result))]
    return page("Collision methods compared", [*answer, facts(settings(result.method))], sections)


# The study as a picture of bars: a screen of 640x480 in the palette of the Macintosh, drawn as the machines draw.

# Left edges and widths of the three parts, pixels
NAMES, ERRORS, ERRORS_WIDTH, CLOCKS, CLOCKS_WIDTH = 8, 104, 150, 284, 346
TOP, BOTTOM, LEGEND = 58, 448, 456
MIN_DECADE = 1  # clocks per pair: bars begin at 10
GRID = 248  # a light grey of the grey ramp


def _nearest(red: int, green: int, blue: int) -> int:
    """Return the index of a colour of the palette's cube."""
    palette = macintosh_palette().astype(int)
    return int(np.abs(palette - (red, green, blue)).sum(axis=1).argmin())


FALSE_POSITIVE, FALSE_NEGATIVE = _nearest(0xFF, 0x99, 0), _nearest(0xCC, 0, 0)
BLUES, GREENS = ((0, 0x33, 0x99), (0x33, 0x99, 0xFF), (0x66, 0xCC, 0xFF)), ((0, 0x66, 0), (0x66, 0xCC, 0))
VIOLET = (0x99, 0x33, 0x99)
MACHINES = [_nearest(*colour) for colour in (*BLUES, *GREENS, VIOLET)]


def draw_comparison(result: Comparison) -> np.ndarray:
    """Draw what `compare_methods` found: errors as seen, and clocks per pair on each machine.

    Returns  uint8[480, 640] palette indices
    """
    pixels, rows, settings = blank(), result.rows, result.method
    draw_text(pixels, NAMES, 8, "Collision methods compared", BLACK, bold=True)
    about = f"seed {settings.seed}, {settings.scenes} scenes of each random kind and the named ones"
    draw_text(pixels, NAMES, 21, about, BLACK)
    draw_text(pixels, ERRORS, 40, "wrong pairs, as seen", BLACK, bold=True)
    draw_text(pixels, CLOCKS, 40, f"clocks per pair of {settings.objects} objects, each line x10", BLACK, bold=True)
    step = min((BOTTOM - TOP) // len(rows), 48)
    bottom = TOP + step * len(rows)
    maximum = max(1, *(count for row in rows for count in astuple(row.seen)))
    decades = _decades(result)
    _draw_grid(pixels, decades, bottom)
    for number, row in enumerate(rows):
        top = TOP + number * step
        draw_text(pixels, NAMES, top + (step - 9) // 2, row.method, BLACK)
        _draw_errors(pixels, row.seen, maximum, top, step)
        _draw_clocks(pixels, row.cycles, result.machines, decades, top, step)
    _draw_legend(pixels, result.machines)
    return pixels


def _decades(result: Comparison) -> int:
    """Return how many powers of ten the scale of clocks has."""
    clocks = [cell.cycles_per_pair for row in result.rows for cell in row.cycles.values()]
    return max(1, int(np.ceil(log10(max([10.0 ** (MIN_DECADE + 1), *clocks])))) - MIN_DECADE)


def _draw_grid(pixels: np.ndarray, decades: int, bottom: int) -> None:
    for decade in range(decades + 1):
        x, label = CLOCKS + CLOCKS_WIDTH * decade // decades, str(10 ** (MIN_DECADE + decade))
        paint_rect(pixels, (x, TOP - 4, x + 1, bottom), GRAY, foreground=GRID)
        left = x if decade == 0 else min(x - text_width(label) // 2, WIDTH - text_width(label))
        draw_text(pixels, left, bottom + 1, label, BLACK)
    paint_rect(pixels, (ERRORS - 1, TOP - 4, ERRORS, bottom))
    paint_rect(pixels, (CLOCKS - 1, TOP - 4, CLOCKS, bottom))


def _bar(pixels: np.ndarray, left: int, top: int, width: int, height: int, colour: int) -> None:
    paint_rect(pixels, (left, top, left + width, top + height), foreground=colour)
    if width > 2 and height > 6:
        frame_rect(pixels, (left, top, left + width, top + height))


def _draw_errors(pixels: np.ndarray, errors: Errors, maximum: int, top: int, step: int) -> None:
    height = (step - 6) // 2
    bars = (errors.false_positives, FALSE_POSITIVE), (errors.false_negatives, FALSE_NEGATIVE)
    for part, (count, colour) in enumerate(bars):
        width = -(-count * (ERRORS_WIDTH - 30) // maximum)
        y = top + 3 + part * height
        _bar(pixels, ERRORS, y, width, height, colour)
        draw_text(pixels, ERRORS + width + 3, y + (height - 9) // 2 + 1, str(count), BLACK)


def _draw_clocks(
    pixels: np.ndarray, cycles: dict[str, FrameClocks], machines: list[str], decades: int, top: int, step: int
) -> None:
    if not machines:
        draw_text(pixels, CLOCKS + 4, top + (step - 9) // 2, "not measured", BLACK)
        return
    height = (step - 4) // len(machines)
    for number, name in enumerate(machines):
        if name not in cycles:  # no ROM code
            continue
        clocks = max(cycles[name].cycles_per_pair, 10.0**MIN_DECADE)
        width = max(1, round((log10(clocks) - MIN_DECADE) * CLOCKS_WIDTH / decades))
        _bar(pixels, CLOCKS, top + 2 + number * height, width, height, MACHINES[number % len(MACHINES)])


def _draw_legend(pixels: np.ndarray, machines: list[str]) -> None:
    x = NAMES
    keys = [("false hits", FALSE_POSITIVE), ("missed", FALSE_NEGATIVE)]
    keys += [(name, MACHINES[number % len(MACHINES)]) for number, name in enumerate(machines)]
    for text, colour in keys:
        _bar(pixels, x, LEGEND + 8, 9, 9, colour)
        x = draw_text(pixels, x + 12, LEGEND + 8, text, BLACK) + 8
