"""Simulates 640x480 machines of 1994 that run collision routines as real machine code, and counts their cycles.

    import retrosim

    machine = retrosim.open_machine("mc68040-25", "sectors", parameters={"objects": 100})
    machine.run(frames=60)
    cost = machine.measure("DetermineCollisions")
    print(cost.cycles, cost.instructions, machine.world().columns["collided"].sum())

The public names are imported when they are first used, so that `import retrosim` is fast and needs no compiler and no
display. The routines alone, on plain arrays, are in `retrosim.collide`.
"""

from importlib import import_module
from typing import Any

_PLACES = {
    "MACHINE_NAMES": "machine",
    "PRESETS": "machine",
    "CpuFault": "errors",
    "Image": "rom",
    "InputFileError": "errors",
    "Machine": "machine",
    "Measurement": "machine",
    "NativeMachine": "machine",
    "RetrosimError": "errors",
    "Rom": "rom",
    "RomError": "errors",
    "RunResult": "machine",
    "StateError": "errors",
    "TapeDiverged": "errors",
    "TapeError": "errors",
    "World": "machine",
    "load_elf": "rom",
    "load_rom": "rom",
    "load_tape": "tape",
    "open_machine": "machine",
    "rom_names": "rom",
}
__all__ = ["__version__", *_PLACES]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from retrosim.cli.version import find_version

        value = find_version()
    elif name in _PLACES:
        value = getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
