"""Checks of what a machine is opened with."""

from __future__ import annotations

from collections.abc import Mapping
from operator import index

from retrosim.rom import Rom

from .presets import Preset


def check(what: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{what} {value!r}: allowed {', '.join(allowed)}")


def whole(what: str, value: int, least: int, most: int | None = None) -> int:
    """Return a whole number, of Python or NumPy, within its range. Errors: ValueError."""
    allowed = f"allowed {least} or more" if most is None else f"allowed {least}..{most}"
    try:
        number = None if isinstance(value, bool) else index(value)
    except TypeError:
        number = None
    if number is None:
        raise ValueError(f"{what} {value!r}: {allowed}, a whole number")
    if number < least or (most is not None and number > most):
        raise ValueError(f"{what} {number}: {allowed}")
    return number


def all_parameters(rom: Rom | None, given: Mapping[str, int] | None, mode: str) -> dict[str, int]:
    """Return all parameters; a mode may widen a range by a constant such as harness_minimum_objects.

    Errors   ValueError
    """
    known, constants = (rom.parameters, rom.constants) if rom else ({}, {})
    modes = [name.removeprefix("mode_") for name in constants if name.startswith("mode_") and name != "mode_word"]
    check("mode", mode, tuple(modes) or ("demo",))
    values = {name: p.default for name, p in known.items()}
    for name, value in (given or {}).items():
        if name not in known:
            raise ValueError(f"parameter {name!r}: allowed {', '.join(known) or 'none'}")
        least = constants.get(f"{mode}_minimum_{name}", known[name].minimum)
        values[name] = whole(name, value, least, known[name].maximum)
    return values


def chosen_service_clocks(preset: Preset, given: int | None) -> int:
    """Return the clocks of a service. Errors: ValueError."""
    each = preset.service
    return each.value if given is None else whole("service_clocks", given, each.minimum, each.maximum)


def memory_parameters(preset: Preset, given: Mapping[str, int] | None) -> dict[str, int]:
    """Return the parameters of caches and bus, those given in place of the preset's. Errors: ValueError."""
    known = preset.memory
    values = {name: each.value for name, each in known.items()}
    for name, value in (given or {}).items():
        if name not in known:
            ranges = (f"{each} {p.minimum}..{p.maximum}" for each, p in known.items())
            raise ValueError(f"memory parameter {name!r}: allowed {', '.join(ranges) or f'none on {preset.name}'}")
        values[name] = whole(name, value, known[name].minimum, known[name].maximum)
    for name, each in known.items():
        if each.not_below:
            other, least = each.not_below, values[each.not_below]
            if values[name] < least:
                raise ValueError(f"{name} {values[name]}: allowed {least}..{each.maximum} with {other} {least}")
    return values


def changed_memory(preset: Preset, values: Mapping[str, int]) -> dict[str, int]:
    """Return those of the parameters of caches and bus that are not the preset's."""
    return {name: value for name, value in values.items() if value != preset.memory[name].value}
