"""Programs that do their worst on every processor and engine, in memory between guard pages."""

from __future__ import annotations

import ctypes
import json
import mmap
import random
from functools import cached_property
from random import Random
from typing import Any

import numpy as np

from .mutations import NUMBERS, changed_bytes
from .target import Find, Target

START, SIZE, VECTORS = 0x1000, 1024, 1016
MAX_CLOCKS = 2_000_000
ENGINES = ("interpret", "interpret", "interpret", "evaluate")
RECOMPILED = 0.003  # the share of programs that are compiled as a whole, which takes a second
PLACES = (
    0,
    2,
    0x3FF,
    0x400,
    0x7FFFFE,
    0x800000,
    0x84B000,
    0xEFFFFF,
    0xF00000,
    0xFFFFFC,
    0xFFFFFF,
    0x1000000,
    0x7FFFFFFE,
    0xFFFFFFFF,
)


def guarded_rows(rows: int, size: int) -> np.ndarray:
    """Return zeros uint8[rows, size], each row ending right before a page that nobody may touch."""
    page = mmap.PAGESIZE
    pitch = -(-size // page) * page + page
    memory = mmap.mmap(-1, page + rows * pitch)
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    for place in range(0, page + rows * pitch, pitch):
        if protect(ctypes.c_void_p(base + place), ctypes.c_size_t(page), 0):
            raise OSError(ctypes.get_errno(), "mprotect failed")
    everything = np.frombuffer(memory, np.uint8)
    first = pitch - size
    return np.lib.stride_tricks.as_strided(everything[first:], (rows, size), (pitch, 1))


class _NumPy:
    """NumPy, but for the memory of a core."""

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def zeros(self, shape: Any, dtype: Any = float) -> np.ndarray:
        return guarded_rows(*shape) if isinstance(shape, tuple) and len(shape) == 2 else np.zeros(shape, dtype)


class Guest(Target):
    name, about, ci_inputs = "guest", "guest programs on every processor and engine, between guard pages", 30

    @cached_property
    def programs(self) -> dict[str, bytes]:
        """The code of a shipped program for each machine."""
        from retrosim.machine import PRESETS
        from retrosim.rom import load_rom

        rom = load_rom("sectors")
        isas = {info.isa for info in rom.images}
        return {name: rom.image(each.isa).segments[0][1] for name, each in PRESETS.items() if each.isa in isas}

    @cached_property
    def machines(self) -> dict[tuple[str, str], Any]:
        return {}

    def make(self, chance: Random) -> bytes:
        name = chance.choice(list(self.programs))
        code = self.programs[name]
        at = chance.randrange(max(1, len(code) - SIZE)) & ~3
        piece = bytearray(code[at : at + SIZE])
        share = chance.choice((0.0, 0.002, 0.02, 0.2, 1.0))  # how much of it is noise
        for place in range(len(piece)):
            if chance.random() < share:
                piece[place] = chance.getrandbits(8)
        code = bytes(piece) if chance.random() < 0.5 else changed_bytes(chance, bytes(piece))
        return json.dumps(
            {
                "machine": name,
                "engine": "recompile" if chance.random() < RECOMPILED else chance.choice(ENGINES),
                "code": code[:SIZE].hex(),
                "vectors": chance.randbytes(VECTORS).hex() if chance.random() < 0.3 else "",
                "entry": START + (chance.randrange(SIZE) & ~3 if chance.random() < 0.7 else 0),
                "seed": chance.getrandbits(32),
                "instructions": chance.choice((20, 100, 100, 500)),
            }
        ).encode()

    def is_limited(self, accepted: bool) -> bool:
        return False  # handlers and regions are compiled on the way

    def attempt(self, data: bytes) -> bool:
        from retrosim.errors import CpuFault

        given = json.loads(data)
        machine = self._machine(given)
        machine.reset()
        machine.write(0, bytes.fromhex(given["vectors"]))
        chance = random.Random(given["seed"])
        for name in list(machine.regs):
            if name != "pc" and chance.random() < 0.7:
                value = chance.choice((chance.choice(PLACES), chance.choice(NUMBERS[:30]), chance.getrandbits(32)))
                try:
                    machine.regs[name] = value
                except ValueError:  # a narrow register
                    continue
        result = machine.run(instructions=given["instructions"], cycles=MAX_CLOCKS)
        if result.fault is not None and not isinstance(result.fault, CpuFault):
            raise Find(f"{given['machine']}: a fault that is a {type(result.fault).__name__}")
        if result.instructions > given["instructions"] or int(machine.core.state["pc"]) >> 24:
            raise Find(f"{given['machine']}: more instructions than allowed, or an address of more than 24 bits")
        self._check(machine.core, given["machine"])
        return result.fault is None

    def _machine(self, given: dict[str, Any]) -> Any:
        """Return a machine with this program: kept ones are given another, recompiled ones are made anew."""
        from retrosim.cpu.engines import core
        from retrosim.machine import Machine
        from retrosim.machine.presets import preset
        from retrosim.rom import Image, Symbol
        from retrosim.rom.lines import LineTable
        from retrosim.rom.symbols import SymbolTable
        from tests.helpers.machine.programs import complete

        name, engine = given["machine"], given["engine"]
        table = SymbolTable({"_start": Symbol(given["entry"], 4, "function")})
        code = bytes.fromhex(given["code"]) or b"\0"
        image = Image(preset(name).isa, "", given["entry"], [(START, code)], [], "0" * 64, table, LineTable([], []))
        core.np = _NumPy()
        try:
            if engine == "recompile":
                return Machine(name, image, engine=engine, timing="off")
            if (name, engine) not in self.machines:
                self.machines[name, engine] = complete(name, image, engine=engine, timing="off")
        finally:
            core.np = np
        machine = self.machines[name, engine]
        machine.image = image
        return machine

    @staticmethod
    def _check(core: Any, name: str) -> None:
        """Check the bytes between the page in front and the first of memory, which nobody has a reason to write."""
        base = core.ram.base if core.ram.base is not None else core.ram
        pitch = base.strides[0] if base.ndim == 2 else 0
        if not pitch:
            return
        slack = pitch - mmap.PAGESIZE - base.shape[1]
        address = base.__array_interface__["data"][0]
        for row in range(base.shape[0]):
            if any(ctypes.string_at(address + row * pitch - slack, slack)):
                raise Find(f"{name}: something was written in front of memory")


GUESTS = (Guest(),)
