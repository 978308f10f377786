"""String instructions.

A repeated one runs one iteration a step and stays at its own address until it is done: an engine may stop between two
iterations, and an interrupt then returns to the prefix, as on the real parts. So a repeat of n iterations counts as n
instructions, and as one when CX is 0.
"""

from __future__ import annotations

from collections.abc import Callable

from ..spec.values import Word
from .arith import sub
from .modes import is_286
from .modrm import EAX, ECX, EDI, ESI, write
from .segments import ES, load, store
from .state import insn


class Iteration:
    """The elements that one iteration takes, and when its registers change.

    They change behind all accesses, so that one that faults leaves them as they were; on the 286 an index register
    changes before its access and CX with the last load, and when a store faults CX has been counted for the next
    iteration, if there is one (vectors of 6D, 6F, A5 to AF, github.com/SingleStepTests/80286; the rule for the last
    iteration is not in them).

    left  CX behind it, None for an instruction that is not repeated
    """

    def __init__(self, m, a: int, s: int, left: Word | None = None) -> None:
        self.m, self.a, self.s, self.left = m, a, s, left
        self.early = is_286(m.cpu.model)
        self._moves: list[Callable[[], None]] = []

    def load(self, n: int, segment: Word | int | None, counts: bool = True) -> Word:
        """Return the element at an index register."""
        offset = self._use(n)
        if self.early and counts:
            self._count(self.left)
        return load(self.m, segment, offset, self.s)

    def store(self, word: Word) -> None:
        """Store an element at EDI."""
        offset = self._use(EDI)
        if self.early and self.left is not None:
            self._count(self.left - self.left.ne(0).zext(self.a))
        store(self.m, ES, offset, word)

    def finish(self) -> None:
        """Change what has not changed yet."""
        self._move()
        self._count(self.left)

    def _use(self, n: int) -> Word:
        m, pointer, size = self.m, self.m.reg(n, self.a), self.s // 8
        moved = m.select(m.get("df"), pointer - size, pointer + size)
        self._moves.append(lambda: m.set_reg(n, moved, stage="address"))
        if self.early:
            self._move()
        return pointer.zext(32)

    def _move(self) -> None:
        for move in self._moves:
            move()
        self._moves.clear()

    def _count(self, count: Word | None) -> None:
        if count is not None:
            self.m.set_reg(ECX, count)


def _repeat(m, a, s, rep, again, body):
    """Run an iteration; where another one is due, stay."""
    if not rep:
        each = Iteration(m, a, s)
        body(each)
        each.finish()
        return
    left, more = m.reg(ECX, a) - 1, m.variable(m.const(1, 0))
    m.vary(left.eq((1 << a) - 1))

    def once():
        each = Iteration(m, a, s, left)
        body(each)
        each.finish()
        goes_on = left.ne(0)
        if rep == "repe":
            goes_on = goes_on & m.get("zf")
        elif rep == "repne":
            goes_on = goes_on & ~m.get("zf")
        more.set(goes_on)

    m.when(left.ne((1 << a) - 1), once)
    m.branch(more.get(), again)


@insn("{rep}MOVS{s}", "1010010w", cost="MOVS", varies="iterations", ref="Intel 386 PRM, MOVS")
def movs(m, s, a, rep, again, segment):
    _repeat(m, a, s, rep, again, lambda each: each.store(each.load(ESI, segment)))


@insn("{rep}CMPS{s}", "1010011w", compares=True, cost="CMPS", varies="iterations", ref="Intel 386 PRM, CMPS")
def cmps(m, s, a, rep, again, segment):
    """The 286 takes the element at DI first."""

    def body(each):
        second = each.load(EDI, ES, counts=False) if each.early else None
        first = each.load(ESI, segment)
        sub(m, first, each.load(EDI, ES) if second is None else second)

    _repeat(m, a, s, rep, again, body)


@insn("{rep}STOS{s}", "1010101w", cost="STOS", varies="iterations", ref="Intel 386 PRM, STOS")
def stos(m, s, a, rep, again):
    _repeat(m, a, s, rep, again, lambda each: each.store(m.reg(EAX, s)))


@insn("{rep}LODS{s}", "1010110w", cost="LODS", varies="iterations", ref="Intel 386 PRM, LODS")
def lods(m, s, a, rep, again, segment):
    def body(each):
        m.set_reg(EAX, each.load(ESI, segment), stage="byte" if s == 8 else "execute")

    _repeat(m, a, s, rep, again, body)


@insn("{rep}SCAS{s}", "1010111w", compares=True, cost="SCAS", varies="iterations", ref="Intel 386 PRM, SCAS")
def scas(m, s, a, rep, again):
    _repeat(m, a, s, rep, again, lambda each: sub(m, m.reg(EAX, s), each.load(EDI, ES)))


# No device answers at a port: reading one gives ones, writing one does nothing.


@insn("{rep}INS{s}", "0110110w", cost="INS", varies="iterations", ref="Intel 386 PRM, INS")
def ins(m, s, a, rep, again):
    _repeat(m, a, s, rep, again, lambda each: each.store(m.const(s, (1 << s) - 1)))


@insn("{rep}OUTS{s}", "0110111w", cost="OUTS", varies="iterations", ref="Intel 386 PRM, OUTS")
def outs(m, s, a, rep, again, segment):
    _repeat(m, a, s, rep, again, lambda each: each.load(ESI, segment))


def _in(m, s, acc):
    write(m, acc, m.const(s, (1 << s) - 1))


insn("IN {acc},{imm8}", "1110010w", cost="IN imm", ref="Intel 386 PRM, IN")(lambda m, s, acc, imm8: _in(m, s, acc))
insn("IN {acc},dx", "1110110w", cost="IN DX", ref="Intel 386 PRM, IN")(_in)
insn("OUT {imm8},{acc}", "1110011w", cost="OUT imm", ref="Intel 386 PRM, OUT")(lambda m, s, imm8, acc: None)
insn("OUT dx,{acc}", "1110111w", cost="OUT DX", ref="Intel 386 PRM, OUT")(lambda m, s, acc: None)
