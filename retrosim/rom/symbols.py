"""The symbol table of an image."""

from __future__ import annotations

import re
import struct
from bisect import bisect_right
from dataclasses import dataclass

MAX_SYMBOLS = 65536
SOME_NAMES = 5  # of many, in an error
MAX_NAME = 1024  # characters; C++ has such

_NUMBER = re.compile(r"(0[xX]|\$)([0-9a-fA-F]{1,8})$|([0-9]{1,10})$")
_OFFSET = re.compile(r"(.+?)\s*([+-])\s*(0[xX][0-9a-fA-F]{1,8}|\$[0-9a-fA-F]{1,8}|[0-9]{1,10})$")

_NOTYPE, _OBJECT, _FUNCTION = 0, 1, 2  # ELF symbol types
_LOCAL = 0  # ELF binding
_UNDEFINED, _RESERVED = 0, 0xFF00  # section numbers


@dataclass(frozen=True)
class Symbol:
    """A name in an image.

    address, size  bytes; size 0 where the source did not say
    kind           "function" or "object"
    """

    address: int
    size: int
    kind: str


class SymbolTable:
    """All functions and objects by name, and functions by address."""

    def __init__(self, symbols: dict[str, Symbol]) -> None:
        """Sort the functions of a name -> symbol table by address."""
        self.by_name = symbols
        functions = sorted((s.address, s.size > 0, s.size, name) for name, s in symbols.items() if s.kind == "function")
        self._functions = functions
        self._addresses = [address for address, *_ in functions]

    def place(self, text: str) -> int | None:
        """Return the address that "symbol", "symbol+0x10" or a number names, which may lie anywhere; None for none."""
        if text in self.by_name:
            return self.by_name[text].address
        if (number := _number(text)) is not None:
            return number
        if (parts := _OFFSET.match(text)) and parts[1] in self.by_name:
            distance = _number(parts[3]) or 0
            return self.by_name[parts[1]].address + (distance if parts[2] == "+" else -distance)
        return None

    def ranges(self) -> list[tuple[int, int | None, str]]:
        """Return (first address, address after the last or None, name) of the functions that `at` finds, by address."""
        last = {
            address: (address, address + size if sized else None, name)
            for address, sized, size, name in self._functions
        }
        return list(last.values())

    def at(self, pc: int) -> tuple[str, int] | None:
        """Return the function an address lies in and the offset from its start.

        A function without a size reaches to the next one.
        """
        index = bisect_right(self._addresses, pc) - 1
        if index < 0:
            return None
        address, sized, size, name = self._functions[index]
        return None if sized and pc >= address + size else (name, pc - address)


def _number(text: str) -> int | None:
    match = _NUMBER.match(text)
    if match is None:
        return None
    return int(match[2], 16) if match[2] else int(match[3])


def read_symbols(table: bytes, names: bytes, byte_order: str, is_code: list[bool], end: int) -> SymbolTable:
    """Decode the sections .symtab and .strtab of a 32-bit ELF.

    table, names  contents of the two sections
    byte_order    "big" or "little"
    is_code       per section: does it hold instructions
    end           of memory: what has a size lies below
    Errors        ValueError with the reason
    """
    entry = struct.Struct((">" if byte_order == "big" else "<") + "IIIBBH")
    if len(table) % entry.size:
        raise ValueError("the symbol table is truncated")
    if len(table) > MAX_SYMBOLS * entry.size:
        raise ValueError(f"more than {MAX_SYMBOLS} symbols")
    found: dict[str, tuple[bool, Symbol]] = {}
    for start, address, size, info, _, section in entry.iter_unpack(table):
        binding, kind = info >> 4, info & 15
        if kind > _FUNCTION or section == _UNDEFINED or section >= _RESERVED:
            continue
        if section >= len(is_code):
            raise ValueError("a symbol lies in a section that does not exist")
        try:
            name = symbol_name(names, start).decode("utf-8")
        except UnicodeDecodeError:
            raise ValueError("a symbol's name is not text") from None
        if not name:
            continue
        if size and address + size > end:
            raise ValueError(f"symbol {name[:40]!r} ({size} bytes at {address:#x}) reaches beyond RAM, {end:#x}")
        is_function = kind == _FUNCTION or (kind == _NOTYPE and is_code[section])
        symbol = Symbol(address, size, "function" if is_function else "object")
        is_global = binding != _LOCAL
        if name not in found or (is_global and not found[name][0]):
            found[name] = (is_global, symbol)
    return SymbolTable({name: symbol for name, (_, symbol) in found.items()})


def symbol_name(names: bytes, start: int) -> bytes:
    """Return a name of a table of names. Errors: ValueError."""
    end = names.find(b"\0", start, start + MAX_NAME + 1)
    if start >= len(names) or end < 0:
        raise ValueError("a symbol's name lies outside the table of names or is too long")
    return names[start:end]
