"""Programs that run wild: images of noise and hostile code, and a child process that runs many of them.

    python wild.py MACHINE TIMING ENGINE FIRST COUNT CHECKED PROGRESS

runs the images FIRST .. FIRST+COUNT-1 on one machine, each CHECKED-th of them on the evaluator too, and prints as JSON
how they ended; the number of the image under way stands in the file PROGRESS.
"""

from __future__ import annotations

import faulthandler
import json
import os
import sys
from collections import Counter
from dataclasses import dataclass

from retrosim.cpu import m68k
from retrosim.cpu.engines.core import MIRROR_BYTES, Core
from retrosim.cpu.spec.cpu import ADDRESS_MASK
from retrosim.errors import CpuFault
from retrosim.machine import Machine, memory
from retrosim.machine.presets import preset
from retrosim.rom import Image, Symbol
from retrosim.rom.lines import LineTable
from retrosim.rom.symbols import SymbolTable
from tests.helpers.cpu import cores
from tests.helpers.cpu import m68k_streams as streams
from tests.helpers.machine.programs import complete

WATCHED, SECONDS = 64, 300  # so many images take less, or one of them hangs: the process dumps its stacks and ends
MAX_CLOCKS = 10_000_000
SPECIAL = (
    memory.VIDEO_START,
    memory.VIDEO_START + memory.VIDEO_WIDTH * memory.VIDEO_HEIGHT,
    memory.PALETTE_START,
    memory.PAD_WORD,
    memory.STACK_START,
    memory.RAM_END - 2,
    ADDRESS_MASK - 1,
    ADDRESS_MASK,
    0,
    2,
    0x7FFFFFFE,
    0xFFFFFFFE,
)


@dataclass(frozen=True)
class Wild:
    """An image, the registers it starts with, and how many instructions it gets."""

    image: Image
    registers: dict[str, int]
    instructions: int


