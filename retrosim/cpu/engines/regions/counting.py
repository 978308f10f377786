"""Regions that count for a profile (profiling.py): how often each instruction ran, what it took, where flow went.

A block is counted once, when it is entered. What an instruction takes in it is the same each time but for two things,
which are counted apart: ways out of a block that leave instructions out or take other clocks than the first way out of
the same instruction, and clocks that depend on data. The plan of a region says what a count of each stands for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...spec.cpu import Cpu
from ...spec.ir import POINTER, Function, Module
from ...spec.rows import Insn
from ...spec.values import Word
from ..emit import COUNTS_POINTER, POINTER_BYTES, RECORDS_POINTER, Emitter
from ..handlers.handlers import CLOCKS_WORD, COUNTING_WORD, HANDLER, LOG_END_WORD, SINCE_WORD, UNDER_WAY_WORD
from .recompile import LEAVE, RegionEmitter
from .regions import Block, Region

# What the code that counts for a profile (profiling.py) has in common: the instruction under way, and the log.

SITE, NEXT, BACK, CLOCK, LEFT, LOG_WORDS = range(6)
KIND_SHIFT = 32  # of a kind in `SITE`


class FlowLog:
    """Emits what is counted and logged. The shared words are in the record of unknown addresses."""

    def __init__(self, m: Emitter) -> None:
        self.m, self.code = m, m.code

    @property
    def first_record(self) -> str:
        """The record of unknown addresses."""
        return self.m.context_pointer(RECORDS_POINTER)

    def shared(self, number: int) -> str:
        return self.code.address(self.first_record, 4 * number)

    def set_under_way(self, record: str, now: Word) -> None:
        """Let the clocks from now on be those of a record."""
        self.code.store(POINTER, record, self.shared(UNDER_WAY_WORD))
        self.m.put(now, self.shared(SINCE_WORD))

    def count_under_way(self, now: Word) -> None:
        """Count the clocks until now for the record under way."""
        since = self.m.loaded(64, self.shared(SINCE_WORD))
        self.add_to_record(self.code.load(POINTER, self.shared(UNDER_WAY_WORD)), CLOCKS_WORD, now - since)

    def add_to_record(self, record: str, number: int, count: Word) -> None:
        place = self.code.address(record, 4 * number)
        self.m.put(self.m.loaded(64, place) + count, place)

    def append(self, pc: Word, kind: int, following: Word, behind: Word, now: Word, left: Word) -> None:
        """Append a row to the log."""
        end = self.code.load(POINTER, self.shared(LOG_END_WORD))
        row = (pc.zext(64) | kind << KIND_SHIFT, following.zext(64), behind.zext(64), now, -left)
        for column, word in enumerate(row):
            self.m.put(word, self.code.address(end, 8 * column))
        self.code.store(POINTER, self.code.address(end, 8 * LOG_WORDS), self.shared(LOG_END_WORD))


COUNTS_PER_INSTRUCTION = 8  # room in the array of counts: its block, the ways out, clocks that depend on data


@dataclass(frozen=True)
class Counting:
    """How a region counts.

    first   number of its first count
    kinds   address -> kind of the instructions whose flow is logged
    """

    first: int
    kinds: dict[int, int]


Plan = dict[int, list[tuple[int, int, int]]]
"""Number of a count -> what it stands for: (address, visits, clocks)."""


class CountingRegionEmitter(RegionEmitter):
    """Emits the function of one region, which counts."""

    alone_word = COUNTING_WORD

    def __init__(self, cpu: Cpu, timing: Any, code: Function, region: Region, counting: Counting) -> None:
        self._counts = code.load_constant(POINTER, code.address(code.args[3], POINTER_BYTES * COUNTS_POINTER))
        self.counting, self.plan = counting, Plan()
        self._next_count = counting.first
        self._behind_counts = counting.first + counts_of(region)
        self._insn_now: Insn | None = None
        self._is_leaving = False
        super().__init__(cpu, timing, code, region)
        self.log = FlowLog(self)

    def _new_count(self) -> int:
        if self._next_count == self._behind_counts:
            raise RuntimeError("a region has more to count than there is room for")
        self._next_count += 1
        return self._next_count - 1

    def _add_to(self, number: int, count: Word) -> None:
        place = self.code.address(self._counts, POINTER_BYTES * number)
        self.put(self.loaded(64, place) + count, place)

    def _block(self, block: Block) -> tuple[list[int], list[int]]:
        number = self._new_count()
        self._add_to(number, self.const(64, 1))
        self._index, self._last = -1, len(block.insns) - 1
        self._taken_by: list[int] = []  # clocks that decoding knows, of each instruction
        self._ways: list[tuple[int, int, int]] = []  # out of it: count, number of the instruction, clocks of that
        self._usual: int | None = None  # clocks of the last instruction by the first way out
        found = super()._block(block)
        self._insn_now = None
        clocks = [*self._taken_by[: self._last], self._usual or 0]
        addresses = [insn.pc for insn in block.insns]
        self.plan[number] = [(pc, 1, each) for pc, each in zip(addresses, clocks, strict=True)]
        for way, index, taken in self._ways:
            missed = [(addresses[each], -1, -clocks[each]) for each in range(index + 1, len(addresses))]
            self.plan[way] = [(addresses[index], 0, taken - clocks[index]), *missed]
        return found

    def _insn(self, insn: Insn) -> None:
        self._insn_now, self._begun = insn, self._pending[1]
        self._index += 1
        self._by_data: int | None = None
        super()._insn(insn)
        self._taken_by.append(self._pending[1] - self._begun)

    def set(self, name: str, word: Word) -> None:
        if name == "cycles" and self._insn_now is not None:
            if self._by_data is None:
                self._by_data = self._new_count()
                self.plan[self._by_data] = [(self._insn_now.pc, 0, 1)]
            self._add_to(self._by_data, word - self.get("cycles"))
        super().set(name, word)

    # ways out of an instruction

    def _go(self, address: Word) -> None:
        """Count and log a way out of the instruction under way, to an address."""
        insn = self._insn_now
        if insn is None or self._is_leaving:
            return
        taken = self._pending[1] - self._begun
        if self._index == self._last and self._usual is None:
            self._usual = taken
        elif self._index != self._last or taken != self._usual:
            number = self._new_count()
            self._ways.append((number, self._index, taken))
            self._add_to(number, self.const(64, 1))
        kind = self.counting.kinds.get(insn.pc)
        if kind is not None:
            now, left = self._counter.clock() + self._pending[1], self._counter.budget() - self._pending[0]
            self.log.append(self.pc, kind, address, self.next_pc, now, left)

    def _edge(self, address: int) -> None:
        self._go(Word(32, address))
        before, self._is_leaving = self._is_leaving, True
        super()._edge(address)
        self._is_leaving = before

    def _to_dispatch(self, address: Word) -> None:
        self._go(address)
        super()._to_dispatch(address)

    def _switch(self, address: Word) -> None:
        self._go(address)
        super()._switch(address)

    def _exit(self, how: int, address: Word) -> None:
        if how == LEAVE:
            self._go(address)
        super()._exit(how, address)

    # where control comes from and goes to

    def _begin_timing(self) -> None:
        super()._begin_timing()
        self.log.count_under_way(self._counter.clock())

    def _store_timing(self) -> None:
        super()._store_timing()
        self.log.set_under_way(self.log.first_record, self._counter.clock())


def counts_of(region: Region) -> int:
    """Return how many counts a region may have."""
    return COUNTS_PER_INSTRUCTION * sum(1 for _ in region.insns)


def plan_of(cpu: Cpu, timing: Any, region: Region, counting: Counting) -> Plan:
    """Return what the counts of a region stand for."""
    emitter = CountingRegionEmitter(cpu, timing, Function(Module(), HANDLER, "plan"), region, counting)
    emitter.emit()
    return emitter.plan
