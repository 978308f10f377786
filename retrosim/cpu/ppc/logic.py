"""Logical instructions, rotates and shifts of the PowerPC architecture (601UM sections 3.3.3, 3.3.4)."""

from __future__ import annotations

from ..spec.values import Word
from .flags import record
from .state import UM, insn


def x_form(code: int, record_bit: str = "c") -> str:
    """Return the pattern of opcode 31 with rS, rA, rB and a full extended opcode."""
    return f"011111dddddaaaaabbbbb{code:010b}{record_bit}"


def x_unary(code: int) -> str:
    return f"011111dddddaaaaa00000{code:010b}c"


def x_shift(code: int) -> str:
    return f"011111dddddaaaaahhhhh{code:010b}c"


def rotl(word: Word, count: Word) -> Word:
    """Rotate left by count modulo 32."""
    count = count & 31
    return word << count | word >> (-count & 31)


def result(m, t: Word, value: Word, rc: int) -> None:
    """Put a result into rA and record it."""
    m.set_reg(t, value)
    record(m, value, rc)


def _logic(operation):
    return lambda m, rc, t, s, b: result(m, t, operation(m.reg(s), m.reg(b)), rc)


for _name, _code, _operation in (
    ("and", 28, lambda s, b: s & b),
    ("andc", 60, lambda s, b: s & ~b),
    ("or", 444, lambda s, b: s | b),
    ("orc", 412, lambda s, b: s | ~b),
    ("xor", 316, lambda s, b: s ^ b),
    ("nand", 476, lambda s, b: ~(s & b)),
    ("nor", 124, lambda s, b: ~(s | b)),
    ("eqv", 284, lambda s, b: ~(s ^ b)),
):
    insn(f"{_name}{{rc}} {{t}},{{s}},{{b}}", x_form(_code), ref=UM)(_logic(_operation))


def _immediate(operation, shifted: bool, rc: int):
    if shifted:
        return lambda m, t, s, ushifted: result(m, t, operation(m.reg(s), ushifted), rc)
    return lambda m, t, s, uimm: result(m, t, operation(m.reg(s), uimm), rc)


for _name, _opcode, _operation in (
    ("ori", 24, lambda s, i: s | i),
    ("xori", 26, lambda s, i: s ^ i),
    ("andi", 28, lambda s, i: s & i),
):
    _dot = "." if _name == "andi" else ""
    for _letter, _kind, _add in (("", "uimm", 0), ("s", "ushifted", 1)):
        insn(
            f"{_name[:-1]}i{_letter}{_dot} {{t}},{{s}},{{{_kind}}}", f"{_opcode + _add:06b}dddddaaaaa{'i' * 16}", ref=UM
        )(_immediate(_operation, bool(_letter), int(bool(_dot))))


@insn("extsb{rc} {t},{s}", x_unary(954), ref=UM)
def extsb(m, rc, t, s):
    result(m, t, m.reg(s).trunc(8).sext(32), rc)


@insn("extsh{rc} {t},{s}", x_unary(922), ref=UM)
def extsh(m, rc, t, s):
    result(m, t, m.reg(s).trunc(16).sext(32), rc)


@insn("cntlzw{rc} {t},{s}", x_unary(26), ref=UM)
def cntlzw(m, rc, t, s):
    result(m, t, m.reg(s).count_leading_zeros(), rc)


# --- rotates


def m_form(opcode: int, count: str) -> str:
    return f"{opcode:06b}dddddaaaaa{count * 5}mmmmmeeeeec"


@insn("rlwinm{rc} {t},{s},{sh},{mask}", m_form(21, "h"), ref=UM)
def rlwinm(m, rc, t, s, sh, mask):
    result(m, t, rotl(m.reg(s), sh) & mask, rc)


@insn("rlwnm{rc} {t},{s},{b},{mask}", m_form(23, "b"), ref=UM)
def rlwnm(m, rc, t, s, b, mask):
    result(m, t, rotl(m.reg(s), m.reg(b)) & mask, rc)


@insn("rlwimi{rc} {u},{s},{sh},{mask}", m_form(20, "h"), ref=UM)
def rlwimi(m, rc, u, s, sh, mask):
    result(m, u, insert(rotl(m.reg(s), sh), m.reg(u), mask), rc)


def insert(new: Word, old: Word, mask: Word) -> Word:
    """Return new where the mask has ones, old elsewhere."""
    return new & mask | old & ~mask


# --- shifts: counts of six bits, in words of 64 so that 32 and more need no case of their own


@insn("slw{rc} {t},{s},{b}", x_form(24), ref=UM)
def slw(m, rc, t, s, b):
    count = (m.reg(b) & 63).zext(64)
    result(m, t, (m.reg(s).zext(64) << count).trunc(32), rc)


@insn("srw{rc} {t},{s},{b}", x_form(536), ref=UM)
def srw(m, rc, t, s, b):
    count = (m.reg(b) & 63).zext(64)
    result(m, t, (m.reg(s).zext(64) >> count).trunc(32), rc)


def shift_algebraic(m, t: Word, word: Word, count: Word, rc: int) -> None:
    """Shift right by 0..63, CA: ones have left a negative number."""
    extended, count = word.sext(64), count.zext(64)
    shifted = extended.sar(count)
    m.set("ca", word.sign & (shifted << count).ne(extended))
    result(m, t, shifted.trunc(32), rc)


@insn("sraw{rc} {t},{s},{b}", x_form(792), ref=UM)
def sraw(m, rc, t, s, b):
    shift_algebraic(m, t, m.reg(s), m.reg(b) & 63, rc)


@insn("srawi{rc} {t},{s},{sh}", x_shift(824), ref=UM)
def srawi(m, rc, t, s, sh):
    shift_algebraic(m, t, m.reg(s), sh, rc)
