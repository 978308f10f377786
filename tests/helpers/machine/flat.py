"""Machines that run 32-bit code, and with it every ROM that is for all of them."""

from __future__ import annotations

from retrosim.machine.presets import PRESETS, machines_for
from retrosim.rom.image import family_of

FLAT_MACHINES = machines_for({each.isa for each in PRESETS.values() if each.isa not in family_of(each.isa).only})
MACHINE_OF = {isa: machines_for({isa})[0] for isa in dict.fromkeys(PRESETS[name].isa for name in FLAT_MACHINES)}
"""The first machine for each ISA."""
MACHINES = tuple(MACHINE_OF.values())
