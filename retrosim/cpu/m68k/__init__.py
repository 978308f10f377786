"""The Motorola 68K family.

arith             addition, subtraction, comparison, negation, multiplication, division, decimal arithmetic,
                  bounds
assembly          the assembly language of the 68K; effective addresses read and encoded
bits              single bits, bit fields, test-and-set, compare-and-swap
ea                effective addresses
exceptions        exceptions and their stack frames, the MC68000's address error among them
flags             condition codes
flow              branches, calls, returns, traps, and the A-line services of the simulated machine
hooks             what the clocks of 68K instructions depend on besides their encoding
logic             AND, OR, EOR, NOT and their immediate forms
mc68000           clocks of the MC68000, exact, in the value layer
mc68040           clocks of the MC68040 in the value layer, and what its sources leave open
mc68040_cache     caches and bus of the MC68040, as subroutines in the value layer (MC68040UM sections 4 and 7)
mc68040_pipeline  the MC68040's pipeline as an event model, in the value layer
models            the models of the Motorola 68K family
move              data movement
operands          operand kinds of the 68K
state             registers of the 68K family and the operations on them that many instructions share
system            supervisor instructions
"""

from __future__ import annotations

from retrosim.errors import SpecError

from ..spec.cpu import Cpu

MODEL_NAMES = "MC68000", "MC68040"


def cpu(model: str) -> Cpu:
    """Return the description of one model of the family, for example "MC68040". The rows are made at the first call."""
    if model not in MODEL_NAMES:
        raise SpecError(f"no 68K model {model!r}; there are {', '.join(MODEL_NAMES)}")
    from .models import cpu

    return cpu(model)
