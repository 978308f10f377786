"""Turns readings of the machine into the lines of text of the status bar."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, runtime_checkable

from retrosim.errors import RetrosimError
from retrosim.machine.interface import AnyMachine, Measurement, SimulatedMachine
from retrosim.report.text import counted
from retrosim.screen.shapes import Shapes
from retrosim.table_1994.printed import OBJECTS, PRINTED, printed_cycles


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


# The clocks of the routine of 1994 in the window: those of the last check, beside what was printed.

ROUTINES = {"sectors": "DetermineCollisions", "gallery": "DetermineCollisions"}
"""ROM -> its routine that makes a complete check."""
PRINTED_FOR = "sectors"
"""The ROM whose clocks the table of 1994 has."""
EVERY_NS = 500_000_000
"""Time between two checks that are measured: each takes some milliseconds of the host."""


@runtime_checkable
class CallableMachine(SimulatedMachine, Protocol):
    """A machine whose routines can be called."""

    def measure(self, symbol: str, *, warm: int) -> Measurement: ...


class LastCheck:
    """Measures the last frame's check again, from a snapshot that is restored, and says what it took."""

    def __init__(self) -> None:
        self._text, self._frame, self._at = "", -1, -EVERY_NS

    def text(self, machine: AnyMachine, now: int) -> str:
        """Return a line of text, "" for a machine or a program that has no such check.

        machine  between two frames
        now      host nanoseconds
        """
        program = machine.rom.name if machine.rom else ""
        if program not in ROUTINES or not machine.frame_number:
            return ""
        if machine.frame_number != self._frame and now - self._at >= EVERY_NS:
            self._frame, self._at, self._text = machine.frame_number, now, ""
            if isinstance(machine, CallableMachine):
                self._text = _text(machine, _clocks(machine, ROUTINES[program]))
        return self._text


def _clocks(machine: CallableMachine, routine: str) -> int:
    """Return the clocks of a check of the present objects, 0 if it cannot be made."""
    state = machine.snapshot()
    try:
        return machine.measure(routine, warm=0).cycles
    except RetrosimError:
        return 0
    finally:
        machine.restore(state)


def _text(machine: CallableMachine, clocks: int) -> str:
    if not clocks:
        return ""
    said = f"check {clocks:,} clocks, build {machine.image.build}"
    if machine.name not in PRINTED or machine.rom is None or machine.rom.name != PRINTED_FOR:
        return said
    objects = machine.parameters["objects"]
    nearest = min(OBJECTS, key=lambda each: (abs(each - objects), each))
    printed = printed_cycles(machine.name, nearest, int(machine.clock_hz)) or 0
    ratio = f" = {clocks / printed:.2f}" if nearest == objects else ""
    return f"{said}; 1994 {printed:,.0f} with {nearest} objects{ratio}"
