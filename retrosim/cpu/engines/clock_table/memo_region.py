"""Regions whose clocks come from a table (memo.py) in place of a timing model that is run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...spec.cpu import Cpu
from ...spec.ir import I64, POINTER, UNLIKELY, Function
from ...spec.ir import Block as IrBlock
from ...spec.rows import Insn, Row
from ...spec.values import Word
from ..emit import HANDED
from ..handlers.handlers import COUNTING_WORD, HANDLER_WORD
from ..regions.recompile import ALONE, CONTINUE
from ..regions.regions import Block
from .memo import EDGE_OF, ENTERED, LEFT_AFTER, MASK64, PLACE_MASK, POINT_SHIFT, WORD_SHIFT
from .memo_emit import TableFunction
from .memo_points import PointEmitter
from .segments import FIRST_EDGE, FIRST_END, Plan


class MemoTiming:
    """What the clocks of an instruction depend on while it runs goes to the emitter of its region."""

    counts, takes_a_clock, splits_branches = True, False, False

    def __init__(self, m: Any, model: type) -> None:
        self._m, self.model = m, model
        self.fields, self._whole = model.fields, model(m)
        self.max_wait_clocks = self._whole.max_wait_clocks
        self.usual, self.kind, self.varies_by = self._whole.usual, self._whole.kind, self._whole.varies_by

    @property
    def max_clocks(self) -> int:
        return self._m.step.bounds[0]

    @property
    def max_waits(self) -> int:
        return self._m.step.bounds[1]

    def start(self, row: Row, operands: dict[str, Any], take: Callable[[], Word]) -> None:
        self._m.start_clocks()

    def outcome(self, condition: Word) -> None:
        self._m.tell_outcome(condition)

    def memory(self, address: Word, bits: int, write: bool) -> None:
        self._m.use_memory(address, bits, write)

    def written(self, register: Word, stage: str) -> None:
        pass

    def taken(self, vector: Word) -> None:
        pass

    def finish(self, outcome: bool | None = None) -> None:
        pass

    def __getattr__(self, name: str) -> Callable[..., None]:
        if name not in self.model.hooks:
            raise AttributeError(name)
        return lambda *details: self._m.tell_hook(name, details)


class MemoRegionEmitter(PointEmitter):
    """Emits the function of a region in which a slot holds the row of the table that the clocks are at."""

    def __init__(self, cpu: Cpu, model: type, code: Function, plan: Plan) -> None:
        super().__init__(cpu, lambda m: MemoTiming(m, model), model, code, plan)
        self._end = code.slot(I64)
        self._outcome = 0
        self._entries: dict[int, IrBlock] = {}
        self._expected: dict[tuple[int, int], str] = {}  # slots of the word that an edge of a loop back held last
        self._is_ended = False  # has the slot of the end got its value?
        self._aborts = 0  # conditions that may still end the instruction

    def _block(self, block: Block) -> tuple[list[int], list[int]]:
        clocks, waits = [], []
        self._block_now, self._cached = block.start, {}
        self._pending = self._pending_at.setdefault(block.start, self.nothing)
        for segment in self.plan.segments[block.start]:
            self.segment = segment
            for self.step in segment.steps:
                clocks.append(self.timing.max_clocks)
                waits.append(self.timing.max_waits)
                self._insn(self.step.insn)
            if segment.following is not None:
                self._advance(0)
        if not self.code.block.is_ended:
            self._edge(block.end)
        return clocks, waits

    def _insn(self, insn: Insn) -> None:
        self._outcome, self._point, self._is_open = 0, self.step.first, self.step.branches
        self._outcomes = iter(self.step.trace.inputs)
        super()._insn(insn)

    def _branch_away(self, insn: Insn) -> None:
        self._is_open = False
        if self._taken.known is None:
            super()._branch_away(insn)
        else:
            self._edge(insn.target if self._taken.known else insn.end)

    def start_clocks(self) -> None:
        """Fetch the instruction; if it may abort, only once it is certain that it does not."""
        self._whens, self._aborts = 0, self.step.trace.aborts
        if not self._aborts:
            self.fetch()

    def abort_when(self, condition: Word, last: Callable[[], None]) -> None:
        """Leave the region where the instruction aborts, for its handler to run it: it has not changed anything yet."""
        if condition.known == 0:
            return
        pending, cached = self._pending, dict(self._cached)
        with self.code.if_then(condition.operand, UNLIKELY):
            self._count_later(-1, 0)
            self._exit(ALONE, self.pc)
        self._pending, self._cached = pending, cached
        self._aborts -= 1
        if not self._aborts:
            self.fetch()

    # ends

    def _advance(self, edge: int) -> None:
        """Go on to the next row."""
        following, clocks = map(self.variable, self.halves_from_table(self._place(), FIRST_EDGE + edge))
        with self.code.if_then(following.first.eq(0).operand, UNLIKELY):
            word = self._followed(edge)
            following.set(word & PLACE_MASK)
            clocks.set(word >> 32)
        self._pass(clocks.get())
        self.put(following.get(), self._row)

    def _repeat(self, edge: int) -> None:
        """Go on to the next row at the head of a loop.

        It is often the one that was next before: the host's processor goes on with that and need not wait for the row.
        """
        slot = self._expected.setdefault((self._block_now, edge), self.code.slot(I64))
        expected = self.loaded(64, slot)
        word = self.variable(expected)
        found = self.from_table(self._place(), FIRST_EDGE + edge)
        with self.code.if_then(found.ne(expected).operand, UNLIKELY):
            word.set(found)
            with self.code.if_then((found & PLACE_MASK).eq(0).operand, UNLIKELY):
                word.set(self._followed(edge))
            self.put(word.get(), slot)
        self._go_on(word.get())

    def _followed(self, edge: int) -> Word:
        return self._in_table("follow", TableFunction.followed, self._place() | (EDGE_OF | edge << POINT_SHIFT))

    def _edge(self, address: int) -> None:
        if address not in self._blocks:
            self._exit(CONTINUE, Word(32, address))
            return
        edge = self.segment.edges.index((self._outcome, address))
        if address <= self._block_now and address in self.region.checks:
            self._repeat(edge)
        else:
            self._advance(edge)
        self._is_fetched = self.segment.fetched[edge]
        if address not in self.region.checks:
            self._enter(address)
            return
        self._is_ended = True
        self.put(self.from_table(self._place()) & PLACE_MASK, self._end)
        self._checked_edge(address)
        self._is_ended = False

    def _enter(self, address: int) -> None:
        """Fetch the first line of a block if it is another one."""
        pending = self._pending
        if self._is_fetched is not False:
            self.fetch_first(self.plan.segments[address][0], is_sure=bool(self._is_fetched))
        super()._enter(address)
        self._pending = pending

    def _end_timing(self) -> None:
        if self._is_ended:
            return
        place = self._place()
        number = self.segment.steps.index(self.step)
        if self._aborts and not number:
            word = self.from_table(place)
        elif self._aborts:
            word = self.recall(place | (LEFT_AFTER | number - 1 << POINT_SHIFT), Word(64, 0))
        elif number + 1 < len(self.segment.steps):
            word = self.recall(place | (LEFT_AFTER | number << POINT_SHIFT), Word(64, 0))
        else:
            if self._is_open:
                place = place + (self._taken.zext(64) << WORD_SHIFT)
            word = self.from_table(place, FIRST_END + self._outcome)
        self._pass(word >> 32)
        self.put(word & PLACE_MASK, self._end)

    def _switch(self, address: Word) -> None:
        self._end_timing()
        self._is_ended = True
        super()._switch(address)
        self._is_ended = False

    def _entry(self, pc: int) -> IrBlock:
        """Look up the row of an entry point by the state at the end of what led there."""
        if pc not in self._entries:
            here, block = self.code.block, self.code.new_block()
            self._entries[pc] = block
            self.code.go_on(block)
            self.put(self._row_of_entry(pc, self.loaded(64, self._end)) & PLACE_MASK, self._row)
            self.fetch_first(self.plan.segments[pc][0], is_sure=False)
            super()._enter(pc)
            self.code.go_on(here)
        return self._entries[pc]

    def _row_of_entry(self, pc: int, state: Word) -> Word:
        question = Word(64, ENTERED | pc)
        found = self.variable(self.noted(question, state, 2))
        with self.code.if_then((~self.is_noted(question, state)).operand, UNLIKELY):
            found.set(self.recall(question, state))
        return found.get()

    def _emit_dispatch(self) -> None:
        self._is_ended = True
        super()._emit_dispatch()

    def _emit_start(self, instructions: int, clocks: int, waits: int) -> None:
        self._is_ended = True
        super()._emit_start(instructions, clocks, waits)

    # from one region to the next: the state of the pipeline stays in the table, its fields are not stored in between

    def _handed(self) -> tuple[Word, str]:
        """Return the state that was handed over, and where it lies."""
        address = self.context_entry(HANDED)
        return self.loaded(64, address), address

    def _begin_timing(self) -> None:
        handed, address = self._handed()
        self.put(handed & PLACE_MASK, self._end)
        self.when(handed.eq(0), self._look_up_state)
        self.put(Word(64, 0), address)
        self.begin_points()
        for slot in self._expected.values():
            self.put(Word(64, MASK64), slot)

    def _look_up_state(self) -> None:
        self._set_field("cycles", self.begun)
        self.put(self.present_state(), self._end)

    def _refuse(self) -> None:
        handed, address = self._handed()

        def store() -> None:
            self._store_state(handed, self.begun)
            self.put(Word(64, 0), address)

        self.when(handed.ne(0), store)

    def _store_timing(self) -> None:
        self.end_points()
        record = self._record_of(self.loaded(32, self._address))
        handler, alone = (self.loaded(64, self.code.address(record, 4 * n)) for n in (HANDLER_WORD, COUNTING_WORD))
        end = self.loaded(64, self._end)
        self.when(
            self.loaded(32, self._how).eq(CONTINUE) & handler.ne(alone),
            lambda: self.put(end, self._handed()[1]),
            lambda: self._store_state(end, self._counter.clock()),
        )

    def _run_next(self, record: str, left: str) -> None:
        if any(step.trace.aborts for step in self.plan.steps):
            with self.code.if_then(self.loaded(32, self._how).eq(ALONE).operand, UNLIKELY):
                handler = self.code.load(POINTER, self.code.address(record, 4 * COUNTING_WORD))
                self._call_handler(handler, record, left, self.now())
        super()._run_next(record, left)

    def _store_state(self, state: Word, clock: Word) -> None:
        self._in_table("store", TableFunction.stored, state, clock)
