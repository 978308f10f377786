"""An instruction executed once, from a state that is always the same: what it reads, what it changes."""

from __future__ import annotations

from functools import cache

from retrosim.cpu.spec.rows import Insn
from retrosim.machine import Machine
from retrosim.machine.presets import PRESETS
from retrosim.rom import Image
from retrosim.rom.lines import LineTable
from retrosim.rom.symbols import SymbolTable

CODE, DATA, END = 0x2000, 0x3000, 0x5000
STEP = 0x100  # between what two address registers point to
STACK = 0x4800
INDEXES = ("ebx", "esi", "edi", "ebp", "bx", "si", "di", "bp")
PATTERN = bytes((at * 37 + 11) & 0xFF for at in range(END - DATA))
SHOWN = 6  # changes


class Runner:
    """Executes single instructions on a machine."""

    def __init__(self, name: str, boot: str = "") -> None:
        isa = PRESETS[name].isa
        image = Image(isa, "", CODE, [(CODE, bytes(64))], [], "", SymbolTable({}), LineTable([], []), boot)
        self.machine = Machine(name, image, engine="evaluate", timing="off")
        self._start = {name: self._value(name, place) for place, name in enumerate(self._names())}
        self._before = self.machine.snapshot()

    def _names(self) -> list[str]:
        return [name for name in self.machine.regs if name != "pc"]

    def _value(self, name: str, place: int) -> int:
        """Return what a register holds before: addresses in those that usually do, small numbers in the others."""
        if name in ("a7", "esp", "sp", "r1"):
            return STACK
        if name in INDEXES or (name[1:].isdigit() and (name[0] == "a" or (name[0] == "r" and int(name[1:]) % 2 == 0))):
            return DATA + STEP * (place % 16)
        if name[0] in "dr" and name[1:].isdigit():
            return 3 + 2 * place
        return 3 + place if name in ("eax", "ecx", "edx", "ax", "cx", "dx") else self.machine.regs[name]

    def run(self, insn: Insn, code: bytes) -> str:
        """Return what changed, in words: registers, memory, an exception."""
        machine = self.machine
        machine.restore(self._before)
        machine.regs.update(self._start)
        machine.write(CODE, code + bytes(64 - len(code)))
        machine.write(DATA, PATTERN)
        machine.regs["pc"] = CODE
        before = dict(machine.regs)
        result = machine.run(instructions=1)
        if result.fault:
            return f"raises an exception: {result.fault.reason}"
        changed = [
            f"{name} {before[name]:#x} -> {value:#x}"
            for name, value in machine.regs.items()
            if value != before[name] and (name != "pc" or value != insn.end)
        ]
        memory = machine.mem[DATA:END].tobytes()
        places = [at for at in range(len(memory)) if memory[at] != PATTERN[at]]
        if places:
            first, last = places[0], places[-1] + 1
            changed.append(f"memory {DATA + first:#x} = {memory[first : min(last, first + 16)].hex(' ', 2)}")
        if result.reason in ("frames", "exit"):
            changed.append("a service of the machine")
        more = [f"{len(changed) - SHOWN} more"] if len(changed) > SHOWN else []
        return ", ".join(changed[:SHOWN] + more) or "nothing changes"


@cache
def runner(machine: str, boot: str = "") -> Runner:
    """Return the runner of a machine, made once."""
    return Runner(machine, boot)
