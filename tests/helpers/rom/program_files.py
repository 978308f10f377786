"""Writers of formats whose tools are not packaged, from their published layouts; and a routine for each.

Layouts: as `retrosim.rom.formats.hunk`, `prg` and `dos` name them.
"""

from __future__ import annotations

import struct

# long count(pixels, n): bytes that are not 0. The table and the counter are reached by absolute addresses.
#   00 movea.l 4(sp),a0 / move.l 8(sp),d1 / moveq #0,d0 / bra.s test
#   0c loop: tst.b (a0)+ / beq.s test / addq.l #1,d0
#   12 test: dbra d1,loop (n + 1 steps, the first without a byte) / addq.l #1,CALLS / rts
COUNT = bytes.fromhex("206f0004 222f0008 7000 6006 4a18 6702 5280 51c9 fff8 52b900000000 4e75".replace(" ", ""))
COUNT_CALLS = 0x18  # where the address of CALLS stands
START_AMIGA = bytes.fromhex("2c780004 7000 43fa 0000 4eae fdd8 4e75".replace(" ", ""))  # OpenLibrary
START_ATARI = bytes.fromhex("4879 00000000 3f3c 0009 4e41 4e75".replace(" ", ""))  # Cconws(TEXT)
START_ATARI_TEXT = 2


def longs(*values: int) -> bytes:
    return struct.pack(f">{len(values)}I", *(value & 0xFFFFFFFF for value in values))


def _padded(name: bytes) -> bytes:
    return name + bytes(-len(name) % 4)


def hunk_symbols(symbols: dict[str, int]) -> bytes:
    """Return a block of symbols: names in long words, each with its offset."""
    body = b"".join(
        longs(len(_padded(name.encode())) // 4) + _padded(name.encode()) + longs(offset)
        for name, offset in symbols.items()
    )
    return longs(0x3F0) + body + longs(0)


def hunk_lines(file: str, lines: dict[int, int]) -> bytes:
    """Return a block of source lines: offset -> line."""
    name = _padded(file.encode())
    body = longs(0) + b"LINE" + longs(len(name) // 4) + name
    body += b"".join(longs(line, offset) for offset, line in lines.items())
    return longs(0x3F1, len(body) // 4) + body


def hunk_program(*, short: bool = False) -> bytes:
    """Return an Amiga executable of code, data and zeros.

    short   its relocations are words of 16 bits
    """
    code = _padded(COUNT + START_AMIGA)
    sizes = (len(code) // 4, 2, 4)
    content = longs(0x3F3, 0, 3, 0, 2, sizes[0], sizes[1] | 0x40000000, sizes[2])
    content += longs(0x3E9, sizes[0]) + code
    if short:
        content += longs(0x3FC) + struct.pack(">4H", 1, 2, COUNT_CALLS, 0)
    else:
        content += longs(0x3EC, 1, 2, COUNT_CALLS, 0)
    content += hunk_symbols({"count": 0, "start": len(COUNT)}) + hunk_lines("count.s", {0: 3, 8: 4, 0x0C: 6, 0x12: 9})
    content += longs(0x3F2)
    content += longs(0x3EA, 2) + longs(0, 0x12345678) + longs(0x3EC, 1, 0, 0, 0)
    content += hunk_symbols({"pointer": 0, "number": 4}) + longs(0x3F2)
    return content + longs(0x3EB, 4) + hunk_symbols({"calls": 0}) + longs(0x3F2)


def prg_program(*, long_names: bool = True) -> bytes:
    """Return an Atari executable; with DRI's names of 8 characters, or GST's of 22."""
    code = START_ATARI + COUNT
    data = b"solid\r\n\0"
    count = len(START_ATARI)
    bss = len(code) + len(data)
    body = bytearray(code + data)
    body[START_ATARI_TEXT : START_ATARI_TEXT + 4] = longs(len(code))
    body[count + COUNT_CALLS : count + COUNT_CALLS + 4] = longs(bss)
    symbols = b""
    for name, kind, value in (("count_solid", 0x200, count), ("text", 0x400, len(code)), ("calls", 0x100, bss)):
        is_long = long_names and len(name) > 8
        raw = name.encode()
        symbols += struct.pack(">8sHI", raw[:8], 0xA000 | kind | (0x48 if is_long else 0), value)
        symbols += struct.pack(">14s", raw[8:]) if is_long else b""
    header = b"\x60\x1a" + longs(len(code), len(data), 16, len(symbols), 0, 0) + b"\0\0"
    fixups = longs(START_ATARI_TEXT) + bytes([count + COUNT_CALLS - START_ATARI_TEXT, 0])
    return header + bytes(body) + symbols + fixups


# near count: bytes at ds:si, cx of them that are not 0; and a start that asks DOS to end with 5
#   xor ax,ax / next: cmp byte [si],1 / cmc / adc ax,0 / inc si / loop next / ret
MZ_COUNT = bytes.fromhex("31c0 803c01 f5 83d000 46 e2f6 c3".replace(" ", ""))
#   mov ax,DATA / mov ds,ax / mov si,0 / mov cx,5 / call count / mov ax,4c05h / int 21h
MZ_START = bytes.fromhex("b80000 8ed8 be0000 b90500 e8 0500 b8054c cd21".replace(" ", ""))


def mz_program() -> bytes:
    """Return a DOS executable with one relocation, that of its data segment."""
    code = MZ_START + MZ_COUNT
    code += bytes(-len(code) % 16)
    body = bytearray(code + bytes([1, 0, 2, 0, 3]))
    body[1:3] = (len(code) // 16).to_bytes(2, "little")
    size = 32 + len(body)
    header = struct.pack(
        "<2s13H", b"MZ", size % 512, size // 512 + 1, 1, 2, 0x20, 0xFFFF, len(body) // 16 + 1, 0x200, 0, 0, 0, 28, 0
    )
    return header + struct.pack("<2H", 1, 0) + bytes(body)
