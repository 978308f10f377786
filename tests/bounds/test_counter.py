"""Misses where a counter names the victim: never more than counted, in every state of the cache before the call."""

import random
from itertools import product

import pytest

from retrosim.bounds.caches import Held, Near
from retrosim.bounds.call import bound
from retrosim.bounds.counter import Look, Misses
from retrosim.bounds.residence import Residence
from retrosim.bounds.search import RandomCall, fill_caches
from retrosim.bounds.words import Span, unknown
from retrosim.cpu.spec.cpu import Lines
from retrosim.machine import Machine
from retrosim.rom import load_elf
from tests.helpers.study.cost_programs import ADDRESS, write_elf

SETS, LINE = 2, 16
LINES = Lines(LINE, SETS, 4, 0, 1 << 23, lambda line, units: (line, 0), "filling")
ALIEN = -1


def misses(numbers: list[int], sets: list[list[int | None]], counter: int) -> int:
    """Count the misses of uses of lines as MC68040UM 4 has them; None in a set is an invalid way."""
    count = 0
    for time, number in enumerate(numbers, counter):
        ways = sets[number % SETS]
        if number not in ways:
            count += 1
            ways[ways.index(None) if None in ways else time % 4] = number
    return count


def max_misses(numbers: list[int]) -> int:
    """Return the most misses in one set, whatever it held and the counter was."""
    contents = [
        list(ways)
        for ways in product([None, ALIEN, *sorted(set(numbers))], repeat=4)
        if all(ways.count(number) <= 1 for number in numbers)
    ]
    return max(misses(numbers, [list(ways) for _ in range(SETS)], counter) for ways in contents for counter in range(4))


def counted(numbers: list[int]) -> int:
    return Misses(LINES, 2).after(Look(None, number, 1, False) for number in numbers).total()


def test_lines_that_a_counter_places_apart_stay():
    """A line that has been replaced once is placed by the counter: next to the other one, from then on."""
    once, often = [0, 2], [0, 2] * 8
    assert max_misses(once) == counted(once) == 2
    assert max_misses(often) == 3 and counted(often) == 4


def test_two_lines_may_miss_each_time():
    """Three hits between them, and the counter names the same way again: no line stays for the next three misses."""
    numbers = [0, 1, 1, 1, 2, 1, 1, 1] * 4
    assert max_misses(numbers) == 9
    assert counted(numbers) >= 9
    assert counted(numbers[:-4]) > 2 * len({*numbers})


def test_misses_of_lines_of_one_set():
    chance = random.Random(1994)
    for _ in range(60):
        lines = chance.choice(([0, 2], [0, 2, 4], [0, 1, 2]))
        numbers = [chance.choice(lines) for _ in range(chance.randrange(3, 14))]
        assert max_misses(numbers) <= counted(numbers), numbers


