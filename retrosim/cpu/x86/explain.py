"""Base clocks of x86 instructions as reports show them: the manual's entry, the least where it depends on data."""

from __future__ import annotations

from collections.abc import Mapping

from ..spec.explain import Explanation, averaged
from ..spec.rows import Insn
from .clocks import clocks, keys, table

LEGENDS = {
    "i286": "base: clocks of the manual's entry ({source}), without m, those of no shift; stalls: what was added on "
    "average: m after a jump, shift counts, repeats, fetching of code, operands at odd addresses, wait states.",
    "i386": "base: clocks of the manual's entry ({source}), without m, least of a range; stalls: what was added "
    "on average: m after a jump, multipliers, repeats, fetching of code, wait states.",
    "i486": "base: clocks of the manual's entry ({source}), least of a range; stalls: what was added on average: "
    "multipliers, repeats, prefixes, address generation, cache, write buffers.",
}


def explain(model: str, insn: Insn, visits: int, departures: int, choices: Mapping[str, str]) -> Explanation:
    """Explain an instruction on a model; the other arguments are those of `averaged`."""
    row, forms, form = insn.row, insn.forms, " mem" if insn.forms.get("ea") == "mem" else ""
    names = keys(row, forms, choices)
    costs = [(cost.base, name + form) for name, cost in zip(names, clocks(row, forms, model, choices), strict=True)]
    sources = [table()[name][f"{model[:4]} source"] for name in names]
    if len(costs) == 2 and row.options.get("flow"):
        return averaged(costs, visits, departures, sources[0])
    level = min(insn.fields[1] & 31, 2) if row.varies == "level" else 0
    return Explanation(*costs[level], sources[level])
