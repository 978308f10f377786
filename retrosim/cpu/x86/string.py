"""String instructions.

A repeated one runs one iteration a step and stays at its own address until it is done: an engine may stop between two
iterations, and an interrupt then returns to the prefix, as on the real parts. So a repeat of n iterations counts as n
instructions, and as one when CX is 0.
"""

from __future__ import annotations

from .arith import sub
from .modrm import EAX, ECX, EDI, ESI, write
from .segments import ES, load, store
from .state import insn


def _repeat(m, a, rep, again, body):
    """Run an iteration; where another one is due, stay."""
    if not rep:
        body()
        return
    left, more = m.reg(ECX, a) - 1, m.variable(m.const(1, 0))
    m.vary(left.eq((1 << a) - 1))

    def once():
        body()
        m.set_reg(ECX, left)
        goes_on = left.ne(0)
        if rep == "repe":
            goes_on = goes_on & m.get("zf")
        elif rep == "repne":
            goes_on = goes_on & ~m.get("zf")
        more.set(goes_on)

    m.when(left.ne((1 << a) - 1), once)
    m.branch(more.get(), again)


def _step(m, n, a, s):
    """Move an index register on by an element."""
    pointer = m.reg(n, a)
    m.set_reg(n, m.select(m.get("df"), pointer - s // 8, pointer + s // 8), stage="address")


@insn("{rep}MOVS{s}", "1010010w", cost="MOVS", varies="iterations", ref="Intel 386 PRM, MOVS")
def movs(m, s, a, rep, again, segment):
    def body():
        store(m, ES, m.reg(EDI, a).zext(32), load(m, segment, m.reg(ESI, a).zext(32), s))
        _step(m, ESI, a, s)
        _step(m, EDI, a, s)

    _repeat(m, a, rep, again, body)


@insn("{rep}CMPS{s}", "1010011w", compares=True, cost="CMPS", varies="iterations", ref="Intel 386 PRM, CMPS")
def cmps(m, s, a, rep, again, segment):
    def body():
        first = load(m, segment, m.reg(ESI, a).zext(32), s)
        sub(m, first, load(m, ES, m.reg(EDI, a).zext(32), s))
        _step(m, ESI, a, s)
        _step(m, EDI, a, s)

    _repeat(m, a, rep, again, body)


@insn("{rep}STOS{s}", "1010101w", cost="STOS", varies="iterations", ref="Intel 386 PRM, STOS")
def stos(m, s, a, rep, again):
    def body():
        store(m, ES, m.reg(EDI, a).zext(32), m.reg(EAX, s))
        _step(m, EDI, a, s)

    _repeat(m, a, rep, again, body)


@insn("{rep}LODS{s}", "1010110w", cost="LODS", varies="iterations", ref="Intel 386 PRM, LODS")
def lods(m, s, a, rep, again, segment):
    def body():
        m.set_reg(EAX, load(m, segment, m.reg(ESI, a).zext(32), s), stage="byte" if s == 8 else "execute")
        _step(m, ESI, a, s)

    _repeat(m, a, rep, again, body)


@insn("{rep}SCAS{s}", "1010111w", compares=True, cost="SCAS", varies="iterations", ref="Intel 386 PRM, SCAS")
def scas(m, s, a, rep, again):
    def body():
        sub(m, m.reg(EAX, s), load(m, ES, m.reg(EDI, a).zext(32), s))
        _step(m, EDI, a, s)

    _repeat(m, a, rep, again, body)


# No device answers at a port: reading one gives ones, writing one does nothing.


@insn("{rep}INS{s}", "0110110w", cost="INS", varies="iterations", ref="Intel 386 PRM, INS")
def ins(m, s, a, rep, again):
    def body():
        store(m, ES, m.reg(EDI, a).zext(32), m.const(s, (1 << s) - 1))
        _step(m, EDI, a, s)

    _repeat(m, a, rep, again, body)


@insn("{rep}OUTS{s}", "0110111w", cost="OUTS", varies="iterations", ref="Intel 386 PRM, OUTS")
def outs(m, s, a, rep, again, segment):
    def body():
        load(m, segment, m.reg(ESI, a).zext(32), s)
        _step(m, ESI, a, s)

    _repeat(m, a, rep, again, body)


def _in(m, s, acc):
    write(m, acc, m.const(s, (1 << s) - 1))


insn("IN {acc},{imm8}", "1110010w", cost="IN imm", ref="Intel 386 PRM, IN")(lambda m, s, acc, imm8: _in(m, s, acc))
insn("IN {acc},dx", "1110110w", cost="IN DX", ref="Intel 386 PRM, IN")(_in)
insn("OUT {imm8},{acc}", "1110011w", cost="OUT imm", ref="Intel 386 PRM, OUT")(lambda m, s, imm8, acc: None)
insn("OUT dx,{acc}", "1110111w", cost="OUT DX", ref="Intel 386 PRM, OUT")(lambda m, s, acc: None)
