"""The suites of single-instruction tests: which CPU runs them, how a test is loaded, run and compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import vectors_x86
from single_steps import Bench
from suites_x86 import run_80286, run_80386
from vectors import (
    A7,
    ADDRESS_MASK,
    CLASSES,
    PC,
    SR,
    SSP,
    STOP,
    SUPERVISOR,
    Vector,
    read_ppc,
    read_vectors,
)

from retrosim.cpu.spec.cpu import FAULT

ENGINES = ("evaluate", "interpret")
NOP = 0x4E71
REGISTER_NAMES = (*(f"d{i}" for i in range(8)), *(f"a{i}" for i in range(7)), "usp", "ssp")


@dataclass(frozen=True)
class Suite:
    """A kind of test: how its files are read, loaded into a core, and compared.

    name      on the command line
    machine   the preset it runs on by default
    models    the CPU models it is meant for
    patterns  its files
    classes   name -> bit in Vector.skip of tests that run only on demand
    read      file -> its vectors
    run       bench, vector -> (what differs, "" when nothing; clocks)
    recorded  the model that its tests are of, where others run them too: it skips no class, and its clocks are compared
    always    bits of classes that no model runs unless asked to
    timing    the mode whose clocks are compared
    """

    name: str
    machine: str
    models: tuple[str, ...]
    patterns: tuple[str, ...]
    classes: dict[str, int]
    read: Callable[[Path], list[Vector]]
    run: Callable[[Bench, Vector], tuple[str, int]]
    recorded: str = ""
    always: int = 0
    timing: str = "table"


def run_m68k(bench: Bench, vector: Vector, unit: int, prefetched: int) -> tuple[str, int]:
    """Run one test of the 68K family.

    unit        bytes of a memory cell of the vectors
    prefetched  bytes that their pc is ahead of the instruction
    Returns     what differs, "" when nothing; clocks
    """
    bench.begin()
    _load_m68k(bench, vector, unit, prefetched)
    end = vector.after[PC] - prefetched & ADDRESS_MASK
    bench.step()
    cycles = int(bench.state["cycles"])
    pc = int(bench.state["pc"])
    if unit == 1 and pc != end and bench.core.word(pc) == NOP and bench.state["reason"] != FAULT:
        bench.core.insns.pop(pc, None)
        bench.step()
        pc = int(bench.state["pc"])
    wrong = _registers_m68k(bench, vector)
    if pc & ADDRESS_MASK != end and not (vector.skip & STOP and vector.after[PC] == vector.before[PC]):
        wrong.append(f"pc is {pc:06X}, expected {end:06X}")
    expected = dict(vector.ram) | dict(vector.out)
    for address, value in expected.items():
        found = int.from_bytes(bench.memory[address : address + unit], "big")
        if found != value:
            wrong.append(f"memory {address:06X} is {found:0{2 * unit}X}, expected {value:0{2 * unit}X}")
    return bench.findings(wrong, list(expected), unit), cycles


def _load_m68k(bench: Bench, vector: Vector, unit: int, prefetched: int) -> None:
    memory, state, before = bench.memory, bench.state, vector.before
    for address, value in vector.ram:
        memory[address : address + unit] = value.to_bytes(unit, "big")
    sr = before[SR]
    active = before[SSP] if sr & SUPERVISOR else before[A7]
    state["r"][:16] = [*before[:A7], active]
    state["usp"] = before[A7]
    state["isp"] = state["msp"] = before[SSP]
    state["trace"], state["s"], state["m"], state["ipl"] = sr >> 14 & 3, sr >> 13 & 1, sr >> 12 & 1, sr >> 8 & 7
    for bit, flag in enumerate("cvznx"):
        state[flag] = sr >> bit & 1
    state["pc"] = before[PC] - prefetched & ADDRESS_MASK


def _registers_m68k(bench: Bench, vector: Vector) -> list[str]:
    state, after = bench.state, vector.after
    *registers, active = state["r"][:16].tolist()
    supervisor = bool(state["s"])
    registers += [int(state["usp"]) if supervisor else active, active if supervisor else int(state["isp"])]
    wrong = [
        f"{name} is {found:08X}, expected {value:08X}"
        for name, found, value in zip(REGISTER_NAMES, registers, after)
        if found != value
    ]
    system = int(state["trace"]) << 14 | supervisor << 13 | int(state["m"]) << 12 | int(state["ipl"]) << 8
    sr = system | sum(int(state[flag]) << bit for bit, flag in enumerate("cvznx"))
    compared = 0xFF00 | vector.mask
    if (sr ^ after[SR]) & compared:
        wrong.append(f"sr is {sr & compared:04X}, expected {after[SR] & compared:04X}")
    return wrong


PPC_CODE = 0x1000  # where the instruction is put


def run_ppc(bench: Bench, vector: Vector) -> tuple[str, int]:
    """Run one PowerPC test; return what differs, "" when nothing, and the clocks."""
    bench.begin()
    state = bench.state
    opcode, state["r"][3], state["r"][4] = vector.before
    bench.memory[PPC_CODE : PPC_CODE + 4] = opcode.to_bytes(4, "big")
    state["pc"] = PPC_CODE
    bench.step()
    bits = state["cr"].tolist()
    found = {
        "xer": int(state["so"]) << 31 | int(state["ov"]) << 30 | int(state["ca"]) << 29,
        "cr": sum(bit << 31 - n for n, bit in enumerate(bits)),
        "r3": int(state["r"][3]),
    }
    wrong = [
        f"{name} is {value:08X}, expected {expected:08X}"
        for (name, value), expected in zip(found.items(), vector.after)
        if value != expected
    ]
    if int(state["pc"]) != PPC_CODE + 4:
        wrong.append(f"pc is {int(state['pc']):06X}, expected {PPC_CODE + 4:06X}")
    return bench.findings(wrong, [PPC_CODE], 4), int(state["cycles"])


SUITES = {
    suite.name: suite
    for suite in (
        Suite(
            name="m68000",
            machine="mc68000-8",
            models=("MC68000",),
            patterns=("*.npz", "*.json.bin"),
            classes=CLASSES,
            read=lambda path: read_vectors(path, unit=2),
            run=lambda bench, vector: run_m68k(bench, vector, unit=2, prefetched=4),
        ),
        Suite(
            name="m68040",
            machine="mc68040-25",
            models=("MC68040",),
            patterns=("*.npz",),
            classes={},
            read=lambda path: read_vectors(path, unit=1),
            run=lambda bench, vector: run_m68k(bench, vector, unit=1, prefetched=0),
        ),
        Suite(
            name="80286",
            machine="i80286-12",
            models=("i286_real", "i386_real", "i486_real"),
            recorded="i286_real",
            timing="full",
            patterns=("*.npz", "*.MOO", "*.MOO.gz"),
            classes=vectors_x86.CLASSES,
            always=vectors_x86.REVOKED,
            read=vectors_x86.read_80286,
            run=run_80286,
        ),
        Suite(
            name="80386",
            machine="i386dx-33",
            models=("i386_real",),
            patterns=("*.MOO", "*.MOO.gz"),
            classes=vectors_x86.CLASSES_80386,
            read=vectors_x86.read_80386,
            run=run_80386,
        ),
        Suite(
            name="ppc",
            machine="ppc601-80",
            models=("MPC601",),
            patterns=("*.npz",),
            classes={},
            read=read_ppc,
            run=run_ppc,
        ),
    )
}
