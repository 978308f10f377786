"""Caches of compiled handlers: those that a ROM needs, those that it turned out to need, or all of a model."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from ...spec.cpu import ADDRESS_MASK, UNDECODED, Cpu
from ...spec.ir import I32, I64, UNLIKELY, Function
from ...spec.rows import Insn, Row
from ...spec.timing import Timing
from ...spec.values import Word
from ..compiled import Effort, Group, compiled_groups, functions_of, groups_with
from ..emit import INDEX_POINTER, Emitter
from .handlers import (
    CHOICE,
    FORGET,
    GOTO,
    NOT_EXECUTED,
    PC_WORD,
    RECORD_BYTES,
    STUBS,
    UNDECODED_PC,
    VARIANT,
    Chain,
    HandlerEmitter,
)

# Instructions that are overwritten again and again: each variant that was met stays ready to run.
#
# Nothing notices stores into such an instruction (`Core.unsteady`). The record of its address is a *choice*: it looks
# the bytes up that lie in memory now, in a table behind the index of addresses. What it finds there is the record of a
# variant, which compares all bytes of its instruction with those in memory, and leads to the instruction decoded from
# them, or to the next variant with this place. Bytes that are not in the table are decoded by the host, as code is that
# nothing has executed before.

VARIANT_BITS = 14
VARIANTS = 1 << VARIANT_BITS  # places of the table
FACTOR = 0x9E3779B97F4A7C15
MASK64 = (1 << 64) - 1
MASKS_WORD, BYTES_WORD = 6, 12  # of a record: which bits of the code count; in that of a variant, their values


def code_words(cpu: Cpu) -> int:
    """Return how many words of 64 bits hold any instruction."""
    return -(-cpu.isa.max_bytes // 8)


def units_of(cpu: Cpu) -> int:
    """Return how many entries the index of addresses has, before those of variants."""
    return (ADDRESS_MASK + 1) // cpu.isa.word_bytes


class StubEmitter(Emitter):
    """Emits handlers that are no instruction, those of choices and variants among them."""

    def __init__(self, cpu: Cpu, code: Function) -> None:
        super().__init__(cpu, code)
        self.chain = Chain(self)

    def emit(self, number: int, timing: type[Timing]) -> None:
        """Emit one of the STUBS."""
        if number == GOTO:
            self.emit_goto()
        elif number == CHOICE:
            self.emit_choice()
        elif number == VARIANT:
            self.emit_variant()
        elif number == FORGET:
            self.emit_forget(timing)
        else:
            self.emit_undecoded(known_pc=number == UNDECODED_PC)

    def emit_undecoded(self, known_pc: bool) -> None:
        """Emit the handler of records without an instruction: it asks the host to decode one."""
        if known_pc:
            self.set_field("pc", self.chain.word(PC_WORD))
        self.set_field("reason", self.const(32, UNDECODED))
        self.chain.return_number(NOT_EXECUTED, self.chain.budget)

    def emit_forget(self, timing: type[Timing]) -> None:
        """Emit the handler that each run ends with, see `Timing.forget`."""
        timing(self).forget()
        self.code.ret(self.chain.record)

    def emit_goto(self) -> None:
        """Emit the handler of records that stand for another one: it runs the record at its target distance."""
        self.chain.run_record(self.chain.target(), self.chain.budget)

    def emit_choice(self) -> None:
        """Emit what runs the record that the table has for the code at the address of this one."""
        pc = self.chain.word(PC_WORD)
        self.set_field("pc", pc)
        mixed = pc.zext(64)
        for number in range(code_words(self.cpu)):
            mixed = ((self._code(pc, number) & self._long(MASKS_WORD, number)) ^ mixed) * FACTOR
        entry = (mixed >> 64 - VARIANT_BITS) + units_of(self.cpu)
        found = self.loaded(32, self.code.address(self.context_pointer(INDEX_POINTER), entry.operand, I32))
        self.chain.run_record(self.chain.record_numbered(found), self.chain.budget)

    def emit_variant(self) -> None:
        """Emit what goes on at the target distance if memory has these bytes, else at the next record."""
        pc = self.chain.word(PC_WORD)
        differs = self.field("pc").ne(pc)
        for number in range(code_words(self.cpu)):
            difference = (self._code(pc, number) ^ self._long(BYTES_WORD, number)) & self._long(MASKS_WORD, number)
            differs = differs | difference.ne(0)
        with self.code.if_then(differs.operand, UNLIKELY):
            self.chain.run_record(self.code.address(self.chain.record, RECORD_BYTES), self.chain.budget)
        self.emit_goto()

    def _code(self, pc: Word, number: int) -> Word:
        return self._load(pc.zext(64) + 8 * number, 64)

    def _long(self, first: int, number: int) -> Word:
        return self.word(64, self.code.load_constant(I64, self.chain.address(first + 2 * number)))


class Variants:
    """The table: places by the bytes of unsteady instructions.

    sizes  address -> how many bytes a choice there looks at
    """

    def __init__(self, cpu: Cpu, index: np.ndarray) -> None:
        """Begin an empty table behind an index of addresses."""
        self._places, self._words = index[units_of(cpu) :], code_words(cpu)
        self.sizes: dict[int, int] = {}

    def enter(self, pc: int, code: bytes, record: int) -> int:
        """Let the choice at an address find a record where memory has this code; return what it found there before."""
        mixed = pc
        for word in np.frombuffer(code.ljust(8 * self._words, b"\0"), "<u8").tolist():
            mixed = (word ^ mixed) * FACTOR & MASK64
        place = mixed >> 64 - VARIANT_BITS
        before, self._places[place] = int(self._places[place]), record
        return before

    def write(self, record: np.ndarray, code: bytes) -> None:
        """Write what a record compares: all bits of so many bytes."""
        for first, each in ((BYTES_WORD, code), (MASKS_WORD, b"\xff" * len(code))):
            record[first : first + 2 * self._words] = np.frombuffer(each.ljust(8 * self._words, b"\0"), "<u4")


Key = tuple[str, tuple[Any, ...]]
Handler = tuple[Row, tuple[Any, ...]]


class HandlerCache:
    """Compiled handlers of one CPU model and timing mode.

    stubs     addresses of the handlers that are no instruction: UNKNOWN, UNDECODED_PC ...
    handlers  key of an instruction -> address
    quick     compiled quickly as far as they were not there, to code that is several times slower
    """

    def __init__(self, groups: list[Group], handlers: list[Handler], quick: bool) -> None:
        self._groups, self.quick = groups, quick
        self.stubs, addresses = groups[0].stubs, functions_of(groups)
        self.handlers = {(row.key, statics): addresses[key_text((row, statics))] for row, statics in handlers}


def key_text(handler: Handler) -> str:
    """Return the key of an instruction as a line of text."""
    row, statics = handler
    return repr((row.key, statics))


def _emit_stub(cpu: Cpu, timing: str, number: int, code: Function) -> None:
    StubEmitter(cpu, code).emit(number, cpu.timing_class(timing))


def _emit(cpu: Cpu, timing: str, row: Row, statics: tuple[Any, ...], code: Function) -> None:
    HandlerEmitter(cpu, cpu.timing_class(timing), code).emit(row, statics)


def handler_cache(cpu: Cpu, timing: str, handlers: list[Handler], quick: bool = False) -> HandlerCache:
    """Return some handlers: those that the groups in the cache have, and the others compiled as one more group."""
    wanted = {key_text(handler): partial(_emit, cpu, timing, *handler) for handler in handlers}
    prefix, stubs = _prefix(cpu, timing), [partial(_emit_stub, cpu, timing, number) for number in range(STUBS)]
    if quick:
        groups = groups_with(wanted, prefix, stubs, Effort.QUICK, compiled_as="quick_" + prefix)
    else:
        groups = groups_with(wanted, prefix, stubs, Effort.FEW)
    return HandlerCache(groups, handlers, quick)


def _prefix(cpu: Cpu, timing: str) -> str:
    return f"handlers_{cpu.label}_{timing}_"


def full_handler_cache(cpu: Cpu, timing: str, quick: bool = False) -> HandlerCache:
    """Return the cache of every handler of a model."""
    return handler_cache(cpu, timing, list(cpu.handlers()), quick)


def handlers_of(insns: Iterable[Insn]) -> list[Handler]:
    """Return the handlers that instructions need, each once, in an order of their own."""
    needed = {insn.key: (insn.row, insn.statics) for insn in insns}
    return [needed[key] for key in sorted(needed, key=repr)]


def is_ready(cpu: Cpu, timing: str, handlers: list[Handler]) -> bool:
    """Can some handlers be had without compiling any?"""
    known = compiled_groups(_prefix(cpu, timing)).values()
    return {key_text(handler) for handler in handlers} <= set().union(*known)
