"""Says in words and figures what the machine is doing: pure functions from readings to lines of text."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from retrosim.screen.overlay import counted
from retrosim.screen.shapes import Shapes


@dataclass(frozen=True)
class Readings:
    """What the HUD shows.

    machine, rom  names
    frame         frames completed
    periods       of the clock that frames wait for, which the shown frames occupied
    cycles        CPU clocks of the last frame, 0 where none are counted
    instructions  instructions of the last frame, 0 where none are counted
    period_cycles CPU clocks in a period, 0 where none are counted
    shapes        what was tested, or None
    speed         multiple of real time
    period        what a period is called: "tick", "retrace"
    """

    machine: str
    rom: str
    frame: int = 0
    periods: int = 0
    cycles: int = 0
    instructions: int = 0
    period_cycles: Fraction = Fraction(0)
    shapes: Shapes | None = None
    speed: Fraction = Fraction(1)
    period: str = "tick"


def speed_text(speed: Fraction) -> str:
    """Return a speed as people write it: "1x", "1/4x", "8x"."""
    return f"{speed}x"


FIELDS = (24, 22, 18, 16, 12, 0)
"""Widths of the columns both metrics lines share, so that figures stay where they are while they change."""


def metrics_lines(readings: Readings) -> list[str]:
    """Return the two metrics lines.

    Returns  list[str]  at most 104 characters each: place in time; cost of the last frame and its collisions
    """
    r = readings
    place = [f"{r.machine} {r.rom}", f"frame {r.frame:,}", f"{r.period} {r.periods:,}", f"speed {speed_text(r.speed)}"]
    if r.period_cycles:
        cpi = f"{r.cycles / r.instructions:.2f}" if r.instructions else "-"
        share = float(100 * r.cycles / r.period_cycles)
        cost = [f"{r.cycles:,} cycles/frame", f"{share:.1f}% of a {r.period}", f"CPI {cpi}"]
    else:
        cost = ["native kernels", "no cycles counted", ""]
    if r.shapes is not None:
        hits, count = int(r.shapes.hit.sum()), len(r.shapes.hit)
        cost += [f"{hits} of {count} hit", counted(len(r.shapes.hits), "pair"), counted(r.shapes.tests, "test")]
    return ["".join(text.ljust(width) for text, width in zip(fields, FIELDS)).rstrip() for fields in (place, cost)]
