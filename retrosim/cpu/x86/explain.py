"""Base clocks of x86 instructions as reports show them: the manual's entry, the least where it depends on data."""

from __future__ import annotations

from collections.abc import Mapping

from ..spec.explain import Explanation, averaged
from ..spec.rows import Insn
from .clocks import clocks, keys

SOURCES = {"i386": "80386 PRM (1986) chapter 17", "i486": "i486 PRM (1990) appendix E"}
LEGENDS = {
    "i386": "base: clocks of the manual's entry ({source}), without m, least of a range; stalls: what was added "
    "on average: m after a jump, multipliers, repeats, fetching of code, wait states.",
    "i486": "base: clocks of the manual's entry ({source}), least of a range; stalls: what was added on average: "
    "multipliers, repeats, prefixes, address generation, cache, write buffers.",
}


def explain(model: str, insn: Insn, visits: int, departures: int, choices: Mapping[str, str]) -> Explanation:
    """Explain an instruction on a model; the other arguments are those of `averaged`."""
    source, form = SOURCES[model[:4]], " mem" if insn.forms.get("ea") == "mem" else ""
    row, forms = insn.row, insn.forms
    entries = zip(keys(row, forms, choices), clocks(row, forms, model, choices), strict=True)
    costs = [(cost.base, key + form) for key, cost in entries]
    if len(costs) == 2 and insn.row.options.get("flow"):
        return averaged(costs, visits, departures, source)
    level = min(insn.fields[1] & 31, 2) if insn.row.varies == "level" else 0
    return Explanation(*costs[level], source)
