"""AND, OR, XOR, NOT and TEST."""

from __future__ import annotations

from ..spec.rows import Options
from .arith import two_operands
from .flags import logic_flags, set_szp
from .modes import FROM_386, is_286
from .modrm import ECX, modify, read
from .state import insn


def _logic(operation):
    def logic(m, a, b):
        result = operation(a, b)
        logic_flags(m, result)
        return result

    return logic


AND = _logic(lambda a, b: a & b)

for _name, _code, _function in (
    ("OR", "001", _logic(lambda a, b: a | b)),
    ("AND", "100", AND),
    ("XOR", "110", _logic(lambda a, b: a ^ b)),
):
    two_operands(_name, _code, _function, f"Intel 386 PRM, {_name}")


@insn("NOT {ea}", "1111011w mm010eee", lock=True, cost="NOT/NEG", ref="Intel 386 PRM, NOT")
def not_(m, s, ea):
    modify(m, ea, s, lambda value: ~value)


@insn("TEST {ea},{g}", "1000010w mmgggeee", cost="TEST r/m,r", ref="Intel 386 PRM, TEST")
def test(m, s, ea, g):
    AND(m, read(m, ea, s), read(m, g, s))


@insn("TEST {acc},{imm}", "1010100w", cost="TEST acc,imm", ref="Intel 386 PRM, TEST")
def test_accumulator(m, s, acc, imm):
    AND(m, read(m, acc, s), imm.trunc(s))


for _code in ("000", "001"):  # /1 is not in the manual and the same on all parts
    insn("TEST {ea},{imm}", f"1111011w mm{_code}eee", cost="TEST r/m,imm", ref="Intel 386 PRM, TEST")(
        lambda m, s, ea, imm: AND(m, read(m, ea, s), imm.trunc(s))
    )


# Shifts and rotates (Intel 386 PRM, RCL/RCR/ROL/ROR, SAL/SAR/SHL/SHR, SHLD, SHRD).
#
# Counts are taken modulo 32; a count of 0 changes nothing. OF is that of a one-bit shift for any count: left, the top
# bit changed in the last step; right, the two top bits of the result differ.


def _left_overflow(result, carry):
    return result.sign ^ carry


def _right_overflow(result):
    return result.sign ^ (result << 1).sign


def _auxiliary(m, name, result):
    """Return AF after a shift."""
    if is_286(m.cpu.model):
        return (result >> 4).trunc(1) if name == "SHL" else m.const(1, 1)
    return m.const(1, 0)


def _shift(name):
    """Return shift(m, value, count) -> (result, carry, overflow) for a count of 0..31, with CF as it would be then."""

    def shl(m, value, count):
        extended = value.zext(64) << count.zext(64)
        result, carry = extended.trunc(value.bits), (extended >> value.bits).trunc(1)
        return result, carry, _left_overflow(result, carry)

    def right(m, value, count):
        extended = (value.sext(64) if name == "SAR" else value.zext(64)) << 1  # one place for the bit shifted out
        shifted = extended.sar(count.zext(64))
        result = (shifted >> 1).trunc(value.bits)
        return result, shifted.trunc(1), _right_overflow(result)

    def rotate(m, value, count):
        bits = value.bits
        n = (count & (bits - 1)).resize(bits)
        back = -n & (bits - 1)
        if name == "ROL":
            result = value << n | value >> back
            return result, result.trunc(1), _left_overflow(result, result.trunc(1))
        result = value >> n | value << back
        return result, result.sign, _right_overflow(result)

    def through_carry(m, value, count):
        bits = value.bits
        n = count.zext(64).urem(bits + 1)
        whole = m.get("cf").zext(64) << bits | value.zext(64)
        back = m.const(64, bits + 1) - n
        turned = (whole << n | whole >> back) if name == "RCL" else (whole >> n | whole << back)
        result, carry = turned.trunc(bits), (turned >> bits).trunc(1)
        return result, carry, _left_overflow(result, carry) if name == "RCL" else _right_overflow(result)

    core = {"SHL": shl, "SHR": right, "SAR": right, "RCL": through_carry, "RCR": through_carry}.get(name, rotate)

    def shift(m, value, count):
        result, carry, overflow = core(m, value, count)

        def flags():
            m.set("cf", carry)
            m.set("of", overflow)
            if name in ("SHL", "SHR", "SAR"):
                set_szp(m, result)
                m.set("af", _auxiliary(m, name, result))

        m.when(count.ne(0), flags)
        return result

    return shift


