"""Timing models of the x86, written in the value layer: the same code runs in every engine.

    off     nothing is counted but exceptions and interrupts between instructions
    table   the clocks of the manual: cache hits, no wait states, everything prefetched; m with the instruction it is of
    full    i286, i386: prefetch queue, wait states, operands across words or double words (prefetch.py)
            i486: prefixes, address generation, misalignment, cache and write buffers (i486_pipeline.py)

What depends on data (hooks.py), in every mode that counts: multipliers, bit scans, rotates through carry, levels of
ENTER, iterations of repeats. A repeat spends its fixed clocks in its last iteration, so that an interrupted one spends
them once. A step is an iteration, so the bound of its clocks (`max_clocks`) is that of an iteration; the bound of a
range is its upper end, that of a scan or of levels MAX_UNITS of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..spec.rows import Insn, Row
from ..spec.timing import hook
from ..spec.values import Word
from .clocks import are_plain, clocks, components
from .hooks import X86Hooks
from .modes import is_286

REPEAT_OF_NONE, REPEAT_OF_ONE = 5, {"MOVS": 13}  # i486 PRM, REP: clocks where there are 0 iterations, and 1
MAX_UNITS = 31  # positions that a scan passes, levels of ENTER

FIELDS = (
    ("refill", 32, 1),  # 1 after a jump of the i286 or i386, whose m is still to be spent
    ("repeating", 1, 1),  # i486: the repeated instruction under way has had an iteration
)


class TableTiming(X86Hooks):
    """Clocks of the manual; `model` is set by the class of a model."""

    counts = splits_branches = True
    model = ""
    odd_word = 0  # clocks that a word at an odd address takes longer where no instruction accesses it: in a frame
    refills = True  # are jumps followed by m? else by nothing, and prefixes and ends of repeats have rules of the i486

    @classmethod
    def fields(cls, insn: Insn) -> tuple[int, ...]:
        return (*(c.packed for c in clocks(insn.row, insn.forms, cls.model, cls.choices)), cls.extra(insn))

    @classmethod
    def extra(cls, insn: Insn) -> int:
        """Return what the encoding adds: m in bits 0-3, a clock for the address in bit 4; i486, prefixes."""
        if not cls.refills:
            return cls.prefixes(insn)
        if is_286(cls.model):  # a base, an index and a displacement (80286 PRM appendix B)
            return insn.length | bool(insn.forms.get("two") and insn.forms.get("disp")) << 4
        longer = cls.choices["two-registers"] == "clock" and bool(insn.forms.get("two"))
        return components(insn) | longer << 4

    @staticmethod
    def prefixes(insn: Insn) -> int:
        """Return how many prefixes are decoded apart: the figures of a repeat hold its own."""
        return insn.prefixes - insn.forms.get("rep", 0)

    def start(self, row: Row, operands: dict[str, Any], take: Callable[[], Word]) -> None:
        m = self.m
        self.row = row
        self.rep = bool(operands.get("rep"))
        self.is_plain = not self.rep and are_plain(row.cost, self.model)
        self.costs = [take() for _ in row.cost]
        self.cost, self.encoded = self.costs[0], take()
        self.condition = m.const(1, 1)  # of the first of two costs; of a repeat: another iteration is due
        self.none = m.const(1, 0)
        self.by_data = m.const(64, 0)  # part of the figure, as in `costs`
        self.added = m.variable(m.const(64, 0))  # on top of the figure: what encoding and waits take
        if self.refills or not self.rep:
            self.add(self.encoded_clocks())

    @property
    def max_clocks(self) -> int:
        return max(self._max_clocks_of(cost.number) for cost in self.costs) + self._max_encoded

    def _max_clocks_of(self, packed: int) -> int:
        base, each, span = packed & 0x3FF, packed >> 10 & 31, packed >> 15 & 0x3FF
        if self.rep:
            return max(base + each, REPEAT_OF_NONE, REPEAT_OF_ONE.get(self.row.name, 0))
        return base + span + each * MAX_UNITS

    @property
    def _max_encoded(self) -> int:
        return (self.encoded.number & 15) + (self.encoded.number >> 4)

    def encoded_clocks(self) -> Word:
        """Return the clocks that the encoding adds: m after a jump, and those of the address; i486, of prefixes."""
        if not self.refills:
            return self.encoded
        m = -self.m.get("refill") & self.encoded  # the field is 0 or 1
        if not is_286(self.model) and self.choices["two-registers"] != "clock":
            return m
        return (m & 15) + (self.encoded >> 4)

    def add(self, clocks: Word) -> None:
        self.added.set(self.added.get() + clocks.zext(64))

    def outcome(self, condition: Word) -> None:
        self.condition = condition

    @hook
    def multiplier(self, factor: Word, signed: bool) -> None:
        """The 286 takes the same for all."""
        if not is_286(self.model):
            self.by_data = self._by_size(factor, signed)

    def _by_size(self, factor: Word, signed: bool) -> Word:
        """Return the clocks of a multiplier beyond the minimum of the range."""
        m = self.m
        value = factor.resize(32, signed)
        negative = value.sign if signed else m.const(1, 0)
        size = m.select(negative, -value, value)
        bits = m.const(32, 32) - (size - 1).count_leading_zeros()  # ceil(log2): 0 for 1
        bits = m.select(size.eq(0), m.const(32, 0), bits)
        minimum = m.const(32, 3) if self.refills else m.select(negative, m.const(32, 5), m.const(32, 3))
        return (m.select(bits.ult(minimum), minimum, bits) - 3).zext(64)

    def varies_by(self, name: str, *details: Any) -> Word | None:
        return self._by_size(*details) if name == "multiplier" else details[0].zext(64)

    @staticmethod
    def details_for(name: str, number: Word, *details: Any) -> tuple[Any, ...]:
        if name == "multiplier":
            return (Word(32, 1) << number.trunc(32) + 2) + 1, False
        return (number.trunc(details[0].bits),)

    @hook
    def scanned(self, positions: Word) -> None:
        self._by_positions(positions)

    @hook
    def shift_count(self, count: Word) -> None:
        self._by_positions(count)

    def _by_positions(self, positions: Word) -> None:
        each, span = self.cost >> 10 & 31, self.cost >> 15 & 0x3FF
        self.by_data = (each * positions + (span * positions).udiv(MAX_UNITS)).zext(64)

    @hook
    def level(self, level: Word) -> None:
        m = self.m
        self.cost = m.select(level.ule(1), m.select(level.eq(0), *self.costs[:2]), self.costs[2])
        self.by_data = m.select(level.ule(1), m.const(32, 0), (self.costs[2] >> 10 & 31) * level).zext(64)

    @hook
    def iterations(self, none: Word) -> None:
        self.none = none

    def _clocks(self) -> Word:
        """Return the clocks of the table for `cost`."""
        if self.is_plain:
            return self.cost
        m, base = self.m, self.cost & 0x3FF
        if not self.rep:
            return base
        each, none = self.cost >> 10 & 31, base
        last = base + each
        if not self.refills:
            if self.row.name not in ("INS", "OUTS"):
                none = m.const(32, REPEAT_OF_NONE)
            if self.row.name in REPEAT_OF_ONE:
                last = m.select(m.get("repeating"), last, m.const(32, REPEAT_OF_ONE[self.row.name]))
            none, last = none + self.encoded_clocks(), last + self.encoded_clocks()
        return m.select(self.condition, each, m.select(self.none, none, last))

    def finish(self, outcome: bool | None = None) -> None:
        m = self.m
        if outcome is not None:
            self.condition = m.const(1, outcome)
        if len(self.costs) == 2:
            self.cost = m.select(self.condition, *self.costs)
        self.spend(self._clocks().zext(64) + self.by_data + self.added.get())
        if self.refills:
            never_refills = self.rep or self.is_plain
            m.set("refill", m.const(32, 0) if never_refills else self.cost >> 25 & 1)
        elif self.rep and self.row.name in REPEAT_OF_ONE:
            m.set("repeating", self.condition)

    def spend(self, clocks: Word) -> None:
        self.m.pass_clocks(clocks)
