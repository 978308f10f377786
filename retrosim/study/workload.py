"""What the benchmark repeats: complete checks of one scene, by the same machine code in every emulator.

The ROM's harness runs up to its first check, so that its own code has placed the objects. Then a loop is put into free
memory, and that memory is what every emulator gets, with the registers of LOOPS: it calls the routine, and counts down
in a register that C functions preserve. On the 68K:

    200000  4eb9 00001c56   jsr     DetermineCollisions
    200006  5387            subq.l  #1,d7
    200008  66f6            bne     200000
    20000A  a002            service exit         never executed: emulators stop before it
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from retrosim.collide.scenes import random_scene
from retrosim.machine import Machine, open_machine
from retrosim.machine.result import WARM_CALLS
from retrosim.rom import Rom

from .exact import flags_of

LOOP = 0x200000
SIDE = 30  # pixels, of the objects
ROUTINE = "DetermineCollisions"
FLAGS = "gCollisionArray"
_WRITTEN = ("gObjects", "gSectorArray", FLAGS)
STALE = 0xAA  # what flags hold before a run, so that one which does nothing is found out


@dataclass(frozen=True)
class Loop:
    """The loop in the code of a CPU.

    code     address of the routine -> the loop, up to where it is left
    exit     the instruction behind it
    counter  register that is counted down
    needs    registers that the routine relies on, in the order to set them
    """

    code: Callable[[int], bytes]
    exit: bytes
    counter: str
    needs: tuple[str, ...]


def _m68k(entry: int) -> bytes:
    return b"\x4e\xb9" + entry.to_bytes(4, "big") + b"\x53\x87\x66\xf6"


def _x86(entry: int) -> bytes:
    """call routine; dec edi; jnz"""
    return b"\xe8" + (entry - LOOP - 5).to_bytes(4, "little", signed=True) + b"\x4f\x75\xf8"


def _ppc(entry: int) -> bytes:
    """bl routine; addic. r31,r31,-1; bne"""
    call = 0x48000001 | entry - LOOP & 0x3FFFFFC
    return b"".join(word.to_bytes(4, "big") for word in (call, 0x37FFFFFF, 0x4082FFF8))


LOOPS = {
    **dict.fromkeys(("m68000", "m68040"), Loop(_m68k, b"\xa0\x02", "d7", ("sr", "a7"))),
    **dict.fromkeys(("i386", "i486"), Loop(_x86, b"\xcd\x62", "edi", ("esp",))),
    "ppc601": Loop(_ppc, b"\x44\0\0\x02", "r31", ("r1", "r2", "r13")),
}
"""ISA of a ROM image -> the loop."""


@dataclass(frozen=True)
class Workload:
    """One scene in one build of the ROM.

    machine, isa, build, objects, seed
    clock_hz      of the machine
    memory        16 MiB, the loop in place
    loop_end      address behind the loop
    registers     name -> value that the routine relies on
    flags_at      address of the collision flags, one byte per object
    written       (address, size) of all that the routine writes
    x, y          int16[objects], pixels
    flags         bytes[objects], what must come out, by the exact test in plain Python
    after         digest of the written memory after any number of checks
    instructions, cycles  of one check, on the machine with its full timing, after as many others as `prepare` was told
    """

    machine: str
    isa: str
    build: str
    objects: int
    seed: int
    clock_hz: int
    memory: bytes
    loop_end: int
    registers: dict[str, int]
    flags_at: int
    written: tuple[tuple[int, int], ...]
    x: np.ndarray
    y: np.ndarray
    flags: bytes
    after: str
    instructions: int
    cycles: int


def digest(parts: Iterable[bytes]) -> str:
    """Return 16 hex digits for the contents of some stretches of memory."""
    return hashlib.blake2b(b"".join(parts), digest_size=8).hexdigest()


def open_at_first_check(name: str, rom: Rom, build: str, objects: int, seed: int, **options: str) -> Machine:
    """Return a machine about to call the routine for the first time, with the loop in its memory.

    options  engine and timing, as for a Machine
    """
    parameters = {"objects": objects, "seed": seed}
    machine = open_machine(name, rom, build=build, mode="harness", parameters=parameters, **options)
    machine.run(until=ROUTINE)
    loop = LOOPS[machine.image.isa]
    machine.write(LOOP, loop.code(machine.address(ROUTINE)) + loop.exit)
    return machine


def prepare(name: str, rom: Rom, build: str, objects: int, seed: int, warm: int = WARM_CALLS) -> Workload:
    """Prepare a scene.

    name     of a preset
    objects  1..200
    seed     0..2**32-1
    warm     checks before the one whose clocks count
    Errors   ValueError, RomError
    """
    if not 1 <= objects <= 200:
        raise ValueError(f"objects {objects}: allowed 1..200")
    machine = open_at_first_check(name, rom, build, objects, seed)
    memory, loop = machine.mem.tobytes(), LOOPS[machine.image.isa]
    registers = {register: machine.regs[register] for register in loop.needs}
    cost = machine.measure(ROUTINE, warm=warm)
    x, y = random_scene(objects, seed)
    symbols = [machine.image.symbols[symbol] for symbol in _WRITTEN]
    written = tuple((symbol.address, symbol.size) for symbol in symbols)
    return Workload(
        machine=name,
        isa=machine.image.isa,
        build=build,
        objects=objects,
        seed=seed,
        clock_hz=machine.clock_hz,
        memory=memory,
        loop_end=LOOP + len(loop.code(machine.address(ROUTINE))),
        registers=registers,
        flags_at=machine.address(FLAGS),
        written=written,
        x=x,
        y=y,
        flags=bytes(flags_of([(a, b, SIDE, SIDE) for a, b in zip(x.tolist(), y.tolist())])),
        after=digest(machine.mem[start : start + size].tobytes() for start, size in written),
        instructions=cost.instructions,
        cycles=cost.cycles,
    )
