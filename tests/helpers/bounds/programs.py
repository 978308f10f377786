"""Small routines written in assembly, and the clocks that calls of them take."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from retrosim.asm import assemble
from retrosim.bounds.search import AREA, RandomCall, fill_caches
from retrosim.errors import RetrosimError
from retrosim.machine import Machine
from retrosim.rom import load_elf
from tests.helpers.study.cost_programs import ADDRESS, write_elf

# machine -> processor of the assembler, ISA of the program, number and byte order of its ELF file
TARGETS = {
    "mc68000-8": ("68000", "m68000", 4, ">"),
    "mc68040-25": ("68040", "m68040", 4, ">"),
    "i386dx-33": ("386", "i386", 3, "<"),
    "i486dx2-66": ("486", "i486", 3, "<"),
    "ppc601-80": ("601", "ppc601", 20, ">"),
}
ROOM = 0x100  # bytes of code from one routine to the next
NUMBERS = (0, 1, 2, 0x80, 0x5555, 0xFFFF, 0x7FFF_FFFF, 0xFFFF_FFFF)
PLACES = (0, 4, 8, 12, 16, 28, 32, 60, 64, 0x400, 0x404, 0x800, 0x1000, 0x2000)  # the last share sets of a cache


def opened(folder: Path, text: str, name: str = "mc68000-8") -> Machine:
    """Return a machine with a routine called `routine`."""
    return opened_all(folder, [text], name)[0]


def opened_all(folder: Path, texts: Sequence[str], name: str = "mc68000-8") -> tuple[Machine, list[int]]:
    """Return a machine with several routines, and where they begin; a semicolon ends a line. The first is `routine`."""
    processor, isa, number, order = TARGETS[name]
    code, addresses = b"", []
    for text in texts:
        addresses.append(ADDRESS + len(code))
        more = assemble(text.replace("; ", "\n"), processor, origins={".text": addresses[-1]}).code
        code += more + bytes(-len(more) % ROOM)
    path = write_elf(folder / "routine.elf", code.hex(), machine=number, order=order, routine=ADDRESS)
    return Machine(name, load_elf(path, isa), engine="evaluate"), addresses


def calls(machine: Machine, routine: int, pointers: str, numbers: str, count: int) -> list[int]:
    """Return the clocks of random calls that returned; registers, memory and what the caches hold differ."""
    chance, core = random.Random(1994), machine.core
    start, clocks = core.state.copy(), []
    for number in range(count):
        core.state[()] = start
        caches = ("empty", "dirty", "mixed", "left")[number % 4]
        fill_caches(core, RandomCall((), b"", caches, chance.getrandbits(16)))
        registers: dict[str, int | str] = {name: AREA + chance.choice(PLACES) for name in pointers.split()}
        registers |= {name: chance.choice(NUMBERS) for name in numbers.split()}
        machine.write(AREA, chance.randbytes(0x40))
        try:
            clocks.append(
                machine.measure(routine, registers=registers, warm=number % 3 % 2, max_instructions=1000).cycles
            )
        except RetrosimError:
            continue
    core.state[()] = start
    return clocks
