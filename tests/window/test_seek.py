"""Going to places of a tape in the window: the frames reached are the tape's, by keys, clicks and drags."""

import pytest

from retrosim.rom import load_rom
from retrosim.tape import Player, load_tape
from retrosim.window.compose import compose
from retrosim.window.pyglet_window import Inputs
from retrosim.window.seek import BAR_HEIGHT, draw_seek_bar, ends
from retrosim.window.session import Session
from tests.helpers.window.bench import Bench


class Replay(Bench):
    """A tape on `native`, which needs no compiled processor."""

    def __init__(self, tmp_path):
        super().__init__(tmp_path, "native", "tanks")
        path = next(path for path in load_rom("tanks").tapes() if path.stem == "twenty-hits")
        self.tape = load_tape(path)
        player = Player(self.tape, self.machine)
        self.session = Session(self.machine, folder=lambda kind: tmp_path / kind, clock=self.clock, player=player)
        self.inputs = Inputs(lambda: self.session, self.session.do)
        self.seek = self.session.seek

    def clock(self):
        self.now += 1_000_000  # each look at the clock takes a millisecond
        return self.now

    def arrive(self):
        for _ in range(1000):
            if self.seek.target is None:
                return self.machine.frame_number
            self.session.advance()
        raise AssertionError("it does not arrive")


@pytest.fixture
def replay(tmp_path):
    replay = Replay(tmp_path)
    replay.session.do("pause")
    return replay


def world_at(replay, frame):
    other = Replay.__new__(Replay)
    Bench.__init__(other, None, "native", "tanks")
    Player(replay.tape, other.machine).run(frame)
    return other.machine.hash("world")


def test_it_goes_on_and_back_to_the_worlds_of_the_tape(replay):
    replay.seek.go(300)
    assert replay.session.wait_ns() == 0, "it hurries"
    replay.session.advance()
    assert 0 < replay.machine.frame_number < 300, "in pieces, so that the window reacts"
    assert replay.arrive() == 300 and replay.session.transport.is_paused
    replay.seek.go(111)
    assert replay.arrive() == 111 and replay.machine.hash("world") == world_at(replay, 111)
    replay.session.transport.rewind.forget()
    replay.session.transport.rewind.note(replay.machine)
    replay.seek.go(50)
    assert replay.arrive() == 50 and replay.machine.hash("world") == world_at(replay, 50), "from the tape's start"
    replay.keys("END")
    assert replay.arrive() == replay.tape.frames and not replay.session.diverged
    assert replay.session.player.world_mismatch is None


def test_keys_and_marks(replay):
    replay.keys("PAGEDOWN")
    assert replay.arrive() == replay.tape.frames == 600, "ten seconds are 601"
    replay.keys("PAGEUP")
    assert replay.arrive() == 0
    replay.seek.go(77)
    replay.arrive()
    replay.keys("P", "P")  # on, and paused again: a mark
    replay.keys("END")
    replay.arrive()
    replay.keys("Shift+PAGEUP")
    assert replay.arrive() == 77
    replay.keys("Shift+PAGEUP")
    assert replay.arrive() == 0
    replay.keys("Shift+PAGEDOWN")
    assert replay.arrive() == 77


def test_the_bar_is_clicked_and_dragged(replay):
    width = compose(replay.session, 640).status_bar.shape[1]
    left, right = ends(width, replay.seek.last)
    assert replay.inputs.bar_pressed((left + right) / 2, 3, width)
    assert abs(replay.arrive() - replay.seek.last / 2) <= 2
    replay.inputs.bar_dragged(left - 50, width)
    assert replay.arrive() == 0
    replay.inputs.button_up()
    replay.inputs.bar_dragged(right, width)
    assert replay.seek.target is None, "the button is up"
    assert not replay.inputs.bar_pressed(left, BAR_HEIGHT + 1, width), "the lines below"


def test_without_a_tape_there_is_no_bar(tmp_path):
    bench = Bench(tmp_path, "native", "tanks")
    height = compose(bench.session, 640).status_bar.shape[0]
    bench.keys("END")
    assert "only a tape" in bench.session.message and bench.session.seek is None
    assert compose(Replay(tmp_path).session, 640).status_bar.shape[0] == height + BAR_HEIGHT


def test_the_bar_shows_the_place():
    left, right = ends(640, 1000)
    bar = draw_seek_bar(640, 0, 1000, 500, 250, [750])
    black = (bar[6, left:right] == 255).mean()
    assert bar.shape == (BAR_HEIGHT, 640) and 0.3 < black < 0.6, "a quarter, and some of the rest"
    assert (bar == 35).any(), "the mark"
