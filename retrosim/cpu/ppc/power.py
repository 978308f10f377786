"""POWER instructions that the 601 keeps (601UM appendix B; AIX Assembler Language Reference, same mnemonics).

MQ holds the low half of a product, the remainder of a quotient, or the rotated word of a shift, so that shifts of more
than a word can be chained. What the manuals leave undefined: a quotient that does not fit gives the result that they
define for -2^31 / -1; registers that lscbx leaves undefined keep their value, bytes after the last one are 0.
"""

from __future__ import annotations

from ..spec.values import Word
from .arith import d_form, product, xo, xo_unary
from .flags import overflow, record
from .logic import insert, m_form, result, rotl, x_form, x_shift
from .state import UM, insn

MINIMUM = 0x80000000


@insn("mul{oe}{rc} {d},{a},{b}", xo(107), varies="multiplier", ref=UM)
def mul(m, oe, rc, d, a, b):
    """The record form shows the low half, in MQ."""
    whole = product(m, m.reg(a), m.reg(b), True)
    low = whole.trunc(32)
    overflow(m, whole.ne(low.sext(64)), oe)
    m.set_reg(d, (whole >> 32).trunc(32))
    m.set("mq", low)
    record(m, low, rc)


def _divide(m, oe, rc, d, dividend, divisor):
    """The record form shows the remainder, in MQ. Quotient and remainder of 64-bit words."""
    minus = divisor.eq(m.const(64, 0) - 1)
    safe = divisor.eq(0) | minus
    by = m.select(safe, m.const(64, 1), divisor)
    quotient = m.select(minus, -dividend, dividend.sdiv(by))
    wrong = divisor.eq(0) | quotient.ne(quotient.trunc(32).sext(64))
    remainder = m.select(safe | wrong, m.const(32, 0), dividend.srem(by).trunc(32))
    overflow(m, wrong, oe)
    m.set_reg(d, m.select(wrong, m.const(32, MINIMUM), quotient.trunc(32)))
    m.set("mq", remainder)
    record(m, remainder, rc)


@insn("div{oe}{rc} {d},{a},{b}", xo(331), ref=UM)
def div(m, oe, rc, d, a, b):
    _divide(m, oe, rc, d, m.reg(a).zext(64) << 32 | m.get("mq").zext(64), m.reg(b).sext(64))


@insn("divs{oe}{rc} {d},{a},{b}", xo(363), ref=UM)
def divs(m, oe, rc, d, a, b):
    _divide(m, oe, rc, d, m.reg(a).sext(64), m.reg(b).sext(64))


@insn("abs{oe}{rc} {d},{a}", xo_unary(360), ref=UM)
def abs_(m, oe, rc, d, a):
    word = m.reg(a)
    _difference(m, oe, rc, d, m.select(word.sign, -word, word), word.eq(MINIMUM))


@insn("nabs{oe}{rc} {d},{a}", xo_unary(488), ref=UM)
def nabs(m, oe, rc, d, a):
    word = m.reg(a)
    _difference(m, oe, rc, d, m.select(word.sign, word, -word), m.const(1, 0))


@insn("doz{oe}{rc} {d},{a},{b}", xo(264), ref=UM)
def doz(m, oe, rc, d, a, b):
    difference = _difference_or_zero(m, m.reg(a), m.reg(b))
    _difference(m, oe, rc, d, difference, difference.sign)


def _difference_or_zero(m, a: Word, b: Word) -> Word:
    return m.select(b.slt(a), m.const(32, 0), b - a)


def _difference(m, oe, rc, d, word, overflows):
    overflow(m, overflows, oe)
    m.set_reg(d, word)
    record(m, word, rc)


@insn("dozi {d},{a},{simm}", d_form(9), ref=UM)
def dozi(m, d, a, simm):
    m.set_reg(d, _difference_or_zero(m, m.reg(a), simm))


@insn("clcs {d},{number}", f"011111dddddaaaaa00000{531:010b}0", ref=UM)
def clcs(m, d, number):
    """Lines of the unified cache, as every kind of line that can be asked for (12 to 15)."""
    m.set_reg(d, m.select((number >> 2).eq(3), m.const(32, 64), m.const(32, 0)))


# --- masks


@insn("maskg{rc} {t},{s},{b}", x_form(29), ref=UM)
def maskg(m, rc, t, s, b):
    first, last = m.reg(s) & 31, m.reg(b) & 31
    from_first = m.const(32, 0xFFFFFFFF) >> first
    to_last = m.const(32, MINIMUM).sar(last)
    result(m, t, m.select(first.ule(last), from_first & to_last, from_first | to_last), rc)


