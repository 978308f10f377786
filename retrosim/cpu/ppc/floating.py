"""Floating-point instructions: known by name, and each takes the floating-point unavailable exception.

That is what a processor does whose MSR[FP] is clear; setting it does not help here yet.
"""

from __future__ import annotations

from .arith import d_form
from .exceptions import NO_FLOATING_POINT, exception
from .move import x_form
from .state import UM, insn


def _unavailable(m):
    exception(m, NO_FLOATING_POINT)


for _name, _opcode, _code in (("lfs", 48, 535), ("lfd", 50, 599), ("stfs", 52, 663), ("stfd", 54, 727)):
    for _update in (0, 1):
        _u = "u" * _update
        insn(f"{_name}{_u} {{fd}},{{simm}}({{z}})", d_form(_opcode + _update), cost=_name, ref=UM)(
            lambda m, fd, simm, z: _unavailable(m)
        )
        insn(f"{_name}{_u}x {{fd}},{{z}},{{b}}", x_form(_code + 32 * _update), cost=_name, ref=UM)(
            lambda m, fd, z, b: _unavailable(m)
        )

# opcodes 59 (single) and 63
for _name, _code in (("fadd", 21), ("fsub", 20), ("fdiv", 18)):
    for _s, _opcode in (("", 63), ("s", 59)):
        insn(f"{_name}{_s}{{rc}} {{fd}},{{fa}},{{fb}}", f"{_opcode:06b}dddddaaaaabbbbb00000{_code:05b}c", ref=UM)(
            lambda m, rc, fd, fa, fb: _unavailable(m)
        )
for _s, _opcode in (("", 63), ("s", 59)):
    insn(f"fmul{_s}{{rc}} {{fd}},{{fa}},{{fc}}", f"{_opcode:06b}dddddaaaaa00000rrrrr{25:05b}c", ref=UM)(
        lambda m, rc, fd, fa, fc: _unavailable(m)
    )
    for _name, _code in (("fmadd", 29), ("fmsub", 28), ("fnmadd", 31), ("fnmsub", 30)):
        insn(
            f"{_name}{_s}{{rc}} {{fd}},{{fa}},{{fc}},{{fb}}", f"{_opcode:06b}dddddaaaaabbbbbrrrrr{_code:05b}c", ref=UM
        )(lambda m, rc, fd, fa, fc, fb: _unavailable(m))
for _name, _code, _cost in (
    ("fmr", 72, "fmr"),
    ("fneg", 40, "fneg"),
    ("fabs", 264, "fabs"),
    ("fnabs", 136, "fabs"),
    ("frsp", 12, "frsp"),
    ("fctiw", 14, "fctiw"),
    ("fctiwz", 15, "fctiwz"),
):
    insn(f"{_name}{{rc}} {{fd}},{{fb}}", f"111111ddddd00000bbbbb{_code:010b}c", cost=_cost, ref=UM)(
        lambda m, rc, fd, fb: _unavailable(m)
    )
for _name, _code in (("fcmpu", 0), ("fcmpo", 32)):
    insn(f"{_name} {{crf}},{{fa}},{{fb}}", f"111111fff00aaaaabbbbb{_code:010b}0", ref=UM)(
        lambda m, crf, fa, fb: _unavailable(m)
    )
insn("mffs{rc} {fd}", f"111111ddddd0000000000{583:010b}c", cost="fmr", ref=UM)(lambda m, rc, fd: _unavailable(m))
insn("mtfsf{rc} {fm},{fb}", f"1111110ffffffff0bbbbb{711:010b}c", cost="fmr", ref=UM)(
    lambda m, rc, fm, fb: _unavailable(m)
)
insn("mcrfs {crf},{crg}", f"111111fff00ggg0000000{64:010b}0", cost="fmr", ref=UM)(lambda m, crf, crg: _unavailable(m))
for _name, _code in (("mtfsb0", 70), ("mtfsb1", 38)):
    insn(f"{_name}{{rc}} {{bit}}", f"111111ddddd0000000000{_code:010b}c", cost="fmr", ref=UM)(
        lambda m, rc, bit: _unavailable(m)
    )
insn("mtfsfi{rc} {fm},{to}", f"111111fff0000000tttt0{134:010b}c", cost="fmr", ref=UM)(
    lambda m, rc, fm, to: _unavailable(m)
)
