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
from typing import Any

import numpy as np

from retrosim.collide.documents.sectors import random_scene
from retrosim.machine import Machine, open_machine
from retrosim.machine.choices import WARM_CALLS
from retrosim.rom import Rom
from retrosim.study.exact import flags_of

LOOP = 0x200000
PAGE = 256  # bytes: what is written into lies on other pages than code, which engines watch
SIDE = 30  # pixels, of the objects
ROUTINE = "DetermineCollisions"
FLAGS = "gCollisionArray"
_WRITTEN = ("gObjects", "gSectorArray", FLAGS)
STALE = 0xAA  # what flags hold before a run, so that one which does nothing is found out


@dataclass(frozen=True)
class MemoryLoop:
    """The loop in the code of a CPU.

    call     addresses of the call and of the routine -> the call
    store    address -> what stores a routine's result there
    again    distance to the call -> what counts down and branches there
    exit     the instruction behind the loop
    counter  register that is counted down
    needs    registers that the routine relies on, in the order to set them
    """

    call: Callable[[int, int], bytes]
    store: Callable[[int], bytes]
    again: Callable[[int], bytes]
    exit: bytes
    counter: str
    needs: tuple[str, ...]

    def code(self, at: int, entry: int, result_at: int | None = None) -> bytes:
        """Return the loop up to where it is left, to be put at `at`; it stores the routine's result if asked to."""
        body = self.call(at, entry) + (b"" if result_at is None else self.store(result_at))
        return body + self.again(-len(body))


_M68K = MemoryLoop(
    call=lambda at, entry: b"\x4e\xb9" + entry.to_bytes(4, "big"),  # jsr entry
    store=lambda to: b"\x23\xc0" + to.to_bytes(4, "big"),  # move.l d0,to
    again=lambda back: b"\x53\x87\x66" + (back - 4 & 0xFF).to_bytes(1),  # subq.l #1,d7; bne
    exit=b"\xa0\x02",
    counter="d7",
    needs=("sr", "a7"),
)
_X86 = MemoryLoop(
    call=lambda at, entry: b"\xe8" + (entry - at - 5).to_bytes(4, "little", signed=True),  # call entry
    store=lambda to: b"\xa3" + to.to_bytes(4, "little"),  # mov [to],eax
    again=lambda back: b"\x4f\x75" + (back - 3 & 0xFF).to_bytes(1),  # dec edi; jnz
    exit=b"\xcd\x62",
    counter="edi",
    needs=("esp",),
)


def _words(*words: int) -> bytes:
    return b"".join(word.to_bytes(4, "big") for word in words)


_PPC = MemoryLoop(
    call=lambda at, entry: _words(0x48000001 | entry - at & 0x3FFFFFC),  # bl entry
    store=lambda to: _words(0x3C800000 | to + 0x8000 >> 16, 0x90640000 | to & 0xFFFF),  # lis r4,to@ha; stw r3,to@l(r4)
    again=lambda back: _words(0x37FFFFFF, 0x40820000 | back - 4 & 0xFFFC),  # addic. r31,r31,-1; bne
    exit=b"\x44\0\0\x02",
    counter="r31",
    needs=("r1", "r2", "r13"),
)
LOOPS = {"m68000": _M68K, "m68040": _M68K, "i386": _X86, "i486": _X86, "ppc601": _PPC}
"""ISA of a ROM image -> the loop."""


@dataclass(frozen=True)
class RepeatedWork:
    """What an emulator repeats: a loop that is in its memory.

    name        of the routine
    start, end  of the loop
    counter     register that it counts down
    registers   name -> value that the routine relies on
    result      (address, size) of what comes out
    written     (address, size) of whatever else the routine writes and is compared
    """

    name: str
    start: int
    end: int
    counter: str
    registers: dict[str, int]
    result: tuple[int, int]
    written: tuple[tuple[int, int], ...] = ()


def job_of(
    machine: Machine, routine: str, at: int = LOOP, result: tuple[int, int] | None = None, **written: Any
) -> RepeatedWork:
    """Put the loop around a routine into a machine's memory.

    at       where
    result   (address, size) of what the routine writes; None: the word that it returns, stored on the page before `at`
    written  as for a Job
    """
    loop, entry = LOOPS[machine.image.isa], machine.address(routine)
    code = loop.code(at, entry) if result else loop.code(at, entry, at - PAGE)
    machine.write(at, code + loop.exit)
    registers = {register: machine.regs[register] for register in loop.needs}
    return RepeatedWork(routine, at, at + len(code), loop.counter, registers, result or (at - PAGE, 4), **written)


@dataclass(frozen=True)
class Workload:
    """One scene in one build of the ROM.

    machine, isa, build, objects, seed
    clock_hz      of the machine
    memory        16 MiB, the loop in place
    job           the loop
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
    job: RepeatedWork
    x: np.ndarray
    y: np.ndarray
    flags: bytes
    after: str
    instructions: int
    cycles: int


def digest(parts: Iterable[bytes]) -> str:
    """Return 16 hex digits for the contents of some stretches of memory."""
    return hashlib.blake2b(b"".join(parts), digest_size=8).hexdigest()


def open_at_first_check(name: str, rom: Rom, build: str, objects: int, seed: int, **options: Any) -> Machine:
    """Return a machine about to call the routine for the first time.

    options  engine and timing, as for a Machine
    """
    parameters = {"objects": objects, "seed": seed}
    machine = open_machine(name, rom, build=build, mode="harness", parameters=parameters, **options)
    machine.run(until=ROUTINE)
    return machine


def job_of_checks(machine: Machine) -> RepeatedWork:
    """Put the loop around the routine of a ROM into a machine's memory."""
    symbols = [machine.image.symbols[symbol] for symbol in _WRITTEN]
    written = tuple((symbol.address, symbol.size) for symbol in symbols)
    objects = machine.parameters["objects"]
    return job_of(machine, ROUTINE, result=(machine.address(FLAGS), objects), written=written)


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
    job = job_of_checks(machine)
    memory = machine.mem.tobytes()
    cost = machine.measure(ROUTINE, warm=warm)
    x, y = random_scene(objects, seed)
    return Workload(
        machine=name,
        isa=machine.image.isa,
        build=build,
        objects=objects,
        seed=seed,
        clock_hz=machine.clock_hz,
        memory=memory,
        job=job,
        x=x,
        y=y,
        flags=bytes(flags_of([(a, b, SIDE, SIDE) for a, b in zip(x.tolist(), y.tolist())])),
        after=digest(machine.mem[start : start + size].tobytes() for start, size in job.written),
        instructions=cost.instructions,
        cycles=cost.cycles,
    )
