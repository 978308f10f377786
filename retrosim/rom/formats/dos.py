"""DOS programs: .COM, and MZ .EXE with its relocations, in real mode behind a program segment prefix.

Layouts: Microsoft, MS-DOS Programmer's Reference (1991), chapter 3 ("Program segment prefix") and chapter 9 (the header
of .EXE files).
"""

from __future__ import annotations

from retrosim.reading import digest_of

from ..image import Image, Stretch, checked
from .reading import Source

PREFIX_SEGMENT, PREFIX_BYTES = 0x1000, 0x100
PREFIX = PREFIX_SEGMENT << 4
FIRST, LOW_END = 0x400, 0xA0000  # conventional memory
SPAN = 1 << 16  # of a segment
COM_BYTES = SPAN - PREFIX_BYTES - 2  # what a .COM has at most: its stack holds a word
STACK_BYTES = 0x1000  # below the stack pointer: no routine returns there
MAX_RELOCATIONS = 65535


def load_com(content: bytes) -> Image:
    """Load a .COM program: all segment registers the same, its first byte at offset 100h. Errors: ValueError."""
    if not content:
        raise ValueError("is empty")
    if len(content) > COM_BYTES:
        raise ValueError(f"is longer than the {COM_BYTES} bytes of a .COM program")
    everywhere = dict.fromkeys(("cs", "ds", "es", "ss"), PREFIX_SEGMENT)
    part = Stretch(PREFIX + PREFIX_BYTES, content, len(content))
    return _image(content, [part], part.address, {**everywhere, "esp": SPAN - 2}, PREFIX)


def load_exe(content: bytes) -> Image:
    """Load an MZ program. Errors: ValueError."""
    source = Source(content, "little", 2)
    in_last, pages, relocations, header, minimum, _, ss, sp, _, ip, cs, table = source.words(12, "the header")
    if len(content) >= 0x40 and table >= 0x40:
        _refuse_newer(content, int.from_bytes(content[0x3C:0x40], "little"))
    end = 512 * pages - (512 - in_last if in_last else 0)
    if not 0 < end <= len(content):
        raise ValueError(f"is truncated: its header says {end} bytes, the file has {len(content)}")
    body = bytearray(content[16 * header : end])
    segment = PREFIX_SEGMENT + PREFIX_BYTES // 16
    entries = Source(content, "little", table)
    for offset, base in _pairs(entries.words(2 * relocations, "the relocation table")):
        at = 16 * base + offset
        if at + 2 > len(body):
            raise ValueError(f"has a relocation at {base:#x}:{offset:#x}, outside the program")
        value = int.from_bytes(body[at : at + 2], "little") + segment
        body[at : at + 2] = (value & 0xFFFF).to_bytes(2, "little")
    cs, ss = (segment + cs) & 0xFFFF, (segment + ss) & 0xFFFF
    part = Stretch(segment << 4, bytes(body), len(body) + 16 * minimum)
    registers = {"cs": cs, "ds": PREFIX_SEGMENT, "es": PREFIX_SEGMENT, "ss": ss, "esp": sp}
    return _image(content, [part], (cs << 4) + ip, registers, _return_address(part, cs, (ss << 4) + sp))


def _pairs(words: list[int]) -> list[tuple[int, int]]:
    return list(zip(words[::2], words[1::2], strict=True))


def _refuse_newer(content: bytes, at: int) -> None:
    """Errors: ValueError for a program whose MZ part only says that it needs something else."""
    kinds = {
        b"PE": "a Windows program (PE); 32-bit code: give its object files (.o), or link them as ELF",
        b"NE": "a 16-bit Windows or OS/2 program (NE); link its routines for DOS",
        b"LE": "a program for a 32-bit DOS extender (LE); give its routines as ELF objects (.o)",
        b"LX": "an OS/2 program (LX); give its routines as ELF objects (.o)",
    }
    if (kind := kinds.get(content[at : at + 2])) is not None:
        raise ValueError(f"is {kind}")


def _return_address(part: Stretch, cs: int, stack: int) -> int:
    """Return an address that the code segment reaches and the program does not use. Errors: ValueError."""
    base = cs << 4
    taken = ((part.address, part.address + part.size), (stack - STACK_BYTES, stack))
    for at in range(base + SPAN - 16, base, -16):
        if all(at + 16 <= first or last <= at for first, last in taken):
            return at
    raise ValueError("fills its code segment: no address is left for its routines to return to")


def _image(content: bytes, parts: list[Stretch], entry: int, registers: dict[str, int], back: int) -> Image:
    top = LOW_END >> 4
    prefix = b"\xcd\x20" + top.to_bytes(2, "little") + bytes(0x7C) + b"\0\r"  # INT 20h, end of memory, no arguments
    parts = [Stretch(PREFIX, prefix, PREFIX_BYTES), *parts]
    segments, bss = checked(parts, "program", (FIRST, LOW_END))
    if not any(start <= entry < start + len(data) for start, data in segments[1:]):
        raise ValueError(f"entry {entry:#x} lies outside the program")
    return Image(
        isa="i386",
        build="",
        entry=entry,
        segments=segments,
        bss=bss,
        sha256=digest_of(content),
        boot="real",
        system="dos",
        registers=registers,
        return_address=back,
    )
