"""The handlers of all instructions of a model, the same ones for all tests: each cache is compiled once."""

from __future__ import annotations

import os

from retrosim.cpu.engines.handler_cache import HandlerCache, full_handler_cache
from retrosim.cpu.spec.cpu import Cpu


def all_handlers(cpu: Cpu, timing: str) -> HandlerCache:
    """Return them optimised for full timing, otherwise quickly compiled; RETROSIM_LOCKSTEP optimises them all."""
    return full_handler_cache(cpu, timing, quick=timing != "full" and "RETROSIM_LOCKSTEP" not in os.environ)
