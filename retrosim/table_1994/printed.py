"""The table of 1994, and how its program printed a result: as d.dde+xx, see `scenarios.sectors.printed`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from retrosim.machine.presets import preset
from retrosim.rom import Rom
from retrosim.scenarios.sectors.printed import DIGITS, OBJECTS, PRINTED, printed_cycles, printed_range

__all__ = ["DIGITS", "OBJECTS", "PRINTED", "experiment_line", "printed_cycles", "printed_range"]


def experiment_line(objects: int, iterations: int, microseconds: int) -> str:
    """Return the line that the program of 1994 prints after an experiment.

    objects       of the experiment
    iterations    complete checks, 1 or more
    microseconds  that were counted, 1 or more
    Errors        ValueError
    Source        Moertel 1994, _RunExperiment: both quotients are those of a float of 32 bits
    """
    if iterations < 1 or microseconds < 1:
        raise ValueError(f"{iterations} iterations in {microseconds} us: allowed 1 or more of each")
    time, count = np.float32(microseconds), np.float32(iterations)
    each, rate = time / count, np.float32(1_000_000) * count / time
    return f"{objects} objects: {iterations} in {microseconds} us: {each:.2e} us/iter, {rate:.2e} iter/s"


# The build that stands for the program of 1994 on each machine: chosen beforehand, and why.
#
# The text of 1994 names neither compiler nor options. The choice must not be made by what comes nearest to the printed
# table, so it follows one rule on both machines: the first build that the ROM's manifest calls "period". Its choices
# were written down before one of its clocks was counted; the other period builds change one of them each.

REASON = "what a compiler of 1994 plausibly made of the source; written down before its clocks were counted"


@dataclass(frozen=True)
class Reference:
    """A build that is compared with the printed table.

    build   of the ROM
    reason  why this one
    doubt   what may account for a difference: the assumptions that weigh most
    """

    build: str
    reason: str
    doubt: str


REFERENCES = {
    "mc68040-25": Reference(
        "period",
        REASON,
        "The compiler is not recorded: for every Macintosh it would have called its library to multiply and divide "
        "long words (build period-68000), which takes longer, and so do stores into slow memory.",
    ),
    "ppc601-80": Reference(
        "period",
        REASON,
        "The compiler is not recorded: calls in place of macros (build period-calls) or divisions of pointer "
        "differences (period-divide) make pair tests longer, and one jump in place of two an empty sector shorter.",
    ),
}
"""Machine -> the build. Reasons and assumptions at length: `roms/sectors/rom.toml` and `retrosim guide table`."""


def reference_of(machine: str, rom: Rom) -> Reference:
    """Return what stands for 1994 on a machine; where nothing was printed for it, the ROM's default build."""
    if machine in REFERENCES:
        return REFERENCES[machine]
    build = rom.image(preset(machine).isa).build
    return Reference(build, "the default build: nothing was printed for this machine", "")
