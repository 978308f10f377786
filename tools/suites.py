"""The suites of single-instruction tests: which CPU runs them, how a test is loaded, run and compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import vectors_x86
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

from retrosim.cpu.engines.core import Core
from retrosim.cpu.engines.evaluate import Evaluator
from retrosim.cpu.engines.handler_cache import full_handler_cache
from retrosim.cpu.engines.interpret import Interpreter
from retrosim.cpu.spec.cpu import FAULT, SERVICE, Cpu
from retrosim.cpu.spec.rows import undefined_insn
from retrosim.cpu.x86 import state as x86_state

ENGINES = ("evaluate", "interpret")
FOREVER = (1 << 63) - 1  # clocks: no limit
NOP = 0x4E71
MAX_SHOWN = 6  # differences of one test
REGISTER_NAMES = (*(f"d{i}" for i in range(8)), *(f"a{i}" for i in range(7)), "usp", "ssp")


class Bench:
    """One core that runs test after test; a suite loads it and reads it.

    `listing` is the first instruction of the last test.
    Every byte of its memory counts as watched code, so that the core itself tells where an instruction stored.
    """

    def __init__(self, cpu: Cpu, engine: str, timing: str = "table") -> None:
        self.core = Core(cpu, timing)
        self.core.code[:] = 1
        self.core.state["limit"] = FOREVER
        self.state = self.core.state
        self.memory = memoryview(self.core.ram)
        self._blank = self.state.copy()
        self.listing = ""
        self._stored: list[tuple[int, int]] = []
        self.evaluator = Evaluator(self.core)
        self.engine = self.evaluator
        if engine != "evaluate":
            self.engine = Interpreter(self.core, full_handler_cache(cpu, timing, quick=True))

    def begin(self) -> None:
        """Return to the state at power-on and forget all code; memory is cleared by `end`."""
        core = self.core
        for pc in list(core.insns):
            core.forget(pc)
        self.listing = ""
        self.state[()] = self._blank

    def step(self) -> None:
        """Execute one instruction, the exception included that it may raise."""
        core, state = self.core, self.state
        self.listing = self.listing or core.decode(int(state["pc"])).text
        if self.engine is not self.evaluator:
            end = core.decode(int(state["pc"])).end  # what lies behind is not decoded ahead: a row without a handler
            core.insns[end] = undefined_insn(core.cpu.unserved, end, core.cpu.isa.word_bytes, 0)
        before = state["cycles"].item()
        self.engine.run(1)
        if state["reason"] == SERVICE:  # nothing serves it here
            state["cycles"] = before
            self.evaluator.refuse_service()
        if state["written_high"]:
            core.sync_mirrors()
            self._stored.append((int(state["written_low"]), int(state["written_high"])))
            state["written_low"], state["written_high"] = 0xFFFFFFFF, 0

    def end(self, listed: list[int], unit: int) -> str:
        """Clear the listed cells; return what else was changed, and clear that too."""
        memory, zero = self.memory, bytes(unit)
        for address in listed:
            memory[address : address + unit] = zero
        wrong = []
        for low, high in self._stored:
            places = np.arange(low, high) & ADDRESS_MASK
            if self.core.ram[places].any():
                changed = places[self.core.ram[places] != 0].tolist()
                wrong += [f"memory {address:06X} is {memory[address]:02X}, expected unchanged" for address in changed]
                self.core.ram[places] = 0
        self._stored.clear()
        return "; ".join(wrong[:MAX_SHOWN])


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
    unlisted = bench.end(list(expected), unit)
    if bench.state["reason"] == FAULT:
        wrong.insert(0, f"fault, vector {int(bench.state['detail'])}")
    more = [f"and {len(wrong) - MAX_SHOWN} more"] if len(wrong) > MAX_SHOWN else []
    return "; ".join(wrong[:MAX_SHOWN] + more + ([unlisted] if unlisted else [])), cycles


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


X86_NAMES = ("ax", "bx", "cx", "dx", "cs", "ss", "ds", "es", "sp", "bp", "si", "di", "ip", "flags")
GENERAL = (0, 2, 3, 1, 8, 9, 10, 11)  # eax ecx edx ebx esp ebp esi edi
SELECTORS = {0: 7, 1: 4, 2: 5, 3: 6}  # es cs ss ds
SP, IP, FLAGS = 8, 12, 13
HALT = 0xF4
I286 = "i286_real"
START_CLOCKS, HALT_CLOCKS = 6, 2  # from the first fetch to the first instruction: that of INC AX, the first measured
FLAG_BITS = 0x0FFF  # the 386 has IOPL and NT above them, the 286 in real mode has not


def run_80286(bench: Bench, vector: Vector) -> tuple[str, int]:
    """Run one test of the 80286 in real mode; a repeated string instruction to its end.

    Returns  what differs; clocks from the jump to the instruction to the end of the HALT behind it, for the 286
    """
    bench.begin()
    _load_80286(bench, vector)
    state, start = bench.state, int(bench.state["pc"])
    bench.step()
    while int(state["pc"]) == start and " rep" in f" {bench.listing}" and state["reason"] != FAULT:
        bench.step()
    clocks = _clocks_80286(bench)
    after = vector.after
    base, ip = int(state["seg_base"][1]), int(state["pc"]) - int(state["seg_base"][1])
    found = [0] * len(after)
    for number, index in enumerate(GENERAL):
        found[index] = int(state["r"][number])
    for number, index in SELECTORS.items():
        found[index] = int(state["seg"][number])
    # the HALT behind the instruction, or imagined at the target of a jump, has been executed too
    found[IP] = ip if state["stopped"] else ip + 1 & 0xFFFF
    found[FLAGS] = x86_state.flags_of(state) & vector.mask & FLAG_BITS
    expected = [*after[:FLAGS], after[FLAGS] & vector.mask & FLAG_BITS]
    wrong = [f"{n} is {a:04X}, expected {b:04X}" for n, a, b in zip(X86_NAMES, found, expected) if a != b]
    if base != int(state["seg"][1]) << 4:
        wrong.append(f"code segment starts at {base:06X}")
    memory = dict(vector.ram) | dict(vector.out)
    pushed = vector.flags_at and vector.flags_at | after[SP] & 1  # the file has the even address of the bus
    for address, value in memory.items():
        byte = bench.memory[address]
        mask = 0xFF
        if pushed and pushed <= address <= pushed + 1:
            mask = (vector.mask & FLAG_BITS) >> 8 * (address - pushed) & 0xFF
        if (byte ^ value) & mask:
            wrong.append(f"memory {address:06X} is {byte:02X}, expected {value:02X}")
    unlisted = bench.end(list(memory), 1)
    if state["reason"] == FAULT:
        wrong.insert(0, f"fault, vector {int(state['detail'])}")
    more = [f"and {len(wrong) - MAX_SHOWN} more"] if len(wrong) > MAX_SHOWN else []
    return "; ".join(wrong[:MAX_SHOWN] + more + ([unlisted] if unlisted else [])), clocks


def _clocks_80286(bench: Bench) -> int:
    """Return the clocks that the vectors would tell of the instruction that has run: with those of a HALT behind it."""
    state = bench.state
    if bench.core.cpu.model != I286:
        return 0
    clocks = int(state["cycles"]) + int(state["refill"])  # m of a HALT behind a jump: one byte
    if not state["stopped"]:
        clocks = max(clocks, int(state["bus_free"])) + HALT_CLOCKS  # it has a bus cycle of its own
    return START_CLOCKS + clocks


def _load_80286(bench: Bench, vector: Vector) -> None:
    memory, state, before = bench.memory, bench.state, vector.before
    for address, value in vector.ram:
        memory[address] = value
    x86_state.reset(state)
    state["r"][:8] = [before[index] for index in GENERAL]
    for number, index in SELECTORS.items():
        state["seg"][number] = before[index]
        state["seg_base"][number] = before[index] << 4
    x86_state.put_flags(state, before[FLAGS] & FLAG_BITS)
    state["refill"] = 1  # the test begins with a jump to the instruction
    state["pc"] = (before[SELECTORS[1]] << 4) + before[IP]


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
    unlisted = bench.end([PPC_CODE], 4)
    return "; ".join(wrong + ([unlisted] if unlisted else [])), int(state["cycles"])


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
