"""The program of a machine as a file for a client: gdb takes symbols and source lines from an ELF file alone."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from retrosim.reading import read_regular
from retrosim.rom import Image, Rom
from retrosim.rom.elf_write import CODE, ZEROS, ElfSymbol, Section, write_elf
from retrosim.rom.frames import with_frames
from retrosim.rom.image import ELF_MAGIC, MAX_IMAGE_BYTES
from retrosim.rom.toolchains import COMMON

from .gdb_frames import frames_of

if TYPE_CHECKING:
    from retrosim.machine import Machine


def file_of(program: Rom | Image, image: Image, name: str | Path) -> Path | None:
    """Return the ELF file that an image was read from; None where it was put together from something else.

    name   what the user opened
    """
    path = program.path / program.image_info(image.isa, image.build).file if isinstance(program, Rom) else Path(name)
    try:
        content = read_regular(path, MAX_IMAGE_BYTES)
    except (OSError, ValueError):
        return None
    is_it = content.startswith(ELF_MAGIC) and hashlib.sha256(content).hexdigest() == image.sha256
    return path if is_it else None


def elf_of(machine: Machine, path: Path | None) -> bytes:
    """Return a machine's program as an ELF file, its own or one made of what was loaded, with tables for backtraces."""
    elf, frames = _elf_of(machine.image, path), frames_of(machine)
    return with_frames(elf, frames) if frames else elf


def _elf_of(image: Image, path: Path | None) -> bytes:
    if path is not None:
        return path.read_bytes()
    sections = [Section(f".load{n}", start, CODE, data) for n, (start, data) in enumerate(image.segments)]
    sections += [Section(f".zero{n}", start, ZEROS, size=size) for n, (start, size) in enumerate(image.bss)]

    def section_of(address: int) -> int | None:
        found = (n for n, each in enumerate(sections) if each.address <= address < each.address + max(1, each.bytes))
        return next(found, None)

    symbols = [
        ElfSymbol(name, each.address, each.size, each.kind, is_global=True, section=section_of(each.address))
        for name, each in image.symbols.items()
    ]
    return write_elf(image.family.machine, image.byte_order, image.entry, sections, symbols, image.lines)


def source_folders(program: Rom | Image) -> list[Path]:
    """Return the folders in which the sources of a program's lines are, those of start-up code included."""
    if not isinstance(program, Rom):
        return []
    common = program.path.parent / COMMON
    folders = (program.path / "src", common / "program", common / "library", common / "runtime")
    return [folder for folder in folders if folder.is_dir()]
