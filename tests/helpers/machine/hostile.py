"""Hostile programs for any processor between guard pages, and a child process that runs them on all engines.

    python -m tests.helpers.machine.hostile FIRST COUNT REGIONS PROGRESS MACHINE:BOOT:TIMING...

runs the programs FIRST .. FIRST+COUNT-1 of each machine: on the evaluator at once, on the interpreter at once, and in
slices handed from engine to engine as saved states; all must end in the same state with the same hash. The recompiler
has regions of each REGIONS-th. How those of a machine ended is printed as a line of JSON; the machine and the number of
the program under way stand in the file PROGRESS.

A program is noise, valid instructions of all rows and the hostile ones that its registers make of them: they lead into
the code, to both ends of memory and anywhere, so that it writes itself and jumps to odd places.
"""

from __future__ import annotations

import ctypes
import faulthandler
import json
import mmap
import os
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import islice

import numpy as np

import retrosim.cpu.engines.core as core_module
from retrosim.cpu.engines.handlers.handler_cache import handler_cache, handlers_of
from retrosim.cpu.engines.handlers.interpret import Interpreter
from retrosim.cpu.engines.tiers import Tiers
from retrosim.machine import Machine
from retrosim.machine.presets import preset
from retrosim.rom import Image, Symbol
from retrosim.rom.lines import LineTable
from retrosim.rom.symbols import SymbolTable
from tests.helpers.cpu.field_ranges import Code
from tests.helpers.machine import wild

INSTRUCTIONS = 150
CODE, VECTORS = 0x1000, 0x800  # addresses; the vectors lie below
REGISTERS = re.compile(r"[da]\d|e[abcds][xpi]|r\d+|ctr|lr")
PAGE = mmap.PAGESIZE
_kept: list[mmap.mmap] = []


class GuardedNumPy:
    """NumPy for the module of cores: what `zeros` makes of some size ends at a page that nobody may touch."""

    def __getattr__(self, name: str):
        return getattr(np, name)

    @staticmethod
    def zeros(shape, dtype=float) -> np.ndarray:
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        if size < 1024:
            return np.zeros(shape, dtype)
        pages = -(-size // PAGE)
        block = mmap.mmap(-1, (pages + 2) * PAGE)
        _kept.append(block)
        start = ctypes.addressof(ctypes.c_char.from_buffer(block))
        for guard in (start, start + (pages + 1) * PAGE):
            assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(guard), ctypes.c_size_t(PAGE), 0) == 0
        return np.frombuffer(block, np.uint8, size, PAGE + pages * PAGE - size).view(dtype).reshape(shape)


