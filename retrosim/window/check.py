"""The clocks of the routine of 1994 in the window: those of the last check, beside what was printed."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from retrosim.errors import RetrosimError
from retrosim.machine.interface import AnyMachine, Measurement, SimulatedMachine
from retrosim.scenarios.sectors.printed import OBJECTS, PRINTED, printed_cycles

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
