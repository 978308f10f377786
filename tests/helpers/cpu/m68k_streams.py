"""Random machine code: every row, size and addressing mode of a model, encoded from the same patterns it decodes by."""

from __future__ import annotations

import random
from collections.abc import Iterable

import numpy as np

from retrosim.cpu.engines.core import Core, memory_chunks
from retrosim.cpu.engines.evaluate import Evaluator
from retrosim.cpu.engines.handlers.interpret import Interpreter
from retrosim.cpu.engines.regions.regions import Region, discover, region_of
from retrosim.cpu.spec.cpu import Cpu
from retrosim.cpu.spec.decoding import fixed_bits
from retrosim.cpu.spec.rows import Row
from tests.helpers.cpu.cores import handler_cache_for

CODE, CODE_BYTES = 0x10000, 0x1000
DATA, DATA_BYTES = 0x20000, 0x10000
STACK = 0x48000


def random_opcodes(cpu: Cpu) -> list[tuple[Row, np.ndarray]]:
    """Return (row, its first words) of every row."""
    table = cpu.table
    by_row: dict[str, tuple[Row, list[int]]] = {}
    for group, rows in enumerate(table.groups):
        words = np.flatnonzero(table.first == group)
        for row in rows:
            mask, value = fixed_bits(row.first)
            by_row.setdefault(row.pattern, (row, []))[1].extend(int(w) for w in words if w & mask == value)
    return [(row, np.array(words)) for row, words in by_row.values()]


def forms(pattern: str, words: np.ndarray) -> list[np.ndarray]:
    """Take the first words of a row apart by size, condition and addressing modes."""

    def letter(name: str) -> np.ndarray:
        return words >> (15 - pattern.rindex(name)) & ((1 << pattern.count(name)) - 1)

    parts = [letter(name) for name in "szwc" if name in pattern]
    for mode, register in (("m", "r"), ("M", "R")):
        if mode in pattern:
            parts.append(np.where(letter(mode) == 7, 8 + letter(register), letter(mode)))
    if not parts:
        return [words]
    kinds = np.unique(np.stack(parts, 1), axis=0, return_inverse=True)[1].ravel()
    return [words[kinds == kind] for kind in range(kinds.max() + 1)]


class Generator:
    """Makes code and register contents from a seed; `skip` names mnemonics that are left out."""

    def __init__(self, cpu: Cpu, seed: int, skip: frozenset[str] = frozenset()) -> None:
        self.random = random.Random(seed)
        opcodes = [  # what always fails would end each run soon; test_exceptions.py has it
            (row, words)
            for row, words in random_opcodes(cpu)
            if row.name not in skip and not row.options.get("illegal")
        ]
        self.rows = [(row, forms(row.first, words)) for row, words in opcodes]
        self.forms = [(row, words) for row, group in self.rows for words in group]
        self._values = b"".join(self.value().to_bytes(4, "big") for _ in range(DATA_BYTES // 4))

    def instruction(self) -> list[int]:
        """Return the words of one random instruction; extension words lean to short displacements and valid formats.

        Every second time each instruction is as likely as the others, else each of their sizes, conditions and modes.
        """
        row, words = self.random.choice(self.forms)
        if self.random.getrandbits(1):
            row, group = self.random.choice(self.rows)
            words = self.random.choice(group)
        code = [int(self.random.choice(words))]
        for pattern in row.pattern.split()[1:]:
            mask, value = fixed_bits(pattern)
            code.append(self.random.getrandbits(16) & ~mask | value)
        return code + [self.extension() for _ in range(self.random.choice((0, 0, 1, 2, 2, 4)))]

    def extension(self) -> int:
        r = self.random
        return r.choice(
            (
                r.getrandbits(16),
                r.getrandbits(6),
                r.getrandbits(16) & 0xFEFF,  # brief format
                r.getrandbits(16) & 0xF8F7 | 0x0110 | r.choice((0, 0x20, 0x10)),  # full format
                0xFF80 | r.getrandbits(7),
            )
        )

    def value(self) -> int:
        r = self.random
        edge = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 31, 32, 33, 63, 64)
        return r.choice((r.choice(edge), r.getrandbits(32), r.getrandbits(16), r.getrandbits(8)))

    def code(self, size: int = CODE_BYTES) -> bytes:
        words: list[int] = []
        while len(words) < size // 2:
            words += self.instruction()
        return b"".join(w.to_bytes(2, "big") for w in words[: size // 2])

    def data(self, size: int = DATA_BYTES) -> bytes:
        """Return values of all kinds: the same ones in every call, turned by another distance."""
        start = self.random.randrange(DATA_BYTES)
        return (self._values[start:] + self._values[:start])[:size]

    def registers(self) -> list[int]:
        """Return d0-d7 and a0-a7: data of all kinds, addresses that mostly point into the data."""
        r = self.random
        addresses = [DATA + r.randrange(DATA_BYTES) for _ in range(7)]
        return [self.value() for _ in range(8)] + addresses + [STACK - 2 * r.randrange(64)]


def engine_for(cpu: Cpu, name: str, timing: str, programs: Iterable[str]) -> tuple[Core, Evaluator | Interpreter]:
    """Return a core and an engine that runs it, with handlers for programs in hexadecimal."""
    core = Core(cpu, timing)
    if name == "evaluate":
        return core, Evaluator(core)
    addresses, pc = [], CODE
    for code in programs:
        core.write(pc, bytes.fromhex(code))
        end = pc + len(bytes.fromhex(code))
        while pc < end:
            addresses.append(pc)
            pc = core.decode(pc).end
    return core, Interpreter(core, handler_cache_for(core, addresses))


def load(
    core: Core,
    code: bytes,
    data: bytes,
    registers: list[int],
    flags: int,
    pc: int = CODE,
    span: int = CODE_BYTES,
) -> None:
    """Put one test into a core, in supervisor state; exception vectors point into `span` bytes of code."""
    core.replace(memory_chunks(()))
    for field in core.state.dtype.names:
        core.state[field] = 0
    core.write(CODE, code)
    core.write(DATA, data)
    for vector in range(2, 64):
        core.write(4 * vector, (CODE + 64 * (vector % max(1, span // 64))).to_bytes(4, "big"))
    core.state["written_low"], core.state["limit"] = 0xFFFFFFFF, 1 << 62
    core.state["r"][:16] = registers
    core.state["s"], core.state["pc"] = 1, pc
    for bit, name in enumerate("cvznx"):
        core.state[name] = flags >> bit & 1


def closed(code: bytes) -> bytes:
    """Return code that begins again at its end."""
    return code + b"\x4e\xf9" + CODE.to_bytes(4, "big")


def one_region(core: Core, size: int) -> Region:
    """Return the region of all code that a core holds, so that every edge of it is one inside a function."""
    roots, pc = [CODE, *(CODE + 64 * n for n in range(size // 64))], CODE
    while pc < CODE + size:
        insn = core.decode(pc)
        pc = insn.end
        if not insn.row.pattern or insn.row.options.get("ends"):
            roots.append(pc)
    found = discover(core, roots)
    blocks = dict(sorted((start, block) for region in found for start, block in region.blocks.items()))
    entries = {entry for region in found for entry in region.entries}
    return region_of(blocks, entries, {start: guess for region in found for start, guess in region.guesses.items()})
