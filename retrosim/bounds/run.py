"""Runs a routine on all states at once, block after block, loop after loop, into calls and back.

Where paths meet, what is known of them is joined: what holds of all. A loop is run again and again, each time on what
is known after the time before, until nothing goes back to its head: so counters that are known decide how often it
runs, also one inside another whose count differs each time. Where they do not, the number of times that its head is
reached is given, and as soon as a time changes nothing but the clocks, the rest is taken by multiplication.

Some states stay apart where paths meet (trace partitioning, Rival and Mauborgne 2007): what leaves a loop after one,
two, three times, while another loop follows, because how often that runs may depend on it; and all paths of small
routines.

The greatest clocks of the joined states are those of the longest path, the least those of the shortest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from retrosim.cpu.engines.core import Core
from retrosim.cpu.spec.rows import Insn

from .engine import BoundsEngine, Unbounded
from .state import AbstractState, Trail

# The blocks of one routine, its loops within loops, and the order in which to visit them.

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
class RoutineFlow:
    """Blocks by address, their order, and the routine as the outermost loop."""

    blocks: dict[int, tuple[Insn, ...]]
    order: list[int]
    whole: Loop


def routine_at(core: Core, entry: int) -> RoutineFlow:
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
    return RoutineFlow(blocks, order, _loops(entry, order, successors))


def _successors(insn: Insn) -> tuple[list[int], bool]:
    """Return where an instruction goes on within its routine, and whether it ends a block."""
    options = insn.row.options
    following = [] if options.get("ends") or insn.row.leads_nowhere else [insn.end]
    if options.get("calls"):
        return following, True
    targets = [] if insn.target is None else [insn.target]  # a repeated instruction is its own
    ends = bool(targets or options.get("flow") or options.get("ends") or insn.row.leads_nowhere)
    return list(dict.fromkeys([*following, *targets])), ends


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


MAX_TIMES = 100_000  # that an undecided loop is tried
PATIENCE = 256  # times that a loop may go on although it could have been left each time, unless its bound is given
EXACT = 4  # times that a loop of given bound is followed exactly, before what changes is taken as unknown
MAX_STEPS = 3_000_000  # instructions that are run in all
PATH_STEPS = 100  # instructions that are run before paths are joined where they meet
MAX_PARTS = 32  # states that stay apart where paths meet
Part = tuple[tuple[int, ...], frozenset[Any]]  # how often loops were run and where branches went before; pointers
Parts = dict[Part, AbstractState]
NO_PART: Part = (), frozenset()


class Runner:
    """Runs routines on states.

    engine  what runs instructions
    given   head of a loop -> how often it is reached at most each time the loop is entered
    name    name(address): what a message calls an address
    """

    def __init__(
        self,
        core: Core,
        engine: BoundsEngine,
        given: Mapping[int, int],
        name: Callable[[int], str],
        progress: Callable[[int], None] = lambda steps: None,
    ) -> None:
        self.core, self.engine, self.given, self.name, self.progress = core, engine, given, name, progress
        self.routines: dict[int, RoutineFlow] = {}
        self.times: dict[int, int] = {}  # head of a loop -> how often it was reached at most, each time it was entered
        self.steps = 0
        self._calls: list[tuple[int, int]] = []
        self._stops: dict[int, Insn] = {}  # entry of a routine -> an instruction in it that nothing follows

    @property
    def loops(self) -> set[int]:
        """The heads of the loops that have been met."""
        found: set[int] = set()
        todo = [routine.whole for routine in self.routines.values()]
        while todo:
            loop = todo.pop()
            found |= set(loop.inner)
            todo += loop.inner.values()
        return found

    def call(self, entry: int, state: AbstractState, back: int) -> AbstractState:
        """Run a routine to its return to an address. Errors: Unbounded."""
        if any(entry == called for called, _ in self._calls):
            raise Unbounded(
                f"{self.name(entry)} calls itself (recursion), which has no bound; arguments that "
                "are given may decide that it does not, else bound what it calls by itself"
            )
        if entry not in self.routines:
            self.routines[entry] = routine_at(self.core, entry)
        routine = self.routines[entry]
        self._calls.append((entry, back))
        left, _ = self._level(routine, routine.whole, state)
        self._calls.pop()
        returned = left.pop(back, None)
        if left or returned is None:
            raise Unbounded(f"{self.name(entry)} does not return on any path{self._why(entry)}")
        return _together(returned)

    def _why(self, entry: int) -> str:
        """Return what keeps a routine from returning, if that is known."""
        stop = self._stops.get(entry)
        if stop is None:
            return ""
        what = (
            "always raises an exception"
            if stop.row.pattern
            else "is not an instruction of this processor; --machine chooses another"
        )
        return f": {stop.text} at {self.name(stop.pc)} {what}"

    def _level(
        self, routine: RoutineFlow, loop: Loop, state: AbstractState
    ) -> tuple[dict[int, Parts], AbstractState | None]:
        """Run the blocks of a loop once; return what leaves it, and what goes back to its head."""
        waiting: dict[int, Parts] = {loop.head: {NO_PART: state}}
        left: dict[int, Parts] = {}
        again: Parts = {}
        is_whole = loop is routine.whole
        visits = loop.visits(routine.order)
        last_inner = max((number for number, block in enumerate(visits) if block in loop.inner), default=-1)
        for number, block in enumerate(visits):
            for (part, _), before in waiting.pop(block, {}).items():
                targets = (
                    self._loop(routine, loop.inner[block], before, is_apart=number < last_inner)
                    if block in loop.inner
                    else self._block(routine, block, before)
                )
                for target, parts in targets.items():
                    is_back = target == loop.head and not is_whole
                    there = again if is_back else (waiting if target in loop.blocks else left).setdefault(target, {})
                    is_apart = not is_back and (number < last_inner or self.steps < PATH_STEPS)
                    for (more, _), after in parts.items():
                        _add(there, (part + more if is_apart else (), after.pointers()), after)
        return left, _together(again) if again else None

    def _loop(self, routine: RoutineFlow, loop: Loop, state: AbstractState, is_apart: bool) -> dict[int, Parts]:
        """Run a loop until it is left; return what leaves it, apart by the times that it was run or together."""
        given = self.given.get(loop.head)
        left: dict[int, Parts] = {}
        count = undecided = 0
        while True:
            levels, after = self._level(routine, loop, state)
            outside = {target: _together(parts) for target, parts in levels.items()}
            count += 1
            undecided += bool(outside)
            part: Part = (count,) if is_apart else (), frozenset()
            for target, each in outside.items():
                _add(left.setdefault(target, {}), part, each)
            if after is None:
                break
            if given is not None and count == given:
                if not left:
                    raise Unbounded(
                        f"the loop at {self.name(loop.head)} is not left within {given} times: its bound is too small"
                    )
                break
            if given is not None and count >= EXACT and not is_apart:
                after = after.without_bases()
            is_steady = after.is_like(state)
            if given is None:
                if is_steady or undecided == PATIENCE or count == MAX_TIMES:
                    raise Unbounded(self._no_bound(loop.head))
            elif is_steady and count > EXACT:
                self.engine.residence.is_known = False
                self._repeat(left, part, outside, state, after, given - count)
                count = given
                break
            elif outside and count >= EXACT and (not is_apart or count >= MAX_PARTS):
                after = _taken_over(state.widened(after), after)
            state = after
        self.times[loop.head] = max(count, self.times.get(loop.head, 0))
        return left

    def _no_bound(self, head: int) -> str:
        return (
            f"the loop at {self.name(head)} has no bound that its code shows; "
            f"give how often its first instruction is executed at most: --loop {head:#x}=N"
        )

    @staticmethod
    def _repeat(
        left: dict[int, Parts],
        part: Part,
        outside: dict[int, AbstractState],
        before: AbstractState,
        after: AbstractState,
        times: int,
    ) -> None:
        """Let a loop run on so often, each time as the last one."""
        more = (after.maximum - before.maximum) * times
        for target, each in outside.items():
            trail = Trail(each.trail.block, each.trail.before, after.trail, before.trail, times) if each.trail else None
            longest = _later(each, more)
            longest.trail, longest.minimum = trail, each.minimum
            _add(left[target], part, longest)

    def _block(self, routine: RoutineFlow, start: int, state: AbstractState) -> dict[int, Parts]:
        state = replace(state, trail=Trail(start, state.trail))
        insns = routine.blocks[start]
        for insn in insns[:-1]:
            state = self._step(insn, state).get(insn.end) or self._never(insn)
        targets: dict[int, AbstractState] = {}
        back = self._calls[-1][1]
        last = insns[-1]
        ends = self._step(last, state)
        if not ends:
            self._stops.setdefault(self._calls[-1][0], last)
        for target, after in ends.items():
            place = self._goes_to(last, target, back)
            if place is None:
                assert target is not None
                after, place = self.call(target, after, last.end), last.end
            targets[place] = after if place not in targets else targets[place].joined(after)
        return {
            place: {((place,) if self.steps < PATH_STEPS else (), frozenset()): after}
            for place, after in targets.items()
        }

    def _never(self, insn: Insn) -> AbstractState:
        raise Unbounded(f"{insn.text} at {self.name(insn.pc)} always raises an exception, or jumps")

    def _goes_to(self, insn: Insn, target: int | None, back: int) -> int | None:
        """Return where control goes within the routine, or out of it; None: into a call."""
        calls = insn.row.options.get("calls")
        if target == insn.end or (target is not None and not calls and target in (insn.target, back, insn.pc)):
            return target
        if target is None or not calls:
            what = "call" if calls else "jump"
            raise Unbounded(
                f"computed {what} at {self.name(insn.pc)} ({insn.text}), which has no bound; "
                "bound the routines that it may reach, and add the clocks"
            )
        return None

    def _step(self, insn: Insn, state: AbstractState) -> dict[int | None, AbstractState]:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise Unbounded(f"more than {MAX_STEPS} instructions to follow; --loop bounds let them be fewer")
        if not self.steps % 500:
            self.progress(self.steps)
        return self.engine.outcomes(insn, state)


def _add(parts: Parts, part: Part, state: AbstractState) -> None:
    """Have a state join its part; where there are too many, all become one."""
    parts[part] = parts[part].joined(state) if part in parts else state
    if len(parts) > MAX_PARTS:
        whole = _together(parts)
        parts.clear()
        parts[NO_PART] = whole


def _together(parts: Parts) -> AbstractState:
    """Return what holds in each of some states."""
    return reduce(AbstractState.joined, parts.values())


def _later(state: AbstractState, clocks: int) -> AbstractState:
    """Return a state so many clocks later."""
    times = {key: (lo, hi, latest + clocks) for key, (lo, hi, latest) in state.times.items()}
    ways = tuple(way._replace(clocks=way.clocks + clocks) for way in state.ways)
    return replace(state, times=times, minimum=state.minimum + clocks, ways=ways)


def _taken_over(widened: AbstractState, after: AbstractState) -> AbstractState:
    """Return a widened state with the clocks of the one that it stands for."""
    result = replace(widened, times={}, minimum=after.minimum, ways=after.ways, trail=after.trail)
    for key in widened.times:
        result.set_time(key, *widened.time(key))
    return result


def visits_of(trail: Trail | None) -> Counter[int]:
    """Count how often each block is run on the path of a trail."""
    counts: Counter[int] = Counter()
    while trail is not None:
        counts[trail.block] += 1
        if trail.repeats:
            counts.update(_between(trail.outer, trail.inner, trail.repeats))
        trail = trail.before
    return counts


def _between(first: Trail | None, last: Trail | None, times: int) -> Counter[int]:
    counts: Counter[int] = Counter()
    while last is not None and last is not first:
        counts[last.block] += times
        for block, count in (_between(last.outer, last.inner, last.repeats) if last.repeats else {}).items():
            counts[block] += count * times
        last = last.before
    return counts
