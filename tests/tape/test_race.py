"""Races: who shows which frame when, as `Player` alone finds it, and what is drawn of them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from retrosim.rom import load_rom
from retrosim.tape import Player, load_tape, open_for
from retrosim.tape.race import Race, Racer, Shown
from retrosim.window.race import RED, STRIP, draw_race

FRAMES = 6
TAPE = load_tape("wind-50")
PAUSE = Fraction(1, 50)


def racer(name: str, engine: str = "interpret") -> Racer:
    options = {} if name == "native" else {"engine": engine}
    machine = open_for(TAPE, name, **options)
    return Racer(name, Player(TAPE, machine), machine, FRAMES)


@pytest.fixture(scope="module")
def alone():
    """Completion times and worlds of the 68040 by itself: [(seconds, picture)] after each frame."""
    machine = open_for(TAPE, "mc68040-25", engine="interpret")
    player, found = Player(TAPE, machine), []
    for _ in range(FRAMES):
        assert player.step()
        found.append((Fraction(machine.cycles) / machine.clock_hz, machine.frame.copy()))
    return found


def test_true_speed(alone):
    race = Race([racer("mc68040-25"), racer("native")])
    while not race.is_finished:
        race.advance(PAUSE)
        done = [frame for frame, (seconds, _) in enumerate(alone, 1) if seconds <= race.time]
        shown = race.racers[0].shown
        assert shown.frame == len(done)
        if done:
            assert shown.seconds == alone[len(done) - 1][0]
            assert np.array_equal(shown.pixels, alone[len(done) - 1][1])
        assert race.racers[1].shown.frame == min(FRAMES, int(race.time * race.racers[1].machine.frame_hz))
    assert race.time - PAUSE < alone[-1][0] <= race.time
    assert race.racers[0].total == pytest.approx(race.racers[0].busiest * FRAMES, rel=0.5)


def test_in_step(alone):
    race = Race([racer("mc68040-25"), racer("native")], is_in_step=True)
    for frame in range(1, FRAMES + 1):
        race.advance(PAUSE)
        assert [each.shown.frame for each in race.racers] == [frame] * 2
        assert np.array_equal(race.racers[0].shown.pixels, race.racers[1].shown.pixels)
    assert race.is_finished and race.time == alone[-1][0]


class Ready:
    """A player at the end of its tape."""

    frame, is_finished = 0, True


class Screen:
    """What a race asks of a machine with a CPU of 1 kHz."""

    frame, palette, clock_hz, cycles = np.zeros((480, 640), np.uint8), np.zeros((256, 3), np.uint8), 1000, 0

    def __init__(self, frame_hz: int) -> None:
        self.frame_hz = Fraction(frame_hz)


def shown_racer(name: str, frame_hz: int, clocks: int, seconds: Fraction, frames: int = 10) -> Racer:
    """Return a racer that has shown frames, with so many clocks of work and simulated seconds in all."""
    racer = Racer(name, Ready(), Screen(frame_hz), frames)
    racer.shown = Shown(Screen.frame, Screen.palette, frames, seconds, clocks // frames)
    racer.total = clocks
    return racer


def test_machines_are_compared_by_their_work_and_not_by_their_screens():
    early = shown_racer("early", 20, 400, Fraction(1, 2))  # 40 ms of work in 50 ms
    late = shown_racer("late", 10, 300, Fraction(1))  # 30 ms of work in 100 ms
    none = racer("native")
    race = Race([none, early, late])
    assert [(each.work, each.wait) for each in race.racers] == [(None, None), (40, 10), (30, 70)]
    assert race.ranking() == [late, early, none]
    assert race.verdict() == "late works the least per frame, 30.00 ms"
    assert Race([early, early]).verdict() == "early and early work equally long per frame, 40.00 ms"
    assert Race([early, none]).verdict() == Race([none, racer("mc68040-25")]).verdict() == ""


def test_no_time_is_waited_by_a_machine_that_is_stopped_within_a_period():
    assert shown_racer("stopped", 10, 400, Fraction(39, 100)).wait == 0


@pytest.mark.parametrize("count", [2, 3])
def test_picture(count):
    race = Race([racer("mc68040-25", "evaluate") for _ in range(count)])
    picture = draw_race(race)
    assert picture.shape == (-(-count // 2) * (480 + STRIP), 1280, 3) and picture.dtype == np.uint8
    assert (picture[:480, :640] == 255).all()  # nothing is shown yet
    assert not (picture == RED).all(axis=2).any()
    strips = [picture[480:, :640], picture[480:, 640:]]
    assert all((strip[:STRIP, 10:200] == 0).any() for strip in strips)


def test_the_tapes_rom_is_the_one_that_races():
    assert load_rom(TAPE.scenario).name == racer("native").machine.rom.name
