"""Effective addresses as they are written: Motorola's syntax, old and new, and GNU's marks (%d0, sym:w).

d0 a0 sp #1 (a0) (a0)+ -(a0) 4(a0) (4,a0) 4(a0,d0.w) (4,a0,d0.w*2) 4(pc) (sym).w sym.l sym ([4,a0],d0.l*2,8)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from ..assembly.expressions import Expression, Grammar, Unfit
from ..assembly.templates import split_operands

REGISTER_NUMBERS = {f"d{n}": n for n in range(8)} | {f"a{n}": 8 + n for n in range(8)} | {"sp": 15, "fp": 14}
_REGISTER = re.compile(r"%?(d[0-7]|a[0-7]|sp|fp)", re.IGNORECASE)
_BASE = re.compile(r"%?(a[0-7]|sp|fp|pc|zpc|za[0-7])", re.IGNORECASE)
_INDEX = re.compile(r"%?([da][0-7]|sp|fp)(?:[.:]([wl]))?(?:[*:]([1248]))?", re.IGNORECASE)
_SIZED = re.compile(r"(.*\S)\s*[.:]([wlWL])")
_SIMPLE = tuple(
    (form, re.compile(pattern))
    for form, pattern in (("I", r"\(%?(\w+)\)"), ("+", r"\(%?(\w+)\)\s*\+"), ("-", r"-\s*\(%?(\w+)\)"))
)
PC = 16  # in place of an address register


def register_number(text: str) -> int | None:
    """Return the number of a register, 8 and up for address registers, or None where the text is none."""
    found = _REGISTER.fullmatch(text.strip())
    return REGISTER_NUMBERS[found[1].lower()] if found else None


@dataclass(frozen=True)
class Written:
    """An operand as it is written.

    form    letter of a simple mode (D A I + - #), "w" for a plain address, "d" for a base or index with displacement,
            "[" for memory indirect
    base    register 8..15, PC, or None
    disp    displacement, address or immediate, and the size that is given for it ("w", "l" or "")
    index   (register, is long, log2 of the scale) or None
    outer   the second displacement of memory indirect;  late: is the index added behind the brackets?
    """

    form: str
    base: int | None = None
    disp: Expression | None = None
    size: str = ""
    index: tuple[int, int, int] | None = None
    outer: Expression | None = None
    outer_size: str = ""
    late: bool = False


@lru_cache(maxsize=16384)
def parse_ea(text: str, grammar: Grammar) -> Written:
    """Return what a text names. Errors: Unfit."""
    text = text.strip()
    if text.startswith("#"):
        return Written("#", disp=grammar.parse(text[1:]))
    register = register_number(text)
    if register is not None:
        return Written("A" if register >= 8 else "D", base=register)
    for form, pattern in _SIMPLE:
        found = pattern.fullmatch(text)
        number = register_number(found[1]) if found else None
        if number is not None and number >= 8:
            return Written(form, base=number)
    if text.startswith("([") and text.endswith(")"):
        return _indirect(text[1:-1], grammar)
    if text.endswith(")"):
        start = _opening(text)
        parts = list(split_operands(text[start + 1 : -1]))
        outside = text[:start].strip()
        if any(_BASE.fullmatch(part) or _INDEX.fullmatch(part) for part in parts):
            return _based(parts, outside, grammar)
    return _address(text, grammar)


def _opening(text: str) -> int:
    """Return where the bracket opens that the last character closes."""
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += (text[at] == ")") - (text[at] == "(")
        if not depth:
            return at
    raise Unfit(f"{text!r}: ( is missing")


def _sized(text: str, grammar: Grammar) -> tuple[Expression, str]:
    found = _SIZED.fullmatch(text)
    if found:
        return grammar.parse(found[1]), found[2].lower()
    return grammar.parse(text), ""


def _address(text: str, grammar: Grammar) -> Written:
    value, size = _sized(text, grammar)
    if not size and text.startswith("(") and text.endswith(")") and _opening(text) == 0:
        value, size = _sized(text[1:-1], grammar)
    return Written("w", disp=value, size=size)


def _based(parts: list[str], outside: str, grammar: Grammar) -> Written:
    disp, size = _sized(outside, grammar) if outside else (None, "")
    base, index = None, None
    for part in parts:
        found = _BASE.fullmatch(part)
        if found and base is None:
            base = _base_number(found[1])
        elif index is None and (indexed := _INDEX.fullmatch(part)):
            index = _index(indexed)
        elif disp is None and base is None and index is None:
            disp, size = _sized(part, grammar)
        else:
            raise Unfit(f"{part!r} is no part of an address")
    return Written("d", base=base, disp=disp, size=size, index=index)


def _base_number(name: str) -> int:
    name = name.lower()
    if name.startswith("z"):
        raise Unfit(f"{name}: write the address without a base")
    return PC if name == "pc" else REGISTER_NUMBERS[name]


def _index(found: re.Match[str]) -> tuple[int, int, int]:
    is_long = int((found[2] or "w").lower() == "l")
    return REGISTER_NUMBERS[found[1].lower()], is_long, (found[3] and int(found[3]).bit_length() - 1) or 0


def _indirect(text: str, grammar: Grammar) -> Written:
    """Parse [bd,base,index],outer or [bd,base],index,outer."""
    inside, _, behind = text[1:].rpartition("]")
    inner = _based_or_plain(list(split_operands(inside)), grammar)
    index, outer, outer_size, late = inner.index, None, "", False
    for part in split_operands(behind.lstrip(" ,")):
        found = _INDEX.fullmatch(part)
        if found and index is None:
            index, late = _index(found), True
        elif outer is None:
            outer, outer_size = _sized(part, grammar)
        else:
            raise Unfit(f"{part!r} is no part of an address")
    return Written("[", inner.base, inner.disp, inner.size, index, outer, outer_size, late)


def _based_or_plain(parts: list[str], grammar: Grammar) -> Written:
    return _based([part for part in parts if part], "", grammar)
