"""Limits of runs: what ends, why, and that nothing is lost by it."""

from __future__ import annotations

from fractions import Fraction

import pytest

from retrosim.machine import Budget, NativeMachine
from retrosim.machine import budget as budgets
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


@pytest.mark.parametrize(
    "limits, used, limit",
    [
        ({"cycles": 100}, {"cycles": 99}, ""),
        ({"cycles": 100}, {"cycles": 100}, "cycles"),
        ({"frame_seconds": 3}, {"in_frame": 29, "clock_hz": 10}, ""),
        ({"frame_seconds": 3}, {"in_frame": 30, "clock_hz": 10}, "frame_seconds"),
        ({"seconds": 2}, {"seconds": 1.9}, ""),
        ({"seconds": 2}, {"seconds": 2}, "seconds"),
        ({"memory": 1000}, {"memory": 1000}, ""),
        ({"memory": 1000}, {"memory": 1001}, "memory"),
        ({"memory": 1000}, {"memory": None}, ""),
        ({"cycles": 100, "seconds": 2}, {"cycles": 100, "seconds": 5}, "cycles"),  # in the order of the fields
        ({}, {"cycles": 1 << 60, "in_frame": 1 << 60, "seconds": 1e9, "memory": 1 << 60}, ""),
    ],
)
def test_when_something_is_used_up(limits: dict, used: dict, limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    now, memory = [50.0], used.pop("memory", 0)
    monkeypatch.setattr(budgets, "memory_in_use", lambda: memory)
    budget = Budget(**limits, clock=lambda: now[0])
    now[0] += used.pop("seconds", 0)
    assert budget.is_spent(**used) == bool(limit) and budget.limit == limit
    assert budget.is_spent() == bool(limit), "until it begins again"
    now[0] += 0.25
    assert not budget.begin().is_spent() or limit == "memory"


def test_memory_is_looked_at_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    now, looks = [50.0], []
    monkeypatch.setattr(budgets, "memory_in_use", lambda: looks.append(now[0]) or 0)
    budget = Budget(memory=1, clock=lambda: now[0])
    for _ in range(9):
        assert not budget.is_spent()
        now[0] += MEMORY_PERIOD / 4
    assert looks == [50.0, 50 + MEMORY_PERIOD, 50 + 2 * MEMORY_PERIOD]


@pytest.mark.parametrize(
    "limits, frame_start, end",
    [
        ({}, 7, None),
        ({"cycles": 900}, 7, 900),
        ({"frame_seconds": 2}, 7, 207),
        ({"cycles": 206, "frame_seconds": 2}, 7, 206),
        ({"cycles": 208, "frame_seconds": 2}, 7, 207),
    ],
)
def test_the_clock_at_which_a_run_ends(limits: dict, frame_start: int, end: int | None) -> None:
    assert Budget(**limits).end_cycle(frame_start, 100) == end


def test_a_program_without_clocks_ends_by_instructions() -> None:
    budget = Budget(frame_seconds=3)
    assert not budget.is_spent(in_frame=30, clock_hz=Fraction(21, 2), is_timed=False)
    assert budget.is_spent(in_frame=32, clock_hz=Fraction(21, 2), is_timed=False)
    assert budget.spent == f"32 instructions without a completed frame; {TIMELESS}"
