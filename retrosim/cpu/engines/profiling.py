"""Counts in the interpreter how often each instruction runs and what it takes, and logs where functions are left.

While a profile is attached the records of instructions point to handlers that count and then run the instruction's
own; regions rest, but for those that were made to count (recompile.py). So nothing is slower without a profile,
and nothing is sampled with one.

The clocks of an instruction are those from the end of the one before it to its own end. A plain handler does not see
the end of its instruction, so the next one adds them. Whose they are and since when stands in the record of unknown
addresses, beside the pointer to the end of the log. An instruction whose flow is logged is called and comes back.

The log has a row for each: kind and address of the instruction, address that it went to, address behind it, clock at
its end, and minus the instructions that were left of the run then.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..spec.cpu import Cpu
from ..spec.ir import POINTER, UNLIKELY, Function
from ..spec.rows import Insn
from ..spec.values import Word
from .compiled import Effort, compile_functions
from .core import Core
from .emit import Emitter
from .handlers.handlers import (
    CLOCKS_WORD,
    END_WORD,
    HANDLER,
    LOG_END_WORD,
    NOT_EXECUTED,
    ORDINARY_WORD,
    PC_WORD,
    RECORD_BYTES,
    SINCE_WORD,
    UNDER_WAY_WORD,
    UNKNOWN_RECORD,
    VISITS_WORD,
    Chain,
)
from .regions.counting import KIND_SHIFT, LOG_WORDS, Counting, FlowLog, counts_of, plan_of
from .regions.regions import Region

SLICE = 1 << 18  # instructions at a time: the log has room for so many
KINDS = 3
PLAIN = None
MAX_COUNTS = 1 << 20  # of all regions
NOBODY = -1  # in place of an address


class ProfileEmitter(Emitter):
    """Emits a handler that counts, of instructions of one kind."""

    _after: Word | None = None  # the clock after an instruction that was called

    def __init__(self, cpu: Cpu, code: Function) -> None:
        super().__init__(cpu, code)
        self.chain, self.log = Chain(self, self.now), FlowLog(self)

    def emit(self, timing: Any, kind: int | None) -> None:
        """Emit it; kind: None for an instruction whose flow is not logged."""
        self.timing = timing
        now = self.chain.begun
        self.log.count_under_way(now)
        self.log.add_to_record(self.chain.record, VISITS_WORD, self.const(64, 1))
        handler = self.code.load(POINTER, self.chain.address(ORDINARY_WORD))
        if kind is PLAIN:
            self.log.set_under_way(self.chain.record, now)
            self.chain.call_handler(handler, self.chain.record, self.chain.budget, now)
        else:
            self._run_one(now, handler, kind)

    def now(self) -> Word:
        return self._after if self._after is not None else self.chain.begun

    def _run_one(self, begun: Any, handler: str, kind: int) -> None:
        """Run the instruction alone, log where it went, and go on there."""
        code = self.code
        arguments = self.ram, self.state, self.chain.record, self.context, "1", begun.operand
        following = code.call(HANDLER, handler, arguments)
        now, left = self.field("cycles"), self.word(64, self.chain.budget) - 1
        self._after = now
        self.log.add_to_record(self.chain.record, CLOCKS_WORD, now - begun)
        self.log.set_under_way(self.log.first_record, now)
        is_left = self.word(64, code.computed(f"ptrtoint ptr {following} to i64")).ule(NOT_EXECUTED)
        is_unknown = is_left | self.word(1, code.computed(f"icmp eq ptr {following}, {self.log.first_record}"))
        place = self.variable(self.field("pc"))
        with code.if_then((is_unknown ^ 1).operand):
            place.set(self.loaded(32, code.address(following, 4 * PC_WORD)))
        self.log.append(self.chain.word(PC_WORD), kind, place.get(), self.chain.word(END_WORD), now, left)
        stop = is_left | left.eq(0) | self.field("limit").ule(now)
        with code.if_then(stop.operand, UNLIKELY):
            self.chain.return_record(following, left.operand)
        self.chain.run_record(following, left.operand)


def _emit(cpu: Cpu, timing: str, kind: int | None, code: Function) -> None:
    ProfileEmitter(cpu, code).emit(cpu.timing[timing], kind)


class Profile:
    """What an interpreter counts while this is attached to it."""

    def __init__(
        self,
        core: Core,
        kind_of: Callable[[Insn], int | None],
        consume: Callable[[np.ndarray, int], None],
        between: Callable[[int], None],
    ) -> None:
        """Make counters and log.

        kind_of  what an instruction is logged as, 0..KINDS-1; None: not at all
        consume  called after each run with its log, int64[n, LOG_WORDS], and the instructions that are left of it
        between  called before each run with its instructions: since the last one the host may have let clocks pass, or
                 interrupted the CPU
        """
        self.core, self.kind_of, self._consume = core, kind_of, consume
        self._between = between
        self.counts: dict[int, list[int]] = {}  # by address: visits, clocks, of records that are gone
        kinds: list[int | None] = [*range(KINDS), PLAIN]
        emitters = [partial(_emit, core.cpu, core.timing_mode, kind) for kind in kinds]
        self._functions = compile_functions(f"profile_{core.cpu.label}_{core.timing_mode}", emitters, Effort.FEW)
        self._handlers = dict(zip(kinds, self._functions.addresses.tolist(), strict=True))
        self._log = np.zeros((SLICE + 1, LOG_WORDS), np.int64)
        self._records = np.zeros((1, RECORD_BYTES // 4), np.uint32)
        self.region_counts = np.zeros(MAX_COUNTS, np.int64)
        self._regions: list[tuple[Region, Counting]] = []
        self._used = 0

    def counting(self, region: Region) -> Counting | None:
        """Return how a region is to count, None where there is no room, or its clocks come from a table."""
        capacity = counts_of(region)
        if self.core.cpu.timing_class(self.core.timing_mode).marks or self._used + capacity > MAX_COUNTS:
            return None
        kinds = {insn.pc: kind for insn in region.insns if (kind := self.kind_of(insn)) is not None}
        found = Counting(self._used, kinds)
        self._used += capacity
        self._regions.append((region, found))
        return found

    def handler(self, insn: Insn) -> int:
        """Return the handler that counts an instruction."""
        return self._handlers[self.kind_of(insn)]

    def use(self, records: np.ndarray) -> None:
        """Count in these records from now on: new ones, or those of before in another place, with more behind them."""
        before, self._records = self._records, records
        shared, old = self._shared, before[UNKNOWN_RECORD].view(np.int64)
        if shared[LOG_END_WORD // 2]:
            shared[UNDER_WAY_WORD // 2] += records.ctypes.data - before.ctypes.data
        else:
            shared[LOG_END_WORD // 2] = old[LOG_END_WORD // 2] or self._log.ctypes.data
            self._start()

    @property
    def _shared(self) -> np.ndarray:
        return self._records[UNKNOWN_RECORD].view(np.int64)

    @property
    def _clock(self) -> int:
        return int(self.core.state["cycles"])

    def begin(self, instructions: int) -> None:
        """Begin a run of up to so many instructions, and to count at the present clock."""
        self._between(instructions)
        self._start()

    def _start(self) -> None:
        self._shared[UNDER_WAY_WORD // 2], self._shared[SINCE_WORD // 2] = self._records.ctypes.data, self._clock

    def end(self) -> None:
        """Count the clocks of the instruction under way to the present one."""
        shared = self._shared
        record = int(shared[UNDER_WAY_WORD // 2] - self._records.ctypes.data) // RECORD_BYTES
        self._records[record].view(np.int64)[CLOCKS_WORD // 2] += self._clock - shared[SINCE_WORD // 2]
        self._start()

    def bridged(self, insn: Insn, left: int) -> None:
        """Count an instruction that another engine has run since `end`; left: of the run, after it."""
        now, shared = self._clock, self._shared
        self._count(insn.pc, 1, now - int(shared[SINCE_WORD // 2]))
        shared[SINCE_WORD // 2] = now
        kind = self.kind_of(insn)
        if kind is not None:
            self._log[self._rows] = insn.pc | kind << KIND_SHIFT, int(self.core.state["pc"]), insn.end, now, -left
            shared[LOG_END_WORD // 2] += 8 * LOG_WORDS

    @property
    def _rows(self) -> int:
        return int(self._shared[LOG_END_WORD // 2] - self._log.ctypes.data) // (8 * LOG_WORDS)

    def consume(self, left: int) -> None:
        """Hand over what has been logged; left: of the run."""
        self._consume(self._log[: self._rows], left)
        self._shared[LOG_END_WORD // 2] = self._log.ctypes.data

    def take(self, used: int) -> None:
        """Keep the counts of the records in use, which are so many, and begin them anew."""
        self.end()
        counts = self._records[:used].view(np.int64)[:, [VISITS_WORD // 2, CLOCKS_WORD // 2]]
        for slot in np.flatnonzero(counts.any(axis=1)).tolist():
            address = NOBODY if slot == UNKNOWN_RECORD else int(self._records[slot, PC_WORD])
            self._count(address, *counts[slot].tolist())
        self._records[:used, VISITS_WORD:ORDINARY_WORD] = 0

    def take_regions(self) -> None:
        """Keep the counts of the regions, and begin them anew."""
        model = self.core.cpu.timing_class(self.core.timing_mode)
        for region, counting in self._regions:
            counts = self.region_counts[counting.first : counting.first + counts_of(region)]
            if not counts.any():
                continue
            for number, parts in plan_of(self.core.cpu, model, region, counting).items():
                count = int(self.region_counts[number])
                for address, visits, clocks in parts if count else ():
                    self._count(address, count * visits, count * clocks)
            counts[:] = 0

    def _count(self, address: int, visits: int, clocks: int) -> None:
        counts = self.counts.setdefault(address, [0, 0])
        counts[0] += visits
        counts[1] += clocks
