"""The MPC601's pipeline as an event model, in the value layer.

The full model keeps, in absolute clocks, when things happen (guide/facts/ppc601_timing.md sections 1-3). Up to three
instructions leave the queue in a clock: one to the integer unit, from the bottom; one to the branch unit and one to
the floating-point unit, from the lowest four. (Floating-point instructions take an exception, so far.)

    integer     dispatched: fetched, and the one before has entered its execute stage
                entered:    a clock later, the stage is free, and the operands are ready
                end:        entered + clocks of the table + clocks that the cache holds the unit
                results are ready at the end, those of loads and of mfspr by their delay later
    branch      executed:   fetched, at most three older integer instructions in the queue, the branch unit free, LR or
                CTR there; a branch on a condition that is not known yet is predicted: taken backwards, not taken
                forwards and through LR or CTR, the other way round with the y bit; one prediction at a time
                the next instruction can be dispatched `target` clocks later when it branches; a wrong prediction is
                found when the compare leaves the execute stage (rules `condition`, `refetch`, `resume`)
    fetch       eight instructions (32 bytes) in a clock, when data leave the cache free; sequential ones run ahead

A branch takes no integer slot, and costs nothing when the integer unit still has older work. With the reading
`cr-logic=branch-unit` condition-register logic is executed there too: behind the conditions that it reads, in order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ..spec.cpu import ADDRESS_MASK
from ..spec.rows import Insn, Row
from ..spec.timing import Usual, hook, later
from ..spec.values import Word
from . import mpc601_cache
from .hooks import PpcHooks
from .mpc601_cache import KNOWN, NONE, SECTOR_SHIFT
from .mpc601_clocks import SHORT_FACTOR, max_execute, multiplier_clocks, outcomes, rules, table

CAUSES = {
    "execute": "the integer unit works: one clock an instruction",
    "longer": "multiplications, divisions, several words, exceptions: clocks beyond the first",
    "operands": "waiting for a load that hit the cache, or for a special register",
    "targets": "fetching from the target of a branch, as far as older work does not hide it",
    "mispredicted": "wrong predictions: from the branch to the right path, as far as older work does not hide it",
    "links": "the branch unit waits for LR, CTR, an earlier prediction, or the conditions of condition-register logic",
    "data": "data that miss the cache, or wait for the bus",
    "crossing": "operands across a double word",
    "code": "code that misses the cache",
    "contention": "fetches of code that find the cache taken by data",
    "refill": "filling the empty pipeline: at the start, after services and interrupts",
}
"""Cause -> what the model `causes` counts under it, in the order of the state field `causes`."""


SLACK = 12  # clocks: more than any wait for a register, a branch or a fetch that is not one for the bus
# state fields: times without older work
STAGES = ("entered", "issue1", "issue2", "issue3", "fetched", "branched", "sector_time")
# and those at which something else is ready
READY = ("sector_start", "resolved", "lr_ready", "ctr_ready", "cr_ready", "ready")


class PipelineTiming(PpcHooks):
    """The event model, with caches and memory."""

    counts = splits_branches = True
    max_clocks = 0
    predicted: Word | None  # is the branch predicted to be taken? None: it is not predicted
    times: ClassVar[tuple[str, ...]] = (*STAGES, *READY)
    marks: ClassVar[tuple[str, ...]] = ("sector", "accesses")
    looked_up_in_place = 33  # every word of lmw and stmw
    subroutines = {  # noqa: RUF012
        "fetch": mpc601_cache.fetch,
        "read": mpc601_cache.read,
        "write": mpc601_cache.write,
    }

    def forget(self) -> None:
        """Let be the same what is.

        Branches are executed when the code is fetched, three integer instructions before have been dispatched and the
        one before was executed: the latest of these is all that matters of them. What is ready by then is ready in
        time for a branch, and what is ready when the execute stage is free or can be entered, for integer instructions.
        Of the accesses to data only the time matters up to which they may have kept the cache from code.
        """
        m = self.m
        branch = later(m, later(m, m.get("fetched"), m.get("issue3")), m.get("branched") + 1)
        entered = m.get("entered")
        m.set("fetched", later(m, m.get("fetched"), m.select(entered.ult(branch), entered, branch)))
        m.set("branched", branch - 1)
        for name in ("issue3", "issue2", "issue1", "resolved", "lr_ready", "ctr_ready"):
            m.set(name, later(m, branch, m.get(name)))
        free = later(m, m.get("cycles"), m.get("fetched") + 1)
        for name, time in (("cr_ready", branch), ("ready", free)):
            for number in range(m.cpu.layout.fields[name][1]):
                element = m.const(32, number)
                m.set_element(name, element, later(m, time, m.element(name, element)))
        accesses = m.get("accesses")
        more = m.select(accesses.eq(0), accesses, accesses - 1)
        m.set("sector_start", m.get("sector_start") + more)
        m.set("accesses", accesses - more)

    def usual(self, name: str, address: Word, size: int, now: Callable[[], Word]) -> Usual:
        return mpc601_cache.usual(self.m, name, address, size)

    def hit(self, name: str, *words: Word) -> tuple[Word, Callable[[], None], Word]:
        return *mpc601_cache.hit(self.m, name, *words), self.m.const(64, 0)

    def renew(self, name: str, line: Word) -> None:
        mpc601_cache.renew(self.m, name, line)

    def varies_by(self, name: str, *details: Any) -> Word | None:
        if name == "multiplier":
            (factor,) = details
            return (factor.sign.zext(32) << 1 | factor.ne(factor.trunc(SHORT_FACTOR).sext(32)).zext(32)).zext(64)
        words, more = details
        return more.zext(64) if words.known is not None else None

    @staticmethod
    def details_for(name: str, number: Word, *details: Any) -> tuple[Word, ...]:
        number = number.trunc(32)
        if name == "multiplier":
            return (-(number >> 1) ^ (number & 1) << SHORT_FACTOR,)
        return details[0], number

    @classmethod
    def operand_bytes(cls, row: Row, bits: int) -> int:
        """Of dcbz none: a sector is made without being read. Of several words, the next one sees what is crossed."""
        if row.options.get("fills"):
            return 0
        return bits // 8 if outcomes(row, cls.choices)[0].execute else 1

    @staticmethod
    def fields(insn: Insn) -> tuple[int, ...]:
        """Tell for a branch on a condition whether it is predicted taken (601UM section 3.6: y bit)."""
        if not insn.row.options.get("conditional"):
            return ()
        return (int(insn.forms["backward"]) ^ int(insn.forms["y"]),)

    def start(self, row: Row, operands: dict[str, Any], take: Callable[[], Word]) -> None:
        self.row, self.costs, self.operands = row, outcomes(row, self.choices), 0
        self.rules = rules(self.choices)
        self.max_clocks = max_execute(self.costs) + SLACK
        is_logic = bool(row.options.get("condition_logic")) and self.choices["cr-logic"] == "branch-unit"
        self.in_branch_unit = is_logic or row.cost[0] == "bc taken"
        self._enter_sector()
        if is_logic:
            self._start_condition_logic(operands)
        elif self.in_branch_unit:
            self._start_branch(operands, take)
        else:
            self._start_integer(row, operands)

    @property
    def max_waits(self) -> int:
        """One sector of code; an operand may lie in two sectors."""
        return 1 + 2 * self.operands

    def max_wait_clocks(self) -> Word:
        """Return the most clocks of one wait, with three accesses that are under way."""
        return mpc601_cache.max_wait_clocks(self.m) * 4

    # fetch

    def _enter_sector(self) -> None:
        """Fetch the sector of this instruction, unless the one before came from it."""
        m = self.m
        sector = m.pc >> SECTOR_SHIFT | KNOWN

        def fetch() -> None:
            hit = m.get("sector_time") + 1
            arrived = hit + m.subroutine("fetch", mpc601_cache.fetch, (sector ^ KNOWN).zext(64), hit)
            now = later(m, hit, m.get("entered"))
            self._arrives(hit, arrived)
            accesses = m.get("accesses")
            starved = accesses.ne(0) & now.ule(m.get("sector_start") + accesses)
            arrived = later(m, arrived, m.select(starved, now + self.rules["starved"], hit))
            m.set("sector", sector)
            m.set("sector_time", arrived)
            m.set("sector_start", later(m, now, arrived))
            m.set("accesses", m.const(64, 0))
            m.set("fetched", later(m, m.get("fetched"), arrived))

        m.when(m.get("sector").ne(sector), fetch)

    def _arrives(self, hit: Word, arrived: Word) -> None:
        """A sector of code could be dispatched from at `hit` if it were in the cache, and can be at `arrived`."""

    def _fetch_from(self, time: Word) -> None:
        """Fetch again, so that the next instruction, when the cache has it, enters its execute stage at a time."""
        m = self.m
        m.set("sector", m.const(32, NONE))
        m.set("sector_time", time - 2)

    # integer unit

    def _start_integer(self, row: Row, operands: dict[str, Any]) -> None:
        m = self.m
        zero = m.const(64, 0)
        self.dispatched = later(m, m.get("fetched"), m.get("entered"))
        entered = later(m, self.dispatched + 1, m.get("cycles"))
        for name, kind in row.operands:
            if getattr(kind, "reads", False):
                entered = later(m, entered, m.element("ready", operands[name]))
        if row.name == "sync":
            entered = later(m, entered, m.get("missing"))
        self.entered = entered
        self.execute = m.variable(m.const(64, self.costs[0].execute[0] if self.costs[0].execute else 0))
        self.stall, self.moved = m.variable(zero), m.variable(zero)
        self.late = zero  # clocks that the data of the last load are late by

    def memory(self, address: Word, bits: int, write: bool) -> None:
        size = self.operand_bytes(self.row, bits)
        if not size:
            return
        m = self.m
        self.operands += 1
        name, access = ("write", mpc601_cache.write) if write else ("read", mpc601_cache.read)
        now = self.entered + 1 + self.moved.get() + self.stall.get()
        location = address & ADDRESS_MASK
        result = m.variable(m.const(64, 0))
        is_usual = mpc601_cache.is_usual(m, name, location, size)
        words = location.zext(64), m.const(64, size), now
        m.when(~is_usual, lambda: result.set(m.subroutine(name, access, *words)))
        self.late = result.get() & 0xFFFFFFFF
        stall = result.get() >> mpc601_cache.STALL_SHIFT
        self.access = now + stall
        self.stall.set(self.stall.get() + stall)
        self.moved.set(self.moved.get() + 1)

    def written(self, register: Word, stage: str) -> None:
        m = self.m
        if stage == "load":
            ready = self.access + self.late + self.costs[0].delay
        elif stage == "late":
            ready = self.entered + self.execute.get() + self.costs[0].delay
        else:
            ready = m.const(64, 0)
        m.set_element("ready", register, ready)

    @hook
    def multiplier(self, factor: Word) -> None:
        self.execute.set(multiplier_clocks(self.m, self.costs[0].execute, factor))

    @hook
    def transfers(self, words: Word, more: Word) -> None:
        self.execute.set((words + more).zext(64))

    @hook
    def condition_field(self, field: Word) -> None:
        if self.in_branch_unit:
            known = self.at + self.rules["condition logic"]
        else:
            moved = self.rules["moved condition"] if self.row.options.get("moves_condition") else 0
            known = self.entered + (self.rules["condition"] + moved)
        self.m.set_element("cr_ready", field, known)

    @hook
    def stored_condition(self) -> None:
        self.m.set_element("cr_ready", self.m.const(32, 0), self.entered + (self.rules["condition"] + 1))

    @hook
    def branch_register(self, name: str) -> None:
        self.m.set(f"{name}_ready", self.dispatched + self.rules["register"])

    @hook
    def exception(self) -> None:
        clocks = table()["exception"].execute[0]
        self.max_clocks += clocks
        self.execute.set(self.m.const(64, clocks))
        self._fetch_from(self.entered + self.execute.get())

    # branch unit

    def _in_branch_unit(self) -> Word:
        """Return when the branch unit can have the instruction."""
        m = self.m
        return later(m, later(m, m.get("fetched"), m.get("issue3")), m.get("branched") + 1)

    def _start_condition_logic(self, operands: dict[str, Any]) -> None:
        """Wait for the conditions that are read, and for that whose field is set in part."""
        m, self.predicted = self.m, None
        at = self._in_branch_unit()
        for name, bits in (("ba", 2), ("bb", 2), ("bt", 2), ("crg", 0)):
            if name in operands:
                at = later(m, at, m.element("cr_ready", operands[name] >> bits))
        self.at, self.condition = at, m.const(1, 0)

    def _start_branch(self, operands: dict[str, Any], take: Callable[[], Word]) -> None:
        m = self.m
        at = self._in_branch_unit()
        via = self.row.options.get("via")
        bo = operands.get("bo")
        if via:
            at = later(m, at, m.get(f"{via}_ready"))
        if bo and bo[0] is not None:
            at = later(m, at, m.get("ctr_ready"))
        self.predicted = None
        if self.row.options.get("conditional"):
            self.predicted = take().trunc(1)
            self.known = m.element("cr_ready", operands["bi"] >> 2)
            at = m.select(at.ult(self.known), later(m, at, m.get("resolved")), at)
        self.at = at

    def outcome(self, condition: Word) -> None:
        self.condition = condition

    def _finish_branch(self, condition: Word) -> None:
        m, at = self.m, self.at
        taken, passed, wrong = at + self.rules["target"], at + 1, m.const(1, 0)
        if self.predicted is not None:
            pending = at.ult(self.known)
            wrong = pending & (self.predicted ^ condition)
            taken = m.select(wrong, self.known + self.rules["refetch"], taken)
            passed = m.select(wrong, self.known + self.rules["resume"], passed)
            m.set("resolved", m.select(pending, self.known, m.get("resolved")))
        time = m.select(condition, taken, passed)
        m.set("branched", at)
        m.set("fetched", time)
        m.set("sector", m.select(condition, m.const(32, NONE), m.get("sector")))
        m.set("sector_time", m.select(condition, time - 1, m.get("sector_time")))
        m.set("cycles", later(m, m.get("cycles"), at + 1))
        self._branched(wrong)

    def _branched(self, wrong: Word) -> None:
        """The branch has set when the next instruction is there; was it predicted wrongly?"""

    def finish(self, outcome: bool | None = None) -> None:
        m = self.m
        if self.in_branch_unit:
            self._finish_branch(self.condition if outcome is None else m.const(1, outcome))
            return
        end = self.entered + self.execute.get() + self.stall.get()
        m.set("cycles", end)
        m.set("entered", self.entered)
        m.set("issue3", m.get("issue2"))
        m.set("issue2", m.get("issue1"))
        m.set("issue1", self.dispatched)
        if self.operands:
            m.set("accesses", m.get("accesses") + self.moved.get())
        if self.row.options.get("serialises"):
            self._fetch_from(end)


class CausesTiming(PipelineTiming):
    """The event model, which also counts what each clock went to: CAUSES says how, the field `causes` holds the counts.

    The clock goes from the end of one integer instruction to that of the next. What lies between is told apart by the
    times of the model, in their order: the target of the last branch (the field `bubble` says whether it was predicted
    wrongly), code that missed, code that found the cache taken, operands; then the clocks in the execute stage. Each
    time that is later than the ones before takes the clocks from there, so the sum is the clock.
    """

    times = marks = ()  # causes are not remembered, and need the times as they were
    passed: Word  # the time up to which clocks are counted

    def forget(self) -> None:
        pass

    def start(self, row: Row, operands: dict[str, Any], take: Callable[[], Word]) -> None:
        m = self.m
        self.before, self.preceding = m.get("cycles"), m.get("entered")
        self.aimed, self.came = m.variable(m.get("fetched")), m.variable(m.get("fetched"))
        self.crossing = m.variable(m.const(64, 0))
        super().start(row, operands, take)
        if not self.in_branch_unit:
            self.is_late = (self.entered - m.get("missing")).ule(1)

    def _arrives(self, hit: Word, arrived: Word) -> None:
        m = self.m
        self.aimed.set(later(m, self.aimed.get(), hit))
        self.came.set(later(m, self.came.get(), arrived))

    def memory(self, address: Word, bits: int, write: bool) -> None:
        super().memory(address, bits, write)
        size = self.operand_bytes(self.row, bits)
        if not size:
            return
        m = self.m
        crosses = m.const(32, 8).ult((address & 7) + size)
        crossing = m.select(crosses, m.const(64, self.rules["crossing"]), m.const(64, 0))
        self.crossing.set(self.crossing.get() + crossing)

    def _until(self, cause: Word, time: Word) -> None:
        """Count the clocks up to a time, as far as they are not counted yet."""
        m = self.m
        passed = later(m, self.passed, time)
        self._count(cause, passed - self.passed)
        self.passed = passed

    def _count(self, cause: Word, clocks: Word) -> None:
        m = self.m
        m.set_element("causes", cause, m.element("causes", cause) + clocks)

    def _cause(self, name: str) -> Word:
        return self.m.const(32, list(CAUSES).index(name))

    def _count_fetching(self) -> None:
        m = self.m
        self.passed = self.before
        was_empty = self.preceding.eq(self.before)
        bubble = m.select(was_empty, self._cause("refill"), m.get("bubble").zext(32) & 7)
        self._until(bubble, self.aimed.get() + 1)
        self._until(self._cause("code"), self.came.get() + 1)
        self._until(self._cause("contention"), m.get("fetched") + 1)

    def _branched(self, wrong: Word) -> None:
        m = self.m
        m.set("bubble", m.select(wrong, self._cause("mispredicted"), self._cause("targets")).trunc(8))

    def finish(self, outcome: bool | None = None) -> None:
        m = self.m
        self._count_fetching()
        if self.in_branch_unit:
            self._until(self._cause("targets"), later(m, m.get("issue3"), m.get("branched") + 1) + 1)
            self._until(self._cause("links"), self.at + 1)
        else:
            self._until(self._cause("execute"), self.dispatched + 1)
            self._until(m.select(self.is_late, self._cause("data"), self._cause("operands")), self.entered)
            execute, crossing = self.execute.get(), self.crossing.get()
            first = m.select(execute.eq(0), m.const(64, 0), m.const(64, 1))
            self._count(self._cause("execute"), first)
            self._count(self._cause("longer"), execute - first)
            self._count(self._cause("crossing"), crossing)
            self._count(self._cause("data"), self.stall.get() - crossing)
        super().finish(outcome)
