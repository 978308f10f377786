"""The build that stands for the program of 1994 on each machine: chosen beforehand, and why.

The text of 1994 names neither compiler nor options. The choice must not be made by what comes nearest to the printed
table, so it follows one rule on both machines: the first build that the ROM's manifest calls "period". Its choices were
written down before one of its clocks was counted; the other period builds change one of them each.
"""

from __future__ import annotations

from dataclasses import dataclass

from retrosim.machine.presets import preset
from retrosim.rom import Rom

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
