"""The interpreter's handlers: one compiled function per row and addressing class.

A handler is a function `record *handler(ram, state, record, context, budget)`: it reads its fields from the decoded
record, works on the state, and calls the handler of the next record as its last act, with a budget of one less. When
the budget is used up, the clock reaches its limit or the host is needed, it returns instead: the next record, or LEFT;
what is left of the budget is then in the context. Records of consecutive instructions are adjacent, and a branch holds
the distance to its target's record, so that the host CPU can run ahead: nothing in the chain from record to record
waits for simulated data, except jumps to computed addresses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir

from ..spec.cpu import UNDECODED, Cpu
from ..spec.rows import Row
from ..spec.values import Word
from .emit import BUDGET, BYTES, I1, I32, I64, INDEX_POINTER, RECORDS_POINTER, Emitter, context_entry

HANDLER = ir.FunctionType(BYTES, [BYTES, BYTES, BYTES, BYTES, I64])

# a decoded record: 32 words of 32 bits
RECORD_WORDS = 32
RECORD_BYTES = 4 * RECORD_WORDS
HANDLER_WORD, PC_WORD, END_WORD, TARGET_WORD, FIELDS_WORD = 0, 2, 3, 4, 5  # TARGET: distance to it in bytes
ORDINARY_WORD = RECORD_WORDS - 2  # where a region is entered: the handler of the instruction alone
UNKNOWN_RECORD = 0  # the record of every address that has none yet
LEFT, NOT_EXECUTED = 1, 2  # returned in place of a record
UNKNOWN, UNDECODED_PC, GOTO = range(3)  # handlers that are no instruction
STUBS = 3  # how many those are


def pointer_constant(number: int) -> ir.Value:
    return ir.Constant(I64, number).inttoptr(BYTES)


class HandlerEmitter(Emitter):
    """Emits one handler."""

    def __init__(self, cpu: Cpu, timing: Any, function: ir.Function) -> None:
        super().__init__(cpu, function)
        self.ram, self.state, self.record, self.context, self.budget = function.args
        for argument in function.args[:3]:
            argument.add_attribute("noalias")
        self._next = self.allocate(BYTES)
        self._next_pc = self.allocate(I32)
        self._taken: Word | None = None
        self._left = self.allocate(I1)
        self._can_leave = False
        self._fields = FIELDS_WORD
        self.builder.store(self._following(), self._next)
        self.builder.store(self.next_pc.ir, self._next_pc)
        self.builder.store(ir.Constant(I1, 0), self._left)
        self.begin(timing)

    def emit(self, row: Row, statics: tuple[Any, ...]) -> None:
        self.run_row(row, statics, self._take)
        self._end()
        ir.IRBuilder(self.entry).branch(self.function.blocks[1])

    def abort_when(self, condition: Word, last: Callable[[], None]) -> None:
        with self.builder.if_then(condition.ir, likely=False):
            last()
            self._end()

    def _end(self) -> None:
        """Leave the handler: to the host, or to the handler of the next record."""
        builder = self.builder
        left = builder.sub(self.budget, ir.Constant(I64, 1))
        if self._can_leave:
            with builder.if_then(builder.load(self._left), likely=False):
                builder.store(builder.load(self._next_pc), self._state_pointer("pc"))
                self._return(pointer_constant(LEFT), left)
        stop = self.word(left).eq(0)
        if self.timing.counts:
            stop = stop | self.get("limit").ule(self.get("cycles"))
        if self._taken is not None:
            with builder.if_then(self._taken.ir):
                distance = self._record_word(TARGET_WORD).sext(64)
                self._continue(builder.gep(self.record, [distance.ir]), left, stop)
        self._continue(builder.load(self._next), left, stop)

    def _continue(self, record: ir.Value, left: ir.Value, stop: Word) -> None:
        with self.builder.if_then(stop.ir, likely=False):
            self._return(record, left)
        run_handler(self.builder, record, [self.ram, self.state, record, self.context, left])

    def _return(self, result: ir.Value, left: ir.Value) -> None:
        self.builder.store(
            left, self.builder.bitcast(context_entry(self.builder, self.context, BUDGET), I64.as_pointer())
        )
        self.builder.ret(result)

    def _following(self) -> ir.Value:
        return self.builder.gep(self.record, [ir.Constant(I64, RECORD_BYTES)])

    def _take(self) -> Word:
        self._fields += 1
        if self._fields > ORDINARY_WORD:
            raise ValueError("an instruction has more fields than a record holds")
        return self._record_word(self._fields - 1)

    def _record_word(self, number: int) -> Word:
        return self.word(self.builder.load(record_word(self.builder, self.record, number)))

    @property
    def pc(self) -> Word:
        return self._record_word(PC_WORD)

    @property
    def next_pc(self) -> Word:
        return self._record_word(END_WORD)

    def _jump(self, address: Word) -> None:
        self.builder.store(address.ir, self._state_pointer("pc"))
        self.builder.store(address.ir, self._next_pc)
        self.builder.store(record_of(self, address), self._next)


def record_word(builder: ir.IRBuilder, record: ir.Value, number: int) -> ir.Value:
    """Return a pointer to a word of a record."""
    return builder.bitcast(builder.gep(record, [ir.Constant(I64, 4 * number)], inbounds=True), I32.as_pointer())


def record_of(m: Emitter, address: Word) -> ir.Value:
    """Look the record of an address up: that of all unknown ones when there is none, or between instruction units."""
    builder, unit = m.builder, m.cpu.isa.word_bytes
    index = builder.bitcast(m.context_pointer(INDEX_POINTER), I32.as_pointer())
    number = address >> (unit.bit_length() - 1)
    found = m.word(builder.load(builder.gep(index, [number.zext(64).ir], inbounds=True)))
    if unit > 1:
        found = m.select((address & (unit - 1)).eq(0), found, m.const(32, UNKNOWN_RECORD))
    distance = found.zext(64) * RECORD_BYTES
    return builder.gep(m.context_pointer(RECORDS_POINTER), [distance.ir])


def run_handler(builder: ir.IRBuilder, record: ir.Value, arguments: list[ir.Value]) -> None:
    """Leave the function by calling the handler of a record."""
    handler = builder.load(builder.bitcast(record, HANDLER.as_pointer().as_pointer()))
    builder.ret(builder.call(handler, arguments, tail="musttail"))


def emit_undecoded(cpu: Cpu, function: ir.Function, known_pc: bool) -> None:
    """Emit the handler of records without an instruction: it asks the host to decode one."""
    builder = ir.IRBuilder(function.append_basic_block())
    _, state, record, context, budget = function.args

    def word(base: ir.Value, offset: int) -> ir.Value:
        return builder.bitcast(builder.gep(base, [ir.Constant(I64, offset)]), I32.as_pointer())

    if known_pc:
        builder.store(builder.load(word(record, 4 * PC_WORD)), word(state, cpu.layout.offsets["pc"]))
    builder.store(ir.Constant(I32, UNDECODED), word(state, cpu.layout.offsets["reason"]))
    builder.store(budget, builder.bitcast(context_entry(builder, context, BUDGET), I64.as_pointer()))
    builder.ret(pointer_constant(NOT_EXECUTED))


def emit_goto(function: ir.Function) -> None:
    """Emit the handler of records that stand for another one: it runs the record at its target distance."""
    builder = ir.IRBuilder(function.append_basic_block())
    ram, state, record, context, budget = function.args
    distance = builder.bitcast(builder.gep(record, [ir.Constant(I64, 4 * TARGET_WORD)]), I32.as_pointer())
    target = builder.gep(record, [builder.sext(builder.load(distance), I64)])
    run_handler(builder, target, [ram, state, target, context, budget])
