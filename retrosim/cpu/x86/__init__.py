"""The Intel 286, 386 and 486: integer instructions in 16-bit real mode and, from the 386 on, in flat 32-bit mode.

arith          addition, subtraction, comparison, increment, negation, multiplication, division, bounds
assembly       the assembly language of the x86; operands read and encoded
bits           bit tests, bit scans, SETcc, BSWAP (Intel 386 PRM 3.4.2 ff.)
clocks         published clocks of the Intel 286, 386 and i486
exceptions     exceptions and interrupts (Intel 386 PRM chapters 9 and 14)
flags          flags
flow           jumps, calls, returns, loops, software interrupts, and the services of the simulated machine
hooks          what the clocks of x86 instructions depend on besides their encoding
i486_cache     cache and write buffers of the i486, as subroutines in the value layer
i486_pipeline  pipeline, cache and write buffers of the i486 in the full timing model
logic          AND, OR, XOR, NOT and TEST
models         the models of the Intel 286, 386 and 486, as engines, machine and reports see them
modes          the models of the family
modrm          operands in registers and memory
move           moves, exchanges, address loads, conversions, the stack
operands       operand kinds of the x86
prefetch       prefetch queue and bus of the i386DX and of the 80286 in the full timing model
segments       segments
state          registers of the x86 and the operations on them that many instructions share
string         string instructions
system         flag bits, HLT, control registers, descriptor table registers, caches
timing         timing models of the x86, written in the value layer
"""

from __future__ import annotations

from ..spec.cpu import Cpu
from .modes import MODEL_NAMES  # noqa: F401  of the family


def cpu(model: str, unreal: bool = False) -> Cpu:
    """Return the description of one model of the family, for example "i386_real". The rows are made at the first call.

    unreal   real mode whose segments begin with limits of 4 GiB
    """
    from .models import cpu

    return cpu(model, unreal)
