"""A user's own routines as ELF files, made without a compiler."""

from __future__ import annotations

from pathlib import Path

from tests.helpers.rom.elf_builder import M68K, elf, symbol

ADDRESS = 0x2000
FUNCTION, OBJECT = 0x12, 0x11  # global symbols

# long sum(long n): n + (n - 1) + ... + 1
#   move.l 4(sp),d0 / moveq #0,d1 / loop: add.l d0,d1 / subq.l #1,d0 / bne.s loop / move.l d1,d0 / rts
SUM = "202F 0004 7200 D280 5380 66FA 2001 4E75"
# mtctr r3 / li r4,0 / loop: add r4,r4,r3 / addi r3,r3,-1 / bdnz loop / mr r3,r4 / blr
SUM_PPC = "7c69 03a6 3880 0000 7c84 1a14 3863 ffff 4200 fff8 7c83 2378 4e80 0020"
ENDLESS = "60FE"  # bra.s to itself


def write_elf(
    path: Path,
    code: str,
    *,
    address: int = ADDRESS,
    flags: int = 0,
    machine: int = M68K,
    order: str = ">",
    **names: int,
) -> Path:
    """Write an executable of one segment; `names` are functions, those that begin with `data_` objects."""
    content = bytes.fromhex(code)
    strings, table = b"\0", symbol(0, 0, 0, 0, 0, order=order)
    for name, place in names.items():
        table += symbol(len(strings), place, 0, OBJECT if name.startswith("data_") else FUNCTION, 1, order=order)
        strings += name.encode() + b"\0"
    sections = [(".text", 1, 6, b"", 0), (".symtab", 2, 0, table, 3), (".strtab", 3, 0, strings, 0)]
    segments = [(address, content, len(content))]
    content = elf(segments, entry=address, flags=flags, machine=machine, order=order, sections=sections)
    path.write_bytes(content)
    return path
