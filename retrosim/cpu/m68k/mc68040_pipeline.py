"""The MC68040's pipeline as an event model, in the value layer.

The full model keeps, in absolute clocks, when each stage is free (MC68040UM section 10 and its definitions of lead and
interlock; rules and confidence in guide/facts/m68040_timing.md). Each stage holds one instruction, which leaves it when
the next stage is empty:

    ea_start   the address stage is free, and the address registers are ready (a result of the execute stage is ready
               when that instruction leaves it; (An)+, -(An), stack and LEA results when they leave the address stage)
    ea_end     ea_start + EA-calculate clocks, and the instruction before has left the fetch stage
    fetch_end  ea_end + 1 clock per operand fetched, at least 1, and the instruction before has left the execute stage
    cycles     fetch_end + base clocks
    ea_end     later by what execution is late beyond the lead, for interlocked forms

A branch to a decoded target is over when it leaves the address stage. One that tests flags takes its target for
granted; if it is not taken after all, that is known when the instruction before has left the execute stage. By
the option `printed` of the reading `branches` it passes all stages, with the clocks that are printed. What synchronises
starts when the pipeline and the bus are idle.

Caches and memory (mc68040_cache.py) hold up the stage that needs them: an instruction line the address stage, an
operand the fetch stage, a store the execute stage, at whose end it is made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ..spec.cpu import ADDRESS_MASK
from ..spec.rows import Insn, Row
from ..spec.timing import Usual, later
from ..spec.values import Word
from . import mc68040_cache
from .ea import Ea
from .mc68040 import (
    NEVER,
    SLACK_BITS,
    MC68040Timing,
    is_synchronising,
    is_trap_or_return,
    outcomes,
    stores_while_executing,
)

CAUSES = {
    "execute": "base clocks of the instructions: the execute stage works",
    "addresses": "address calculation beyond the one clock that execution hides",
    "registers": "waiting for a register that address calculation needs, or for the pipeline to drain",
    "branches": "fetching from the target of a branch, call or return; conditions that were not met",
    "operands": "operand fetches beyond one an instruction, second accesses of misaligned ones",
    "data": "reads that miss the data cache, or wait for the bus",
    "code": "instruction cache misses",
    "stores": "stores that wait: lines that copyback allocates, the bus, misaligned ones",
    "refill": "filling the empty pipeline: at the start, after services and interrupts",
}
"""Cause -> what the model `causes` counts under it, in the order of the state field `causes`."""


class PipelineTiming(MC68040Timing):
    """The event model of the stages, with caches and memory."""

    counts = True
    counters = {"fetch": "icount", "read": "dcount", "write": "dcount"}  # noqa: RUF012
    looked_up_in_place = 17  # every register of MOVEM
    times: ClassVar[tuple[str, ...]] = ("ea_end", "fetch_end", "ready")
    marks: ClassVar[tuple[str, ...]] = ("fetch_line", "fetch_word")
    subroutines = {"fetch": mc68040_cache.fetch, "read": mc68040_cache.read, "write": mc68040_cache.write}  # noqa: RUF012

    def forget(self) -> None:
        """What is ready before the address stage is free is ready in time."""
        m = self.m
        free = m.get("ea_end")
        m.set("fetch_end", later(m, free, m.get("fetch_end")))
        for number in range(m.cpu.layout.fields["ready"][1]):
            register = m.const(32, number)
            m.set_element("ready", register, later(m, free, m.element("ready", register)))

    def usual(self, name: str, address: Word, size: int, now: Callable[[], Word]) -> Usual:
        return mc68040_cache.usual(self.m, name, address, size, now)

    def hit(self, name: str, *words: Word) -> tuple[Word, Callable[[], None], Word] | None:
        return None if name == "fetch" else mc68040_cache.hit(self.m, name, *words)

    @classmethod
    def fields(cls, insn: Insn) -> tuple[int, ...]:
        overlaps = cls.choices["lead"] == "overlapped"
        found = []
        for each in outcomes(insn.row, insn.forms, cls.choices):
            entry = min(each.address, each.lead + 1) if overlaps else each.address
            slack = each.lead + 1 - entry if overlaps and each.slack != NEVER else each.slack
            found += [each.address | each.base << 12 | each.fetches << 24, slack | entry << SLACK_BITS]
        return tuple(found)

    def start(self, row: Row, operands: dict[str, Any], take: Callable[[], Word]) -> None:
        m, self.row = self.m, row
        self.costs = [(take(), take()) for _ in row.cost]
        self.executed = m.get("cycles")  # execute stage free
        self.fetch_free = m.get("fetch_end")
        self.operands = self.extra = 0
        zero = m.const(64, 0)
        self.fetch_wait, self.store_wait = m.variable(zero), m.variable(zero)
        # clocks that replace the cost (0: none do), and that come on top: EA calculation | execution << 12
        self.replaced, self.added = m.variable(m.const(32, 0)), m.variable(m.const(32, 0))
        self.settled = False
        self.overlaps = m.cpu.choices["lead"] == "overlapped"
        hides = m.cpu.choices["branches"] == "hidden"
        self.is_branch = hides and "target" in operands and not row.options.get("calls")
        self.tests_flags = self.is_branch and operands.get("c", 0) not in (0, 1)  # always, never
        self.stores_early = stores_while_executing(row)
        self.stored = m.variable(zero) if self.stores_early else None
        self.calculation = self.costs[0][0] & 0xFFF
        self.ea_free = m.get("ea_end")
        self.coded = start = self.ea_free + self._instruction_fetch() + self._delivery()
        for register in self._address_registers(row, operands):
            start = later(m, start, m.element("ready", register))
        self.refills = m.cpu.choices["return"] == "done" and is_trap_or_return(row)
        self.synchronises = is_synchronising(row)
        if self.synchronises:
            start = later(m, start, later(m, self.executed, m.get("bus_free")))
        self.ea_start = self.ea_end = start
        self.pending = len(self.costs) == 2
        if not self.pending:
            self._issue(*self.costs[0])

    def _instruction_fetch(self) -> Word:
        """Return the clocks that the address stage waits for code: nothing within a line, or from a cached one."""
        m = self.m
        first, last = m.pc >> 4, (m.next_pc - 1 & ADDRESS_MASK) >> 4
        wait = m.variable(m.const(64, 0))

        def fetch(line: Word) -> None:
            now = m.get("ea_end") + wait.get()
            wait.set(wait.get() + m.subroutine("fetch", mc68040_cache.fetch, line.zext(64), now))

        m.when(first.ne(m.get("fetch_line")), lambda: fetch(first))
        m.when(last.ne(first), lambda: fetch(last))
        m.set("fetch_line", last)
        return wait.get()

    def _delivery(self) -> Word:
        """Return the clocks beyond one in which the long words of the instruction come from the cache."""
        m = self.m
        if m.cpu.choices["code"] == "line":
            return m.const(64, 0)
        first, last = m.pc >> 2, (m.next_pc - 1 & ADDRESS_MASK) >> 2
        before = m.get("fetch_word")
        goes_on = first.eq(before) | first.eq(before + 1)
        count = last - m.select(goes_on, before, first - 1)
        m.set("fetch_word", last)
        return m.select(count.eq(0), count, count - 1).zext(64)

    @property
    def max_clocks(self) -> int:
        packed = [cost.number for cost, _ in self.costs]
        return max((p & 0xFFF) + (p >> 12 & 0xFFF) + (p >> 24) for p in packed) + 3 * self.operands + self.extra

    @property
    def max_waits(self) -> int:
        """Two lines of code; an operand may lie in two lines; what synchronises waits for the bus."""
        return 3 + 2 * self.operands

    def max_wait_clocks(self) -> Word:
        """Return the most clocks of one wait: a line that is read, after one that replaced a dirty line."""
        return mc68040_cache.max_wait_clocks(self.m)

    @staticmethod
    def _address_registers(row: Row, operands: dict[str, Any]) -> list[Word]:
        registers = [r for o in operands.values() if isinstance(o, Ea) for r in o.address_registers]
        return registers + [operands[name] for name in row.options.get("early", ())]

    def outcome(self, condition: Word) -> None:
        if self.pending:
            self.pending = False
            self._issue(*(self.m.select(condition, a, b) for a, b in zip(*self.costs, strict=True)))
            if self.tests_flags:
                flags = self.m.select(condition, self.m.const(64, 0), self.executed)
                self.ea_end = self.entered = later(self.m, self.ea_end, flags)
                self.handover = self._entered(self.ea_end, self.entered)

    def _issue(self, packed: Word, rules: Word) -> None:
        self.ea_end = self.ea_start + (packed & 0xFFF).zext(64)
        self.fetches = (packed >> 24).zext(64)
        self.base = (packed >> 12 & 0xFFF).zext(64)
        self.slack, entered = (rules & NEVER).zext(64), self.ea_end
        if self.overlaps:
            entered = self.ea_start + (rules >> SLACK_BITS).zext(64)
        self.entered = entered
        self.handover = self._entered(self.ea_end, entered)

    def _entered(self, ea_end: Word, entered: Word) -> tuple[Word, Word]:
        """Return when an instruction leaves the address stage, and when it enters the fetch stage; both are one but for
        what overlaps. A branch does not enter it.
        """
        if self.is_branch:
            return ea_end, entered
        left = later(self.m, ea_end, self.fetch_free)
        return left, later(self.m, entered, self.fetch_free) if self.overlaps else left

    def memory(self, address: Word, bits: int, write: bool) -> None:
        m = self.m
        self.operands += 1
        location, size = (address & ADDRESS_MASK).zext(64), m.const(64, bits // 8)
        if write:
            now = self._store_time() + self.store_wait.get()
            wait = m.subroutine("write", mc68040_cache.write, location, size, now)
            self.store_wait.set(self.store_wait.get() + wait)
        else:
            # of what synchronises most of the clocks are not those of an address
            asked = self.ea_start if self.synchronises else self.ea_end
            now = later(m, asked, self.fetch_free) + self.fetch_wait.get()
            wait = m.subroutine("read", mc68040_cache.read, location, size, now)
            self.fetch_wait.set(self.fetch_wait.get() + wait)

    def _store_time(self) -> Word:
        """Return when a store is made if none before it waited: at the end, or one each clock of execution."""
        _, _, entered, base = self._stages()
        began = later(self.m, entered + self.fetch_wait.get(), self.executed)
        if self.stored is None:
            return began + base
        self.stored.set(self.stored.get() + 1)
        return began + self.stored.get()

    def replace(self, address: Word, execution: Word) -> None:
        self.replaced.set(address | execution << 12)

    def add(self, address: int, execution: int) -> None:
        self.added.set(self.added.get() + (address | execution << 12))

    def _stages(self) -> tuple[Word, Word, Word, Word]:
        """Return when EA calculation starts and ends, when EA fetch ends without waits, and the clocks of execution.

        Clocks that replace the cost are those of instructions that start when older work is done.
        """
        m, replaced, added = self.m, self.replaced.get(), self.added.get()
        if replaced.known == added.known == 0:
            ea_end, entered = self.handover
            return self.ea_start, ea_end, entered + self.fetches, self.base
        usual, more = replaced.eq(0), (added & 0xFFF).zext(64)
        start = m.select(usual, self.ea_start, later(m, self.ea_start, self.executed))
        instead = start + (replaced & 0xFFF).zext(64)
        ea_end, entered = (m.select(usual, each + more, instead) for each in (self.ea_end, self.entered))
        ea_end, entered = self._entered(ea_end, entered)
        fetches = m.select(usual, self.fetches, m.const(64, 1))
        base = m.select(usual, self.base + (added >> 12).zext(64), (replaced >> 12).zext(64))
        return start, ea_end, entered + fetches, base

    def settle(self) -> None:
        """Fix the times of the stages: all data that the cost depends on is known."""
        if not self.settled:
            self.ea_start, self.ea_end, self.fetched, self.base = self._stages()
            self.settled = True

    def written(self, register: Word, stage: str) -> None:
        _, ea_end, fetched, base = self._stages()
        fetch_end = fetched + self.fetch_wait.get()
        done = {"address": ea_end, "fetch": fetch_end, "execute": later(self.m, fetch_end, self.executed) + base}[stage]
        self.m.set_element("ready", register, done)

    def _fetch_end(self) -> Word:
        return self.fetched + self.fetch_wait.get()

    def finish(self) -> None:
        m = self.m
        self.settle()
        fetch_end, ea_end = self._fetch_end(), self.ea_end
        began = later(m, fetch_end, self.executed)
        if self.row.options.get("flow"):  # the address that is fetched is where the next instruction is
            ea_end = ea_end + self.fetch_wait.get()
        if self.slack.known != NEVER:
            late = began - fetch_end
            ea_end = ea_end + m.select(self.slack.ult(late), late - self.slack, m.const(64, 0))
        done = began + self.base + self.store_wait.get()
        m.set("ea_end", done if self.refills else ea_end)
        if not self.is_branch:
            m.set("fetch_end", began)
        m.set("cycles", done)


class CausesTiming(PipelineTiming):
    """The event model, which also counts what each clock went to: CAUSES says how, the field `causes` holds the counts.

    Between the end of one instruction and that of the next lie the clocks that the execute stage waits for the next
    one, its base clocks, and the stores that hold it up; the three are exactly what the model adds to the clock. The
    wait is resolved backwards from the end of the operand fetch, by the model's own times: what the stages before took
    beyond the one clock each that every instruction has to pass. Whatever is left then belongs to the predecessor: only
    one that executes in no time, which is a branch, can leave a clock; or there was none, and the pipeline was empty.
    """

    times = marks = ()  # causes are not remembered

    def start(self, row: Row, operands: dict[str, Any], take: Callable[[], Word]) -> None:
        self.is_flow = bool(row.options.get("flow"))
        self.misaligned = self.m.variable(self.m.const(64, 0))
        super().start(row, operands, take)

    def memory(self, address: Word, bits: int, write: bool) -> None:
        super().memory(address, bits, write)
        if not write:
            location, size = (address & ADDRESS_MASK).zext(64), self.m.const(64, bits // 8)
            self.misaligned.set(self.misaligned.get() + mc68040_cache.crossing(self.m, location, size))

    def finish(self) -> None:
        self.settle()
        m, zero = self.m, self.m.const(64, 0)
        fetch_end, misaligned = self._fetch_end(), self.misaligned.get()
        left = m.select(self.executed.ult(fetch_end), fetch_end - self.executed, zero)
        for cause, wait in (
            ("data", self.fetch_wait.get() - misaligned),
            ("operands", self.fetched - self.ea_end - 1 + misaligned),
            ("branches" if self.is_flow else "addresses", self.ea_end - self.ea_start - 1),
            ("registers", self.ea_start - self.coded),
            ("code", self.coded - self.ea_free),
        ):
            part = m.select(left.ult(wait), left, wait)
            self._count(cause, part)
            left = left - part
        was_empty = self.ea_free.eq(self.executed)
        self._count("refill", m.select(was_empty, left, zero))
        self._count("branches", m.select(was_empty, zero, left))
        self._count("execute", self.base)
        self._count("stores", self.store_wait.get())
        super().finish()

    def _count(self, cause: str, clocks: Word) -> None:
        number = self.m.const(32, list(CAUSES).index(cause))
        self.m.set_element("causes", number, self.m.element("causes", number) + clocks)
