import random
from fractions import Fraction

import pytest

from retrosim.window.pacer import SPEEDS, Pacer

MAC = Fraction(15_667_200, 704 * 370)
PC = Fraction(1_193_182, 65_536)
RATES = [MAC, PC, Fraction(25_175_000, 800 * 449), Fraction(60), Fraction(1, 3)]


@pytest.mark.parametrize("rate", RATES, ids=str)
def test_a_million_ticks_are_exact(rate):
    """Ticks handed out at irregular times are floor(time * rate) at every moment: no error adds up."""
    chance, pacer = random.Random(1), Pacer(rate, 5, backlog=1 << 40)
    now, handed = 5, 0
    period = int(1_000_000_000 / rate)
    while handed < 1_000_000:
        now += chance.randrange(1, 4000 * period)
        handed += pacer.due(now)
        assert handed == (now - 5) * rate // 1_000_000_000
    assert pacer.dropped == 0


@pytest.mark.parametrize("rate", RATES, ids=str)
def test_every_tick_comes_in_its_nanosecond(rate):
    """Waiting for `wait_ns` gives one tick each time, never two, never none."""
    pacer, now = Pacer(rate, 0), 0
    for number in range(1, 5000):
        wait = pacer.wait_ns(now)
        assert wait > 0 and pacer.due(now + wait - 1) == 0
        now += wait
        assert pacer.wait_ns(now) == 0 and pacer.due(now) == 1
        assert now == -(-number * 1_000_000_000 // rate)


def test_a_stall_is_dropped_and_counted():
    pacer = Pacer(Fraction(100), 0, backlog=8)
    assert pacer.due(10_000_000_000) == 8 and pacer.dropped == 992
    assert pacer.due(10_000_000_000) == 0
    assert pacer.due(10_010_000_000) == 1, "the phase is kept"


def test_a_clock_that_goes_back_gives_nothing():
    pacer = Pacer(Fraction(100), 0)
    assert pacer.due(50_000_000) == 5 and pacer.due(10_000_000) == 0 and pacer.due(60_000_000) == 1


@pytest.mark.parametrize("speed", SPEEDS, ids=str)
def test_speed_multiplies_the_rate(speed):
    pacer = Pacer(MAC, 0, speed=speed, backlog=1 << 40)
    assert pacer.due(3600 * 10**9) == 3600 * MAC * speed // 1


def test_changing_speed_keeps_the_part_of_a_tick():
    pacer = Pacer(Fraction(100), 0)
    assert pacer.due(19_000_000) == 1  # 0.9 of a tick waited
    pacer.set_speed(Fraction(1, 2), 19_000_000)
    assert pacer.due(20_999_999) == 0 and pacer.due(21_000_000) == 1
    assert pacer.due(41_000_000) == 1


def test_restart_forgets_what_was_due():
    pacer = Pacer(Fraction(100), 0)
    pacer.restart(35_000_000)
    assert pacer.due(44_999_999) == 0 and pacer.due(45_000_000) == 1


@pytest.mark.parametrize(
    "make",
    [
        lambda: Pacer(Fraction(0), 0),
        lambda: Pacer(Fraction(-1), 0),
        lambda: Pacer(MAC, 0, speed=Fraction(0)),
        lambda: Pacer(MAC, 0, backlog=0),
        lambda: Pacer(MAC, 0).set_speed(Fraction(-1), 0),
    ],
)
def test_impossible_rates_are_refused(make):
    with pytest.raises(ValueError, match="allowed"):
        make()
