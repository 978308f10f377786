"""The compiled value layer: emits LLVM code for the rows, into whatever function an engine builds.

`Emitter` works on a state in memory; the interpreter's handlers (handlers.py) and the regions of the recompiler
(recompile.py) add where operands come from and where control goes.
"""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir

from ..spec.cpu import Cpu
from ..spec.semantics import ExecutionContext
from ..spec.values import Word

I1, I8, I16, I32, I64 = (ir.IntType(n) for n in (1, 8, 16, 32, 64))
BYTES = I8.as_pointer()

# context: pointers that only some code needs, and the budget left on return
CODE_POINTER, INDEX_POINTER, RECORDS_POINTER, BUDGET = range(4)


class Variable:
    """A mutable word: its first value as long as nothing changes it, then a slot on the stack.

    In a loop it is a slot at once: a change that is emitted later may come earlier.
    """

    def __init__(self, emitter: Emitter, word: Word) -> None:
        self.emitter, self.first = emitter, word
        self.slot: ir.Value | None = None
        self.block = emitter.builder.block
        self.after = self.block.instructions[-1] if self.block.instructions else None

    def _make(self) -> ir.Value:
        """Make the slot; it gets its first value where the variable was declared, whatever path leads here."""
        if self.slot is None:
            self.slot = self.emitter.allocate(ir.IntType(self.first.bits))
            builder = self.emitter.builder
            present = builder.block
            if self.after is None:
                builder.position_at_start(self.block)
            else:
                builder.position_after(self.after)
            builder.store(self.first.ir, self.slot)
            builder.position_at_end(present)
        return self.slot

    def get(self) -> Word:
        if self.slot is None and not self.emitter.loops:
            return self.first
        return self.emitter.word(self.emitter.builder.load(self._make()))

    def set(self, word: Word) -> None:
        self.emitter.builder.store(word.ir, self._make())


class Emitter(ExecutionContext):
    """Emits code that keeps the state in memory; `entry` is a block for stack slots, closed at the end."""

    loops = 0  # that the code being emitted lies in

    ram: ir.Value
    state: ir.Value
    context: ir.Value
    _next_pc: ir.Value  # slots: where the program continues, and whether it returns to the host
    _left: ir.Value
    _can_leave = False
    _taken: Word | None = None

    def __init__(self, cpu: Cpu, function: ir.Function) -> None:
        self.cpu, self.function = cpu, function
        self.entry = function.append_basic_block("entry")
        self.builder = ir.IRBuilder(function.append_basic_block("body"))

    def allocate(self, kind: ir.Type) -> ir.Value:
        """Make a stack slot, in the entry block so that a loop does not make it again."""
        return ir.IRBuilder(self.entry).alloca(kind)

    def word(self, value: ir.Value) -> Word:
        return Word(value.type.width, None, value, self.builder)

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

    def _memory_pointer(self, base: ir.Value, location: Word, bits: int) -> ir.Value:
        pointer = self.builder.gep(base, [location.zext(64).ir], inbounds=True)
        return self.builder.bitcast(pointer, ir.IntType(bits).as_pointer())

    def _load(self, location: Word, bits: int) -> Word:
        value = self.builder.load(self._memory_pointer(self.ram, location, bits))
        value.align = 1
        return self.word(value)

    def _store(self, location: Word, word: Word) -> None:
        self.builder.store(word.ir, self._memory_pointer(self.ram, location, word.bits)).align = 1

    def context_pointer(self, number: int) -> ir.Value:
        return self.builder.load(context_entry(self.builder, self.context, number))

    def _watched(self, location: Word, bits: int) -> Word:
        value = self.builder.load(self._memory_pointer(self.context_pointer(CODE_POINTER), location, bits))
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
        self.loops += 1
        test, loop, done = (self.function.append_basic_block(n) for n in ("bits", "bit", "bits_done"))
        self.builder.branch(test)
        self.builder.position_at_end(test)
        self.builder.cbranch(rest.get().ne(0).ir, loop, done)
        self.builder.position_at_end(loop)
        left = rest.get()
        if down:
            bit = 31 - left.count_leading_zeros()
            rest.set(left ^ (self.const(32, 1) << bit))
        else:
            bit = self.word(self.builder.cttz(left.ir, ir.Constant(I1, 1)))
            rest.set(left & (left - 1))
        body(bit)
        self.builder.branch(test)
        self.builder.position_at_end(done)
        self.loops -= 1

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

    def variable(self, word: Word) -> Variable:
        return Variable(self, word)

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
        super().__init__(cpu, function)
        self.state = function.args[0]

    def emit_function(self, function: Callable[..., Word]) -> None:
        result = function(self, *(self.word(argument) for argument in self.function.args[1:]))
        self.builder.ret(result.ir)
        ir.IRBuilder(self.entry).branch(self.function.blocks[1])


def context_entry(builder: ir.IRBuilder, context: ir.Value, number: int) -> ir.Value:
    table = builder.bitcast(context, BYTES.as_pointer())
    return builder.gep(table, [ir.Constant(I64, number)], inbounds=True)


def base_and_distance(address: Word) -> tuple[Word, int]:
    """Take an address that was emitted as a sum with known numbers apart; the distance is signed."""
    base, distance = address.value, 0
    while isinstance(base, ir.Instruction) and base.opname in ("add", "sub"):
        left, right = base.operands
        if base.opname == "add" and isinstance(left, ir.Constant):
            left, right = right, left
        if not isinstance(right, ir.Constant):
            break
        step = Word(address.bits, right.constant).signed
        distance += step if base.opname == "add" else -step
        base = left
    return address.emitted(base), distance
