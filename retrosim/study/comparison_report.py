"""The study as text and as CSV: rich tables that fit 80 columns."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from .number_table import number_table
from .operations import KINDS
from .timing_report import heading, notes

_MAX_LENGTH = 6  # characters of a heading


def render_comparison(result: dict[str, Any]) -> RenderableType:
    """Return everything that `compare_methods` found, for a rich console."""
    settings = result["method"]
    names = [each["scene"] for each in result["scenes"]]
    parts = [
        heading(
            f"Errors: {settings['scenes']} scenes of each random kind (seed {settings['seed']}) and the named ones"
        ),
        _errors(result),
        heading("As seen, by scene"),
        _by_scene(result, names),
        heading(f"A frame of {settings['objects']} objects: tests and operations; host time of the kernel"),
        _work(result),
    ]
    if result["machines"]:
        parts += [heading("Clocks per frame"), _clocks(result, "cycles_per_frame", 0)]
        parts += [heading("Clocks per pair"), _clocks(result, "cycles_per_pair", 1)]
    return Group(*parts, notes(result["notes"]))


def _signed(errors: dict[str, int]) -> str:
    """Return errors as +1 -2, and "" where there is none."""
    values = (("+", errors["false_positives"]), ("-", errors["false_negatives"]))
    return " ".join(f"{sign}{value}" for sign, value in values if value)


def _padded(table: Table) -> RenderableType:
    return Padding(table, (0, 0, 1, 0))


def _errors(result: dict[str, Any]) -> RenderableType:
    """Return a table of methods, below the name of the text that they are from."""
    table = number_table("method", "as stated\nagainst", "false\n+", "false\n-", "as seen\nfalse +", "false\n-")
    table.columns[1].justify = "left"
    document = None
    for row in result["rows"]:
        if row["document"] != document:
            document = row["document"]
            table.add_row("", Text(document, style="bold"))
        errors = (str(row[key][kind]) for key in ("stated", "seen") for kind in ("false_positives", "false_negatives"))
        table.add_row(row["method"], row["reference"], *errors)
    pairs, hits = (sum(each[key] for each in result["scenes"]) for key in ("pairs", "collisions"))
    table.caption, table.caption_justify = f"of {pairs} pairs, {hits} of which collide as seen", "left"
    return _padded(table)


def _broken(name: str) -> str:
    """Return a scene's name as a heading that takes little width."""
    parts = (word if len(word) <= _MAX_LENGTH else f"{word[:5]}-\n{word[5:]}" for word in name.split())
    return "\n".join(parts)


def _by_scene(result: dict[str, Any], names: Sequence[str]) -> RenderableType:
    """Return a table of methods by scenes in two halves."""
    half = (len(names) + 1) // 2
    tables = []
    for some in (names[:half], names[half:]):
        table = number_table("method", *map(_broken, some))
        for row in result["rows"]:
            table.add_row(row["method"], *(_signed(row["scenes"][name]) for name in some))
        tables.append(_padded(table))
    return Group(*tables)


def _work(result: dict[str, Any]) -> RenderableType:
    table = number_table(
        "method", "tests", "addi-\ntions", "multi-\nplications", "compa-\nrisons", "on\nbits", "ns per\npair"
    )
    for row in result["rows"]:
        spent = (f"{row['operations'][kind]:.0f}" for kind in KINDS)
        table.add_row(row["method"], f"{row['tests']:.1f}", *spent, f"{row['host_ns_per_pair']:.1f}")
    return _padded(table)


def _clocks(result: dict[str, Any], key: str, digits: int) -> RenderableType:
    table = number_table("method", *(name.replace("-", "-\n") for name in result["machines"]))
    for row in result["rows"]:
        cells = (row["cycles"].get(name) for name in result["machines"])
        table.add_row(row["method"], *(f"{cell[key]:.{digits}f}" if cell else "-" for cell in cells))
    return _padded(table)


def comparison_csv(result: dict[str, Any]) -> str:
    """Return one line per method: errors, tests, operations, host time, then clocks on each machine."""
    rows = []
    for each in result["rows"]:
        row = {key: each[key] for key in ("method", "document", "title", "reference")}
        for key in ("stated", "seen"):
            row |= {f"{key}_{kind}": value for kind, value in each[key].items()}
        for name, errors in each["scenes"].items():
            row |= {f"{name.replace(' ', '_')}_{kind}": value for kind, value in errors.items()}
        row |= {"tests": each["tests"], **each["operations"], "host_ns_per_pair": each["host_ns_per_pair"]}
        for machine in result["machines"]:
            for key in ("cycles_per_frame", "cycles_per_pair"):
                row[f"{machine}_{key}"] = each["cycles"].get(machine, {}).get(key)
        rows.append(row)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
