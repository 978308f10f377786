"""Runs single-instruction tests of the 80286 and the 80386 in real mode."""

from __future__ import annotations

from dataclasses import dataclass

from single_steps import Bench
from vectors import Vector

from retrosim.cpu.spec.cpu import FAULT
from retrosim.cpu.x86 import state as x86_state

I286 = "i286_real"
CS = 1
START_CLOCKS, HALT_CLOCKS = 6, 2  # from the first fetch to the first instruction: that of INC AX, the first measured


@dataclass(frozen=True)
class Registers:
    """Where the tests of a processor have what.

    names    of all, in the order of the files
    general  numbers of eax ecx edx ebx esp ebp esi edi
    segments numbers of es cs ss ds and, on a 386, fs gs
    system   field and number in it of each register that has no other use here
    ip       number of the instruction pointer
    flags    number of the flags
    bits     of the flags that are compared
    """

    names: tuple[str, ...]
    general: tuple[int, ...]
    segments: tuple[int, ...]
    system: dict[int, tuple[str, int]]
    ip: int
    flags: int
    bits: int


REGISTERS_80286 = Registers(
    names=("ax", "bx", "cx", "dx", "cs", "ss", "ds", "es", "sp", "bp", "si", "di", "ip", "flags"),
    general=(0, 2, 3, 1, 8, 9, 10, 11),
    segments=(7, 4, 5, 6),
    system={},
    ip=12,
    flags=13,
    bits=0x0FFF,  # the 386 has IOPL and NT above them, the 286 in real mode has not
)
REGISTERS_80386 = Registers(
    names=(
        *("cr0", "cr3", "eax", "ebx", "ecx", "edx", "esi", "edi", "ebp", "esp"),
        *("cs", "ds", "es", "fs", "gs", "ss", "eip", "eflags", "dr6", "dr7"),
    ),
    general=(2, 4, 5, 3, 9, 8, 6, 7),
    segments=(12, 10, 15, 11, 13, 14),
    system={0: ("cr", 0), 1: ("cr", 3), 18: ("dr", 6), 19: ("dr", 7)},
    ip=16,
    flags=17,
    bits=0x7FD7,  # the files have what LOADALL put into bits that no flag has
)


def run_80286(bench: Bench, vector: Vector) -> tuple[str, int]:
    """Run one test of the 80286; a repeated string instruction to its end.

    Returns  what differs; clocks from the jump to the instruction to the end of the HALT behind it, for the 286
    """
    return _run(bench, vector, REGISTERS_80286)


def run_80386(bench: Bench, vector: Vector) -> tuple[str, int]:
    """Run one test of the 80386 in the same way; its clocks are those of a 16-bit bus, which no machine here has."""
    return _run(bench, vector, REGISTERS_80386)[0], 0


def _run(bench: Bench, vector: Vector, registers: Registers) -> tuple[str, int]:
    bench.begin()
    _load(bench, vector, registers)
    state, start = bench.state, int(bench.state["pc"])
    bench.step()
    while int(state["pc"]) == start and " rep" in f" {bench.listing}" and state["reason"] != FAULT:
        bench.step()
    clocks, found = _clocks_80286(bench), _found(bench, registers)
    masks = [*vector.masks] or [-1] * len(found)
    masks[registers.flags] &= vector.mask & registers.bits
    wrong = [
        f"{name} is {value & mask:04X}, expected {expected & mask:04X}"
        for name, value, expected, mask in zip(registers.names, found, vector.after, masks, strict=True)
        if (value ^ expected) & mask
    ]
    if int(state["seg_base"][CS]) != int(state["seg"][CS]) << 4:
        wrong.append(f"code segment starts at {int(state['seg_base'][CS]):06X}")
    memory = dict(vector.ram) | dict(vector.out)
    stack = vector.after[registers.general[4]]
    pushed = vector.flags_at and vector.flags_at | stack & 1  # the file has the even address of the bus
    for address, value in memory.items():
        byte = bench.memory[address]
        mask = 0xFF
        if pushed and pushed <= address <= pushed + 1:
            mask = masks[registers.flags] >> 8 * (address - pushed) & 0xFF
        if (byte ^ value) & mask:
            wrong.append(f"memory {address:06X} is {byte:02X}, expected {value:02X}")
    return bench.findings(wrong, list(memory), 1), clocks


def _found(bench: Bench, registers: Registers) -> list[int]:
    """Return the registers as a file has them: the HALT behind the instruction has been executed too."""
    state = bench.state
    found = [0] * len(registers.names)
    for number, index in enumerate(registers.general):
        found[index] = int(state["r"][number])
    for number, index in enumerate(registers.segments):
        found[index] = int(state["seg"][number])
    for index, (name, number) in registers.system.items():
        found[index] = int(state[name][number])
    ip = int(state["pc"]) - int(state["seg_base"][CS])
    found[registers.ip] = ip if state["stopped"] else ip + 1 & 0xFFFF  # at the target of a jump one is imagined
    found[registers.flags] = x86_state.flags_of(state)
    return found


def _clocks_80286(bench: Bench) -> int:
    """Return the clocks that the vectors would tell of the instruction that has run: with those of a HALT behind it."""
    state = bench.state
    if bench.core.cpu.model != I286:
        return 0
    clocks = int(state["cycles"]) + int(state["refill"])  # m of a HALT behind a jump: one byte
    if not state["stopped"]:
        clocks = max(clocks + 1, int(state["bus_free"])) + HALT_CLOCKS - 1  # its bus cycle, as an operand
    return START_CLOCKS + clocks


def _load(bench: Bench, vector: Vector, registers: Registers) -> None:
    memory, state, before = bench.memory, bench.state, vector.before
    for address, value in vector.ram:
        memory[address] = value
    x86_state.reset(state)
    state["r"][:8] = [before[index] for index in registers.general]
    for number, index in enumerate(registers.segments):
        state["seg"][number] = before[index] & 0xFFFF
        state["seg_base"][number] = (before[index] & 0xFFFF) << 4
    for index, (name, number) in registers.system.items():
        state[name][number] = before[index]
    x86_state.put_flags(state, before[registers.flags] & registers.bits)
    state["refill"] = 1  # the test begins with a jump to the instruction
    state["pc"] = int(state["seg_base"][CS]) + before[registers.ip]
