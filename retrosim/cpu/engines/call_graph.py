"""Functions and who calls them: which are compiled together, and where computed jumps are likely to go."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from ..spec.rows import Insn

MAX_BLOCKS = 400  # of one function: LLVM's time grows faster than linearly beyond
MAX_INSTRUCTIONS = 1000  # of one function: what is longer is cut, or it would be compiled for minutes
MAX_CALL_DEPTH = 8  # calls within calls that the estimate of frequencies follows
MAX_LOOPS = 32  # within loops, likewise
MAX_LEAF = 40  # instructions of a function that others have a copy of
MAX_COPIED = 200  # instructions copied into one part


@dataclass(frozen=True)
class Block:
    """Consecutive instructions that are entered at the first and left at the last only."""

    insns: tuple[Insn, ...]

    @property
    def start(self) -> int:
        return self.insns[0].pc

    @property
    def end(self) -> int:
        """Address of the instruction after the block."""
        return self.insns[-1].end


Bodies = dict[int, dict[int, Block]]
"""Where a function begins -> its blocks."""


def targets_of(block: Block) -> list[int]:
    """Return the addresses that a block continues at, as far as decoding knows."""
    last = block.insns[-1]
    following = [] if last.row.options.get("ends") else [last.end]
    return following + [i.target for i in block.insns if i.target is not None]


def back_edges(blocks: dict[int, Block]) -> set[tuple[int, int]]:
    """Return (target, source) of the edges to the same or a lower address: loops."""
    return {(t, b.insns[-1].pc) for b in blocks.values() for t in targets_of(b) if t in blocks and t <= b.insns[-1].pc}


def bodies_of(blocks: dict[int, Block], starts: list[int]) -> Bodies:
    """Return the blocks of each function: those from its first address up to the next function's."""
    functions: Bodies = {}
    for start, block in blocks.items():
        functions.setdefault(starts[max(0, bisect_right(starts, start) - 1)], {})[start] = block
    return functions


@dataclass(frozen=True)
class CallEdge:
    """An edge of the call graph: from the end of a block of one function to another by a branch, or to any by a call.

    caller, callee  the functions; the callee of a computed call is a guess
    insn            the last of the block
    times           in a run of the caller, by estimate: a loop has ten iterations
    """

    caller: int
    callee: int
    insn: Insn
    times: float


def call_edges(functions: Bodies) -> list[CallEdge]:
    """Find the calls; a computed call may go to any function whose address its own function has as an operand."""
    function_of = {start: function for function, body in functions.items() for start in body}
    found = []
    for function, body in functions.items():
        loops = back_edges(body)
        heads, tails = sorted(head for head, _ in loops), sorted(tail for _, tail in loops)
        taken = {f for block in body.values() for insn in block.insns for f in insn.fields if f in functions}
        for block in body.values():
            last = block.insns[-1]
            if last.row.options.get("calls") and last.target is None:
                callees = taken
            else:
                callees = {function_of[t] for t in targets_of(block) if t in function_of}
            times = 10.0 ** min(MAX_LOOPS, bisect_right(heads, block.start) - bisect_left(tails, block.start))
            if not last.row.options.get("calls"):
                callees -= {function}
            found += [CallEdge(function, callee, last, times) for callee in sorted(callees)]
    return found


def busiest_first(calls: list[CallEdge]) -> list[CallEdge]:
    """Return calls in the order of how often they happen."""
    return sorted(calls, key=lambda edge: (-edge.times, edge.insn.pc, edge.callee))


def guesses_of(functions: Bodies, calls: list[CallEdge]) -> dict[int, tuple[int, ...]]:
    """Guess where computed jumps go, the likeliest first: calls to what they may call, others to where calls return.

    calls  in the order of `busiest_first`
    """
    callees: dict[int, list[int]] = {}
    returns: dict[int, list[int]] = {}
    for edge in calls:
        if edge.insn.row.options.get("calls"):
            callees.setdefault(edge.insn.pc, []).append(edge.callee)
            returns.setdefault(edge.callee, []).append(edge.insn.end)
    guesses: dict[int, tuple[int, ...]] = {}
    for function, body in functions.items():
        for start, block in body.items():
            last = block.insns[-1]
            if last.target is None and last.row.options.get("calls"):
                guesses[start] = tuple(callees.get(last.pc, ()))
            elif last.target is None and last.row.options.get("ends"):
                guesses[start] = tuple(returns.get(function, ()))
    return guesses


