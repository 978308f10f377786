"""What two cores do not agree on."""

from __future__ import annotations

import numpy as np

from retrosim.cpu.engines.core import Core
from retrosim.cpu.spec.hits import FIELD as HITS

HOST_FIELDS = (
    "reason",
    "detail",
    "access",
    "limit",
    "touched_by",
    HITS,
)  # of the state: how an engine was called, and how it ended


def same_memory(first: Core, second: Core) -> bool:
    return np.array_equal(first.ram.view(np.uint64), second.ram.view(np.uint64))  # eight bytes at a time


def differences(first: Core, second: Core, left_out: tuple[str, ...] = HOST_FIELDS) -> list[str]:
    """Return the names of the state fields in which two cores differ, and "memory" if they differ there."""
    fields = [name for name in first.state.dtype.names if name not in left_out]
    found = [name for name in fields if not np.array_equal(first.state[name], second.state[name])]
    return found if same_memory(first, second) else [*found, "memory"]
