"""Finds the code of a ROM: basic blocks, and the regions of them that the recompiler makes one function each.

Discovery starts at roots (the entry, function symbols) and follows fall-through, branch targets and return sites. What
it misses (jump tables, calls through registers) is run by the interpreter, which comes back at the next entry point,
and is found when the interpreter has met it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace

from ..spec.cpu import ADDRESS_MASK
from ..spec.rows import Insn
from .core import Core

MAX_BLOCKS = 400  # of one function: LLVM's time grows faster than linearly beyond
MAX_JOINED_INSTRUCTIONS = 200  # of functions that are compiled together because they call each other
MAX_INSTRUCTIONS = 1000  # of one function: what is longer is cut, or it would be compiled for minutes
MAX_DISCOVERED = 1 << 14  # instructions found at once; the rest is found when the machine is busy in it
MAX_CALL_DEPTH = 8  # calls within calls that the estimate of frequencies follows
MAX_LOOPS = 32  # within loops, likewise
MAX_GUESSES = 2  # of where a computed jump goes
MAX_PATH = 200  # instructions between two checks of the budget
BLANK = 16  # bytes: as many zeros are memory that nothing was loaded into, and no code


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


@dataclass(frozen=True)
class Region:
    """Blocks by address, those that can be entered from outside, and those that check the budget first.

    edges      by block: control-flow edges inside the region, as far as decoding knows them, and guessed ones
    guesses    by block: where the computed jump at its end is likely to go
    functions  where functions begin
    left_out   instructions of the code around that are left to the interpreter, which stops at them
    Every cycle of edges passes a check. The blocks stand in an order in which all edges to others lead forward.
    """

    blocks: dict[int, Block]
    edges: dict[int, tuple[int, ...]]
    guesses: dict[int, tuple[int, ...]]
    entries: tuple[int, ...]
    checks: frozenset[int]
    functions: frozenset[int] = frozenset()
    left_out: frozenset[int] = frozenset()

    @property
    def insns(self) -> Iterable[Insn]:
        return (insn for block in self.blocks.values() for insn in block.insns)


def discover(core: Core, roots: Iterable[int], known: Collection[int] = (), met: Iterable[int] = ()) -> list[Region]:
    """Return the regions of the code that is reached from `roots`, the busiest first.

    roots   addresses, the most important first: at most MAX_DISCOVERED instructions are followed from them
    known   addresses of instructions that are left out: they lie in other regions
    met     addresses that execution has come to, in that order: those that nothing known leads to are followed, too
    Decoding the code makes stores into it noticed.
    """
    insns, leaders, functions, returns, new = _follow(core, roots, known, met)
    blocks = _blocks(insns, leaders)
    cases = _cases(blocks, functions, new)
    functions |= new - cases
    bodies = _bodies(blocks, sorted(functions))
    calls = _call_edges(bodies)
    guesses = _guesses(bodies, calls)
    parts = [{block.start: block for block in part} for part in _parts(bodies, calls)]
    entries = functions | returns | cases
    for inside in parts:
        entries |= {target for block in inside.values() for target in _targets(block) if target not in inside}
    regions = []
    for inside in parts:
        regions.append(region_of(inside, (entries | _outermost_loops(inside)) & set(inside), guesses, functions))
    return regions


def _cases(blocks: dict[int, Block], functions: Iterable[int], new: set[int]) -> set[int]:
    """Return those of some addresses that a switch leads to; the others are functions.

    What lies between the beginning of a function with a computed jump and the next function is taken for a case.
    """
    owner = _owners(functions)
    switching = {owner(block.start) for block in blocks.values() if _switches(block)} - {None}
    return {address for address in new if owner(address) in switching}


def switching_regions(regions: list[Region], addresses: Iterable[int]) -> list[Region]:
    """Return the regions whose functions have computed jumps that may lead to some addresses."""
    owner = _owners(start for region in regions for start in region.functions)
    wanted = {owner(address) for address in addresses} - {None}
    return [r for r in regions if any(_switches(b) and owner(b.start) in wanted for b in r.blocks.values())]


def _switches(block: Block) -> bool:
    """Does the block end with a computed jump that is no return?"""
    last = block.insns[-1]
    return last.target is None and bool(last.row.options.get("jumps"))


def _owners(functions: Iterable[int]) -> Callable[[int], int | None]:
    """Return what finds the function that an address belongs to: the last one that begins before it."""
    starts = sorted(functions)

    def owner(address: int) -> int | None:
        number = bisect_right(starts, address)
        return starts[number - 1] if number else None

    return owner


def region_of(
    blocks: dict[int, Block],
    entries: set[int],
    guesses: dict[int, tuple[int, ...]],
    functions: Collection[int] = frozenset(),
) -> Region:
    """Make a region of blocks that are entered at some of them; guesses that are no entries are left out."""
    likely = {start: tuple(g for g in guesses.get(start, ()) if g in entries) for start in blocks}
    edges = {start: (*(t for t in _targets(b) if t in blocks), *likely[start]) for start, b in blocks.items()}
    order, heads = _search(edges)
    ordered = {start: blocks[start] for start in order}
    checks, here = frozenset(_checks(ordered, edges, heads)), frozenset(blocks).intersection(functions)
    return Region(ordered, edges, likely, tuple(sorted(entries)), checks, here)


def region_without(region: Region, addresses: Collection[int]) -> Region | None:
    """Return a region that leaves some instructions out, None if nothing remains; the code behind each is entered."""
    blocks: dict[int, Block] = {}
    guesses: dict[int, tuple[int, ...]] = {}
    entries, left_out = set(region.entries), set()
    for start, block in region.blocks.items():
        pieces: list[list[Insn]] = [[]]
        for insn in block.insns:
            if insn.pc not in addresses:
                pieces[-1].append(insn)
                continue
            left_out.add(insn.pc)
            entries.add(insn.end)
            entries |= {insn.target} if insn.target is not None else set()
            pieces.append([])
        for piece in filter(None, pieces):
            blocks[piece[0].pc] = Block(tuple(piece))
            if piece[-1] is block.insns[-1]:
                guesses[piece[0].pc] = region.guesses.get(start, ())
    if not blocks:
        return None
    return replace(region_of(blocks, entries & set(blocks), guesses), left_out=frozenset(left_out))


def _follow(
    core: Core, roots: Iterable[int], known: Collection[int], met: Iterable[int]
) -> tuple[dict[int, Insn], set[int], set[int], set[int], set[int]]:
    """Return instructions by address; where blocks begin, functions begin, calls return to; which of `met` are new."""
    unit = core.cpu.isa.word_bytes
    roots = [root for root in roots if not root % unit]
    todo = [*sorted(set(roots)), *roots[:1]]  # the last is taken first
    insns: dict[int, Insn] = {}
    leaders, functions, returns = set(todo), set(todo), set()
    new: set[int] = set()
    for start in (None, *met):
        if start is not None and not start % unit and start not in known and not (start in leaders and start in insns):
            new.add(start)
            leaders.add(start)
            todo.append(start)
        while todo:
            pc = todo.pop()
            while pc not in insns and pc not in known and core.ram[pc : pc + BLANK].any():
                if len(insns) == MAX_DISCOVERED:
                    todo.clear()
                    break
                insn = core.decode(pc)
                if pc + insn.length > ADDRESS_MASK + 1:
                    break  # it continues at address 0, where stores into it are not noticed
                insns[pc] = insn
                target = insn.target
                if target is not None and not target % unit:
                    leaders.add(target)
                    todo.append(target)
                options = insn.row.options
                if options.get("calls"):
                    returns.add(insn.end)
                    functions |= {target} & leaders
                if target is not None or options.get("flow") or options.get("calls") or insn.end < pc:
                    leaders.add(insn.end)
                if not insn.row.pattern or options.get("ends"):
                    break
                pc = insn.end
    there = set(insns)
    return insns, leaders & there, functions & there, returns & there, new & there


def _blocks(insns: dict[int, Insn], leaders: set[int]) -> dict[int, Block]:
    blocks: dict[int, Block] = {}
    todo = list(leaders)
    while todo:
        start = todo.pop()
        if start in blocks:
            continue
        body = [insns[start]]
        while not body[-1].row.options.get("ends") and body[-1].end in insns and body[-1].end not in leaders:
            if len(body) == MAX_PATH:
                todo.append(body[-1].end)
                break
            body.append(insns[body[-1].end])
        blocks[start] = Block(tuple(body))
    return dict(sorted(blocks.items()))


def _targets(block: Block) -> list[int]:
    """Return the addresses that a block continues at, as far as decoding knows."""
    last = block.insns[-1]
    following = [] if last.row.options.get("ends") else [last.end]
    return following + [i.target for i in block.insns if i.target is not None]


def _bodies(blocks: dict[int, Block], starts: list[int]) -> dict[int, dict[int, Block]]:
    """Return the blocks of each function: those from its first address up to the next function's."""
    functions: dict[int, dict[int, Block]] = {}
    for start, block in blocks.items():
        functions.setdefault(starts[max(0, bisect_right(starts, start) - 1)], {})[start] = block
    return functions


