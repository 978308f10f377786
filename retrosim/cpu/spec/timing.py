"""What every timing model is: hooks that the rows and the engines call around and inside an instruction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import ref

from .rows import Insn, Row
from .values import Word

MAX_VARYING_CLOCKS = 200  # more than any part of an instruction that depends on data (DIVS of the MC68000: 158)


def bound(*words: Word) -> int:
    """Return a bound of the clocks that some numbers say."""
    return sum(MAX_VARYING_CLOCKS if word.known is None else word.known for word in words)


class Untimed:
    """Base of the timing models and the model that counts nothing."""

    counts = False
    max_clocks = 0  # of the last instruction, without waits for the bus; known when it is emitted
    max_waits = 0  # for the bus, of the last instruction
    takes_a_clock = False  # does every instruction take at least one clock?
    splits_branches = False  # is the end of a branch simpler where its outcome is known?

    def __init__(self, m: Any) -> None:
        self._m = ref(m)  # no circle: a machine's memory is freed as soon as it is dropped

    @property
    def m(self) -> Any:
        """The engine that this model belongs to."""
        return self._m()

    def max_wait_clocks(self) -> Word:
        """Return the most clocks of one wait for the bus."""
        return self.m.const(64, 0)

    @staticmethod
    def fields(insn: Insn) -> tuple[int, ...]:
        """Return the numbers that decoding puts into the record for this model."""
        return ()

    def start(self, row: Row, operands: dict[str, Any], take: Callable[[], Word]) -> None:
        """Begin an instruction."""

    def outcome(self, condition: Word) -> None:
        """Choose between two costs: the first when the condition holds."""

    def memory(self, address: Word, bits: int, write: bool) -> None:
        """Account for a memory operand."""

    def depends(self, what: str, *words: Word) -> None:
        """Account for data that the cost depends on: a shift count, a multiplier, an exception, ...

        exception   clocks; are they all? Else EA calculation (MC68040) or the instruction's clocks (MC68000) count too
        instead     EA calculation and execution of this MC68040 instruction in place of its cost
        more        EA calculation and execution beside its cost
        """

    def written(self, register: Word, stage: str) -> None:
        """A register gets its result in the named stage."""

    def finish(self) -> None:
        """End the instruction; one that splits branches has finish(outcome) for those of known outcome."""
