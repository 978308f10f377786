"""The handlers of all instructions of a model, the same ones for all tests: each cache is compiled once."""

from __future__ import annotations

from retrosim.cpu.engines.handlers.handler_cache import HandlerCache, full_handler_cache, handler_cache
from retrosim.cpu.spec.cpu import Cpu
from tests.helpers.amount import FULL, SOAK

OPTIMISED = 4 if FULL else 16  # with full timing, of so many handlers one is optimised
MAX_CACHES = 4  # that stay linked

_caches: dict[tuple[str, str], HandlerCache] = {}


def all_handlers(cpu: Cpu, timing: str) -> HandlerCache:
    """Return them quickly compiled, but for some of those with full timing; --times optimises them all.

    Timings that are one and the same model (the MC68000 has no pipeline) share a cache.
    """
    first = next(name for name, model in cpu.timing.items() if model is cpu.timing[timing])
    name = cpu.label, first
    _caches[name] = _caches.pop(name, None) or _compiled(cpu, first)
    if len(_caches) > MAX_CACHES:
        del _caches[next(iter(_caches))]
    return _caches[name]


def _compiled(cpu: Cpu, timing: str) -> HandlerCache:
    if SOAK:
        return full_handler_cache(cpu, timing)
    if timing == "full":
        handler_cache(cpu, timing, list(cpu.handlers())[::OPTIMISED])  # where the next line finds them
    return full_handler_cache(cpu, timing, quick=True)
