"""The compiled value layer: emits LLVM code for one instruction into a handler of the interpreter.

A handler is a function `record *handler(ram, state, record, context, budget)`: it reads its fields from the decoded
record, works on the state, and calls the handler of the next record as its last act, with a budget of one less. When
the budget is used up, the clock reaches its limit or the host is needed it returns instead: the next record, or LEFT;
the budget that is left then stands in the context. Records of consecutive
instructions lie side by side, and a branch holds the distance to its target's record, so that the host CPU can run
ahead: nothing in the chain from record to record waits for simulated data, except jumps to computed addresses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir

from .core import UNDECODED, Cpu
from .engine import Engine
from .spec import Row
from .values import Word

I1, I8, I16, I32, I64 = (ir.IntType(n) for n in (1, 8, 16, 32, 64))
BYTES = I8.as_pointer()
HANDLER = ir.FunctionType(BYTES, [BYTES, BYTES, BYTES, BYTES, I64])

# a decoded record: 32 words of 32 bits
RECORD_WORDS = 32
RECORD_BYTES = 4 * RECORD_WORDS
HANDLER_WORD, PC_WORD, END_WORD, TARGET_WORD, FIELDS_WORD = 0, 2, 3, 4, 5  # TARGET: distance to it in bytes
UNKNOWN_RECORD = 0  # the record of every address that has none yet
LEFT, NOT_EXECUTED = 1, 2  # returned in place of a record
UNKNOWN, UNDECODED_PC, GOTO = range(3)  # handlers that are no instruction

# context: pointers that only some handlers need, and the budget left on return
CODE_POINTER, INDEX_POINTER, RECORDS_POINTER, BUDGET = range(4)


def pointer_constant(number: int) -> ir.Value:
    return ir.Constant(I64, number).inttoptr(BYTES)


class Place:
    """A mutable word on the handler's stack."""

    def __init__(self, emitter: Emitter, word: Word) -> None:
        self.emitter, self.bits = emitter, word.bits
        self.slot = emitter.allocate(ir.IntType(word.bits))
        self.set(word)

    def get(self) -> Word:
        return self.emitter.word(self.emitter.builder.load(self.slot))

    def set(self, word: Word) -> None:
        self.emitter.builder.store(word.ir, self.slot)


