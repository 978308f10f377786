"""Why and where a run stopped, and what a call cost."""

from __future__ import annotations

from dataclasses import dataclass

from retrosim.errors import CpuFault


@dataclass(frozen=True)
class RunResult:
    """What one call of `run` did.

    reason        "frames", "cycles", "instructions", "until", "exit", "fault" or "budget": the machine's is used up;
                  "point" where a debugger stops it
    frames        frames completed by this call
    cycles        CPU clocks this call took; 0 on the native machine
    instructions  instructions this call executed; 0 on the native machine
    pc            address of the next instruction; 0 on the native machine
    fault         what the CPU could not do, if that is the reason
    """

    reason: str
    frames: int
    cycles: int
    instructions: int
    pc: int
    fault: CpuFault | None = None

    def __repr__(self) -> str:
        counts = f"frames={self.frames}, cycles={self.cycles}, instructions={self.instructions}, pc={self.pc:#x}"
        return f"RunResult({self.reason!r}, {counts}{f', fault={str(self.fault)!r}' if self.fault else ''})"


@dataclass(frozen=True)
class Measurement:
    """What one call of a routine cost: clocks and instructions from its first instruction to its return.

    result     the register of a result, as it is
    warm       calls that had gone before, to fill the caches
    low, high  between which the clocks plausibly are (see `machine.interval`); None unless asked for
    bound      most clocks of any call, proven (see `study.bounds.measure_bounded`); None unless asked for
    """

    cycles: int
    instructions: int
    result: int
    warm: int = 0
    low: int | None = None
    high: int | None = None
    bound: int | None = None
