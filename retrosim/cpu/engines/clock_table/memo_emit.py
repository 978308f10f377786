"""Emits what looks into the table of pipeline states (memo.py), for regions and for functions that they share."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ...spec.cpu import Cpu
from ...spec.ir import I64, POINTER, Function, Signature
from ...spec.timing import Timing
from ...spec.values import Word
from ..emit import ASK_POINTER, SPARING, TABLE_POINTER, Emitter
from .memo import (
    ENTRY_BITS,
    ENTRY_BYTES,
    FOUND,
    FOUND_BITS,
    HASH_FACTOR,
    INPUT,
    MASK64,
    OFFSET_BITS,
    PLACE_MASK,
    PLACES,
    POINT_SHIFT,
    STATE_OF,
    WORD_SHIFT,
)
from .traces import KIND_SHIFT

ASKING = Signature(I64, (I64, I64))


class Table:
    """Emits what looks into the table, into the function of an emitter, for a timing model."""

    def __init__(self, m: Emitter, model: type[Timing]) -> None:
        self.m, self.code, self.model = m, m.code, model

    def word(self, place: Word, distance: int = 0) -> Word:
        """Load a word of the table: so far behind a place that the table gave."""
        return self.m.loaded(64, self.address(place, distance))

    def halves(self, place: Word, distance: int) -> tuple[Word, Word]:
        """Load the lower and the upper 32 bits of a word of ends or edges: a place, and clocks, of 64 bits each.

        That the place needs no mask makes the way from row to row shorter.
        """
        address = self.address(place, distance)
        lower = self.m.word(32, self.code.load_below("i32", address, PLACES))
        return lower.zext(64), self.upper_half(place, distance).zext(64)

    def upper_half(self, place: Word, distance: int) -> Word:
        """Load the upper 32 bits of a word."""
        return self.m.loaded(32, self.code.address(self.address(place, distance), 4))

    def address(self, place: Word, distance: int = 0) -> str:
        base = self.code.address(self.m.context_pointer(TABLE_POINTER), place.operand)
        return self.code.address(base, distance, I64) if distance else base

    def ask(self, question: Word, detail: Word) -> Word:
        """Ask the host."""
        function = self.m.context_pointer(ASK_POINTER)
        return self.m.word(64, self.code.call(ASKING, function, [question.operand, detail.operand]))

    def call(self, name: str, emit: Callable[[TableFunction], Word], *words: Word) -> Word:
        """Call a function of the module on the state, the context and words, emitting it on first use."""
        module = self.code.module
        full = f"{self.code.name.rpartition('_')[0]}_{name}"
        signature = Signature(I64, (POINTER, POINTER) + (I64,) * len(words), SPARING)
        if full not in module.names:
            code = Function(module, signature, full, "noinline cold")
            TableFunction(self.m.cpu, code, self.model).emit_function(emit)
        arguments = self.m.state, self.m.context, *(word.operand for word in words)
        return self.m.word(64, self.code.call(signature, f"@{full}", arguments))

    def noted(self, question: Word, detail: Word, distance: int, other: int = 0) -> Word:
        """Load a word of an entry that a question has if it has been answered; `other` is 1 for the second one."""
        mixed = ((question * HASH_FACTOR) ^ detail) * HASH_FACTOR
        return self.word(((mixed >> 64 - ENTRY_BITS) ^ other) * ENTRY_BYTES, distance)

    def is_noted(self, question: Word, detail: Word, other: int = 0) -> Word:
        return self.noted(question, detail, 0, other).eq(question) & self.noted(question, detail, 1, other).eq(detail)

    def recall(self, question: Word, detail: Word) -> Word:
        """Return the clocks and the place that something leads to, from the table or the host."""
        return self.call("recall", TableFunction.recalled, question, detail)

    def present_state(self) -> Word:
        """Return the place of the state that the state fields hold."""
        return self.call("present", TableFunction.found) & PLACE_MASK


class TableFunction(Emitter):
    """Emits a function that looks something up."""

    def __init__(self, cpu: Cpu, code: Function, model: type[Timing]) -> None:
        super().__init__(cpu, code)
        self.state, self.context = code.args[:2]
        self.model, self.table = model, Table(self, model)

    def emit_function(self, emit: Callable[[TableFunction], Word]) -> None:
        self.code.ret(emit(self).operand)
        self.code.finish()

    def followed(self) -> Word:
        return self.table.ask(self.word(64, self.code.args[2]), self.const(64, 0))

    def recalled(self) -> Word:
        question, detail = (self.word(64, each) for each in self.code.args[2:])
        found = self.variable(self.table.noted(question, detail, 2))

        def look_further() -> None:
            found.set(self.table.noted(question, detail, 2, 1))
            self.when(~self.table.is_noted(question, detail, 1), lambda: found.set(self._ask_apart(question, detail)))

        self.when(~self.table.is_noted(question, detail), look_further)
        return found.get()

    # what seldom happens has functions of its own, so that the others save few registers

    def _ask_apart(self, question: Word, detail: Word) -> Word:
        return self.table.call("ask", TableFunction.asked, question, detail)

    def asked(self) -> Word:
        return self.table.ask(*(self.word(64, each) for each in self.code.args[2:]))

    def looked_up(self, name: str) -> Word:
        words = (self.word(64, each) for each in self.code.args[2:])
        return self.subroutine(name, self.model.subroutines[name], *words)

    def renewed(self, name: str) -> Word:
        self.model(self).renew(name, self.word(64, self.code.args[2]).trunc(32))
        return self.const(64, 0)

    def used(self, name: str, has_kind: bool) -> Word:
        """Call the subroutine for a use of memory; return the row to go on with."""
        place, clock, point, *words = (self.word(64, each) for each in self.code.args[2:])
        given = words.pop(0) if has_kind else self.const(64, 0)
        if name:
            now = self._now(place, clock, point)
            if has_kind:
                now = now + self.model(self).delay_of(given >> KIND_SHIFT)
            wait = self.variable(self.const(64, 0))

            def find_out() -> None:
                wait.set(self.table.call(f"look.{name}", partial(TableFunction.looked_up, name=name), *words, now))

            found = self.model(self).hit(name, *words, now)
            if found is None:
                find_out()
            else:
                is_hit, effects, known = found

                def hit() -> None:
                    effects()
                    wait.set(known)

                self.when(is_hit, hit, find_out)
            given = given | wait.get()
        return self._given(place, point, given)

    def _now(self, place: Word, clock: Word, point: Word) -> Word:
        return clock + self._in_row(place, point)

    def _in_row(self, place: Word, offset: Word) -> Word:
        return self.table.word((place + (offset & (1 << OFFSET_BITS) - 1)) & PLACE_MASK)

    def _given(self, place: Word, point: Word, given: Word) -> Word:
        """Return the row to go on with after an input."""
        question = (point >> 2 * OFFSET_BITS << POINT_SHIFT) | INPUT | place
        found = self.variable(place)

        def look() -> None:
            known = self._in_row(place, point >> OFFSET_BITS)
            found.set(known)
            self.when(given.ne(1) | known.eq(0), lambda: found.set(self.table.recall(question, given)))

        self.when(given.ne(0), look)
        return found.get()

    def stored(self) -> Word:
        """Store the state fields of a state at a clock."""
        place, now = (self.word(64, each) for each in self.code.args[2:])
        for offset, (name, n) in enumerate(self._elements()):
            word = self.table.word(place & PLACE_MASK, offset)
            is_time = name in self.model.times
            self.set_field(name, now + word if is_time else word.trunc(self.cpu.layout.fields[name][0]), n)
        return self.const(64, 0)

    def _elements(self) -> list[tuple[str, Word]]:
        fields = self.cpu.layout.fields
        return [(name, Word(32, n)) for name in (*self.model.times, *self.model.marks) for n in range(fields[name][1])]

    def found(self) -> Word:
        """Look the state up by its hash."""
        timing = self.model(self)
        timing.forget()
        now = self.get("cycles")
        values = [
            self.element(name, n) - now if name in self.model.times else self.element(name, n).zext(64)
            for name, n in self._elements()
        ]
        mixed = self.const(64, 0)
        for offset, value in enumerate(values):
            mixed = mixed + value * (HASH_FACTOR * (2 * offset + 1) & MASK64)
        number = mixed >> 64 - FOUND_BITS
        place = self.table.word((number << WORD_SHIFT) + FOUND) & PLACE_MASK
        differs = place.eq(0).zext(64)
        for offset, value in enumerate(values):
            differs = differs | (value ^ self.table.word(place, offset))
        found = self.variable(place)
        question = (number << POINT_SHIFT) | STATE_OF
        self.when(differs.ne(0), lambda: found.set(self.table.ask(question, self.const(64, 0))))
        return found.get()