class Hostile:
    """Makes programs of a machine, each from its number alone."""

    def __init__(self, name: str, boot: str) -> None:
        self.isa, self.boot, self.cpu = preset(name).isa, boot, preset(name).cpu(boot)
        self.rows = [Code(self.cpu, row) for row in self.cpu.table.rows]
        self.random = random.Random()

    def place(self) -> int:
        """Return an address of any kind, half of them in the code."""
        r = self.random
        inside = CODE + r.randrange(self.size)
        return r.choice((inside, inside, r.choice(wild.SPECIAL), r.getrandbits(24), r.getrandbits(32))) & 0xFFFFFFFF

    def instruction(self) -> bytes:
        """Return the code of a row, with whatever extension follows."""
        unit, order = self.cpu.isa.word_bytes, "big" if self.cpu.big_endian else "little"
        code = self.random.choice(self.rows)
        words = islice(code.words(), len(code.patterns) + self.random.randrange(3 if unit < 4 else 1))
        return b"".join(word.to_bytes(unit, order) for word in words)

    def code(self) -> bytes:
        noise, content = self.random.choice((0.0, 0.05, 0.5, 1.0)), b""
        while len(content) < self.size:
            content += self.random.randbytes(4) if self.random.random() < noise else self.instruction()
        return content[: self.size]

    def vectors(self) -> bytes:
        """Return handlers of exceptions: numbers that lead into the code in tables, branches into it on the PowerPC."""
        r, words = self.random, []
        for number in range(VECTORS // 4):
            inside = CODE + r.randrange(self.size // 4) * 4
            if self.isa == "ppc601":
                words.append((0x48000000 | inside - 4 * number if r.randrange(3) else 0x4C000064).to_bytes(4, "big"))
            else:
                order = "big" if self.cpu.big_endian else "little"
                words.append((inside if r.randrange(8) else self.place()).to_bytes(4, order))
        return b"".join(words)

    def program(self, number: int) -> wild.Wild:
        r = self.random
        r.seed(number)
        for each in self.rows:
            each.restart(number)
        self.size = r.choice((16, 64, 256, 1024))
        segments = [(0, self.vectors()), (CODE, self.code())]
        entry = CODE + r.randrange(self.size // 4) * 4
        names = [name for name in self.cpu.host.registers if REGISTERS.fullmatch(name)]
        registers = {name: self.place() for name in names if r.randrange(4)}
        table = SymbolTable({"_start": Symbol(entry, 2, "function")})
        image = Image(self.isa, "hostile", entry, segments, [], "0" * 64, table, LineTable([], []), self.boot)
        return wild.Wild(image, registers, INSTRUCTIONS)


def pieces(r: random.Random, total: int) -> Iterator[int]:
    """Yield numbers of instructions that add up to a total."""
    while total:
        piece = min(r.choice((1, 2, r.randrange(1, 40), r.randrange(1, 100))), total)
        yield piece
        total -= piece


def ended(machine: Machine) -> tuple:
    return machine.cycles, machine.instructions, machine.exit_status, machine.hash("machine")


def run_whole(machine: Machine, program: wild.Wild) -> tuple:
    wild.start(machine, program)
    result = machine.run(instructions=program.instructions, cycles=wild.MAX_CLOCKS)
    return result.reason, str(result.fault or ""), *ended(machine)


def run_in_slices(machines: list[Machine], program: wild.Wild, r: random.Random) -> tuple:
    """Run a program slice after slice, each on any of the machines, which loads what the one before has saved."""
    here = machines[0]
    for each in machines:
        wild.start(each, program)
    state = here.save()
    for piece in pieces(r, program.instructions):
        here = r.choice(machines)
        here.load(state)
        result = here.run(instructions=piece, cycles=wild.MAX_CLOCKS - here.cycles)
        state = here.save()
        if result.reason != "instructions":
            break
    return result.reason, str(result.fault or ""), *ended(here)


def main(first: int, count: int, regions: int, progress: str, *kinds: str) -> None:
    core_module.np = GuardedNumPy()
    for kind in kinds:
        print(json.dumps(run_all(kind, first, count, regions, progress)))


def run_all(kind: str, first: int, count: int, regions: int, progress: str) -> dict:
    """Run the programs of a machine on all engines; return how they ended."""
    name, boot, timing = kind.split(":")
    maker, chance = Hostile(name, boot), random.Random(first)
    evaluate, interpret, sliced, recompile = machines = [
        Machine(name, maker.program(first).image, engine="evaluate", timing=timing) for _ in range(4)
    ]
    insns, ends = {}, {}
    for number in range(first, first + count):
        ends[number] = run_whole(evaluate, maker.program(number))
        insns |= {insn.key: insn for insn in evaluate.core.insns.values()}
    handlers = handler_cache(evaluate.core.cpu, timing, handlers_of(insns.values()), quick=True)
    for each in (interpret, sliced):
        each._engine = Interpreter(each.core, handlers)
    reasons: Counter[str] = Counter()
    recompiled = 0
    with open(progress, "wb") as under_way:
        for number in range(first, first + count):
            os.pwrite(under_way.fileno(), f"{kind} {number}".encode(), 0)
            faulthandler.dump_traceback_later(wild.SECONDS, exit=True)
            program = maker.program(number)
            expected = ends[number]
            assert run_whole(interpret, program) == expected, f"{number}: interpret"
            engines = [evaluate, sliced]
            if number % regions == 0:
                wild.start(recompile, program)
                recompile._engine = Tiers(recompile.core, recompile.code_roots, "recompile")
                recompiled += recompile.engine == "recompile"
                assert run_whole(recompile, program) == expected, f"{number}: recompile"
                engines.append(recompile)
            assert run_in_slices(engines, program, chance) == expected, f"{number}: in slices"
            for each in machines:
                wild.check(each.core, len(each.core.ram))
            reasons[expected[0]] += 1
    faulthandler.cancel_dump_traceback_later()
    return {"reasons": reasons, "recompiled": recompiled}


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]), *sys.argv[4:])
