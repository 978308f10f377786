"""LLVM code as text, written line by line while it is emitted.

A value is the text that stands for it as an operand: "%v7", "42". Whoever uses it knows its type, which is text too:
"i32", "ptr". So an instruction costs one formatted line; LLVM itself checks all of them when it reads the module.
Pointers are opaque: they point to whatever an access takes them for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import NamedTuple

POINTER = "ptr"
I1, I8, I32, I64 = (f"i{bits}" for bits in (1, 8, 32, 64))

UNLIKELY = ", !prof !0"
WEIGHTS = '!0 = !{!"branch_weights", i32 1, i32 99}\n'  # how seldom that is


class Signature(NamedTuple):
    """The types of a function.

    convention  how it is called, with a blank behind; empty for that of C
    """

    result: str
    parameters: tuple[str, ...]
    convention: str = ""


class Module:
    """Functions under construction: the text of those that are finished, and what they refer to."""

    def __init__(self) -> None:
        self.names: set[str] = set()  # of functions that have been begun, and of LLVM's own that are used
        self.parts = [WEIGHTS]

    def text(self) -> str:
        return "".join(self.parts)

    def intrinsic(self, name: str, result: str, parameters: Iterable[str]) -> str:
        """Declare a function of LLVM on first use; return its name."""
        if name not in self.names:
            self.names.add(name)
            self.parts.append(f"declare {result} @{name}({', '.join(parameters)})\n")
        return name

    def constant_addresses(self, name: str, functions: Sequence[str]) -> None:
        """Define a global table of the addresses of functions."""
        entries = ", ".join(f"i64 ptrtoint (ptr @{function} to i64)" for function in functions)
        self.parts.append(f"@{name} = constant [{len(functions)} x i64] [{entries}]\n")


class Block:
    """A basic block.

    lines       of its instructions
    is_ended    has it its terminator?
    computed    values that it has, by the instructions that give the same ones whenever they run
    """

    __slots__ = ("computed", "is_ended", "label", "lines")

    def __init__(self, label: str) -> None:
        self.label = label
        self.lines: list[str] = []
        self.is_ended = False
        self.computed: dict[str, str] = {}


class Function:
    """A function that code is emitted into, at the end of its block `block`.

    args        its parameters as values
    attributes  of each parameter
    sums        values that are another one plus a number: value -> (the other one, the number, signed)
    """

    def __init__(self, module: Module, signature: Signature, name: str, options: str = "") -> None:
        """Begin an internal function in its first block; `options` are LLVM's attributes of functions."""
        self.module, self.signature, self.name, self.options = module, signature, name, options
        module.names.add(name)
        self.args = [f"%p{number}" for number in range(len(signature.parameters))]
        self.attributes = [""] * len(self.args)
        self.sums: dict[str, tuple[str, int]] = {}
        self._numbers, self._labels = count(), count()
        self._slots: list[str] = []
        self._blocks: list[Block] = []
        self.first = self.new_block()
        self.go_on(self.first)

    def finish(self) -> None:
        """Add the text of the function to its module and let go of the blocks."""
        result, kinds, convention = self.signature
        types = zip(kinds, self.attributes, self.args)
        parameters = ", ".join(f"{kind} {attribute} {name}" for kind, attribute, name in types)
        parts = [f"define internal {convention}{result} @{self.name}({parameters}) {self.options} {{"]
        parts += self._slots
        for block in self._blocks:
            if block is not self.first:
                parts.append(f"{block.label}:")
            parts += block.lines
        parts.append("}\n")
        self.module.parts.append("\n".join(parts))
        self._blocks.clear()
        self.sums.clear()
        del self.block, self.first, self._append, self._computed

    # blocks

    def new_block(self) -> Block:
        block = Block(f"b{next(self._labels)}")
        self._blocks.append(block)
        return block

    def go_on(self, block: Block) -> None:
        """Emit at the end of a block from now on."""
        self.block = block
        self._append, self._computed = block.lines.append, block.computed

    def branch(self, block: Block) -> None:
        self._end(f"br label %{block.label}")

    def branch_if(self, condition: str, yes: Block, no: Block, weights: str = "") -> None:
        self._end(f"br i1 {condition}, label %{yes.label}, label %{no.label}{weights}")

    def switch(self, kind: str, value: str, otherwise: Block, cases: Iterable[tuple[int, Block]]) -> None:
        text = " ".join(f"{kind} {number}, label %{block.label}" for number, block in cases)
        self._end(f"switch {kind} {value}, label %{otherwise.label} [{text}]")

    def ret(self, value: str) -> None:
        self._end(f"ret {self.signature.result} {value}")

    def _end(self, terminator: str) -> None:
        self._append(terminator)
        self.block.is_ended = True

    @contextmanager
    def if_then(self, condition: str, weights: str = "") -> Iterator[None]:
        """Emit what runs if a condition holds."""
        then, after = self.new_block(), self.new_block()
        self.branch_if(condition, then, after, weights)
        self.go_on(then)
        yield
        self.join(after)

    def join(self, block: Block) -> None:
        """Go on in a block, and come there from this one unless it has ended."""
        if not self.block.is_ended:
            self.branch(block)
        self.go_on(block)

    # instructions

    def value(self, instruction: str) -> str:
        """Emit an instruction that has a value, each time another one perhaps; return that."""
        name = f"%v{next(self._numbers)}"
        self._append(f"{name} = {instruction}")
        return name

    def computed(self, instruction: str) -> str:
        """Return the value of an instruction that always has the same one, emitted once in a block."""
        name = self._computed.get(instruction)
        if name is None:
            self._computed[instruction] = name = f"%v{next(self._numbers)}"
            self._append(f"{name} = {instruction}")
        return name

    def slot(self, kind: str) -> str:
        """Make a stack slot, once a call of the function; return its address."""
        name = f"%v{next(self._numbers)}"
        self._slots.append(f"{name} = alloca {kind}")
        return name

    def move_slot(self, slot: str, base: str, distance: int) -> None:
        """Make a slot, as if from the beginning, the place so many bytes beyond an argument."""
        number = next(n for n, line in enumerate(self._slots) if line.startswith(f"{slot} = "))
        self._slots[number] = f"{slot} = getelementptr inbounds {I8}, ptr {base}, i64 {distance}"

    def load(self, kind: str, address: str) -> str:
        return self.value(f"load {kind}, ptr {address}")

    def store(self, kind: str, value: str, address: str) -> None:
        self._append(f"store {kind} {value}, ptr {address}")

    def load_below(self, kind: str, address: str, end: int) -> str:
        """Load a number of which it is certain that it is below another one."""
        return self.value(f"load {kind}, ptr {address}, !range !{{{kind} 0, {kind} {end}}}")

    def load_constant(self, kind: str, address: str) -> str:
        """Load what nothing writes while the function runs."""
        return self.computed(f"load {kind}, ptr {address}")

    def load_unaligned(self, kind: str, address: str) -> str:
        return self.value(f"load {kind}, ptr {address}, align 1")

    def store_unaligned(self, kind: str, value: str, address: str) -> None:
        self._append(f"store {kind} {value}, ptr {address}, align 1")

    def address(self, base: str, distance: str | int, kind: str = I8) -> str:
        """Return the address so many things of a kind beyond another one in the same array."""
        return self.computed(f"getelementptr inbounds {kind}, ptr {base}, i64 {distance}")

    def call(self, signature: Signature, function: str, arguments: Iterable[str], tail: str = "") -> str:
        """Call a function (`@name`, or its address) with some values."""
        result, kinds, convention = signature
        values = ", ".join(map(" ".join, zip(kinds, arguments, strict=True)))
        return self.value(f"{tail}call {convention}{result} {function}({values})")

    def call_intrinsic(self, name: str, bits: int, value: str, *flags: str) -> str:
        """Call an intrinsic that makes a word of another one; it may take flags."""
        kind = f"i{bits}"
        full = self.module.intrinsic(f"llvm.{name}.{kind}", kind, [kind] + [I1] * len(flags))
        rest = "".join(f", {I1} {flag}" for flag in flags)
        return self.computed(f"call {kind} @{full}({kind} {value}{rest})")

    def reserve(self) -> tuple[list[str], int]:
        """Keep a place for an instruction that may be wanted here later: lines, and which of them."""
        self._append("")
        return self.block.lines, len(self.block.lines) - 1
