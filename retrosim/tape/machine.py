"""What tapes ask of a machine beyond its interface, and where the saved state of a tape is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from retrosim.errors import SceneError, TapeError
from retrosim.rom import Rom
from retrosim.rom.scene import Scene, parse_scene

if TYPE_CHECKING:
    from retrosim.machine.interface import PlayableMachine, RomLike

DEMO = "demo"  # the mode in which a ROM runs frame after frame and reads inputs


def program_of(machine: PlayableMachine) -> RomLike:
    """Return the ROM of a machine, after checking that it can be recorded and replayed.

    Errors   ValueError
    """
    if machine.rom is None:
        raise ValueError("a tape needs a ROM with a manifest, not a bare image")
    if machine.mode != DEMO:
        raise ValueError(f"{machine.name} runs its ROM in mode {machine.mode!r}; tapes are made in mode {DEMO!r}")
    return machine.rom


def scene_of(machine: PlayableMachine) -> Scene | None:
    """Return where a machine places the objects; machines of other programs may know no scenes."""
    return getattr(machine, "scene", None)


def set_scene(machine: PlayableMachine, scene: str | None, path: str | Path) -> None:
    """Give a machine the scene of a tape, or none, for its next reset. `path`: of the tape. Errors: TapeError."""
    rom = machine.rom
    if scene is None:
        if scene_of(machine) is not None:
            machine.scene = None  # type: ignore[attr-defined]
        return
    if not hasattr(machine, "scene") or not isinstance(rom, Rom):
        raise TapeError(path, f"has a scene, and {machine.name} takes none")
    try:
        machine.scene = parse_scene(scene, rom, "its scene")
    except SceneError as error:
        raise TapeError(path, str(error)) from None


def state_path(tape: Path) -> Path:
    """Return the path of the saved state that a tape starts from: always next to the tape."""
    return tape.with_name(tape.name + ".state")
