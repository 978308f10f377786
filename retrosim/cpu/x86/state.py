"""Registers of the x86 and the operations on them that many instructions share."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..assembly.encoding import Encoding
from ..assembly.expressions import Unfit
from ..spec.cpu import ENGINE_FIELDS, STATUS_WRITTEN, StateLayout
from ..spec.decoding import Decoding, IllegalEncoding
from ..spec.instruction_set import InstructionSet, Subset
from ..spec.semantics import ExecutionContext
from ..spec.values import Word
from . import i486_pipeline, prefetch
from .assembly import DIALECT, SEGMENT_CODES
from .hooks import X86Hooks
from .modes import I286, is_286, is_real
from .modrm import ESP, address_size
from .operands import KINDS, shows_size
from .segments import CS, DS, ES, FS, GS, SEGMENT_NAMES, SS, load, store
from .timing import FIELDS as TIMING_FIELDS

REGISTERS = (
    ("r", 32, 9),  # eax ecx edx ebx esp ebp esi edi, zero
    ("cf", 1, 1),
    ("pf", 1, 1),
    ("af", 1, 1),
    ("zf", 1, 1),
    ("sf", 1, 1),
    ("tf", 1, 1),
    ("if", 1, 1),
    ("df", 1, 1),
    ("of", 1, 1),
    ("iopl", 2, 1),
    ("nt", 1, 1),
    ("ac", 1, 1),
    ("seg", 16, 6),  # selectors es cs ss ds fs gs
    ("seg_base", 32, 6),  # real mode; flat segments lie at 0
    ("seg_limit", 32, 6),  # last offset inside
    ("idt_base", 32, 1),
    ("idt_limit", 16, 1),
    ("gdt_base", 32, 1),  # held for SGDT only: no descriptor is ever read
    ("gdt_limit", 16, 1),
    ("cr", 32, 4),
    ("dr", 32, 8),  # they hold what is written, and DR6 that there was a single step: no breakpoint fires
    ("tr", 32, 8),
    ("shadow", 32, 1),  # one more than the address where no interrupt is taken: after STI, MOV SS, POP SS; 0: none
)

COMMON = (*REGISTERS, *ENGINE_FIELDS, *TIMING_FIELDS)
_PREFETCHING = StateLayout((*COMMON, *prefetch.FIELDS))
LAYOUTS = {"i286": _PREFETCHING, "i386": _PREFETCHING, "i486": StateLayout((*COMMON, *i486_pipeline.FIELDS))}
_BUSY = frozenset({"r", "cf", "pf", "af", "zf", "sf", "of", "refill", "repeating"})
IN_REGISTERS = {
    "i286": _BUSY | {"fetched", "bus_free"},
    "i386": _BUSY | {"fetched", "bus_free"},
    "i486": _BUSY | {"written", "held", "waiting", "expected", "fetch_line"},
}

MAX_BYTES = 15  # of an instruction; more is exception 13 (Intel 386 PRM 9.8.13)
MAX_BYTES_286 = 10  # 80286 PRM 9.6, exception 13
LOCK = 0xF0
PREFIXES = {
    0x26: ("segment", ES),
    0x2E: ("segment", CS),
    0x36: ("segment", SS),
    0x3E: ("segment", DS),
    0x64: ("segment", FS),
    0x65: ("segment", GS),
    0x66: ("data", 1),
    0x67: ("address", 1),
    LOCK: ("lock", 1),
    0xF2: ("rep", 0),
    0xF3: ("rep", 1),
}


def _in_286(static: Any) -> bool:
    """Is there an operand of this size or addressing class where numbers and addresses have 16 bits?"""
    return static not in (32, "disp", "index")


def admit(d: Decoding) -> None:
    """LOCK goes with a few instructions that modify memory, on rows with lock=True (Intel 386 PRM, LOCK).

    The 286 takes it before any instruction (80286 PRM, LOCK; test vectors).
    """
    if is_286(d.model):
        return
    if "lock" in d.prefixes and not (d.row.options.get("lock") and d.letter("m") != 3):
        raise IllegalEncoding


def place_prefixes(e: Encoding) -> None:
    """Put LOCK and the segment of an implied operand before an instruction. Errors: Unfit."""
    if e.given.pop("lock", None):
        operand = e.operands.get("ea")
        fits = e.row.options.get("lock") and operand is not None and operand.code is None
        if not fits and not is_286(e.model):
            raise Unfit("takes no LOCK", near=True)
        e.prefix("lock", LOCK)
    if "segment" in dict(e.row.operands) and "segment" in e.given:
        e.prefix("segment", SEGMENT_CODES[e.given.pop("segment")])
    if e.given:
        raise Unfit(f"takes no prefix for {', '.join(e.given)}", near=True)


def spell_prefixes(d: Decoding) -> str:
    """Return the prefixes that no operand shows: LOCK, an implied segment, sizes that only the prefix tells."""
    names = dict(d.row.operands)
    words = ["lock"] if "lock" in d.prefixes else []
    if "segment" in d.prefixes and "segment" in names:
        words.append(SEGMENT_NAMES[d.prefixes["segment"]])
    if "data" in d.prefixes and "s" in names and not shows_size(d.row):
        words.append(f"o{d.size}")
    implied = "a" in names and "{a}" not in d.row.syntax
    if "address" in d.prefixes and (implied or d.forms.get("registers") == 0):
        words.append(f"a{address_size(d)}")
    return "".join(f"{word} " for word in words)


X86 = InstructionSet(
    "x86",
    KINDS,
    word_bytes=1,
    max_bytes=MAX_BYTES,
    prefixes=PREFIXES,
    admit=admit,
    hooks=X86Hooks,
    dialect=DIALECT,
    place_prefixes=place_prefixes,
    spell_prefixes=spell_prefixes,
    subsets=dict.fromkeys(I286, Subset(MAX_BYTES_286, frozenset({0x64, 0x65, 0x66, 0x67}), _in_286)),
)
insn = X86.insn

FLAGS = {  # bit in EFLAGS
    "cf": 0, "pf": 2, "af": 4, "zf": 6, "sf": 7, "tf": 8, "if": 9, "df": 10, "of": 11, "iopl": 12, "nt": 14, "ac": 18,
}  # fmt: skip
ALWAYS_SET = 2
EMULATION = 4  # bit of CR0 and MSW: a coprocessor is to be emulated
MISSING_FLAGS = {"i286": ("iopl", "nt", "ac"), "i386": ("ac",), "i486": ()}
"""Those that a program cannot set; bits 12 to 15 are 0 in the real mode of a 286 (80286 PRM appendix C, POPF)."""


def reset(state: np.ndarray, unreal: bool = False) -> None:
    """Bring a core's state to that after start-up code: segments from 0, interrupts off.

    unreal   real mode only: data segments reach to 4 GiB
    """
    state["seg_limit"] = 0xFFFFFFFF if unreal else 0xFFFF
    state["seg_limit"][CS] = 0xFFFF
    state["idt_limit"] = 0x3FF


def reset_286(state: np.ndarray) -> None:
    """The same for a 286: no coprocessor, so start-up code has set EM of the MSW."""
    reset(state)
    state["cr"][0] = EMULATION


def flags_of(state: np.ndarray) -> int:
    """Return EFLAGS of a core's state."""
    return ALWAYS_SET | sum(int(state[name]) << bit for name, bit in FLAGS.items())


