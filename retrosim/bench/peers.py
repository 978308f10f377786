"""Emulators that others wrote, each in a process of its own: a fault of theirs cannot take the benchmark with it, and
Musashi's one global core cannot meet another user of it.

    python -m retrosim.bench.peers unicorn|musashi MEMORY_FILE

The first line on standard input is the ISA, as JSON. Every further line is a JSON object: count, and the fields of a
Job or of a Whole; the answer is one JSON line: seconds, result (hex), written (a digest, None of a whole program).
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

from retrosim.machine.console import MAX_BYTES
from retrosim.machine.memory import EXIT, MICROSECONDS, WRITE_TEXT, YIELD_FRAME

from .workload import STALE, digest

# The services of a machine for a program that is measured: every contender gives it the same answers.
#
# The clock that it reads moves on by a second each time, and text is kept, not drawn. So it ends in every emulator with
# the same text, and what a picture takes is nobody's time.

STEP = 1_000_000  # microseconds that pass between two readings of the clock
SERVICES = YIELD_FRAME, MICROSECONDS, EXIT, WRITE_TEXT


class Services:
    """What a program has asked for since it began.

    read, write  a register by its name
    memory       address, size -> bytes
    result       names of the registers of a result, and of its upper half
    """

    def __init__(
        self,
        read: Callable[[str], int],
        write: Callable[[str, int], object],
        memory: Callable[[int, int], bytes],
        result: tuple[str, str],
    ) -> None:
        self._read, self._write, self._memory, self._result = read, write, memory, result
        self._readings = 0
        self._text = bytearray()

    def serve(self, number: int) -> bool:
        """Perform a service; return whether it ends the program. Errors: ValueError for another one."""
        if number not in SERVICES:
            raise ValueError(f"service {number}: allowed {YIELD_FRAME}..{WRITE_TEXT}")
        low, high = self._result
        if number == MICROSECONDS:
            self._readings += 1
            self._write(low, self._readings * STEP & 0xFFFFFFFF)
            self._write(high, self._readings * STEP >> 32)
        elif number == WRITE_TEXT:
            self._text += self._memory(self._read(low), min(self._read(high), MAX_BYTES))
        return number == EXIT

    def outcome(self) -> bytes:
        """Return the exit status, 4 bytes, and all that was written."""
        return self._read(self._result[0]).to_bytes(4, "big") + self._text


PACKAGES = {"unicorn": "unicorn", "musashi": "machine68k"}
_MEMORY_BYTES = 1 << 24
_NEVER = _MEMORY_BYTES - 2  # an address that no program reaches
_LINE_A, _INT, _SYSTEM_CALL = 10, 0x60, 8  # Unicorn's numbers of the exceptions that ask for services
# ISA of a ROM image -> Unicorn's architecture, modes, CPU model and what its register constants begin with. Its least
# x86 is a 486. The 68040 is model number 3 in release 2.1.4: the published constants are one too high.
_68K = ("M68K", ("BIG_ENDIAN",), 3, "")
_486 = ("X86", ("32",), "UC_CPU_X86_486", "")
_UNICORNS = {
    "m68000": _68K,
    "m68040": _68K,
    "i386": _486,
    "i486": _486,
    "ppc601": ("PPC", ("PPC32", "BIG_ENDIAN"), "UC_CPU_PPC32_601_V1", "R"),
}


class Unicorn:
    """Unicorn's CPU for the code of an ISA."""

    def __init__(self, isa: str, memory: bytes) -> None:
        import importlib

        import unicorn

        name, modes, model, prefix = _UNICORNS[isa]
        constants = importlib.import_module(f"unicorn.{name.lower()}_const")
        self._number: Callable[[str], int] = lambda register: getattr(
            constants, f"UC_{name}_REG_{register.upper().removeprefix(prefix)}"
        )
        self._uc = unicorn.Uc(getattr(unicorn, f"UC_ARCH_{name}"), sum(getattr(unicorn, f"UC_MODE_{m}") for m in modes))
        self._uc.ctl_set_cpu_model(model if isinstance(model, int) else getattr(constants, str(model)))
        self._uc.mem_map(0, _MEMORY_BYTES)
        self._uc.mem_write(0, memory)
        self._isa, self._wrong = isa, ""
        self._services: Services | None = None
        self._uc.hook_add(unicorn.UC_HOOK_INTR, self._interrupted)

    def run(self, loop: int, loop_end: int, registers: dict[str, int]) -> float:
        """Run the loop; return seconds of processor time."""
        for name, value in registers.items():
            self.set_register(name, value)
        start = time.thread_time()
        self._uc.emu_start(loop, loop_end)
        return time.thread_time() - start

    def run_program(self, entry: int, services: Services) -> float:
        """Run from an entry to the program's exit; return seconds of processor time."""
        self._services = services
        start = time.thread_time()
        self._uc.emu_start(entry, _NEVER)
        if self._wrong:
            raise RuntimeError(self._wrong)
        return time.thread_time() - start

    def _interrupted(self, uc: Any, number: int, _: Any) -> None:
        pc = self.register("pc") if self._isa.startswith("m68") else 0
        try:
            if pc and number == _LINE_A:
                self.set_register("pc", pc + 2)
                number = int.from_bytes(self.read(pc, 2), "big") & 0xFFF
            elif number == _SYSTEM_CALL and self._isa == "ppc601":
                number = self.register("r0")
            else:
                number -= _INT
            if self._services is not None and self._services.serve(number):
                uc.emu_stop()
        except ValueError as error:
            self._wrong = str(error)
            uc.emu_stop()

    def register(self, name: str) -> int:
        return self._uc.reg_read(self._number(name))

    def set_register(self, name: str, value: int) -> None:
        self._uc.reg_write(self._number(name), value)

    def read(self, address: int, size: int) -> bytes:
        return bytes(self._uc.mem_read(address, size))

    def write(self, address: int, content: bytes) -> None:
        self._uc.mem_write(address, content)


