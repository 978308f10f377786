"""A call tree as plain data, for JSON, tables, pages and files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from retrosim.rom import Image

from .calls import HOST_WORK, CallTree
from .functions import NO_FUNCTION

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
