"""How often to repeat what is measured, so that a lap is long enough for the clock and the call not to count."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

REPEATED = 2  # times that a lap which seems long enough is run again
MAX_GROWTH = 50


@dataclass
class Entry:
    """One contender in one scene or program: repetitions in a lap, what each lap gave, and what went wrong."""

    engine: str
    count: int = 1
    rates: list[float] = field(default_factory=list)
    error: str | None = None


def fill_lap(run: Callable[[int], float], seconds: float) -> tuple[int, float]:
    """Find out how many repetitions take so long.

    A disturbance, or what only the first lap has to do (the garbage collector, memory that is touched first), makes a
    lap longer, never shorter. So the shortest of several counts: one slow lap of a single repetition would else settle
    on that, and ever after the call be measured and not what it does.

    run      run(count) -> seconds
    seconds  aimed at
    Returns  the count; how long the last laps of the search took, at least a quarter of `seconds`
    """
    count = 1
    while True:
        taken = run(count)
        for _ in range(REPEATED):
            if taken >= seconds / 4:
                taken = min(taken, run(count))
        if taken >= seconds / 4:
            return max(1, round(count * seconds / taken)), taken
        count *= max(2, min(MAX_GROWTH, int(seconds / 2 / max(taken, 1e-9))))
