"""Amiga executables: hunks of code, data and zeros, their relocations, symbols and source lines.

A hunk may lie anywhere. Sources: Commodore-Amiga, The AmigaDOS Manual (1991), chapter 10, for kinds and layouts; NDK
3.1, dos/doshunks.h, for 0x3FC, relocations with words of 16 bits, which executables of AmigaDOS 2.04 call 0x3F7. Debug
information of the kind LINE, of SAS/C and of assemblers: an offset in the hunk, "LINE", a file name, and pairs of line
and offset.
"""

from __future__ import annotations

from retrosim.reading import digest_of

from ..image import Image, Stretch, checked, placed
from ..lines import MAX_ROWS, LineTable, Row
from ..symbols import MAX_SYMBOLS, Symbol, SymbolTable
from .reading import Source, text

MAGIC = b"\0\0\3\xf3"
CODE, DATA, BSS, RELOC32, SYMBOL, DEBUG, END = 0x3E9, 0x3EA, 0x3EB, 0x3EC, 0x3F0, 0x3F1, 0x3F2
OVERLAY, BREAK, RELOC32_SHORT_V37, RELOC32_SHORT = 0x3F5, 0x3F6, 0x3F7, 0x3FC
NAME = 0x3E8
KIND = 0x3FFFFFFF  # above: what memory a hunk wants
MAX_HUNKS = 1024
LINE = b"LINE"


class _Hunks:
    """The hunks of one file, in the order of their numbers."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.sizes = _sizes(source)
        self.at = placed(self.sizes)
        self.contents = [bytearray() for _ in self.sizes]
        self.kinds = [BSS for _ in self.sizes]
        self.symbols: dict[str, Symbol] = {}
        self.rows: list[Row] = []
        self.ends: list[int] = []
        number, ended = -1, 0
        while source.left >= 4:
            kind = source.long() & KIND
            ended += kind == END
            if ended > len(self.sizes):
                raise ValueError(f"ends more hunks than the {len(self.sizes)} that its header names")
            if kind in (CODE, DATA, BSS):
                number += 1
                self._contents(number, kind)
            elif kind == OVERLAY:
                raise ValueError("is an Amiga program with overlays, which AmigaDOS loads; link it without them")
            elif kind == BREAK:
                break
            elif number < 0 and kind not in (NAME, DEBUG):
                raise ValueError(f"has hunk kind {kind:#x} before any code")
            else:
                self._about(max(number, 0), kind)
        if number != len(self.sizes) - 1:
            raise ValueError(f"is truncated: its header names {len(self.sizes)} hunks, the file has {number + 1}")

    def _contents(self, number: int, kind: int) -> None:
        if number >= len(self.sizes):
            raise ValueError(f"has more hunks than the {len(self.sizes)} that its header names")
        size = 4 * (self.source.long() & KIND)
        if size > self.sizes[number]:
            raise ValueError(f"hunk {number} is larger than its header says")
        self.kinds[number] = kind
        if kind != BSS:
            self.contents[number] = bytearray(self.source.take(size, f"hunk {number}"))

    def _about(self, number: int, kind: int) -> None:
        """Read what belongs to a hunk: relocations, symbols, lines."""
        source = self.source
        if kind == END:
            return
        if kind == RELOC32:
            while count := source.long():
                target = source.long()
                self._relocate(number, target, source.longs(count, "a list of relocations"))
        elif kind in (RELOC32_SHORT, RELOC32_SHORT_V37):
            while count := source.word():
                target = source.word()
                self._relocate(number, target, source.words(count, "a list of relocations"))
            source.at += -source.at % 4
        elif kind == SYMBOL:
            while size := source.long():
                self._symbol(number, text(source.take(4 * (size & 0xFFFFFF), "a symbol")), source.long())
        elif kind == DEBUG:
            self._lines(number, Source(source.take(4 * source.long(), "debug information"), "big"))
        elif kind == NAME:
            source.take(4 * source.long(), "a name")
        else:
            raise ValueError(f"has hunk kind {kind:#x}, which is not part of an executable; link it first")

    def _relocate(self, number: int, target: int, offsets: list[int]) -> None:
        """Add the address of hunk `target` to words of hunk `number`."""
        if target >= len(self.at):
            raise ValueError(f"refers to hunk {target}; there are {len(self.at)}")
        content, base = self.contents[number], self.at[target]
        for offset in offsets:
            if offset + 4 > len(content):
                raise ValueError(f"has a relocation outside hunk {number}")
            value = int.from_bytes(content[offset : offset + 4], "big") + base
            content[offset : offset + 4] = (value & 0xFFFFFFFF).to_bytes(4, "big")

    def _symbol(self, number: int, name: str, offset: int) -> None:
        if len(self.symbols) >= MAX_SYMBOLS:
            raise ValueError(f"more than {MAX_SYMBOLS} symbols")
        if name and offset <= self.sizes[number]:
            kind = "function" if self.kinds[number] == CODE else "object"
            self.symbols.setdefault(name, Symbol(self.at[number] + offset, 0, kind))

    def _lines(self, number: int, source: Source) -> None:
        """Read line numbers; what other debug information there is has no public layout, and is skipped."""
        if source.left < 12 or source.slice(4, 4) != LINE:
            return
        base = source.long()
        source.take(4)
        file = text(source.take(4 * source.long(), "a file name")).replace("\\", "/").rpartition("/")[2]
        if len(self.rows) + source.left // 8 > MAX_ROWS:
            raise ValueError(f"more than {MAX_ROWS} source lines")
        while source.left >= 8:
            line, offset = source.long() & 0xFFFFFF, base + source.long()
            if offset < self.sizes[number]:
                self.rows.append((self.at[number] + offset, file, line))
        self.ends.append(self.at[number] + self.sizes[number])


def _sizes(source: Source) -> list[int]:
    """Read the header; return the bytes of each hunk in memory."""
    source.take(4)
    if source.long():
        raise ValueError("asks for resident libraries, which only AmigaDOS 1.x had")
    source.long()  # size of the table
    first, last = source.long(), source.long()
    count = last - first + 1
    if first or not 1 <= count <= MAX_HUNKS:
        raise ValueError(f"has hunks {first}..{last}; allowed 0..{MAX_HUNKS - 1}")
    sizes = []
    for _ in range(count):
        size = source.long()
        if size >> 30 == 3:
            source.long()  # kind of memory
        sizes.append(4 * (size & KIND))
    return sizes


def load(content: bytes) -> Image:
    """Load an Amiga executable; it begins at the first byte of its first hunk. Errors: ValueError."""
    program = _Hunks(Source(content, "big"))
    parts = [
        Stretch(at, bytes(content), size)
        for at, content, size in zip(program.at, program.contents, program.sizes, strict=True)
    ]
    segments, bss = checked(parts, "hunk")
    if program.kinds[0] != CODE or not program.contents[0]:
        raise ValueError("its first hunk is not code")
    return Image(
        isa="m68000",
        build="",
        entry=program.at[0],
        segments=segments,
        bss=bss,
        sha256=digest_of(content),
        symbol_table=SymbolTable(program.symbols),
        line_table=LineTable(program.rows, program.ends),
        system="amiga",
        returns=True,
    )
