"""ELF files of every kind: linked executables, position-independent ones, objects and archives of objects."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from retrosim.errors import RomError
from retrosim.reading import read_file

from ..image import MAX_IMAGE_BYTES, Family, Image, read_image
from ..lines import LineTable
from .link import link
from .objects import Object, elf_family, read_archive, read_object
from .rebase import needs_moving, rebased

RELOCATABLE = 1  # e_type
KIT = {"EM_68K": "m68k.a", "EM_386": "i386.a", "EM_PPC": "ppc.a"}


def load(path: Path, content: bytes, isa: str | None, kit: Path | None) -> Image:
    """Load an ELF file or an archive of them.

    path     for messages
    isa      what it is to run on if its processor is of that family, None: what the file itself says
    kit      folder with the archives of what compilers call by themselves, None for none
    Errors   ValueError, RomError
    """
    if objects := objects_of(path, content):
        family = objects[0].family
        return link(objects, kit_objects(kit, family), content, isa if isa in family.isas else None)
    family = elf_family(content)
    isa = isa if isa in family.isas else None
    if not needs_moving(content):
        return read_image(path, content, isa, "")
    moved = rebased(content)
    image = read_image(path, moved.content, isa, "")
    lines = image.line_table.moved(moved.distance) if image.lines else LineTable([], [])
    return replace(image, line_table=lines, missing=moved.missing)


def objects_of(path: Path, content: bytes) -> list[Object]:
    """Return what an object or an archive holds, nothing of a linked ELF file. Errors: ValueError."""
    if content[:4] == b"!<ar":
        return read_archive(content)
    order = elf_family(content).byte_order
    is_object = int.from_bytes(content[16:18], order) == RELOCATABLE
    return [read_object(path.name, content)] if is_object else []


def kit_objects(folder: Path | None, family: Family) -> list[Object]:
    """Return what compilers call by themselves, nothing without a kit. Errors: RomError."""
    return list(_objects(folder / KIT[family.machine])) if folder is not None else []


@cache
def _objects(path: Path) -> tuple[Object, ...]:
    return tuple(read_archive(read_file(path, MAX_IMAGE_BYTES, RomError)))
