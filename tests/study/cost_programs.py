"""A user's own routines as ELF files, made without a compiler."""

from __future__ import annotations

from pathlib import Path

from elf_builder import elf, symbol

ADDRESS = 0x2000
FUNCTION, OBJECT = 0x12, 0x11  # global symbols

# long sum(long n): n + (n - 1) + ... + 1
#   move.l 4(sp),d0 / moveq #0,d1 / loop: add.l d0,d1 / subq.l #1,d0 / bne.s loop / move.l d1,d0 / rts
SUM = "202F 0004 7200 D280 5380 66FA 2001 4E75"
ENDLESS = "60FE"  # bra.s to itself


def write_elf(path: Path, code: str, *, address: int = ADDRESS, flags: int = 0, **names: int) -> Path:
    """Write an executable of one segment; `names` are functions, those that begin with `data_` objects."""
    content = bytes.fromhex(code)
    strings, table = b"\0", symbol(0, 0, 0, 0, 0)
    for name, place in names.items():
        table += symbol(len(strings), place, 0, OBJECT if name.startswith("data_") else FUNCTION, 1)
        strings += name.encode() + b"\0"
    sections = [(".text", 1, 6, b"", 0), (".symtab", 2, 0, table, 3), (".strtab", 3, 0, strings, 0)]
    segments = [(address, content, len(content))]
    path.write_bytes(elf(segments, entry=address, flags=flags, sections=sections))
    return path
