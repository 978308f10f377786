"""Finds the code of a ROM: basic blocks, and the regions of them that the recompiler makes one function each.

Discovery starts at roots (the entry, function symbols) and follows fall-through, branch targets and return sites. What
it misses (jump tables, calls through registers) is run by the interpreter, which comes back at the next entry point,
and is found when the interpreter has met it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from ...spec.cpu import ADDRESS_MASK
from ...spec.rows import Insn
from ...spec.timing import Timing
from ..core import Core

# Functions and who calls them: which are compiled together, and where computed jumps are likely to go.

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


MAX_JOINED = 600  # instructions of functions that are compiled together because they call each other
MAX_JOINED_WAITING = 200  # where code is longer, and slower, because it computes waits for the bus
MAX_DISCOVERED = 1 << 14  # instructions found at once; the rest is found when the machine is busy in it
MAX_GUESSES = 2  # of where a computed jump goes
MAX_PATH = 200  # instructions between two checks of the budget
BLANK = 16  # bytes: as many zeros are memory that nothing was loaded into, and no code


@dataclass(frozen=True)
class Region:
    """Blocks by address, those that can be entered from outside, and those that check the budget first.

    edges      by block: control-flow edges inside the region, as far as decoding knows them, and guessed ones
    guesses    by block: where the computed jump at its end is likely to go
    functions  where functions begin
    copied     blocks that another region has, too, through which the code is entered
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
    copied: frozenset[int] = frozenset()

    @property
    def insns(self) -> Iterable[Insn]:
        return (insn for block in self.blocks.values() for insn in block.insns)

    @property
    def own_insns(self) -> Iterable[Insn]:
        """The instructions that are not copied."""
        return (i for start, block in self.blocks.items() if start not in self.copied for i in block.insns)


def discover(
    core: Core,
    roots: Iterable[int],
    known: Collection[int] = (),
    indirect: Iterable[int] = (),
    direct: Iterable[int] = (),
    others: Iterable[Region] = (),
    timing: type[Timing] | None = None,
) -> list[Region]:
    """Return the regions of the code that is reached from `roots`, the busiest first.

    roots   addresses, the most important first: at most MAX_DISCOVERED instructions are followed from them
    known   addresses of instructions that are left out: they lie in other regions
    indirect  addresses that execution has come to by computed jumps, in that order: they are followed, too
    direct  likewise those that known code leads to; they may not have been there when that code was decoded
    others  regions that the code may call
    timing  model that the regions are for; None: the core's
    Decoding the code makes stores into it noticed.
    """
    waits, indirect = (timing or core.timing).has_waits(), list(indirect)
    insns, leaders, functions, returns, new = _follow(core, roots, known, indirect, direct)
    blocks = _blocks(insns, leaders)
    cases = _cases(blocks, functions, [pc for pc in indirect if pc in new or pc in blocks])
    functions |= new - cases
    bodies = bodies_of(blocks, sorted(functions))
    leaves = {} if waits else leaves_of(bodies) | leaves_of(_bodies_in(others))
    calls = call_edges(leaves | bodies)
    ordered = busiest_first(calls)
    guesses = guesses_of(leaves | bodies, ordered)
    to_leaves = [edge for edge in ordered if edge.callee in leaves]
    own = [edge for edge in calls if edge.callee in bodies]
    limit = MAX_JOINED_WAITING if waits else MAX_JOINED
    parts = [{block.start: block for block in part} for part in parts_of(bodies, own, limit)]
    entries = functions | returns | cases
    for inside in parts:
        entries |= {target for block in inside.values() for target in targets_of(block) if target not in inside}
    regions = []
    for inside in parts:
        copies = copies_of(inside.values(), leaves, to_leaves)
        whole = dict(sorted((inside | copies).items()))
        region = region_of(whole, entries & set(inside), guesses, functions - copies.keys())
        here = region.checks & set(inside)  # the interpreter comes back soon after a check has left the region
        regions.append(replace(region, entries=tuple(sorted(here.union(region.entries))), copied=frozenset(copies)))
    return regions


