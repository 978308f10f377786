"""Atari ST executables (.PRG, .TOS, .TTP): header, text, data, symbols, relocations.

Sources: Atari Corp., GEMDOS Reference Manual (1986), "Executable file format", for header, DRI symbols and relocations;
GST's longer names, whose next entry holds characters 9 to 22 (symbol type 0x48), as vlink writes and Hatari reads them.
"""

from __future__ import annotations

from retrosim.reading import digest_of

from ..image import Image, Stretch, checked, placed
from ..symbols import MAX_SYMBOLS, Symbol, SymbolTable
from .reading import Source, text

MAGIC = b"\x60\x1a"
SYMBOL_BYTES, BASEPAGE_BYTES = 14, 256
TEXT, DATA, BSS, DEFINED, LONG_NAME = 0x0200, 0x0400, 0x0100, 0x8000, 0x48
STACK_BYTES = 0x4000


def load(content: bytes) -> Image:
    """Load an Atari executable: basepage, text, data and bss one behind the other. Errors: ValueError."""
    source = Source(content, "big")
    source.take(2)
    text_bytes, data_bytes, bss_bytes, symbol_bytes = source.longs(4, "the header")
    source.longs(2, "the header")
    is_fixed = source.number(2, "the header") != 0
    body = bytearray(source.take(text_bytes + data_bytes, "text and data"))
    table = source.take(symbol_bytes, "the symbol table")
    page, start = placed([BASEPAGE_BYTES, len(body) + bss_bytes + STACK_BYTES])
    if not is_fixed:
        _relocate(body, source, start)
    size = len(body) + bss_bytes
    lengths = (start, text_bytes, start + text_bytes, data_bytes, start + len(body), bss_bytes)
    basepage = b"".join(word.to_bytes(4, "big") for word in (page, start + size + STACK_BYTES, *lengths))
    # above the return address of a program that ends by RTS lies what GEMDOS passes: the basepage
    stack = start + size + STACK_BYTES - 4
    parts = [Stretch(page, basepage, BASEPAGE_BYTES), Stretch(start, bytes(body), size + STACK_BYTES - 4)]
    parts.append(Stretch(stack, page.to_bytes(4, "big"), 4))
    segments, bss = checked(parts)
    if not text_bytes:
        raise ValueError("has no code")
    bases = {TEXT: start, DATA: start + text_bytes, BSS: start + len(body)}
    return Image(
        isa="m68000",
        build="",
        entry=start,
        segments=segments,
        bss=bss,
        sha256=digest_of(content),
        symbol_table=SymbolTable(_symbols(table, bases, start + size)),
        system="atari",
        registers={"a7": stack},
        returns=True,
    )


def _relocate(body: bytearray, source: Source, start: int) -> None:
    """Add the address of the text to the words that the table names: the first by its offset, then steps of a byte."""
    at = source.long() if source.left >= 4 else 0
    if not at:
        return
    _add(body, at, start)
    for step in source.take(source.left):
        if not step:
            return
        if step == 1:  # no word yet
            at += 254
        else:
            at += step
            _add(body, at, start)


def _add(body: bytearray, at: int, start: int) -> None:
    if at % 2 or at + 4 > len(body):
        raise ValueError(f"has a relocation at {at:#x}; allowed are even offsets in text and data")
    value = int.from_bytes(body[at : at + 4], "big") + start
    body[at : at + 4] = (value & 0xFFFFFFFF).to_bytes(4, "big")


def _symbols(table: bytes, bases: dict[int, int], end: int) -> dict[str, Symbol]:
    """Decode the symbols. Linkers count those of data from its start or from that of the text: the file shows which."""
    source = Source(table[: len(table) - len(table) % SYMBOL_BYTES], "big")
    if source.left > MAX_SYMBOLS * SYMBOL_BYTES:
        raise ValueError(f"more than {MAX_SYMBOLS} symbols")
    found = []
    while source.left:
        padded, kind, value = source.take(8), source.word(), source.long()
        if kind & LONG_NAME == LONG_NAME and source.left:
            padded += source.take(SYMBOL_BYTES)
        section = kind & 0xF00
        if kind & DEFINED and section in bases:
            found.append((text(padded), section, value))
    text_end = bases[DATA] - bases[TEXT]
    from_section = any(section != TEXT and value < text_end for _, section, value in found)
    symbols: dict[str, Symbol] = {}
    for name, section, value in found:
        address = value + (bases[section] if from_section else bases[TEXT])
        is_file = name.endswith((".o", ".a")) or "/" in name
        if name and not is_file and bases[TEXT] <= address <= end:
            symbols.setdefault(name, Symbol(address, 0, "function" if section == TEXT else "object"))
    return symbols
