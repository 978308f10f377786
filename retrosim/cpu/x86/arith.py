"""Addition, subtraction, comparison, increment, negation, multiplication, division, bounds."""

from __future__ import annotations

from .exceptions import BOUND, DIVIDE
from .flags import add_flags, set_szp, step_flags, sub_flags
from .modes import FROM_386, I486, is_286
from .modrm import EAX, EDX, address, behind, modify, read, register, write
from .segments import fault_when, load
from .state import insn


def add(m, a, b):
    result = a + b
    add_flags(m, a, b, result)
    return result


def adc(m, a, b):
    carry = m.get("cf")
    result = a + b + carry.zext(a.bits)
    add_flags(m, a, b, result, carry)
    return result


def sub(m, a, b):
    result = a - b
    sub_flags(m, a, b, result)
    return result


def sbb(m, a, b):
    borrow = m.get("cf")
    result = a - b - borrow.zext(a.bits)
    sub_flags(m, a, b, result, borrow)
    return result


def two_operands(name, code, function, ref):
    """Declare the forms of an instruction a := function(a, b) whose opcodes begin with `code`."""

    def to_operand(m, s, ea, g):
        modify(m, ea, s, lambda value: function(m, value, read(m, g, s)))

    def to_register(m, s, g, ea):
        write(m, g, function(m, read(m, g, s), read(m, ea, s)))

    def to_accumulator(m, s, acc, imm):
        write(m, acc, function(m, read(m, acc, s), imm.trunc(s)))

    def immediate(m, s, ea, imm):
        modify(m, ea, s, lambda value: function(m, value, imm.trunc(s)))

    def sign_extended(m, s, ea, simm):
        modify(m, ea, s, lambda value: function(m, value, simm.trunc(s)))

    insn(f"{name} {{ea}},{{g}}", f"00{code}00w mmgggeee", cost="ALU r/m,r", lock=True, ref=ref)(to_operand)
    insn(f"{name} {{g}},{{ea}}", f"00{code}01w mmgggeee", cost="ALU r,r/m", ref=ref)(to_register)
    insn(f"{name} {{acc}},{{imm}}", f"00{code}10w", cost="ALU acc,imm", ref=ref)(to_accumulator)
    _group(name, code, immediate, sign_extended, "ALU r/m,imm", True, ref)


def _group(name, code, immediate, sign_extended, cost, lock, ref):
    """Declare the forms with an immediate: opcodes 80, 81, 82 (the same as 80) and 83."""
    common = {"cost": cost, "lock": lock, "ref": ref}
    insn(f"{name} {{ea}},{{imm}}", f"1000000w mm{code}eee", **common)(immediate)
    insn(f"{name} {{ea}},{{imm}}", f"10000010 mm{code}eee", size=8, **common)(immediate)
    insn(f"{name} {{ea}},{{simm}}", f"10000011 mm{code}eee", **common)(sign_extended)


for _name, _code, _function in (("ADD", "000", add), ("ADC", "010", adc), ("SBB", "011", sbb), ("SUB", "101", sub)):
    two_operands(_name, _code, _function, f"Intel 386 PRM, {_name}")


@insn("CMP {ea},{g}", "0011100w mmgggeee", cost="CMP r/m,r", ref="Intel 386 PRM, CMP")
def cmp_to_operand(m, s, ea, g):
    sub(m, read(m, ea, s), read(m, g, s))


@insn("CMP {g},{ea}", "0011101w mmgggeee", cost="CMP r,r/m", ref="Intel 386 PRM, CMP")
def cmp_to_register(m, s, g, ea):
    sub(m, read(m, g, s), read(m, ea, s))


@insn("CMP {acc},{imm}", "0011110w", cost="CMP acc,imm", ref="Intel 386 PRM, CMP")
def cmp_to_accumulator(m, s, acc, imm):
    sub(m, read(m, acc, s), imm.trunc(s))


