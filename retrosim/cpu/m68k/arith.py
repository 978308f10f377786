"""Addition, subtraction, comparison, negation, multiplication, division, decimal arithmetic, bounds."""

from __future__ import annotations

from ..spec.rows import Options
from .ea import ANY, CONTROL, DATA, DATA_ALTERABLE, MEMORY_ALTERABLE, Ea, address, modify, read, write
from .exceptions import CHECK, DIVIDE_BY_ZERO, exception
from .flags import add_flags, compare_flags, logic_flags, sub_flags
from .move import M68020_UP
from .state import insn


def add(m, source, destination):
    result = source + destination
    add_flags(m, source, destination, result)
    return result


def sub(m, source, destination):
    result = destination - source
    sub_flags(m, source, destination, result)
    return result


def compare(m, source, destination):
    compare_flags(m, source, destination, destination - source)


@insn("ADD.{s} {ea},{d}", "1101ddd0ssmmmrrr", ea=ANY, ref="M68000PRM 4-4")
def add_to_register(m, s, ea, d):
    m.set_reg(d, add(m, read(m, ea, s), m.reg(d, s)))


@insn("ADD.{s} {d},{ea}", "1101ddd1ssmmmrrr", ea=MEMORY_ALTERABLE, ref="M68000PRM 4-4")
def add_to_memory(m, s, d, ea):
    modify(m, ea, s, lambda value: add(m, m.reg(d, s), value))


@insn("SUB.{s} {ea},{d}", "1001ddd0ssmmmrrr", ea=ANY, ref="M68000PRM 4-174")
def sub_from_register(m, s, ea, d):
    m.set_reg(d, sub(m, read(m, ea, s), m.reg(d, s)))


@insn("SUB.{s} {d},{ea}", "1001ddd1ssmmmrrr", ea=MEMORY_ALTERABLE, ref="M68000PRM 4-174")
def sub_from_memory(m, s, d, ea):
    modify(m, ea, s, lambda value: sub(m, m.reg(d, s), value))


@insn("ADDA.{s} {ea},{a}", "1101aaaw11mmmrrr", ea=ANY, ref="M68000PRM 4-7")
def adda(m, s, ea, a):
    source = read(m, ea, s).sext(32)
    m.set_reg(a, m.reg(a) + source)


@insn("SUBA.{s} {ea},{a}", "1001aaaw11mmmrrr", ea=ANY, ref="M68000PRM 4-177")
def suba(m, s, ea, a):
    source = read(m, ea, s).sext(32)
    m.set_reg(a, m.reg(a) - source)


@insn("CMP.{s} {ea},{d}", "1011ddd0ssmmmrrr", ea=ANY, ref="M68000PRM 4-75")
def cmp(m, s, ea, d):
    compare(m, read(m, ea, s), m.reg(d, s))


@insn("CMPA.{s} {ea},{a}", "1011aaaw11mmmrrr", ea=ANY, ref="M68000PRM 4-77")
def cmpa(m, s, ea, a):
    compare(m, read(m, ea, s).sext(32), m.reg(a))


@insn("CMPM.{s} ({b})+,({a})+", "1011aaa1ss001bbb", ref="M68000PRM 4-81")
def cmpm(m, s, b, a):
    step = stepping(m, b, s, "post").step
    pointer = m.reg(b)
    m.set_reg(b, pointer + 2, stage="address")  # seen where the access aborts
    source = m.load(pointer, s)
    m.set_reg(b, pointer + step, stage="address")
    pointer = m.reg(a)
    destination = m.load(pointer, s)
    m.set_reg(a, pointer + stepping(m, a, s, "post").step, stage="address")
    compare(m, source, destination)


@insn("ADDI.{s} {imm},{ea}", "00000110ssmmmrrr", ea=DATA_ALTERABLE, ref="M68000PRM 4-9")
def addi(m, s, imm, ea):
    modify(m, ea, s, lambda value: add(m, imm.trunc(s), value))


@insn("SUBI.{s} {imm},{ea}", "00000100ssmmmrrr", ea=DATA_ALTERABLE, ref="M68000PRM 4-179")
def subi(m, s, imm, ea):
    modify(m, ea, s, lambda value: sub(m, imm.trunc(s), value))


def _cmpi(m, s, imm, ea):
    compare(m, imm.trunc(s), read(m, ea, s))


insn("CMPI.{s} {imm},{ea}", "00001100ssmmmrrr", ea=DATA_ALTERABLE, models=("MC68000",), ref="M68000PRM 4-79")(_cmpi)
insn("CMPI.{s} {imm},{ea}", "00001100ssmmmrrr", ea="DI+-dxwpq", models=M68020_UP, ref="M68000PRM 4-79")(_cmpi)


