"""The compiled value layer: emits LLVM code for the rows, into whatever function an engine builds.

`Emitter` works on a state in memory; the interpreter's handlers (handlers.py) and the regions of the recompiler
(recompile.py) add where operands come from and where control goes.
"""

from __future__ import annotations

from collections.abc import Callable

from ..spec.cpu import Cpu
from ..spec.ir import I64, POINTER, UNLIKELY, Function, Signature
from ..spec.semantics import ExecutionContext
from ..spec.values import Word

POINTER_BYTES = 8
SPARING = "preserve_mostcc "  # convention of calls that seldom happen: they cost no registers where they do not

# context: pointers that only some code needs (TABLE, ASK: memo.py, COUNTS: profiling.py, HITS: hits.py), the budget
# left on return, and the state of a pipeline in the table that one region hands to the next, else 0
CODE_POINTER, INDEX_POINTER, RECORDS_POINTER, BUDGET, TABLE_POINTER, ASK_POINTER, COUNTS_POINTER, HANDED = range(8)
HITS_POINTER = 8
MISSED = 9  # the first of MISSES: addresses that computed jumps of regions led to, and no region knew
MISSES = 64
CONTEXT_ENTRIES = MISSED + MISSES


class Cell:
    """A mutable value: its first one as long as nothing changes it, then a slot on the stack.

    In a loop it is a slot at once: a change that is emitted later may come earlier.
    """

    def __init__(self, emitter: Emitter, kind: str, first: str) -> None:
        self.emitter, self.kind, self.first = emitter, kind, first
        self.slot: str | None = None
        self.place = emitter.code.reserve()

    @property
    def is_first(self) -> bool:
        return self.slot is None and not self.emitter.loops

    def _make(self) -> str:
        """Make the slot; it gets its first value where the cell was declared, whatever path leads here."""
        if self.slot is None:
            self.slot = self.emitter.code.slot(self.kind)
            lines, number = self.place
            lines[number] = f"store {self.kind} {self.first}, ptr {self.slot}"
        return self.slot

    def get(self) -> str:
        return self.first if self.is_first else self.emitter.code.load(self.kind, self._make())

    def set(self, value: str) -> None:
        self.emitter.code.store(self.kind, value, self._make())


class Variable:
    """A mutable word."""

    def __init__(self, emitter: Emitter, word: Word) -> None:
        self.emitter, self.first = emitter, word
        self.cell = Cell(emitter, word.type, word.operand)

    def get(self) -> Word:
        return self.first if self.cell.is_first else self.emitter.word(self.first.bits, self.cell.get())

    def set(self, word: Word) -> None:
        self.cell.set(word.operand)