def leaves_of(functions: Bodies) -> Bodies:
    """Return the short functions that are entered at the beginning, call nothing, and only return."""
    found: Bodies = {}
    for function, body in functions.items():
        lasts = [block.insns[-1] for block in body.values()]
        targets = {target for block in body.values() for target in targets_of(block)}
        is_short = sum(len(block.insns) for block in body.values()) <= MAX_LEAF
        if is_short and function in body and targets <= body.keys() and not any(map(_leads_away, lasts)):
            found[function] = body
    return found


def _leads_away(insn: Insn) -> bool:
    """Does an instruction call, or jump to a computed address that is no return?"""
    options = insn.row.options
    return bool(options.get("calls") or (insn.target is None and options.get("jumps")))


def copies_of(part: Iterable[Block], leaves: Bodies, calls: list[CallEdge]) -> dict[int, Block]:
    """Return the blocks of the leaves that a part calls and does not have, those called most first.

    calls  those whose callee is a leaf, in the order of `busiest_first`
    """
    inside = {block.start: block for block in part}
    last = [block.insns[-1] for block in inside.values()]
    here = {insn.pc for insn in last if insn.row.options.get("calls")}
    found: dict[int, Block] = {}
    left = MAX_COPIED
    for edge in calls:
        if edge.insn.pc in here and edge.callee not in inside and edge.callee not in found:
            size = sum(len(block.insns) for block in leaves[edge.callee].values())
            if size <= left:
                left -= size
                found |= leaves[edge.callee]
    return found


def parts_of(functions: Bodies, calls: list[CallEdge], limit: int) -> Iterable[list[Block]]:
    """Gather the blocks of functions that call each other most into parts, the busiest part first.

    limit  instructions of functions that are joined
    """
    parts = {function: [function] for function in functions}
    part_of = {function: function for function in functions}

    size = {function: sum(len(block.insns) for block in functions[function].values()) for function in functions}
    frequency = _frequencies(functions, calls)
    traffic: dict[tuple[int, int], float] = {}
    for edge in calls:
        pair = edge.caller, edge.callee
        traffic[pair] = traffic.get(pair, 0) + frequency[edge.caller] * edge.times
    for caller, callee in sorted(traffic, key=lambda pair: (-traffic[pair], pair)):
        first, second = part_of[caller], part_of[callee]
        if first != second and size[first] + size[second] <= limit:
            parts[first] += parts.pop(second)
            size[first] += size.pop(second)
            part_of |= dict.fromkeys(parts[first], first)
    for members in sorted(parts.values(), key=lambda members: -max(frequency[f] for f in members)):
        yield from _cut([b for _, b in sorted((start, b) for f in members for start, b in functions[f].items())])


def _frequencies(functions: Iterable[int], calls: list[CallEdge]) -> dict[int, float]:
    """Estimate how often functions run."""
    frequency = dict.fromkeys(functions, 1.0)
    for _ in range(MAX_CALL_DEPTH):
        inward = dict.fromkeys(frequency, 0.0)
        for edge in (edge for edge in calls if edge.caller != edge.callee):
            inward[edge.callee] += frequency[edge.caller] * edge.times
        frequency = {f: min(max(1.0, inward[f]), 1e9) for f in frequency}
    return frequency


def _cut(part: list[Block]) -> Iterable[list[Block]]:
    """Cut what is too large for one function, even alone."""
    piece: list[Block] = []
    size = 0
    for block in part:
        if len(piece) == MAX_BLOCKS or (piece and size + len(block.insns) > MAX_INSTRUCTIONS):
            yield piece
            piece, size = [], 0
        piece.append(block)
        size += len(block.insns)
    if piece:
        yield piece
