"""What a run may use up: clocks, time, memory. Programs and tapes that never end are ended by it.

A machine looks at its budget between two slices of execution, a fraction of a second apart, and stops there with the
reason "budget": nothing of what it did is lost, and with a larger budget it goes on.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from retrosim.errors import BudgetUsedUp

MIB = 1 << 20  # bytes
MEMORY_PERIOD = 0.25  # seconds between two looks at the memory in use
TIMELESS = "with --timing off no time passes, so a timed wait never ends"


def _amount(number: float, unit: str) -> str:
    return f"{number:,} {unit}" if number == 1 else f"{number:,} {unit}s"


def memory_in_use() -> int | None:
    """Return the bytes of this process that lie in memory; None where the system does not say.

    Linux tells the present amount, other Unix systems the greatest so far.
    """
    try:
        import resource  # not on Windows
    except ImportError:
        return None
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        unit = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss, in bytes
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


@dataclass
class Budget:
    """Limits of a run, None for no limit; the first one that is reached ends it, and every later run until `begin`.

    cycles         clocks since power-on; does not concern the native machine
    seconds        real seconds since `begin`
    memory         bytes of the process in memory
    frame_seconds  simulated seconds within one frame: a program that never completes one is ended by this
    clock          tells the real time in seconds

    spent   what was used up and how much of it there was, in words; "" while there is something left
    limit   the same by the name of the field, or ""
    """

    cycles: int | None = None
    seconds: float | None = None
    memory: int | None = None
    frame_seconds: int | None = None
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)

    def __post_init__(self) -> None:
        """Refuse limits below 1. Errors: ValueError."""
        for name in ("cycles", "seconds", "memory", "frame_seconds"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ValueError(f"{name} {value}: allowed more than 0, or None for no limit")
        self.begin()

    def begin(self) -> Budget:
        """Count seconds from now on; return itself."""
        self.spent = self.limit = ""
        self._begun = self.clock()
        self._looked = self._begun - MEMORY_PERIOD  # the first look is at once: a short run may be the only one
        return self

    def end_cycle(self, frame_start: int, clock_hz: int | Fraction) -> int | None:
        """Return the clock to stop at, if there is one.

        frame_start  clock at which the present frame began
        clock_hz     clocks in a second
        """
        ends = [] if self.cycles is None else [self.cycles]
        if self.frame_seconds is not None:
            ends.append(frame_start + math.ceil(self.frame_seconds * clock_hz))
        return min(ends, default=None)

    def is_spent(
        self, cycles: int = 0, in_frame: int = 0, clock_hz: int | Fraction = 1, *, is_timed: bool = True
    ) -> bool:
        """Tell whether something has been used up.

        cycles    clocks since power-on
        in_frame  clocks since the present frame began, or instructions if these take no clocks
        clock_hz  clocks in a second
        is_timed  whether instructions take clocks
        """
        if self.spent:
            return True
        now = self.clock()
        if self.cycles is not None and cycles >= self.cycles:
            self._spend("cycles", _amount(self.cycles, "cycle"))
        elif self.frame_seconds is not None and in_frame >= self.frame_seconds * clock_hz:
            amount, remedy = f"{self.frame_seconds} simulated seconds", "--max-cycles allows more"
            if not is_timed:
                amount, remedy = f"{math.ceil(self.frame_seconds * clock_hz):,} instructions", TIMELESS
            self._spend("frame_seconds", f"{amount} without a completed frame; {remedy}")
        elif self.seconds is not None and now - self._begun >= self.seconds:
            self._spend("seconds", _amount(self.seconds, "second"))
        elif self.memory is not None and now - self._looked >= MEMORY_PERIOD:
            self._looked = now
            if (memory_in_use() or 0) > self.memory:
                self._spend("memory", f"{self.memory // MIB:,} MiB of memory")
        return bool(self.spent)

    def before(self, note: Callable[[str], None]) -> Callable[[str], None]:
        """Return what notes long work before it begins, and does not let it begin when the budget is used up.

        Errors   the function returned raises BudgetUsedUp
        """

        def noted(text: str) -> None:
            if self.is_spent():
                raise BudgetUsedUp(self.spent)
            note(text)

        return noted

    def _spend(self, limit: str, words: str) -> None:
        self.limit, self.spent = limit, words
