"""What the clocks of the MC68040 go to, as the timing model `causes` counts them (timing.py)."""

from __future__ import annotations

CAUSES = {
    "execute": "base clocks of the instructions: the execute stage works",
    "addresses": "address calculation beyond the one clock that execution hides",
    "registers": "waiting for a register that address calculation needs, or for the pipeline to drain",
    "branches": "fetching from the target of a branch, call or return; conditions that were not met",
    "operands": "operand fetches beyond one an instruction, second accesses of misaligned ones",
    "data": "reads that miss the data cache, or wait for the bus",
    "code": "instruction cache misses",
    "stores": "stores that wait: lines that copyback allocates, the bus, misaligned ones",
    "refill": "filling the empty pipeline: at the start, after services and interrupts",
}
"""Cause -> what is counted under it, in the order of the state field `causes`."""
