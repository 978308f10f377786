"""Operands as they are written: Intel's syntax, as nasm takes it, and the "ptr" of other assemblers.

eax  [ebx+ecx*4+8]  dword [es:bx]  word ptr fs:[bx+si-2]  [0x1234]
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from ..assembly.expressions import Expression, Grammar, Unfit

CODES = {
    8: ("al", "cl", "dl", "bl", "ah", "ch", "dh", "bh"),
    16: ("ax", "cx", "dx", "bx", "sp", "bp", "si", "di"),
    32: ("eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"),
}
REGISTERS = {name: (code, bits) for bits, names in CODES.items() for code, name in enumerate(names)}
SEGMENTS = {name: number for number, name in enumerate(("es", "cs", "ss", "ds", "fs", "gs"))}
SIZES = {"byte": 8, "word": 16, "dword": 32, "fword": None}
_SIZE = re.compile(r"(byte|word|dword|fword)\b\s*(?:ptr\b)?\s*", re.IGNORECASE)
_SEGMENT = re.compile(r"%?([c-gs]s)\s*:\s*", re.IGNORECASE)
_ESP = 4


@dataclass(frozen=True)
class Written:
    """An operand: a register, or memory.

    size      bits: of a register, or as written before memory; None where nothing says
    code      of a register, None for memory
    bits      of the registers in an address, None where there are none
    base, index  their codes, None where missing;  scale: 1 2 4 8
    """

    size: int | None
    code: int | None = None
    disp: Expression | None = None
    base: int | None = None
    index: int | None = None
    scale: int = 1
    bits: int | None = None
    segment: int | None = None


def register(text: str) -> tuple[int, int] | None:
    """Return (code, bits) of a register, None where the text is none."""
    return REGISTERS.get(text.strip().lower().removeprefix("%"))


def sized(text: str) -> tuple[int | None, str]:
    """Split off a size before an operand: (bits or None, the rest)."""
    found = _SIZE.match(text)
    return (SIZES[found[1].lower()], text[found.end() :].strip()) if found else (None, text.strip())


@lru_cache(maxsize=16384)
def parse_operand(text: str, grammar: Grammar) -> Written:
    """Return a register or a memory operand. Errors: Unfit."""
    size, rest = sized(text)
    found = register(rest)
    if found:
        return Written(found[1], found[0])
    segment = None
    override = _SEGMENT.match(rest)
    if override:
        segment, rest = SEGMENTS[override[1].lower()], rest[override.end() :]
    start = rest.find("[")
    if start < 0 or not rest.endswith("]"):
        if size and "ptr" in text.lower() and "[" not in rest:
            return Written(size, disp=grammar.parse(rest), segment=segment)
        raise Unfit(f"{text!r} is no register and no memory operand")
    inside = rest[start + 1 : -1].replace("][", "+").strip()
    override = _SEGMENT.match(inside)
    if override:
        segment, inside = SEGMENTS[override[1].lower()], inside[override.end() :]
    if rest[:start].strip():  # sym[ebx]
        inside = f"{inside}+{rest[:start].strip()}"
    return _address(inside, size, segment, grammar)


def _terms(text: str) -> list[tuple[str, str]]:
    """Split an address at + and - outside brackets: (sign, term)."""
    found, depth, start, sign = [], 0, 0, "+"
    for at, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if c in "+-" and not depth and text[start:at].strip() and text[start:at].rstrip()[-1:] not in "*/+-<>|&^~%":
            found.append((sign, text[start:at].strip()))
            sign, start = c, at + 1
    return [*found, (sign, text[start:].strip())]


def _address(inside: str, size: int | None, segment: int | None, grammar: Grammar) -> Written:
    registers: list[tuple[int, int, int]] = []  # code, bits, scale
    rest = []
    for sign, term in _terms(inside):
        part = _register_term(term)
        if part is None:
            rest.append(f"{sign}{term}")
        elif sign == "-":
            raise Unfit(f"[{inside}]: a register cannot be subtracted")
        else:
            registers.append(part)
    disp = grammar.parse("".join(rest).removeprefix("+")) if rest else None
    widths = {bits for _, bits, _ in registers}
    if len(widths) > 1 or 8 in widths or len(registers) > 2:
        raise Unfit(f"[{inside}] is no address")
    bits = widths.pop() if widths else None
    if bits == 16 and any(scale > 1 for _, _, scale in registers):
        raise Unfit(f"[{inside}]: registers of 16 bits have no scale")
    base, index, scale = _base_and_index(registers, inside)
    return Written(size, None, disp, base, index, scale, bits, segment)


def _register_term(term: str) -> tuple[int, int, int] | None:
    left, star, right = (part.strip() for part in term.partition("*"))
    if star and register(right) and not register(left):
        left, right = right, left
    found = register(left)
    if not found:
        return None
    if star and right not in ("1", "2", "3", "4", "5", "8", "9"):
        raise Unfit(f"{term}: allowed scales 1, 2, 4, 8")
    return (*found, int(right) if star else 1)


def _base_and_index(registers: list[tuple[int, int, int]], inside: str) -> tuple[int | None, int | None, int]:
    """Return base, index and scale; one scaled register alone becomes two where that is shorter."""
    if not registers:
        return None, None, 1
    if len(registers) == 1:
        code, _, scale = registers[0]
        if scale == 1:
            return code, None, 1
        if scale in (2, 3, 5, 9):
            return code, code, scale - 1
        return None, code, scale
    (first, _, one), (second, _, other) = registers
    if one != 1 or (second == _ESP and other == 1):
        first, second, one, other = second, first, other, one
    if one != 1 or other not in (1, 2, 4, 8):
        raise Unfit(f"[{inside}]: one register can have a scale: 1, 2, 4, 8")
    return first, second, other
