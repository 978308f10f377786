"""Checks of what a machine is opened with."""

from __future__ import annotations

from collections.abc import Mapping

from retrosim.checks import check_integer, did_you_mean

from .presets import Preset


def chosen_service_clocks(preset: Preset, given: int | None) -> int:
    """Return the clocks of a service. Errors: ValueError."""
    each = preset.service
    return each.value if given is None else check_integer("service_clocks", given, each.minimum, each.maximum)


def memory_parameters(preset: Preset, given: Mapping[str, int] | None) -> dict[str, int]:
    """Return the parameters of caches and bus, those given in place of the preset's. Errors: ValueError."""
    known = preset.memory
    values = {name: each.value for name, each in known.items()}
    for name, value in (given or {}).items():
        if name not in known:
            ranges = ", ".join(f"{each} {p.minimum}..{p.maximum}" for each, p in known.items())
            allowed = f"{ranges or f'none on {preset.name}'}{did_you_mean(name, known)}"
            raise ValueError(f"memory parameter {name!r}: allowed {allowed}")
        values[name] = check_integer(name, value, known[name].minimum, known[name].maximum)
    for name, each in known.items():
        if each.not_below:
            below, minimum = each.not_below, values[each.not_below]
            if values[name] < minimum:
                raise ValueError(f"{name} {values[name]}: allowed {minimum}..{each.maximum} with {below} {minimum}")
    return values


def revision(preset: Preset, timing: str, services: int, memory: Mapping[str, int], readings: Mapping[str, str]) -> str:
    """Return everything that the clocks of a program depend on, as saved states and tapes name it.

    services  clocks of a service
    memory    parameters of caches and bus
    readings  reading -> option, those that are not the default
    """
    clocks = "-".join(str(each) for each in memory.values())
    parts = [preset.timing_revision, timing, f"services {services}", clocks]
    return " ".join([part for part in parts if part] + [f"{name}={option}" for name, option in readings.items()])


def changed_memory(preset: Preset, values: Mapping[str, int]) -> dict[str, int]:
    """Return those of the parameters of caches and bus that are not the preset's."""
    return {name: value for name, value in values.items() if value != preset.memory[name].value}
