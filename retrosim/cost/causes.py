"""The causes of clocks, counted by the timing model itself while a program runs.

The counts come from the timing mode "causes" of a simulated CPU, whose clocks are those of "full". To them one cause is
added here: `services`, the time that the machine let pass between two instructions. All of them together are the
clocks that passed, to the last one.
"""

from __future__ import annotations

import numpy as np

from retrosim.machine import PRESETS, Machine
from retrosim.machine.choices import CAUSES
from retrosim.machine.presets import preset

SERVICES = {"services": "what a service takes beyond its trap: clock reads"}


class CauseCounter:
    """Reads the causes of the clocks that pass on a machine of timing "causes" from now on."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._last = self._read()

    def _read(self) -> np.ndarray:
        counted, cycles = self._machine.core.state[CAUSES], self._machine.cycles
        return np.append(counted, cycles - int(counted.sum())).astype(np.int64)

    def take(self) -> np.ndarray:
        """Return int64[len(causes_of(machine))], clocks since the last call."""
        before, self._last = self._last, self._read()
        return self._last - before


def causes_of(machine: str) -> dict[str, str]:
    """Return cause -> what is counted under it, on the CPU of a preset that counts them."""
    return {**preset(machine).cpu().causes, **SERVICES}


def named(machine: str, counts: np.ndarray) -> dict[str, int]:
    """Return clocks by name of the cause, on a preset."""
    return dict(zip(causes_of(machine), counts.tolist(), strict=True))


def has_causes(machine: str) -> bool:
    """Does the CPU of a preset count them?"""
    return CAUSES in preset(machine).cpu().timing


def check_causes(machine: str) -> None:
    """Refuse a preset whose CPU does not count them. Errors: ValueError."""
    if not has_causes(machine):
        able = ", ".join(name for name in PRESETS if has_causes(name))
        raise ValueError(f"machine {machine!r}: no pipeline whose clocks have causes; allowed {able}")