def _cmp_immediate(m, s, ea, imm):
    sub(m, read(m, ea, s), imm.trunc(s))


def _cmp_sign_extended(m, s, ea, simm):
    sub(m, read(m, ea, s), simm.trunc(s))


_group("CMP", "111", _cmp_immediate, _cmp_sign_extended, "CMP r/m,imm", False, "Intel 386 PRM, CMP")


def _step(down):
    def step(m, value):
        result = value - 1 if down else value + 1
        step_flags(m, value, result, down)
        return result

    return step


def _by_one(down):
    step = _step(down)
    return lambda m, s, ea: modify(m, ea, s, lambda value: step(m, value))


def _register_by_one(down):
    step = _step(down)
    return lambda m, s, d: modify(m, d, s, lambda value: step(m, value))


for _name, _code, _down in (("INC", "0", False), ("DEC", "1", True)):
    _ref = f"Intel 386 PRM, {_name}"
    insn(f"{_name} {{d}}", f"0100{_code}ddd", cost="INC/DEC r", ref=_ref)(_register_by_one(_down))
    insn(f"{_name} {{ea}}", f"1111111w mm00{_code}eee", cost="INC/DEC r/m", lock=True, ref=_ref)(_by_one(_down))


@insn("NEG {ea}", "1111011w mm011eee", lock=True, cost="NOT/NEG", ref="Intel 386 PRM, NEG")
def neg(m, s, ea):
    modify(m, ea, s, lambda value: sub(m, m.const(s, 0), value))


def _store_product(m, s, product):
    """Store a product of 2 x s bits into the accumulator."""
    if s == 8:
        m.set_reg(EAX, product)
    else:
        m.set_reg(EAX, product.trunc(s))
        m.set_reg(EDX, (product >> s).trunc(s))


def _product_flags(m, product, low, lost):
    """Flags of a product of twice the bits of `low`."""
    on_286 = is_286(m.cpu.model)
    set_szp(m, (product >> low.bits).trunc(low.bits) if on_286 else low)
    m.set("af", m.const(1, on_286))
    m.set("cf", lost)
    m.set("of", lost)


def _multiply(signed):
    def multiply(m, s, ea):
        source = read(m, ea, s)
        m.vary(source, signed)
        product = source.resize(2 * s, signed) * m.reg(EAX, s).resize(2 * s, signed)
        low = product.trunc(s)
        _store_product(m, s, product)
        _product_flags(m, product, low, product.ne(low.resize(2 * s, signed)))

    return multiply


insn("MUL {ea}", "1111011w mm100eee", cost="MUL {s}", varies="multiplier", ref="Intel 386 PRM, MUL")(_multiply(False))
insn("IMUL {ea}", "1111011w mm101eee", cost="MUL {s}", varies="multiplier", ref="Intel 386 PRM, IMUL")(_multiply(True))


def _imul(m, s, g, a, multiplier):
    m.vary(multiplier, True)
    product = a.sext(2 * s) * multiplier.sext(2 * s)
    low = product.trunc(s)
    write(m, g, low)
    _product_flags(m, product, low, product.ne(low.sext(2 * s)))


@insn(
    "IMUL {g},{ea}",
    "00001111 10101111 mmgggeee",
    models=FROM_386,
    cost="MUL {s}",
    varies="multiplier",
    ref="Intel 386 PRM, IMUL",
)
def imul(m, s, g, ea):
    _imul(m, s, g, read(m, g, s), read(m, ea, s))


@insn("IMUL {g},{ea},{imm}", "01101001 mmgggeee", cost="IMUL {s}", varies="multiplier", ref="Intel 386 PRM, IMUL")
def imul_immediate(m, s, g, ea, imm):
    _imul(m, s, g, read(m, ea, s), imm.trunc(s))


@insn("IMUL {g},{ea},{simm}", "01101011 mmgggeee", cost="IMUL {s}", varies="multiplier", ref="Intel 386 PRM, IMUL")
def imul_sign_extended(m, s, g, ea, simm):
    _imul(m, s, g, read(m, ea, s), simm.trunc(s))