def _bodies_in(regions: Iterable[Region]) -> Bodies:
    """Return the functions that regions have for themselves."""
    found: Bodies = {}
    for region in regions:
        blocks = {start: block for start, block in sorted(region.blocks.items()) if start not in region.copied}
        found |= bodies_of(blocks, sorted(region.functions)) if region.functions else {}
    return found


def _cases(blocks: dict[int, Block], functions: Iterable[int], targets: Iterable[int]) -> set[int]:
    """Return which of some addresses, in the order they were met, are cases of a switch; the others are functions.

    What lies between a function that leads to a computed jump and the next function is taken for a case.
    """
    starts, cases = sorted(functions), set()
    edges = {start: [t for t in _targets_inside(block) if t in blocks] for start, block in blocks.items()}
    switches = {start for start, block in blocks.items() if _switches(block)}
    switching: dict[int, bool] = {}
    for address in targets:
        number = bisect_right(starts, address)
        first = starts[number - 1] if number else None
        if first in blocks and first not in switching:
            switching[first] = not switches.isdisjoint({first} | _reached(edges, first))
        if first is not None and switching.get(first):
            cases.add(address)
        elif first != address:
            starts.insert(number, address)
    return cases


def switching_regions(regions: list[Region], addresses: Iterable[int]) -> list[Region]:
    """Return the regions whose functions have computed jumps that may lead to some addresses."""
    owner = _owners(start for region in regions for start in region.functions)
    wanted = {owner(address) for address in addresses} - {None}
    return [r for r in regions if any(_switches(b) and owner(b.start) in wanted for b in r.blocks.values())]


def _targets_inside(block: Block) -> list[int]:
    """Return the addresses of the successors of a block; calls are left out."""
    return [block.end] if block.insns[-1].row.options.get("calls") else targets_of(block)


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
    likely = {start: tuple(g for g in guesses.get(start, ()) if g in entries)[:MAX_GUESSES] for start in blocks}
    edges = {start: (*(t for t in targets_of(b) if t in blocks), *likely[start]) for start, b in blocks.items()}
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
    core: Core, roots: Iterable[int], known: Collection[int], indirect: Iterable[int], direct: Iterable[int]
) -> tuple[dict[int, Insn], set[int], set[int], set[int], set[int]]:
    """Return instructions by address; where blocks begin, functions begin, calls return to; what of the rest is new."""
    unit = core.cpu.isa.word_bytes
    roots = [root for root in roots if not root % unit]
    todo = [*sorted(set(roots)), *roots[:1]]  # the last is taken first
    insns: dict[int, Insn] = {}
    leaders, functions, returns = set(todo), set(todo), set()
    new: set[int] = set()
    for start, begins_block in ((None, False), *((pc, True) for pc in indirect), *((pc, False) for pc in direct)):
        is_found = start in insns and (start in leaders or not begins_block)
        if start is not None and not start % unit and start not in known and not is_found:
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
                options = insn.row.options
                if target is not None and not target % unit:
                    leaders.add(target)
                    todo.append(target)
                if options.get("calls"):
                    returns.add(insn.end)
                    if target is not None and target in leaders:
                        functions.add(target)
                if target is not None or options.get("flow") or options.get("calls") or insn.end < pc:
                    leaders.add(insn.end)
                if insn.row.leads_nowhere or options.get("ends"):
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


def blocks_in_loops(region: Region) -> set[int]:
    """Return the blocks that lie in loops without calls and returns, as far as decoding knows."""
    onward = {start: () if _leads_out(block) else region.edges[start] for start, block in region.blocks.items()}
    back: dict[int, list[int]] = {start: [] for start in onward}
    for start, targets in onward.items():
        for target in targets:
            back[target].append(start)
    return {start for head in region.checks for start in _reached(onward, head) & _reached(back, head)}


def _leads_out(block: Block) -> bool:
    """Does the block end with a call, or a jump to a computed address?"""
    last = block.insns[-1]
    return bool(last.row.options.get("calls") or (last.target is None and last.row.options.get("flow")))


def _reached(edges: Mapping[int, Iterable[int]], start: int) -> set[int]:
    """Return the blocks that one or more edges lead to from a block."""
    found: set[int] = set()
    todo = [start]
    while todo:
        new = set(edges[todo.pop()]) - found
        found |= new
        todo += new
    return found
