"""Timing models of the 68K, written in the value layer: the same code runs in every engine.

off     nothing is counted
table   MC68040: each instruction takes the slowest of its stages, nothing overlaps and nothing waits
full    MC68040: the pipeline as an event model. The MC68000 has no pipeline to speak of: table and full are one
causes  MC68040: full, and the clocks are counted by what they went to
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..spec.rows import Insn, Row
from ..spec.timing import Untimed, bound
from ..spec.values import Word
from .mc68000_timing import MC68000Timing
from .mc68040_clocks import clocks
from .mc68040_pipeline import CausesTiming, PipelineTiming


class TableTiming(Untimed):
    """Sum of the slowest stage of each instruction."""

    counts = takes_a_clock = splits_branches = True

    @staticmethod
    def fields(insn: Insn) -> tuple[int, ...]:
        return tuple(c.alone | c.address << 16 for c in clocks(insn))

    def start(self, row: Row, operands: dict[str, Any], take: Callable[[], Word]) -> None:
        packed = [take() for _ in row.cost]
        self.costs, self.calculation = [p & 0xFFFF for p in packed], packed[0] >> 16
        self.condition, self.extra = self.m.const(1, 1), 0
        # clocks in place of the cost, unless 0, and beside it
        self.instead, self.more = self.m.variable(self.m.const(32, 0)), self.m.variable(self.m.const(32, 0))

    @property
    def max_clocks(self) -> int:
        return max(cost.known for cost in self.costs) + self.extra

    @property
    def min_clocks(self) -> int:
        return min(cost.known for cost in self.costs)

    def outcome(self, condition: Word) -> None:
        self.condition = condition

    def depends(self, what: str, *words: Word) -> None:
        m = self.m
        self.extra += bound(*words, self.calculation)
        match what:
            case "exception":
                clocks, replaces = words
                self.instead.set(m.select(replaces, clocks, clocks + self.calculation))
            case "instead":
                address, execution = words
                self.instead.set(m.select(address.ult(execution), execution, address))
            case "more":  # execution is the slower one in all of these
                self.more.set(self.more.get() + words[1])

    def finish(self, outcome: bool | None = None) -> None:
        m, instead = self.m, self.instead.get()
        condition = self.condition if outcome is None else m.const(1, outcome)
        cost = m.select(condition, *self.costs) if len(self.costs) == 2 else self.costs[0]
        m.pass_clocks(m.select(instead.eq(0), cost + self.more.get(), instead).zext(64))


MODELS = {"off": Untimed, "table": TableTiming, "full": PipelineTiming, "causes": CausesTiming}
MC68000_MODELS = {"off": Untimed, "table": MC68000Timing, "full": MC68000Timing}