def _quotient_of_286(m, s, dividend, divisor, quotient, remainder):
    """Return what the 286 divides to: it knows a quotient of -2 ** (s - 1) by s - 1 bits of the upper dividend alone.

    So one whose size is too large by 2 ** (s - 1) times the divisor passes for it (found in the vectors of IDIV by
    bytes, github.com/SingleStepTests/80286, F6.7; by words taken to be the same).
    """
    zero, low = m.const(2 * s, 0), (1 << (s - 1)) - 1
    size = m.select(dividend.sign, zero - dividend, dividend)
    by = m.select(divisor.sign, zero - divisor, divisor)
    rest = size & low
    passes = (dividend.sign ^ divisor.sign) & ((size >> (s - 1)) - by).eq(low + 1) & rest.ult(by)
    rest = m.select(dividend.sign, zero - rest, rest)
    return m.select(passes, zero - (low + 1), quotient), m.select(passes, rest, remainder)


def _divide(signed):
    def divide(m, s, ea):
        divisor = read(m, ea, s).resize(2 * s, signed)
        fault_when(m, divisor.eq(0), DIVIDE)
        dividend = m.reg(EAX, 16) if s == 8 else m.reg(EDX, s).zext(2 * s) << s | m.reg(EAX, s).zext(2 * s)
        if signed:
            # the one signed case no host can divide: the minimum integer by -1, whose true quotient overflows anyway
            unsafe = dividend.eq(1 << (2 * s - 1)) & divisor.eq((1 << 2 * s) - 1)
            fault_when(m, unsafe, DIVIDE)
            quotient, remainder = dividend.sdiv(divisor), dividend.srem(divisor)
            if is_286(m.cpu.model):
                quotient, remainder = _quotient_of_286(m, s, dividend, divisor, quotient, remainder)
        else:
            quotient, remainder = dividend.udiv(divisor), dividend.urem(divisor)
        fault_when(m, quotient.ne(quotient.trunc(s).resize(2 * s, signed)), DIVIDE)
        if s == 8:
            m.set_reg(EAX, remainder << 8 | quotient & 0xFF)
        else:
            m.set_reg(EAX, quotient.trunc(s))
            m.set_reg(EDX, remainder.trunc(s))

    return divide


insn("DIV {ea}", "1111011w mm110eee", cost="DIV {s}", ref="Intel 386 PRM, DIV")(_divide(False))
insn("IDIV {ea}", "1111011w mm111eee", cost="IDIV {s}", ref="Intel 386 PRM, IDIV")(_divide(True))


