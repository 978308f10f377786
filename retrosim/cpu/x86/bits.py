"""Bit tests, bit scans, SETcc, BSWAP (Intel 386 PRM 3.4.2 ff.)."""

from __future__ import annotations

from ..spec.rows import Options
from .flags import condition
from .modes import FROM_386, I486
from .modrm import address, modify, read, write
from .segments import linear
from .state import insn

CHANGES = {
    "BT": None,
    "BTS": lambda value, bit: value | bit,
    "BTR": lambda value, bit: value & ~bit,
    "BTC": lambda value, bit: value ^ bit,
}


def _test(m, value, number, change):
    """Copy a bit to CF; return the value with the bit changed."""
    m.set("cf", (value >> number).trunc(1))
    return change(value, m.const(value.bits, 1) << number)


def _by_register(change):
    def by_register(m, s, ea, g):
        offset = read(m, g, s)
        number = offset & (s - 1)
        if ea.cls == "reg":
            if change is None:
                m.set("cf", (read(m, ea, s) >> number).trunc(1))
            else:
                modify(m, ea, s, lambda value: _test(m, value, number, change))
            return
        # the bit string reaches in both directions from the operand's address
        pointer = address(m, ea) + offset.sext(32).sar(4 if s == 16 else 5) * (s // 8)
        if ea.cls == "word":
            pointer = pointer & 0xFFFF
        flat = linear(m, ea.segment, pointer, s)
        value = m.load(flat, s)
        if change is None:
            m.set("cf", (value >> number).trunc(1))
        else:
            m.store(flat, _test(m, value, number, change))

    return by_register


def _by_number(change):
    def by_number(m, s, ea, imm8):
        number = (imm8 & (s - 1)).trunc(s)
        if change is None:
            m.set("cf", (read(m, ea, s) >> number).trunc(1))
        else:
            modify(m, ea, s, lambda value: _test(m, value, number, change))

    return by_number


for _number, (_name, _change) in enumerate(CHANGES.items()):
    _code, _lock = f"{_number:02b}", _name != "BT"
    _common: Options = {"lock": _lock, "models": FROM_386, "ref": f"Intel 386 PRM, {_name}"}
    _cost = "BTS/BTR/BTC" if _lock else "BT"
    insn(f"{_name} {{ea}},{{g}}", f"00001111 101{_code}011 mmgggeee", cost=f"{_cost} r/m,r", **_common)(
        _by_register(_change)
    )
    _pattern = f"00001111 10111010 mm1{_code}eee"
    insn(f"{_name} {{ea}},{{imm8}}", _pattern, cost=f"{_cost} r/m,imm", **_common)(_by_number(_change))


def _scan(down):
    def scan(m, s, g, ea):
        value = read(m, ea, s)
        none = value.eq(0)
        m.set("zf", none)
        # the lowest set bit alone has as many zeros above it as there are positions left
        found = m.const(s, s - 1) - (value if down else value & -value).count_leading_zeros()
        passed = m.select(none, m.const(s, 0), m.const(s, s - 1) - found if down else found)  # 0 is not searched
        m.vary(passed.zext(32))
        m.when(~none, lambda: write(m, g, found))

    return scan


for _name, _code, _down in (("BSF", "0", False), ("BSR", "1", True)):
    _pattern = f"00001111 1011110{_code} mmgggeee"
    _common = {"models": FROM_386, "ref": f"Intel 386 PRM, {_name}"}
    insn(f"{_name} {{g}},{{ea}}", _pattern, varies="scanned", **_common)(_scan(_down))


@insn(
    "SET{c} {ea}",
    "00001111 1001cccc mm---eee",
    size=8,
    models=FROM_386,
    cost=("SETcc true", "SETcc false"),
    ref="Intel 386 PRM, SETcc",
)
def setcc(m, s, c, ea):
    holds = condition(m, c)
    m.outcome(holds)
    write(m, ea, holds.zext(8))


@insn("BSWAP {d}", "00001111 11001ddd", models=I486, ref="Intel 486 PRM, BSWAP")
def bswap(m, s, d):
    """A 16-bit BSWAP is undefined; the parts clear the register."""
    write(m, d, read(m, d, 32).swap_bytes() if s == 32 else m.const(16, 0))
