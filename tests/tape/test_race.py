"""Races: who shows which frame when, as `Player` alone finds it, and what is drawn of them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from retrosim.rom import load_rom
from retrosim.tape import Player, find_tape, load_tape, open_for
from retrosim.tape.race import Race, Racer
from retrosim.window.race import RED, STRIP, draw_race

FRAMES = 6
TAPE = load_tape(find_tape("wind-50"))
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
