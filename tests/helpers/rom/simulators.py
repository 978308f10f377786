"""Simulators that others wrote, with one face: load an image, call its functions, serve its services."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest

from retrosim.rom import Image, WorldColumn

MEMORY = 1 << 24
STACK = 0x100000
RETURN = 0x000500  # outside every image; holds the trap that ends a call
SCREEN = 0x800000
WIDTH, HEIGHT = 640, 480
PAD, PARAMETERS = 0xF00400, 0xF00420
YIELD_FRAME, MICROSECONDS, EXIT, RETURNED, EXCEPTION = range(5)  # services, our own end of a call, and of exceptions
VECTORS = range(8, 64, 4)  # bus error to the reserved ones
HANDLER = 0x000502


def object_rows(isa: str) -> str:
    """Return the layout of an object for `struct`, without byte order: corner, of 32 bits on the PowerPC, two links."""
    return "iiII" if isa == "ppc601" else "hhII"


class Simulator:
    """What all have: memory as bytes and the C calling convention.

    order   of the bytes of a word, as `struct` writes it
    """

    trap = staticmethod(lambda number: struct.pack(">H", 0xA000 | number))
    """-> the instruction that asks for a service"""

    def __init__(self, image: Image) -> None:
        self.image = image
        self.order = {"big": ">", "little": "<"}[image.byte_order]
        self.write(RETURN, self.trap(RETURNED))
        for address, content in image.segments:
            self.write(address, content)

    def address(self, name: str) -> int:
        return self.image.symbols[name].address

    def word(self, name: str) -> int:
        return struct.unpack(self.order + "I", self.read(self.address(name), 4))[0]

    def call(self, name: str, *arguments: int) -> None:
        """Call a C function and return when it does."""
        stack = [RETURN, *(argument & 0xFFFFFFFF for argument in arguments)]
        sp = STACK - 4 * len(stack)
        self.write(sp, struct.pack(f"{self.order}{len(stack)}I", *stack))
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

    def to_service(self, limit: int = 1_000_000) -> int:
        """Run to the next service and return its number; fail after `most` slices of 10 000 clocks."""
        for _ in range(limit):
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


class Trapping(Simulator):
    """Unicorn, stopped by the interrupts that its services are."""

    _uc: Any
    _data: tuple[int, int]  # registers of the low and the high half of a result
    _pc: int
    _sp: int
    _service: int | None = None

    def read(self, address: int, size: int) -> bytes:
        return bytes(self._uc.mem_read(address, size))

    def write(self, address: int, content: bytes) -> None:
        self._uc.mem_write(address, content)

    def start(self, pc: int, sp: int) -> None:
        self._uc.reg_write(self._pc, pc)
        self._uc.reg_write(self._sp, sp)
        assert self.to_service() == RETURNED

    def count_instructions(self, name: str) -> int:
        """Call a function without arguments and count its instructions, the return included."""
        from unicorn import UC_HOOK_CODE

        executed = []
        hook = self._uc.hook_add(UC_HOOK_CODE, lambda uc, address, size, _: executed.append(address))
        self._uc.ctl_flush_tb()  # code translated before has no hook
        self.call(name)
        self._uc.hook_del(hook)
        return executed.index(RETURN)

    def power_on(self, mode: int, count: int, seed: int) -> None:
        """Hand over the parameters and go to the entry point; `to_service` runs on from there."""
        self.write(PARAMETERS, struct.pack(f"{self.order}3I", mode, count, seed))
        self._uc.reg_write(self._pc, self.image.entry)
        self._uc.reg_write(self._sp, STACK)

    def to_service(self) -> int:
        """Run to the next service and return its number."""
        self._service = None
        self._uc.emu_start(self._uc.reg_read(self._pc), MEMORY)
        assert self._service is not None, "the program calls no service"
        return self._service

    def data(self, number: int, value: int | None = None) -> int:
        """Write half `number` of a result if a value is given; return what it holds."""
        if value is not None:
            self._uc.reg_write(self._data[number], value)
        return self._uc.reg_read(self._data[number]) & 0xFFFFFFFF


class UnicornPPC(Trapping):
    """Unicorn's PowerPC 601; a service leaves the program counter at its `sc`."""

    trap = staticmethod(lambda number: struct.pack(">2I", 0x38000000 | number, 0x44000002))  # li r0,number; sc

    def __init__(self, image: Image) -> None:
        unicorn = pytest.importorskip("unicorn", reason="unicorn is not installed")
        from unicorn import ppc_const as names

        self._uc = unicorn.Uc(unicorn.UC_ARCH_PPC, unicorn.UC_MODE_PPC32 | unicorn.UC_MODE_BIG_ENDIAN)
        self._uc.ctl_set_cpu_model(names.UC_CPU_PPC32_601_V2)
        self._uc.mem_map(0, MEMORY)
        self._r = [names.UC_PPC_REG_0 + number for number in range(32)]
        self._data, self._pc, self._sp, self._lr = self._r[3:5], names.UC_PPC_REG_PC, self._r[1], names.UC_PPC_REG_LR
        self._uc.hook_add(unicorn.UC_HOOK_INTR, self._interrupt)
        if "TOC" in image.symbols:  # where the period builds' globals are found from
            self._uc.reg_write(self._r[2], image.symbols["TOC"].address)
        super().__init__(image)

    def _interrupt(self, uc: Any, number: int, _: Any) -> None:
        self._service = uc.reg_read(self._r[0])
        uc.emu_stop()

    def call(self, name: str, *arguments: int) -> None:
        for register, argument in zip(self._r[3:11], arguments):
            self._uc.reg_write(register, argument & 0xFFFFFFFF)
        self._uc.reg_write(self._lr, RETURN)
        self.start(self.address(name), STACK - 16)

    def power_on(self, mode: int, count: int, seed: int) -> None:
        super().power_on(mode, count, seed)
        self._uc.reg_write(self._sp, STACK - 16)


