"""Instruction rows: one declaration gives decoding, execution, listing and timing.

    @insn("CMP.{s} {ea},{d}", "1011ddd0ssmmmrrr", ea=ANY, cost="CMP", ref="M68000PRM 4-75")
    def cmp(m, s, ea, d): ...

The pattern has one character a bit: 0 and 1 are fixed, - is ignored, letters are fields; a blank starts the next word.
The parameters of the semantic function name its operands, in the order of their extension words; the operand kinds of
the instruction set say how a name is decoded, shown and passed. What an operand fixes at decoding time is either
*static* (part of the handler's key: size, condition, addressing class) or a *field* (a 32-bit number in the decoded
record: register number, displacement, immediate).

Words that an instruction set names as prefixes may stand before a pattern, in any order; operand kinds ask for them.

`cost` names the entries of the price tables: one, or one for each outcome; the mnemonic when it is left out. The keys
of `forms` that a kind sets while decoding may stand in it: "MOVEA.{s}". `varies` names the hook (timing.py) that the
price varies with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, TypeAlias


class OperandKind(Protocol):
    """How one operand name is decoded, handed to the semantics, and shown."""

    letters: str  # pattern letters it needs, "" when it lives in extension words only

    def decode(self, d: Any) -> tuple[Any, list[int]]:
        """Return (static part or None, fields); raise IllegalEncoding where no such operand exists."""

    def bind(self, m: Any, static: Any, take: Callable[[], Any]) -> Any:
        """Return what the semantic function gets; `take()` yields the next field as a 32-bit word."""

    def show(self, d: Any, static: Any, fields: list[int]) -> str:
        """Return the assembler text."""

    def statics(self, row: Row) -> Iterable[Any]:
        """Yield every static part that this row can have."""

    # A kind whose operands have forms that prices depend on has: forms(row, model) -> every dict of forms it can set.


Options: TypeAlias = dict[str, Any]
"""What rows that are declared in a loop have in common: keyword arguments of `InstructionSet.insn`."""


@dataclass(frozen=True)
class Row:
    """One instruction: everything the engines, the listing and the timing know of it."""

    name: str
    syntax: str
    pattern: str
    function: Callable
    operands: tuple[tuple[str, OperandKind], ...]
    options: dict[str, Any] = field(repr=False)
    cost: tuple[str, ...]
    ref: str
    models: frozenset[str] | None = None
    varies: str = ""

    @property
    def first(self) -> str:
        return self.pattern.split()[0]

    @cached_property
    def stem(self) -> str:
        """The mnemonic up to the first part that differs."""
        return self.syntax.partition(" ")[0].partition("{")[0]

    @property
    def leads_nowhere(self) -> bool:
        """Is it no instruction, or one that stands for none? What is behind it need not be code."""
        return not self.pattern or bool(self.options.get("illegal"))

    @cached_property
    def fixed_words(self) -> tuple[int, ...]:
        """The words of the pattern with zeros in the fields; of ignored bits, those that the option names are set."""
        patterns, ignored = self.pattern.split(), self.options.get("ignored", 0)
        return tuple(int(p.translate(_FIXED), 2) | ignored & int(p.translate(_IGNORED), 2) for p in patterns)

    @cached_property
    def places(self) -> dict[str, tuple[int, int, int]]:
        """Letter of a field -> (number of its word, what its numbers are below, bits behind it)."""
        return {
            letter: (index, 1 << pattern.count(letter), len(pattern) - 1 - pattern.rindex(letter))
            for index, pattern in reversed(list(enumerate(self.pattern.split())))
            for letter in pattern
            if letter.isalpha()
        }

    @property
    def key(self) -> str:
        """What identifies the row."""
        return self.syntax + "|" + self.pattern

    def forms(self, model: str) -> Iterable[dict[str, Any]]:
        """Yield what prices depend on, so that every form of every operand occurs; several operands change together."""
        kinds = [list(kind.forms(self, model)) for _, kind in self.operands if hasattr(kind, "forms")]
        for number in range(max(map(len, kinds), default=1)):
            yield {name: form for forms in kinds for name, form in forms[number % len(forms)].items()}


_IGNORED = dict.fromkeys(range(128), "0") | {ord("-"): "1"}
_FIXED = dict.fromkeys(range(128), "0") | {ord("1"): "1"}


def undefined_row(name: str, syntax: str, function: Callable, cost: str, ref: str) -> Row:
    """Return a row that stands for encodings which are no instruction; `syntax` may show their {opcode}."""
    return Row(name, syntax, "", function, (), {}, (cost,), ref)


@dataclass(frozen=True)
class Insn:
    """A decoded instruction. `key` names its handler; `fields` are its numbers, in operand order.

    forms   operand name -> what the timing tables call its form, for example "(d16,An)"
    target  where a branch, jump or call goes, when decoding knows it
    prefixes  code words before the pattern
    """

    pc: int
    length: int
    row: Row
    statics: tuple[Any, ...]
    fields: tuple[int, ...]
    text: str
    forms: dict[str, Any]
    target: int | None = None
    prefixes: int = 0

    @property
    def end(self) -> int:
        """Address of the next instruction in memory."""
        return (self.pc + self.length) & 0xFFFFFF

    @property
    def key(self) -> tuple[str, tuple[Any, ...]]:
        return self.row.key, self.statics


def undefined_insn(row: Row, pc: int, length: int, opcode: int) -> Insn:
    """Return the instruction that stands for an encoding which is none."""
    return Insn(pc, length, row, (), (), row.syntax.format(opcode=opcode), {})


def bind(m: Any, row: Row, statics: tuple[Any, ...], take: Callable[[], Any]) -> dict[str, Any]:
    """Return the semantic function's arguments, fields taken in declared order."""
    return {name: kind.bind(m, static, take) for (name, kind), static in zip(row.operands, statics, strict=True)}
