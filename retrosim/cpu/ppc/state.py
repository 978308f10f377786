"""Registers of the PowerPC 601 and the operations on them that many instructions share.

The condition register is 32 fields of one bit (a byte each), numbered from the left as the manuals do: bit 4 n + 0..3
is LT, GT, EQ, SO of field n. So a compare and the branch after it meet in one bit, not in a packed word. XER is kept
apart: SO, OV and CA as bits, the byte and the count of the string instructions as bytes; its other bits read as 0.
"""

from __future__ import annotations

import numpy as np

from ..spec.cpu import ENGINE_FIELDS, StateLayout
from ..spec.instruction_set import InstructionSet
from ..spec.semantics import ExecutionContext
from ..spec.values import Word
from .assembly import DIALECT
from .hooks import PpcHooks
from .mpc601_cache import FIELDS as CACHE_FIELDS
from .mpc601_pipeline import CAUSES
from .operands import KINDS

SP = 1  # the stack pointer, by convention
ZERO = 32  # a register that is always 0: what rA = 0 means in an address

LAYOUT = StateLayout(
    (
        ("r", 32, 33),  # r0-r31, zero
        ("cr", 8, 32),  # each 0 or 1
        ("so", 1, 1),
        ("ov", 1, 1),
        ("ca", 1, 1),
        ("compare_byte", 8, 1),  # XER 16-23
        ("byte_count", 8, 1),  # XER 25-31
        ("lr", 32, 1),
        ("ctr", 32, 1),
        ("mq", 32, 1),
        ("msr", 32, 1),
        ("srr0", 32, 1),
        ("srr1", 32, 1),
        ("dar", 32, 1),
        ("dsisr", 32, 1),
        ("sprg", 32, 4),
        ("ear", 32, 1),
        ("sdr1", 32, 1),
        ("sr", 32, 16),  # segment, BAT and HID registers hold what is written: translation is off
        ("bat", 32, 8),
        ("hid", 32, 5),  # HID0 HID1 HID2 (IABR) HID5 (DABR) HID15 (PIR)
        ("reserved", 1, 1),  # lwarx has reserved the granule `reservation`
        ("reservation", 32, 1),
        ("rtc_clock", 64, 1),  # clock at which RTC was rtc_start, in nanoseconds
        ("rtc_start", 64, 1),
        ("dec_clock", 64, 1),  # clock at which DEC was dec_start
        ("dec_start", 32, 1),
        *ENGINE_FIELDS,
        # pipeline of the MPC601 (mpc601_pipeline.py): absolute clocks
        ("entered", 64, 1),  # the last integer instruction entered its execute stage
        ("issue1", 64, 1),  # dispatch of the last integer instructions
        ("issue2", 64, 1),
        ("issue3", 64, 1),
        ("fetched", 64, 1),  # the next instruction can be dispatched
        ("branched", 64, 1),  # the last branch was executed
        ("resolved", 64, 1),  # the last predicted branch is resolved
        ("lr_ready", 64, 1),  # for branches
        ("ctr_ready", 64, 1),
        ("cr_ready", 64, 8),
        ("ready", 64, 33),  # per register: the execute stage may use it
        ("sector", 32, 1),  # 32 bytes that the last instruction came from, + KNOWN; NONE after a branch
        ("sector_time", 64, 1),  # when they could be dispatched
        ("sector_start", 64, 1),  # when the cache was last used for code
        ("accesses", 64, 1),  # to data since then
        *CACHE_FIELDS,
        ("causes", 64, len(CAUSES)),  # clocks by cause: counted in the timing mode of that name only, as is
        ("bubble", 8, 1),  # the cause of clocks up to `fetched`
    )
)
IN_REGISTERS = frozenset({
    "r", "cr", "so", "ov", "ca", "lr", "ctr", "mq", "entered", "issue1", "issue2", "issue3", "fetched",
    "branched", "resolved", "lr_ready", "ctr_ready", "cr_ready", "ready", "sector", "sector_time", "sector_start",
    "accesses",
})  # fmt: skip

# primary opcode, extended opcode, record bit
PPC = InstructionSet("ppc", KINDS, word_bytes=4, max_bytes=4, index=0xFC0007FF, hooks=PpcHooks, dialect=DIALECT)
insn = PPC.insn

UM = "601UM chapter 10"  # PowerPC 601 RISC Microprocessor User's Manual (MPC601UM/AD), pages by mnemonic
LT, GT, EQ, SO = range(4)  # bits of a condition field

# machine state register (601UM section 2.3.1)
MSR_EE, MSR_PR, MSR_ME, MSR_EP = 0x8000, 0x4000, 0x1000, 0x0040


def reset(state: np.ndarray) -> None:
    """Bring a state of zeros to supervisor state with external interrupts off and the vectors in low memory."""
    state["msr"] = MSR_ME


def get_bit(m: ExecutionContext, n: Word) -> Word:
    """Return a bit of the condition register."""
    return m.element("cr", n).trunc(1)


def set_bit(m: ExecutionContext, n: Word, bit: Word) -> None:
    m.set_element("cr", n, bit.zext(8))


def set_field(m: ExecutionContext, field: Word, lt: Word, gt: Word, eq: Word, so: Word) -> None:
    """Set a field of the condition register; branches wait for it."""
    for number, bit in enumerate((lt, gt, eq, so)):
        set_bit(m, (field << 2) + number, bit)
    m.timing.condition_field(field)


def get_cr(m: ExecutionContext) -> Word:
    """Return the condition register as a word."""
    word = m.const(32, 0)
    for n in range(32):
        word = word | m.element("cr", m.const(32, n)).zext(32) << (31 - n)
    return word


def get_xer(m: ExecutionContext) -> Word:
    word = m.get("compare_byte").zext(32) << 8 | m.get("byte_count").zext(32)
    for flag, position in (("so", 31), ("ov", 30), ("ca", 29)):
        word = word | m.get(flag).zext(32) << position
    return word


def set_xer(m: ExecutionContext, word: Word) -> None:
    for flag, position in (("so", 31), ("ov", 30), ("ca", 29)):
        m.set(flag, (word >> position).trunc(1))
    m.set("compare_byte", (word >> 8).trunc(8))
    m.set("byte_count", word.trunc(8) & 0x7F)
