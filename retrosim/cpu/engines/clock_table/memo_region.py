"""Regions whose clocks come from a table (memo.py) in place of a timing model that is run.

A slot holds the row of the table that the clocks are at. It changes at the points of instructions, where something that
the clocks depend on is found out, and from one block to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from ...spec.cpu import ADDRESS_MASK, Cpu
from ...spec.ir import I64, POINTER, UNLIKELY, Function
from ...spec.ir import Block as IrBlock
from ...spec.rows import Insn, Row
from ...spec.timing import Timing, Usual
from ...spec.values import Word
from ..emit import HANDED, HITS_POINTER, POINTER_BYTES, TABLE_POINTER
from ..handlers.handlers import COUNTING_WORD, HANDLER_WORD
from ..regions.recompile import ALONE, CONTINUE, NOTHING, CounterEmitter, RegionEmitter
from ..regions.regions import Block
from .memo import EDGE_OF, ENTERED, INPUT, LEFT_AFTER, MASK64, OFFSET_BITS, PLACE_MASK, POINT_SHIFT, WORD_SHIFT
from .memo_emit import Table, TableFunction
from .segments import FIRST_EDGE, FIRST_END, INPUTS, RegionPlan, Segment, Step
from .traces import KIND_SHIFT, NEVER, TracePoint, is_open


class MemoTiming:
    """What the clocks of an instruction depend on while it runs goes to the emitter of its region."""

    counts, takes_a_clock, splits_branches = True, False, False

    def __init__(self, m: Any, model: type[Timing]) -> None:
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


class MemoRegionEmitter(RegionEmitter):
    """Emits the function of a region in which a slot holds the row of the table that the clocks are at."""

    counter = CounterEmitter
    segment: Segment
    step: Step

    def __init__(self, cpu: Cpu, model: type[Timing], code: Function, plan: RegionPlan) -> None:
        self.model, self.plan = model, plan
        self._pointers = {  # used everywhere
            each: code.load_constant(POINTER, code.address(code.args[3], POINTER_BYTES * each))
            for each in (TABLE_POINTER, HITS_POINTER)
        }
        # behind instructions and clocks: how often each of the counters has stepped
        self._counters = list(dict.fromkeys(model.counters.values()))
        self.nothing = NOTHING + (0,) * len(self._counters)
        super().__init__(cpu, lambda m: MemoTiming(m, model), code, plan.region)
        self.table = Table(self, model)
        self._steps = {name: code.slot(f"i{self._width(name)}") for name in self._counters}
        self._row = code.slot(I64)
        self._whens: int | None = None  # conditions of the instruction so far; None: it is not one
        self._end = code.slot(I64)
        self._outcome = 0
        self._entries: dict[int, IrBlock] = {}
        self._expected: dict[tuple[int, int], str] = {}  # slots of the word that an edge of a loop back held last
        self._is_ended = False  # has the slot of the end got its value?
        self._aborts = 0  # conditions that may still end the instruction

    def context_pointer(self, number: int) -> str:
        return self._pointers.get(number) or super().context_pointer(number)

    def begin_points(self) -> None:
        for name, slot in self._steps.items():
            self.put(self.field(name), slot)

    def end_points(self) -> None:
        for name in self._steps:
            self.set_field(name, self._steps_of(name))

    def finish_timing(self) -> None:
        super().finish_timing()
        self._whens = None

    # counters: they are in slots, except while a subroutine runs

    def _steps_of(self, name: str) -> Word:
        return self.loaded(self._width(name), self._steps[name])

    def _step(self, name: str, by: int) -> None:
        if by:
            self.put(self._steps_of(name) + by, self._steps[name])

    def _flush(self, expected: tuple[int, ...]) -> None:
        super()._flush(expected)
        for name, now, then in zip(self._counters, self._pending[2:], expected[2:], strict=True):
            self._step(name, now - then)

    def _used(self, name: str) -> None:
        """Count a use of a cache."""
        counter = self.model.counters.get(name)
        if counter is None:
            return
        if self._depth:
            self._step(counter, 1)
            return
        index = 2 + self._counters.index(counter)
        self._pending = (*self._pending[:index], self._pending[index] + 1, *self._pending[index + 1 :])

    @contextmanager
    def _counted_by_itself(self, name: str, is_counted: bool) -> Iterator[None]:
        """Run a subroutine, which steps the counter; `is_counted`: the use is going to be counted all the same."""
        counter = self.model.counters.get(name)
        if counter is None:
            yield
            return
        pending = self._pending[2 + self._counters.index(counter)]
        self.set_field(counter, self._steps_of(counter) + pending)
        yield
        self.put(self.field(counter) - (pending + is_counted), self._steps[counter])

    # points

    def _place(self) -> Word:
        return self.loaded(64, self._row)

    def _now(self, number: int) -> Word:
        return self._counter.clock() + self.table.word(self._place(), self.segment.first_point + number)

    def _new_input(self, number: int, value: Word) -> None:
        """Go on with the row for an input."""
        place = self._place()
        chosen = place + ((value & INPUTS - 1) << WORD_SHIFT)
        noted = self.table.word(chosen, self.segment.place_of_input(number)) & PLACE_MASK
        row = self.variable(noted)
        with self.code.if_then((noted.eq(0) | Word(64, INPUTS - 1).ult(value)).operand, UNLIKELY):
            row.set(self.table.recall(place | (INPUT | number << POINT_SHIFT), value) & PLACE_MASK)
        self.put(row.get(), self._row)

    def fetch(self) -> None:
        """Use the code cache where the instruction enters a line; what leads to a block fetches its first."""
        whens, self._whens = self._whens, None
        begins_block = self.step is self.plan.segments[self._block_now][0].steps[0] and not self.step.trace.aborts
        for point in self.step.fetches:
            number = self._point
            self._point += 1
            if self.step.is_sure:
                self._fetch(point, number)
            elif number or not begins_block:
                self._if_come_to(number, partial(self._fetch, point, number))
        self._whens = whens

    def fetch_first(self, segment: Segment, is_sure: bool = True) -> None:
        """Fetch the line that a block begins in, with the row at its start; perhaps, if it is not sure."""
        if segment.steps[0].trace.aborts:  # it does so itself when it is certain that it does not abort
            return
        before = getattr(self, "segment", segment)
        self.segment = segment
        for point in segment.steps[0].fetches[:1]:
            if is_sure:
                self._fetch(point, 0)
            else:
                self._if_come_to(0, partial(self._fetch, point, 0))
        self.segment = before

    def _if_come_to(self, number: int, body: Callable[[], None]) -> None:
        upper = self.table.upper_half(self._place(), self.segment.first_point + number)
        self._depth += 1
        with self.code.if_then(upper.ne(NEVER >> 32).operand):
            body()
        self._depth -= 1

    def _fetch(self, point: TracePoint, number: int) -> None:
        words = [Word(64, word) for word in point.words]
        usual = self.timing.usual(point.name, words[0].trunc(32), 0, partial(self._now, number))
        self._either(point.name, usual, number, partial(self._unusual, point.name, number, words))
        self._used(point.name)

    def _either(self, name: str, usual: Usual, number: int, otherwise: Callable[[], None]) -> None:
        """Do what a use of memory, by a subroutine's name, at a point, does if it is usual, else something else."""
        code = self.code
        hit, perhaps, in_time, no, after = (code.new_block() for _ in range(5))
        effects = usual.effects or (lambda clocks: None)
        other = code.new_block() if usual.renewal else no
        code.branch_if((~usual.hit).operand, other, hit, UNLIKELY)
        if usual.renewal:
            is_possible, line = usual.renewal
            renewal = code.new_block()
            code.go_on(other)
            code.branch_if(is_possible().operand, renewal, no)
            code.go_on(renewal)
            if line is not None:
                self.table.call(f"renew.{name}", partial(TableFunction.renewed, name=name), line.zext(64))
            code.branch(perhaps if line is None else hit)
        code.go_on(hit)
        condition, clocks = usual.late or (Word(1, 0), None)
        code.branch_if(condition.operand, perhaps, in_time, UNLIKELY)
        code.go_on(perhaps)
        if clocks is None:
            code.branch(in_time)
        else:
            late, wait = code.new_block(), clocks()
            code.branch_if(wait.ne(0).operand, late, in_time)
            code.go_on(late)
            effects(wait)
            self._look_up_use("", number, [wait], True)
            code.branch(after)
        code.go_on(in_time)
        effects(Word(64, 0))
        code.branch(after)
        code.go_on(no)
        otherwise()
        code.join(after)

    def _look_up_use(self, name: str, number: int, words: Sequence[Word], has_kind: bool) -> None:
        """Call the function for a use of memory, and go on with the row that it gives; see `TableFunction.used`."""
        arguments = [self._place(), self._counter.clock(), self._point_now(number), *words]
        what = f"use.{name}.{len(arguments)}"
        self._go_on(self.table.call(what, partial(TableFunction.used, name=name, has_kind=has_kind), *arguments))

    def _unusual(
        self, name: str, number: int, words: Sequence[Word], kind: Word | None = None, is_counted: bool = True
    ) -> None:
        """Find out what a use of memory takes, and go on with the row for that."""
        kinds = [kind << KIND_SHIFT] if kind is not None and kind.known != 0 else []
        with self._counted_by_itself(name, is_counted):
            self._look_up_use(name, number, [*kinds, *words], bool(kinds))

    def _point_now(self, number: int) -> Word:
        """Return the number of a point, and where in a row what its input 1 leads to and its clock are."""
        one, point = (
            offset << WORD_SHIFT for offset in (self.segment.place_of_one(number), self.segment.first_point + number)
        )
        return Word(64, (number << OFFSET_BITS | one) << OFFSET_BITS | point)

    def use_memory(self, address: Word, bits: int, write: bool) -> None:
        size = self.model.operand_bytes(self.row, bits)
        if not size:
            return
        number = self._point
        self._point += 1
        whens, self._whens = self._whens, None
        name = "write" if write else "read"

        def find_out(is_counted: bool = True) -> None:
            location = address & ADDRESS_MASK
            words = location.zext(64), Word(64, size)
            kind, called = self.timing.kind(location, bits, write), name if name in self.model.subroutines else ""
            self._unusual(called, number, words, kind, is_counted)

        if self.step.points > self.model.looked_up_in_place:
            find_out(is_counted=False)
        else:
            usual = self.timing.usual(name, address, size, partial(self._now, number))
            self._either(name, usual, number, find_out)
            self._used(name)
        self._whens = whens

    def tell_outcome(self, condition: Word) -> None:
        if next(self._outcomes):
            number = self._point
            self._point += 1
            with self.code.if_then(condition.operand):
                self._new_input(number, Word(64, 1))

    def tell_hook(self, name: str, details: tuple[Any, ...]) -> None:
        if name not in self.model.priced or not is_open(details):
            return
        number = self._point
        self._point += 1
        whens, self._whens = self._whens, None
        value = self.timing.varies_by(name, *details)
        with self.code.if_then(value.ne(0).operand, UNLIKELY):
            self._new_input(number, value)
        self._whens = whens

    def when(self, condition: Word, then: Callable[[], None], otherwise: Callable[[], None] | None = None) -> None:
        if condition.known is not None or self._whens is None:
            super().when(condition, then, otherwise)
            return
        ordinal = self._whens
        self._whens += 1
        if ordinal not in self.step.trace.whens:
            super().when(condition, then, otherwise)
            return
        number = self._point
        self._point += 1

        def holds() -> None:
            self._new_input(number, Word(64, 1))
            then()

        super().when(condition, holds, otherwise)

    def _go_on(self, word: Word) -> None:
        """Let the clocks of a word pass; its row is next."""
        self._pass(word >> 32)
        self.put(word & PLACE_MASK, self._row)

    def _pass(self, clocks: Word) -> None:
        self._counter.set_clock(self._counter.clock() + clocks)

    # blocks and instructions

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

    def _branch_away(self, insn: Insn, condition: Word, target: int) -> None:
        self._is_open = False
        if condition.known is None:
            super()._branch_away(insn, condition, target)
        else:
            self._edge(target if condition.known else insn.end)

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
        following, clocks = map(self.variable, self.table.halves(self._place(), FIRST_EDGE + edge))
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
        found = self.table.word(self._place(), FIRST_EDGE + edge)
        with self.code.if_then(found.ne(expected).operand, UNLIKELY):
            word.set(found)
            with self.code.if_then((found & PLACE_MASK).eq(0).operand, UNLIKELY):
                word.set(self._followed(edge))
            self.put(word.get(), slot)
        self._go_on(word.get())

    def _followed(self, edge: int) -> Word:
        return self.table.call("follow", TableFunction.followed, self._place() | (EDGE_OF | edge << POINT_SHIFT))

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
        self.put(self.table.word(self._place()) & PLACE_MASK, self._end)
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
            word = self.table.word(place)
        elif self._aborts:
            word = self.table.recall(place | (LEFT_AFTER | number - 1 << POINT_SHIFT), Word(64, 0))
        elif number + 1 < len(self.segment.steps):
            word = self.table.recall(place | (LEFT_AFTER | number << POINT_SHIFT), Word(64, 0))
        else:
            if self._is_open and self._taken is not None:
                place = place + (self._taken.zext(64) << WORD_SHIFT)
            word = self.table.word(place, FIRST_END + self._outcome)
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
        found = self.variable(self.table.noted(question, state, 2))
        with self.code.if_then((~self.table.is_noted(question, state)).operand, UNLIKELY):
            found.set(self.table.recall(question, state))
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
        self.set_field("cycles", self.chain.begun)
        self.put(self.table.present_state(), self._end)

    def _refuse(self) -> None:
        handed, address = self._handed()

        def store() -> None:
            self._store_state(handed, self.chain.begun)
            self.put(Word(64, 0), address)

        self.when(handed.ne(0), store)

    def _store_timing(self) -> None:
        self.end_points()
        record = self.chain.record_of(self.loaded(32, self._address))
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
                self.chain.call_handler(handler, record, left, self.now())
        super()._run_next(record, left)

    def _store_state(self, state: Word, clock: Word) -> None:
        self.table.call("store", TableFunction.stored, state, clock)
