"""A call tree as plain data, for JSON, tables, pages and files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from retrosim.rom import Image

from .calls import HOST_WORK, NO_FUNCTION, CallTree
from .sources import line_of

NOTHING: Mapping[int, str] = {}


def call_rows(
    tree: CallTree, columns: Sequence[str], image: Image, host: Mapping[int, str] = NOTHING
) -> list[dict[str, Any]]:
    """Return the nodes of a tree, each before those that it calls, the first what was called from outside.

    columns   names of what it counts, "cycles" first
    host      number of what the machine itself does -> name
    Returns   dicts: node, parent (None for the first), depth, function (a name, or the address outside functions),
              address (of its first instruction, None for what the machine does), site (the instruction that called),
              site_file, site_line, calls, each column, inclusive_ each column, percent (of the inclusive cycles)
    """
    nodes = tree.nodes()
    total = nodes[0].inclusive[0] or 1
    rows = []
    for each in nodes:
        file, line = (image.source_line(each.site) if each.site is not None else None) or (None, None)
        row: dict[str, Any] = {"node": each.number, "parent": each.parent, "depth": each.depth}
        row |= {"function": _name(tree, each.function, each.entry, host), "is_host": each.function <= HOST_WORK}
        row |= {"address": each.entry if each.function > HOST_WORK else None, "site": each.site}
        row |= {"site_file": file, "site_line": line, "calls": each.calls}
        row |= dict(zip(columns, each.own, strict=True))
        row |= {f"inclusive_{column}": count for column, count in zip(columns, each.inclusive, strict=True)}
        rows.append(row | {"percent": 100 * each.inclusive[0] / total})
    return rows


def _name(tree: CallTree, function: int, entry: int, host: Mapping[int, str]) -> str:
    if function <= HOST_WORK:
        return host[HOST_WORK - function]
    return f"{entry:06X}" if function == NO_FUNCTION else tree.functions.names[function]


def inclusive_cycles(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Return function -> its cycles with all that it calls; what it calls of itself counts once."""
    found: dict[str, int] = {}
    callers: list[tuple[str, ...]] = []
    for row in rows:
        above = () if row["parent"] is None else callers[row["parent"]]
        if row["function"] not in above:
            found[row["function"]] = found.get(row["function"], 0) + row["inclusive_cycles"]
            above = (*above, row["function"])
        callers.append(above)
    return found


def function_rows(listing: list[dict[str, Any]], calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what each function of a listing took, most clocks first, and what it took with all that it calls."""

    def visits(rows: list[dict[str, Any]]) -> int:
        return sum(row["visits"] for row in rows if row["offset"] == 0)

    inclusive, total = inclusive_cycles(calls), sum(row["cycles"] for row in listing)
    rows = _grouped(listing, ("function",), visits)
    for row in rows:
        cycles = inclusive.get(row["function"], row["cycles"])
        row |= {"inclusive": cycles, "inclusive_percent": 100 * cycles / total if total else 0.0}
    return rows


def line_rows(listing: list[dict[str, Any]], texts: Mapping[str, list[str]]) -> list[dict[str, Any]]:
    """Return what each source line of a listing took, most clocks first; nothing where no line is known."""

    def busiest(rows: list[dict[str, Any]]) -> int:
        return max(row["visits"] for row in rows)

    lines = _grouped(listing, ("file", "line"), busiest)
    for row in lines:
        row["text"] = line_of(texts, row["file"], row["line"])
    return lines if any(line["file"] is not None for line in lines) else []


def _grouped(
    listing: Iterable[dict[str, Any]], keys: tuple[str, ...], visits: Callable[[list[dict[str, Any]]], int]
) -> list[dict[str, Any]]:
    """Sum the listing over the rows that agree in `keys`, most cycles first."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in listing:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    total = sum(row["cycles"] for row in listing)
    found = []
    for names, rows in groups.items():
        cycles = sum(row["cycles"] for row in rows)
        counts = {"cycles": cycles, "percent": 100 * cycles / total if total else 0.0}
        counts |= {"instructions": sum(row["visits"] for row in rows), "visits": visits(rows)}
        found.append(dict(zip(keys, names, strict=True)) | counts)
    return sorted(found, key=lambda group: -group["cycles"])
