"""Two calls side by side: the option --against, and the settings of the other call."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from retrosim.machine.choices import TIMINGS

from ... import profiling
from ...parser import Parser
from ...settings import refuse
from .call import CostSettings

if TYPE_CHECKING:
    from retrosim.cost.against import CostComparison
    from retrosim.cost.report import CostReport

OF_MACHINE, OF_CALL = ("machine", "build", "timing", "cflags"), ("entry", "convention")
KEYS = ("file", "machine", "build", "entry", "timing", "convention", "cflags")


def add_options(parser: Parser) -> None:
    """Add the option."""
    parser.add_repeatable(
        "--against",
        "WHAT",
        "compare with another call: another program's file, or what is different: file=, machine=, build=, "
        "entry=, timing=, convention= or cflags=",
        type=_other,
    )
    parser.exclude(["--bounds", "--csv", *(f"--{name}" for name in profiling.PROFILES)], "--against")


def _other(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign or name not in KEYS:
        name, value = "file", text
        if sign and not os.path.lexists(text):
            value = ""
    if not value:
        raise argparse.ArgumentTypeError(f"{text!r}: allowed a file, or {', '.join(KEYS)} with = and a value")
    return name, value


def other_settings(settings: CostSettings, changes: Mapping[str, str]) -> CostSettings:
    """Return the settings of the call to compare with. Errors: ArgumentError."""
    machine, call = settings.machine, settings.call
    if "file" in changes:
        machine = replace(machine, rom=changes["file"], others=())
    if "machine" in changes:
        machine = replace(machine, build=None)
    of_machine: dict[str, Any] = {name: changes[name] for name in OF_MACHINE if name in changes}
    of_call: dict[str, Any] = {name: changes[name] for name in OF_CALL if name in changes}
    timing = changes.get("timing")
    if timing not in (None, *TIMINGS[1:]):
        raise refuse(f"--against timing={timing}: allowed {', '.join(TIMINGS[1:])}")
    return replace(settings, machine=replace(machine, **of_machine), call=replace(call, **of_call))


def compare_calls(first: tuple[CostSettings, CostReport], second: tuple[CostSettings, CostReport]) -> CostComparison:
    """Return what differs between two calls."""
    from retrosim.cost.against import compare_costs

    both = [settings.machine for settings, _ in (first, second)]
    files, flags = [machine.rom or "" for machine in both], [machine.cflags for machine in both]
    return compare_costs(first[1], second[1], files, flags)
