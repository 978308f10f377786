"""Timing models of the PowerPC 601, written in the value layer: the same code runs in every engine.

off     nothing is counted
table   each instruction takes its clocks in the execute stage, a taken branch what it costs alone
full    the pipeline as an event model (mpc601_pipeline.py), with caches and memory (mpc601_cache.py)
causes  full, and the clocks are counted by what they went to
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..spec.rows import Row
from ..spec.timing import hook
from ..spec.values import Word
from .hooks import PpcHooks
from .mpc601_clocks import max_execute, multiplier_clocks, outcomes, table
from .mpc601_pipeline import CausesTiming, PipelineTiming


class TableTiming(PpcHooks):
    """Sum of the clocks in the execute stage."""

    counts = splits_branches = True

    def start(self, row: Row, operands: dict[str, Any], take: Callable[[], Word]) -> None:
        m = self.m
        self.costs = outcomes(row, self.choices)
        self.max_clocks = max_execute(self.costs)
        self.cost = m.variable(m.const(64, self.costs[0].execute[0] if self.costs[0].execute else 0))
        self.condition = m.const(1, 1)

    def outcome(self, condition: Word) -> None:
        self.condition = condition

    @hook
    def multiplier(self, factor: Word) -> None:
        self.cost.set(multiplier_clocks(self.m, self.costs[0].execute, factor))

    @hook
    def transfers(self, words: Word, more: Word) -> None:
        self.cost.set((words + more).zext(64))

    @hook
    def exception(self) -> None:
        clocks = table()["exception"].execute[0]
        self.max_clocks += clocks
        self.cost.set(self.m.const(64, clocks))

    def finish(self, outcome: bool | None = None) -> None:
        m = self.m
        cost = self.cost.get()
        if len(self.costs) == 2:
            condition = self.condition if outcome is None else m.const(1, outcome)
            cost = m.select(condition, *(m.const(64, c.execute[0]) for c in self.costs))
        m.pass_clocks(cost)


MPC601_MODES = {"off": PpcHooks, "table": TableTiming, "full": PipelineTiming, "causes": CausesTiming}
