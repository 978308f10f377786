"""AND, OR, XOR, NOT and TEST."""

from __future__ import annotations

from .arith import two_operands
from .flags import logic_flags
from .modrm import modify, read
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
