"""Single bits, bit fields, test-and-set, compare-and-swap."""

from __future__ import annotations

from ..spec.rows import Options
from .ea import CONTROL, CONTROL_ALTERABLE, DATA, DATA_ALTERABLE, MEMORY_ALTERABLE, address, modify, read
from .flags import compare_flags, logic_flags
from .move import M68020_UP
from .state import insn


def _bit(name):
    """Return the semantics of BTST, BCHG, BCLR or BSET: 32 bits in a data register, 8 in memory."""
    change = {
        "BTST": None,
        "BCHG": lambda value, bit: value ^ bit,
        "BCLR": lambda value, bit: value & ~bit,
        "BSET": lambda value, bit: value | bit,
    }[name]

    def bit_operation(m, number, ea):
        bits = 32 if ea.cls == "reg" else 8
        mask = m.const(bits, 1) << (number & (bits - 1)).resize(bits)
        if change and bits == 32:
            m.vary(number)

        def test(value):
            m.set("z", (value & mask).eq(0))
            return change(value, mask) if change else value

        if change:
            modify(m, ea, bits, test)
        else:
            test(read(m, ea, bits))

    return bit_operation


def _by_data_register(operation):
    return lambda m, d, ea: operation(m, m.reg(d), ea)


def _by_immediate(operation):
    return lambda m, imm16, ea: operation(m, imm16, ea)


for _name, _type, _page in (("BTST", "00", 62), ("BCHG", "01", 28), ("BCLR", "10", 31), ("BSET", "11", 57)):
    _ref = f"M68000PRM 4-{_page}"
    _modes = (DATA, "DI+-dxwpq") if _name == "BTST" else (DATA_ALTERABLE, DATA_ALTERABLE)
    _dn, _number = f"{_name} Dn", f"{_name} #bit"
    _common: Options = {"size": 8, "suffix": "bl", "varies": "" if _name == "BTST" else "bit_number", "ref": _ref}
    insn(f"{_name} {{d}},{{ea}}", f"0000ddd1{_type}mmmrrr", ea=_modes[0], cost=_dn, **_common)(
        _by_data_register(_bit(_name))
    )
    insn(f"{_name} {{imm16}},{{ea}}", f"00001000{_type}mmmrrr", ea=_modes[1], cost=_number, **_common)(
        _by_immediate(_bit(_name))
    )


@insn("TAS {ea}", "0100101011mmmrrr", ea=DATA_ALTERABLE, size=8, ref="M68000PRM 4-186")
def tas(m, ea):
    def test_and_set(value):
        logic_flags(m, value)
        return value | 0x80

    modify(m, ea, 8, test_and_set)


def _cas(s):
    def cas(m, ea, k, u):
        pointer = address(m, ea)
        found, expected = m.load(pointer, s), m.reg(k, s)
        compare_flags(m, expected, found, found - expected)
        m.when(found.eq(expected), lambda: m.store(pointer, m.reg(u, s)), lambda: m.set_reg(k, found))

    return cas


for _letter, _size, _code in (("b", 8, "01"), ("w", 16, "10"), ("l", 32, "11")):
    insn(
        f"CAS.{_letter} {{k}},{{u}},{{ea}}",
        f"00001{_code}011mmmrrr -------uuu---kkk",
        ea=MEMORY_ALTERABLE,
        size=_size,
        refills=True,
        models=M68020_UP,
        ref="M68000PRM 4-66",
    )(_cas(_size))


def _cas2(s):
    def cas2(m, e, k, u, g, l, h):
        """First operand (e): compare k, update u; second (g): compare l, update h."""
        one, two = m.load(m.reg(e), s), m.load(m.reg(g), s)
        first, second = m.reg(k, s), m.reg(l, s)
        same = one.eq(first)
        source, found = m.select(same, second, first), m.select(same, two, one)
        compare_flags(m, source, found, found - source)

        def swap():
            m.store(m.reg(e), m.reg(u, s))
            m.store(m.reg(g), m.reg(h, s))

        def keep():  # one register for both has operand 1 (M68000PRM 4-68)
            m.set_reg(l, two)
            m.set_reg(k, one)

        both = same & two.eq(second)
        m.outcome(both)
        m.when(both, swap, keep)

    return cas2


for _size, _code in ((16, "10"), (32, "11")):
    insn(
        f"CAS2.{'w' if _size == 16 else 'l'} {{k}}:{{l}},{{u}}:{{h}},({{e}}):({{g}})",
        f"00001{_code}011111100 eeee---uuu---kkk gggg---hhh---lll",
        refills=True,
        cost=("CAS2 true", "CAS2 false"),
        models=M68020_UP,
        ref="M68000PRM 4-66",
    )(_cas2(_size))


