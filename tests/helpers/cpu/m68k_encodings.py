"""Systematic machine code of the 68K: one encoding for every row, size, condition and addressing form."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from retrosim.cpu.m68k.ea import mode_letter
from retrosim.cpu.spec.cpu import Cpu
from retrosim.cpu.spec.decoding import IllegalEncoding, fixed_bits
from retrosim.cpu.spec.rows import Insn, Row
from tests.helpers.cpu.m68k_streams import random_opcodes

ADDRESS = 0x1000
BRIEF = 0x2804  # (4,An,d2.l)
# index d2.l; base displacement null, word, long; memory-indirect before and behind the index, outer null, word, long
FULL_FORMATS = tuple(0x2900 | base << 4 | outer for base in (1, 2, 3) for outer in (0, 1, 2, 3, 5, 6, 7))
SUPPRESSED = tuple(0x2900 | bits | 0x20 for bits in (0x40, 0x80, 0xC0, 0x41, 0x42, 0x81, 0x86, 0xC3))


def is_reserved(word: int) -> bool:
    """Tell whether a full extension word has a reserved combination (M68000PRM table 2-2 and figure 2-2)."""
    base_size, suppress_index, selection = word >> 4 & 3, word >> 6 & 1, word & 7
    return bool(word & 8) or base_size == 0 or selection in ((4, 5, 6, 7) if suppress_index else (4,))


def extension_bytes(word: int) -> int:
    """Return how many bytes of displacements follow a full extension word."""
    return (0, 0, 2, 4)[word >> 4 & 3] + (0, 0, 2, 4)[word & 3]


def full_format(word: int) -> list[int]:
    """Return a full extension word with its displacements, all of them zero."""
    return [word] + [0] * (extension_bytes(word) // 2)


def decode(cpu: Cpu, words: list[int], address: int = ADDRESS) -> Insn | None:
    """Decode words placed at an address, zeros behind them; None where they are no instruction."""

    def word(at: int) -> int:
        place = (at - address) // 2
        return words[place] if place < len(words) else 0

    try:
        return cpu.table.decode(address, word)
    except IllegalEncoding:
        return None


def field(pattern: str, word: int, letter: str) -> int:
    """Return a field of a word, 0 when the pattern has none of that letter."""
    places = [len(pattern) - 1 - i for i, c in enumerate(pattern) if c == letter]
    return sum((word >> place & 1) << i for i, place in enumerate(reversed(places)))


def _signature(row: Row, word: int) -> tuple:
    """Return what distinguishes first words in more than a register number."""
    pattern = row.first
    modes = []
    for mode_field, register_field in ("mr", "MR"):
        mode, register = field(pattern, word, mode_field), field(pattern, word, register_field)
        modes.append((mode, register if mode == 7 else 0))
    displacement = field(pattern, word, "i") if "target" in dict(row.operands) else 1
    return (*modes, *(field(pattern, word, c) for c in "szwc"), displacement in (0, 0xFF) and displacement)


def first_words(cpu: Cpu) -> Iterator[tuple[Row, int]]:
    """Yield (row, first word): the lowest word of every size, condition and pair of modes."""
    for row, words in random_opcodes(cpu):
        seen = set()
        for word in words.tolist():
            signature = _signature(row, word)
            if signature not in seen:
                seen.add(signature)
                yield row, word


def _second_words(row: Row) -> list[list[int]]:
    """Return the other words of the pattern with all fields zero, and with all fields ones."""
    patterns = row.pattern.split()[1:]
    ones = [int("".join(c if c in "01" else "0" if c == "-" else "1" for c in p), 2) for p in patterns]
    return [[fixed_bits(p)[1] for p in patterns], ones] if patterns else [[]]


def _letters(row: Row, word: int) -> list[str]:
    """Return the letters of the modes of a first word, source first."""
    return [
        mode_letter(field(row.first, word, m), field(row.first, word, r)) for m, r in ("mr", "MR") if m in row.first
    ]


def samples(cpu: Cpu) -> Iterator[Insn]:
    """Yield a decoded instruction for every row, size, condition and combination of addressing forms.

    How many other extension words there are follows from the length with brief formats: they stand before the indexed
    operand, except that the words of MOVE's destination stand behind those of its source.
    """
    formats = [full_format(w) for w in (*FULL_FORMATS, *SUPPRESSED)] if cpu.model != "MC68000" else []
    for row, word in first_words(cpu):
        letters = _letters(row, word)
        count = sum(letter in ("x", "q") for letter in letters)
        for others in _second_words(row):
            start = [word, *others]
            plain = decode(cpu, [*start, *[BRIEF] * 8] if count else start)
            assert plain is not None, f"{row.syntax} {start}"
            yield plain
            if not count:
                continue
            rest = [0] * (plain.length // 2 - len(start) - count)
            behind = rest if row.name == "MOVE" and letters[0] in ("x", "q") else []
            before = [] if behind else rest
            for extensions in itertools.product([*formats, [BRIEF]], repeat=count):
                words = [*start, *before, *itertools.chain(*extensions), *behind]
                insn = decode(cpu, words)
                assert insn is not None and insn.length == 2 * len(words), f"{row.syntax} {words}"
                yield insn


def claims(cpu: Cpu) -> np.ndarray:
    """Return for each of the 65536 words how many rows claim it, counted without the opcode table."""
    words = np.arange(65536, dtype=np.uint32)
    found = np.zeros(65536, int)
    for row in cpu.table.rows:
        mask, value = fixed_bits(row.first)
        claimed = (words & mask) == value
        for _, kind in row.operands:
            if hasattr(kind, "legal"):
                claimed &= kind.legal(row, words)
        found += claimed
    return found
