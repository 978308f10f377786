"""Lines that stay once they are there: how many there are in a set, and how many are missed."""

from itertools import product

import pytest

from retrosim.bounds.caches import Held, Near
from retrosim.bounds.residence import ALWAYS, MAX_WAYS, Residence, Use, Way, joined
from retrosim.bounds.words import Span, unknown
from retrosim.cpu.spec.cpu import ADDRESS_MASK, Cache, Lines

LINE, UNIT, SETS, SURVIVES = 64, 32, 64, 7
LINES = Lines(
    UNIT, SETS, SURVIVES + 1, SURVIVES, 1 << 23, lambda line, units: (line, 0), "filling", units=2, missing=("read",)
)
CLOCKS = {"read": 10}


def residence(counts_code: bool = True) -> Residence:
    return Residence({"data": Cache("tag", lines=LINES)}, CLOCKS, counts_code)


def near(base: Span, first: int, size: int = 4) -> Use:
    return Use("data", None, False, base, first, size)


def test_ways_that_stand_for_all():
    first, second = Use("data", 1, False), Use("data", 2, False)
    ways = joined([Way(5, frozenset([first])), Way(7, frozenset([first, second])), Way(9, frozenset([second]))])
    assert set(ways) == {Way(7, frozenset([first, second])), Way(9, frozenset([second]))}
    many = joined(Way(unit, frozenset([Use("data", unit, False)])) for unit in range(MAX_WAYS + 3))
    assert len(many) == MAX_WAYS
    for unit in range(MAX_WAYS + 3):
        assert any(way.clocks >= unit and Use("data", unit, False) in way.used for way in many)


def test_units_of_one_set():
    kept, lines = residence(), [2 * SETS * number for number in range(SURVIVES + 2)]
    uses = [Use("data", unit, False) for unit in lines]
    assert kept.holds((Way(0, frozenset(uses[1:])),)) and not kept.holds((Way(0, frozenset(uses)),))
    assert not kept.holds((Way(0), Way(0, frozenset(uses))))
    other = [Use("code", unit, False) for unit in lines]
    halves = [Use("data", unit + 1, False) for unit in lines[1:]]  # the other units of the same lines
    assert kept.holds((Way(0, frozenset([*uses[1:], *halves, *other])),))
    kept.is_known = False
    assert not kept.holds((Way(0),))


def test_objects_anywhere_of_one_set():
    """Each object has a line of any set; one that is as long as the sets are, all lines of one."""
    kept, bases = residence(), [unknown(32) for _ in range(SURVIVES + 2)]
    uses = [near(base, 0) for base in bases]
    assert kept.holds((Way(0, frozenset(uses[1:])),)) and not kept.holds((Way(0, frozenset(uses)),))
    ends = [near(base, 12) for base in bases[1:]]  # in the same line or the next one, of another set
    assert kept.holds((Way(0, frozenset([*uses[1:], *ends])),))
    bytes_apart = [near(bases[0], LINE * number, 1) for number in range(2 * SURVIVES)]
    assert kept.holds((Way(0, frozenset(bytes_apart)),))  # neighbouring lines
    far = [near(bases[0], 2 * LINE * number, 1) for number in range(SURVIVES + 2)]
    assert kept.holds((Way(0, frozenset(far[1:])),)) and not kept.holds((Way(0, frozenset(far)),))
    long = near(bases[0], 0, (SETS - 2) * LINE)
    assert kept.holds((Way(0, frozenset([long, *uses[2:]])),))
    longer = [long, near(bases[0], (SETS - 2) * LINE, 4)]
    assert kept.holds((Way(0, frozenset(longer)),)) and not kept.holds((Way(0, frozenset([*longer, uses[2]])),))


def test_a_table_takes_up_as_many_lines_as_it_has():
    kept = residence()
    table = [near(Span(32, 0x2000, 0x2FF0), 0) for _ in range(20)]
    assert kept.holds((Way(0, frozenset(table)),))
    anywhere = [near(unknown(32), 0) for _ in range(9)]
    assert kept.holds((Way(0, frozenset(anywhere[:8])),))
    assert not kept.holds((Way(0, frozenset(anywhere)),))
    assert kept.holds(tuple(Way(0, frozenset([use])) for use in anywhere))


