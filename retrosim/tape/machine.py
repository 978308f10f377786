"""What tapes ask of a machine beyond its interface, and where the saved state of a tape is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from retrosim.machine.interface import PlayableMachine, Program

DEMO = "demo"  # the mode in which a ROM runs frame after frame and reads inputs


def program_of(machine: PlayableMachine) -> Program:
    """Return the ROM of a machine, after checking that it can be recorded and replayed.

    Errors   ValueError
    """
    if machine.rom is None:
        raise ValueError("a tape needs a ROM with a manifest, not a bare image")
    if machine.mode != DEMO:
        raise ValueError(f"{machine.name} runs its ROM in mode {machine.mode!r}; tapes are made in mode {DEMO!r}")
    return machine.rom


def state_path(tape: Path) -> Path:
    """Return the path of the saved state that a tape starts from: always next to the tape."""
    return tape.with_name(tape.name + ".state")
