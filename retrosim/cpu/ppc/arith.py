"""Integer arithmetic and comparison (601UM sections 3.3.1, 3.3.2)."""

from __future__ import annotations

from ..spec.values import Word
from .flags import add, compare, overflow, record
from .state import UM, insn


def xo(code: int) -> str:
    """Return the pattern of opcode 31 with rD, rA, rB, the overflow and the record bit."""
    return f"011111dddddaaaaabbbbbo{code:09b}c"


def xo_unary(code: int) -> str:
    return f"011111dddddaaaaa00000o{code:09b}c"


def d_form(opcode: int, register: str = "d") -> str:
    return f"{opcode:06b}{register * 5}aaaaa{'i' * 16}"


@insn("addi {d},{z},{simm}", d_form(14), ref=UM)
def addi(m, d, z, simm):
    m.set_reg(d, m.reg(z) + simm)


@insn("addis {d},{z},{shifted}", d_form(15), ref=UM)
def addis(m, d, z, shifted):
    m.set_reg(d, m.reg(z) + shifted)


def _sum(carries: bool, invert: bool, second: int | None, carry: int | None):
    """Make ~rA or rA + (rB or a constant) + (CA or a constant): the whole family of additions and subtractions."""

    def semantics(m, d, a, b, oe, rc):
        left = ~m.reg(a) if invert else m.reg(a)
        right = m.reg(b) if second is None else m.const(32, second)
        carry_in = m.get("ca") if carry is None else m.const(1, carry)
        result = add(m, left, right, carry_in, oe, carries)
        m.set_reg(d, result)
        record(m, result, rc)

    if second is None:
        return lambda m, oe, rc, d, a, b: semantics(m, d, a, b, oe, rc)
    return lambda m, oe, rc, d, a: semantics(m, d, a, None, oe, rc)


for _name, _code, _semantics in (
    ("add", 266, _sum(False, False, None, 0)),
    ("addc", 10, _sum(True, False, None, 0)),
    ("adde", 138, _sum(True, False, None, None)),
    ("subf", 40, _sum(False, True, None, 1)),
    ("subfc", 8, _sum(True, True, None, 1)),
    ("subfe", 136, _sum(True, True, None, None)),
):
    insn(f"{_name}{{oe}}{{rc}} {{d}},{{a}},{{b}}", xo(_code), ref=UM)(_semantics)
for _name, _code, _semantics in (
    ("addme", 234, _sum(True, False, 0xFFFFFFFF, None)),
    ("addze", 202, _sum(True, False, 0, None)),
    ("subfme", 232, _sum(True, True, 0xFFFFFFFF, None)),
    ("subfze", 200, _sum(True, True, 0, None)),
    ("neg", 104, _sum(False, True, 0, 1)),
):
    insn(f"{_name}{{oe}}{{rc}} {{d}},{{a}}", xo_unary(_code), ref=UM)(_semantics)


@insn("addic {d},{a},{simm}", d_form(12), ref=UM)
def addic(m, d, a, simm):
    m.set_reg(d, add(m, m.reg(a), simm, m.const(1, 0), 0))


@insn("addic. {d},{a},{simm}", d_form(13), ref=UM)
def addic_record(m, d, a, simm):
    result = add(m, m.reg(a), simm, m.const(1, 0), 0)
    m.set_reg(d, result)
    record(m, result, 1)


@insn("subfic {d},{a},{simm}", d_form(8), ref=UM)
def subfic(m, d, a, simm):
    m.set_reg(d, add(m, ~m.reg(a), simm, m.const(1, 1), 0))


# --- multiplication and division


@insn("mulli {d},{a},{simm}", d_form(7), ref=UM)
def mulli(m, d, a, simm):
    m.set_reg(d, m.reg(a) * simm)


def product(m, a: Word, b: Word, signed: bool) -> Word:
    """Return the 64-bit product; its clocks depend on the second factor."""
    m.vary(b)
    return a.resize(64, signed) * b.resize(64, signed)


@insn("mullw{oe}{rc} {d},{a},{b}", xo(235), varies="multiplier", ref=UM)
def mullw(m, oe, rc, d, a, b):
    whole = product(m, m.reg(a), m.reg(b), True)
    result = whole.trunc(32)
    overflow(m, whole.ne(result.sext(64)), oe)
    m.set_reg(d, result)
    record(m, result, rc)


def _high(signed: bool):
    def multiply(m, rc, d, a, b):
        result = (product(m, m.reg(a), m.reg(b), signed) >> 32).trunc(32)
        m.set_reg(d, result)
        record(m, result, rc)

    return multiply


for _name, _code, _signed in (("mulhw", 75, True), ("mulhwu", 11, False)):
    insn(f"{_name}{{rc}} {{d}},{{a}},{{b}}", f"011111dddddaaaaabbbbb0{_code:09b}c", varies="multiplier", ref=UM)(
        _high(_signed)
    )


@insn("divw{oe}{rc} {d},{a},{b}", xo(491), ref=UM)
def divw(m, oe, rc, d, a, b):
    """Undefined quotients are those that DingusPPC found: all sign bits of the dividend."""
    dividend, divisor = m.reg(a), m.reg(b)
    wrong = divisor.eq(0) | (dividend.eq(0x80000000) & divisor.eq(0xFFFFFFFF))
    quotient = dividend.sdiv(m.select(wrong, m.const(32, 1), divisor))
    _divided(m, oe, rc, d, m.select(wrong, dividend.sar(31), quotient), wrong)


@insn("divwu{oe}{rc} {d},{a},{b}", xo(459), ref=UM)
def divwu(m, oe, rc, d, a, b):
    divisor = m.reg(b)
    wrong = divisor.eq(0)
    quotient = m.reg(a).udiv(m.select(wrong, m.const(32, 1), divisor))
    _divided(m, oe, rc, d, m.select(wrong, m.const(32, 0), quotient), wrong)


def _divided(m, oe, rc, d, result, wrong):
    overflow(m, wrong, oe)
    m.set_reg(d, result)
    record(m, result, rc)


# --- comparison: the 601 ignores the L bit that asks other processors for 64-bit operands


@insn("cmpi {crf},0,{a},{simm}", f"001011fff--aaaaa{'i' * 16}", ref=UM)
def cmpi(m, crf, a, simm):
    compare(m, crf, m.reg(a), simm, True)


@insn("cmpli {crf},0,{a},{uimm}", f"001010fff--aaaaa{'i' * 16}", ref=UM)
def cmpli(m, crf, a, uimm):
    compare(m, crf, m.reg(a), uimm, False)


@insn("cmp {crf},0,{a},{b}", "011111fff--aaaaabbbbb00000000000", ref=UM)
def cmp(m, crf, a, b):
    compare(m, crf, m.reg(a), m.reg(b), True)


@insn("cmpl {crf},0,{a},{b}", "011111fff--aaaaabbbbb00001000000", ref=UM)
def cmpl(m, crf, a, b):
    compare(m, crf, m.reg(a), m.reg(b), False)
