"""The PowerPC 601.

arith            integer arithmetic and comparison (601UM sections 3.3.1, 3.3.2)
assembly         the assembly language of the PowerPC, as GNU as takes it, with the simplified mnemonics of 601UM
                 appendix F
exceptions       exceptions of the PowerPC 601 (601UM chapter 5)
flags            condition fields and XER
floating         floating-point instructions
flow             branches, condition-register logic, traps, and the services of the simulated machine (601UM
                 sections 3.6, 3.7)
hooks            what the clocks of PowerPC instructions depend on besides their encoding
logic            logical instructions, rotates and shifts of the PowerPC architecture (601UM sections 3.3.3,
                 3.3.4)
models           the model of the PowerPC 601
move             loads and stores of integers
mpc601_cache     caches and bus of a 601 machine, as subroutines in the value layer (guide/facts/ppc601_timing.md
                 sections 3, 4)
mpc601_clocks    published clocks of the PowerPC 601 and of the machine around it, and the model that adds them up
mpc601_pipeline  the MPC601's pipeline as an event model, in the value layer
operands         operand kinds of the PowerPC
power            POWER instructions that the 601 keeps (601UM appendix B)
state            registers of the PowerPC 601 and the operations on them that many instructions share
system           special registers, machine state, caches and what else belongs to an operating system (601UM
                 sections 3.7, 3.8)
"""

from __future__ import annotations

from retrosim.errors import SpecError

from ..spec.cpu import Cpu

MODEL_NAMES = ("MPC601",)


def cpu(model: str) -> Cpu:
    """Return the description of a model: "MPC601". The rows are made at the first call."""
    if model not in MODEL_NAMES:
        raise SpecError(f"no PowerPC model {model!r}; there are {', '.join(MODEL_NAMES)}")
    from .models import cpu

    return cpu(model)