def _field(m, ea, offset, width):
    """Locate a bit field; return (value left-aligned in 32 bits, width 1..32, store(left-aligned value))."""
    width = ((width - 1) & 31) + 1
    gap = m.const(32, 32) - width
    mask = m.const(32, 0xFFFFFFFF) >> gap << gap
    if ea.cls == "reg":
        turn = offset & 31
        back = (m.const(32, 0) - turn) & 31
        whole = m.reg(ea.value)
        value = (whole << turn | whole >> back) & mask

        def store(new):
            placed, hole = new >> turn | new << back, mask >> turn | mask << back
            m.set_reg(ea.value, whole & ~hole | placed & hole)

        return value, width, store
    byte = address(m, ea) + offset.sar(3)
    pointer, bit = byte & ~3, (byte & 3) << 3 | offset & 7
    crosses = m.const(32, 32).ult(bit + width)
    bit = bit.zext(64)
    first = m.load(pointer, 32)
    last = m.variable(m.const(32, 0))

    def across():
        last.set(m.load(pointer + 4, 32))
        m.vary()

    m.when(crosses, across)
    whole = first.zext(64) << 32 | last.get().zext(64)
    value = (whole << bit >> 32).trunc(32) & mask

    def store(new):
        hole = mask.zext(64) << 32 >> bit
        changed = whole & ~hole | (new.zext(64) << 32 >> bit) & hole
        m.store(pointer, (changed >> 32).trunc(32))
        m.when(crosses, lambda: m.store(pointer + 4, changed.trunc(32)))

    return value, width, store


def _field_flags(m, value):
    m.set("n", value.sign)
    m.set("z", value.eq(0))
    m.set("v", m.const(1, 0))
    m.set("c", m.const(1, 0))


def _bit_field(new):
    """Test a field, and replace it by new(m, value) unless `new` is None."""

    def field_operation(m, offset, width, ea):
        value, _, store = _field(m, ea, offset, width)
        _field_flags(m, value)
        if new:
            store(new(m, value))

    return field_operation


def bfextu(m, d, offset, width, ea):
    value, bits, _ = _field(m, ea, offset, width)
    _field_flags(m, value)
    m.set_reg(d, value >> (m.const(32, 32) - bits))


def bfexts(m, d, offset, width, ea):
    value, bits, _ = _field(m, ea, offset, width)
    _field_flags(m, value)
    m.set_reg(d, value.sar(m.const(32, 32) - bits))


def bfffo(m, d, offset, width, ea):
    value, bits, _ = _field(m, ea, offset, width)
    _field_flags(m, value)
    zeros = value.count_leading_zeros()
    start = offset & 31 if ea.cls == "reg" else offset  # in a register offsets count modulo 32
    m.set_reg(d, start + m.select(bits.ult(zeros), bits, zeros))


def bfins(m, d, offset, width, ea):
    _, bits, store = _field(m, ea, offset, width)
    new = m.reg(d) << (m.const(32, 32) - bits)
    _field_flags(m, new)
    store(new)


for _name, _code, _function, _legal in (
    ("BFTST", "000", _bit_field(None), "D" + CONTROL),
    ("BFEXTU", "001", bfextu, "D" + CONTROL),
    ("BFCHG", "010", _bit_field(lambda m, v: ~v), "D" + CONTROL_ALTERABLE),
    ("BFEXTS", "011", bfexts, "D" + CONTROL),
    ("BFCLR", "100", _bit_field(lambda m, v: m.const(32, 0)), "D" + CONTROL_ALTERABLE),
    ("BFFFO", "101", bfffo, "D" + CONTROL),
    ("BFSET", "110", _bit_field(lambda m, v: m.const(32, 0xFFFFFFFF)), "D" + CONTROL_ALTERABLE),
    ("BFINS", "111", bfins, "D" + CONTROL_ALTERABLE),
):
    _has_d = _function in (bfextu, bfexts, bfffo, bfins)
    _operands = {True: "{d},{ea}{{{offset}:{width}}}", False: "{ea}{{{offset}:{width}}}"}[_has_d and _name == "BFINS"]
    if _has_d and _name != "BFINS":
        _operands = "{ea}{{{offset}:{width}}},{d}"
    insn(
        f"{_name} {_operands}",
        f"11101{_code}11mmmrrr {'-ddd' if _has_d else '----'}OoooooWwwwww",
        ea=_legal,
        size=32,
        models=M68020_UP,
        varies="field_crosses",
        ref="M68000PRM 4-33 ff.",
    )(_function)
