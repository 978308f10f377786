"""Emulators that others wrote, each in a process of its own: a fault of theirs cannot take the benchmark with it, and
Musashi's one global core cannot meet another user of it.

    python -m retrosim.study.peers unicorn|musashi MEMORY_FILE

The first line on standard input is a JSON object: loop, loop_end, stack, flags_at, objects, written. Every further line
is a number of checks; the answer is one JSON line: seconds, flags (hex), written (a digest).
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from .workload import STALE, digest

PACKAGES = {"unicorn": "unicorn", "musashi": "machine68k"}
_MEMORY_BYTES = 1 << 24
_SUPERVISOR = 0x2700
_D7 = 7


class Unicorn:
    """Unicorn's 68040, which in release 2.1.4 is model number 3: the published constants are one too high."""

    _MODEL = 3

    def __init__(self, memory: bytes) -> None:
        import unicorn
        from unicorn import m68k_const as names

        self._sr, self._sp, self._d7 = names.UC_M68K_REG_SR, names.UC_M68K_REG_A7, names.UC_M68K_REG_D0 + _D7
        self._uc = unicorn.Uc(unicorn.UC_ARCH_M68K, unicorn.UC_MODE_BIG_ENDIAN)
        self._uc.ctl_set_cpu_model(self._MODEL)
        self._uc.mem_map(0, _MEMORY_BYTES)
        self._uc.mem_write(0, memory)

    def run(self, loop: int, loop_end: int, stack: int, count: int) -> float:
        """Run the loop `count` times; return seconds of processor time."""
        self._uc.reg_write(self._sr, _SUPERVISOR)
        self._uc.reg_write(self._sp, stack)
        self._uc.reg_write(self._d7, count)
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

    def __init__(self, memory: bytes) -> None:
        import machine68k

        self._machine = machine68k.Machine(machine68k.CPUType.M68040, _MEMORY_BYTES // 1024)
        for _ in range(3):  # traps are numbered A000, A001, ... as they are made
            self._machine.traps.alloc(lambda *_: None)
        self._d7 = machine68k.Register(_D7)
        self._machine.cpu.pulse_reset()
        self._machine.cpu.execute(1)
        self._machine.mem.w_block(0, memory)

    def run(self, loop: int, loop_end: int, stack: int, count: int) -> float:
        """Run the loop `count` times; return seconds of processor time."""
        cpu = self._machine.cpu
        cpu.w_sr(_SUPERVISOR)
        cpu.w_sp(stack)
        cpu.w_reg(self._d7, count)
        cpu.w_pc(loop)
        start = time.thread_time()
        while not cpu.execute(self._SLICE).was_trap:
            pass
        return time.thread_time() - start

    def read(self, address: int, size: int) -> bytes:
        return bytes(self._machine.mem.r_block(address, size))

    def write(self, address: int, content: bytes) -> None:
        self._machine.mem.w_block(address, content)


def _answer(peer: Unicorn | Musashi, setup: dict[str, Any], count: int) -> dict[str, Any]:
    peer.write(setup["flags_at"], bytes([STALE]) * setup["objects"])
    seconds = peer.run(setup["loop"], setup["loop_end"], setup["stack"], count)
    flags = peer.read(setup["flags_at"], setup["objects"]).hex()
    return {"seconds": seconds, "flags": flags, "written": digest(peer.read(*part) for part in setup["written"])}


def main(name: str, memory_file: str) -> None:
    """Serve the process that started this one until it closes our input."""
    with open(memory_file, "rb") as file:
        peer = {"unicorn": Unicorn, "musashi": Musashi}[name](file.read())
    setup = json.loads(sys.stdin.readline())
    for line in sys.stdin:
        print(json.dumps(_answer(peer, setup, int(line))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
