"""Instruction rows: one declaration gives decoding, execution, listing and timing.

    @insn("CMP.{s} {ea},{d}", "1011ddd0ssmmmrrr", ea=ANY, cost="CMP", ref="M68000PRM 4-75")
    def cmp(m, s, d, ea): ...

The pattern has one character a bit: 0 and 1 are fixed, - is ignored, letters are fields; a blank starts the next word.
The parameters of the semantic function, in order, name its operands; how a name is decoded, shown and handed over is
told by the instruction set's operand kinds, and their order is the order of the extension words. What an operand fixes
at decoding time is either *static* (part of the handler's key: size, condition, addressing class) or a *field* (a
32-bit number in the decoded record: register number, displacement, immediate).

Words that an instruction set names as prefixes may stand before a pattern, in any order; operand kinds ask for them.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from retrosim.errors import SpecError


class OperandKind(Protocol):
    """How one operand name is decoded, handed to the semantics, and shown."""

    letters: str  # pattern letters it needs, "" when it lives in extension words only

    def decode(self, d: Decoding) -> tuple[Any, list[int]]:
        """Return (static part or None, fields); raise IllegalEncoding where no such operand exists."""

    def bind(self, m: Any, static: Any, take: Callable[[], Any]) -> Any:
        """Return what the semantic function gets; `take()` yields the next field as a 32-bit word."""

    def show(self, d: Decoding, static: Any, fields: list[int]) -> str:
        """Return the assembler text."""

    def statics(self, row: Row) -> Iterable[Any]:
        """Yield every static part that this row can have."""


class IllegalEncoding(Exception):
    """The words at an address are no instruction of this model."""


class TooLong(IllegalEncoding):
    """The instruction has more bytes than the CPU takes."""


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
    models: frozenset[str] | None

    @property
    def first(self) -> str:
        return self.pattern.split()[0]

    @property
    def key(self) -> str:
        """What tells it from all other rows."""
        return self.syntax + "|" + self.pattern


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


class Decoding:
    """The state of decoding one instruction: code words read so far, and the row's options.

    prefixes  kind of prefix -> value of the last one of that kind
    start     address behind the prefixes
    """

    def __init__(
        self, table: OpcodeTable, row: Row, pc: int, start: int, prefixes: dict[str, int], word: Callable[[int], int]
    ) -> None:
        self.model, self.row, self.pc, self.start, self.end = table.model, row, pc, start, start
        self.prefixes = prefixes
        self._word, self._word_bytes = word, table.isa.word_bytes
        self.words = [self.next_word() for _ in row.pattern.split()]
        self.size: int | None = row.options.get("size")
        self.forms: dict[str, Any] = {}
        self.target: int | None = None

    def next_word(self) -> int:
        value = self._word(self.end)
        self.end += self._word_bytes
        return value

    def letter(self, letter: str) -> int:
        """Return the value of a field of the pattern."""
        for word, pattern in zip(self.words, self.row.pattern.split(), strict=True):
            if letter in pattern:
                shift = len(pattern) - 1 - pattern.rindex(letter)
                return (word >> shift) & ((1 << pattern.count(letter)) - 1)
        raise SpecError(f"{self.row.syntax}: no field {letter!r} in {self.row.pattern}")


def fixed_bits(pattern: str) -> tuple[int, int]:
    """Return (mask, value) of the fixed bits of one pattern word."""
    mask = "".join("1" if c in "01" else "0" for c in pattern)
    value = "".join("1" if c == "1" else "0" for c in pattern)
    return int(mask, 2), int(value, 2)


class IndexBits:
    """The bits of a first code word that select an entry of an opcode table, packed side by side into its number."""

    def __init__(self, mask: int) -> None:
        self.count = mask.bit_count()
        self._runs: list[tuple[int, int, int]] = []  # lowest bit in the word, mask of the run, lowest bit in the number
        place = 0
        for run in re.finditer("1+", f"{mask:b}"[::-1]):
            self._runs.append((run.start(), (1 << len(run[0])) - 1, place))
            place += len(run[0])

    def gather(self, word: int) -> int:
        """Return the number of the entry that a word selects."""
        return sum((word >> low & run) << place for low, run, place in self._runs)

    def scatter(self, number: Any) -> Any:
        """Return the word, zero elsewhere, that selects an entry; numbers may be an array."""
        return sum((number >> place & run) << low for low, run, place in self._runs)


class InstructionSet:
    """A table of rows for one CPU model family.

    name        family, for example "m68k"
    kinds       operand name -> OperandKind
    word_bytes  bytes of a code word (2 on the 68K, 1 on the x86)
    longest     bytes of the longest instruction
    prefixes    code word -> (kind of prefix, value)
    index       bits of the first code word that the opcode tables are indexed by; None: all of them
    admit       admit(decoding): raise IllegalEncoding where a row does not go with its prefixes
    """

    def __init__(
        self,
        name: str,
        kinds: dict[str, OperandKind],
        word_bytes: int,
        longest: int,
        index: int | None = None,
        prefixes: dict[int, tuple[str, int]] | None = None,
        admit: Callable[[Decoding], None] = lambda d: None,
    ) -> None:
        self.name, self.kinds, self.word_bytes, self.longest = name, kinds, word_bytes, longest
        self.prefixes, self.admit = prefixes or {}, admit
        self.index = IndexBits((1 << (8 * word_bytes)) - 1 if index is None else index)
        self.rows: list[Row] = []

    def insn(
        self,
        syntax: str,
        pattern: str,
        *,
        cost: str | tuple[str, ...] = "",
        ref: str,
        models: Iterable[str] | None = None,
        **options,
    ):
        """Declare an instruction; `options` are read by its operand kinds (size, sizes, ea, ...)."""

        def declare(function: Callable) -> Callable:
            parameters = inspect.signature(function).parameters.values()
            names = [p.name for p in parameters if p.default is p.empty][1:]  # the others are bound where it is made
            unknown = [n for n in names if n not in self.kinds]
            if unknown:
                raise SpecError(f"{syntax}: operands of unknown kind {unknown}")
            letters = set(pattern) - set("01- ")
            used = {letter for n in names for letter in self.kinds[n].letters}
            if letters - used:
                raise SpecError(f"{syntax}: no operand reads the fields {sorted(letters - used)}")
            name = re.match(r"[A-Za-z0-9]+", re.sub(r"^\{.*?\}", "", syntax))[0]
            operands = tuple((n, self.kinds[n]) for n in names)
            costs = (cost or name,) if isinstance(cost, str) else cost
            row = Row(
                name, syntax, pattern, function, operands, options, costs, ref, frozenset(models) if models else None
            )
            self.rows.append(row)
            return function

        return declare

    def table(self, model: str) -> OpcodeTable:
        return OpcodeTable(self, model, [r for r in self.rows if r.models is None or model in r.models])


class OpcodeTable:
    """First code word -> rows, for one model; refuses overlapping encodings.

    rows    the model's rows
    first   int16[2 ** index bits], position in `groups`, or -1 where no row claims the word
    groups  tuples of rows that share an entry and differ in the other bits of the first word, or in the second
    """

    def __init__(self, isa: InstructionSet, model: str, rows: list[Row]) -> None:
        self.isa, self.model, self.rows = isa, model, rows
        opcodes = isa.index.scatter(np.arange(1 << isa.index.count, dtype=np.uint32))
        indexed = isa.index.scatter((1 << isa.index.count) - 1)
        claims: list[np.ndarray] = []
        for row in rows:
            mask, value = fixed_bits(row.first)
            claimed = (opcodes & mask) == (value & indexed)
            for _, kind in row.operands:
                legal = getattr(kind, "legal", None)
                if legal is not None:
                    claimed &= legal(row, opcodes)
            claims.append(claimed)
        self.groups: list[tuple[Row, ...]] = []
        self.first = self._merge(claims)
        for word in isa.prefixes:
            if self.first[word] >= 0:
                raise SpecError(f"prefix {word:#x} is an instruction too: {self.groups[self.first[word]][0].syntax}")
        self._fixed = {row.pattern: [fixed_bits(p) for p in row.pattern.split()] for row in rows}

    def _merge(self, claims: list[np.ndarray]) -> np.ndarray:
        first = np.full(claims[0].shape, -1, np.int16)
        known: dict[tuple[int, ...], int] = {}
        members: list[tuple[int, ...]] = []
        for index, claimed in enumerate(claims):
            for group in np.unique(first[claimed]):
                joined = (*(members[group] if group >= 0 else ()), index)
                for earlier in joined[:-1]:
                    self._check_disjoint(self.rows[earlier], self.rows[index])
                if joined not in known:
                    known[joined] = len(members)
                    members.append(joined)
                first[claimed & (first == group)] = known[joined]
        self.groups = [tuple(self.rows[i] for i in m) for m in members]
        return first

    @staticmethod
    def _check_disjoint(a: Row, b: Row) -> None:
        for p, q in zip(a.pattern.split(), b.pattern.split()):
            (mask_p, value_p), (mask_q, value_q) = fixed_bits(p), fixed_bits(q)
            if (value_p ^ value_q) & mask_p & mask_q:
                return
        raise SpecError(f"encodings overlap: {a.syntax} {a.pattern} and {b.syntax} {b.pattern}")

    def decode(self, pc: int, word: Callable[[int], int]) -> Insn:
        """Decode the instruction at `pc`; `word(address)` reads one code word. Raises IllegalEncoding."""
        prefixes: dict[str, int] = {}
        start, size = pc, self.isa.word_bytes
        while (first := word(start)) in self.isa.prefixes:
            kind, value = self.isa.prefixes[first]
            prefixes[kind] = value
            start += size
            if start - pc >= self.isa.longest:
                raise TooLong
        group = self.first[self.isa.index.gather(first)]
        if group < 0:
            raise IllegalEncoding
        words = {0: first}
        for row in self.groups[group]:
            for number, (mask, value) in enumerate(self._fixed[row.pattern]):
                if number not in words:
                    words[number] = word(start + number * size)
                if words[number] & mask != value:
                    break
            else:
                return self._finish(row, Decoding(self, row, pc, start, prefixes, word))
        raise IllegalEncoding

    def _finish(self, row: Row, d: Decoding) -> Insn:
        self.isa.admit(d)
        statics, fields, texts = [], [], {}
        for name, kind in row.operands:
            static, numbers = kind.decode(d)
            statics.append(static)
            fields += numbers
            texts[name] = kind.show(d, static, numbers)
        if d.end - d.pc > self.isa.longest:
            raise TooLong
        text = row.syntax.format(**texts)
        numbers = tuple(f & 0xFFFFFFFF for f in fields)
        prefixes = (d.start - d.pc) // self.isa.word_bytes
        return Insn(d.pc, d.end - d.pc, row, tuple(statics), numbers, text, d.forms, d.target, prefixes)

    def keys(self) -> Iterable[tuple[Row, tuple[Any, ...]]]:
        """Yield (row, statics) of every handler that a full interpreter of this model needs."""
        for row in self.rows:
            combinations: list[tuple[Any, ...]] = [()]
            for _, kind in row.operands:
                combinations = [(*c, s) for c in combinations for s in kind.statics(row)]
            for statics in combinations:
                yield row, statics


def bind(m: Any, row: Row, statics: tuple[Any, ...], take: Callable[[], Any]) -> dict[str, Any]:
    """Return the semantic function's arguments, fields taken in declared order."""
    return {name: kind.bind(m, static, take) for (name, kind), static in zip(row.operands, statics, strict=True)}
