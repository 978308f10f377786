"""The program of a machine as a file for a client: gdb takes symbols and source lines from an ELF file alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from retrosim.debug.unwind import PC, Unwinding, UnwindRow
from retrosim.reading import digest_of, read_regular
from retrosim.rom import Image, Rom
from retrosim.rom.elf_write import REGISTER, SAVED, UNDEFINED, FrameRow, Rule, frame_section, image_elf, with_frames
from retrosim.rom.image import ELF_MAGIC, MAX_IMAGE_BYTES

if TYPE_CHECKING:
    from retrosim.machine import Machine


# What gdb unwinds frames by, made from a machine's program: in the numbers of its processor's DWARF.
#
# Source: System V ABI, Motorola 68000 supplement, chapter 2; Intel386 supplement, table 2.14 and page 3-15; PowerPC
# supplement, tables 3-1 and 3-22


@dataclass(frozen=True)
class DwarfNumbers:
    """A processor's registers in DWARF.

    registers  name -> number, the stack pointer first
    back       of the address that a routine returns to
    scratch    registers that a call may change
    """

    registers: Mapping[str, int]
    back: int
    scratch: Sequence[str]


def _numbered(*names: str) -> dict[str, int]:
    return {name: number for number, name in enumerate(names)}


def _first(name: str, numbers: dict[str, int]) -> dict[str, int]:
    return {name: numbers[name]} | numbers


FAMILIES = {
    "EM_68K": DwarfNumbers(
        _first("a7", _numbered(*(f"d{n}" for n in range(8)), *(f"a{n}" for n in range(8)))),
        back=24,
        scratch=("d0", "d1", "a0", "a1"),
    ),
    "EM_386": DwarfNumbers(
        _first("esp", _numbered("eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi")),
        back=8,
        scratch=("eax", "ecx", "edx"),
    ),
    "EM_PPC": DwarfNumbers(
        _first("r1", _numbered(*(f"r{n}" for n in range(32))) | {"lr": 108}),
        back=108,
        scratch=("r0", *(f"r{n}" for n in range(3, 13)), "lr"),
    ),
}


def frames_of(machine: Machine) -> bytes:
    """Return .debug_frame of a machine's program; b"" in real mode, whose stack gdb does not find."""
    if machine.image.boot == "real":
        return b""
    family = FAMILIES[machine.image.family.machine]
    routines = Unwinding(machine, list(family.registers), family.scratch).routines()
    rows = [(each.start, each.end, [_frame_row(row, family) for row in each.rows]) for each in routines]
    return frame_section(machine.image.byte_order, family.back, rows) if rows else b""


def _frame_row(row: UnwindRow, family: DwarfNumbers) -> FrameRow:
    numbers = {**family.registers, PC: family.back}
    rules: dict[int, Rule] = {numbers[name]: (SAVED, offset) for name, offset in row.slots.items()}
    rules |= {numbers[name]: (REGISTER, numbers[other]) for name, other in row.moved.items()}
    rules |= {numbers[name]: (UNDEFINED, 0) for name in row.lost}
    return FrameRow(row.address, numbers[row.base], row.offset, rules)


def file_of(program: Rom | Image, image: Image, name: str | Path) -> Path | None:
    """Return the ELF file that an image was read from; None where it was put together from something else.

    name   what the user opened
    """
    path = program.path / program.image_info(image.isa, image.build).file if isinstance(program, Rom) else Path(name)
    try:
        content = read_regular(path, MAX_IMAGE_BYTES)
    except (OSError, ValueError):
        return None
    is_it = content.startswith(ELF_MAGIC) and digest_of(content) == image.sha256
    return path if is_it else None


def elf_of(machine: Machine, path: Path | None) -> bytes:
    """Return a machine's program as an ELF file, its own or one made of what was loaded, with tables for backtraces."""
    elf = image_elf(machine.image) if path is None else path.read_bytes()
    frames = frames_of(machine)
    return with_frames(elf, frames) if frames else elf
