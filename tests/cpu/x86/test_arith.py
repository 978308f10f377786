"""Divisions at the ends of their range, which random operands do not meet."""

from __future__ import annotations

import itertools

import pytest

from retrosim.cpu.engines.handlers.interpret import Interpreter
from retrosim.cpu.spec.cpu import FAULT
from tests.helpers.cpu.cores import handler_cache_for
from tests.helpers.cpu.x86_programs import START, core_with, run

IDIV = {8: "f6f9", 16: "f7f9", 32: "66f7f9"}  # by cl, cx, ecx
MODELS = [(model, bits) for model in ("i386_real", "i486_real") for bits in IDIV] + [
    ("i286_real", 8),
    ("i286_real", 16),
]


@pytest.mark.parametrize("name", ["evaluate", "interpret"])
@pytest.mark.parametrize(("model", "bits"), MODELS)
def test_the_least_quotient_of_idiv_is_no_overflow(model: str, bits: int, name: str) -> None:
    """-80h, -8000h and -80000000h fit, unlike on an 8086; what is less does not.

    80286 PRM appendix D: a program should not rely on exceptions of IDIV for such quotients. The README of
    SingleStepTests/80386 says that the 286 and later raise none.
    """
    minimum, ones = -(1 << bits - 1), (1 << bits) - 1
    core = core_with(model, IDIV[bits])
    state, registers = core.state, core.state["r"]
    interpreter = Interpreter(core, handler_cache_for(core, [START])) if name == "interpret" else None
    divisors = (1, -1, 3, -3, -minimum - 1, minimum)
    for divisor, quotient in itertools.product(divisors, (minimum - 1, minimum, minimum + 1, -minimum - 1, -minimum)):
        rest = (abs(divisor) - 1) * (1 if (divisor < 0) == (quotient < 0) else -1)
        dividend = divisor * quotient + rest
        if dividend >> 2 * bits - 1 not in (0, -1):
            continue
        low, high = dividend & ones, dividend >> bits & ones
        registers[0] = high << 8 | low if bits == 8 else low
        registers[1], registers[2] = divisor & ones, high
        state["pc"], state["reason"], state["idt_limit"] = START, 0, 0
        interpreter.run(1) if interpreter else run(core)
        if minimum <= quotient < -minimum:
            both = int(registers[0])
            found = (both & 0xFF, both >> 8) if bits == 8 else (both, int(registers[2]))
            assert found == (quotient & ones, rest & ones), (divisor, quotient)
        else:
            assert (int(state["reason"]), int(state["detail"])) == (FAULT, 0), (divisor, quotient)