def _by_one(shift):
    return lambda m, s, ea, one: modify(m, ea, s, lambda value: shift(m, value, m.const(32, 1)))


def _by_cl(shift):
    def by_cl(m, s, ea):
        count = m.reg(ECX) & 31
        m.vary(count)
        modify(m, ea, s, lambda value: shift(m, value, count))

    return by_cl


def _by_number(shift):
    def by_number(m, s, ea, imm8):
        count = imm8 & 31
        m.vary(count)
        modify(m, ea, s, lambda value: shift(m, value, count))

    return by_number


NAMES = ("ROL", "ROR", "RCL", "RCR", "SHL", "SHR", "SHL", "SAR")  # /6 is not in the manual and the same as /4

for _number, _name in enumerate(NAMES):
    _function, _code = _shift(_name), f"{_number:03b}"
    _cost = "RCL/RCR" if _name.startswith("RC") else "shift"
    _ref = "Intel 386 PRM, RCL/RCR/ROL/ROR" if _number < 4 else "Intel 386 PRM, SAL/SAR/SHL/SHR"
    insn(f"{_name} {{ea}},{{one}}", f"1101000w mm{_code}eee", cost=f"{_cost} 1", ref=_ref)(_by_one(_function))
    _counted = {"varies": "shift_count", "ref": _ref}
    insn(f"{_name} {{ea}},cl", f"1101001w mm{_code}eee", cost=f"{_cost} CL", **_counted)(_by_cl(_function))
    insn(f"{_name} {{ea}},{{imm8}}", f"1100000w mm{_code}eee", cost=f"{_cost} imm", **_counted)(_by_number(_function))


def _double(left):
    """Return shift(m, value, filler, count): a word shifted with the bits of another word coming in.

    A 16-bit count above 16 is undefined; the pair is then followed by the first word again (guide/machines.md).
    """

    def double(m, value, filler, count):
        bits = value.bits
        n = count.zext(64)
        a, b = value.zext(64), filler.zext(64)
        if left:
            whole = (a << 32 | b << 16 | a) if bits == 16 else a << 32 | b
            top = 48 if bits == 16 else 64
            turned = whole << n
            result = (turned >> (top - bits)).trunc(bits)
            carry = (whole >> ((top - n) & 63)).trunc(1)
        else:
            whole = (a << 32 | b << 16 | a) if bits == 16 else b << 32 | a
            result = (whole >> n).trunc(bits)
            carry = (whole >> ((n - 1) & 63)).trunc(1)

        def flags():
            m.set("cf", carry)
            m.set("of", (result ^ value).sign)
            m.set("af", m.const(1, 0))
            set_szp(m, result)

        m.when(count.ne(0), flags)
        return result

    return double


def _double_by_number(shift):
    return lambda m, s, ea, g, imm8: modify(m, ea, s, lambda v: shift(m, v, read(m, g, s), imm8 & 31))


def _double_by_cl(shift):
    return lambda m, s, ea, g: modify(m, ea, s, lambda v: shift(m, v, read(m, g, s), m.reg(ECX) & 31))


for _name, _code, _left in (("SHLD", "0100", True), ("SHRD", "1100", False)):
    _common: Options = {"models": FROM_386, "ref": f"Intel 386 PRM, {_name}"}
    insn(f"{_name} {{ea}},{{g}},{{imm8}}", f"00001111 1010{_code} mmgggeee", cost="SHLD/SHRD imm", **_common)(
        _double_by_number(_double(_left))
    )
    insn(f"{_name} {{ea}},{{g}},cl", f"00001111 1010{_code[:3]}1 mmgggeee", cost="SHLD/SHRD CL", **_common)(
        _double_by_cl(_double(_left))
    )
