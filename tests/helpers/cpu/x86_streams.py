"""Random machine code of the x86, encoded from the patterns that it is decoded by, and states to run it in."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from retrosim.cpu.engines.core import CHUNK_BYTES, Core
from retrosim.cpu.spec.cpu import ADDRESS_MASK, Cpu
from retrosim.cpu.spec.decoding import IllegalEncoding
from retrosim.cpu.spec.rows import Insn, Row
from retrosim.cpu.x86 import state as x86_state
from retrosim.cpu.x86.modes import is_real
from retrosim.cpu.x86.modrm import EBP, ESP, ZERO
from tests.helpers.amount import FULL

EDGES = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 15, 16, 17, 31, 32, 33)
PREFIXES = ((), (), (), (0x66,), (0x67,), (0x66, 0x67), (0x26,), (0x2E,), (0x36,), (0x64, 0x66), (0x65, 0x67))
REPEATS = ("MOVS", "CMPS", "STOS", "LODS", "SCAS", "INS", "OUTS")
CODE = 0x10000  # linear; in real mode the code segment begins here
FLAT_DATA, FLAT_BYTES = 0x20000, 0x10000
STATUS_FLAGS = 0x8D5  # CF PF AF ZF SF OF
CODE_BYTES = 0x1000 if FULL else 0x400  # of a program; random data follow
IDT = 0x8000  # of flat models
UNDEFINED = 0x63  # an opcode of one byte: ARPL


@dataclass
class Start:
    """A state before one instruction: linear pc, eax ecx edx ebx esp ebp esi edi, es cs ss ds fs gs, EFLAGS, code."""

    pc: int
    registers: list[int]
    selectors: list[int]
    flags: int
    code: bytes
    repeats: bool = False


class Generator:
    """Makes instructions and states from a seed; `skip` names mnemonics that are left out."""

    def __init__(self, cpu: Cpu, seed: int, skip: frozenset[str] = frozenset()) -> None:
        self.cpu, self.random = cpu, random.Random(seed)
        self.real = is_real(cpu.model)
        self.rows = [row for row in cpu.table.rows if row.name not in skip]

    def value(self) -> int:
        r = self.random
        return r.choice((r.choice(EDGES), r.getrandbits(32), r.getrandbits(16), r.getrandbits(8)))

    def small(self) -> int:
        """A value that serves as part of an address."""
        return self.random.randrange(0x4000) if self.real else FLAT_DATA + self.random.randrange(0x4000)

    def encode(self, row: Row) -> bytes:
        """Return the bytes of the row with random fields, prefixes before and random bytes behind."""
        r = self.random
        code = bytearray(r.choice(PREFIXES))
        if row.name in REPEATS and r.random() < 0.5:
            code.append(r.choice((0xF2, 0xF3)))
        if row.options.get("lock") and r.random() < 0.05:
            code.append(0xF0)
        for pattern in row.pattern.split():
            code.append(int("".join(c if c in "01" else r.choice("01") for c in pattern), 2))
        return bytes(code) + r.randbytes(8)

    def instruction(self) -> Insn:
        """Return a random instruction at CODE, its displacement a small one, its bytes in `self.code`."""
        while True:
            row = self.random.choice(self.rows)
            code = bytearray(self.encode(row))
            for again in (False, True):  # the second time with a small displacement
                try:
                    insn = self.cpu.table.decode(CODE, lambda at, code=code: code[at - CODE])
                except (IllegalEncoding, IndexError):
                    break
                end = insn.length - insn.forms.get("imm_bytes", 0)
                size = insn.forms.get("disp", 0)
                if not again and (size == 4 or (size == 2 and "ea" in insn.forms)):
                    base = FLAT_DATA if not self.real and ZERO in insn.fields[:1] else 0
                    number = base + self.random.randrange(0x1000)
                    code[end - size : end] = (number & ((1 << 8 * size) - 1)).to_bytes(size, "little")
            else:
                if "target" in dict(insn.row.operands) and (insn.target or 0) >> 16 != CODE >> 16:
                    continue
                self.code = bytes(code[: insn.length])
                return insn

    def program(self, size: int) -> bytes:
        """Return random instructions one behind the other."""
        code = bytearray()
        while len(code) < size:
            insn = self.instruction()
            code += self.code[: insn.length]
        return bytes(code[:size])

    def start(self, insn: Insn) -> Start:
        """Return a state in which memory operands lie in mapped memory."""
        r = self.random
        registers = [self.value() if r.random() < 0.7 else self.small() for _ in range(8)]
        if insn.forms.get("ea") == "mem" or insn.row.name in (*REPEATS, "XLAT"):
            for n in (*range(4), 5, 6, 7):
                if r.random() < 0.9 or insn.row.name in REPEATS:
                    registers[n] = self.small()
        if insn.row.name in REPEATS or insn.row.name.startswith(("LOOP", "J")):
            statics = dict(zip(dict(insn.row.operands), insn.statics, strict=True))
            above = (0x10000, 0x10001) if statics.get("a") == 16 else ()  # CX of 0 and 1
            registers[1] = r.choice((0, 1, 2, 3, *above, r.randrange(20)))
        if insn.row.name in ("ENTER", "LEAVE") or r.random() < 0.5:
            registers[EBP] = self.small() | 0x1000
        registers[ESP] = (self.small() | 0x2000) & ~1
        flags = r.getrandbits(12) & STATUS_FLAGS | 2 | r.choice((0, 0, 0x400))
        selectors = [0x2000, CODE >> 4, 0x4000, 0x3000, 0x5000, 0x6000] if self.real else [0] * 6
        return Start(CODE, registers, selectors, flags, self.code, " rep" in f" {insn.text}")


def closed(cpu: Cpu, code: bytes) -> bytes:
    """Return code that begins again at its end, which no instruction can reach over."""
    size = 2 if is_real(cpu.model) else 4
    code += b"\x90" * cpu.isa.max_bytes + b"\xe9"
    return code + (-len(code) - size).to_bytes(size, "little", signed=True)


def program(generator: Generator, code: bytes | None = None) -> Callable[[Core], None]:
    """Return what loads random code, or `code`, and a random state; handlers of all exceptions lie in the program.

    Behind random code lies random data; behind `code` undefined instructions, so that what it is stays the same with
    other data, and what leaves it comes back.
    """
    r = generator.random
    unreal, data = r.random() < 0.3, r.randbytes(0x80000)
    content, place, fill = (generator.program(CODE_BYTES), CODE, 0) if code is None else (code, FLAT_DATA, UNDEFINED)
    registers = [generator.small() if r.random() < 0.5 else r.choice(EDGES) for _ in range(8)]
    registers[ESP] = generator.small() | 0x3000
    flags = r.getrandbits(12) & STATUS_FLAGS
    selectors = [0x2000, CODE >> 4, 0x4000, 0x3000, 0x5000, 0x6000] if generator.real else [0] * 6

    def load(core: Core) -> None:
        core.replace([np.full(CHUNK_BYTES, fill, np.uint8)] * ((ADDRESS_MASK + 1) // CHUNK_BYTES))
        for field in core.state.dtype.names:
            core.state[field] = 0
        x86_state.reset(core.state, unreal)
        core.state["written_low"], core.state["limit"] = 0xFFFFFFFF, 1 << 62
        core.write(place, data)
        core.write(CODE, content)
        for vector in range(256):
            offset = 64 * (vector % min(48, len(content) // 64))
            if generator.real:
                core.write(4 * vector, (CODE << 12 | offset).to_bytes(4, "little"))
            else:
                gate = (CODE + offset) & 0xFFFF, (CODE + offset & 0xFFFF0000) | 0x8E00
                core.write(IDT + 8 * vector, b"".join(word.to_bytes(4, "little") for word in gate))
        if not generator.real:
            core.state["idt_base"], core.state["idt_limit"] = IDT, 0x7FF
        core.state["r"][:8] = registers
        core.state["seg"], core.state["seg_base"] = selectors, [n << 4 for n in selectors]
        x86_state.put_flags(core.state, flags)
        core.state["pc"] = CODE

    return load
