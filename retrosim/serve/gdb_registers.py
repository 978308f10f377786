"""The registers of a machine as gdb knows them: its target description, and values in its order.

gdb asks for some registers by its own names, in its own order; which of the CPU's they are is said here, for each
family. Whatever else the CPU's description names follows in a feature of ours, so gdb's `info registers` shows it.

Source: Debugging with GDB, appendix G.5 (Standard Target Features: i386, M68K, PowerPC)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from retrosim.console.target import Target
    from retrosim.rom import Image

CODE, DATA = "code_ptr", "data_ptr"


@dataclass(frozen=True)
class Core:
    """What gdb must have of a family.

    feature   its name
    names     gdb's names in its order
    ours      gdb's name -> the CPU's, where that is another
    types     gdb's name -> type, where it is not a number
    traps_before  does gdb expect a watchpoint to stop before the instruction that touches the memory?
    absent    (name, bits) of registers that gdb insists on and no machine here has: they are sent as unavailable
    """

    feature: str
    names: Sequence[str]
    ours: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    absent: Sequence[tuple[str, int]] = ()
    traps_before: bool = False


_FPU = tuple((f"st{i}", 80) for i in range(8)) + tuple(
    (name, 32) for name in ("fctrl", "fstat", "ftag", "fiseg", "fioff", "foseg", "fooff", "fop")
)

CORES = {
    "EM_68K": Core(
        "org.gnu.gdb.m68k.core",
        (*(f"d{i}" for i in range(8)), *(f"a{i}" for i in range(6)), "fp", "sp", "ps", "pc"),
        ours={"fp": "a6", "sp": "a7", "ps": "sr"},
        types={**{f"a{i}": DATA for i in range(6)}, "fp": DATA, "sp": DATA, "pc": CODE},
    ),
    "EM_386": Core(
        "org.gnu.gdb.i386.core",
        ("eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "eip", "eflags", "cs", "ss", "ds", "es", "fs", "gs"),
        ours={"eip": "pc"},
        types={"esp": DATA, "ebp": DATA, "eip": CODE},
        absent=_FPU,
    ),
    "EM_PPC": Core(
        "org.gnu.gdb.power.core",
        (*(f"r{i}" for i in range(32)), "pc", "msr", "cr", "lr", "ctr", "xer", "mq"),
        types={"pc": CODE, "lr": CODE},
        traps_before=True,  # as the DABR of the 604 and later does
    ),
}
ARCHITECTURES = {
    "m68000": "m68k:68000",
    "m68040": "m68k:68040",
    "i286": "i8086",
    "i386": "i386",
    "i486": "i386",
    "ppc601": "powerpc:601",
}
REAL_MODE = "i8086"
OTHERS = "org.retrosim.others"


def architecture(image: Image) -> str:
    """Return what gdb calls the processor that an image is for."""
    return REAL_MODE if image.boot == "real" else ARCHITECTURES[image.isa]


@dataclass(frozen=True)
class Slot:
    """A register of the target description; `ours` is None for one that no machine has."""

    name: str
    bytes: int
    ours: str | None
    feature: str
    type: str


class RegisterFile:
    """All registers of a machine in gdb's order."""

    def __init__(self, target: Target) -> None:
        machine = target.machine
        core, host = CORES[machine.image.family.machine], machine.core.cpu.host
        self.traps_before = core.traps_before
        self._regs, self._set = target.machine.regs, target.set_register
        self._order: Literal["big", "little"] = machine.image.byte_order
        self._architecture = architecture(machine.image)
        self.slots: list[Slot] = []
        for name in core.names:
            known = core.ours.get(name, name)
            ours = known if known in host.registers else host.aliases.get(known)
            self.slots.append(Slot(name, 4, ours, core.feature, core.types.get(name, "int32")))
        for name, bits in core.absent:
            self.slots.append(Slot(name, bits // 8, None, core.feature, "i387_ext" if bits == 80 else "int32"))
        shown = {slot.ours for slot in self.slots}
        for name, register in host.registers.items():
            if name not in shown:
                self.slots.append(Slot(name, -(-register.bits // 8), name, OTHERS, f"uint{register.bits}"))

    def xml(self) -> bytes:
        """Return the target description."""
        lines = ['<?xml version="1.0"?>', '<!DOCTYPE target SYSTEM "gdb-target.dtd">', '<target version="1.0">']
        lines.append(f"  <architecture>{self._architecture}</architecture>")
        feature = ""
        for number, slot in enumerate(self.slots):
            if slot.feature != feature:
                lines += ["  </feature>"] if feature else []
                feature = slot.feature
                lines.append(f'  <feature name="{feature}">')
            bits = 8 * slot.bytes
            lines.append(f'    <reg name="{slot.name}" bitsize="{bits}" type="{slot.type}" regnum="{number}"/>')
        return "\n".join([*lines, "  </feature>", "</target>", ""]).encode()

    def read(self, number: int) -> str:
        """Return a register as hexadecimal digits, x for one that the machine does not have. Errors: IndexError."""
        slot = self.slots[number]
        if slot.ours is None:
            return "xx" * slot.bytes
        return self._regs[slot.ours].to_bytes(slot.bytes, self._order).hex()

    def write(self, number: int, digits: str) -> None:
        """Write a register. Errors: IndexError; ValueError for digits or a value that do not fit."""
        slot = self.slots[number]
        data = bytes.fromhex(digits)
        if len(data) != slot.bytes:
            raise ValueError(f"{slot.name}: {len(data)} bytes, it has {slot.bytes}")
        if slot.ours is not None:
            self._set(slot.ours, int.from_bytes(data, self._order))

    def read_all(self) -> str:
        """Return all registers as hexadecimal digits."""
        return "".join(map(self.read, range(len(self.slots))))

    def write_all(self, digits: str) -> None:
        """Write all registers; what is x stays as it is. Errors: ValueError."""
        if len(digits) != 2 * sum(slot.bytes for slot in self.slots):
            raise ValueError("not as many registers as there are")
        at = 0
        for number, slot in enumerate(self.slots):
            text = digits[at : at + 2 * slot.bytes]
            at += 2 * slot.bytes
            if slot.ours is not None and "x" not in text.lower() and text.lower() != self.read(number):
                self.write(number, text)
