"""Opens machines by name, simulated or native."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, TypedDict, Unpack, overload

from retrosim.checks import check_choice
from retrosim.rom import Image, Rom, load_program
from retrosim.rom.scene import Scene, load_scene

from .machine import Machine
from .native import NativeMachine
from .presets import MACHINE_NAMES, NATIVE

DEFAULT_ROM = "sectors"


class MachineOptions(TypedDict, total=False):
    """The options of `Machine`, by their names there."""

    build: str | None
    engine: str
    timing: str
    mode: str
    service_clocks: int | None
    memory_clocks: Mapping[str, int] | None
    readings: Mapping[str, str] | None


@overload
def open_machine(  # type: ignore[overload-overlap]  # any other text is taken for a simulated machine's name
    name: Literal["native"],
    rom: Rom | str | Path | None = None,
    *,
    parameters: Mapping[str, int] | None = None,
    scene: Scene | str | Path | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> NativeMachine: ...
@overload
def open_machine(
    name: str,
    rom: Rom | Image | str | Path | None = None,
    *,
    parameters: Mapping[str, int] | None = None,
    scene: Scene | str | Path | None = None,
    progress: Callable[[str], None] = lambda text: None,
    **options: Unpack[MachineOptions],
) -> Machine: ...
def open_machine(
    name: str,
    rom: Rom | Image | str | Path | None = None,
    *,
    parameters: Mapping[str, int] | None = None,
    scene: Scene | str | Path | None = None,
    progress: Callable[[str], None] = lambda text: None,
    **options: Unpack[MachineOptions],
) -> Machine | NativeMachine:
    """Switch on a machine by name.

    name        a preset's name, or "native"
    rom         a shipped ROM's name, a folder or manifest, an ELF file of the user's own, a Rom or an Image; None: the
                scene's ROM, or sectors
    parameters  the ROM's parameters, for example objects=100, seed=7
    scene       where its objects are: a shipped scene's name, a file, or a Scene
    progress    gets a line of text before long work
    options     those of `Machine`; "native" has none
    Errors      ValueError, RomError, SceneError
    """
    check_choice("machine", name, MACHINE_NAMES)
    if rom is None and scene is not None:
        scene = scene if isinstance(scene, Scene) else load_scene(scene)
    if rom is None:
        rom = scene.rom if isinstance(scene, Scene) else DEFAULT_ROM
    if name == NATIVE:
        program = load_program(rom) if isinstance(rom, str | Path) else rom
        if isinstance(program, Image):
            raise ValueError(f"machine {NATIVE!r}: runs the routines of ROMs, not an image of machine code")
        progress("loading the native kernels (compiled on the first run)")
        return NativeMachine(program, parameters=parameters, scene=scene)
    return Machine(name, rom, parameters=parameters, scene=scene, progress=progress, **options)
