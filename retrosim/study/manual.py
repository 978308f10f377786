"""What the manual says of an executed instruction: base clocks, the entry of its table, and which table that is.

An instruction of two outcomes has the average of its visits, if the outcome shows in the flow; else the first entry.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from retrosim.cpu.m68k import mc68000_clocks, mc68040_clocks
from retrosim.cpu.ppc import mpc601_clocks
from retrosim.cpu.spec.rows import Insn
from retrosim.cpu.x86 import clocks as x86_clocks

Base = tuple[float, str, str]


class Visited(Protocol):
    """An instruction and how often it was executed; `departures`: how often another than the next one followed."""

    insn: Insn
    visits: int
    departures: int


def _averaged(each: Visited, costs: Sequence[tuple[float, str]], source: str) -> Base:
    """Average (clocks, entry) of two outcomes; the first is the one that leaves the straight line."""
    counts = (each.departures, each.visits - each.departures)
    base = sum(count * cost for count, (cost, _) in zip(counts, costs, strict=True)) / each.visits
    return base, " / ".join(entry for count, (_, entry) in zip(counts, costs, strict=True) if count), source


def _base_040(each: Visited) -> Base:
    costs, source = mc68040_clocks.clocks(each.insn), "MC68040UM section 10"
    if len(costs) == 1 or each.insn.row.name == "CAS2":  # whose outcome does not show in the flow
        return costs[0].alone, costs[0].entry, source
    return _averaged(each, [(cost.alone, cost.entry) for cost in costs], source)


OPERANDS_000 = {
    "c": "cc", "d": "Dn", "y": "Dn", "how": "Dn", "a": "An", "b": "An", "imm": "#imm", "imm16": "#imm", "n": "#n",
    "i": "#i", "mask": "list", "t": "#n", "disp": "d16", "target": "label",
}  # fmt: skip


class _Operands(dict):
    """Names of operands as the manual writes them; another is shown by its own."""

    def __missing__(self, name: str) -> str:
        return name


def _base_000(each: Visited) -> Base:
    insn = each.insn
    entry = insn.row.syntax.format_map(_Operands(OPERANDS_000 | insn.forms))
    return mc68000_clocks.clocks(insn), entry, "M68000UM section 8"


X86_SOURCES = {"i386": "80386 PRM (1986) chapter 17", "i486": "i486 PRM (1990) appendix E"}


def _base_x86(model: str) -> Callable[[Visited], Base]:
    source = X86_SOURCES[model[:4]]

    def base(each: Visited) -> Base:
        insn = each.insn
        form = " mem" if insn.forms.get("ea") == "mem" else ""
        costs = [(cost.base, key + form) for key, cost in zip(x86_clocks.keys(insn), x86_clocks.clocks(insn, model))]
        if not costs:  # an exception, which is priced when it is taken
            return 0, insn.row.name, source
        if len(costs) == 2 and insn.row.options.get("flow"):
            return _averaged(each, costs, source)
        level = min(insn.fields[1] & 31, 2) if len(costs) == 3 else 0  # ENTER
        return *costs[level], source

    return base


def _base_601(each: Visited) -> Base:
    """Clocks in the execute stage, the least where a multiplier decides; one for several words."""
    row = each.insn.row
    found = mpc601_clocks.clocks(row)
    clocks = [cost.execute[0] if cost.execute else 1 for cost in found]
    costs, source = list(zip(clocks, row.cost, strict=True)), found[0].source
    return _averaged(each, costs, source) if len(costs) == 2 else (*costs[0], source)


BASES = {"MC68000": _base_000, "MC68040": _base_040, "MPC601": _base_601}
BASES |= {model: _base_x86(model) for model in ("i386_real", "i386_flat", "i486_real", "i486_flat")}


def base_of(model: str, each: Visited) -> Base:
    """Return the clocks, the table entry and the table of an instruction as it was executed on a CPU model."""
    return BASES[model](each)
