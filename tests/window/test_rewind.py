import pytest

from retrosim.window.rewind import PAGE, Rewind
from tests.helpers.window.fake_machine import FakeMachine


class Tape:
    """A machine whose state is a big block of bytes, of which a frame changes one."""

    def __init__(self, size=40 * PAGE + 17):
        self.memory, self.frame_number = bytearray(size), 0

    def frame(self):
        self.frame_number += 1
        self.memory[(self.frame_number * 7919) % len(self.memory)] ^= self.frame_number & 0xFF

    def save(self):
        return self.frame_number.to_bytes(4, "big") + bytes(self.memory)

    def load(self, state):
        self.frame_number, self.memory = int.from_bytes(state[:4], "big"), bytearray(state[4:])


@pytest.mark.parametrize("every", [1, 5, 12])
def test_any_frame_is_reached_from_a_state_at_most_every_frames_before(every):
    machine, rewind, saved = Tape(), Rewind(every=every), {}
    for _ in range(60):
        rewind.note(machine)
        saved[machine.frame_number] = machine.save()
        machine.frame()
    for frame in (59, 58, 41, 40, 12, 11, 0):
        rewind.restore(machine, frame)
        assert frame - every < machine.frame_number <= frame
        assert machine.save() == saved[machine.frame_number], "the state came back byte by byte"


def test_a_faster_pair_of_the_machine_is_used():
    machine, rewind = Tape(), Rewind(every=1)
    machine.snapshot, machine.restore, machine.save, machine.load = machine.save, machine.load, None, None
    for _ in range(5):
        rewind.note(machine)
        machine.frame()
    rewind.restore(machine, 2)
    assert machine.frame_number == 2


def test_states_share_what_did_not_change():
    machine, rewind = Tape(size=1000 * PAGE), Rewind(every=1)
    for _ in range(100):
        rewind.note(machine)
        machine.frame()
    assert rewind.used_bytes < 1001 * PAGE + 100 * (2 * PAGE + 1001 * 8)


def test_memory_is_bounded_and_the_oldest_states_go_first():
    machine, rewind = Tape(), Rewind(every=1, limit_bytes=30 * PAGE)
    for _ in range(200):
        rewind.note(machine)
        machine.frame()
    assert rewind.used_bytes <= 30 * PAGE and rewind.first_frame > 150
    rewind.restore(machine, 0)
    assert machine.frame_number == rewind.first_frame, "the earliest there is"


def test_the_newest_state_stays_however_large():
    machine, rewind = Tape(), Rewind(every=1, limit_bytes=1)
    for _ in range(3):
        rewind.note(machine)
        machine.frame()
    assert rewind.first_frame == 2


def test_states_of_changing_length_come_back():
    machine, rewind, saved = Tape(size=PAGE), Rewind(every=1), {}
    for length in (PAGE - 4, PAGE - 5, 2 * PAGE, 10, 3 * PAGE + 1):
        machine.memory = bytearray(length)
        rewind.note(machine)
        saved[machine.frame_number] = machine.save()
        machine.frame_number += 1
    for frame in (4, 3, 2, 1, 0):
        rewind.restore(machine, frame)
        assert machine.save() == saved[frame]


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
    state = machine.save()
    machine.run(frames=1)
    rewind.restore(machine, 12)
    assert machine.frame_number == 12 and machine.save() == state


def test_inputs_are_remembered_where_they_changed_and_forgotten_from_a_frame_on():
    rewind = Rewind()
    for frame, pad in enumerate([0, 0, 1, 1, 3, 0]):
        rewind.note_inputs(frame, {"pad": pad})
    assert rewind.history == [(0, {"pad": 0}), (2, {"pad": 1}), (4, {"pad": 3}), (5, {"pad": 0})]
    assert [rewind.inputs_at(frame)["pad"] for frame in range(7)] == [0, 0, 1, 1, 3, 0, 0]
    rewind.forget_inputs(4)
    assert rewind.history == [(0, {"pad": 0}), (2, {"pad": 1})]
    rewind.forget_inputs(0)
    assert rewind.history == [] and rewind.inputs_at(3) == {}


def test_nothing_noted_nothing_done():
    machine, rewind = Tape(), Rewind()
    machine.frame()
    rewind.restore(machine, 0)
    assert machine.frame_number == 1 and rewind.first_frame is None


def test_forgetting_the_past():
    machine, rewind = Tape(), Rewind(every=1)
    rewind.note(machine)
    rewind.note_inputs(0, {"pad": 1})
    rewind.forget()
    assert rewind.first_frame is None and rewind.history == [] and rewind.used_bytes == 0


def test_every_below_one_is_refused():
    with pytest.raises(ValueError, match="every is 0"):
        Rewind(every=0)