@insn("maskir{rc} {u},{s},{b}", x_form(541), ref=UM)
def maskir(m, rc, u, s, b):
    result(m, u, insert(m.reg(s), m.reg(u), m.reg(b)), rc)


@insn("rlmi{rc} {u},{s},{b},{mask}", m_form(22, "b"), ref=UM)
def rlmi(m, rc, u, s, b, mask):
    result(m, u, insert(rotl(m.reg(s), m.reg(b)), m.reg(u), mask), rc)


@insn("rrib{rc} {u},{s},{b}", x_form(537), ref=UM)
def rrib(m, rc, u, s, b):
    """Bit 0 of rS takes the place of bit n of rA."""
    count = m.reg(b) & 31
    result(m, u, insert(m.reg(s) >> count, m.reg(u), m.const(32, MINIMUM) >> count), rc)


# --- shifts with MQ: all rotate left, by n or 32 - n, and differ in what fills the bits outside the mask


def _left(m, count: Word) -> Word:
    """Return the mask of bits that a shift left by 0..31 keeps."""
    return m.const(32, 0xFFFFFFFF) << count


def _right(m, count: Word) -> Word:
    return m.const(32, 0xFFFFFFFF) >> count


def _long(m, mask: Word, amount: Word) -> Word:
    """Return the mask, or none when bit 26 of the amount is set: a shift by 32 and more."""
    return m.select((amount & 32).eq(0), mask, m.const(32, 0))


def _zero_fill(m, s):
    return m.const(32, 0)


def _mq_fill(m, s):
    return m.get("mq")


def _sign_fill(m, s):
    return m.reg(s).sar(31)


def _family(mask_of, rightward: bool, fill_of, long: bool):
    """Make a shift of rS by an amount; `long`: amounts of 32 and more leave nothing of rS."""

    def semantics(m, rc, t, s, amount):
        count = amount & 31
        rotated = rotl(m.reg(s), -count if rightward else count)
        mask, fill = mask_of(m, count), fill_of(m, s)
        if long:
            mask = _long(m, mask, amount)
        if fill_of is _sign_fill:
            m.set("ca", m.reg(s).sign & (rotated & ~mask).ne(0))
        m.set("mq", rotated)
        result(m, t, insert(rotated, fill, mask), rc)

    return semantics


def _chained(mask_of, rightward: bool):
    """Make a shift that takes its other bits from MQ; by 32 and more it shifts MQ alone, and MQ stays."""

    def semantics(m, rc, t, s, amount):
        count = amount & 31
        rotated = rotl(m.reg(s), -count if rightward else count)
        mask, mq = mask_of(m, count), m.get("mq")
        result(m, t, m.select((amount & 32).eq(0), insert(rotated, mq, mask), mq & mask), rc)

    return semantics


def _by_register(shift):
    return lambda m, rc, t, s, b: shift(m, rc, t, s, m.reg(b))


def _by_number(shift):
    return lambda m, rc, t, s, sh: shift(m, rc, t, s, sh)


for _name, _code, _semantics in (
    ("sle", 153, _family(_left, False, _zero_fill, False)),
    ("sleq", 217, _family(_left, False, _mq_fill, False)),
    ("slq", 152, _family(_left, False, _zero_fill, True)),
    ("sllq", 216, _chained(_left, False)),
    ("sre", 665, _family(_right, True, _zero_fill, False)),
    ("sreq", 729, _family(_right, True, _mq_fill, False)),
    ("srq", 664, _family(_right, True, _zero_fill, True)),
    ("srlq", 728, _chained(_right, True)),
    ("srea", 921, _family(_right, True, _sign_fill, False)),
    ("sraq", 920, _family(_right, True, _sign_fill, True)),
):
    insn(f"{_name}{{rc}} {{t}},{{s}},{{b}}", x_form(_code), ref=UM)(_by_register(_semantics))
for _name, _code, _semantics in (
    ("sliq", 184, _family(_left, False, _zero_fill, False)),
    ("slliq", 248, _family(_left, False, _mq_fill, False)),
    ("sriq", 696, _family(_right, True, _zero_fill, False)),
    ("srliq", 760, _family(_right, True, _mq_fill, False)),
    ("sraiq", 952, _family(_right, True, _sign_fill, False)),
):
    insn(f"{_name}{{rc}} {{t}},{{s}},{{sh}}", x_shift(_code), ref=UM)(_by_number(_semantics))
