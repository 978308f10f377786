"""Limits of runs: what ends, why, and that nothing is lost by it."""

from __future__ import annotations

import pytest

from retrosim.machine import Budget, NativeMachine
from retrosim.machine.budget import MEMORY_PERIOD, MIB, TIMELESS, memory_in_use
from tests.helpers.machine import programs

FOREVER = "60fe"  # bra.s itself
FRAMES = "a000 60fc"  # yield_frame for ever


class Clock:
    """A clock that goes on by a second with every look."""

    now = 0.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


def test_a_program_without_frames_ends() -> None:
    timed = "2 simulated seconds without a completed frame; --max-cycles allows more"
    for timing, words in (("table", timed), ("off", f"2,000 instructions without a completed frame; {TIMELESS}")):
        machine = programs.machine(FOREVER, timing=timing)
        machine.clock_hz = 1000
        machine.budget = Budget(frame_seconds=2)
        result = machine.run(frames=1)
        assert (result.reason, result.frames) == ("budget", 0)
        assert machine.budget.spent == words
        assert machine.budget.limit == "frame_seconds"


def test_cycles_end_a_run_where_they_say() -> None:
    machine, other = programs.machine(FOREVER), programs.machine(FOREVER)
    machine.budget = Budget(cycles=1000)
    assert machine.run(frames=1).reason == "budget"
    assert machine.budget.spent == "1,000 cycles"
    other.run(cycles=1000)
    assert machine.hash("machine") == other.hash("machine")
    machine.budget = Budget(cycles=2000)
    assert machine.run(cycles=500).reason == "cycles"
    machine.budget = Budget(cycles=1)
    assert machine.run(frames=1).reason == "budget"
    assert machine.budget.spent == "1 cycle"


def test_seconds_are_those_of_the_clock_and_begin_again() -> None:
    machine = programs.machine(FOREVER, engine="interpret")
    machine.budget = Budget(seconds=3, clock=Clock())
    assert machine.run(instructions=10**9).reason == "budget"
    assert machine.budget.spent == "3 seconds"
    assert machine.run(frames=1).instructions == 0
    machine.budget.begin()
    assert machine.run(instructions=10**9).instructions > 0


@pytest.mark.skipif(memory_in_use() is None, reason="this system does not say how much memory a process has")
def test_memory_ends_a_run() -> None:
    machine = programs.machine(FOREVER)
    machine.budget = Budget(memory=MIB, clock=Clock())
    assert machine.run(frames=1).reason == "budget"
    assert machine.budget.spent == "1 MiB of memory"


@pytest.mark.skipif(memory_in_use() is None, reason="this system does not say how much memory a process has")
def test_memory_is_looked_at_before_anything_runs() -> None:
    """However short the run is; then now and then, because a look takes time."""
    time, machine = [5.0], programs.machine(FRAMES)
    machine.budget = Budget(memory=MIB, clock=lambda: time[0])
    assert (machine.run(frames=1).reason, machine.frame_number) == ("budget", 0)
    machine.budget = Budget(memory=1 << 50, clock=lambda: time[0])
    assert not machine.budget.is_spent()
    machine.budget.memory = MIB
    assert not machine.budget.is_spent()
    time[0] += MEMORY_PERIOD
    assert machine.budget.is_spent()


def test_frames_are_not_lost() -> None:
    machine, native = programs.machine(FRAMES), NativeMachine("sectors")
    machine.budget = Budget(cycles=machine.clock_hz)
    result = machine.run(frames=1000)
    assert result.reason == "budget" and 50 < result.frames == machine.frame_number < 70
    native.budget = Budget(seconds=2, clock=Clock())
    result = native.run(frames=2**31 - 2)
    assert result.reason == "budget" and 0 < result.frames == native.frame_number < 2**31 - 2


@pytest.mark.parametrize("limit", ["cycles", "seconds", "memory", "frame_seconds"])
def test_limits_of_nothing_are_refused(limit: str) -> None:
    with pytest.raises(ValueError, match=f"{limit} 0: allowed more than 0"):
        Budget(**{limit: 0})
