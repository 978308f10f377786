"""The formats of program files: one table says how each is recognised, what loads it, and what to do about the others.

A new format is one row of FORMATS, and a module beside this one if it can be loaded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from retrosim.errors import RomError

from ..image import Image
from . import dos, elf, hunk, prg, records, sources

HEAD_BYTES = 64  # of a file, that tell its format


@dataclass(frozen=True)
class File:
    """A file that is to be loaded, and what the user says of it.

    isa    what it is to run on if its processor is of that family, None for what the file itself says
    kit    folder with what compilers call by themselves, and headers, None for none
    note   gets a line of text about what is done
    flags  for the compiler of a C source
    """

    path: Path
    content: bytes
    isa: str | None = None
    kit: Path | None = None
    note: Callable[[str], None] = lambda text: None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Format:
    """A format.

    name      as people call it
    starts    what its files begin with, any of these
    suffixes  of its files' names, where they begin with nothing in particular
    at        where `starts` is looked for
    load      returns the image; errors are ValueErrors; None: cannot be loaded
    advice    what to do where it cannot
    machines  what its programs run on, in words
    """

    name: str
    starts: tuple[bytes, ...] = ()
    suffixes: tuple[str, ...] = ()
    at: int = 0
    load: Callable[[File], Image] | None = None
    advice: str = ""
    machines: str = ""

    def is_of(self, path: Path, head: bytes) -> bool:
        """Tell whether a file is of this format."""
        if self.starts:
            return head[self.at :].startswith(self.starts)
        return path.suffix.lower() in self.suffixes


def _known(load: Callable[[bytes], Image]) -> Callable[[File], Image]:
    """Return a loader of files whose processor is known, of a family the user may choose from."""

    def loader(file: File) -> Image:
        image = load(file.content)
        return replace(image, isa=file.isa) if file.isa in image.family.isas else image

    return loader


def _records(read: Callable[[bytes], records.Contents]) -> Callable[[File], Image]:
    def loader(file: File) -> Image:
        if file.isa is None:
            raise ValueError("does not say which processor it is for; name the machine: --machine NAME")
        return records.image_of(file.content, read(file.content), file.isa)

    return loader


def _load_elf(file: File) -> Image:
    return elf.load(file.path, file.content, file.isa, file.kit)


def _load_c(file: File) -> Image:
    content = sources.compiled(file.path, file.isa, file.kit, file.note, file.flags)
    return elf.load(file.path, content, file.isa, file.kit)


OBJECTS = "give its routines as ELF objects (.o)"
LINK_ELF = "link it as ELF, or " + OBJECTS

FORMATS = (
    Format("ELF executable or object", (b"\x7fELF",), load=_load_elf, machines="all"),
    Format("archive of ELF objects", (b"!<arch>\n",), load=_load_elf, machines="all"),
    Format("Amiga executable", (hunk.MAGIC,), load=_known(hunk.load), machines="68K"),
    Format("Atari executable", (prg.MAGIC,), load=_known(prg.load), machines="68K"),
    Format("DOS executable (MZ)", (b"MZ", b"ZM"), load=_known(dos.load_exe), machines="x86, real mode"),
    Format("S-records", tuple(b"S%d" % kind for kind in range(10)), load=_records(records.read_srec), machines="any"),
    Format("Intel hex", (b":",), load=_records(records.read_ihex), machines="any"),
    Format("thin archive", (b"!<thin>\n",), advice="make one that holds its objects: ar rc"),
    Format("Amiga object file", (b"\0\0\3\xe7", b"\0\0\3\xfa"), advice="link it as an Amiga executable, or as ELF"),
    Format("MiNT or Atari program of another kind", (b"\x60\x1b",), advice="link it as .PRG (magic 601A)"),
    Format(
        "Macintosh PowerPC program (PEF)",
        (b"Joy!peff",),
        advice=f"its code calls the Toolbox through import tables; {OBJECTS}",
    ),
    Format(
        "Macintosh file with a resource fork (AppleDouble)",
        (b"\0\5\x16\7", b"\0\5\x16\0"),
        advice=f"CODE resources need the Segment Loader of the Mac OS and its jump table; {OBJECTS}",
    ),
    Format("Mach-O file", (b"\xfe\xed\xfa", b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe"), advice=LINK_ELF),
    Format("Java class or universal Mach-O file", (b"\xca\xfe\xba\xbe",), advice=LINK_ELF),
    Format("XCOFF file", (b"\x01\xdf",), advice=LINK_ELF),
    Format("COFF object of a PC", (b"\x4c\x01",), advice="assemble it as ELF: nasm -f elf32, gcc for Linux"),
    Format("COFF file of a 68K", (b"\x01\x50",), advice=LINK_ELF),
    Format("a.out file", (b"\x01\x07", b"\x01\x08", b"\x01\x0b", b"\x07\x01", b"\x0b\x01"), advice=LINK_ELF),
    Format("compressed file", (b"\x1f\x8b", b"PK\3\4", b"BZh", b"\xfd7zXZ"), advice="unpack it first"),
    Format("compressed file (LHA)", (b"-lh", b"-lz"), at=2, advice="unpack it first"),
    Format("OMF object of DOS", suffixes=(".obj",), advice="assemble it as ELF: nasm -f elf32"),
    Format("DOS program (.COM)", suffixes=(".com",), load=_known(dos.load_com), machines="x86, real mode"),
    Format("C source", suffixes=(".c",), load=_load_c, machines="all"),
    Format("assembly source", suffixes=(".s", ".asm"), advice="assemble it first: retrosim asm"),
    Format("Pascal source", suffixes=(".pas", ".pp"), advice="`retrosim build` compiles it"),
    Format("C++ source", suffixes=(".cc", ".cpp", ".cxx"), advice="compile it first, with g++ -c"),
)


def format_of(path: Path, head: bytes) -> Format | None:
    """Return the format of a file, by its first bytes or its name; None for an unknown one."""
    return next((each for each in FORMATS if each.is_of(path, head)), None)


def load_file(file: File) -> Image:
    """Load a program. Errors: RomError, which names the format and what to do."""
    if not file.content:
        raise RomError(file.path, "is empty")
    found = format_of(file.path, file.content[:HEAD_BYTES])
    if found is None:
        raise RomError(
            file.path,
            "is of no known format; a flat binary needs --at ADDRESS (`run`, `cost`, `debug`). Known: "
            + ", ".join(each.name for each in FORMATS if each.load is not None)
            + ", assembly source (.s, .asm), Pascal source (.pas)",
        )
    if found.load is None:
        raise RomError(file.path, f"is of the format {found.name}, which cannot be loaded; {found.advice}")
    try:
        return found.load(file)
    except ValueError as error:
        raise RomError(file.path, f"{error} ({found.name})") from None
