import itertools
from fractions import Fraction

import pytest

from retrosim.window.transport import CALL_TICKS, Transport, run_ahead
from tests.helpers.window.fake_machine import FakeMachine, FakeNative

TICK_NS = 1_000_000_000 / FakeMachine.tick_hz


class Clock:
    """Host time the test moves."""

    def __init__(self):
        self.now = 0

    def __call__(self):
        return self.now

    def ticks(self, count):
        self.now = -(-(Fraction(self.now) + count * TICK_NS) // 1)


def started(machine=None, **given):
    clock = Clock()
    transport = Transport(machine or FakeMachine(), clock, **given)
    transport.rewind.every = 12
    return transport, clock


def played(transport, clock, ticks):
    """Let ticks of host time pass; return the frame number on the screen at each."""
    shown = []
    for _ in range(ticks):
        clock.ticks(1)
        transport.advance()
        shown.append(transport.machine.frame_number)
    return shown


def test_a_light_frame_stays_one_tick():
    transport, clock = started(FakeMachine(steps=4, cost=30_000))  # 0.29 of a tick
    assert played(transport, clock, 6) == [1, 2, 3, 4, 5, 6] and transport.tick == 6


def test_a_frame_of_1_7_ticks_stays_two():
    transport, clock = started(FakeMachine(steps=10, cost=70_660))
    assert played(transport, clock, 8) == [1, 1, 2, 2, 3, 3, 4, 4] and transport.tick == 8


def test_the_frame_rate_is_exact_over_an_hour():
    """Irregular turns, rational rate: frames are the whole ticks that passed."""
    machine = FakeNative(objects=1)
    machine.run = lambda frames: (setattr(machine, "frame_number", machine.frame_number + 1), Done)[1]
    machine.snapshot = lambda: b"state"
    transport, clock = started(machine)
    for turn in itertools.count():
        clock.now += (turn * 7919) % 40_000_000
        transport.advance()
        if clock.now > 600_000_000_000:
            break
    assert machine.frame_number == clock.now * machine.tick_hz // 1_000_000_000


class Done:
    reason, fault = "frames", None


def test_native_shows_one_frame_per_tick():
    transport, clock = started(FakeNative())
    assert played(transport, clock, 3) == [1, 2, 3] and transport.tick == 3 and transport.frame_cost == (0, 0)


def test_a_frame_that_does_not_end_gives_the_window_turns():
    transport, clock = started(FakeMachine(steps=1000, cost=100_000))
    shown = played(transport, clock, CALL_TICKS + 1)
    assert shown == [0] * (CALL_TICKS + 1) and not transport.is_between_frames
    assert 2 * CALL_TICKS <= transport.machine.ticks <= 2 * CALL_TICKS + 1
    played(transport, clock, 240)
    assert transport.machine.frame_number == 1, "1000 x 100 000 cycles are 240.6 ticks"


def test_a_stall_does_not_run_after_the_lost_time():
    transport, clock = started()
    clock.ticks(500)
    transport.advance()
    assert transport.machine.frame_number == transport.pacer.backlog


def test_a_slow_host_gets_its_turn_back():
    machine = FakeMachine()
    transport, clock = started(machine)
    run = machine.run
    machine.run = lambda **limits: (setattr(clock, "now", clock.now + 20_000_000), run(**limits))[1]
    clock.ticks(8)
    transport.advance()
    assert machine.frame_number == 2, "two frames of 20 ms are more than a turn"


def test_pause_stops_and_goes_on_from_now():
    transport, clock = started()
    played(transport, clock, 3)
    transport.pause(True)
    assert not transport.advance() and played(transport, clock, 5)[-1] == 3
    clock.ticks(100)
    transport.pause(False)
    transport.advance()
    assert transport.machine.frame_number == 3 and played(transport, clock, 2) == [4, 5]


def test_fast_forward_ignores_the_pace_but_not_the_turn():
    transport, _ = started()
    transport.clock = iter(range(0, 10**9, 1_000_000)).__next__
    transport.advance("fast")
    assert 20 <= transport.machine.frame_number <= 26


PADS = [0, 1, 1, 4, 0, 2, 8, 8, 8, 0]


@pytest.mark.parametrize("back", [1, 5, 12, 13, 29])
def test_going_back_is_as_if_the_rest_had_never_been(back):
    transport, other = (started(inputs=lambda frame: {"pad": PADS[frame % 10]})[0] for _ in range(2))
    for _ in range(30):
        transport.run_on()
    assert transport.go_back(back) and transport.machine.frame_number == 30 - back
    for _ in range(30 - back):
        other.run_on()
    assert transport.machine.hash("machine") == other.machine.hash("machine")
    assert transport.history == other.history
    assert transport.run_on() and other.run_on()
    assert transport.machine.hash("machine") == other.machine.hash("machine")


def test_going_back_from_the_middle_of_a_frame_goes_to_its_start():
    transport, _ = started()
    for _ in range(3):
        transport.run_on()
    world = transport.machine.hash("machine")
    for _ in range(3):
        transport.step()
    assert not transport.is_between_frames and transport.machine.frame_number == 3
    assert transport.go_back(1)
    assert transport.machine.hash("machine") == world and transport.is_between_frames


def test_going_back_ends_at_the_earliest_state():
    transport, _ = started()
    for _ in range(3):
        transport.run_on()
    assert transport.go_back(99) and transport.machine.frame_number == 0
    assert not transport.go_back(1)


def test_going_back_follows_the_clock_while_rewinding():
    transport, clock = started()
    played(transport, clock, 20)
    clock.ticks(3)
    assert transport.advance("rewind") and transport.machine.frame_number == 17


def test_inputs_change_between_frames_only():
    """The fake machine asserts it; a frame entered by single steps keeps the input it began with."""
    pads = iter([5, 9])
    machine = FakeMachine(steps=3)
    transport, _ = started(machine, inputs=lambda frame: {"pad": next(pads)})
    for _ in range(2):
        transport.step()
    transport.run_on()
    transport.run_on()
    assert machine.pads == [5, 9]


def test_steps_end_frames_too():
    ended = []
    transport, _ = started(FakeMachine(steps=3), after_frame=lambda: ended.append(1))
    for _ in range(7):
        transport.step()
    assert transport.machine.frame_number == 2 and len(ended) == 2 and not transport.is_between_frames


@pytest.mark.parametrize("act", [Transport.run_on, Transport.step])
def test_a_fault_stops_with_its_reason(act):
    transport, _ = started(FakeMachine(fails_at=0))
    assert not act(transport)
    assert transport.halted == "MC68040: no such instruction at 001000: 4a fc"
    assert not act(transport) and not transport.advance()


def test_the_end_of_the_program_stops_and_can_be_undone():
    transport, clock = started(FakeMachine(ends_at=2))
    played(transport, clock, 5)
    assert transport.halted == "the program has ended" and transport.machine.frame_number == 2
    assert transport.go_back(1) and transport.halted == ""


def test_no_more_inputs_is_the_end_of_the_tape():
    transport, _ = started(inputs=lambda frame: None if frame == 2 else {})
    assert transport.run_on() and transport.run_on() and not transport.run_on()
    assert transport.halted == "the tape ends here, after 2 frames"


def test_history_is_known_from_power_on_only():
    machine = FakeMachine()
    transport, _ = started(machine)
    transport.run_on()
    assert transport.history == [(0, {})]
    transport.start_over()
    assert transport.history is None


def test_expensive_states_are_saved_less_often():
    machine = FakeMachine()
    clock = Clock()
    save = machine.save
    machine.snapshot = lambda: (setattr(clock, "now", clock.now + 40_000_000), save())[1]
    assert Transport(machine, clock).rewind.every == 61, "40 ms are 4 % of 61 frames"


@pytest.mark.parametrize("make", [FakeMachine, FakeNative, lambda: FakeMachine(steps=10_000, cost=100_000)])
def test_running_ahead_leaves_no_trace(make):
    machine = make()
    state = machine.hash("machine")
    ran = []
    run = machine.run
    machine.run = lambda **limits: ran.append(limits) or run(**limits)
    run_ahead(machine)
    assert ran and machine.hash("machine") == state
