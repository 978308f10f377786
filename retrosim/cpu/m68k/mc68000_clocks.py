"""Clocks of the MC68000: base times and effective-address times (M68000UM section 8).

Checked against the public single-instruction vectors (facts collected from 261,894 of them agree with these rules in
every form; the one entry that differs from the manual's rule is BTST Dn,#imm with 10). A clock here is static, known
from the encoding; what depends on data is added when the instruction runs (`timing.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import SpecError
from ..spec.rows import Insn

# effective address: clocks of byte and word, of long operands
EA = {
    "Dn": (0, 0), "An": (0, 0), "(An)": (4, 8), "(An)+": (4, 8), "-(An)": (6, 10), "(d16,An)": (8, 12),
    "(d8,An,Xn)": (10, 14), "(xxx).W": (8, 12), "(xxx).L": (12, 16), "(d16,PC)": (8, 12), "(d8,PC,Xn)": (10, 14),
    "#imm": (4, 8),
}  # fmt: skip
REGISTER_OR_IMMEDIATE = ("Dn", "An", "#imm")
CONTROL_MODES = ("(An)", "(d16,An)", "(d8,An,Xn)", "(xxx).W", "(xxx).L", "(d16,PC)", "(d8,PC,Xn)")
MOVEM_MODES = {
    "(An)": 0, "(An)+": 0, "-(An)": 0, "(d16,An)": 4, "(xxx).W": 4, "(d16,PC)": 4, "(d8,An,Xn)": 6, "(d8,PC,Xn)": 6,
    "(xxx).L": 8,
}  # fmt: skip


@dataclass(frozen=True)
class Base:
    """Base clocks by operand: byte or word and long, in a register and in memory; EA time comes on top.

    source_extra  clocks more for a long operation whose source is a register or an immediate
    """

    word: int
    long: int
    memory_word: int = 0
    memory_long: int = 0
    source_extra: int = 0


def _modes(*clocks: int) -> dict[str, int]:
    return dict(zip(CONTROL_MODES, clocks, strict=True))


TO_REGISTER = Base(4, 6, 4, 6, source_extra=2)
TO_MEMORY = Base(4, 8, 8, 12)  # the register form is EOR's
ADDRESS_ARITHMETIC = Base(8, 6, 8, 6, source_extra=2)
IMMEDIATE = Base(8, 16, 12, 20)
QUICK = Base(4, 8, 8, 12)
ONE_OPERAND = Base(4, 6, 8, 12)
SHIFT = Base(6, 8, 8, 8)
SINGLE = Base(4, 4, 4, 4)
SHIFTS = ("ASL", "ASR", "LSL", "LSR", "ROL", "ROR", "ROXL", "ROXR")

# Row syntax up to the operands -> rule. A number is the whole time; a dict is by addressing mode.
RULES: dict[str, Base | int | dict[str, int]] = {
    **{f"{n}.{{s}} {{ea}},{{d}}": TO_REGISTER for n in ("ADD", "SUB", "AND", "OR")},
    "CMP.{s} {ea},{d}": Base(4, 6, 4, 6),
    **{f"{n}.{{s}} {{d}},{{ea}}": TO_MEMORY for n in ("ADD", "SUB", "AND", "OR", "EOR")},
    "ADDA.{s} {ea},{a}": ADDRESS_ARITHMETIC,
    "SUBA.{s} {ea},{a}": ADDRESS_ARITHMETIC,
    "CMPA.{s} {ea},{a}": Base(6, 6, 6, 6),
    **{f"{n}.{{s}} {{imm}},{{ea}}": IMMEDIATE for n in ("ADDI", "SUBI", "ANDI", "ORI", "EORI")},
    "CMPI.{s} {imm},{ea}": Base(8, 14, 8, 12),
    "ADDQ.{s} {n},{ea}": QUICK,
    "SUBQ.{s} {n},{ea}": QUICK,
    "ADDQ.{s} {n},{b}": 8,
    "SUBQ.{s} {n},{b}": 8,
    **{f"{n}.{{s}} {{ea}}": ONE_OPERAND for n in ("NEG", "NEGX", "NOT", "CLR")},
    "TST.{s} {ea}": SINGLE,
    "MOVE.{s} {ea},{ea2}": SINGLE,
    "MOVEA.{s} {ea},{a}": SINGLE,
    "MOVEQ {i},{d}": 4,
    "LEA {ea},{a}": _modes(4, 8, 12, 8, 12, 8, 12),
    "PEA {ea}": _modes(12, 16, 20, 16, 20, 16, 20),
    "JMP {ea}": _modes(8, 10, 14, 10, 12, 10, 14),
    "JSR {ea}": _modes(16, 18, 22, 18, 20, 18, 22),
    **dict.fromkeys(("EXG {d},{y}", "EXG {a},{b}", "EXG {d},{b}"), 6),
    **dict.fromkeys(("SWAP {y}", "EXT.w {y}", "EXT.l {y}", "NOP", "STOP {imm16}"), 4),
    "LINK {b},#{disp}": 16,
    "UNLK {b}": 12,
    "RTS": 16,
    "RTR": 20,
    "RTE": 20,
    "BSR {target}": 18,
    "BRA {target}": 10,
    "B{c} {target}": 10,  # taken; not taken in `timing.py`
    "DB{c} {y},{target}": 10,
    "TRAP {t}": 34,
    "TRAPV": 4,
    "RESET": 132,
    "ABCD {y},{d}": 6,
    "SBCD {y},{d}": 6,
    "ABCD -({b}),-({a})": 18,
    "SBCD -({b}),-({a})": 18,
    "ADDX.{s} {y},{d}": Base(4, 8),
    "SUBX.{s} {y},{d}": Base(4, 8),
    "ADDX.{s} -({b}),-({a})": Base(18, 30),
    "SUBX.{s} -({b}),-({a})": Base(18, 30),
    "CMPM.{s} ({b})+,({a})+": Base(12, 20),
    "NBCD {ea}": Base(6, 6, 8, 8),
    "TAS {ea}": Base(4, 4, 10, 10),
    "S{c} {ea}": Base(4, 4, 8, 8),
    **dict.fromkeys(("MOVEP.w {d},({disp},{b})", "MOVEP.w ({disp},{b}),{d}"), 16),
    **dict.fromkeys(("MOVEP.l {d},({disp},{b})", "MOVEP.l ({disp},{b}),{d}"), 24),
    "MOVE.w sr,{ea}": Base(6, 6, 8, 8),
    "MOVE.w {ea},ccr": Base(12, 12, 12, 12),
    "MOVE.w {ea},sr": Base(12, 12, 12, 12),
    **{f"{n}I {{imm}},{where}": 20 for n in ("OR", "AND", "EOR") for where in ("ccr", "sr")},
    "MOVE.l usp,{b}": 4,
    "MOVE.l {b},usp": 4,
    "BTST {d},{ea}": Base(6, 6, 4, 4),
    "BTST {imm16},{ea}": Base(10, 10, 8, 8),
    **{f"{n} {{d}},{{ea}}": Base(base, base, 8, 8) for n, base in (("BCHG", 6), ("BSET", 6), ("BCLR", 8))},
    **{f"{n} {{imm16}},{{ea}}": Base(base, base, 12, 12) for n, base in (("BCHG", 10), ("BSET", 10), ("BCLR", 12))},
    **{f"{n}.{{s}} {how},{{y}}": SHIFT for n in SHIFTS for how in ("{n}", "{d}")},
    **{f"{n}.w {{ea}}": SHIFT for n in SHIFTS},
    **dict.fromkeys(("MULU.w {ea},{d}", "MULS.w {ea},{d}"), Base(38, 38, 38, 38)),
    **dict.fromkeys(("DIVU.w {ea},{d}", "DIVS.w {ea},{d}"), Base(0, 0, 0, 0)),
    "CHK.w {ea},{d}": Base(10, 10, 10, 10),
    "MOVEM.{s} {mask},{ea}": 8,
    "MOVEM.{s} {ea},{mask}": 12,
    "LINE-A {t}": 34,
}  # fmt: skip


def clocks(insn: Insn) -> int:
    """Return the clocks of an instruction that its encoding fixes. Source: M68000UM section 8, tables 8-1 to 8-14."""
    syntax = insn.row.syntax
    rule = RULES.get(syntax, 34 if not insn.row.pattern else None)  # undefined encodings: the exception
    if rule is None:
        raise SpecError(f"{insn.text}: no MC68000 clocks for {syntax!r}")
    form = insn.forms.get("ea", "")
    if isinstance(rule, dict):
        return rule[form]
    size = insn.forms.get("s") or {8: "B", 16: "W", 32: "L"}.get(insn.row.options.get("size"), "W")
    is_long = size == "L"
    if syntax.startswith("MOVEM"):
        fields = dict(zip((name for name, _ in insn.row.operands if name not in ("s",)), insn.fields, strict=False))
        return rule + MOVEM_MODES[form] + (8 if is_long else 4) * (fields["mask"] & 0xFFFF).bit_count()
    if isinstance(rule, int):
        return rule
    in_memory = form not in ("", "Dn", "An", "#imm")
    base = (rule.memory_long if is_long else rule.memory_word) if in_memory else (rule.long if is_long else rule.word)
    if is_long and form in REGISTER_OR_IMMEDIATE:
        base += rule.source_extra
    if syntax == "BTST {d},{ea}" and form == "#imm":
        return 10
    total = base + (EA[form][is_long] if form else 0)
    destination = insn.forms.get("ea2")
    if destination:  # -(An) as a destination costs what (An) does
        total += EA["(An)" if destination == "-(An)" else destination][is_long]
    return total
