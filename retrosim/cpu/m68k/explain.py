"""Base clocks of 68K instructions in reports: MC68000, what the encoding fixes; MC68040, the slowest stage."""

from __future__ import annotations

from collections.abc import Mapping

from ..spec.explain import Explanation, averaged
from ..spec.rows import Insn
from . import mc68000_clocks, mc68040_clocks

MC68000_LEGEND = (
    "base: clocks that the encoding fixes ({source}), branches taken; stalls: what was added on average, "
    "which depends on data: shift counts, multipliers, branches not taken."
)
MC68040_LEGEND = (
    "base: clocks of the manual's entry alone ({source}); stalls: what was added on average, below 0 where "
    "instructions overlapped. Clocks count for the instruction at whose end they have passed."
)

OPERANDS = {
    "c": "cc", "d": "Dn", "y": "Dn", "how": "Dn", "a": "An", "b": "An", "imm": "#imm", "imm16": "#imm", "n": "#n",
    "i": "#i", "mask": "list", "t": "#n", "disp": "d16", "target": "label",
}  # fmt: skip


class _Operands(dict):
    """Names of operands as the manual writes them; another is shown by its own."""

    def __missing__(self, name: str) -> str:
        return name


def explain_mc68000(insn: Insn, visits: int, departures: int, choices: Mapping[str, str]) -> Explanation:
    """Explain an instruction; a branch has the clocks of one that is taken. Arguments as of `averaged`."""
    entry = insn.row.syntax.format_map(_Operands(OPERANDS | insn.forms))
    clocks, source = mc68000_clocks.outcomes(insn.row, insn.forms)[0], mc68000_clocks.source(insn.row, insn.forms)
    return Explanation(clocks.base, entry, source)


def explain_mc68040(insn: Insn, visits: int, departures: int, choices: Mapping[str, str]) -> Explanation:
    """Explain an instruction; one of two outcomes that do not show in the flow has the first entry."""
    costs = mc68040_clocks.outcomes(insn.row, insn.forms, choices)
    if len(costs) == 2 and insn.row.options.get("flow"):
        return averaged([(cost.alone, cost.entry) for cost in costs], visits, departures, costs[0].source)
    return Explanation(costs[0].alone, costs[0].entry, costs[0].source)
