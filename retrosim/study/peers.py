"""Emulators that others wrote, each in a process of its own: a fault of theirs cannot take the benchmark with it, and
Musashi's one global core cannot meet another user of it.

    python -m retrosim.study.peers unicorn|musashi MEMORY_FILE

The first line on standard input is the ISA, as JSON. Every further line is a JSON object: count, and the fields of a
Job; the answer is one JSON line: seconds, result (hex), written (a digest).
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from .workload import STALE, digest

PACKAGES = {"unicorn": "unicorn", "musashi": "machine68k"}
_MEMORY_BYTES = 1 << 24
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
        self._number = lambda register: getattr(constants, f"UC_{name}_REG_{register.upper().removeprefix(prefix)}")
        self._uc = unicorn.Uc(getattr(unicorn, f"UC_ARCH_{name}"), sum(getattr(unicorn, f"UC_MODE_{m}") for m in modes))
        self._uc.ctl_set_cpu_model(model if isinstance(model, int) else getattr(constants, model))
        self._uc.mem_map(0, _MEMORY_BYTES)
        self._uc.mem_write(0, memory)

    def run(self, loop: int, loop_end: int, registers: dict[str, int]) -> float:
        """Run the loop; return seconds of processor time."""
        for name, value in registers.items():
            self._uc.reg_write(self._number(name), value)
        start = time.thread_time()
        self._uc.emu_start(loop, loop_end)
        return time.thread_time() - start

    def read(self, address: int, size: int) -> bytes:
        return bytes(self._uc.mem_read(address, size))

    def write(self, address: int, content: bytes) -> None:
        self._uc.mem_write(address, content)


class Musashi:
    """Musashi's 68040 in the package machine68k; the A-line word at the loop's end is a trap that stops it."""

    _SLICE = 100_000_000  # clocks at a time

    def __init__(self, isa: str, memory: bytes) -> None:
        import machine68k

        self._machine = machine68k.Machine(machine68k.CPUType.M68040, _MEMORY_BYTES // 1024)
        for _ in range(3):  # traps are numbered A000, A001, ... as they are made
            self._machine.traps.alloc(lambda *_: None)
        self._machine.cpu.pulse_reset()
        self._machine.cpu.execute(1)
        self._machine.mem.w_block(0, memory)

    def run(self, loop: int, loop_end: int, registers: dict[str, int]) -> float:
        """Run the loop; return seconds of processor time."""
        import machine68k

        cpu = self._machine.cpu
        for name, value in registers.items():
            cpu.w_reg(getattr(machine68k.Register, name.upper()), value)
        cpu.w_pc(loop)
        start = time.thread_time()
        while not cpu.execute(self._SLICE).was_trap:
            pass
        return time.thread_time() - start

    def read(self, address: int, size: int) -> bytes:
        return bytes(self._machine.mem.r_block(address, size))

    def write(self, address: int, content: bytes) -> None:
        self._machine.mem.w_block(address, content)


def runs(name: str, isa: str) -> bool:
    """Tell whether a peer runs the code of an ISA."""
    return isa in _UNICORNS if name == "unicorn" else isa.startswith("m68")


def _answer(peer: Unicorn | Musashi, job: dict[str, Any]) -> dict[str, Any]:
    address, size = job["result"]
    peer.write(address, bytes([STALE]) * size)
    seconds = peer.run(job["start"], job["end"], job["registers"] | {job["counter"]: job["count"]})
    result = peer.read(address, size).hex()
    return {"seconds": seconds, "result": result, "written": digest(peer.read(*part) for part in job["written"])}


def main(name: str, memory_file: str) -> None:
    """Serve the process that started this one until it closes our input."""
    isa = json.loads(sys.stdin.readline())
    with open(memory_file, "rb") as file:
        peer = {"unicorn": Unicorn, "musashi": Musashi}[name](isa, file.read())
    for line in sys.stdin:
        print(json.dumps(_answer(peer, json.loads(line))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
