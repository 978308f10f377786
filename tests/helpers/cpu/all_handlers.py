"""The handlers of all instructions of a model, the same ones for all tests: each cache is compiled once."""

from __future__ import annotations

import os

from retrosim.cpu.engines.handler_cache import HandlerCache, full_handler_cache
from retrosim.cpu.spec.cpu import Cpu


def all_handlers(cpu: Cpu, timing: str) -> HandlerCache:
    """Return them optimised for full timing, otherwise quickly compiled; RETROSIM_LOCKSTEP optimises them all.

    Timings that are one and the same model (the MC68000 has no pipeline) share a cache.
    """
    first = next(name for name, model in cpu.timing.items() if model is cpu.timing[timing])
    return full_handler_cache(cpu, first, quick=first != "full" and "RETROSIM_LOCKSTEP" not in os.environ)
