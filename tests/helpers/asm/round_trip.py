"""Listings back into code: assemble(listing(x)) is x again, or another code with the same listing."""

from __future__ import annotations

import re
from functools import cache

from retrosim.asm.source import Reader
from retrosim.cpu.assembly.assembler import InstructionAssembler, Statement
from retrosim.cpu.assembly.expressions import Unfit, Value
from retrosim.cpu.spec.cpu import Cpu
from retrosim.cpu.spec.rows import Insn

PC_RELATIVE = re.compile(r"\$([0-9a-f]+)(?=,pc)")


NO_DISPLACEMENT = re.compile(r"\(0,(?=a\d\)|sp\))")  # a full extension word that adds nothing: (0,a0) is (a0)


class Addresses:
    """A scope: at_HEX is the address HEX, nothing else is known."""

    def __init__(self, pc: int) -> None:
        self.pc = pc

    def symbol(self, name: str) -> Value:
        if not name.startswith("at_"):
            raise Unfit(f"no symbol {name}", near=True)
        return Value(int(name[3:], 16), ".text")

    def numbered(self, number: int, ahead: bool) -> Value | None:
        return None

    def here(self) -> Value:
        return Value(self.pc, ".text")


@cache
def _reader(assembler: InstructionAssembler) -> Reader:
    def fail(file: str, line: int, sentence: str) -> None:
        raise AssertionError(sentence)

    return Reader(assembler.dialect, int, lambda name: False, assembler.knows, fail)


def statement(assembler: InstructionAssembler, text: str) -> Statement:
    """Read an instruction as a line of a source. Errors: Unfit."""
    (part,) = _reader(assembler).read(f"\t{text}", "text", None)
    assert not part.label, text
    return assembler.read(f"{part.word} {part.rest}" if part.rest else part.word)


def code_of(assembler: InstructionAssembler, text: str, pc: int) -> bytes:
    """Assemble a line of a source. Errors: Unfit."""
    return assembler.encode(statement(assembler, text), pc, Addresses(pc))


def assemble_listing(assembler: InstructionAssembler, insn: Insn) -> bytes:
    """Assemble what the listing shows of an instruction; before PC it shows addresses. Errors: Unfit."""
    return code_of(assembler, PC_RELATIVE.sub(r"at_\1", insn.text), insn.pc)


def decode(cpu: Cpu, code: bytes, address: int) -> Insn:
    """Decode bytes at an address, zeros behind them."""
    size, order = cpu.isa.word_bytes, "big" if cpu.big_endian else "little"

    def word(at: int) -> int:
        return int.from_bytes(code[at - address : at - address + size].ljust(size, b"\0"), order)

    return cpu.table.decode(address, word)


def failure(cpu: Cpu, assembler: InstructionAssembler, insn: Insn) -> str:
    """Return what goes wrong with an instruction's listing, "" if nothing does."""
    try:
        code = assemble_listing(assembler, insn)
    except Unfit as error:
        return f"{insn.text}: {error}"
    again = decode(cpu, code, insn.pc)
    if _plain(again.text) != _plain(insn.text) or again.length > insn.length or again.length != len(code):
        return f"{insn.text}: {code.hex()} is {again.text}"
    return ""


def _plain(text: str) -> str:
    return NO_DISPLACEMENT.sub("(", text)
