"""Lines that are certain to be in a cache are there, whatever it held before."""

import random

import pytest

from retrosim.bounds.caches import Held, Near
from retrosim.bounds.words import unknown
from retrosim.cpu.spec.cpu import Lines

SETS, WAYS, LINE = 2, 4, 16


def lines_of(survives: int, units: int = 1, sets: int = SETS) -> Lines:
    return Lines(LINE, sets, WAYS, survives, 1 << 23, lambda line, units: (line, 0), "filling", units=units)


class Recent:
    """A cache of which the line goes that was used longest ago; its lines have two units, valid each by itself."""

    def __init__(self, chance: random.Random) -> None:
        self.sets = [[(-1 - way, set()) for way in range(WAYS)] for _ in range(SETS)]
        for ways in self.sets:
            chance.shuffle(ways)

    def use(self, unit: int) -> None:
        number, within = divmod(unit, 2)
        ways = self.sets[number % SETS]
        old = next((line for line in ways if line[0] == number), (number, set()))
        ways[:] = [old, *(line for line in ways if line is not old)][:WAYS]
        old[1].add(within)

    def has(self, unit: int) -> bool:
        number, within = divmod(unit, 2)
        return any(line == number and within in units for line, units in self.sets[number % SETS])


def test_lines_that_are_there():
    """Four lines of a set stay, the fifth makes the oldest go: what was used is known as long as it is there."""
    chance = random.Random(1994)
    for _ in range(60):
        held, cache = Held(lines_of(WAYS - 1, units=2)), Recent(chance)
        for _ in range(24):
            unit = chance.randrange(20)
            held = held.used(unit, True, True)
            cache.use(unit)
            assert all(held.has(other) == cache.has(other) for other in range(20))


def test_a_use_that_does_not_allocate():
    held = Held(lines_of(1))
    assert not held.used(0, False, True).has(0)
    held = held.used(0, True, True).used(2, True, True)
    assert held.has(0) and held.used(0, False, True).has(0)
    assert not held.used(4, False, True).has(0)  # it may have taken a line's place


def test_a_use_that_the_replacement_takes_no_note_of():
    held = Held(lines_of(2))
    for number in (0, 2, 4):
        held = held.used(number, True, True)
    noted, unnoted = held.used(0, True, True), held.used(0, True, False)
    assert noted.used(6, True, True).has(0) and not unnoted.used(6, True, True).has(0)
    first = Held(lines_of(2)).used(0, True, False)  # as one that will go next
    assert first.has(0) and not first.used(2, True, True).has(0)
    assert held.used(6, True, False).of_set(0)[-1].age == 2
    assert not held.used(6, True, False).has(0) and not held.used(6, True, False).used(8, True, True).has(2)


def test_an_arbitrary_victim():
    """What certainly hits replaces nothing; any other use may replace any line."""
    held = Held(lines_of(0)).used(0, True, True).used(1, True, True)
    assert held.used(0, True, True) == held and held.has(0) and held.has(1)
    assert not held.used(2, True, True).has(0) and held.used(2, True, True).has(1)
    base = unknown(32)
    near = Near(base, (0, 3))
    held = held.used_near(near, True, True)
    assert held.has_near(near) and not held.has(0) and not held.has(1)
    assert held.used_near(near, True, True) == held
    assert not held.used(0, True, True).has_near(near)


def test_lines_near_a_base():
    lines = Lines(16, 64, 4, 1, 1 << 23, lambda line, units: (line, 0), "filling")
    base, other = unknown(32), unknown(32)
    held = Held(lines).used_near(Near(base, (4, 5)), True, True)
    assert held.has_near(Near(base, (4, 5))) and not held.has_near(Near(base, (6, 7)))
    held = held.used_near(Near(base, (8, 9)), True, True)
    assert held.has_near(Near(base, (6, 7))) and not held.has_near(Near(other, (6, 7)))
    held = held.used_near(Near(other, (0,)), True, True)
    assert held.has_near(Near(base, (6, 7)))
    assert not held.used_unknown().has_near(Near(base, (6, 7)))
    far = held.used_near(Near(base, (1 << 16,)), True, True)  # perhaps in the same set
    assert not far.has_near(Near(base, (6, 7)))


@pytest.mark.parametrize(("apart", "is_between"), [(LINE - 1, True), (LINE, True), (LINE + 1, False)])
def test_bytes_between_two(apart, is_between):
    """Two bytes no further apart than a line lie in it or in neighbouring ones, and so do those between."""
    base = unknown(32)
    held = Held(lines_of(1, sets=8)).used_near(Near(base, (0,)), True, True).used_near(Near(base, (apart,)), True, True)
    assert held.has_near(Near(base, (5,))) == is_between and held.has_near(Near(base, (0, apart)))
    assert not held.has_near(Near(base, (-1,))) and not held.has_near(Near(base, (apart + 1,)))


@pytest.mark.parametrize(("apart", "is_there"), [(LINE - 1, True), (LINE, False)])
def test_bytes_that_may_share_a_set(apart, is_there):
    base = unknown(32)
    held = Held(lines_of(1)).used_near(Near(base, (0,)), True, True).used_near(Near(base, (apart,)), True, True)
    assert held.has_near(Near(base, (0,))) == is_there


def test_uses_near_a_base_age_others():
    base, other = unknown(32), unknown(32)
    held = Held(lines_of(1)).used(0, True, True).used_near(Near(base, (0,)), True, True)
    assert held.has(0)
    for _ in range(2):  # the same line: it ages those of other bases again all the same
        held = held.used_near(Near(base, (0,)), True, True)
    assert not held.has(0) and held.has_near(Near(base, (0,)))
    missed = held.used_near(Near(other, (0,)), False, True)
    assert not missed.has_near(Near(other, (0,))) and missed.has_near(Near(base, (0,)))
    unnoted = held.used_near(Near(base, (0,)), True, False)
    assert unnoted.has_near(Near(base, (0,)))
    first = Held(lines_of(1)).used_near(Near(base, (0,)), True, False)
    assert first.has_near(Near(base, (0,))) and not first.used(0, True, True).has_near(Near(base, (0,)))


def test_what_two_have_in_common():
    base, other = unknown(32), unknown(32)
    empty = Held(lines_of(1, units=2))
    one = empty.used(0, True, True).used(1, True, True).used_near(Near(base, (0, 4)), True, True)
    two = empty.used(2, True, True).used(0, True, True).used_near(Near(base, (0,)), True, True)
    both = one.join(two)
    assert both.has(0) and not both.has(1) and not both.has(2)
    assert both.has_near(Near(base, (0,))) and not both.has_near(Near(base, (4,)))
    assert one.join(one) is one and one.join(empty) == empty and empty.join(one) == empty
    older = empty.used(0, True, True).used(4, True, True)
    assert not empty.used(0, True, True).join(older).used(8, True, True).has(0)  # the greater age counts
    near = empty.used_near(Near(base, (0,)), True, True)
    aged = near.used_near(Near(other, (0,)), True, True)
    assert aged.has_near(Near(base, (0,))) and not near.join(aged).used_unknown().has_near(Near(base, (0,)))
