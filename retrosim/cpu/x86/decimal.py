"""Decimal adjustment (Intel 386 PRM, AAA AAD AAM AAS DAA DAS).

Flags that the manual leaves undefined: SF ZF PF of AAA and AAS, and OF of DAA and DAS, from AL; OF and AF of AAD and
AAM clear. The 286 as its vectors have it: SF ZF PF OF of AAA and AAS from the sum or difference, with all its bits; CF
and AF of AAD from its sum, OF as CF.
"""

from __future__ import annotations

from .exceptions import DIVIDE
from .flags import add_flags, set_szp
from .modes import is_286
from .modrm import EAX
from .segments import fault_when
from .state import insn


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
