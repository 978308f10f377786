"""Binary-coded decimal: ABCD, SBCD, NBCD, PACK, UNPK.

N and V are undefined in the manual. The MC68040 leaves them as they are (all 40 public vectors that can tell agree);
the MC68000 sets N from the result and V where the decimal correction turned the sign bit.
"""

from __future__ import annotations

from .arith import stepping, with_memory
from .ea import DATA_ALTERABLE, modify, read, write
from .move import M68020_UP
from .state import insn


def add_decimal(m, source, destination):
    a, b = source.zext(16), destination.zext(16)
    low = (a & 15) + (b & 15) + m.get("x").zext(16)
    total = (a & 0xF0) + (b & 0xF0) + m.select(m.const(16, 9).ult(low), low + 6, low)
    carry = m.const(16, 0x9F).ult(total)
    result = m.select(carry, total + 0x60, total)
    binary = a + b + m.get("x").zext(16)
    return _finish(m, result.trunc(8), carry, ~binary.trunc(8) & result.trunc(8))


def sub_decimal(m, source, destination):
    a, b = source.zext(16), destination.zext(16)
    x = m.get("x").zext(16)
    low = (b & 15) - (a & 15) - x
    binary = b - a - x
    borrowed = binary - m.select(low.sign, m.const(16, 6), m.const(16, 0))
    result = borrowed - m.select(binary.sign, m.const(16, 0x60), m.const(16, 0))
    return _finish(m, result.trunc(8), borrowed.sign, binary.trunc(8) & ~result.trunc(8))


def _finish(m, result, carry, overflow):
    m.set("z", m.get("z") & result.eq(0))
    if m.cpu.model == "MC68000":
        m.set("n", result.sign)
        m.set("v", overflow.sign)
    m.set("c", carry)
    m.set("x", carry)
    return result


@insn("ABCD {y},{d}", "1100ddd100000yyy", cost="ABCD Dy,Dx", suffix="b", ref="M68000PRM 4-2")
def abcd(m, y, d):
    m.set_reg(d, add_decimal(m, m.reg(y, 8), m.reg(d, 8)))


@insn("ABCD -({b}),-({a})", "1100aaa100001bbb", cost="ABCD -(Ay),-(Ax)", suffix="b", ref="M68000PRM 4-2")
def abcd_memory(m, b, a):
    with_memory(m, 8, b, a, lambda source, value: add_decimal(m, source, value))


@insn("SBCD {y},{d}", "1000ddd100000yyy", cost="SBCD Dy,Dx", suffix="b", ref="M68000PRM 4-171")
def sbcd(m, y, d):
    m.set_reg(d, sub_decimal(m, m.reg(y, 8), m.reg(d, 8)))


@insn("SBCD -({b}),-({a})", "1000aaa100001bbb", cost="SBCD -(Ay),-(Ax)", suffix="b", ref="M68000PRM 4-171")
def sbcd_memory(m, b, a):
    with_memory(m, 8, b, a, lambda source, value: sub_decimal(m, source, value))


@insn("NBCD {ea}", "0100100000mmmrrr", ea=DATA_ALTERABLE, size=8, ref="M68000PRM 4-142")
def nbcd(m, ea):
    modify(m, ea, 8, lambda value: sub_decimal(m, value, m.const(8, 0)))


def _packed(value, adjustment):
    sum_ = value + adjustment.trunc(16)
    return (sum_ >> 4 & 0xF0 | sum_ & 0x0F).trunc(8)


def _unpacked(value, adjustment):
    word = value.zext(16)
    return ((word & 0xF0) << 4 | word & 0x0F) + adjustment.trunc(16)


@insn("PACK {y},{d},{imm16}", "1000ddd101000yyy", cost="PACK Dx,Dy,#", models=M68020_UP, ref="M68000PRM 4-157")
def pack(m, y, d, imm16):
    m.set_reg(d, _packed(m.reg(y, 16), imm16))


@insn(
    "PACK -({b}),-({a}),{imm16}", "1000aaa101001bbb", cost="PACK -(Ay),-(Ax),#", models=M68020_UP, ref="M68000PRM 4-157"
)
def pack_memory(m, b, a, imm16):
    low = read(m, stepping(m, b, 8, "pre"), 8)
    high = read(m, stepping(m, b, 8, "pre"), 8)
    write(m, stepping(m, a, 8, "pre"), _packed(high.zext(16) << 8 | low.zext(16), imm16))


@insn("UNPK {y},{d},{imm16}", "1000ddd110000yyy", cost="UNPK Dx,Dy,#", models=M68020_UP, ref="M68000PRM 4-195")
def unpk(m, y, d, imm16):
    m.set_reg(d, _unpacked(m.reg(y, 8), imm16))


@insn(
    "UNPK -({b}),-({a}),{imm16}", "1000aaa110001bbb", cost="UNPK -(Ay),-(Ax),#", models=M68020_UP, ref="M68000PRM 4-195"
)
def unpk_memory(m, b, a, imm16):
    result = _unpacked(read(m, stepping(m, b, 8, "pre"), 8), imm16)
    write(m, stepping(m, a, 8, "pre"), result.trunc(8))
    write(m, stepping(m, a, 8, "pre"), (result >> 8).trunc(8))
