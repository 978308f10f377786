"""Clocks of the MC68040 in the value layer: what its timing models share, and the one that only adds up the table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from ..spec.rows import Insn, Row
from ..spec.timing import clock_bound, hook
from ..spec.values import Word
from .hooks import M68kHooks
from .mc68040_clocks import ADDRESS_REGISTER, BOUNDS_REVERSED, crossing_clocks, outcomes, printed_clocks


class MC68040Timing(M68kHooks, ABC):
    """What data add to the clocks of an entry, or put in their place (MC68040UM section 10).

    A model has, when an instruction has begun: `row`, `calculation` (clocks of EA calculation of the entry), `extra` (a
    bound of what is added so far); and the methods `replace` and `add`.
    """

    row: Row
    calculation: Word
    extra: int

    @abstractmethod
    def replace(self, address: Word, execution: Word) -> None:
        """Let the instruction take these clocks in place of its entry's."""

    @abstractmethod
    def add(self, address: int, execution: int) -> None:
        """Let it take these clocks on top."""

    @hook
    def exception(self, clocks: int, is_whole: bool) -> None:
        total = self.m.const(32, clocks) if is_whole else self.calculation + clocks
        self.extra += 2 * clock_bound(total)
        self.replace(total, total)

    @hook
    def frame_format(self, number: int) -> None:
        clocks = printed_clocks(f"RTE format {number}")
        self.extra += sum(clocks)
        self.replace(*(self.m.const(32, each) for each in clocks))

    @hook
    def field_crosses(self) -> None:
        self._add(*crossing_clocks(self.row.cost[0]))

    @hook
    def bounds(self, is_reversed: Word, of_address: Word) -> None:
        for condition, clocks in ((is_reversed, BOUNDS_REVERSED), (of_address, ADDRESS_REGISTER)):
            self.m.when(condition, lambda clocks=clocks: self._add(clocks, clocks))

    def _add(self, address: int, execution: int) -> None:
        self.extra += address + execution
        self.add(address, execution)


class TableTiming(MC68040Timing):
    """Sum of the slowest stage of each instruction."""

    counts = takes_a_clock = splits_branches = True

    @classmethod
    def fields(cls, insn: Insn) -> tuple[int, ...]:
        return tuple(c.alone | c.address << 16 for c in outcomes(insn.row, insn.forms, cls.choices))

    def start(self, row: Row, operands: dict[str, Any], take: Callable[[], Word]) -> None:
        self.row, packed = row, [take() for _ in row.cost]
        self.costs, self.calculation = [p & 0xFFFF for p in packed], packed[0] >> 16
        self.condition, self.extra = self.m.const(1, 1), 0
        # clocks that replace the cost (0: none do), and that come on top
        self.replaced, self.added = self.m.variable(self.m.const(32, 0)), self.m.variable(self.m.const(32, 0))

    @property
    def max_clocks(self) -> int:
        return max(cost.known for cost in self.costs) + self.extra

    @property
    def min_clocks(self) -> int:
        return min(cost.known for cost in self.costs)

    def outcome(self, condition: Word) -> None:
        self.condition = condition

    def replace(self, address: Word, execution: Word) -> None:
        self.replaced.set(self.m.select(address.ult(execution), execution, address))

    def add(self, address: int, execution: int) -> None:
        """Execution is the slower one in all entries to which something is added."""
        self.added.set(self.added.get() + execution)

    def finish(self, outcome: bool | None = None) -> None:
        m, replaced = self.m, self.replaced.get()
        condition = self.condition if outcome is None else m.const(1, outcome)
        cost = m.select(condition, *self.costs) if len(self.costs) == 2 else self.costs[0]
        m.pass_clocks(m.select(replaced.eq(0), cost + self.added.get(), replaced).zext(64))