@insn("ADDQ.{s} {n},{ea}", "0101nnn0ssmmmrrr", ea=DATA_ALTERABLE, ref="M68000PRM 4-11")
def addq(m, s, n, ea):
    modify(m, ea, s, lambda value: add(m, n.trunc(s), value))


@insn("ADDQ.{s} {n},{b}", "0101nnn0ss001bbb", sizes=(16, 32), cost="ADDQ", form="An", ref="M68000PRM 4-11")
def addq_address(m, s, n, b):
    m.set_reg(b, m.reg(b) + n)


@insn("SUBQ.{s} {n},{ea}", "0101nnn1ssmmmrrr", ea=DATA_ALTERABLE, ref="M68000PRM 4-181")
def subq(m, s, n, ea):
    modify(m, ea, s, lambda value: sub(m, n.trunc(s), value))


@insn("SUBQ.{s} {n},{b}", "0101nnn1ss001bbb", sizes=(16, 32), cost="SUBQ", form="An", ref="M68000PRM 4-181")
def subq_address(m, s, n, b):
    m.set_reg(b, m.reg(b) - n)


@insn("NEG.{s} {ea}", "01000100ssmmmrrr", ea=DATA_ALTERABLE, ref="M68000PRM 4-144")
def neg(m, s, ea):
    modify(m, ea, s, lambda value: sub(m, value, m.const(s, 0)))


@insn("TST.{s} {ea}", "01001010ssmmmrrr", ea=DATA_ALTERABLE, models=("MC68000",), ref="M68000PRM 4-192")
def tst(m, s, ea):
    logic_flags(m, read(m, ea, s))


insn("TST.{s} {ea}", "01001010ssmmmrrr", ea=ANY, models=M68020_UP, ref="M68000PRM 4-192")(tst)


def extended(m, source, destination, subtract):
    """Add or subtract with X; Z is only ever cleared."""
    bits = source.bits
    sum_bits = bits + 8 if bits < 32 else 64
    x = m.get("x")
    if subtract:
        result = destination - source - x.zext(bits)
        total = destination.zext(sum_bits) - source.zext(sum_bits) - x.zext(sum_bits)
        overflow = ((source ^ destination) & (result ^ destination)).sign
    else:
        result = destination + source + x.zext(bits)
        total = destination.zext(sum_bits) + source.zext(sum_bits) + x.zext(sum_bits)
        overflow = ((source ^ result) & (destination ^ result)).sign
    carry = (total >> bits).trunc(1)
    m.set("n", result.sign)
    m.set("z", m.get("z") & result.eq(0))
    m.set("v", overflow)
    m.set("c", carry)
    m.set("x", carry)
    return result


