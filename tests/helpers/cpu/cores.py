"""Cores that begin with some content, and what two cores do not agree on."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from retrosim.cpu.engines.core import Core, memory_chunks
from retrosim.cpu.engines.handlers.handler_cache import HandlerCache, handler_cache, handlers_of
from retrosim.cpu.spec.hits import FIELD as HITS

HOST_FIELDS = (
    "reason",
    "detail",
    "access",
    "limit",
    "touched_by",
    HITS,
)  # of the state: how an engine was called, and how it ended


def begin(core: Core, parts: dict[int, bytes], pc: int) -> None:
    """Switch a core on with parts of memory at their addresses, to begin at one; no clock limits a run."""
    core.replace(memory_chunks(parts.items()))
    for field in core.state.dtype.names:
        core.state[field] = 0
    core.cpu.reset(core.state)
    core.state["written_low"], core.state["limit"], core.state["pc"] = 0xFFFFFFFF, 1 << 62, pc


def handler_cache_for(core: Core, addresses: Iterable[int]) -> HandlerCache:
    """Return the cache of the handlers of the instructions at some addresses."""
    return handler_cache(core.cpu, core.timing_mode, handlers_of(map(core.decode, addresses)))


def same_memory(first: Core, second: Core) -> bool:
    return np.array_equal(first.ram.view(np.uint64), second.ram.view(np.uint64))  # eight bytes at a time


def differences(first: Core, second: Core, left_out: tuple[str, ...] = HOST_FIELDS) -> list[str]:
    """Return the names of the state fields in which two cores differ, and "memory" if they differ there."""
    fields = [name for name in first.state.dtype.names if name not in left_out]
    found = [name for name in fields if not np.array_equal(first.state[name], second.state[name])]
    return found if same_memory(first, second) else [*found, "memory"]
