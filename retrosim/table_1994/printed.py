"""The table of 1994 as printed, complete checks per second of two Macintoshes, and how its program printed a result.

Every figure of Moertel 1994 has three significant digits (81 stands for 81.0): that is what a stream gives which shows
two digits after the point in scientific notation. Two significant digits, the reading of today's standard for
`precision(2)`, could not print 611; two digits after the point in fixed notation would not end three of three figures
above a thousand in a zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from retrosim.machine.presets import preset
from retrosim.rom import Rom

DIGITS = 3  # of a printed rate
OBJECTS = (0, 50, 100, 200)
"""The experiments of the harness, in its order."""

PRINTED: dict[str, dict[int, int]] = {
    "mc68040-25": {0: 611, 50: 340, 100: 189, 200: 81},
    "ppc601-80": {0: 7640, 50: 4020, 100: 2060, 200: 788},
}
"""Machine -> objects -> complete checks per second. Source: Moertel 1994, comment at the head of the listing."""


def printed_cycles(machine: str, objects: int, clock_hz: int) -> float | None:
    """Return the clocks that a check took by the printed table, None if it has no such cell.

    machine   a preset's name
    objects   0, 50, 100 or 200
    clock_hz  of that machine
    """
    per_second = PRINTED.get(machine, {}).get(objects)
    return None if per_second is None else clock_hz / per_second


def printed_range(machine: str, objects: int, clock_hz: int) -> tuple[float, float] | None:
    """Return between which clocks a check took by the printed table, whose rates are rounded; None without a cell.

    The third digit is good to half a unit, and no rate to less than half a check: 81 stands for 80.5 to 81.5, although
    the program itself would have shown 81.0.
    """
    per_second = PRINTED.get(machine, {}).get(objects)
    if per_second is None:
        return None
    half = 0.5 * 10 ** max(0, len(str(per_second)) - DIGITS)
    return clock_hz / (per_second + half), clock_hz / (per_second - half)


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
