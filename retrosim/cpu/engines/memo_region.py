"""Regions whose clocks come from a table (memo.py) in place of a timing model that is run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..spec.cpu import ADDRESS_MASK, Cpu
from ..spec.ir import I64, POINTER, UNLIKELY, Function
from ..spec.ir import Block as IrBlock
from ..spec.rows import Insn, Row
from ..spec.values import Word
from .emit import POINTER_BYTES, TABLE_POINTER
from .memo import (
    EDGE_OF,
    ENTERED,
    INPUT,
    LEFT_AFTER,
    MASK64,
    PLACE_MASK,
    POINT_SHIFT,
)
from .memo_emit import TableEmitter, TableFunction
from .recompile import CONTINUE, NOTHING, RegionEmitter
from .regions import Block
from .segments import FIRST_EDGE, FIRST_END, INPUTS, Plan, Segment, Step
from .traces import KIND_SHIFT, NEVER, is_open


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
        self._m.fetch()

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


class MemoRegionEmitter(TableEmitter, RegionEmitter):
    """Emits the function of a region in which a slot holds the row of the table that the clocks are at."""

    segment: Segment
    step: Step

    def context_pointer(self, number: int) -> str:
        return self._table if number == TABLE_POINTER else super().context_pointer(number)

    def __init__(self, cpu: Cpu, model: type, code: Function, plan: Plan) -> None:
        self.model, self.plan = model, plan
        self._table = code.load_constant(POINTER, code.address(code.args[3], POINTER_BYTES * TABLE_POINTER))
        super().__init__(cpu, lambda m: MemoTiming(m, model), code, plan.region)
        self._row, self._end = code.slot(I64), code.slot(I64)
        self._outcome = 0
        self._entries: dict[int, IrBlock] = {}
        self._expected: dict[int, str] = {}  # slots of the word that the edge of a block to itself held last
        self._is_ended = False  # has the slot of the end got its value?
        self._whens: int | None = None  # conditions of the instruction so far; None: it is not one

    def _block(self, block: Block) -> tuple[list[int], list[int]]:
        clocks, waits = [], []
        self._block_now, self._cached = block.start, {}
        self._pending = self._pending_at.setdefault(block.start, NOTHING)
        for segment in self.plan.segments[block.start]:
            self.segment = segment
            for self.step in segment.steps:
                clocks.append(self.timing.max_clocks)
                waits.append(self.timing.max_waits)
                self._insn(self.step.trace.insn)
            if segment.following is not None:
                self._advance(0)
        if not self.code.block.is_ended:
            self._edge(block.end)
        return clocks, waits

    def _insn(self, insn: Insn) -> None:
        self._outcome, self._point, self._is_open = 0, self.step.first, self.step.trace.branches
        self._outcomes = iter(self.step.trace.inputs)
        super()._insn(insn)

    def _branch_away(self, insn: Insn) -> None:
        self._is_open = False
        if self._taken.known is None:
            super()._branch_away(insn)
        else:
            self._edge(insn.target if self._taken.known else insn.end)

    def finish_timing(self) -> None:
        super().finish_timing()
        self._whens = None

    # points

    def _place(self) -> Word:
        return self.loaded(64, self._row)

    def _now(self, number: int) -> Word:
        return self._counter.clock() + self.from_table(self._place(), self.segment.first_point + number)

    def _new_input(self, number: int, value: Word) -> None:
        """Go on with the row for an input."""
        place = self._place()
        noted = self.from_table(place + (value & INPUTS - 1), self.segment.place_of_input(number)) & PLACE_MASK
        row = self.variable(noted)
        with self.code.if_then((noted.eq(0) | Word(64, INPUTS - 1).ult(value)).operand, UNLIKELY):
            row.set(self.recall(place | (INPUT | number << POINT_SHIFT), value) & PLACE_MASK)
        self.put(row.get(), self._row)

    def fetch(self) -> None:
        """Use the code cache where the instruction enters a line, which may depend on the row."""
        self._whens = None
        for point in self.step.fetches:
            number = self._point
            self._point += 1
            words = [Word(64, word) for word in point.words]
            is_usual, apply = self.timing.usual(point.name, words[0].trunc(32), 0, partial(self._now, number))
            unusual = partial(self._unusual, point.name, number, words)
            if self.step.is_sure:
                self._either(is_usual, apply, unusual)
            elif apply is None:  # so it does not matter whether it is fetched
                self._either(is_usual, apply, partial(self._if_come_to, number, unusual))
            else:
                self._if_come_to(number, partial(self._either, is_usual, apply, unusual))
        self._whens = 0

    def _if_come_to(self, number: int, body: Callable[[], None]) -> None:
        clock = self.from_table(self._place(), self.segment.first_point + number)
        with self.code.if_then(clock.ne(NEVER).operand):
            body()

    def _either(self, condition: Word, then: Callable[[], None] | None, otherwise: Callable[[], None]) -> None:
        code = self.code
        yes, no, after = code.new_block(), code.new_block(), code.new_block()
        code.branch_if((~condition).operand, no, yes, UNLIKELY)
        for block, body in ((yes, then), (no, otherwise)):
            code.go_on(block)
            if body is not None:
                body()
            code.join(after)

    def _unusual(self, name: str, number: int, words: Sequence[Word], kind: Word | None = None) -> None:
        """Find out what a use of memory takes, and go on with the row for that."""
        point = self.const(64, self.segment.first_point + number | number << POINT_SHIFT)
        arguments = [self._place(), self._counter.clock(), point, *words]
        if kind is not None and kind.known != 0:
            arguments[3:3] = [kind << KIND_SHIFT]
        what = f"use.{name}.{len(arguments)}"
        function = partial(TableFunction.used, name=name, has_kind=len(arguments) > 3 + len(words))
        self._go_on(self._in_table(what, function, *arguments))

    def use_memory(self, address: Word, bits: int, write: bool) -> None:
        size = self.model.operand_bytes(self.row, bits)
        if not size:
            return
        number = self._point
        self._point += 1
        whens, self._whens = self._whens, None
        location, name = address & ADDRESS_MASK, "write" if write else "read"
        kind = self.timing.kind(location, bits, write)
        words = location.zext(64), Word(64, size)

        def find_out() -> None:
            self._unusual(name if name in self.model.subroutines else "", number, words, kind)

        if self._depth or self.step.trace.points > self.model.looked_up_in_place:
            find_out()
        else:
            is_usual, apply = self.timing.usual(name, location, size, partial(self._now, number))
            self._either(is_usual & kind.eq(0), apply, find_out)
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

    # ends

    def _advance(self, edge: int) -> None:
        """Go on to the next row."""
        lower, upper = self.halves_from_table(self._place(), FIRST_EDGE + edge)
        following, clocks = self.variable(lower & PLACE_MASK), self.variable(upper)
        with self.code.if_then(following.first.eq(0).operand, UNLIKELY):
            word = self._followed(edge)
            following.set(word.trunc(32) & PLACE_MASK)
            clocks.set((word >> 32).trunc(32))
        self._pass(clocks.get().zext(64))
        self.put(following.get().zext(64), self._row)

    def _repeat(self, edge: int) -> None:
        """Go on to the next row of the same block.

        It is often the one that was next before: the host's processor goes on with that and need not wait for the row.
        """
        slot = self._expected.setdefault(self._block_now, self.code.slot(I64))
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

    def _go_on(self, word: Word) -> None:
        """Let the clocks of a word pass; its row is next."""
        self._pass(word >> 32)
        self.put(word & PLACE_MASK, self._row)

    def _pass(self, clocks: Word) -> None:
        self._counter.set_clock(self._counter.clock() + clocks)

    def _edge(self, address: int) -> None:
        if address not in self._blocks:
            self._exit(CONTINUE, Word(32, address))
            return
        edge = self.segment.edges.index((self._outcome, address))
        if address == self._block_now:
            self._repeat(edge)
        else:
            self._advance(edge)
        if address not in self.region.checks:
            self._flush(self._pending_at.setdefault(address, self._pending))
            self.code.branch(self._blocks[address])
            return
        self._is_ended = True
        self.put(self.from_table(self._place()) & PLACE_MASK, self._end)
        self._checked_edge(address)
        self._is_ended = False

    def _end_timing(self) -> None:
        if self._is_ended:
            return
        place = self._place()
        number = self.segment.steps.index(self.step)
        if number + 1 < len(self.segment.steps):
            word = self.recall(place | (LEFT_AFTER | number << POINT_SHIFT), Word(64, 0))
        else:
            if self._is_open:
                place = place + self._taken.zext(64)
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
            self.code.branch(self._blocks[pc])
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

    def _begin_timing(self) -> None:
        self.put(self.present_state(), self._end)
        for slot in self._expected.values():
            self.put(Word(64, MASK64), slot)

    def _store_timing(self) -> None:
        self._in_table("store", TableFunction.stored, self.loaded(64, self._end), self._counter.clock())