def put_flags(state: np.ndarray, word: int) -> None:
    """Write EFLAGS into a core's state."""
    for name, bit in FLAGS.items():
        state[name] = word >> bit & ((1 << LAYOUTS["i386"].fields[name][0]) - 1)


def get_flags(m: ExecutionContext, bits: int = 32) -> Word:
    """Return FLAGS or EFLAGS."""
    word = m.const(bits, ALWAYS_SET)
    for name, bit in FLAGS.items():
        if bit < bits:
            word = word | m.get(name).zext(bits) << bit
    return word


def set_flags(m: ExecutionContext, word: Word) -> None:
    """Write FLAGS or EFLAGS; the host looks when that lets interrupts or single steps in."""
    before, missing = m.get("if"), MISSING_FLAGS[m.cpu.model[:4]]
    for name, bit in FLAGS.items():
        width = m.cpu.layout.fields[name][0]
        if bit < word.bits and name not in missing:
            m.set(name, (word >> bit).trunc(width))
    m.when(m.get("if") & ~before | m.get("tf"), lambda: m.leave(STATUS_WRITTEN))


def hold_interrupts(m: ExecutionContext) -> None:
    """Let no interrupt in before the next instruction has been executed; the host sees to it."""
    m.set("shadow", m.next_pc + 1)
    m.leave(STATUS_WRITTEN)


def stack_bits(m: ExecutionContext) -> int:
    """Return the width of the stack pointer."""
    return 16 if is_real(m.cpu.model) else 32


def push(m: ExecutionContext, word: Word) -> None:
    """Push a word or double word; where it does not fit below the limit, SP keeps its value."""
    sp = m.reg(ESP, stack_bits(m)) - word.bits // 8
    store(m, SS, sp.zext(32), word)
    m.set_reg(ESP, sp, stage="address")


def top(m: ExecutionContext, bits: int, below: int = 0) -> Word:
    """Return the word that lies `below` bytes under the top of the stack."""
    return load(m, SS, (m.reg(ESP, stack_bits(m)) + below).zext(32), bits)


def drop(m: ExecutionContext, size: int | Word) -> None:
    """Move the stack pointer up by `size` bytes."""
    m.set_reg(ESP, m.reg(ESP, stack_bits(m)) + size, stage="address")


def pop(m: ExecutionContext, bits: int) -> Word:
    word = top(m, bits)
    drop(m, bits // 8)
    return word


def offset_of(m: ExecutionContext, linear: Word) -> Word:
    """Return the offset in the code segment of a linear address."""
    return linear - m.element("seg_base", m.const(32, CS)) if is_real(m.cpu.model) else linear


def next_ip(m: ExecutionContext, bits: int) -> Word:
    return offset_of(m, m.next_pc).trunc(bits)