class Musashi:
    """Musashi's 68040 in the package machine68k; the A-line word at the loop's end is a trap that stops it."""

    _SLICE = 100_000_000  # clocks at a time

    def __init__(self, isa: str, memory: bytes) -> None:
        import machine68k

        self._number = lambda name: getattr(machine68k.Register, name.upper())
        self._machine = machine68k.Machine(machine68k.CPUType.M68040, _MEMORY_BYTES // 1024)
        for _ in range(4):  # traps are numbered A000, A001, ... as they are made
            self._machine.traps.alloc(lambda *_: None)
        self._machine.cpu.pulse_reset()
        self._machine.cpu.execute(1)
        self._machine.mem.w_block(0, memory)

    def run(self, loop: int, loop_end: int, registers: dict[str, int]) -> float:
        """Run the loop; return seconds of processor time."""
        cpu = self._machine.cpu
        for name, value in registers.items():
            self.set_register(name, value)
        cpu.w_pc(loop)
        start = time.thread_time()
        while not cpu.execute(self._SLICE).was_trap:
            pass
        return time.thread_time() - start

    def run_program(self, entry: int, services: Services) -> float:
        """Run from an entry to the program's exit; return seconds of processor time."""
        cpu, is_over = self._machine.cpu, False
        cpu.w_pc(entry)
        start = time.thread_time()
        while not is_over:
            if cpu.execute(self._SLICE).was_trap:
                is_over = services.serve(int.from_bytes(self.read(cpu.r_pc() - 2, 2), "big") & 0xFFF)
        return time.thread_time() - start

    def register(self, name: str) -> int:
        return self._machine.cpu.r_reg(self._number(name))

    def set_register(self, name: str, value: int) -> None:
        self._machine.cpu.w_reg(self._number(name), value)

    def read(self, address: int, size: int) -> bytes:
        return bytes(self._machine.mem.r_block(address, size))

    def write(self, address: int, content: bytes) -> None:
        self._machine.mem.w_block(address, content)


def runs(name: str, isa: str) -> bool:
    """Tell whether a peer runs the code of an ISA."""
    return isa in _UNICORNS if name == "unicorn" else isa.startswith("m68")


def _answer(peer: Unicorn | Musashi, memory: bytes, job: dict[str, Any]) -> dict[str, Any]:
    if "entry" in job:
        return _whole(peer, memory, job)
    address, size = job["result"]
    peer.write(address, bytes([STALE]) * size)
    seconds = peer.run(job["start"], job["end"], job["registers"] | {job["counter"]: job["count"]})
    result = peer.read(address, size).hex()
    return {"seconds": seconds, "result": result, "written": digest(peer.read(*part) for part in job["written"])}


def _whole(peer: Unicorn | Musashi, memory: bytes, job: dict[str, Any]) -> dict[str, Any]:
    """Run a program from its entry to its exit, so many times."""
    seconds, outcome = 0.0, b""
    for _ in range(job["count"]):
        peer.write(0, memory)
        for name, value in job["registers"].items():
            peer.set_register(name, value)
        services = Services(peer.register, peer.set_register, peer.read, job["result"])
        seconds += peer.run_program(job["entry"], services)
        outcome = services.outcome()
    return {"seconds": seconds, "result": outcome.hex(), "written": None}


def main(name: str, memory_file: str) -> None:
    """Serve the process that started this one until it closes our input."""
    isa = json.loads(sys.stdin.readline())
    with open(memory_file, "rb") as file:
        memory = file.read()
    emulators: dict[str, type[Unicorn] | type[Musashi]] = {"unicorn": Unicorn, "musashi": Musashi}
    peer = emulators[name](isa, memory)
    for line in sys.stdin:
        print(json.dumps(_answer(peer, memory, json.loads(line))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
