"""The session of a race: pace, keys, and a host that cannot keep up."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from retrosim.tape import Player, load_tape, open_for
from retrosim.tape.race import Race, Racer
from retrosim.window.race import HINT, LATE_NS, LEAVING_NS, RaceSession, _fit

TAPE = load_tape("wind-50")
SECOND = 1_000_000_000


class Clock:
    """Host time that a test sets."""

    def __init__(self) -> None:
        self.now = 5 * SECOND

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def session():
    racers = []
    for _ in range(2):
        machine = open_for(TAPE, "native")
        racers.append(Racer("native", Player(TAPE, machine), machine, 100))
    return RaceSession(Race(racers), Clock())


def test_pace(session):
    for _ in range(30):
        session.clock.now += SECOND // 60
        session.advance()
    assert abs(session.race.time - Fraction(1, 2)) <= Fraction(2, 60)
    for key in ("MINUS", "NUM_SUBTRACT"):
        assert session.press(key)
    before, slow = session.race.time, session.speed
    for _ in range(60):
        session.clock.now += SECOND // 60
        session.advance()
    assert abs(session.race.time - before - slow) <= Fraction(2, 60) and slow < 1


def test_what_is_late_is_dropped(session):
    session.clock.now += 1000 * SECOND
    session.advance()
    assert session.race.time < 1
    assert session.wait_ns() <= LATE_NS


def test_keys(session):
    assert session.press("SPACE") and session.is_paused
    session.clock.now += SECOND
    assert not session.advance()
    assert session.press("PERIOD") and session.race.time == Fraction(1, 60)
    assert not session.press("F12")
    for _ in range(40):
        session.press("PLUS")
    assert session.press("0") and session.speed == 1


def test_escape_closes_the_list_of_keys_and_then_asks_twice(session):
    session.press("H")
    assert session.shows_help
    before = session.race.time
    session.clock.now += SECOND
    assert not session.advance() and session.race.time == before, "nothing runs while the list is shown"
    shown = session.picture()
    session.press("ESCAPE")
    assert not session.shows_help and session.is_open
    assert (session.picture()[:480] != shown[:480]).any()
    session.clock.now += SECOND // 50
    assert session.advance() and session.race.time - before <= Fraction(2, 60), "what was due meanwhile is not made up"
    session.press("ESCAPE")
    session.clock.now += LEAVING_NS + 1
    session.press("ESCAPE")
    assert session.is_open, "the second time came too late"
    session.press("ESCAPE")
    assert not session.is_open


def test_a_race_ends_at_once(session):
    assert session.press("Ctrl+Q") and not session.is_open


def test_picture(session):
    picture = session.picture()
    assert picture.shape[1:] == (1280, 3)
    assert (picture[-HINT + 1 :] == 0).any() and (picture[-HINT + 1 :] == 255).any()


def test_the_picture_says_work_and_wait_and_the_end_has_the_verdict(monkeypatch):
    texts = []
    monkeypatch.setattr("retrosim.window.race.draw_text", lambda picture, x, y, text, *_, **__: texts.append(text))
    machine = open_for(TAPE, "mc68040-25", engine="interpret")
    racers = [Racer("mc68040-25", Player(TAPE, machine), machine, 2) for _ in range(2)]
    racers[1].total, racers[1].shown = 1_000_000, replace(racers[1].shown, frame=2, seconds=Fraction(1, 20))
    session = RaceSession(Race(racers), Clock())
    while not session.race.is_finished:
        session.race.advance(Fraction(1, 10))
    session.picture()
    assert "per frame so far: 20.00 ms of work, 5.00 ms wait for the screen of 60.147 Hz" in texts
    work = racers[0].work
    assert f"{racers[0].shown.clocks:,} clocks, {racers[0].shown.clocks / 25_000:.2f} ms of work" in str(texts)
    assert texts[-1].startswith(f"finished: mc68040-25 works the least per frame, {min(work, 20):.2f} ms   ")


@pytest.mark.parametrize(
    "picture, window, expected",
    [
        ((640, 480), (640, 480), (0, 0, 640, 480)),
        ((640, 480), (1300, 1000), (10, 20, 1290, 980)),  # twice
        ((640, 480), (1279, 2000), (159, 640, 1119, 1360)),  # not quite twice: one and a half times
        ((640, 480), (641, 483), (0, 1, 640, 481)),
        ((640, 480), (320, 480), (0, 120, 320, 360)),
        ((640, 480), (640, 120), (240, 0, 400, 120)),
        ((640, 480), (1, 1), (0, 0, 1, 1)),
        ((100, 10), (5, 5), (0, 2, 5, 3)),
    ],
)
def test_a_picture_is_in_the_middle_in_whole_or_half_pixels(picture: tuple, window: tuple, expected: tuple) -> None:
    assert _fit(*picture, *window) == expected
