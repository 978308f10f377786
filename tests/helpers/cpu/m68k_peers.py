"""Two 68040s that others wrote, run for one instruction or a few from a given state."""

from __future__ import annotations

import multiprocessing
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

from retrosim.cpu.engines.core import Core
from tests.helpers.cpu import m68k_streams as streams

SIZE = 1 << 20
SR_STORE = 0xFFF00  # where Unicorn's SR is stored by an instruction: its register read misses lazy flags


Result = tuple[list[int], int, int, np.ndarray]  # d0-a7, condition codes, pc, memory


@dataclass(frozen=True)
class Start:
    """A state before one instruction: memory from address 0, d0-a7, condition codes, pc, the code."""

    memory: bytes
    registers: list[int]
    flags: int
    pc: int
    code: bytes


def start(core: Core, code: bytes) -> Start:
    state = core.state
    return Start(core.ram[:SIZE].tobytes(), state["r"][:16].tolist(), ccr(core), int(state["pc"]), code)


class Musashi:
    """Musashi by the package machine68k; one per process, its core is global."""

    @property
    def machine(self) -> Any:
        """The one that is open: another test may have closed that of before for another model."""
        from tests.helpers.rom.simulators import musashi_machine

        return musashi_machine()

    def run(self, begin: Start) -> Result:
        from machine68k import Register

        cpu, memory = self.machine.cpu, self.machine.mem
        memory.w_block(0, begin.memory)
        cpu.w_sr(0x2000 | begin.flags)
        for n, value in enumerate(begin.registers):
            cpu.w_reg(Register(n), value)
        cpu.w_pc(begin.pc)
        cpu.execute(1)
        registers = [cpu.r_reg(Register(n)) & 0xFFFFFFFF for n in range(16)]
        after = np.frombuffer(bytes(memory.r_block(0, SIZE)), np.uint8)
        return registers, cpu.r_sr() & 31, cpu.r_pc() & 0xFFFFFF, after


class Unicorn:
    """Unicorn's 68040: model number 3 (the published constants are one off), SR read by an instruction."""

    def __init__(self) -> None:
        from unicorn import UC_ARCH_M68K, UC_HOOK_INTR, UC_MODE_BIG_ENDIAN, Uc

        self.uc = Uc(UC_ARCH_M68K, UC_MODE_BIG_ENDIAN)
        self.uc.ctl_set_cpu_model(3)
        self.uc.mem_map(0, 1 << 24)
        self.trapped = False
        self.uc.hook_add(UC_HOOK_INTR, self._trap)

    def _trap(self, uc: Any, number: int, _: Any) -> None:
        self.trapped = True
        uc.emu_stop()

    def run(self, begin: Start) -> Result | None:
        """Run the instruction and the MOVE SR behind it; None when it jumped, trapped or is not known there."""
        from unicorn import UcError
        from unicorn import m68k_const as c

        uc = self.uc
        self.trapped = False
        uc.ctl_flush_tb()
        after = begin.pc + len(begin.code)
        memory = bytearray(begin.memory)
        memory[after : after + 6] = b"\x40\xf9" + SR_STORE.to_bytes(4, "big")
        uc.mem_write(0, bytes(memory))
        uc.reg_write(c.UC_M68K_REG_SR, 0x2000 | begin.flags)
        numbers = [c.UC_M68K_REG_D0 + i for i in range(8)] + [c.UC_M68K_REG_A0 + i for i in range(8)]
        for value, number in zip(begin.registers, numbers, strict=True):
            uc.reg_write(number, value)
        try:
            uc.emu_start(begin.pc, after + 6, 0, 4)
        except UcError:
            return None
        if self.trapped or uc.reg_read(c.UC_M68K_REG_PC) != after + 6:
            return None
        result = bytearray(uc.mem_read(0, SIZE))
        flags = int.from_bytes(result[SR_STORE : SR_STORE + 2], "big") & 31
        for at, size in ((SR_STORE, 2), (after, 6)):
            result[at : at + size] = begin.memory[at : at + size]
        return [uc.reg_read(n) & 0xFFFFFFFF for n in numbers], flags, after, np.frombuffer(bytes(result), np.uint8)


def _serve(pipe: Any) -> None:
    unicorn = Unicorn()
    while True:
        pipe.send(unicorn.run(pipe.recv()))


class UnicornProcess:
    """Unicorn in a child process, because some of its faults end the process; it is started again after one."""

    def __init__(self) -> None:
        self.deaths = 0
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, child = context.Pipe()
        self.process = context.Process(target=_serve, args=(child,), daemon=True)
        self.process.start()
        child.close()

    def run(self, begin: Start) -> Result | None:
        try:
            self.pipe.send(begin)
            return self.pipe.recv()
        except (EOFError, ConnectionError):
            self.deaths += 1
            self._start()
            return None


def ccr(core: Core) -> int:
    """Return the condition codes of a core as X N Z V C."""
    return sum(int(core.state[name]) << bit for bit, name in enumerate("cvznx"))


@cache
def peer(name: str) -> Musashi | UnicornProcess:
    """Return "musashi" or "unicorn"; skip where it is not installed."""
    pytest.importorskip({"musashi": "machine68k", "unicorn": "unicorn"}[name], reason=f"{name} is not installed")
    return Musashi() if name == "musashi" else UnicornProcess()


def fresh(core: Core, generator: streams.Generator) -> bytes:
    """Load a random instruction, followed by NOPs, with random registers and data; return its code."""
    words = generator.instruction()
    code = b"".join(w.to_bytes(2, "big") for w in words)
    streams.load(
        core, code + b"\x4e\x71" * 16, generator.data(4096), generator.registers(), generator.random.getrandbits(5)
    )
    core.state["r"][8:15] = [streams.DATA + generator.random.randrange(0x100, 0xE00) for _ in range(7)]
    return code
