"""The table of 1994 as printed: complete checks per second of two Macintoshes.

Every figure of Moertel 1994 has three significant digits (81 stands for 81.0): that is what a stream gives which shows
two digits after the point in scientific notation. Two significant digits, the reading of today's standard for
`precision(2)`, could not print 611; two digits after the point in fixed notation would not end three of three figures
above a thousand in a zero.
"""

from __future__ import annotations

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
