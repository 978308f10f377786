"""Decoding: from code words to rows, for one model; tables that refuse overlapping encodings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from retrosim.errors import SpecError

from .rows import Insn, Row


class IllegalEncoding(Exception):
    """The words at an address are no instruction of this model."""


class TooLong(IllegalEncoding):
    """The instruction has more bytes than the CPU takes."""


class Decoding:
    """The state of decoding one instruction: code words read so far, and the row's options.

    prefixes  kind of prefix -> value of the last one of that kind
    start     address after the prefixes
    """

    def __init__(
        self, table: OpcodeTable, row: Row, pc: int, start: int, prefixes: dict[str, int], word: Callable[[int], int]
    ) -> None:
        self.model, self.row, self.pc, self.start, self.end = table.model, row, pc, start, start
        self.prefixes = prefixes
        self._word, self._word_bytes = word, table.isa.word_bytes
        self.words = [self.next_word() for _ in row.pattern.split()]
        self.size: int = row.options.get("size")  # type: ignore[assignment]  # None until an operand settles it
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
        shift = 0
        for run in re.finditer("1+", f"{mask:b}"[::-1]):
            self._runs.append((run.start(), (1 << len(run[0])) - 1, shift))
            shift += len(run[0])

    def gather(self, word: int) -> int:
        """Return the number of the entry that a word selects."""
        return sum((word >> low & run) << shift for low, run, shift in self._runs)

    def scatter(self, number: Any) -> Any:
        """Return the word, zero elsewhere, that selects an entry; numbers may be an array."""
        return sum((number >> shift & run) << low for low, run, shift in self._runs)


class OpcodeTable:
    """First code word -> rows, for one model; refuses overlapping encodings.

    rows    the model's rows
    first   int16[2 ** index bits], position in `groups`, or -1 where no row claims the word
    groups  tuples of rows that share an entry and differ in the other bits of the first word, or in the second
    recalled  (address, bytes there) -> instruction: some that were decoded, by any machine of this process
    prefixes  of the model: code word -> (kind of prefix, value)
    max_bytes of its instructions
    """

    def __init__(self, isa: Any, model: str, rows: list[Row]) -> None:
        self.isa, self.model, self.rows = isa, model, rows
        self._subset = isa.subsets.get(model)
        without = self._subset.without if self._subset else ()
        self.prefixes = {word: value for word, value in isa.prefixes.items() if word not in without}
        self.max_bytes = self._subset.max_bytes if self._subset else isa.max_bytes
        opcodes = isa.index.scatter(np.arange(1 << isa.index.count, dtype=np.uint32))
        indexed = isa.index.scatter((1 << isa.index.count) - 1)
        claims: list[np.ndarray] = []
        for row in rows:
            mask, value = fixed_bits(row.first)
            claimed = np.flatnonzero((opcodes & mask) == (value & indexed))
            for _, kind in row.operands:
                legal = getattr(kind, "legal", None)
                if legal is not None:
                    claimed = claimed[legal(row, opcodes[claimed])]
            claims.append(claimed)
        self.recalled: dict[tuple[int, bytes], Insn] = {}
        self.groups: list[tuple[Row, ...]] = []
        self.first = self._merge(claims, len(opcodes))
        for word in self.prefixes:
            if self.first[word] >= 0:
                raise SpecError(f"prefix {word:#x} is an instruction too: {self.groups[self.first[word]][0].syntax}")
        self._fixed = {row.pattern: [fixed_bits(p) for p in row.pattern.split()] for row in rows}

    def _merge(self, claims: list[np.ndarray], count: int) -> np.ndarray:
        """Return the group of each of so many first words, -1 for none; `claims` are those of each row."""
        first = np.full(count, -1, np.int16)
        known: dict[tuple[int, ...], int] = {}
        members: list[tuple[int, ...]] = []
        for index, claimed in enumerate(claims):
            before = first[claimed]
            for group in sorted(set(before.tolist())):
                joined = (*(members[group] if group >= 0 else ()), index)
                for earlier in joined[:-1]:
                    self._check_disjoint(self.rows[earlier], self.rows[index])
                if joined not in known:
                    known[joined] = len(members)
                    members.append(joined)
                first[claimed[before == group]] = known[joined]
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
        while (first := word(start)) in self.prefixes:
            kind, value = self.prefixes[first]
            prefixes[kind] = value
            start += size
            if start - pc >= self.max_bytes:
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
        if d.end - d.pc > self.max_bytes:
            raise TooLong
        text = self.isa.spell_prefixes(d) + self.isa.dialect.simplified(row.stem, row.syntax.format(**texts))
        masked = tuple(f & 0xFFFFFFFF for f in fields)
        prefixes = (d.start - d.pc) // self.isa.word_bytes
        return Insn(d.pc, d.end - d.pc, row, tuple(statics), masked, text, d.forms, d.target, prefixes)

    def _has(self, static: Any) -> bool:
        return self._subset is None or self._subset.has(static)

    def handlers(self) -> Iterable[tuple[Row, tuple[Any, ...]]]:
        """Yield (row, statics) of every handler that a full interpreter of this model needs."""
        for row in self.rows:
            combinations: list[tuple[Any, ...]] = [()]
            for _, kind in row.operands:
                combinations = [(*c, s) for c in combinations for s in kind.statics(row) if self._has(s)]
            for statics in combinations:
                yield row, statics