class Emitter(Engine):
    """Emits one handler."""

    def __init__(self, cpu: Cpu, timing: Any, function: ir.Function) -> None:
        self.cpu = cpu
        self.ram, self.state, self.record, self.context, self.budget = function.args
        for argument in function.args[:3]:
            argument.add_attribute("noalias")
        self.function = function
        self.entry = function.append_basic_block("entry")
        self.builder = ir.IRBuilder(function.append_basic_block("body"))
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

    def allocate(self, kind: ir.Type) -> ir.Value:
        """Make a stack slot, in the entry block so that a loop does not make it again."""
        return ir.IRBuilder(self.entry).alloca(kind)

    def word(self, value: ir.Value) -> Word:
        return Word(value.type.width, None, value, self.builder)

    def _take(self) -> Word:
        self._fields += 1
        if self._fields > RECORD_WORDS:
            raise ValueError("an instruction has more fields than a record holds")
        return self._record_word(self._fields - 1)

    def _record_word(self, number: int) -> Word:
        pointer = self.builder.gep(self.record, [ir.Constant(I64, 4 * number)], inbounds=True)
        return self.word(self.builder.load(self.builder.bitcast(pointer, I32.as_pointer())))

    @property
    def pc(self) -> Word:
        return self._record_word(PC_WORD)

    @property
    def next_pc(self) -> Word:
        return self._record_word(END_WORD)

    def _state_pointer(self, name: str, n: Word | None = None, bits: int | None = None) -> ir.Value:
        width = self.cpu.layout.fields[name][0]
        stored = max(width, 8)
        offset: Word = Word(64, self.cpu.layout.offsets[name])
        if n is not None:
            offset = n.zext(64) * (stored // 8) + offset
        pointer = self.builder.gep(self.state, [offset.ir], inbounds=True)
        return self.builder.bitcast(
            pointer, ir.IntType(bits or (stored if width in (8, 16, 32, 64) else 8)).as_pointer()
        )

    def get(self, name: str) -> Word:
        width = self.cpu.layout.fields[name][0]
        return self.word(self.builder.load(self._state_pointer(name))).trunc(width)

    def set(self, name: str, word: Word) -> None:
        self.builder.store((word if word.bits >= 8 else word.zext(8)).ir, self._state_pointer(name))

    def element(self, name: str, n: Word) -> Word:
        return self.word(self.builder.load(self._state_pointer(name, n)))

    def set_element(self, name: str, n: Word, word: Word) -> None:
        self.builder.store(word.ir, self._state_pointer(name, n))

    def _reg(self, n: Word, bits: int) -> Word:
        return self.word(self.builder.load(self._state_pointer("r", n, bits)))

    def _set_reg(self, n: Word, word: Word) -> None:
        self.builder.store(word.ir, self._state_pointer("r", n, word.bits))

    def _memory_pointer(self, base: ir.Value, place: Word, bits: int) -> ir.Value:
        pointer = self.builder.gep(base, [place.zext(64).ir], inbounds=True)
        return self.builder.bitcast(pointer, ir.IntType(bits).as_pointer())

    def _load(self, place: Word, bits: int) -> Word:
        value = self.builder.load(self._memory_pointer(self.ram, place, bits))
        value.align = 1
        return self.word(value)

    def _store(self, place: Word, word: Word) -> None:
        self.builder.store(word.ir, self._memory_pointer(self.ram, place, word.bits)).align = 1

    def _context_pointer(self, number: int) -> ir.Value:
        return self.builder.load(context_entry(self.builder, self.context, number))

    def _watched(self, place: Word, bits: int) -> Word:
        value = self.builder.load(self._memory_pointer(self._context_pointer(CODE_POINTER), place, bits))
        value.align = 1
        return self.word(value).ne(0)

    def select(self, condition: Word, a: Word, b: Word) -> Word:
        if condition.known is not None:
            return a if condition.known else b
        return self.word(self.builder.select(condition.ir, a.ir, b.ir))

    def when(self, condition: Word, then: Callable[[], None], otherwise: Callable[[], None] | None = None) -> None:
        if condition.known is not None:
            if condition.known:
                then()
            elif otherwise is not None:
                otherwise()
        elif otherwise is None:
            with self.builder.if_then(condition.ir, likely=False):
                then()
        else:
            with self.builder.if_else(condition.ir) as (yes, no):
                with yes:
                    then()
                with no:
                    otherwise()

    def for_each_bit(self, mask: Word, body: Callable[[Word], None], down: bool = False) -> None:
        rest = self.variable(mask.zext(32))
        test, loop, done = (self.function.append_basic_block(n) for n in ("bits", "bit", "bits_done"))
        self.builder.branch(test)
        self.builder.position_at_end(test)
        self.builder.cbranch(rest.get().ne(0).ir, loop, done)
        self.builder.position_at_end(loop)
        left = rest.get()
        if down:
            bit = 31 - left.count_zeros_left()
            rest.set(left ^ (self.const(32, 1) << bit))
        else:
            bit = self.word(self.builder.cttz(left.ir, ir.Constant(I1, 1)))
            rest.set(left & (left - 1))
        body(bit)
        self.builder.branch(test)
        self.builder.position_at_end(done)

    def subroutine(self, name: str, function: Callable[..., Word], *words: Word) -> Word:
        """Call a function of the module on the state and 64-bit words, emitting it on first use."""
        module = self.function.module
        full = f"{self.function.name.rpartition('_')[0]}_{name}"
        called = module.globals.get(full)
        if called is None:
            called = ir.Function(module, ir.FunctionType(I64, [BYTES] + [I64] * len(words)), full)
            called.linkage = "internal"
            called.attributes.add("noinline")
            Subroutine(self.cpu, called).emit_function(function)
        return self.word(self.builder.call(called, [self.state, *(w.ir for w in words)]))

    def variable(self, word: Word) -> Place:
        return Place(self, word)

    def _jump(self, address: Word) -> None:
        """Look the record up; an address without one, or one between instruction units, leaves to the host."""
        unit = self.cpu.isa.word_bytes
        index = self._context_pointer(INDEX_POINTER)
        number = address >> (unit.bit_length() - 1)
        pointer = self.builder.gep(self.builder.bitcast(index, I32.as_pointer()), [number.zext(64).ir], inbounds=True)
        found = self.word(self.builder.load(pointer))
        if unit > 1:
            found = self.select((address & (unit - 1)).eq(0), found, self.const(32, UNKNOWN_RECORD))
        self.builder.store(address.ir, self._state_pointer("pc"))
        self.builder.store(address.ir, self._next_pc)
        distance = found.zext(64) * RECORD_BYTES
        self.builder.store(self.builder.gep(self._context_pointer(RECORDS_POINTER), [distance.ir]), self._next)

    def _branch(self, condition: Word, target: Word) -> None:
        self._taken = condition
        self.builder.store(self.select(condition, target, self.next_pc).ir, self._next_pc)

    def leave(self, reason: int, detail: Word | int = 0) -> None:
        self._can_leave = True
        self.builder.store(ir.Constant(I1, 1), self._left)
        self.set("reason", self.const(32, reason))
        self.set("detail", self.const(32, detail) if isinstance(detail, int) else detail)


class Subroutine(Emitter):
    """Emits a function that works on the state only."""

    def __init__(self, cpu: Cpu, function: ir.Function) -> None:
        self.cpu, self.function = cpu, function
        self.state = function.args[0]
        self.entry = function.append_basic_block("entry")
        self.builder = ir.IRBuilder(function.append_basic_block("body"))

    def emit_function(self, function: Callable[..., Word]) -> None:
        result = function(self, *(self.word(argument) for argument in self.function.args[1:]))
        self.builder.ret(result.ir)
        ir.IRBuilder(self.entry).branch(self.function.blocks[1])


def context_entry(builder: ir.IRBuilder, context: ir.Value, number: int) -> ir.Value:
    table = builder.bitcast(context, BYTES.as_pointer())
    return builder.gep(table, [ir.Constant(I64, number)], inbounds=True)


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
    place = builder.bitcast(builder.gep(record, [ir.Constant(I64, 4 * TARGET_WORD)]), I32.as_pointer())
    other = builder.gep(record, [builder.sext(builder.load(place), I64)])
    run_handler(builder, other, [ram, state, other, context, budget])
