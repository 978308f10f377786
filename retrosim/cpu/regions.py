"""Finds the code of a ROM: basic blocks, and the regions of them that the recompiler makes one function each.

Discovery starts at roots (the entry, function symbols) and follows fall-through, branch targets and return sites. What
it misses (jump tables, code without symbols) is run by the interpreter, which comes back at the next entry point.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .core import Core
from .spec import Insn

MOST_BLOCKS = 400  # of one function: LLVM's time grows faster than linearly beyond (numba-notes section 4)
MOST_INSTRUCTIONS = 4000
LONGEST_PATH = 200  # instructions between two looks at the budget


@dataclass(frozen=True)
class Block:
    """Consecutive instructions that are entered at the first and left at the last only."""

    insns: tuple[Insn, ...]

    @property
    def start(self) -> int:
        return self.insns[0].pc

    @property
    def end(self) -> int:
        """Address of the instruction behind the block."""
        return self.insns[-1].end


@dataclass(frozen=True)
class Region:
    """Blocks by address, those that can be entered from outside, and those that look at the budget first.

    Every cycle of direct edges passes a check: edges to the same or a lower address lead to one.
    """

    blocks: dict[int, Block]
    entries: tuple[int, ...]
    checks: frozenset[int]

    @property
    def insns(self) -> Iterable[Insn]:
        return (insn for block in self.blocks.values() for insn in block.insns)


def discover(core: Core, roots: Iterable[int]) -> list[Region]:
    """Return the regions of the code that is reached from `roots`; decoding it makes stores into it noticed."""
    insns, leaders, entries = _follow(core, roots)
    blocks = _blocks(insns, leaders)
    regions = []
    for part in _parts(blocks):
        inside = {block.start: block for block in part}
        outside = [b for start, b in blocks.items() if start not in inside]
        crossed = {t for b in outside for t in _targets(b) if t in inside}
        checks = _checks(inside)
        regions.append(Region(inside, tuple(sorted((entries | crossed | checks) & set(inside))), frozenset(checks)))
    return regions


def _follow(core: Core, roots: Iterable[int]) -> tuple[dict[int, Insn], set[int], set[int]]:
    """Return (instructions by address, addresses where blocks begin, those entered by calls and returns)."""
    unit = core.cpu.isa.word_bytes
    todo = sorted({root for root in roots if not root % unit})
    insns: dict[int, Insn] = {}
    leaders, entries = set(todo), set(todo)
    while todo:
        pc = todo.pop()
        while pc not in insns:
            insn = insns[pc] = core.decode(pc)
            target = insn.target
            if target is not None and not target % unit:
                leaders.add(target)
                todo.append(target)
            if insn.row.options.get("calls"):
                entries.add(insn.end)
            if target is not None or insn.row.options.get("flow"):
                leaders.add(insn.end)
            if not insn.row.pattern or insn.row.options.get("ends"):
                break
            pc = insn.end
    return insns, leaders & set(insns), entries & set(insns)


def _blocks(insns: dict[int, Insn], leaders: set[int]) -> dict[int, Block]:
    blocks: dict[int, Block] = {}
    todo = set(leaders)
    while todo:
        start = min(todo)
        todo.remove(start)
        body = [insns[start]]
        while not body[-1].row.options.get("ends") and body[-1].end in insns and body[-1].end not in leaders:
            if len(body) == LONGEST_PATH:
                todo |= {body[-1].end} - set(blocks)
                break
            body.append(insns[body[-1].end])
        blocks[start] = Block(tuple(body))
    return dict(sorted(blocks.items()))


def _targets(block: Block) -> list[int]:
    """Return the addresses that a block goes on to, as far as decoding knows."""
    last = block.insns[-1]
    following = [] if last.row.options.get("ends") else [last.end]
    return following + [i.target for i in block.insns if i.target is not None]


def _parts(blocks: dict[int, Block]) -> Iterable[list[Block]]:
    """Cut the blocks, in order of address, into parts below the limits."""
    part: list[Block] = []
    size = 0
    for block in blocks.values():
        if part and (len(part) == MOST_BLOCKS or size + len(block.insns) > MOST_INSTRUCTIONS):
            yield part
            part, size = [], 0
        part.append(block)
        size += len(block.insns)
    if part:
        yield part


def _checks(blocks: dict[int, Block]) -> set[int]:
    """Return the blocks to check the budget before: targets of edges back, and where a path without one grows long."""
    checks = {t for b in blocks.values() for t in _targets(b) if t in blocks and t <= b.insns[-1].pc}
    lengths = dict.fromkeys(blocks, 0)
    for start, block in blocks.items():
        length = (0 if start in checks else lengths[start]) + len(block.insns)
        for target in _targets(block):
            if target in blocks and target not in checks:
                if length > LONGEST_PATH:
                    checks.add(target)
                lengths[target] = max(lengths[target], length)
    return checks


def longest(region: Region, weight: dict[int, int]) -> int:
    """Return the greatest sum of block weights on any path between two checks."""
    most = 0
    sums = dict.fromkeys(region.blocks, 0)
    for start, block in region.blocks.items():  # in order of address: edges without a check go up
        total = (0 if start in region.checks else sums[start]) + weight[start]
        most = max(most, total)
        for target in _targets(block):
            if target in region.blocks and target not in region.checks:
                sums[target] = max(sums[target], total)
    return most