@insn("BOUND {g},{ea}", "01100010 mmgggeee", ea="mem", ref="Intel 386 PRM, BOUND")
def bound(m, s, g, ea):
    pointer = address(m, ea)
    low, high = load(m, ea.segment, pointer, s), load(m, ea.segment, behind(ea, pointer, s // 8), s)
    value = read(m, g, s)
    fault_when(m, value.slt(low) | high.slt(value), BOUND)


@insn("XADD {ea},{g}", "00001111 1100000w mmgggeee", lock=True, models=I486, ref="Intel 486 PRM, XADD")
def xadd(m, s, ea, g):
    addend = read(m, g, s)

    def exchange(value):
        write(m, g, value)  # before the sum: with one register for both it holds the sum
        return add(m, value, addend)

    modify(m, ea, s, exchange)


@insn(
    "CMPXCHG {ea},{g}",
    "00001111 1011000w mmgggeee",
    lock=True,
    models=I486,
    cost=("CMPXCHG equal", "CMPXCHG unequal"),
    ref="Intel 486 PRM, CMPXCHG",
)
def cmpxchg(m, s, ea, g):
    """Equal: operand := register; else accumulator := operand. Memory is written in both cases."""
    a, new = m.reg(EAX, s), read(m, g, s)
    value = m.variable(a)

    def exchange(found):
        value.set(found)
        sub(m, a, found)
        return m.select(a.eq(found), new, found)

    modify(m, ea, s, exchange)
    m.outcome(a.eq(value.get()))
    m.when(a.ne(value.get()), lambda: write(m, register(EAX, m), value.get()))


# Decimal adjustment (Intel 386 PRM, AAA AAD AAM AAS DAA DAS).
#
# Flags that the manual leaves undefined: SF ZF PF of AAA and AAS, and OF of DAA and DAS, from AL; OF and AF of AAD and
# AAM clear. The 286 as its vectors have it: SF ZF PF OF of AAA and AAS from the sum or difference, with all its bits;
# CF and AF of AAD from its sum, OF as CF.


def _packed(subtract):
    def adjust(m):
        al, carry = m.reg(EAX, 8), m.get("cf")
        low = (al & 15).ule(9).eq(0) | m.get("af")
        high = m.const(8, 0x99).ult(al) | carry
        correction = m.select(low, m.const(8, 6), m.const(8, 0)) + m.select(high, m.const(8, 0x60), m.const(8, 0))
        result = al - correction if subtract else al + correction
        borrow = low & al.ult(6) if subtract else m.const(1, 0)
        m.set("cf", high | borrow)
        m.set("af", low)
        m.set("of", ((al ^ result) & (al ^ correction if subtract else result ^ correction)).sign)
        set_szp(m, result)
        m.set_reg(EAX, result, stage="byte")

    return adjust


insn("DAA", "00100111", ref="Intel 386 PRM, DAA")(_packed(False))
insn("DAS", "00101111", ref="Intel 386 PRM, DAS")(_packed(True))


def _unpacked(subtract):
    def adjust(m):
        ax = m.reg(EAX, 16)
        adjusts = (ax & 15).ule(9).eq(0) | m.get("af")
        moved = ax - 0x106 if subtract else ax + 0x106
        whole = m.select(adjusts, moved, ax)
        result = whole & 0xFF0F
        m.set("cf", adjusts)
        m.set("af", adjusts)
        on_286, al = is_286(m.cpu.model), whole.trunc(8)
        overflow = (al & ~ax.trunc(8) if not subtract else ax.trunc(8) & ~al).sign  # by 6, or by 0
        m.set("of", overflow if on_286 else m.const(1, 0))
        set_szp(m, al if on_286 else result.trunc(8))
        m.set_reg(EAX, result)

    return adjust


insn("AAA", "00110111", ref="Intel 386 PRM, AAA")(_unpacked(False))
insn("AAS", "00111111", ref="Intel 386 PRM, AAS")(_unpacked(True))


def _result(m, ax):
    set_szp(m, ax.trunc(8))
    for name in ("cf", "of", "af"):
        m.set(name, m.const(1, 0))
    m.set_reg(EAX, ax)


@insn("AAM {imm8}", "11010100", size=8, ref="Intel 386 PRM, AAM")
def aam(m, imm8):
    """By 0, flags are set before the exception: as the 80286 vectors have it, from AL without its top bit."""
    base, al = imm8.trunc(8), m.reg(EAX, 8)
    m.when(base.eq(0), lambda: set_szp(m, al & 0x7F))
    fault_when(m, base.eq(0), DIVIDE)
    _result(m, al.udiv(base).zext(16) << 8 | al.urem(base).zext(16))


@insn("AAD {imm8}", "11010101", size=8, ref="Intel 386 PRM, AAD")
def aad(m, imm8):
    ax = m.reg(EAX, 16)
    product = (ax >> 8).trunc(8) * imm8.trunc(8)
    result = ax.trunc(8) + product
    _result(m, result.zext(16))
    if is_286(m.cpu.model):
        add_flags(m, ax.trunc(8), product, result)
        m.set("of", m.get("cf"))