class UnicornX86(Trapping):
    """Unicorn's 486 in flat 32-bit mode."""

    trap = staticmethod(lambda number: bytes((0xCD, 0x60 + number)))

    def __init__(self, image: Image) -> None:
        unicorn = pytest.importorskip("unicorn", reason="unicorn is not installed")
        from unicorn import x86_const

        self._uc = unicorn.Uc(unicorn.UC_ARCH_X86, unicorn.UC_MODE_32)
        self._uc.ctl_set_cpu_model(x86_const.UC_CPU_X86_486)
        self._uc.mem_map(0, MEMORY)
        self._data = (x86_const.UC_X86_REG_EAX, x86_const.UC_X86_REG_EDX)  # low and high half of a result
        self._pc, self._sp = x86_const.UC_X86_REG_EIP, x86_const.UC_X86_REG_ESP
        self._uc.hook_add(unicorn.UC_HOOK_INTR, self._interrupt)
        super().__init__(image)

    def _interrupt(self, uc: Any, number: int, _: Any) -> None:
        self._service = number - 0x60
        uc.emu_stop()


JUDGES: dict[str, tuple[type[Simulator], ...]] = {
    "m68040": (Musashi, Unicorn),
    "m68000": (Musashi, Unicorn),
    "i386": (UnicornX86,),
    "i486": (UnicornX86,),
    "ppc601": (UnicornPPC,),
}


def judge(image: Image) -> Any:
    """Return the first judge of an image's ISA, which serves services too."""
    return JUDGES[image.isa][0](image)


def screen_of(machine: Simulator) -> np.ndarray:
    """Return uint8[480, 640], what is on the screen."""
    return np.frombuffer(machine.read(SCREEN, WIDTH * HEIGHT), np.uint8).reshape(HEIGHT, WIDTH)


def world_of(machine: Simulator, rom_world: list[WorldColumn]) -> dict[str, list[int]]:
    """Read the world as the manifest describes it."""
    codes = {"u8": "B", "s16": "h", "u16": "H", "s32": "i", "u32": "I"}
    columns = {}
    for column in rom_world:
        count = 1 if column.count == "1" else machine.word(column.count)
        start = machine.address(column.symbol) + column.offset
        content = machine.read(start, column.stride * count)
        code = machine.order + codes[column.type]
        columns[column.name] = [struct.unpack_from(code, content, i * column.stride)[0] for i in range(count)]
    return columns
