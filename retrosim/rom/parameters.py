"""The parameters of a ROM, as its manifest allows them."""

from __future__ import annotations

from collections.abc import Mapping

from retrosim.checks import check_choice, check_integer

from .manifest import Rom


def all_parameters(rom: Rom | None, given: Mapping[str, int] | None, mode: str = "demo") -> dict[str, int]:
    """Return all parameters, defaults filled in; a mode may widen a range by a constant harness_minimum_objects.

    rom      None: there are no parameters
    mode     what the ROM does
    Errors   ValueError
    """
    known, constants = (rom.parameters, rom.constants) if rom else ({}, {})
    modes = [name.removeprefix("mode_") for name in constants if name.startswith("mode_") and name != "mode_word"]
    check_choice("mode", mode, tuple(modes) or ("demo",))
    values = {name: p.default for name, p in known.items()}
    for name, value in (given or {}).items():
        check_choice("parameter", name, known)
        minimum = constants.get(f"{mode}_minimum_{name}", known[name].minimum)
        values[name] = check_integer(name, value, minimum, known[name].maximum)
    return values
