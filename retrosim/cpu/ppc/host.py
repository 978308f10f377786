"""The PowerPC 601 as the machine sees it: registers by name, the C convention of calls, faults.

The convention is that of System V (PowerPC Processor Supplement, chapter 3): a back chain from a stack pointer that is
a multiple of 16, above it the word where the routine saves LR, and the arguments that do not fit into r3-r10. r2 is the
base of the TOC (Apple, Mac OS Runtime Architectures, chapter 4) or of constant small data, r13 of small data (PowerPC
Embedded ABI, chapter 3).
"""

from __future__ import annotations

import numpy as np

from ...errors import IllegalInstruction
from ..spec.cpu import ADDRESS_MASK
from ..spec.host import Base, Call, Convention, Host, Register, Stack, go, in_field, push_words
from .exceptions import NO_FLOATING_POINT, PROGRAM
from .state import SP

FRAME = 16  # bytes: the stack pointer is a multiple
ARGUMENTS = range(3, 11)  # registers
FLAGS = {"so": 31, "ov": 30, "ca": 29}  # bits of XER


def _get_cr(state: np.ndarray) -> int:
    return int("".join(str(bit) for bit in state["cr"].tolist()), 2)


def _put_cr(state: np.ndarray, value: int) -> None:
    state["cr"] = [value >> 31 - n & 1 for n in range(32)]


def _get_xer(state: np.ndarray) -> int:
    strings = int(state["compare_byte"]) << 8 | int(state["byte_count"])
    return strings | sum(int(state[flag]) << bit for flag, bit in FLAGS.items())


def _put_xer(state: np.ndarray, value: int) -> None:
    for flag, bit in FLAGS.items():
        state[flag] = value >> bit & 1
    state["compare_byte"], state["byte_count"] = value >> 8 & 0xFF, value & 0x7F


REGISTERS = {
    **{f"r{i}": in_field("r", i) for i in range(32)},
    "cr": Register(32, _get_cr, _put_cr),
    "xer": Register(32, _get_xer, _put_xer),
    **{name: in_field(name) for name in ("lr", "ctr", "mq")},
    "msr": in_field("msr", mask=0xFFFF),
    **{name: in_field(name) for name in ("srr0", "srr1", "dar", "dsisr")},
    "pc": in_field("pc", mask=ADDRESS_MASK & -4),
}


def _enter(call: Call) -> None:
    """Make the caller's frame, put the arguments into registers and after the frame's head, and go to the routine."""
    r = call.state["r"]
    rest = call.arguments[len(ARGUMENTS) :]
    words = (int(r[SP]), 0, *rest)
    padding = (0,) * ((int(r[SP]) // 4 - len(words)) % (FRAME // 4))
    r[SP] = push_words(call, (*words, *padding), 4, "big", int(r[SP]) & -4)
    for number, word in zip(ARGUMENTS, call.arguments):
        r[number] = word & 0xFFFFFFFF
    call.state["lr"] = call.back
    go(call.state, call.entry)


def _set_stack(state: np.ndarray, top: int) -> None:
    """Leave space for the head of the first frame, whose back chain ends: memory there is 0 unless written to."""
    state["r"][SP] = top - FRAME & -FRAME


HOST = Host(
    registers=REGISTERS,
    aliases={"sp": "r1"},
    result=("r3", "r4"),
    call={"c": Convention(32, _enter)},
    go=go,
    set_stack=_set_stack,
    stack=Stack(
        lambda state: int(state["r"][SP]) & ADDRESS_MASK,
        link="lr",
        arguments=tuple(f"r{number}" for number in ARGUMENTS),
    ),
    bases={"r2": Base(2, ("TOC", ".TOC.", "_SDA2_BASE_")), "r13": Base(13, ("_SDA_BASE_",))},
    faults=dict.fromkeys((PROGRAM, NO_FLOATING_POINT), IllegalInstruction),
)