@dataclass(frozen=True)
class CallEdge:
    """An edge of the call graph: from the end of a block of one function to another, by a call or a branch.

    caller, callee  the functions; the callee of a computed call is a guess
    insn            the last of the block
    times           in a run of the caller, by estimate: a loop has ten iterations
    """

    caller: int
    callee: int
    insn: Insn
    times: float


def _call_edges(functions: dict[int, dict[int, Block]]) -> list[CallEdge]:
    """Find the calls; a computed call may go to any function whose address its own function has as an operand."""
    function_of = {start: function for function, body in functions.items() for start in body}
    found = []
    for function, body in functions.items():
        loops = _back_edges(body)
        heads, tails = sorted(head for head, _ in loops), sorted(tail for _, tail in loops)
        taken = {f for block in body.values() for insn in block.insns for f in insn.fields if f in functions}
        for block in body.values():
            last = block.insns[-1]
            if last.row.options.get("calls") and last.target is None:
                callees = taken
            else:
                callees = {function_of[t] for t in _targets(block) if t in function_of}
            times = 10.0 ** min(MAX_LOOPS, bisect_right(heads, block.start) - bisect_left(tails, block.start))
            found += [CallEdge(function, callee, last, times) for callee in sorted(callees - {function})]
    return found


def _guesses(functions: dict[int, dict[int, Block]], calls: list[CallEdge]) -> dict[int, tuple[int, ...]]:
    """Guess where computed jumps go: calls to what they may call, others to where the likeliest calls return."""
    callees: dict[int, list[int]] = {}
    returns: dict[int, list[int]] = {}
    for edge in sorted(calls, key=lambda e: (-e.times, e.insn.pc, e.callee)):
        if edge.insn.row.options.get("calls"):
            callees.setdefault(edge.insn.pc, []).append(edge.callee)
            returns.setdefault(edge.callee, []).append(edge.insn.end)
    guesses: dict[int, tuple[int, ...]] = {}
    for function, body in functions.items():
        for start, block in body.items():
            last = block.insns[-1]
            if last.target is None and last.row.options.get("calls"):
                guesses[start] = tuple(callees.get(last.pc, ())[:MAX_GUESSES])
            elif last.target is None and last.row.options.get("ends"):
                guesses[start] = tuple(returns.get(function, ())[:MAX_GUESSES])
    return guesses


