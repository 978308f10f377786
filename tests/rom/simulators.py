"""Two simulators that others wrote, with one face: load an image, call its functions, serve its services."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from retrosim.rom import Image

MEMORY = 1 << 24
STACK = 0x100000
RETURN = 0x000500  # outside every image; holds the trap that ends a call
SCREEN = 0x800000
PAD, PARAMETERS = 0xF00400, 0xF00420
YIELD_FRAME, MICROSECONDS, EXIT, RETURNED, EXCEPTION = range(5)  # services, our own end of a call, and of exceptions
VECTORS = range(8, 64, 4)  # bus error to the reserved ones
HANDLER = 0x000502


class Simulator:
    """What both have: memory as bytes and the C calling convention."""

    def __init__(self, image: Image) -> None:
        self.image = image
        self.write(RETURN, struct.pack(">H", 0xA000 | RETURNED))
        for address, content in image.segments:
            self.write(address, content)

    def address(self, name: str) -> int:
        return self.image.symbols[name].address

    def word(self, name: str) -> int:
        return struct.unpack(">I", self.read(self.address(name), 4))[0]

    def call(self, name: str, *arguments: int) -> None:
        """Call a C function and return when it does."""
        stack = [RETURN, *(argument & 0xFFFFFFFF for argument in arguments)]
        sp = STACK - 4 * len(stack)
        self.write(sp, struct.pack(f">{len(stack)}I", *stack))
        self.start(self.address(name), sp)


_open: dict[str, Any] = {}


def musashi_machine(isa: str = "m68040") -> Any:
    """Return a Musashi of a model: its core is global, so the one of another model is closed."""
    machine68k = pytest.importorskip("machine68k", reason="machine68k (Musashi) is not installed")
    if isa not in _open:
        for other in list(_open):
            _open.pop(other).cleanup()
        model = {"m68000": machine68k.CPUType.M68000, "m68040": machine68k.CPUType.M68040}[isa]
        machine = _open[isa] = machine68k.Machine(model, MEMORY // 1024)
        for _ in range(5):  # the numbers of the traps are 0xA000 and up, in this order
            machine.traps.alloc(lambda *_: None)
        machine.cpu.pulse_reset()
        machine.cpu.execute(1)
    return _open[isa]


class Musashi(Simulator):
    """Musashi's 68000 or 68040, as the package machine68k has it; only the latest one may be used."""

    def __init__(self, image: Image) -> None:
        self._machine = musashi_machine(image.isa)
        self._machine.mem.w_block(0, bytes(MEMORY))
        super().__init__(image)
        for vector in VECTORS:
            self.write(vector, struct.pack(">I", HANDLER))
        self.write(HANDLER, struct.pack(">H", 0xA000 | EXCEPTION))

    def read(self, address: int, size: int) -> bytes:
        return bytes(self._machine.mem.r_block(address, size))

    def write(self, address: int, content: bytes) -> None:
        self._machine.mem.w_block(address, content)

    def start(self, pc: int, sp: int) -> None:
        self._set(pc, sp)
        assert self.to_service() == RETURNED

    def count_instructions(self, name: str) -> int:
        """Call a function without arguments and count its instructions, the return included."""
        cpu = self._machine.cpu
        self.write(STACK - 4, struct.pack(">I", RETURN))
        self._set(self.address(name), STACK - 4)
        count = 0
        while cpu.r_pc() != RETURN:
            cpu.execute(1)
            count += 1
        return count

    def power_on(self, mode: int, count: int, seed: int) -> None:
        """Hand over the parameters and go to the entry point; `to_service` runs on from there."""
        self.write(PARAMETERS, struct.pack(">3I", mode, count, seed))
        self._set(self.image.entry, STACK)

    def _set(self, pc: int, sp: int) -> None:
        from machine68k import Register

        self._machine.cpu.w_sr(0x2700)
        self._machine.cpu.w_reg(Register.A5, 0)  # where the period builds' globals are counted from
        self._machine.cpu.w_sp(sp)
        self._machine.cpu.w_pc(pc)

    def to_service(self, most: int = 1_000_000) -> int:
        """Run to the next service and return its number; fail after `most` slices of 10 000 clocks."""
        for _ in range(most):
            if self._machine.cpu.execute(10_000).was_trap:
                return self._machine.mem.r16(self._machine.cpu.r_pc() - 2) & 0xFFF
        raise AssertionError("the program calls no service")

    def data(self, number: int, value: int | None = None) -> int:
        """Write register Dn if a value is given; return what it holds."""
        from machine68k import Register

        if value is not None:
            self._machine.cpu.w_reg(Register(number), value)
        return self._machine.cpu.r_reg(Register(number)) & 0xFFFFFFFF


class Unicorn(Simulator):
    """Unicorn's 68000 or 68040. Its constants for the models are one too high in 2.1.4: 0 and 3 select these."""

    def __init__(self, image: Image) -> None:
        unicorn = pytest.importorskip("unicorn", reason="unicorn is not installed")
        from unicorn import m68k_const

        self._registers = m68k_const
        self._uc = unicorn.Uc(unicorn.UC_ARCH_M68K, unicorn.UC_MODE_BIG_ENDIAN)
        self._uc.ctl_set_cpu_model({"m68000": 0, "m68040": 3}[image.isa])
        self._uc.mem_map(0, MEMORY)
        super().__init__(image)

    def read(self, address: int, size: int) -> bytes:
        return bytes(self._uc.mem_read(address, size))

    def write(self, address: int, content: bytes) -> None:
        self._uc.mem_write(address, content)

    def start(self, pc: int, sp: int) -> None:
        self._uc.reg_write(self._registers.UC_M68K_REG_SR, 0x2700)
        self._uc.reg_write(self._registers.UC_M68K_REG_A7, sp)
        self._uc.emu_start(pc, RETURN)
        assert self._uc.reg_read(self._registers.UC_M68K_REG_PC) == RETURN