def test_misses_of_objects_anywhere():
    """Operands near pointers, perhaps to one line; the lines that are held tell what certainly hits."""
    chance = random.Random(1995)
    worst = 0.0
    for _ in range(300):
        bases = [Span(32, 0, 1 << 20, 0, (1 << 20) - 2) for _ in range(3)]
        operands = [chance.choice([(n, 0, 4), (n, 2, 4), (n, 14, 2), (n, 20, 4)]) for n in range(4) for _ in range(2)]
        uses = [chance.choice(operands) for _ in range(chance.randrange(4, 24))]
        held, courses = Held(LINES), Misses(LINES, 2)
        for which, offset, size in uses:
            if which == 3:
                line = offset // LINE
                courses = courses.after([Look(None, line, 1, held.has(line))])
                held = held.used(line, True, True)
            else:
                near = Near(bases[which], tuple(sorted({offset, offset + size - 1})))
                courses = courses.after([Look(bases[which], offset, size, held.has_near(near))])
                held = held.used_near(near, True, True)
        for _ in range(40):
            places = [chance.randrange(0, 6 * LINE, 2) for _ in bases]
            numbers = []
            for which, offset, size in uses:
                if which == 3:
                    numbers.append(offset // LINE)
                else:
                    ends = places[which] + offset, places[which] + offset + size - 1
                    numbers += dict.fromkeys(end // LINE for end in ends)
            sets = [chance.sample([None, None, ALIEN, ALIEN, *range(group, 8, SETS)], 4) for group in range(SETS)]
            actual = misses(numbers, sets, chance.randrange(4))
            assert actual <= courses.total(), (uses, places, sets)
            worst = max(worst, actual / courses.total())
    assert worst > 0.6  # else the test could not fail


def test_ways_that_meet():
    base, other = unknown(32), unknown(32)
    one = Misses(LINES, 2).after([Look(base, 0, 2, False), Look(None, 0, 1, False)])
    two = Misses(LINES, 2).after([Look(other, 0, 2, False)] * 2)
    both = one.joined(two)
    assert both.total() == 3
    for way in (one, two):
        for looks in ([Look(base, 0, 2, False)], [Look(other, 0, 2, False), Look(None, 2, 1, False)]):
            assert way.after(looks).total() <= both.after(looks).total()


@pytest.mark.full
def test_a_call_that_misses_more_than_twice_each_line(tmp_path, monkeypatch):
    """Two lines of one set, four accesses apart, that replace each other: one or two misses of each are too few."""
    # MOVE.L #1,(a0); 3 times MOVE.L (a2),d1; MOVE.L #1,(a1); 3 times MOVE.L (a2),d1; all that 4 times; RTS
    words = [0x20BC, 0, 1, *[0x2212] * 3, 0x22BC, 0, 1, *[0x2212] * 3] * 4 + [0x4E75]
    path = write_elf(tmp_path / "turns.elf", " ".join(f"{word:04X}" for word in words), turns=ADDRESS)
    machine = Machine("mc68040-25", load_elf(path, "m68040"), engine="evaluate")
    counts, proven = [], []
    maximum = Residence.maximum

    def noted(self, ways, alignment):
        counts.extend(way.misses.total() for way in ways if way.misses)
        proven.append(maximum(self, ways, alignment))
        return proven[-1]

    monkeypatch.setattr(Residence, "maximum", noted)
    bound(machine, "turns")
    before = machine.snapshot()

    def reached(a1: int) -> int:
        clocks = []
        for contents in range(8):  # the counter begins anywhere
            fill_caches(machine.core, RandomCall((), b"", "dirty", contents))
            registers = {"a0": 0x200000, "a1": a1, "a2": 0x200010}
            clocks.append(machine.measure("turns", registers=registers, warm=0).cycles)
            machine.restore(before)
        return max(clocks)

    longest = reached(0x200000 + 64 * 16)
    misses_more = (longest - reached(0x200000 + 65 * 16 + 16)) // (2 * machine.memory_clocks["line_read"])
    lines = 3
    assert misses_more == 6 and 2 * lines < lines + misses_more <= max(counts)
    assert longest <= min(proven)


def test_a_line_that_is_there_is_not_missed():
    for number in (0, 1):
        assert Misses(LINES, 2).after([Look(None, number, 1, True)] * 2).total() == 0
    assert counted([0]) == counted([0, 0]) == 1
    base = unknown(32)
    assert Misses(LINES, 2).after([Look(base, 0, 4, True)]).total() == 0


EVEN = set(range(0, 16, 2))


def test_where_a_base_lies_in_its_line():
    """What is known of its bits leaves fewer places; so does that operands are aligned."""
    for free, offset, size, places in (
        (-16, 0, 4, {0}),
        (-8, 0, 4, {0, 8}),
        (-2, 0, 2, EVEN),
        (-2, 0, 1, EVEN),
        (-1, 0, 2, EVEN),
        (-1, 1, 1, {*range(16)}),
    ):
        base = Span(32, 0, 1 << 20, 0, free)
        assert set(Misses(LINES, 2).after([Look(base, offset, size, False)]).by_base[base]) == places
    odd = Span(32, 1, 1 << 20, 1, -2)
    assert set(Misses(LINES, 2).after([Look(odd, 1, 2, False)]).by_base[odd]) == set(range(1, 16, 2))
    across = Misses(LINES, 2).after([Look(Span(32, 0, 1 << 20, 14, -16), 0, 4, False)])
    assert across.total() == 2


def test_what_another_line_does_near_a_base():
    """One whose number differs by a multiple of the sets may replace a line, any other one cannot."""
    base, far = Span(32, 0, 1 << 20, 0, -16), LINES.unit_bytes * LINES.sets

    def misses_of_three(apart: int) -> int:
        looks = [Look(base, at, 4, False) for at in (0, apart, 0, apart, 0, apart, 0, apart)]
        return Misses(LINES, 2).after(looks).total()

    assert misses_of_three(16) == misses_of_three(far - 16) == 2 < misses_of_three(far)
