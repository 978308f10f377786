"""Published clocks of the PowerPC 601 and of the machine around it, and the timing model that only adds them up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from retrosim.errors import SpecError

from ..spec.rows import Row
from ..spec.semantics import ExecutionContext
from ..spec.sources import read_rows
from ..spec.timing import hook
from ..spec.values import Word
from .hooks import PpcHooks

TABLE = Path(__file__).with_name("mpc601_clocks.csv")
SHORT_FACTOR = 16  # bits of a factor that the multiplier takes in one go
MAX_TRANSFERS = 33  # words that lmw or a string moves, and one more when they are not aligned


@dataclass(frozen=True)
class Clocks:
    """Clocks of one instruction.

    execute  in the execute stage; several, when a multiplier decides; none, when it is one a register or word moved
    delay    that a next instruction waits for the result
    source   where they are from
    """

    execute: tuple[int, ...]
    delay: int
    source: str


@dataclass(frozen=True)
class MemoryParameter:
    """A figure of the machine around the CPU: its name, CPU clocks, the plausible range, what they are of, source."""

    name: str
    clocks: int
    low: int
    high: int
    meaning: str
    source: str
    confidence: str


def _entries(kind: str, choices: Mapping[str, str]) -> list[dict[str, str]]:
    """Return the rows of a kind; one for a reading that was chosen takes the place of the row without."""
    rows = [row for row in read_rows(TABLE) if row["kind"] == kind]
    chosen = [row for row in rows if row["reading"] and row["reading"] in map("=".join, choices.items())]
    replaced = {row["names"] for row in chosen}
    return [row for row in rows if not row["reading"] and row["names"] not in replaced] + chosen


def table(choices: Mapping[str, str] | None = None) -> dict[str, Clocks]:
    """Return the clocks of every instruction of the table, by mnemonic. `choices`: reading -> option."""
    return _table(tuple((choices or {}).items()))


@cache
def _table(choices: tuple[tuple[str, str], ...]) -> dict[str, Clocks]:
    found: dict[str, Clocks] = {}
    for row in _entries("instruction", dict(choices)):
        text = row["clocks"]
        clocks = Clocks(() if text == "n" else tuple(int(n) for n in text.split("/")), int(row["delay"]), row["source"])
        names = [row["names"]] if row["names"].startswith("bc ") else row["names"].split()
        for name in names:
            if name in found:
                raise SpecError(f"two entries of clocks for {name!r}")
            found[name] = clocks
    return found


def rules(choices: Mapping[str, str] | None = None) -> dict[str, int]:
    """Return the rules of the pipeline, in clocks. `choices`: reading -> option."""
    return _rules(tuple((choices or {}).items()))


@cache
def _rules(choices: tuple[tuple[str, str], ...]) -> dict[str, int]:
    return {row["names"]: int(row["clocks"]) for row in _entries("rule", dict(choices))}


@cache
def memory_parameters() -> tuple[MemoryParameter, ...]:
    """Return the memory parameters of the Power Macintosh 8100/80, in the order of the state field."""
    return tuple(
        MemoryParameter(
            row["names"],
            int(row["clocks"]),
            int(row["low"]),
            int(row["high"]),
            row["note"],
            row["source"],
            row["confidence"],
        )
        for row in _entries("memory", {})
    )


@cache
def memory() -> dict[str, int]:
    """Return the clocks of the memory parameters by name."""
    return {each.name: each.clocks for each in memory_parameters()}


def outcomes(row: Row, choices: Mapping[str, str] | None = None) -> tuple[Clocks, ...]:
    """Return the clocks of an instruction: one, or two for its outcomes (taken and not taken).

    choices  reading -> option, None for the defaults
    Errors   SpecError where the table has none
    """
    entries = table(choices)
    missing = [key for key in row.cost if key not in entries]
    if missing:
        raise SpecError(f"no MPC601 clocks for {missing[0]!r} in {TABLE.name}")
    return tuple(entries[key] for key in row.cost)


def has_data_clocks(row: Row, forms: Mapping[str, Any]) -> bool:
    """Do the clocks of an instruction depend on data? Errors: SpecError where the table has none."""
    return any(len(clocks.execute) != 1 for clocks in outcomes(row))


def multiplier_clocks(m: ExecutionContext, execute: tuple[int, ...], factor: Word) -> Word:
    """Return the clocks of a multiplication: short, long, and where the table has it with the top bit set."""
    short = factor.eq(factor.trunc(SHORT_FACTOR).sext(32))
    choices = [m.const(64, n) for n in execute]
    found = m.select(short, choices[0], choices[1])
    return m.select(factor.sign, choices[2], found) if len(choices) == 3 else found


def max_execute(costs: tuple[Clocks, ...]) -> int:
    """Return the most clocks in the execute stage."""
    return max(max(c.execute, default=MAX_TRANSFERS) for c in costs)


class TableTiming(PpcHooks):
    """Sum of the clocks in the execute stage; of a taken branch what it costs alone."""

    max_clocks = 0
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
