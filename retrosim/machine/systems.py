"""Operating systems that programs were made for: what a program finds in memory, and what it calls when it asks one.

No call is carried out but the one that ends the program: a run ends with what was called. Where nothing is known of a
number, the number is said.

Sources: Amiga ROM Kernel Reference Manual, Libraries (1992), and the offsets of exec.library's fd file; Atari Corp.,
GEMDOS, BIOS and XBIOS Reference Manuals (1986); Microsoft, MS-DOS Programmer's Reference (1991); IBM PS/2 and PC BIOS
Interface Technical Reference (1991); Linux, include/asm-*/unistd.h, whose numbers below 100 are the same on the three
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from retrosim.cpu.engines.core import Core
from retrosim.cpu.spec.cpu import ADDRESS_MASK
from retrosim.rom import Image
from retrosim.rom.image import EXEC_BASE, SYSTEM_START

EXIT_ADDRESS = 0x3F0  # where a program returns to that ends by returning: below every image
EXIT_CODE = {"EM_68K": "a002", "EM_386": "cd62", "EM_PPC": "38000002 44000002"}  # asks for the service `exit`
ILLEGAL_CODE = {"EM_68K": "4afc", "EM_386": "0f0b", "EM_PPC": "00000000"}  # what no model executes
MAX_CALL_BYTES, CALLS = 7, ("JSR", "BSR", "CALL", "bl")  # instructions that call
VECTOR_BYTES, VECTORS = 6, 170  # of an Amiga library, below its base
PROCESSOR_FLAGS, HAS_68040 = 296, 0x000F  # of ExecBase: AttnFlags

EXEC_NAMES = (  # of exec.library, from offset -72 down
    "InitCode InitStruct MakeLibrary MakeFunctions FindResident InitResident Alert Debug Disable Enable Forbid Permit "
    "SetSR SuperState UserState SetIntVector AddIntServer RemIntServer Cause Allocate Deallocate AllocMem AllocAbs "
    "FreeMem AvailMem AllocEntry FreeEntry Insert AddHead AddTail Remove RemHead RemTail Enqueue FindName AddTask "
    "RemTask FindTask SetTaskPri SetSignal SetExcept Wait Signal AllocSignal FreeSignal AllocTrap FreeTrap AddPort "
    "RemPort PutMsg GetMsg ReplyMsg WaitPort FindPort AddLibrary RemLibrary OldOpenLibrary CloseLibrary SetFunction "
    "SumLibrary AddDevice RemDevice OpenDevice CloseDevice DoIO SendIO CheckIO WaitIO AbortIO AddResource RemResource "
    "OpenResource RawIOInit RawMayGetChar RawPutChar RawDoFmt GetCC TypeOfMem Procure Vacate OpenLibrary"
)
EXEC = dict(enumerate(EXEC_NAMES.split(), 12))  # by offset / -6
GEMDOS = {
    0x00: "Pterm0", 0x01: "Cconin", 0x02: "Cconout", 0x06: "Crawio", 0x07: "Crawcin", 0x08: "Cnecin", 0x09: "Cconws",
    0x0A: "Cconrs", 0x0B: "Cconis", 0x0E: "Dsetdrv", 0x19: "Dgetdrv", 0x1A: "Fsetdta", 0x20: "Super",
    0x2A: "Tgetdate", 0x2C: "Tgettime", 0x30: "Sversion", 0x31: "Ptermres", 0x3B: "Dsetpath", 0x3C: "Fcreate",
    0x3D: "Fopen", 0x3E: "Fclose", 0x3F: "Fread", 0x40: "Fwrite", 0x41: "Fdelete", 0x42: "Fseek", 0x44: "Mxalloc",
    0x48: "Malloc", 0x49: "Mfree", 0x4A: "Mshrink", 0x4B: "Pexec", 0x4C: "Pterm",
}  # fmt: skip
BIOS = {0: "Getmpb", 1: "Bconstat", 2: "Bconin", 3: "Bconout", 4: "Rwabs", 5: "Setexc", 6: "Tickcal", 7: "Getbpb"}
XBIOS = {
    0: "Initmous", 2: "Physbase", 3: "Logbase", 4: "Getrez", 5: "Setscreen", 6: "Setpalette", 7: "Setcolor",
    17: "Random", 21: "Cursconf", 28: "Giaccess", 31: "Xbtimer", 34: "Kbdvbase", 37: "Vsync", 38: "Supexec",
}  # fmt: skip
DOS = {
    0x00: "terminate", 0x01: "read a key", 0x02: "write a character", 0x06: "console", 0x07: "read a key",
    0x08: "read a key", 0x09: "write a text", 0x0B: "is a key ready", 0x25: "set a vector", 0x2A: "get the date",
    0x2C: "get the time", 0x30: "get the version", 0x31: "stay resident", 0x35: "get a vector", 0x3C: "create a file",
    0x3D: "open a file", 0x3E: "close a file", 0x3F: "read a file", 0x40: "write a file", 0x42: "seek",
    0x44: "device control", 0x48: "allocate memory", 0x49: "free memory", 0x4A: "resize memory", 0x4B: "execute",
    0x4C: "exit", 0x62: "get the prefix",
}  # fmt: skip
INTERRUPTS = {
    0x10: "BIOS video", 0x11: "BIOS equipment", 0x12: "BIOS memory size", 0x13: "BIOS disk", 0x14: "BIOS serial",
    0x15: "BIOS system", 0x16: "BIOS keyboard", 0x17: "BIOS printer", 0x1A: "BIOS time", 0x25: "DOS disk read",
    0x26: "DOS disk write", 0x27: "DOS stay resident", 0x2F: "DOS multiplex", 0x31: "DPMI", 0x33: "mouse driver",
    0x67: "expanded memory",
}  # fmt: skip
LINUX = {
    1: "exit", 2: "fork", 3: "read", 4: "write", 5: "open", 6: "close", 13: "time", 19: "lseek", 20: "getpid",
    45: "brk", 54: "ioctl", 78: "gettimeofday", 90: "mmap", 91: "munmap", 146: "writev", 192: "mmap2",
}  # fmt: skip
LINUX_EXIT = (1, 247, 252)  # exit, and exit_group of m68k and i386


@dataclass(frozen=True)
class Asked:
    """What a program asked of an operating system.

    what   in words
    exits  status of the program when it asked for its end, else None
    """

    what: str
    exits: int | None = None


class AskingProgram(Protocol):
    """What is looked at of a machine whose program asks."""

    core: Core

    @property
    def image(self) -> Image: ...
    @property
    def regs(self) -> MutableMapping[str, int]: ...
    @property
    def mem(self) -> np.ndarray: ...
    def register_values(self, given: Mapping[str, int | str]) -> dict[str, int]: ...
    def begin_call(self, entry: int, back: int) -> None: ...


def prepare(machine: AskingProgram) -> None:
    """Put into memory and registers what a program expects beside its own; of a machine that has just been reset."""
    image, core = machine.image, machine.core
    family = image.family.machine
    illegal = bytes.fromhex(ILLEGAL_CODE[family])
    for address in image.missing:
        core.write(address, illegal)
    if image.system == "amiga":
        core.write(4, EXEC_BASE.to_bytes(4, "big"))
        core.write(EXEC_BASE - VECTOR_BYTES * VECTORS, illegal * (VECTOR_BYTES // 2 * VECTORS))
        core.write(EXEC_BASE + PROCESSOR_FLAGS, (HAS_68040 if image.isa == "m68040" else 0).to_bytes(2, "big"))
        core.write(SYSTEM_START, b"\n")  # a command line without arguments
        machine.regs["a0"], machine.regs["d0"] = SYSTEM_START, 1
    for name, value in machine.register_values(image.registers).items():
        machine.regs[name] = value
    if image.returns:
        core.write(EXIT_ADDRESS, bytes.fromhex(EXIT_CODE[family]))
        machine.begin_call(image.entry, EXIT_ADDRESS)


def asked(machine: AskingProgram, vector: int) -> Asked | None:
    """Return what a program asked for by an exception that has no handler; None where it was no call of a system.

    vector  of the exception; the program counter is at the instruction
    """
    image, pc = machine.image, machine.regs["pc"]
    if pc in image.missing:
        return Asked(f"calls {image.missing[pc]}, which the program does not have")
    below = EXEC_BASE - pc
    if image.system == "amiga" and 0 < below <= VECTOR_BYTES * VECTORS:
        return Asked(f"calls exec.library {EXEC.get(below // VECTOR_BYTES, 'function')} (offset -{below})")
    family = image.family.machine
    key = "real" if family == "EM_386" and image.boot == "real" else family
    question = QUESTIONS[key].get(vector)
    return question(machine) if question else None


def _function(names: Mapping[int, str], number: int, what: str) -> str:
    name = names.get(number)
    return f"calls {what} {number:#04x}{f' ({name})' if name else ''}"


def _stacked(machine: AskingProgram, offset: int) -> int:
    """Return a word on the stack of a 68K."""
    at = (machine.regs["a7"] + offset) & 0xFFFFFF
    return int.from_bytes(machine.mem[at : at + 2].tobytes(), "big")


def _gemdos(machine: AskingProgram) -> Asked:
    number = _stacked(machine, 0)
    exits = {0x00: 0, 0x4C: _stacked(machine, 2)}.get(number)
    return Asked(_function(GEMDOS, number, "GEMDOS (trap #1) function"), exits)


def _atari(names: Mapping[int, str], what: str) -> Callable[[AskingProgram], Asked]:
    return lambda machine: Asked(_function(names, _stacked(machine, 0), what))


def _gem(machine: AskingProgram) -> Asked:
    library = {0x73: "VDI", 0xC8: "AES"}.get(machine.regs["d0"] & 0xFFFF, "AES or VDI")
    return Asked(f"calls the {library} of GEM (trap #2)")


def _linux(number: str, status: str, how: str) -> Callable[[AskingProgram], Asked]:
    def question(machine: AskingProgram) -> Asked:
        call = machine.regs[number]
        exits = machine.regs[status] if call in LINUX_EXIT else None
        return Asked(_function(LINUX, call, f"Linux ({how}), system call"), exits)

    return question


def _ax(machine: AskingProgram) -> int:
    return machine.regs["ax" if "ax" in machine.regs else "eax"] & 0xFFFF


def _dos(machine: AskingProgram) -> Asked:
    ax = _ax(machine)
    exits = {0x00: 0, 0x4C: ax & 0xFF}.get(ax >> 8)
    return Asked(_function(DOS, ax >> 8, "DOS (int 21h) function"), exits)


def _interrupt(number: int, name: str) -> Callable[[AskingProgram], Asked]:
    def question(machine: AskingProgram) -> Asked:
        function = _ax(machine) >> 8
        return Asked(f"calls {name} (int {number:02x}h), function {function:#04x}")

    return question


# family, or real mode -> exception vector -> what the program asked for
QUESTIONS: Mapping[str, Mapping[int, Callable[[AskingProgram], Asked]]] = {
    "EM_68K": {
        32: _linux("d0", "d1", "trap #0"),
        33: _gemdos,
        34: _gem,
        45: _atari(BIOS, "the Atari BIOS (trap #13), function"),
        46: _atari(XBIOS, "the Atari XBIOS (trap #14), function"),
    },
    "EM_386": {0x80: _linux("eax", "ebx", "int 80h")},
    "real": {
        **{number: _interrupt(number, name) for number, name in INTERRUPTS.items()},
        0x20: lambda machine: Asked("ends (int 20h)", 0),
        0x21: _dos,
    },
    "EM_PPC": {0xC00: lambda machine: Asked(_function(LINUX, machine.regs["r0"], "a system (sc), call"))},
}


def call_of(machine: AskingProgram) -> int:
    """Return the address of the call that led to the program counter, which lies outside of the program.

    After a jump in place of a call and a return that is the program counter itself.
    """
    family = machine.image.family
    if family.machine == "EM_PPC":
        back = machine.regs["lr"]
    else:
        sp = machine.core.cpu.host.stack.pointer(machine.core.state)
        back = int.from_bytes(machine.mem[sp : sp + 4].tobytes(), family.byte_order)
    for size in range(family.unit, MAX_CALL_BYTES + 1, family.unit):
        insn = machine.core.decode((back - size) & ADDRESS_MASK)
        if insn.length == size and insn.text.startswith(CALLS):
            return insn.pc
    return machine.regs["pc"]
