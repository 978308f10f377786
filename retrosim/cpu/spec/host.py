"""A CPU as the machine around it sees it: registers by name, calling conventions, faults, tracing.

registers  name -> how it is read and written; every CPU has "pc", the linear address of the next instruction
result     registers of a result and, of 64 bits, its upper half
call       calling conventions by name, "c" first: each makes the CPU enter a routine
go         continue at a linear address, from wherever the CPU is
set_stack  give a program that starts an empty stack below an address
faults     exception vector -> class of the error, when there is no handler; any other is a CpuFault
tracing    state field that is not 0 while the CPU traces, "" if it cannot; traced(m, its value, insn): does the
           instruction that m has just run end in a trace exception? trace(m): take it, between two instructions
bad_stop   bad_stop(m): take the exception of having stopped as no CPU may; is_bad_stop(state): has it?
in_shadow  in_shadow(state): do interrupts wait until one more instruction has been executed? end_shadow(state): they
           no longer do
bases      registers that point to a program's data as long as it runs, by name. A routine that is called before the
           program has set one finds it at the first of its symbols that the image has.
stack      where the stack is, and where a routine's first instruction finds the address that it returns to
aliases    other names of registers, in whose place a call from outside may name them: of a part, its whole
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from retrosim.errors import CpuFault

from .rows import Insn

ALL_BITS = 32


@dataclass(frozen=True)
class Register:
    """A register as the host sees it.

    bits   its width
    get    get(state) -> value
    set    set(state, value), the value in range
    """

    bits: int
    get: Callable[[np.ndarray], int]
    set: Callable[[np.ndarray, int], None]


def in_field(name: str, number: int | None = None, bits: int = ALL_BITS, mask: int = (1 << ALL_BITS) - 1) -> Register:
    """Return a register that is a state field, or an entry of one; bits outside the mask are not written."""

    def get(state: np.ndarray) -> int:
        return int(state[name] if number is None else state[name][number])

    def put(state: np.ndarray, value: int) -> None:
        if number is None:
            state[name] = value & mask
        else:
            state[name][number] = value & mask

    return Register(bits, get, put)


@dataclass(frozen=True)
class Call:
    """What a routine is called with.

    state      of the CPU
    write      write(address, bytes) into memory
    entry      linear address of the routine
    back       address that it returns to
    arguments  words
    """

    state: np.ndarray
    write: Callable[[int, bytes], None]
    entry: int
    back: int
    arguments: Sequence[int]


@dataclass(frozen=True)
class Convention:
    """A calling convention.

    argument_bits  width of an argument
    enter          prepare stack and registers, and go to the routine
    """

    argument_bits: int
    enter: Callable[[Call], None]


def go(state: np.ndarray, address: int) -> None:
    """Continue at an address, on a CPU without segments."""
    state["pc"] = address


def push_words(
    call: Call,
    words: Sequence[int],
    size: int,
    order: Literal["little", "big"],
    sp: int,
    base: int = 0,
    span: int = 1 << 32,
) -> int:
    """Write words on a stack that grows down, the first at the lowest address; return the new stack pointer.

    size, order  of a word: bytes and byte order
    base, span   where the stack's segment begins, and where its offsets wrap
    """
    sp = (sp - size * len(words)) % span
    for number, word in enumerate(words):
        call.write(base + (sp + size * number) % span, (word & ((1 << 8 * size) - 1)).to_bytes(size, order))
    return sp


@dataclass(frozen=True)
class Base:
    """A register that points to a program's data: its number in the register file, and what linkers call the place."""

    number: int
    symbols: tuple[str, ...]


@dataclass(frozen=True)
class Stack:
    """How a CPU calls and returns.

    pointer    pointer(state) -> linear address of the top of the stack
    word       bytes of an address on it
    link       register that holds the return address, "" where a call pushes it
    code_base  code_base(state) -> what is added to a near return address on the stack
    arguments  registers of a routine's first arguments; the others lie above the return address, a word each
    """

    pointer: Callable[[np.ndarray], int]
    word: int = 4
    link: str = ""
    code_base: Callable[[np.ndarray], int] = lambda state: 0
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Host:
    """See the head of this module."""

    registers: Mapping[str, Register]
    result: tuple[str, str]
    call: Mapping[str, Convention]
    go: Callable[[np.ndarray, int], None]
    set_stack: Callable[[np.ndarray, int], None]
    faults: Mapping[int, type[CpuFault]]
    stack: Stack
    tracing: str = ""
    traced: Callable[[Any, int, Insn], bool] = lambda m, trace, insn: False
    trace: Callable[[Any], None] = lambda m: None
    is_bad_stop: Callable[[np.ndarray], bool] = lambda state: False
    bad_stop: Callable[[Any], None] = lambda m: None
    in_shadow: Callable[[np.ndarray], bool] = lambda state: False
    end_shadow: Callable[[np.ndarray], None] = lambda state: None
    bases: Mapping[str, Base] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