class Emitter(ExecutionContext):
    """Emits code that keeps the state in memory into a function."""

    loops = 0  # that the code being emitted lies in
    _depth = 0  # how many conditions that are not known it lies under, loops among them

    ram: str
    state: str
    context: str
    _next_pc: Variable  # where the program continues
    _left: Variable  # does it return to the host?
    _can_leave = False
    _taken: Word | None = None

    def __init__(self, cpu: Cpu, code: Function) -> None:
        self.cpu, self.code = cpu, code

    def word(self, bits: int, value: str) -> Word:
        return Word(bits, None, value, self.code)

    def loaded(self, bits: int, address: str) -> Word:
        """Load a word from where it lies aligned."""
        return Word(bits, None, self.code.load(f"i{bits}", address), self.code)

    def put(self, word: Word, address: str) -> None:
        """Store a word where it lies aligned."""
        self.code.store(f"i{word.bits}", word.operand, address)

    def _state_pointer(self, name: str, n: Word | None = None) -> str:
        offset, size = self.cpu.layout.offsets[name], self._stored_bits(name) // 8
        if n is not None and n.known is not None:
            offset, n = offset + n.known * size, None
        base = self.code.address(self.state, offset)
        return base if n is None else self.code.address(base, n.zext(64).operand, f"i{8 * size}")

    def _stored_bits(self, name: str) -> int:
        """Return the width that a field has in memory."""
        return max(self.cpu.layout.fields[name][0], 8)

    def field(self, name: str, n: Word | None = None) -> Word:
        word = self.loaded(self._stored_bits(name), self._state_pointer(name, n))
        return word.trunc(self.cpu.layout.fields[name][0])

    def set_field(self, name: str, word: Word, n: Word | None = None) -> None:
        self.put(word.zext(max(word.bits, 8)), self._state_pointer(name, n))

    def get(self, name: str) -> Word:
        return self.field(name)

    def set(self, name: str, word: Word) -> None:
        self.set_field(name, word)

    def element(self, name: str, n: Word) -> Word:
        return self.field(name, n)

    def set_element(self, name: str, n: Word, word: Word) -> None:
        self.set_field(name, word, n)

    def matching(self, name: str, first: Word, count: int, value: Word, mask: Word | None = None) -> Word:
        """Return a bit for each of some consecutive elements: is it a value, in the bits of a mask?"""
        code, kind = self.code, f"<{count} x {value.type}>"
        elements = code.value(f"load {kind}, ptr {self._state_pointer(name, first)}, align {value.bits // 8}")

        def every(word: Word) -> str:
            one = code.computed(f"insertelement {kind} undef, {word.type} {word.operand}, i64 0")
            return code.computed(f"shufflevector {kind} {one}, {kind} undef, <{count} x i32> zeroinitializer")

        if mask is not None:
            elements = code.value(f"and {kind} {elements}, {every(mask)}")
        same = code.value(f"icmp eq {kind} {elements}, {every(value)}")
        return self.word(count, code.value(f"bitcast <{count} x i1> {same} to i{count}"))

    def lowest_bit(self, mask: Word) -> Word:
        """Return the number of the lowest one in a mask that has one, 32 bits."""
        return self.word(32, self.code.call_intrinsic("cttz", 32, mask.zext(32).operand, "0"))

    def _reg(self, n: Word, bits: int) -> Word:
        return self.loaded(bits, self._state_pointer("r", n))

    def _set_reg(self, n: Word, word: Word) -> None:
        self.put(word, self._state_pointer("r", n))

    def _load(self, location: Word, bits: int) -> Word:
        return self._loaded_from(self.ram, location, bits)

    def _loaded_from(self, base: str, location: Word, bits: int) -> Word:
        address = self.code.address(base, location.zext(64).operand)
        return self.word(bits, self.code.load_unaligned(f"i{bits}", address))

    def _store(self, location: Word, word: Word) -> None:
        address = self.code.address(self.ram, location.zext(64).operand)
        self.code.store_unaligned(word.type, word.operand, address)

    def context_entry(self, number: int) -> str:
        return self.code.address(self.context, POINTER_BYTES * number)

    def context_pointer(self, number: int) -> str:
        return self.code.load_constant(POINTER, self.context_entry(number))

    def _marks(self, location: Word, bits: int) -> Word:
        return self._loaded_from(self.context_pointer(CODE_POINTER), location, bits)

    def _hits(self, location: Word, bits: int) -> Word:
        return self._loaded_from(self.context_pointer(HITS_POINTER), location, bits)

    def _set_hits(self, location: Word, word: Word) -> None:
        address = self.code.address(self.context_pointer(HITS_POINTER), location.zext(64).operand)
        self.code.store_unaligned(word.type, word.operand, address)

    def select(self, condition: Word, a: Word, b: Word) -> Word:
        if condition.known is not None:
            return a if condition.known else b
        kind = a.type
        return self.word(
            a.bits, self.code.computed(f"select i1 {condition.operand}, {kind} {a.operand}, {kind} {b.operand}")
        )

    def when(self, condition: Word, then: Callable[[], None], otherwise: Callable[[], None] | None = None) -> None:
        code = self.code
        if condition.known is not None:
            if condition.known:
                then()
            elif otherwise is not None:
                otherwise()
            return
        self._depth += 1
        if otherwise is None:
            with code.if_then(condition.operand, UNLIKELY):
                then()
        else:
            yes, no, after = code.new_block(), code.new_block(), code.new_block()
            code.branch_if(condition.operand, yes, no)
            for block, body in ((yes, then), (no, otherwise)):
                code.go_on(block)
                body()
                code.join(after)
        self._depth -= 1

    def for_each_bit(self, mask: Word, body: Callable[[Word], None], down: bool = False) -> None:
        code = self.code
        self._depth += 1
        rest = self.variable(mask.zext(32))
        self.loops += 1
        test, loop, done = code.new_block(), code.new_block(), code.new_block()
        code.join(test)
        left = rest.get()
        code.branch_if(left.ne(0).operand, loop, done)
        code.go_on(loop)
        if down:
            bit = 31 - left.count_leading_zeros()
            rest.set(left ^ (self.const(32, 1) << bit))
        else:
            bit = self.word(32, code.call_intrinsic("cttz", 32, left.operand, "1"))
            rest.set(left & (left - 1))
        body(bit)
        code.branch(test)
        code.go_on(done)
        self.loops -= 1
        self._depth -= 1

    def subroutine(self, name: str, function: Callable[..., Word], *words: Word, convention: str = "") -> Word:
        """Call a function of the module on the state, the context and 64-bit words, emitting it on first use."""
        module = self.code.module
        signature = Signature(I64, (POINTER, POINTER) + (I64,) * len(words), convention)
        full = f"{self.code.name.rpartition('_')[0]}_{name}"
        if full not in module.names:
            Subroutine(self.cpu, Function(module, signature, full, "noinline")).emit_function(function)
        arguments = self.state, self.context, *(word.operand for word in words)
        return self.word(64, self.code.call(signature, f"@{full}", arguments))

    def variable(self, word: Word) -> Variable:
        return Variable(self, word)

    def _branch(self, condition: Word, target: Word) -> None:
        self._taken = condition
        self._next_pc.set(self.select(condition, target, self.next_pc))

    def leave(self, reason: int, detail: Word | int = 0) -> None:
        self._can_leave = True
        self._left.set(self.const(1, 1))
        self.set("reason", self.const(32, reason))
        self.set("detail", self.const(32, detail) if isinstance(detail, int) else detail)


class Subroutine(Emitter):
    """Emits a function that works on the state, and on what the context leads to."""

    def __init__(self, cpu: Cpu, code: Function) -> None:
        super().__init__(cpu, code)
        self.state, self.context = code.args[:2]

    def emit_function(self, function: Callable[..., Word]) -> None:
        result = function(self, *(self.word(64, argument) for argument in self.code.args[2:]))
        self.code.ret(result.operand)
        self.code.finish()


def base_and_distance(address: Word) -> tuple[Word, int]:
    """Take an address that was emitted as a sum with known numbers apart; the distance is signed."""
    base, distance, sums = address.value, 0, address.function.sums
    while base in sums:
        base, step = sums[base]
        distance += step
    return Word(address.bits, None, base, address.code), distance
