"""Branches, calls, returns, traps, and the A-line services of the simulated machine."""

from __future__ import annotations

from ..spec.cpu import SERVICE
from ..spec.rows import Row, undefined_row
from .ea import CONTROL, DATA_ALTERABLE, address, write
from .exceptions import ADDRESS_ERROR, ILLEGAL, LINE_A, LINE_F, TRAP, TRAP_ON_OVERFLOW, branch, exception, jump
from .flags import condition
from .move import M68020_UP
from .state import SP, insn, pop, push, set_ccr


@insn("BRA {target}", "01100000iiiiiiii", flow=True, ends=True, ref="M68000PRM 4-55")
def bra(m, target):
    branch(m, m.const(1, 1), target)


@insn("BSR {target}", "01100001iiiiiiii", flow=True, calls=True, ref="M68000PRM 4-59")
def bsr(m, target):
    push(m, m.next_pc)
    branch(m, m.const(1, 1), target)


@insn(
    "B{c} {target}",
    "0110cccciiiiiiii",
    first_condition=2,
    flow=True,
    cost=("Bcc taken", "Bcc not taken"),
    ref="M68000PRM 4-25",
)
def bcc(m, c, target):
    branch(m, condition(m, c), target)


@insn(
    "DB{c} {y},{target}",
    "0101cccc11001yyy",
    displacement=16,
    flow=True,
    early=("y",),
    cost=("DBcc loop", "DBcc expired"),
    varies="counter",
    ref="M68000PRM 4-91",
)
def dbcc(m, c, y, target):
    count = m.reg(y, 16) - 1
    holds = condition(m, c)
    loops = ~holds & count.ne(0xFFFF)
    m.outcome(loops)
    m.vary(holds, count.eq(0xFFFF))
    left = m.select(holds, m.reg(y, 16), count)
    branch(m, loops, target, lambda: m.set_reg(y, left, stage="fetch"))


@insn(
    "S{c} {ea}",
    "0101cccc11mmmrrr",
    ea=DATA_ALTERABLE,
    size=8,
    cost="Scc",
    varies="condition_true",
    ref="M68000PRM 4-173",
)
def scc(m, c, ea):
    holds = condition(m, c)
    if ea.cls == "reg":
        m.vary(holds)
    write(m, ea, m.select(holds, m.const(8, 0xFF), m.const(8, 0)))


@insn("JMP {ea}", "0100111011mmmrrr", flow=True, ends=True, jumps=True, ea=CONTROL, ref="M68000PRM 4-108")
def jmp(m, ea):
    jump(m, address(m, ea))


@insn("JSR {ea}", "0100111010mmmrrr", flow=True, calls=True, ea=CONTROL, ref="M68000PRM 4-109")
def jsr(m, ea):
    target = address(m, ea)
    jump(m, target, lambda: push(m, m.next_pc))


@insn("RTS", "0100111001110101", flow=True, ends=True, ref="M68000PRM 4-169")
def rts(m):
    jump(m, pop(m, 32))


@insn("RTD #{disp}", "0100111001110100", flow=True, ends=True, models=M68020_UP, ref="M68000PRM 4-166")
def rtd(m, disp):
    target = pop(m, 32)
    m.set_reg(SP, m.reg(SP) + disp, stage="address")
    jump(m, target)


@insn("RTR", "0100111001110111", flow=True, ends=True, ref="M68000PRM 4-168")
def rtr(m):
    set_ccr(m, pop(m, 16))
    jump(m, pop(m, 32))


@insn("NOP", "0100111001110001", refills=True, ref="M68000PRM 4-147")
def nop(m):
    pass


@insn("TRAP {t}", "010011100100tttt", cost="TRAP #n", ref="M68000PRM 4-188")
def trap(m, t):
    exception(m, t + TRAP)


@insn("TRAPV", "0100111001110110", cost="TRAPcc/TRAPV not taken", ref="M68000PRM 4-191")
def trapv(m):
    _trap_if(m, m.get("v"))


@insn("TRAP{c}", "0101cccc11111100", cost="TRAPcc/TRAPV not taken", models=M68020_UP, ref="M68000PRM 4-189")
def trapcc(m, c):
    _trap_if(m, condition(m, c))


@insn("TRAP{c}.w {imm16}", "0101cccc11111010", cost="TRAPcc/TRAPV not taken", models=M68020_UP, ref="M68000PRM 4-189")
def trapcc_word(m, c, imm16):
    _trap_if(m, condition(m, c))


@insn("TRAP{c}.l #{disp32}", "0101cccc11111011", cost="TRAPcc/TRAPV not taken", models=M68020_UP, ref="M68000PRM 4-189")
def trapcc_long(m, c, disp32):
    _trap_if(m, condition(m, c))


def _trap_if(m, holds):
    m.when(holds, lambda: exception(m, TRAP_ON_OVERFLOW))


@insn("ILLEGAL", "0100101011111100", cost="ILLEGAL, A-line, F-line", illegal=True, ref="M68000PRM 4-107")
def illegal(m):
    exception(m, ILLEGAL)


@insn(
    "BKPT {t}",
    "0100100001001ttt",
    cost="ILLEGAL, A-line, F-line",
    models=M68020_UP,
    illegal=True,
    ref="M68000PRM 4-53",
)
def bkpt(m, t):
    exception(m, ILLEGAL)


@insn("LINE-A {t}", "1010tttttttttttt", calls=True, cost="ILLEGAL, A-line, F-line", ref="guide/programs.md, Services")
def line_a(m, t):
    m.leave(SERVICE, t)


def _undefined(name: str, vector: int, ref: str) -> Row:
    syntax, cost = name + " ${opcode:04x}", "ILLEGAL, A-line, F-line"
    return undefined_row(name, syntax, lambda m: exception(m, vector), cost, ref)


ILLEGAL_ROW = _undefined("ILLEGAL", ILLEGAL, "M68000PRM 4-107")
LINE_F_ROW = _undefined("LINE-F", LINE_F, "MC68040UM 8.2")
LINE_A_ROW = _undefined("LINE-A", LINE_A, "M68000PRM appendix B")
ODD_ROW = _undefined("ODD-ADDRESS", ADDRESS_ERROR, "MC68040UM 8.2.2")


UNDEFINED_ROWS = (ILLEGAL_ROW, LINE_F_ROW, LINE_A_ROW, ODD_ROW)


def undefined(opcode: int, address: int, too_long: bool) -> Row:
    """Return the row that runs for an opcode word that nothing claims, or at an odd address."""
    return ODD_ROW if address & 1 else LINE_F_ROW if opcode >> 12 == 15 else ILLEGAL_ROW