def _parts(functions: dict[int, dict[int, Block]], calls: list[CallEdge]) -> Iterable[list[Block]]:
    """Gather the blocks of functions that call each other most into parts below the limits, the busiest part first."""
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
        if first != second and size[first] + size[second] <= MAX_JOINED_INSTRUCTIONS:
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
        for edge in calls:
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


def _back_edges(blocks: dict[int, Block]) -> set[tuple[int, int]]:
    """Return (target, source) of the edges to the same or a lower address: loops."""
    return {(t, b.insns[-1].pc) for b in blocks.values() for t in _targets(b) if t in blocks and t <= b.insns[-1].pc}


def _outermost_loops(blocks: dict[int, Block]) -> set[int]:
    """Return the heads of the outermost loops: the interpreter soon reaches one, after a check has left the region."""
    heads, end = set(), -1
    for head, tail in sorted(_back_edges(blocks), key=lambda edge: (edge[0], -edge[1])):
        if tail > end:
            heads |= {head} if head > end else set()
            end = tail
    return heads


def _search(edges: dict[int, tuple[int, ...]]) -> tuple[list[int], set[int]]:
    """Search depth first; return the blocks in reverse postorder, and the targets of edges back to one being searched.

    All edges to other targets lead forward in that order, so every cycle passes one of those.
    """
    postorder: list[int] = []
    heads: set[int] = set()
    is_done: dict[int, bool] = {}  # False: being searched
    for root in edges:
        todo = [] if root in is_done else [(root, iter(edges[root]))]
        is_done.setdefault(root, False)
        while todo:
            start, rest = todo[-1]
            target = next((t for t in rest if is_done.get(t) is not True), None)
            if target is None:
                is_done[start] = True
                postorder.append(start)
                todo.pop()
            elif target in is_done:
                heads.add(target)
            else:
                is_done[target] = False
                todo.append((target, iter(edges[target])))
    return postorder[::-1], heads


def _checks(blocks: dict[int, Block], edges: dict[int, tuple[int, ...]], heads: set[int]) -> set[int]:
    """Return the blocks to check the budget before: heads of loops, and where a path without one grows long."""
    checks = set(heads)
    lengths = dict.fromkeys(blocks, 0)
    for start, block in blocks.items():
        length = (0 if start in checks else lengths[start]) + len(block.insns)
        for target in edges[start]:
            if target not in checks:
                if length > MAX_PATH:
                    checks.add(target)
                lengths[target] = max(lengths[target], length)
    return checks


def longest_path(region: Region, weight: dict[int, int]) -> int:
    """Return the greatest sum of block weights on any path between two checks."""
    longest = 0
    sums = dict.fromkeys(region.blocks, 0)
    for start in region.blocks:
        total = (0 if start in region.checks else sums[start]) + weight[start]
        longest = max(longest, total)
        for target in region.edges[start]:
            if target not in region.checks:
                sums[target] = max(sums[target], total)
    return longest
