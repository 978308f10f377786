"""What a routine finds in memory: files, bytes, and what routines that were called before have written."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from retrosim.machine import Machine
from retrosim.rom.fields import read_bytes

from .cost import MAX_INSTRUCTIONS, find_routine, place_stack

MAX_FILE_BYTES = 8 << 20  # all RAM


def prepare(
    machine: Machine,
    *,
    files: Iterable[tuple[str | Path, int | str]] = (),
    memory: Iterable[tuple[int | str, bytes]] = (),
    before: Iterable[int | str] = (),
    max_instructions: int = MAX_INSTRUCTIONS,
) -> None:
    """Load files, then write bytes, then call routines.

    files    (path, address or symbol)
    memory   (address or symbol, bytes)
    before   routines without arguments; what they write stays
    max_instructions  after which a routine is given up
    Errors   RomError for a file; ValueError for an unknown symbol, and beyond memory; CpuFault, RetrosimError
    """
    for path, where in files:
        machine.write(machine.address(where), read_bytes(Path(path), MAX_FILE_BYTES))
    for where, content in memory:
        machine.write(machine.address(where), content)
    for routine in before:
        place_stack(machine)
        machine.call(find_routine(machine.image, routine), max_instructions=max_instructions)
