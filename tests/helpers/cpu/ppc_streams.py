"""Random PowerPC code: every row, encoded from the patterns that it decodes by."""

from __future__ import annotations

import random

from retrosim.cpu.engines.core import Core, memory_chunks
from retrosim.cpu.ppc.exceptions import NAMES
from retrosim.cpu.spec.cpu import Cpu
from retrosim.cpu.spec.decoding import fixed_bits
from retrosim.cpu.spec.rows import Row

CODE, CODE_BYTES = 0x10000, 0x1000
DATA, DATA_BYTES = 0x20000, 0x10000
VECTOR_BASES = (0, 0xF00000)  # with MSR[EP] clear and set
EDGES = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 31, 32, 33, 63, 64)


class Generator:
    """Makes code and register contents from a seed; `skip` names mnemonics that are left out."""

    def __init__(self, cpu: Cpu, seed: int, skip: frozenset[str] = frozenset()) -> None:
        self.random = random.Random(seed)
        self.rows = [row for row in cpu.table.rows if row.name not in skip]

    def instruction(self) -> int:
        return self.encode(self.random.choice(self.rows))

    def encode(self, row: Row) -> int:
        """Return a random word of a row: branches are short, special registers exist, ignored bits are 0."""
        r = self.random
        _, value = fixed_bits(row.first)
        free = sum(1 << (31 - i) for i, c in enumerate(row.first) if c.isalpha())
        word = r.getrandbits(32) & free | value
        if "target" in dict(row.operands):
            low = 32 - row.first.index("i") - row.first.count("i")
            field = ((1 << row.first.count("i")) - 1) << low
            word = word & ~field & ~(1 << 31 - row.first.index("A")) | (r.randrange(-40, 40) << low & field)
        if "registers" in row.options:
            number = r.choice(row.options["registers"])
            word = word & ~(0x3FF << 11) | ((number & 31) << 5 | number >> 5) << 11
        return word

    def value(self) -> int:
        r = self.random
        return r.choice((r.choice(EDGES), r.getrandbits(32), r.getrandbits(16), r.getrandbits(8)))

    def address(self) -> int:
        return DATA + self.random.randrange(DATA_BYTES)

    def code(self, size: int = CODE_BYTES) -> bytes:
        return b"".join(self.instruction().to_bytes(4, "big") for _ in range(size // 4))

    def data(self, size: int = DATA_BYTES) -> bytes:
        return b"".join(self.value().to_bytes(4, "big") for _ in range(size // 4))

    def registers(self) -> list[int]:
        """Return r0-r31: data of all kinds and, in the upper half, addresses that point into the data."""
        return [self.value() for _ in range(16)] + [self.address() for _ in range(16)]


def load(core: Core, code: bytes, data: bytes, registers: list[int], flags: int, pc: int = CODE) -> None:
    """Put one test into a core, in supervisor state, with all exception vectors branching into the code.

    flags   bits of CR, XER and the other special registers
    """
    core.replace(memory_chunks(()))
    state = core.state
    for field in state.dtype.names:
        state[field] = 0
    core.write(CODE, code)
    core.write(DATA, data)
    for base in VECTOR_BASES:
        for number, vector in enumerate(NAMES):
            core.write(base + vector, (0x48000002 | CODE + 64 * number).to_bytes(4, "big"))
    state["written_low"], state["limit"] = 0xFFFFFFFF, 1 << 62
    state["r"][:32] = registers
    state["pc"] = pc
    state["cr"] = [flags >> n & 1 for n in range(32)]
    state["so"], state["ov"], state["ca"] = flags >> 32 & 1, flags >> 33 & 1, flags >> 34 & 1
    state["compare_byte"], state["byte_count"] = flags >> 35 & 0xFF, flags >> 43 & 0x7F
    state["mq"] = flags >> 50 & 0xFFFFFFFF
    state["lr"], state["ctr"] = CODE + 4 * (flags & 0x3FF), CODE + 4 * (flags >> 10 & 0x3FF)