def stepping(m, register, s, cls):
    """Make a byte-aware (An)+ or -(An) operand of a register: A7 moves by 2."""
    step = m.select(register.eq(15), m.const(32, 2), m.const(32, 1)) if s == 8 else m.const(32, s // 8)
    return Ea(cls, {"base": register, "step": step})


def with_memory(m, s, source_register, destination_register, function):
    order = "read" if s == 32 else ""
    source = m.load(address(m, stepping(m, source_register, s, "pre"), s, order), s)
    pointer = address(m, stepping(m, destination_register, s, "pre"), s, order)
    m.store(pointer, function(source, m.load(pointer, s)))


@insn("ADDX.{s} {y},{d}", "1101ddd1ss000yyy", cost="ADDX Dy,Dx", ref="M68000PRM 4-14")
def addx(m, s, y, d):
    m.set_reg(d, extended(m, m.reg(y, s), m.reg(d, s), subtract=False))


@insn("ADDX.{s} -({b}),-({a})", "1101aaa1ss001bbb", cost="ADDX -(Ay),-(Ax)", ref="M68000PRM 4-14")
def addx_memory(m, s, b, a):
    with_memory(m, s, b, a, lambda source, value: extended(m, source, value, subtract=False))


@insn("SUBX.{s} {y},{d}", "1001ddd1ss000yyy", cost="SUBX Dy,Dx", ref="M68000PRM 4-183")
def subx(m, s, y, d):
    m.set_reg(d, extended(m, m.reg(y, s), m.reg(d, s), subtract=True))


@insn("SUBX.{s} -({b}),-({a})", "1001aaa1ss001bbb", cost="SUBX -(Ay),-(Ax)", ref="M68000PRM 4-183")
def subx_memory(m, s, b, a):
    with_memory(m, s, b, a, lambda source, value: extended(m, source, value, subtract=True))


@insn("NEGX.{s} {ea}", "01000000ssmmmrrr", ea=DATA_ALTERABLE, ref="M68000PRM 4-146")
def negx(m, s, ea):
    modify(m, ea, s, lambda value: extended(m, value, m.const(s, 0), subtract=True))


def _product(m, low, result):
    m.set("n", result.sign)
    m.set("z", result.eq(0))
    m.set("v", low)
    m.set("c", m.const(1, 0))


def _mul_word(signed):
    def mul_word(m, ea, d):
        source = read(m, ea, 16)
        m.vary(source, signed)
        result = source.resize(32, signed) * m.reg(d, 16).resize(32, signed)
        m.set_reg(d, result)
        logic_flags(m, result)

    return mul_word


_word: Options = {"ea": DATA, "size": 16, "varies": "multiplier"}
insn("MULU.w {ea},{d}", "1100ddd011mmmrrr", cost="MULU.W", ref="M68000PRM 4-139", **_word)(_mul_word(False))
insn("MULS.w {ea},{d}", "1100ddd111mmmrrr", cost="MULS.W", ref="M68000PRM 4-136", **_word)(_mul_word(True))


def _multiply_long(m, ea, l, signed):
    source, factor = read(m, ea, 32), m.reg(l)
    return source.resize(64, signed) * factor.resize(64, signed)


def _mul32(signed):
    def mul32(m, ea, l):
        product = _multiply_long(m, ea, l, signed)
        low = product.trunc(32)
        m.set_reg(l, low)
        _product(m, product.ne(low.resize(64, signed)), low)

    return mul32


def _mul64(signed):
    def mul64(m, ea, l, h):
        product = _multiply_long(m, ea, l, signed)
        m.set_reg(h, (product >> 32).trunc(32))
        m.set_reg(l, product.trunc(32))
        _product(m, m.const(1, 0), product)

    return mul64


for _name, _bit, _signed in (("MULU", "0", False), ("MULS", "1", True)):
    _common: Options = {
        "ea": DATA,
        "size": 32,
        "cost": f"{_name}.L",
        "models": M68020_UP,
        "ref": "M68000PRM 4-136, 4-139",
    }
    insn(f"{_name}.l {{ea}},{{l}}", f"0100110000mmmrrr -lll{_bit}0----------", **_common)(_mul32(_signed))
    insn(f"{_name}.l {{ea}},{{h}}:{{l}}", f"0100110000mmmrrr -lll{_bit}1-------hhh", **_common)(_mul64(_signed))


def divide(m, dividend, divisor, bits, signed, store):
    """Divide 2 x bits or bits by bits; store(quotient, remainder) unless it overflows; zero divisors trap."""
    dividend_bits = dividend.bits

    def by_zero():
        m.set("c", m.const(1, 0))
        exception(m, DIVIDE_BY_ZERO)

    def by_number():
        # the one signed case no host can divide: the minimum integer by -1, whose true quotient overflows anyway
        if signed:
            minimum, minus_one = m.const(dividend_bits, 1 << (dividend_bits - 1)), (1 << dividend_bits) - 1
            unsafe = dividend.eq(minimum) & divisor.eq(minus_one)
            is_safe = divisor.known not in (None, minus_one)
            safe = divisor if is_safe else m.select(unsafe, m.const(dividend_bits, 1), divisor)
            quotient, remainder = dividend.sdiv(safe), dividend.srem(safe)
            overflow = quotient.ne(quotient.trunc(bits).sext(dividend_bits)) | unsafe
        else:
            quotient, remainder = dividend.udiv(divisor), dividend.urem(divisor)
            overflow = quotient.ne(quotient.trunc(bits).zext(dividend_bits))
        m.set("c", m.const(1, 0))
        m.set("v", overflow)

        def fits():
            m.set("n", quotient.trunc(bits).sign)
            m.set("z", quotient.trunc(bits).eq(0))
            store(quotient.trunc(bits), remainder.trunc(bits))

        m.when(~overflow, fits)

    m.when(divisor.eq(0), by_zero, by_number)


def _div_word(signed):
    def div_word(m, ea, d):
        source = read(m, ea, 16)
        dividend = m.reg(d)

        def store(quotient, remainder):
            m.set_reg(d, remainder.zext(32) << 16 | quotient.zext(32))

        m.when(source.ne(0), lambda: m.vary(dividend, source, signed))
        divide(m, dividend, source.resize(32, signed), 16, signed, store)

    return div_word


def _div_long(signed, from_pair, ea, l, h, m):
    divisor = read(m, ea, 32).resize(64, signed)
    low = m.reg(l)
    dividend = (m.reg(h).zext(64) << 32 | low.zext(64)) if from_pair else low.resize(64, signed)

    def store(quotient, remainder):
        m.set_reg(h, remainder)  # Dr = Dq: the quotient wins (M68000PRM 4-93)
        m.set_reg(l, quotient)

    divide(m, dividend, divisor, 32, signed, store)


def _div32(signed):
    return lambda m, ea, l, h: _div_long(signed, False, ea, l, h, m)


def _div64(signed):
    return lambda m, ea, l, h: _div_long(signed, True, ea, l, h, m)


for _name, _bit, _signed in (("DIVU", "0", False), ("DIVS", "1", True)):
    _ref = {"DIVU": "M68000PRM 4-97", "DIVS": "M68000PRM 4-93"}[_name]
    _word = {"ea": DATA, "size": 16, "cost": f"{_name}.W", "varies": "division", "ref": _ref}
    insn(f"{_name}.w {{ea}},{{d}}", f"1000ddd{_bit}11mmmrrr", **_word)(_div_word(_signed))
    _common = {"ea": DATA, "size": 32, "models": M68020_UP, "ref": _ref}
    insn(f"{_name}L.l {{ea}},{{h}}:{{l}}", f"0100110001mmmrrr -lll{_bit}0-------hhh", cost=f"{_name}L.L", **_common)(
        _div32(_signed)
    )
    insn(f"{_name}.l {{ea}},{{h}}:{{l}}", f"0100110001mmmrrr -lll{_bit}1-------hhh", cost=f"{_name}.L", **_common)(
        _div64(_signed)
    )


def _chk(m, s, ea, d):
    bound, value = read(m, ea, s), m.reg(d, s)
    low, high = value.sign, bound.slt(value)
    # Z V C are undefined; cleared here as the MC68000 does, N shows which side (M68000PRM 4-69)
    m.set("z", value.eq(0))
    m.set("v", m.const(1, 0))
    m.set("c", m.const(1, 0))
    m.set("n", low)

    def out_of_bounds():
        m.vary(low, value, bound)
        exception(m, CHECK)

    m.when(low | high, out_of_bounds)


_common = {"ea": DATA, "varies": "out_of_bounds", "ref": "M68000PRM 4-69"}
insn("CHK.w {ea},{d}", "0100ddd110mmmrrr", size=16, **_common)(lambda m, ea, d: _chk(m, 16, ea, d))
insn("CHK.l {ea},{d}", "0100ddd100mmmrrr", size=32, models=M68020_UP, **_common)(lambda m, ea, d: _chk(m, 32, ea, d))


def _bounds(m, s, ea, g):
    """Compare a register with a pair of bounds, signed or unsigned alike; return whether it lies outside.

    The clocks of CHK2 depend on the bounds and the register, those of CMP2 do not.
    """
    pointer = address(m, ea)
    low, high = m.load(pointer, s).sext(32), m.load(pointer + s // 8, s).sext(32)
    value = m.select(g.ult(8), m.reg(g, s).sext(32), m.reg(g))
    ordered = low.sle(high)
    if m.row.varies:
        m.vary(~ordered, m.const(32, 7).ult(g))
    outside = m.select(ordered, value.slt(low) | high.slt(value), high.slt(value) & value.slt(low))
    m.set("z", value.eq(low) | value.eq(high))
    m.set("c", outside)
    return outside


@insn("CMP2.{s} {ea},{g}", "00000ss011mmmrrr gggg0-----------", ea=CONTROL, models=M68020_UP, ref="M68000PRM 4-83")
def cmp2(m, s, ea, g):
    _bounds(m, s, ea, g)


@insn(
    "CHK2.{s} {ea},{g}",
    "00000ss011mmmrrr gggg1-----------",
    ea=CONTROL,
    models=M68020_UP,
    varies="bounds",
    ref="M68000PRM 4-72",
)
def chk2(m, s, ea, g):
    m.when(_bounds(m, s, ea, g), lambda: exception(m, CHECK))


# Binary-coded decimal: ABCD, SBCD, NBCD, PACK, UNPK.
#
# N and V are undefined in the manual. The MC68040 leaves them as they are (all 40 public vectors that can tell agree);
# the MC68000 sets N from the result and V where the decimal correction turned the sign bit.


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
