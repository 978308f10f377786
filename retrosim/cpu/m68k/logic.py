"""AND, OR, EOR, NOT and their immediate forms."""

from __future__ import annotations

from .ea import DATA, DATA_ALTERABLE, MEMORY_ALTERABLE, modify, read
from .flags import logic_flags
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
