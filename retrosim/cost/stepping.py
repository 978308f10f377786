"""Executes a call one instruction at a time, and notes what each instruction took and who called whom."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from retrosim.cpu.spec.cpu import Cache
from retrosim.cpu.spec.rows import Insn
from retrosim.machine import Machine

from .calls import BRANCH, KIND_SHIFT, PASS, CallTree, Functions, kind_of
from .causes import MODE, CauseCounter

REPORT_EVERY = 5_000  # instructions between two reports of progress
MAX_STRETCHES = 200_000  # of time between two calls or returns that a timeline keeps

Progress = Callable[[int, int, str], None]


@dataclass
class Executed:
    """One instruction as it was executed; `departures`: how often another than the next one in memory followed."""

    insn: Insn
    code: bytes
    visits: int = 0
    cycles: int = 0
    departures: int = 0
    misses: dict[str, int] = field(default_factory=dict)
    causes: np.ndarray | int = 0


@dataclass(frozen=True)
class Stepped:
    """A call as it was executed: its instructions, the accesses to each cache, and its call tree.

    columns   what the tree counts: cycles, instructions, and the misses of each cache
    """

    executed: list[Executed]
    accesses: dict[str, int | None]
    tree: CallTree
    columns: list[str]


class _CallLog:
    """Notes where the flow may have left a function."""

    def __init__(self, functions: Functions) -> None:
        self._functions = functions
        self._known: dict[int, tuple[int | None, int, bool]] = {}  # by address: kind, function, does the next differ
        self.rows: list[tuple[int, int, int]] = []
        self.totals: list[list[int]] = []

    def note(self, insn: Insn, following: int, totals: list[int]) -> None:
        """Note an instruction that has been executed, if it matters."""
        known = self._known.get(insn.pc)
        if known is None:
            function = self._functions.at(insn.pc)
            known = self._known[insn.pc] = kind_of(insn), function, function != self._functions.at(insn.end)
        kind, function, differs = known
        if kind is None:
            differs = differs if following == insn.end else self._functions.at(following) != function
            if not differs:
                return
            kind = BRANCH
        self.end(insn, following, totals, kind)

    def end(self, insn: Insn, following: int, totals: list[int], kind: int = PASS) -> None:
        """Note an instruction whatever it is."""
        self.rows.append((insn.pc | kind << KIND_SHIFT, following, insn.end))
        self.totals.append(totals.copy())


def _caches_of(machine: Machine) -> list[_CacheWatch]:
    if machine.timing not in ("full", MODE):
        return []
    return [_CacheWatch(machine.core.state, name, cache) for name, cache in machine.core.cpu.caches.items()]


def step_through(machine: Machine, count: int, progress: Progress) -> Stepped:
    """Execute a call that was begun, of so many instructions."""
    core, latest, executed = machine.core, {}, []
    caches = _caches_of(machine)
    no_misses = dict.fromkeys((watch.name for watch in caches), 0) or {"data": 0, "instruction": 0}
    counter = CauseCounter(machine) if machine.timing == MODE else None
    columns = ["cycles", "instructions", *(f"{watch.name}_misses" for watch in caches)]
    functions, totals = Functions(machine.image.symbol_table), [0] * len(columns)
    log, tree = _CallLog(functions), CallTree(functions, machine.regs["pc"], len(columns), False, MAX_STRETCHES)
    for done in range(count):
        if done % REPORT_EVERY == 0:
            progress(done, count, "attributing cycles")
        insn = core.decode(int(core.state["pc"]))
        each = latest.get(insn.pc)
        if each is None or each.insn is not insn:
            code = machine.mem[insn.pc : insn.pc + insn.length].tobytes()
            if each is None or each.code != code:  # a program that rewrites itself has several at one address
                each = Executed(insn, code, misses=dict(no_misses))
                executed.append(each)
            each.insn = insn
            latest[insn.pc] = each
        cycles = machine.run(instructions=1).cycles
        following = int(core.state["pc"])
        each.cycles += cycles
        each.visits += 1
        each.departures += following != insn.end
        totals[0] += cycles
        totals[1] += 1
        if counter:
            each.causes = each.causes + counter.take()
        for column, watch in enumerate(caches, 2):
            misses = watch.misses()
            each.misses[watch.name] += misses
            totals[column] += misses
        if done + 1 < count:
            log.note(insn, following, totals)
        else:
            log.end(insn, following, totals)
    tree.add(log.rows, log.totals)
    return Stepped(executed, {watch.name: watch.accesses for watch in caches}, tree, columns)


class _CacheWatch:
    """Accesses and misses of one cache: its counter steps at every access, a miss that allocates changes a tag."""

    def __init__(self, state: np.ndarray, name: str, cache: Cache) -> None:
        self.name, self.accesses = name, 0 if cache.accesses else None
        self._state, self._tags, self._counter = state, state[cache.tags], cache.accesses
        self._line_bits = ~self._tags.dtype.type(cache.status_bits)
        self._known, self._count = self._tags & self._line_bits, int(state[self._counter]) if self._counter else 0

    def misses(self) -> int:
        """Return the misses since the last call, and count the accesses."""
        if self.accesses is not None:
            count = int(self._state[self._counter])
            accesses = (count - self._count) & 0xFF
            if not accesses:
                return 0
            self.accesses += accesses
            self._count = count
        tags = self._tags & self._line_bits
        changed = int(np.count_nonzero(tags != self._known))
        self._known = tags
        return changed
