"""The pad of a window: what keys do reaches the program, whatever time its frames take."""

from itertools import pairwise

from retrosim.window.controls import PAD
from retrosim.window.pad import MAX_CHANGES, Pad
from retrosim.window.session import Session
from retrosim.window.transport import CALL_TICKS
from tests.helpers.window.fake_machine import FakeMachine

LEFT, RIGHT, FIRE = PAD["LEFT"], PAD["RIGHT"], PAD["SPACE"]
SLOW = 10 * CALL_TICKS * 25_000_000 // 60 // 8  # clocks of an instruction: a frame takes several turns of the window


def tap(pad: Pad, bit: int, times: int = 1) -> None:
    for _ in range(times):
        pad.press(bit, True)
        pad.press(bit, False)


def words(pad: Pad, *frames: int) -> list[int]:
    return [pad.word(frame) for frame in frames]


def test_keys_that_are_held_are_told_in_the_next_frame():
    pad = Pad()
    pad.press(LEFT, True)
    pad.press(FIRE, True)
    assert words(pad, 0, 1) == [LEFT | FIRE] * 2
    pad.press(LEFT, False)
    assert pad.down == FIRE and words(pad, 2, 3) == [FIRE] * 2
    pad.release_all()
    assert pad.down == 0 and words(pad, 4) == [0]


def test_a_tap_within_a_frame_is_a_frame_long_and_two_are_two():
    pad = Pad()
    tap(pad, RIGHT)
    assert words(pad, 0, 1, 2) == [RIGHT, 0, 0]
    tap(pad, RIGHT, 2)
    tap(pad, FIRE)
    assert words(pad, 3, 4, 5, 6, 7) == [RIGHT | FIRE, 0, RIGHT, 0, 0]


def test_a_release_within_a_frame_is_seen_too():
    pad = Pad()
    pad.press(FIRE, True)
    pad.press(FIRE, True)  # what repeats is no change
    assert words(pad, 0) == [FIRE]
    pad.press(FIRE, False)
    pad.press(FIRE, True)
    assert words(pad, 1, 2, 3) == [0, FIRE, FIRE]


def test_of_many_taps_the_first_are_seen_and_the_key_ends_as_it_is():
    for is_down in (False, True):
        pad = Pad()
        tap(pad, LEFT, 20)
        pad.press(LEFT, is_down)
        said = words(pad, *range(30))
        assert sum(before < now for before, now in zip([0, *said], said)) == MAX_CHANGES // 2
        assert said[-1] == pad.down == is_down * LEFT


def test_what_is_told_in_the_middle_of_a_frame_stays_for_the_next_one():
    """The program may have read its pad already, and it reads it in the next frame before it is asked again."""
    pad = Pad()
    assert pad.word(0, begins=False) == 0
    tap(pad, FIRE)
    assert [pad.word(frame, begins=False) for frame in (0, 0, 1, 1, 2, 2, 3)] == [FIRE] * 4 + [0] * 3


def test_going_back_in_time_holds_no_key():
    pad = Pad()
    tap(pad, FIRE)
    assert words(pad, 100, 3, 4) == [FIRE, 0, 0]


def test_every_tap_reaches_a_slow_machine_and_the_tape_has_what_it_saw(tmp_path):
    class Recording:
        path, given = tmp_path / "tape.rtape", []

        def set_input(self, device, value):
            self.given.append(value)

        def on_frame(self):
            pass

    now, machine = [0], FakeMachine(cost=SLOW)
    session = Session(machine, folder=tmp_path.joinpath, clock=lambda: now[0], recorder=lambda *_: Recording())

    def turn():
        now[0] += 16_700_000
        session.advance()

    session.do("record")
    turn()
    for _ in range(3):
        frame = machine.frame_number
        session.press(RIGHT, True)
        turn()
        session.press(RIGHT, False)
        assert machine.frame_number == frame, "the tap is over within the frame"
        while machine.frame_number < frame + 3:
            turn()
    assert machine.pads == Recording.given[: len(machine.pads)]
    assert sorted(machine.pads) == [0] * 6 + [RIGHT] * 3 and (RIGHT, RIGHT) not in pairwise(machine.pads)
