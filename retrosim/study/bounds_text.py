"""Bounds of a routine as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

CACHES = {
    "left": "as the call before left them",
    "given": "as the program left them",
    "empty": "empty",
    "dirty": "full of other lines, to be written out",
    "mixed": "other lines, some of them to be written out, and gaps",
}


def render_bounds(report: dict[str, Any]) -> RenderableType:
    """Return a report of bounds.py as a table under its answer."""
    return Group(Text("\n".join(_summary(report))), _path(report), Text("\n".join(_assumptions(report))))


def answer(report: dict[str, Any]) -> str:
    """Return the bounds in one line."""
    text = f"{report['machine']}: {_number(report['minimum'])} .. {_number(report['maximum'])} clocks proven"
    found = report["found"]
    if not found:
        return text
    if found["maximum"] is None:
        return f"{text}; none of {_number(found['tries'])} tries returned: {found['failure']}"
    return f"{text}; most found {_number(found['maximum'])} (seed {found['seed']}, in {_number(found['tries'])} tries)"


def _number(value: int) -> str:
    return f"{value:,}".replace(",", " ")


def _summary(report: dict[str, Any]) -> Iterator[str]:
    yield answer(report)
    if report["exceeded"]:
        yield "EXCEEDED: a call lay outside; a loop bound that was given does not hold for its input, or an assumption"
    found = report["found"]
    if found and found["maximum"] is not None:
        words = ", ".join(f"{word:#x}" for word in found["arguments"])
        yield f"  with the arguments {words}; caches: {CACHES[found['caches']]}; its memory is in --json"
    for loop in report["loops"]:
        origin = "given" if loop["given"] else "found"
        yield f"loop at {loop['address']:#x}{_where(loop)}: at most {_number(loop['times'])} times ({origin})"


def _where(place: dict[str, Any]) -> str:
    parts = [place["function"] or "", f"{place['file']}:{place['line']}" if place["file"] else ""]
    text = " ".join(part for part in parts if part)
    return f" ({text})" if text else ""


def _path(report: dict[str, Any]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, title="The longest path, by blocks", title_justify="left")
    for heading, justify in (("address", "left"), ("first instruction", "left"), ("where", "left"), ("times", "right")):
        table.add_column(heading, justify=justify)
    for block in report["path"]:
        table.add_row(f"{block['address']:06X}", block["text"], _where(block).strip(" ()"), _number(block["visits"]))
    return table


def _assumptions(report: dict[str, Any]) -> Iterator[str]:
    yield "Assumed:"
    for sentence in report["assumptions"]:
        yield f"  {sentence}"
