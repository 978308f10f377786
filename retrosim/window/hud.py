"""Turns readings of the machine into the lines of text of the status bar."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from retrosim.report.text import counted
from retrosim.screen.shapes import Shapes


@dataclass(frozen=True)
class Readings:
    """What the metrics are computed from. A period is one of the clock that `yield_frame` waits for.

    machine, rom   names
    frame          frames completed since power-on
    periods        periods since power-on
    cycles         CPU clocks of the last frame, 0 where none are counted
    instructions   instructions of the last frame, 0 where none are counted
    period_cycles  CPU clocks in a period, 0 where none are counted
    shapes         what the routine tested in the last frame, or None
    speed          multiple of real time
    period         what a period is called: "tick", "retrace"
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
    """Return a speed as text: "1x", "1/4x", "8x"."""
    return f"{speed}x"


FIELDS = (24, 22, 18, 16, 12, 0)
"""Widths in characters of the columns of both lines, so that figures stay in place while they change."""


def metrics_lines(readings: Readings) -> list[str]:
    """Return the two lines of metrics.

    Returns  list[str]  at most 104 characters each: the time reached; the cost and the collisions of the last frame
    """
    r = readings
    reached = [
        f"{r.machine} {r.rom}",
        f"frame {r.frame:,}",
        f"{r.period} {r.periods:,}",
        f"speed {speed_text(r.speed)}",
    ]
    if r.period_cycles:
        cpi = f"{r.cycles / r.instructions:.2f}" if r.instructions else "-"
        share = float(100 * r.cycles / r.period_cycles)
        cost = [f"{r.cycles:,} cycles/frame", f"{share:.1f}% of a {r.period}", f"CPI {cpi}"]
    else:
        cost = ["native kernels", "no cycles counted", ""]
    if r.shapes is not None:
        hits, count = int(r.shapes.hit.sum()), len(r.shapes.hit)
        cost += [f"{hits} of {count} hit", counted(len(r.shapes.hits), "pair"), counted(r.shapes.tests, "test")]
    return ["".join(text.ljust(width) for text, width in zip(fields, FIELDS)).rstrip() for fields in (reached, cost)]
