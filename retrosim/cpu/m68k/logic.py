"""AND, OR, EOR, NOT and their immediate forms."""

from __future__ import annotations

from .ea import DATA, DATA_ALTERABLE, MEMORY_ALTERABLE, modify, read
from .flags import logic_flags, set_nz
from .state import get_ccr, insn, set_ccr


def _logic(operation):
    def logic(m, source, destination):
        result = operation(source, destination)
        logic_flags(m, result)
        return result

    return logic


LOGIC = {"AND": _logic(lambda a, b: a & b), "OR": _logic(lambda a, b: a | b), "EOR": _logic(lambda a, b: a ^ b)}
_REFS = {"AND": "M68000PRM 4-15", "OR": "M68000PRM 4-150", "EOR": "M68000PRM 4-100"}


def _to_register(function):
    return lambda m, s, ea, d: m.set_reg(d, function(m, read(m, ea, s), m.reg(d, s)))


def _to_ea(function):
    return lambda m, s, d, ea: modify(m, ea, s, lambda value: function(m, m.reg(d, s), value))


def _immediate(function):
    return lambda m, s, imm, ea: modify(m, ea, s, lambda value: function(m, imm.trunc(s), value))


def _to_ccr(name):
    operation = {"AND": lambda a, b: a & b, "OR": lambda a, b: a | b, "EOR": lambda a, b: a ^ b}[name]
    return lambda m, imm: set_ccr(m, operation(get_ccr(m), imm.trunc(16)))


for _name, _op, _imm in (("AND", "1100", "001"), ("OR", "1000", "000"), ("EOR", None, "101")):
    _function, _ref = LOGIC[_name], _REFS[_name]
    if _op:
        insn(f"{_name}.{{s}} {{ea}},{{d}}", f"{_op}ddd0ssmmmrrr", ea=DATA, ref=_ref)(_to_register(_function))
    _pattern, _ea = (f"{_op}ddd1ssmmmrrr", MEMORY_ALTERABLE) if _op else ("1011ddd1ssmmmrrr", DATA_ALTERABLE)
    insn(f"{_name}.{{s}} {{d}},{{ea}}", _pattern, ea=_ea, ref=_ref)(_to_ea(_function))
    insn(f"{_name}I.{{s}} {{imm}},{{ea}}", f"0000{_imm}0ssmmmrrr", ea=DATA_ALTERABLE, ref=_ref)(_immediate(_function))
    insn(f"{_name}I {{imm}},ccr", f"0000{_imm}000111100", size=8, cost="ANDI/EORI/ORI to CCR", ref=_ref)(_to_ccr(_name))


@insn("NOT.{s} {ea}", "01000110ssmmmrrr", ea=DATA_ALTERABLE, ref="M68000PRM 4-148")
def not_(m, s, ea):
    def complement(value):
        logic_flags(m, ~value)
        return ~value

    modify(m, ea, s, complement)


# Shifts and rotates (M68000PRM 3-17 and 4-22 ff.).


def _shift(kind, left):
    """Return shift(m, value, count): the result of a shift or rotate by 0..63, flags set."""

    def arithmetic(m, value, count):
        bits = value.bits
        extended, n = value.sext(64), count.zext(64)
        if left:
            result = (extended << n).trunc(bits)
            carry = (value.zext(64) << n >> bits).trunc(1)
            # V: the sign changed at some time, so the top count + 1 bits are not all alike
            changed = m.select(n.ult(bits), (result.sext(64).sar(n)).ne(extended), value.ne(0))
            return result, carry, changed
        carry = m.select(n.eq(0), m.const(1, 0), extended.sar((n - 1) & 63).trunc(1))
        return extended.sar(n).trunc(bits), carry, m.const(1, 0)

    def logical(m, value, count):
        extended, n = value.zext(64), count.zext(64)
        if left:
            return (extended << n).trunc(value.bits), (extended << n >> value.bits).trunc(1), m.const(1, 0)
        carry = m.select(n.eq(0), m.const(1, 0), (extended >> ((n - 1) & 63)).trunc(1))
        return (extended >> n).trunc(value.bits), carry, m.const(1, 0)

    def rotate(m, value, count):
        bits = value.bits
        n = (count.trunc(8) & (bits - 1)).resize(bits)
        back = -n & (bits - 1)
        result = (value << n | value >> back) if left else (value >> n | value << back)
        out = result.trunc(1) if left else result.sign
        return result, m.select(count.eq(0), m.const(1, 0), out), m.const(1, 0)

    def rotate_extended(m, value, count):
        bits = value.bits
        n = count.zext(64).urem(bits + 1)
        whole = m.get("x").zext(64) << bits | value.zext(64)
        back = m.const(64, bits + 1) - n
        turned = (whole << n | whole >> back) if left else (whole >> n | whole << back)
        return turned.trunc(bits), (turned >> bits).trunc(1), m.const(1, 0)

    core = {"AS": arithmetic, "LS": logical, "RO": rotate, "ROX": rotate_extended}[kind]

    def shift(m, value, count):
        result, carry, overflow = core(m, value, count)
        set_nz(m, result)
        m.set("v", overflow)
        m.set("c", carry)
        if kind in ("AS", "LS"):
            m.set("x", m.select(count.eq(0), m.get("x"), carry))
        elif kind == "ROX":
            m.set("x", carry)
        return result

    return shift


def _by_number(shift):
    def by_number(m, s, n, y):
        m.vary(n)
        m.set_reg(y, shift(m, m.reg(y, s), n))

    return by_number


def _by_register(shift):
    def by_register(m, s, d, y):
        count = m.reg(d) & 63
        m.vary(count)
        m.set_reg(y, shift(m, m.reg(y, s), count))

    return by_register


def _memory(shift):
    return lambda m, ea: modify(m, ea, 16, lambda value: shift(m, value, m.const(32, 1)))


for _type, _kind, _page in (("00", "AS", "4-22"), ("01", "LS", "4-113"), ("10", "ROX", "4-163"), ("11", "RO", "4-160")):
    for _direction, _side in (("0", "R"), ("1", "L")):
        _name, _function, _ref = _kind + _side, _shift(_kind, _side == "L"), f"M68000PRM {_page}"
        _by = f"{_name} count in Dn"
        _counted = {"varies": "shift_count", "ref": _ref}
        insn(f"{_name}.{{s}} {{n}},{{y}}", f"1110nnn{_direction}ss0{_type}yyy", cost=_name, **_counted)(
            _by_number(_function)
        )
        insn(f"{_name}.{{s}} {{d}},{{y}}", f"1110ddd{_direction}ss1{_type}yyy", cost=_by, **_counted)(
            _by_register(_function)
        )
        insn(f"{_name}.w {{ea}}", f"11100{_type}{_direction}11mmmrrr", ea=MEMORY_ALTERABLE, size=16, ref=_ref)(
            _memory(_function)
        )