class Wilderness:
    """Makes wild programs of a model, each from its number alone."""

    def __init__(self, isa: str, model: str) -> None:
        self.isa = isa
        self.generator = streams.Generator(m68k.cpu(model), 0)
        self.random = self.generator.random
        self.snippets = (
            lambda: [0x4EF9, *self.long(self.place())],  # jmp
            lambda: [0x4EB9, *self.long(self.place())],  # jsr
            lambda: [0x4EF9, *self.long(self.inside())],
            lambda: [0x4EB9, *self.long(self.inside())],
            lambda: [0x6000 | self.random.randrange(1, 16) << 8 | self.random.randrange(0, 256, 2)],  # short branches
            lambda: [0x51C8 | self.random.randrange(8), 0xFFFE - 2 * self.random.randrange(20)],  # dbra
            lambda: [0x23FC, *self.long(self.random.getrandbits(32)), *self.long(self.inside())],  # into the code
            lambda: [0x33FC, self.random.choice((0x4E71, 0x5280, 0x60FE, 0x4AFC)), *self.long(self.inside() & ~1)],
            lambda: [0x33FC, self.word(), *self.long(self.place())],
            lambda: [0x2E7C, *self.long(self.place())],  # the stack elsewhere
            lambda: [0x41F9 | self.random.randrange(7) << 9, *self.long(self.place())],  # lea
            lambda: [0x48E7, self.word()],  # movem.l list,-(sp)
            lambda: [0x46FC, self.word() & 0x7FFF if self.random.randrange(8) else self.word()],  # move to sr
            lambda: [0x4E72, self.word()],  # stop
            lambda: [0x4E40 | self.random.randrange(16)],  # trap
            lambda: [self.random.choice((0x4E73, 0x4E75, 0x4AFC, 0xF000, 0xA000, 0xA001, 0xA003, 0x4E71))],
        )

    def word(self) -> int:
        return self.random.getrandbits(16)

    @staticmethod
    def long(value: int) -> tuple[int, int]:
        return value >> 16 & 0xFFFF, value & 0xFFFF

    def inside(self) -> int:
        """Return an address in the code, rarely an odd one."""
        return self.start + self.random.randrange(self.size // 2) * 2 + (self.random.randrange(16) == 0) & ADDRESS_MASK

    def place(self) -> int:
        """Return an address of any kind."""
        r = self.random
        return r.choice((self.inside(), self.inside(), r.choice(SPECIAL), r.getrandbits(32), r.getrandbits(24) & ~1))

    def vector(self) -> int:
        r = self.random
        kind = r.randrange(20)
        return 0 if kind < 5 else self.place() if kind < 8 else self.inside() & ~1

    def code(self) -> bytes:
        """Return noise, valid instructions and hostile ones in proportions that differ from image to image."""
        r, words = self.random, []
        weights = r.choice(((1, 0, 0), (0, 1, 0), (0, 2, 1), (1, 4, 4), (0, 1, 3)))
        while len(words) < self.size // 2:
            kind = r.choices((0, 1, 2), weights)[0]
            if kind == 0:
                words += [self.word()]
            else:
                words += self.generator.instruction() if kind == 1 else r.choice(self.snippets)()
        return b"".join(word.to_bytes(2, "big") for word in words[: self.size // 2])

    def program(self, number: int) -> Wild:
        r = self.random
        r.seed(number)
        self.size = r.choice((16, 64, 256, 1024))
        self.start = r.choice((0x1000, 0x1000, 0x1000, r.choice(SPECIAL) - r.randrange(self.size), 0x20000)) & 0xFFFFFE
        content = self.code()
        here = min(self.size, ADDRESS_MASK + 1 - self.start)  # the rest goes on at the first address
        vectors = b"".join(self.vector().to_bytes(4, "big") for _ in range(64))
        segments = [(0, vectors), (self.start, content[:here]), (0, content[here:])]
        entry = self.inside() & ~1
        names = [f"{kind}{n}" for kind in "da" for n in range(8)] + ["usp", "isp", "msp"]
        registers = {name: r.choice((self.place, self.place, self.generator.value))() for name in names}
        if r.randrange(3):
            registers["a7"] = memory.STACK_START - 2 * r.randrange(64)
        if r.randrange(8) == 0:
            registers["vbr"] = self.place()
        if r.randrange(4) == 0:
            registers["sr"] = self.word() & (0x3FFF if r.randrange(4) else 0xFFFF)
        table = SymbolTable({"_start": Symbol(entry, 2, "function")})
        image = Image(self.isa, "wild", entry, segments, [], "0" * 64, table, LineTable([], []))
        return Wild(image, registers, r.choice((20, 50, 100, 200)) if r.randrange(32) else 2000)


def wilderness(name: str) -> Wilderness:
    """Return the maker of programs for a machine."""
    return Wilderness(preset(name).isa, preset(name).cpu().model)


def start(machine: Machine, wild: Wild) -> None:
    """Make the machine one that has just been switched on with this program."""
    machine.image = wild.image
    machine.reset()
    for name, value in wild.registers.items():
        machine.regs[name] = value


def check(core: Core, size: int) -> None:
    """Check that the host's side of a core is unharmed."""
    assert core.ram.shape == core.code.shape == (size,)
    core.sync_mirrors()
    for part, whole in ((core.ram[ADDRESS_MASK + 1 :], core.ram[:MIRROR_BYTES]), (core.code[ADDRESS_MASK + 1 :], 1)):
        assert (part == whole).all()
    assert int(core.state["pc"]) <= ADDRESS_MASK


def differences(first: Core, second: Core) -> list[str]:
    """Return what two cores do not agree on, apart from what their host has read since, and what no state holds."""
    return cores.differences(first, second, (*cores.HOST_FIELDS, "written_low", "written_high", *first.cpu.derived))


def run(machine: Machine, wild: Wild) -> tuple:
    """Run a program within its limits; return how it ended."""
    result = machine.run(instructions=wild.instructions, cycles=MAX_CLOCKS)
    assert (result.fault is None) == (result.reason != "fault")
    assert result.fault is None or isinstance(result.fault, CpuFault)
    assert result.instructions <= wild.instructions
    return result.reason, result.frames, result.cycles, result.instructions, result.pc, str(result.fault or "")


def main(name: str, timing: str, engine: str, first: int, count: int, checked: int, progress: str) -> None:
    maker = wilderness(name)
    machines = [complete(name, maker.program(first).image, engine=e, timing=timing) for e in (engine, "evaluate")]
    size = len(machines[0].core.ram)
    reasons: Counter[str] = Counter()
    instructions = compared = 0
    with open(progress, "wb") as under_way:
        for number in range(first, first + count):
            os.pwrite(under_way.fileno(), b"%20d" % number, 0)
            if number % WATCHED == 0 or number == first:
                faulthandler.dump_traceback_later(SECONDS, exit=True)
            wild = maker.program(number)
            ends = []
            for machine in machines if number % checked == 0 else machines[:1]:
                start(machine, wild)
                ends.append(run(machine, wild))
                check(machine.core, size)
            if len(ends) == 2:
                compared += 1
                assert ends[0] == ends[1], f"{engine}: {ends[0]}, evaluate: {ends[1]}"
                differ = differences(machines[0].core, machines[1].core)
                assert not differ, f"{engine} and evaluate differ in {differ}"
                machines[1].load(machines[0].save())  # whatever state a program reaches can be kept
            reason, *_, executed, _, text = ends[0]
            reasons[f"{reason}: {text.split(': ')[1].split(' at ')[0]}" if reason == "fault" else reason] += 1
            instructions += executed
    faulthandler.cancel_dump_traceback_later()
    print(json.dumps({"reasons": reasons, "instructions": instructions, "compared": compared}))


if __name__ == "__main__":
    main(*sys.argv[1:4], *map(int, sys.argv[4:7]), sys.argv[7])
