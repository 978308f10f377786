"""Registers of the 68K family and the operations on them that many instructions share."""

from __future__ import annotations

import numpy as np

from ..spec.cpu import ENGINE_FIELDS, STATUS_WRITTEN, StateLayout
from ..spec.instruction_set import InstructionSet
from ..spec.semantics import ExecutionContext
from ..spec.values import Word
from .assembly import DIALECT
from .hooks import M68kHooks
from .mc68040_cache import FIELDS as CACHE_FIELDS
from .mc68040_pipeline import CAUSES
from .operands import KINDS

SP = 15  # A7, whichever stack pointer is active
ZERO = 16  # a register that is always 0: base of absolute and PC-relative addresses, suppressed index

LAYOUT = StateLayout(
    (
        ("r", 32, 17),  # d0-d7, a0-a7, zero
        ("x", 1, 1),
        ("n", 1, 1),
        ("z", 1, 1),
        ("v", 1, 1),
        ("c", 1, 1),
        ("trace", 2, 1),  # T1 T0
        ("s", 1, 1),
        ("m", 1, 1),
        ("ipl", 3, 1),
        ("usp", 32, 1),  # the stack pointers that are not active
        ("isp", 32, 1),
        ("msp", 32, 1),
        ("vbr", 32, 1),
        ("sfc", 3, 1),
        ("dfc", 3, 1),
        ("cacr", 32, 1),
        ("mmu", 32, 8),  # TC ITT0 ITT1 DTT0 DTT1 MMUSR URP SRP: they hold what is written, translation is off
        *ENGINE_FIELDS,
        # pipeline of the MC68040 (mc68040_pipeline.py): absolute clocks
        ("ea_end", 64, 1),
        ("fetch_end", 64, 1),
        ("fetch_line", 32, 1),  # line that the last instruction came from
        ("fetch_word", 32, 1),  # long word that it ended in
        ("ready", 64, 17),  # per register: when address calculation may use it
        *CACHE_FIELDS,
        ("causes", 64, len(CAUSES)),  # clocks by cause: counted in the timing mode of that name only
    )
)
IN_REGISTERS = frozenset({"r", "x", "n", "z", "v", "c", "ea_end", "fetch_end", "fetch_line", "fetch_word", "ready"})

MAX_BYTES = 22  # of an instruction: a 68020 MOVE with two memory-indirect operands

M68K = InstructionSet("m68k", KINDS, word_bytes=2, max_bytes=MAX_BYTES, hooks=M68kHooks, dialect=DIALECT)
insn = M68K.insn


def reset(state: np.ndarray) -> None:
    """Bring a state of zeros to supervisor state with all interrupts masked."""
    state["s"], state["ipl"] = 1, 7


def get_ccr(m: ExecutionContext) -> Word:
    """Return the condition codes as a 16-bit word, bits 4..0 = X N Z V C."""
    word = m.get("c").zext(16)
    for bit, flag in enumerate(("v", "z", "n", "x"), start=1):
        word = word | (m.get(flag).zext(16) << bit)
    return word


def set_ccr(m: ExecutionContext, word: Word) -> None:
    for bit, flag in enumerate(("c", "v", "z", "n", "x")):
        m.set(flag, (word >> bit).trunc(1))


def push(m: ExecutionContext, word: Word) -> None:
    """Push a word or long word on the active stack; the address unit has moved A7 before execution."""
    sp = m.reg(SP) - word.bits // 8
    m.set_reg(SP, sp, stage="address")
    m.store(sp, word)


def pop(m: ExecutionContext, bits: int) -> Word:
    sp = m.reg(SP)
    word = m.load(sp, bits)
    m.set_reg(SP, sp + bits // 8, stage="address")
    return word


def get_sr(m: ExecutionContext) -> Word:
    """Return the status register, bits 15..0 = T1 T0 S M 0 I2 I1 I0 and the condition codes."""
    system = (
        m.get("trace").zext(16) << 14
        | m.get("s").zext(16) << 13
        | m.get("m").zext(16) << 12
        | m.get("ipl").zext(16) << 8
    )
    return system | get_ccr(m)


def set_sr(m: ExecutionContext, word: Word) -> None:
    """Write the status register and make A7 the stack pointer that the new S and M name."""
    if m.cpu.model == "MC68000":  # T0 and M came with the MC68020
        word = word & 0xA71F
    set_ccr(m, word)
    m.set("trace", (word >> 14).trunc(2))
    m.set("ipl", (word >> 8).trunc(3))
    set_stack(m, (word >> 13).trunc(1), (word >> 12).trunc(1))
    m.leave(STATUS_WRITTEN)  # tracing and pending interrupts are the host's to look at


def set_stack(m: ExecutionContext, supervisor: Word, master: Word) -> None:
    """Change S and M: put A7 away under its old name and take it up under the new one."""
    old = m.reg(SP)
    m.when(
        m.get("s"),
        lambda: m.when(m.get("m"), lambda: m.set("msp", old), lambda: m.set("isp", old)),
        lambda: m.set("usp", old),
    )
    m.set("s", supervisor)
    m.set("m", master)
    new = m.select(supervisor, m.select(master, m.get("msp"), m.get("isp")), m.get("usp"))
    m.set_reg(SP, new)
