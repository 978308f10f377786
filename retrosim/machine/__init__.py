"""Machines by name: presets, memory map, clock, services, save states, and the native kernels beside them.

The names below are imported when they are first used: to list the machines needs no compiler.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retrosim.rom import Image, Rom, load_rom

from .presets import PRESETS, Preset

if TYPE_CHECKING:
    from .machine import ENGINES, TIMINGS, Machine
    from .native import NativeMachine
    from .result import Measurement, RunResult
    from .world import World

__all__ = [
    "ENGINES",
    "MACHINE_NAMES",
    "PRESETS",
    "TIMINGS",
    "Machine",
    "Measurement",
    "NativeMachine",
    "Preset",
    "RunResult",
    "World",
    "open_machine",
]

NATIVE = "native"
MACHINE_NAMES = (*PRESETS, NATIVE)
_PLACES = {
    "ENGINES": "machine",
    "TIMINGS": "machine",
    "Machine": "machine",
    "Measurement": "result",
    "NativeMachine": "native",
    "RunResult": "result",
    "World": "world",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)


def open_machine(
    name: str,
    rom: Rom | Image | str | Path = "sectors",
    *,
    parameters: Mapping[str, int] | None = None,
    progress: Callable[[str], None] = lambda text: None,
    **options,
) -> Machine | NativeMachine:
    """Switch on a machine by name; `options` are those of `Machine` and mean nothing to "native".

    Errors   ValueError, RomError
    """
    from .machine import Machine
    from .native import NativeMachine

    if name == NATIVE:
        progress("loading the native kernels (compiled on the first run)")
        return NativeMachine(rom if isinstance(rom, Rom) else load_rom(rom), parameters=parameters)
    return Machine(name, rom, parameters=parameters, progress=progress, **options)
