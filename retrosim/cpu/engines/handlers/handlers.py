"""The interpreter's handlers: one compiled function per row and addressing class.

A handler is a function `record *handler(ram, state, record, context, budget, clock)`: it reads its fields from the
decoded record, works on the state, and calls the handler of the next record as its last act, with a budget of one less
and the clock after the instruction. When the budget is used up, the clock reaches its limit or the host is needed, it
returns instead: the next record, or LEFT; only then what is left of the budget is in the context, and the clock in the
state. Records of consecutive instructions are adjacent, and a branch holds the distance to its target's record, so that
the host CPU can run ahead: nothing in the chain from record to record waits for simulated data, except jumps to
computed addresses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...spec.cpu import Cpu
from ...spec.ir import I32, I64, POINTER, UNLIKELY, Function, Signature
from ...spec.rows import Row
from ...spec.values import Word
from ..emit import BUDGET, INDEX_POINTER, RECORDS_POINTER, Cell, Emitter

# no callee-saved registers but the frame pointer: a handler tail-calls the next one, and would restore them for nobody
HANDLER = Signature(POINTER, (POINTER, POINTER, POINTER, POINTER, I64, I64), "preserve_nonecc ")

# a decoded record: 32 words of 32 bits
RECORD_WORDS = 32
RECORD_BYTES = 4 * RECORD_WORDS
HANDLER_WORD, PC_WORD, END_WORD, TARGET_WORD, FIELDS_WORD = 0, 2, 3, 4, 5  # TARGET: distance to it in bytes
ORDINARY_WORD = RECORD_WORDS - 2  # where a region is entered: the handler of the instruction alone
COUNTING_WORD = 24  # while a profile is attached: the handler that counts the instruction alone
VISITS_WORD, CLOCKS_WORD = 26, 28  # what a profile counts of the instruction, 64 bits each
UNDER_WAY_WORD, SINCE_WORD, LOG_END_WORD = 6, 8, 10  # of the record of unknown addresses: see profiling.py
UNKNOWN_RECORD = 0  # the record of every address that has none yet
LEFT, NOT_EXECUTED = 1, 2  # returned in place of a record
UNKNOWN, UNDECODED_PC, GOTO, CHOICE, VARIANT, FORGET = range(6)  # no instructions; handler_cache.py has two
STUBS = 6  # how many those are


class Chain:
    """How a function of the handler type gets on: its arguments, its record, and the next one in the chain.

    record   where its record is
    budget   instructions that are left
    begun    the clock when the function is called
    now      emits the clock that it is left with
    """

    def __init__(self, m: Emitter, now: Callable[[], Word] | None = None) -> None:
        """Take the arguments of an emitter's function. `now`: None where no clock passes in it."""
        self.m, self.code = m, m.code
        m.ram, m.state, self.record, m.context, self.budget, clock = m.code.args
        self.begun = m.word(64, clock)
        self.now = now or (lambda: self.begun)

    def word(self, number: int) -> Word:
        """Load a word of the record; only the host writes records."""
        return self.m.word(32, self.code.load_constant(I32, self.address(number)))

    def address(self, number: int) -> str:
        """Return where a word of the record is."""
        return self.code.address(self.record, 4 * number)

    def target(self) -> str:
        """Return the record at the target distance."""
        return self.code.address(self.record, self.word(TARGET_WORD).sext(64).operand)

    def record_of(self, address: Word) -> str:
        """Look the record of an address up: that of all unknown ones if there is none, or between instruction units."""
        m, code, unit = self.m, self.code, self.m.cpu.isa.word_bytes
        place = (address >> (unit.bit_length() - 1)).zext(64)
        number = m.loaded(32, code.address(m.context_pointer(INDEX_POINTER), place.operand, I32))
        if unit > 1:
            number = m.select((address & (unit - 1)).eq(0), number, m.const(32, UNKNOWN_RECORD))
        return self.record_numbered(number)

    def record_numbered(self, number: Word) -> str:
        distance = number.zext(64) * RECORD_BYTES
        return self.code.address(self.m.context_pointer(RECORDS_POINTER), distance.operand)

    def return_number(self, number: int, left: str) -> None:
        """Return to the host with a number in place of a record."""
        self.return_record(f"inttoptr (i64 {number} to ptr)", left)

    def return_record(self, record: str, left: str) -> None:
        """Return to the host with the record that is next."""
        self.code.store(I64, left, self.m.context_entry(BUDGET))
        self.m.set_field("cycles", self.now())
        self.code.ret(record)

    def run_record(self, record: str, left: str) -> None:
        """Leave the function by calling the handler of a record."""
        self.call_handler(self.code.load(POINTER, record), record, left, self.now())

    def call_handler(self, handler: str, record: str, left: str, now: Word) -> None:
        """Leave the function by calling a handler with a record, at a clock."""
        arguments = self.m.ram, self.m.state, record, self.m.context, left, now.operand
        self.code.ret(self.code.call(HANDLER, handler, arguments, "musttail "))


class HandlerEmitter(Emitter):
    """Emits one handler."""

    def __init__(self, cpu: Cpu, timing: Any, code: Function) -> None:
        super().__init__(cpu, code)
        self.chain = Chain(self, self.now)
        code.attributes[:3] = ["noalias"] * 3
        self._next = Cell(self, POINTER, code.address(self.chain.record, RECORD_BYTES))
        self._next_pc, self._left = self.variable(self.next_pc), self.variable(self.const(1, 0))
        self._clock = self.variable(self.chain.begun)
        self._taken: Word | None = None
        self._can_leave = False
        self._fields = FIELDS_WORD
        self.begin(timing)

    def now(self) -> Word:
        return self._clock.get()

    def get(self, name: str) -> Word:
        return self._clock.get() if name == "cycles" else super().get(name)

    def set(self, name: str, word: Word) -> None:
        if name == "cycles":
            self._clock.set(word)
        else:
            super().set(name, word)

    def emit(self, row: Row, statics: tuple[Any, ...]) -> None:
        self.run_row(row, statics, self._take)
        self._end()

    def abort_when(self, condition: Word, last: Callable[[], None]) -> None:
        with self.code.if_then(condition.operand, UNLIKELY):
            last()
            self._end()

    def _end(self) -> None:
        """Leave the handler: to the host, or to the handler of the next record."""
        code = self.code
        left = self.word(64, self.chain.budget) - 1
        if self._can_leave:
            with code.if_then(self._left.get().operand, UNLIKELY):
                self.set_field("pc", self._next_pc.get())
                self.chain.return_number(LEFT, left.operand)
        stop = left.eq(0)
        if self.timing.counts:
            stop = stop | self.get("limit").ule(self.now())
        if self._taken is not None:
            with code.if_then(self._taken.operand):
                self._continue(self.chain.target(), left.operand, stop)
        self._continue(self._next.get(), left.operand, stop)

    def _continue(self, record: str, left: str, stop: Word) -> None:
        with self.code.if_then(stop.operand, UNLIKELY):
            self.chain.return_record(record, left)
        self.chain.run_record(record, left)

    def _take(self) -> Word:
        self._fields += 1
        if self._fields > COUNTING_WORD:
            raise ValueError("an instruction has more fields than a record holds")
        return self.chain.word(self._fields - 1)

    @property
    def pc(self) -> Word:
        return self.chain.word(PC_WORD)

    @property
    def next_pc(self) -> Word:
        return self.chain.word(END_WORD)

    def _jump(self, address: Word) -> None:
        self.set_field("pc", address)
        self._next_pc.set(address)
        self._next.set(self.chain.record_of(address))
