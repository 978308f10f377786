"""Checks of what a machine is opened with."""

from __future__ import annotations

from collections.abc import Mapping

from retrosim.rom import Rom


def check(what: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{what} {value!r}: allowed {', '.join(allowed)}")


def all_parameters(rom: Rom | None, given: Mapping[str, int] | None, mode: str) -> dict[str, int]:
    """Return all parameters; a mode may widen a range by a constant such as harness_minimum_objects."""
    known, constants = (rom.parameters, rom.constants) if rom else ({}, {})
    modes = [name.removeprefix("mode_") for name in constants if name.startswith("mode_") and name != "mode_word"]
    check("mode", mode, tuple(modes) or ("demo",))
    values = {name: p.default for name, p in known.items()}
    for name, value in (given or {}).items():
        if name not in known:
            raise ValueError(f"parameter {name!r}: allowed {', '.join(known) or 'none'}")
        least = constants.get(f"{mode}_minimum_{name}", known[name].minimum)
        if not least <= value <= known[name].maximum:
            raise ValueError(f"{name} {value}: allowed {least}..{known[name].maximum}")
        values[name] = value
    return values


def memory_parameters(preset: Mapping[str, int], given: Mapping[str, int] | None) -> dict[str, int]:
    """Return the parameters of caches and bus, those given in place of the preset's. Errors: ValueError."""
    values = dict(preset)
    for name, value in (given or {}).items():
        if name not in preset:
            raise ValueError(f"memory parameter {name!r}: allowed {', '.join(preset) or 'none'}")
        most = 1 if name == "copyback" else 1000
        if not 0 <= value <= most:
            raise ValueError(f"{name} {value}: allowed 0..{most}")
        values[name] = value
    return values
