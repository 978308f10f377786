"""Opens machines by name, simulated or native."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, overload

from retrosim.rom import Image, Rom, load_rom

from .machine import Machine
from .native import NativeMachine
from .presets import NATIVE


@overload
def open_machine(  # type: ignore[overload-overlap]  # any other text is taken for a simulated machine's name
    name: Literal["native"],
    rom: Rom | str | Path = "sectors",
    *,
    parameters: Mapping[str, int] | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> NativeMachine: ...
@overload
def open_machine(
    name: str,
    rom: Rom | Image | str | Path = "sectors",
    *,
    parameters: Mapping[str, int] | None = None,
    progress: Callable[[str], None] = lambda text: None,
    **options: Any,
) -> Machine: ...
def open_machine(
    name: str,
    rom: Rom | Image | str | Path = "sectors",
    *,
    parameters: Mapping[str, int] | None = None,
    progress: Callable[[str], None] = lambda text: None,
    **options: Any,
) -> Machine | NativeMachine:
    """Switch on a machine by name; `options` are those of `Machine` and mean nothing to "native".

    Errors   ValueError, RomError
    """
    if name == NATIVE:
        if isinstance(rom, Image):
            raise ValueError(f"machine {NATIVE!r}: runs the routines of ROMs, not an image of machine code")
        progress("loading the native kernels (compiled on the first run)")
        return NativeMachine(rom if isinstance(rom, Rom) else load_rom(rom), parameters=parameters)
    return Machine(name, rom, parameters=parameters, progress=progress, **options)
