"""The 68K family as the machine sees it: registers by name, the C convention of calls, faults, tracing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...errors import BusError, IllegalInstruction
from ..spec.cpu import ADDRESS_MASK
from ..spec.host import Base, Call, Convention, Host, Register, Stack, go, in_field, push_words
from .exceptions import ADDRESS_ERROR, ILLEGAL, LINE_A, LINE_F, TRACE, exception, is_traced
from .state import SP

_CCR = "cvznx"


def _active(state: np.ndarray) -> str:
    return ("msp" if state["m"] else "isp") if state["s"] else "usp"


def _get_sr(state: np.ndarray) -> int:
    system = int(state["trace"]) << 14 | int(state["s"]) << 13 | int(state["m"]) << 12 | int(state["ipl"]) << 8
    return system | sum(int(state[flag]) << bit for bit, flag in enumerate(_CCR))


def _put_sr(state: np.ndarray, value: int) -> None:
    """Write the status register; a7 becomes the stack pointer that the new S and M name."""
    state[_active(state)] = state["r"][SP]
    state["trace"], state["s"] = value >> 14 & 3, value >> 13 & 1
    state["m"], state["ipl"] = value >> 12 & 1, value >> 8 & 7
    for bit, flag in enumerate(_CCR):
        state[flag] = value >> bit & 1
    state["r"][SP] = state[_active(state)]


REGISTERS = {
    **{f"d{i}": in_field("r", i) for i in range(8)},
    **{f"a{i}": in_field("r", 8 + i) for i in range(8)},
    "sr": Register(16, _get_sr, _put_sr),
    "pc": in_field("pc", mask=ADDRESS_MASK),
    **{name: in_field(name) for name in ("usp", "isp", "msp", "vbr")},
}


def _enter(call: Call) -> None:
    """Push the arguments from right to left as long words, and the return address."""
    words = (call.back, *call.arguments)
    call.state["r"][SP] = push_words(call, words, 4, "big", int(call.state["r"][SP]))
    go(call.state, call.entry)


def _enter_pascal(call: Call) -> None:
    """Push the arguments from left to right as long words; the routine removes them."""
    _enter(replace(call, arguments=tuple(reversed(call.arguments))))


def _set_stack(state: np.ndarray, top: int) -> None:
    state["r"][SP] = top


HOST = Host(
    registers=REGISTERS,
    aliases={"sp": "a7", "fp": "a6"},
    result=("d0", "d1"),
    call={"c": Convention(32, _enter), "pascal": Convention(32, _enter_pascal)},
    go=go,
    set_stack=_set_stack,
    stack=Stack(lambda state: int(state["r"][SP]) & ADDRESS_MASK),
    bases={
        "a4": Base(12, ("_LinkerDB", "___a4_init")),
        "a5": Base(13, ("_GLOBAL_OFFSET_TABLE_",)),
    },  # SAS/C, -msep-data
    faults={2: BusError, ADDRESS_ERROR: BusError} | dict.fromkeys((ILLEGAL, LINE_A, LINE_F), IllegalInstruction),
    tracing="trace",
    traced=is_traced,
    trace=lambda m: exception(m, TRACE),
)
