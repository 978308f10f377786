"""Base clocks of PowerPC 601 instructions as reports show them: those in the execute stage, the least of a range."""

from __future__ import annotations

from collections.abc import Mapping

from ..spec.explain import Explanation, averaged
from ..spec.rows import Insn
from .mpc601_clocks import outcomes

LEGEND = (
    "base: clocks in the execute stage (sources: --csv and --json), least of a range, one of several words; "
    "stalls: what was added on average: operands, fetching, caches, words moved; below 0: a branch was folded."
)


def explain(insn: Insn, visits: int, departures: int, choices: Mapping[str, str]) -> Explanation:
    """Explain an instruction; the other arguments are those of `averaged`. A taken branch has what it costs alone."""
    found = outcomes(insn.row, choices)
    clocks = [cost.execute[0] if cost.execute else 1 for cost in found]
    costs, source = list(zip(clocks, insn.row.cost, strict=True)), found[0].source
    return averaged(costs, visits, departures, source) if len(costs) == 2 else Explanation(*costs[0], source)
