import pytest

from retrosim.window.transport import PAGE, Rewind
from tests.helpers.window.fake_machine import FakeMachine


class Memory:
    """A machine whose state is a big block of bytes, of which a frame changes one."""

    def __init__(self, size=40 * PAGE + 17):
        self.memory, self.frame_number = bytearray(size), 0

    def frame(self):
        self.frame_number += 1
        self.memory[(self.frame_number * 7919) % len(self.memory)] ^= self.frame_number & 0xFF

    def snapshot(self):
        return self.frame_number.to_bytes(4, "big") + bytes(self.memory)

    def restore(self, state):
        self.frame_number, self.memory = int.from_bytes(state[:4], "big"), bytearray(state[4:])


@pytest.mark.parametrize("every", [1, 5, 12])
def test_any_frame_is_reached_from_a_state_at_most_every_frames_before(every):
    machine, rewind, saved = Memory(), Rewind(every=every), {}
    for _ in range(60):
        rewind.note(machine)
        saved[machine.frame_number] = machine.snapshot()
        machine.frame()
    for frame in (59, 58, 41, 40, 12, 11, 0):
        rewind.restore(machine, frame)
        assert frame - every < machine.frame_number <= frame
        assert machine.snapshot() == saved[machine.frame_number], "the state came back byte by byte"


def test_states_share_what_did_not_change():
    machine, rewind = Memory(size=1000 * PAGE), Rewind(every=1)
    for _ in range(100):
        rewind.note(machine)
        machine.frame()
    assert rewind.used_bytes < 1001 * PAGE + 100 * (2 * PAGE + 1001 * 8)


def test_memory_is_bounded_and_the_oldest_states_go_first():
    machine, rewind = Memory(), Rewind(every=1, limit_bytes=30 * PAGE)
    for _ in range(200):
        rewind.note(machine)
        machine.frame()
    assert rewind.used_bytes <= 30 * PAGE and rewind.first_frame > 150
    rewind.restore(machine, 0)
    assert machine.frame_number == rewind.first_frame, "the earliest there is"


def test_the_newest_state_stays_however_large():
    machine, rewind = Memory(), Rewind(every=1, limit_bytes=1)
    for _ in range(3):
        rewind.note(machine)
        machine.frame()
    assert rewind.first_frame == 2


def test_states_of_changing_length_come_back():
    machine, rewind, saved = Memory(size=PAGE), Rewind(every=1), {}
    for length in (PAGE - 4, PAGE - 5, 2 * PAGE, 10, 3 * PAGE + 1):
        machine.memory = bytearray(length)
        rewind.note(machine)
        saved[machine.frame_number] = machine.snapshot()
        machine.frame_number += 1
    for frame in (4, 3, 2, 1, 0):
        rewind.restore(machine, frame)
        assert machine.snapshot() == saved[frame]


def test_noting_goes_on_right_after_going_back():
    machine, rewind = FakeMachine(), Rewind(every=2)
    for _ in range(20):
        rewind.note(machine)
        machine.run(frames=1)
    rewind.restore(machine, 9)
    assert machine.frame_number == 8
    for _ in range(4):
        machine.run(frames=1)
        rewind.note(machine)
    state = machine.snapshot()
    machine.run(frames=1)
    rewind.restore(machine, 12)
    assert machine.frame_number == 12 and machine.snapshot() == state


def test_nothing_noted_nothing_done():
    machine, rewind = Memory(), Rewind()
    machine.frame()
    rewind.restore(machine, 0)
    assert machine.frame_number == 1 and rewind.first_frame is None


def test_forgetting_the_past():
    machine, rewind = Memory(), Rewind(every=1)
    rewind.note(machine)
    rewind.inputs.note(0, {"pad": 1})
    rewind.forget()
    assert rewind.first_frame is None and rewind.inputs.changes == [] and rewind.used_bytes == 0


def test_every_below_one_is_refused():
    with pytest.raises(ValueError, match="every 0: allowed 1 or more"):
        Rewind(every=0)
