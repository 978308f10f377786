"""Pages that stand alone: HTML with its style and its script inside, which asks no network for anything.

A page is a list of parts, each a piece of HTML that one of the functions here returns; whatever text they are given is
escaped. All reports share them, so that they look and work alike.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from retrosim.version import __version__

from .json import to_json

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
LONG = 50  # characters of a cell that may be cut off
SEARCHED = 15  # rows from which on a table can be searched


@cache
def _file(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


@dataclass(frozen=True)
class PageSection:
    """A part of a page that its contents name."""

    title: str
    parts: Sequence[str]

    @property
    def identifier(self) -> str:
        return "-".join("".join(c if c.isalnum() else " " for c in self.title.lower()).split())


def stylesheet() -> str:
    """Return the style that all pages share."""
    return _file("page.css")


def page(title: str, head: Sequence[str], sections: Sequence[PageSection]) -> str:
    """Return a whole page.

    title     its heading
    head      parts that stand first
    sections  the rest
    """
    links = " ".join(f'<a href="#{each.identifier}">{escape(each.title)}</a>' for each in sections)
    body = [f"<h1>{escape(title)}</h1>", *head, f"<nav>{links}</nav>"]
    for each in sections:
        body += [f'<section id="{each.identifier}"><h2>{escape(each.title)}</h2>', *each.parts, "</section>"]
    return document(title, body, stylesheet(), _file("page.js"))


def document(title: str, body: Iterable[str], style: str, script: str = "") -> str:
    """Return a whole page: what its head needs, and its body, whose last line names the version."""
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>",
            *body,
            f'<p class="dim">retrosim {escape(__version__)}</p>',
            *([f"<script>\n{script}</script>"] if script else []),
            "</body>\n</html>\n",
        ]
    )


def paragraph(text: str, kind: str = "") -> str:
    """Return a paragraph; kind "big" for the answer, "dim" for notes."""
    return f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>"


def facts(rows: Mapping[str, Any]) -> str:
    """Return names with values; what is empty is left out."""
    items = (f"<dt>{escape(name)}</dt><dd>{escape(str(value))}</dd>" for name, value in rows.items() if value)
    return f'<dl class="facts">{"".join(items)}</dl>'


def bar(share: float) -> str:
    """Return a bar for a share 0..1; the number stands beside it."""
    return f'<span class="bar" aria-hidden="true"><i style="width:{100 * min(max(share, 0.0), 1.0):.1f}%"></i></span>'


@dataclass(frozen=True)
class Column:
    """A column of a table.

    title
    kind    "text", "code", "number" (thousands separated), "percent" (of 100) or "share" (the same, with a bar)
    digits  after the point, None for as many as a number has, to three
    """

    title: str
    kind: str = "number"
    digits: int | None = None

    @property
    def is_number(self) -> bool:
        return self.kind not in ("text", "code")

    def cell(self, value: Any) -> str:
        if not self.is_number:
            text = escape("" if value is None else str(value))
            title = f' title="{text}"' if len(text) > LONG else ""
            return f'<td class="left {self.kind}"{title}>{text}</td>'
        if value is None or isinstance(value, str):
            return f'<td data-value="">{escape(value or "-")}</td>'
        text = _number(value, self.digits)
        if self.kind in ("percent", "share"):
            text = f"{value:.1f} %" + (f" {bar(value / 100)}" if self.kind == "share" else "")
        return f'<td data-value="{value}">{text}</td>'


def _number(value: float, digits: int | None) -> str:
    if digits is not None:
        return f"{value:,.{digits}f}"
    if isinstance(value, int) or value == int(value):
        return f"{int(value):,}"
    return f"{value:,.{0 if abs(value) >= 1000 else 1 if abs(value) >= 100 else 3}f}"


def table(name: str, columns: Sequence[Column], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table that sorts by its headings, and can be searched where it is long.

    name   identifier in the page
    rows   values, as the columns want them; None: nothing there
    """
    heads = "".join(
        f'<th{"" if c.is_number else " class=left"} data-kind="{"number" if c.is_number else "text"}">'
        f'<button type="button">{escape(c.title)}</button></th>'
        for c in columns
    )
    lines = ["".join(c.cell(value) for c, value in zip(columns, row, strict=True)) for row in rows]
    search = f'<p><input type="search" data-table="{name}" placeholder="search" aria-label="search the table"></p>'
    body = "\n".join(f"<tr>{line}</tr>" for line in lines)
    whole = f'<table class="sortable" id="{name}"><thead><tr>{heads}</tr></thead><tbody>\n{body}</tbody></table>'
    return f'{search if len(lines) >= SEARCHED else ""}<div class="scroll">{whole}</div>'


def records(name: str, rows: Sequence[Any], bars: str = "") -> str:
    """Return a table of reports or dicts, a column for each key; what is in one becomes columns of their own.

    bars   key whose numbers get a bar: of the largest
    """
    flat = [_flat(to_json(row)) for row in rows]
    keys = [
        key
        for key in dict.fromkeys(key for row in flat for key in row)
        if any(row.get(key) is not None for row in flat)
    ]
    columns: list[Column] = []
    lines: list[list[Any]] = [[] for _ in flat]
    for key in keys:
        values = [row.get(key) for row in flat]
        columns.append(Column(key.replace("_", " "), _kind(values)))
        added = [values]
        if key == bars:
            largest = max(value for value in values if value is not None) or 1
            columns.append(Column("of the largest", "share"))
            added.append([None if value is None else 100 * value / largest for value in values])
        for line, *cells in zip(lines, *added):
            line += cells
    return table(name, columns, lines)


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """Return a dict with the dicts in it put into it."""
    found: dict[str, Any] = {}
    for key, value in row.items():
        parts = {f"{key} {name}": each for name, each in value.items()} if isinstance(value, dict) else {key: value}
        found |= {name: _said(each) for name, each in parts.items()}
    return found