def test_the_area_of_a_use():
    assert near(Span(32, 0x100, 0x200), -4).area() == range(0xFC, 0x200)
    assert near(Span(32, 4, 0x200), -4).area() == range(0x200) and near(Span(32, 3, 0x200), -4).area() is None
    assert near(Span(32, 0, ADDRESS_MASK - 3), 0).area() is not None
    assert near(Span(32, 0, ADDRESS_MASK - 2), 0).area() is None and Use("data", 5, False).area() is None


@pytest.mark.parametrize(
    "operands",
    [
        [(0, 4)], [(0, 2)], [(0, 1)], [(0, 4), (4, 4)], [(0, 4), (28, 4)], [(0, 4), (32, 4)],
        [(0, 4), (64, 4)], [(-8, 4), (8, 8)], [(0, 32)], [(0, 36)], [(0, 4), (0, 8)], [(0, 16), (4, 4)],
    ],
)  # fmt: skip
@pytest.mark.parametrize("alignment", [2, 4])
def test_misses_of_an_object_anywhere(operands, alignment):
    """As many units as an object has bytes in, where it lies worst: exact."""
    base = unknown(32)
    step = min(alignment, *(size for _, size in operands))
    worst = max(
        len({(place + first + n) // UNIT for first, size in operands for n in range(size)})
        for place in range(256, 256 + UNIT, step)
    )
    way = Way(100, frozenset(near(base, *operand) for operand in operands))
    assert residence().maximum((way,), alignment) == 100 + CLOCKS["read"] * worst


def test_the_longest_way():
    one, two, code = Use("data", 1, False), Use("data", 2, False), Use("data", 3, True)
    ways = Way(100, frozenset([one])), Way(95, frozenset([one, two])), Way(99, frozenset([one, code]))
    assert residence().maximum(ways, 4) == 119 and residence(counts_code=False).maximum(ways, 4) == 115


def test_uses():
    kept, base = residence(), unknown(32)
    assert list(kept.uses("data", [3, 4], True)) == [Use("data", 3, True), Use("data", 4, True)]
    assert list(kept.uses("data", Near(base, (8, 11)), False)) == [near(base, 8)]
    assert list(kept.uses("data", None, False)) == [] and not kept.is_known


def test_caches_in_which_lines_stay():
    arbitrary = Lines(16, 64, 4, 0, 0x100, lambda line, units: (line, 0), "filling", missing=("read",))
    caches = {"data": Cache("tag", lines=LINES), "other": Cache("tag 2", lines=arbitrary, accesses="count")}
    kept = Residence(caches, CLOCKS)
    held = kept.entered({name: Held(cache.lines) for name, cache in caches.items()})
    assert held["data"].lines.survives == ALWAYS and held["other"].lines is arbitrary
    assert (set(kept.lines), kept.counted) == ({"data"}, "other")
    assert Residence({"data": caches["data"]}, CLOCKS).counted is None
    assert Residence({"other": Cache("tag 2", lines=arbitrary)}, CLOCKS).counted is None
    (way,) = kept.begins(4)
    assert way.misses is not None and way.misses.total() == 0 and residence().begins(4)[0].misses is None

    base = unknown(32)
    looks = [*kept.looks([1, 0x10], Held(arbitrary)), *kept.looks(Near(base, (4, 7)), Held(arbitrary))]
    assert [tuple(look) for look in looks] == [(None, 1, 1, False), (base, 4, 4, False)]  # 0x100 is not cached
    there = Held(arbitrary).used(1, True, True).used_near(Near(base, (4, 7)), True, True)
    assert [look.is_there for look in kept.looks(Near(base, (4, 7)), there)] == [True]
    assert [look.is_there for look in kept.looks([1], Held(arbitrary).used(1, True, True))] == [True]
    counted = Way(7, frozenset(), way.misses.after(looks))
    assert kept.maximum((counted,), 4) == 7 + CLOCKS["read"] * counted.misses.total()
    assert kept.is_known and list(kept.looks(None, there)) == [] and not kept.is_known


def test_ways_that_meet():
    sets = [frozenset(Use("data", unit, False) for unit in range(3) if bits >> unit & 1) for bits in range(8)]
    for first, second in product(sets, sets):
        (way,) = [Way(3, first).also(Way(5, second))]
        assert way == Way(5, first | second)
    assert set(joined([Way(3, sets[1]), Way(3, sets[1])])) == {Way(3, sets[1])}
    assert set(joined([Way(3, sets[1]), Way(2, sets[3])])) == {Way(3, sets[1]), Way(2, sets[3])}
    assert set(joined([Way(3, sets[1]), Way(3, sets[3])])) == {Way(3, sets[3])}
