"""Which numbers decoding puts into records: the interval of each field, for each static part of each kind of operand.

Decoding is done on code made for each row, whose fields go through all their values, before any code that can follow.
It goes on until each static part has been met often enough, or does not come.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

from retrosim.cpu.spec.cpu import Cpu
from retrosim.cpu.spec.decoding import Decoding, IllegalEncoding, fixed_bits
from retrosim.cpu.spec.rows import Insn, OperandKind, Row
from tests.helpers.cpu.code_ranges import Range, union

ENOUGH = 60  # times that each static part of a kind of operands is decoded
PATIENCE = 120  # tries without one that is still wanted, after which this row does not give it
MAX_BITS = 10  # of a field that goes through all its values
START, APART = 0x1000, 32  # addresses
TRIES = 40  # for instructions of a row


class Code:
    """Makes code of a row: each field of its pattern goes through all its values, in any order."""

    def __init__(self, cpu: Cpu, row: Row) -> None:
        self._cpu, self._row, self._chance = cpu, row, random.Random(row.key)
        self.patterns = row.pattern.split()
        counts = {c: max(p.count(c) for p in self.patterns) for c in sorted(set(row.pattern) - set("01- "))}
        self._counts = {c: count for c, count in counts.items() if count <= MAX_BITS}
        self._values = {c: self._in_any_order(count) for c, count in self._counts.items()}
        self.cycle = 1 << max(self._counts.values(), default=0)

    def restart(self, seed: int) -> None:
        """Make the same code from now on as any other time after the same number."""
        self._chance.seed(seed)
        self._values = {c: self._in_any_order(count) for c, count in self._counts.items()}

    def _in_any_order(self, bits: int) -> Iterator[int]:
        values = list(range(1 << bits))
        while True:
            self._chance.shuffle(values)
            yield from values

    def words(self) -> Iterator[int]:
        """Yield the words of the row's pattern, and any behind it."""
        chance, ones = self._chance, (1 << 8 * self._cpu.isa.word_bytes) - 1
        chosen = {letter: next(values) for letter, values in self._values.items()}
        for pattern in self.patterns:
            word = fixed_bits(pattern)[1]
            for letter in set(pattern) - set("01"):
                value = chosen.get(letter, chance.choice((0, -1, chance.getrandbits(32))))
                word |= (value & (1 << pattern.count(letter)) - 1) << len(pattern) - 1 - pattern.rindex(letter)
            yield word
        while True:
            yield chance.choice((0, ones, chance.randint(0, ones), chance.randint(0, ones)))

    def prefixes(self) -> dict[str, int]:
        known = list(self._cpu.isa.prefixes.values())
        return dict(self._chance.sample(known, self._chance.randrange(3))) if known else {}

    def decoding(self, start: int) -> Decoding | None:
        """Make code at an address and begin to decode it; None if it is another row's."""
        table, row = self._cpu.table, self._row
        words, memory = self.words(), {}

        def word(address: int) -> int:
            if address not in memory:
                memory[address] = next(words)
            return memory[address]

        group = table.first[table.isa.index.gather(word(start))]
        if group < 0 or not any(each is row for each in table.groups[group]):
            return None
        return Decoding(table, row, start, start, self.prefixes(), word)

    def parts(self) -> list[tuple[Any, list[int]]]:
        """Decode code; return (static part, fields) of each operand, none if it is no instruction of this row."""
        decoding = self.decoding(START)
        try:
            if decoding:
                self._cpu.isa.admit(decoding)
                return [kind.decode(decoding) for _, kind in self._row.operands]
        except IllegalEncoding:
            pass
        return []

    def insn(self, start: int) -> Insn | None:
        """Decode code at an address as the engines do, prefixes apart: the row does not say which it may have."""
        decoding = self.decoding(start)
        try:
            return self._cpu.table._finish(self._row, decoding) if decoding else None
        except IllegalEncoding:
            return None


def insns_of(cpu: Cpu) -> list[Insn]:
    """Return instructions of all rows, of each static part of their operands, as far as few tries give them."""
    found: dict[Hashable, Insn] = {}
    start = START
    for row in cpu.table.rows:
        code = Code(cpu, row)
        for _ in range(max(code.cycle, TRIES)):
            insn = code.insn(start)
            if insn is not None and insn.key not in found:
                found[insn.key] = insn
                start += APART
    return list(found.values())


def pool(row: Row, name: str, kind: OperandKind, static: Any) -> Hashable:
    """Return what the fields of an operand depend on, whatever row it is of."""
    letters = tuple(max(word.count(letter) for word in row.pattern.split()) for letter in sorted(kind.letters))
    return name, static, letters, row.options.get("numbers")


class FieldRanges:
    """The intervals of the fields of the handlers of some CPUs, whose operands have the same fields."""

    def __init__(self, *cpus: Cpu) -> None:
        self._ranges: dict[Hashable, list[Range]] = {}
        self._times: Counter[Hashable] = Counter()
        for row in {id(row): row for cpu in cpus for row in cpu.table.rows}.values():
            codes = [Code(cpu, row) for cpu in cpus if any(each is row for each in cpu.table.rows)]
            wanted = {pool(row, *operand, static) for operand in row.operands for static in operand[1].statics(row)}
            number = last = 0  # tries, and which was the last that gave what is wanted
            while number < codes[0].cycle or (self._missing(wanted) and number - last < PATIENCE):
                number += 1
                if self._try(codes[number % len(codes)], row, wanted):
                    last = number

    def _missing(self, wanted: set[Hashable]) -> bool:
        wanted -= {each for each in wanted if self._times[each] >= ENOUGH}
        return bool(wanted)

    def _try(self, code: Code, row: Row, wanted: set[Hashable]) -> bool:
        """Decode once; tell whether that gave any of what is wanted."""
        found = set()
        for operand, (static, numbers) in zip(row.operands, code.parts()):
            place, fields = pool(row, *operand, static), [(each & 0xFFFFFFFF,) * 2 for each in numbers]
            known = self._ranges.setdefault(place, fields)
            self._ranges[place] = [union(a, b) for a, b in zip(known, fields, strict=True)]
            self._times[place] += 1
            found.add(place)
        return bool(found & wanted)

    def of(self, row: Row, statics: Sequence[Any]) -> list[Range] | None:
        """Return the intervals of a handler's fields; None where decoding never gives such a handler."""
        places = [pool(row, *operand, static) for operand, static in zip(row.operands, statics)]
        if not all(place in self._ranges for place in places):
            return None
        return [each for place in places for each in self._ranges[place]]