def _said(value: Any) -> Any:
    if isinstance(value, dict):
        return ", ".join(f"{name} {each}" for name, each in value.items()) or None
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else value


def settings(method: Any) -> dict[str, Any]:
    """Return a report or a dict with the settings of a measurement as names with values, for `facts`."""
    return {key.replace("_", " "): value for key, value in _flat(to_json(method)).items() if value is not None}


def _kind(values: Iterable[Any]) -> str:
    present = [value for value in values if value is not None]
    return "number" if present and not any(isinstance(value, str) for value in present) else "text"


def notes_section(notes: Sequence[str]) -> PageSection:
    """Return the sentences below the tables of a page."""
    return PageSection("Notes", [paragraph(note) for note in notes])


def flame_graph(name: str, calls: Sequence[Mapping[str, Any]]) -> str:
    """Return an icicle graph of a call tree (see `report.call_rows`), searched and walked by mouse and keyboard."""
    nodes = json.dumps(merged(calls), separators=(",", ":")).replace("<", "\\u003c")
    return (
        f'<p><input type="search" id="{name}-search" placeholder="search functions" aria-label="search functions"> '
        f'<button type="button" class="plain" id="{name}-reset">Whole graph</button> '
        f'<span id="{name}-found"></span></p>'
        f'<div class="flame" id="{name}"><script type="application/json">{nodes}</script></div>'
        f'<p class="detail" id="{name}-detail" role="status"></p>'
        '<p class="dim">Each box is as wide as the clocks of a function with all that it calls; below it stand those. '
        "Click or Enter shows a box over the whole width, Escape all of them; arrow keys go from box to box.</p>"
    )


def merged(calls: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the nodes of a call tree with calls of one function from several places of another put together."""
    columns = [name for name in calls[0] if name.startswith("inclusive_") and name.endswith("_misses")]
    found: dict[tuple[int | None, str], int] = {}
    numbers: dict[int, int] = {}
    nodes: list[dict[str, Any]] = []
    for row in calls:
        parent = None if row["parent"] is None else numbers[row["parent"]]
        key = parent, row["function"]
        if key not in found:
            found[key] = len(nodes)
            counts = {"own": 0, "inclusive": 0, "calls": 0} | dict.fromkeys(columns, 0)
            nodes.append({"parent": parent, "name": row["function"], "host": row["is_host"]} | counts)
        node = nodes[found[key]]
        numbers[row["node"]] = found[key]
        node["own"] += row["cycles"]
        node["inclusive"] += row["inclusive_cycles"]
        node["calls"] += row["calls"]
        for column in columns:
            node[column] += row[column]
    for node in nodes:
        counts = {column.removeprefix("inclusive_").replace("_", " "): node.pop(column) for column in columns}
        node["more"] = [f"{count:,} {what}" for what, count in counts.items()]
    return nodes


def plot(
    points: Sequence[tuple[float, float]],
    fitted: Sequence[tuple[float, float]],
    across: str,
    up: str,
    ranges: Sequence[tuple[float, float, float]] = (),
) -> str:
    """Return a drawing of points and of a curve that was fitted to them (dashed).

    points, fitted  (x, y), by x; y from 0 on
    across, up      what the axes are
    ranges          (x, low, high): between which y plausibly is
    """
    width, height, left, bottom = 800, 360, 80, 40
    low, high = points[0][0], points[-1][0]
    top = max(y for _, y in (*points, *fitted, *((x, high) for x, _, high in ranges))) or 1

    def place(x: float, y: float) -> tuple[float, float]:
        along = (x - low) / ((high - low) or 1)
        return left + (width - left - 20) * along, height - bottom - (height - bottom - 20) * max(y, 0.0) / top

    def line(each: Sequence[tuple[float, float]], kind: str) -> str:
        text = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*point) for point in each))
        return f'<polyline class="{kind}" points="{text}"/>'

    bars = "".join(line([(x, lower), (x, upper)], "range") for x, lower, upper in ranges)
    dots = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"><title>{escape(across)} {value}: {clocks:,}</title></circle>'
        for value, clocks, (x, y) in ((*point, place(*point)) for point in points)
    )
    marks = []
    for part in range(5):
        x, y = place(low + (high - low) * part / 4, top * part / 4)
        marks.append(
            f'<text x="{x:.1f}" y="{height - 18}" text-anchor="middle">{low + (high - low) * part / 4:g}</text>'
        )
        marks.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{top * part / 4:,.0f}</text>')
        marks.append(f'<line class="axis" x1="{left - 4}" x2="{left}" y1="{y:.1f}" y2="{y:.1f}"/>')
    corner = f"{left},20 {left},{height - bottom} {width - 20},{height - bottom}"
    axes = f'<polyline class="axis" fill="none" points="{corner}"/>'
    names = f'<text x="{width - 20}" y="{height - 2}" text-anchor="end">{escape(across)}</text>'
    names += f'<text x="4" y="14">{escape(up)}</text>'
    label = f'role="img" aria-label="{escape(up)} over {escape(across)}; the table below has the numbers"'
    drawn = f"{axes}{''.join(marks)}{names}{line(fitted, 'fit')}{bars}{dots}"
    return (
        f'<svg class="plot" viewBox="0 0 {width} {height}" {label}>{drawn}</svg>'
        f'<p class="dim">Dots: measured. {"Bars: between which the clocks plausibly are. " if ranges else ""}'
        "Dashed: the law that was fitted.</p>"
    )
