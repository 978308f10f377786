"""What the clocks of the MPC601 go to, as the timing model `causes` counts them (timing.py)."""

from __future__ import annotations

CAUSES = {
    "execute": "the integer unit works: one clock an instruction",
    "longer": "multiplications, divisions, several words, exceptions: clocks beyond the first",
    "operands": "waiting for a load that hit the cache, or for a special register",
    "targets": "fetching from the target of a branch, as far as older work does not hide it",
    "mispredicted": "wrong predictions: from the branch to the right path, as far as older work does not hide it",
    "links": "the branch unit waits for LR, CTR, an earlier prediction, or the conditions of condition-register logic",
    "data": "data that miss the cache, or wait for the bus",
    "crossing": "operands across a double word",
    "code": "code that misses the cache",
    "contention": "fetches of code that find the cache taken by data",
    "refill": "filling the empty pipeline: at the start, after services and interrupts",
}
"""Cause -> what is counted under it, in the order of the state field `causes`."""
