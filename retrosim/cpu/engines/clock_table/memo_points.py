"""Regions whose clocks come from a table (memo.py): the places in an instruction where the row may change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from ...spec.cpu import ADDRESS_MASK, Cpu
from ...spec.ir import I64, POINTER, UNLIKELY, Function
from ...spec.timing import Usual
from ...spec.values import Word
from ..emit import HITS_POINTER, POINTER_BYTES, TABLE_POINTER
from ..regions.recompile import NOTHING, Counter, RegionEmitter
from .memo import INPUT, OFFSET_BITS, PLACE_MASK, POINT_SHIFT, WORD_SHIFT
from .memo_emit import TableEmitter, TableFunction
from .segments import INPUTS, Plan, Segment, Step
from .traces import KIND_SHIFT, NEVER, Point, is_open


class PointEmitter(TableEmitter, RegionEmitter):
    """Emits the points of instructions; a slot holds the row of the table that the clocks are at."""

    counter = Counter
    segment: Segment
    step: Step

    def __init__(self, cpu: Cpu, timing: Callable[[Any], Any], model: type, code: Function, plan: Plan) -> None:
        self.model, self.plan = model, plan
        self._pointers = {  # used everywhere
            each: code.load_constant(POINTER, code.address(code.args[3], POINTER_BYTES * each))
            for each in (TABLE_POINTER, HITS_POINTER)
        }
        # behind instructions and clocks: how often each of the counters has stepped
        self._counters = list(dict.fromkeys(model.counters.values()))
        self.nothing = NOTHING + (0,) * len(self._counters)
        super().__init__(cpu, timing, code, plan.region)
        self._steps = {name: code.slot(f"i{self._width(name)}") for name in self._counters}
        self._row = code.slot(I64)
        self._whens: int | None = None  # conditions of the instruction so far; None: it is not one

    def context_pointer(self, number: int) -> str:
        return self._pointers.get(number) or super().context_pointer(number)

    def begin_points(self) -> None:
        for name, slot in self._steps.items():
            self.put(self._field(name), slot)

    def end_points(self) -> None:
        for name in self._steps:
            self._set_field(name, self._steps_of(name))

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
        self._set_field(counter, self._steps_of(counter) + pending)
        yield
        self.put(self._field(counter) - (pending + is_counted), self._steps[counter])

    # points

    def _place(self) -> Word:
        return self.loaded(64, self._row)

    def _now(self, number: int) -> Word:
        return self._counter.clock() + self.from_table(self._place(), self.segment.first_point + number)

    def _new_input(self, number: int, value: Word) -> None:
        """Go on with the row for an input."""
        place = self._place()
        chosen = place + ((value & INPUTS - 1) << WORD_SHIFT)
        noted = self.from_table(chosen, self.segment.place_of_input(number)) & PLACE_MASK
        row = self.variable(noted)
        with self.code.if_then((noted.eq(0) | Word(64, INPUTS - 1).ult(value)).operand, UNLIKELY):
            row.set(self.recall(place | (INPUT | number << POINT_SHIFT), value) & PLACE_MASK)
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
        upper = self.upper_from_table(self._place(), self.segment.first_point + number)
        self._depth += 1
        with self.code.if_then(upper.ne(NEVER >> 32).operand):
            body()
        self._depth -= 1

    def _fetch(self, point: Point, number: int) -> None:
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
                self._in_table(f"renew.{name}", partial(TableFunction.renewed, name=name), line.zext(64))
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
        self._go_on(self._in_table(what, partial(TableFunction.used, name=name, has_kind=has_kind), *arguments))

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
