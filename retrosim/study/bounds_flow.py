"""The blocks of one routine, its loops within loops, and the order in which to visit them."""

from __future__ import annotations

from dataclasses import dataclass, field

from retrosim.cpu.engines.core import Core
from retrosim.cpu.spec.rows import Insn

from .bounds_choices import Unbounded

MAX_INSTRUCTIONS = 20_000  # of one routine


@dataclass
class Loop:
    """A natural loop: its head, all blocks in it, and the loops directly inside, by head. The routine is one too."""

    head: int
    blocks: set[int]
    inner: dict[int, Loop] = field(default_factory=dict)

    def visits(self, order: list[int]) -> list[int]:
        """Return the blocks of this loop itself and the heads of those inside, so that edges lead forward."""
        within = {block for loop in self.inner.values() for block in loop.blocks}
        return [block for block in order if block in self.blocks and (block not in within or block in self.inner)]


@dataclass
class Routine:
    """Blocks by address, their order, and the routine as the outermost loop."""

    blocks: dict[int, tuple[Insn, ...]]
    order: list[int]
    whole: Loop


def routine_at(core: Core, entry: int) -> Routine:
    """Find the blocks and loops of the routine at an address. Errors: Unbounded."""
    insns, leaders = _follow(core, entry)
    blocks: dict[int, tuple[Insn, ...]] = {}
    for leader in leaders:
        block = [insns[leader]]
        while not _successors(block[-1])[1] and block[-1].end not in leaders:
            block.append(insns[block[-1].end])
        blocks[leader] = tuple(block)
    successors = {start: _successors(block[-1])[0] for start, block in blocks.items()}
    order = _reverse_postorder(entry, successors)
    return Routine(blocks, order, _loops(entry, order, successors))


def _successors(insn: Insn) -> tuple[list[int], bool]:
    """Return where an instruction goes on within its routine, and whether it ends a block."""
    options = insn.row.options
    following = [] if options.get("ends") or not insn.row.pattern else [insn.end]
    if options.get("calls"):
        return following, True
    repeated = [insn.pc] if insn.forms.get("rep") else []
    targets = [] if insn.target is None else [insn.target]
    ends = bool(targets or repeated or options.get("flow") or options.get("ends") or not insn.row.pattern)
    return list(dict.fromkeys([*following, *targets, *repeated])), ends


def _follow(core: Core, entry: int) -> tuple[dict[int, Insn], set[int]]:
    insns: dict[int, Insn] = {}
    leaders, todo = {entry}, [entry]
    while todo:
        pc = todo.pop()
        if pc in insns:
            continue
        insns[pc] = insn = core.decode(pc)
        if len(insns) > MAX_INSTRUCTIONS:
            raise Unbounded(f"the routine at {entry:#x} has more than {MAX_INSTRUCTIONS} instructions")
        targets, ends = _successors(insn)
        if ends:
            leaders.update(targets)
        if insn.forms.get("rep"):
            leaders.add(pc)
        todo += targets
    return insns, leaders


def _reverse_postorder(entry: int, successors: dict[int, list[int]]) -> list[int]:
    done: list[int] = []
    seen, todo = {entry}, [(entry, iter(successors[entry]))]
    while todo:
        block, rest = todo[-1]
        target = next((t for t in rest if t not in seen), None)
        if target is None:
            done.append(block)
            todo.pop()
        else:
            seen.add(target)
            todo.append((target, iter(successors[target])))
    return done[::-1]


def _loops(entry: int, order: list[int], successors: dict[int, list[int]]) -> Loop:
    """Find the natural loops by dominators. Errors: Unbounded for a loop that is entered at two places."""
    place = {block: number for number, block in enumerate(order)}
    before: dict[int, list[int]] = {block: [] for block in order}
    for block in order:
        for target in successors[block]:
            before[target].append(block)
    dominator = _dominators(order, place, before)

    def dominates(head: int, block: int) -> bool:
        while place[block] > place[head]:
            block = dominator[block]
        return block == head

    bodies: dict[int, set[int]] = {}
    for block in order:
        for target in successors[block]:
            if place[target] > place[block]:
                continue
            if not dominates(target, block):
                raise Unbounded(f"the loop at {target:#x} is entered at more than one place (irreducible)")
            body = bodies.setdefault(target, {target})
            todo = [block]
            while todo:
                each = todo.pop()
                if each not in body:
                    body.add(each)
                    todo += before[each]
    whole = Loop(entry, set(order))
    for head in sorted(bodies, key=lambda head: -len(bodies[head])):
        parent = whole
        while inside := next((loop for loop in parent.inner.values() if head in loop.blocks), None):
            parent = inside
        parent.inner[head] = Loop(head, bodies[head])
    return whole


def _dominators(order: list[int], place: dict[int, int], before: dict[int, list[int]]) -> dict[int, int]:
    dominator = {order[0]: order[0]}
    changed = True
    while changed:
        changed = False
        for block in order[1:]:
            known = [each for each in before[block] if each in dominator]
            new = known[0]
            for other in known[1:]:
                while new != other:
                    if place[new] > place[other]:
                        new = dominator[new]
                    else:
                        other = dominator[other]
            if dominator.get(block) != new:
                dominator[block] = new
                changed = True
    return dominator
