"""The x86 as the machine sees it: registers by name, conventions of calls in both modes, faults, single steps.

Conventions of calls, the return address in a word of the argument's width:

    c       arguments from right to left, near; words of 32 bits in flat mode, of 16 bits in real mode
    regparm flat mode: the first three in EAX, EDX and ECX, the rest as in c (GCC, -mregparm=3)
    pascal  real mode: arguments from left to right in words of 16 bits, a far call (Turbo Pascal)

A near routine of real mode is entered with CS as it is, so it has to lie in that segment.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from retrosim.errors import IllegalInstruction

from ..spec.cpu import ADDRESS_MASK
from ..spec.host import Call, Convention, Host, Register, Stack, go, in_field, push_words
from ..spec.rows import Insn
from ..spec.semantics import ExecutionContext
from .exceptions import DEBUG, INVALID, NO_FPU, trap
from .modrm import EAX, ECX, EDX, ESP, NAMES
from .segments import CS, SEGMENT_NAMES, SS
from .state import flags_of, put_flags

SPAN = 1 << 16  # of a real-mode segment
LOW_END = 1 << 20  # what segments can begin in
REGPARM = (EAX, EDX, ECX)
FLAG_BITS = 0xFFF  # of the 286's FLAGS in real mode


def _selector(number: int, real: bool) -> Register:
    def put(state: np.ndarray, value: int) -> None:
        state["seg"][number] = value
        if real:
            state["seg_base"][number] = value << 4

    return Register(16, lambda state: int(state["seg"][number]), put)


def _enter_flat(call: Call) -> None:
    call.state["r"][ESP] = push_words(call, (call.back, *call.arguments), 4, "little", int(call.state["r"][ESP]))
    go(call.state, call.entry)


def _enter_regparm(call: Call) -> None:
    for number, word in zip(REGPARM, call.arguments):
        call.state["r"][number] = word & 0xFFFFFFFF
    _enter_flat(replace(call, arguments=call.arguments[len(REGPARM) :]))


def _enter_real(far: bool) -> Callable[[Call], None]:
    def enter(call: Call) -> None:
        state = call.state
        base, selector = int(state["seg_base"][CS]), int(state["seg"][CS])
        back = [(call.back - base) % SPAN, *([selector] if far else [])]
        words = [*back, *(reversed(call.arguments) if far else call.arguments)]
        sp = int(state["r"][ESP])
        new = push_words(call, words, 2, "little", sp & 0xFFFF, int(state["seg_base"][SS]), SPAN)
        state["r"][ESP] = sp & ~0xFFFF | new
        (_go_real if far else go)(state, call.entry)

    return enter


def _go_real(state: np.ndarray, address: int) -> None:
    """Keep the code segment if it has an address, else take a multiple of 64 KiB. Errors: ValueError above 1 MiB."""
    if not 0 <= address < LOW_END:
        raise ValueError(f"code at {address:#x}: allowed 0..{LOW_END - 1:#x} in real mode")
    base = int(state["seg_base"][CS])
    if not 0 <= address - base < SPAN:
        base = address - address % SPAN
    state["seg"][CS], state["seg_base"][CS], state["pc"] = base >> 4, base, address


def _set_stack_flat(state: np.ndarray, top: int) -> None:
    state["r"][ESP] = top


def _set_stack_real(state: np.ndarray, top: int) -> None:
    """Put the stack into the 64 KiB below `top`, a multiple of 16 up to 1 MiB. Errors: ValueError."""
    if top % 16 or not SPAN <= top <= LOW_END:
        raise ValueError(f"stack below {top:#x}: allowed {SPAN:#x}..{LOW_END:#x} in real mode, a multiple of 16")
    state["seg"][SS], state["seg_base"][SS] = (top - SPAN) >> 4, top - SPAN
    state["r"][ESP] = 0


def _flat_top(state: np.ndarray) -> int:
    return int(state["r"][ESP]) & ADDRESS_MASK


def _real_top(state: np.ndarray) -> int:
    return (int(state["seg_base"][SS]) + (int(state["r"][ESP]) & 0xFFFF)) & ADDRESS_MASK


def _is_traced(m: ExecutionContext, trace: int, insn: Insn) -> bool:
    """Tell whether an instruction that began with TF set ends in a single-step trap: not if it was an exception or INT.

    Behind a load of SS the trap waits for the next instruction (Intel 386 PRM 12.3.1.4, 9.2.4).
    """
    return m.raised is None and m.get("shadow").known != m.get("pc").known + 1


def _in_shadow(state: np.ndarray) -> bool:
    return int(state["pc"]) + 1 == int(state["shadow"])


def _end_shadow(state: np.ndarray) -> None:
    state["shadow"] = 0


def host_286() -> Host:
    """Return the description of the 286: real mode, registers of 16 bits, for which the names of 32 bits stand too."""
    of_386 = host(real=True)
    names = dict(zip(NAMES[32][:8], NAMES[16][:8]))
    registers = {
        names.get(name, name): in_field("r", NAMES[32].index(name), 16) if name in names else register
        for name, register in of_386.registers.items()
        if name not in ("fs", "gs", "eflags")
    }
    registers["flags"] = Register(16, flags_of, lambda state, word: put_flags(state, word & FLAG_BITS))
    return replace(of_386, registers=registers, aliases=names | {"eflags": "flags"}, result=("ax", "dx"))


def host(real: bool) -> Host:
    """Return the description of a mode."""
    registers = {name: in_field("r", number) for number, name in enumerate(NAMES[32][:8])}
    registers |= {name: _selector(number, real) for number, name in enumerate(SEGMENT_NAMES)}
    registers |= {"pc": in_field("pc", mask=ADDRESS_MASK), "eflags": Register(32, flags_of, put_flags)}
    flat = {"c": Convention(32, _enter_flat), "regparm": Convention(32, _enter_regparm)}
    segmented = {"c": Convention(16, _enter_real(far=False)), "pascal": Convention(16, _enter_real(far=True))}
    return Host(
        registers=registers,
        aliases={name[1:]: name for name in NAMES[32][:8]},
        result=("eax", "edx"),
        call=segmented if real else flat,
        go=_go_real if real else go,
        set_stack=_set_stack_real if real else _set_stack_flat,
        stack=Stack(_real_top, 2, code_base=lambda state: int(state["seg_base"][CS])) if real else Stack(_flat_top),
        faults=dict.fromkeys((INVALID, NO_FPU), IllegalInstruction),
        tracing="tf",
        traced=_is_traced,
        trace=lambda m: trap(m, DEBUG),
        in_shadow=_in_shadow,
        end_shadow=_end_shadow,
    )
