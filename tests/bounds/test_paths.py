"""What a path knows of clocks after what it has taken as true, against all values that they may have."""

import random
from itertools import product
from types import SimpleNamespace

import pytest

from retrosim.bounds.paths import MAX_PAIRED, NEVER, UNKNOWN, ZERO, Infeasible, Path
from retrosim.bounds.words import HALF, LATE, NOW, Span, const, linear, unknown

NAMES, LAST = ("x", "y", "z"), 6


def begun() -> Path:
    engine = SimpleNamespace()
    engine.path = Path(engine)
    return engine.path


def symbols(path: Path, *names: str) -> list[Span]:
    for name in names:
        path.symbol(name, 0, LAST)
    return [linear(64, {name: 1}, 0, 0, path.engine) for name in names]


@pytest.mark.parametrize("seed", range(12))
def test_differences_are_known_exactly(seed):
    """Of conditions between two clocks, or one and a number, the path knows all that follows, and no more."""
    chance, path = random.Random(seed), begun()
    words = symbols(path, *NAMES)
    left = list(product(range(LAST + 1), repeat=len(NAMES)))
    for _ in range(5):
        a, b = chance.sample(range(len(NAMES)), 2)
        more, kind, value = chance.randrange(3), chance.choice(("ult", "ule", "eq")), chance.random() < 0.6
        number = chance.randrange(1, LAST) if chance.random() < 0.3 else None

        def truth(values, a=a, b=b, more=more, kind=kind, number=number):
            x, y = values[a] + more, values[b] if number is None else number
            return {"ult": x < y, "ule": x <= y, "eq": x == y}[kind]

        if kind == "eq" and not value:
            continue  # what a difference is not, is not kept
        kept = [values for values in left if truth(values) == value]
        bit = getattr(words[a] + more, kind)(words[b] if number is None else number)
        if bit.known is not None:
            assert bit.known == truth(left[0]) and len(kept) in (0, len(left))
            continue
        taken, how = (~bit, not value) if chance.random() < 0.5 else (bit, value)  # the opposite of one is one
        if not kept:
            with pytest.raises(Infeasible):
                path.take(taken, how)
            return
        path.take(taken, how)
        left = kept
        assert path.decide(taken) == how
    for n, word in enumerate(words):
        assert path.bounds(word) == (min(v[n] for v in left), max(v[n] for v in left))
        for m, other in enumerate(words):
            differences = [values[n] - values[m] for values in left]
            exact = min(differences), max(differences)
            assert path.bounds_between(word, other) == path.bounds(path.sum(word, other, -1)) == exact


def test_sums_of_clocks():
    path = begun()
    x, y, z = symbols(path, *NAMES)
    path.take(x.ule(y), True)
    path.take(y.ule(z), True)
    assert path.bounds(x + y - z - z) == (-2 * LAST, 0)
    assert path.bounds(x + x - y - z) == (-2 * LAST, 0)
    assert path.bounds(x + y + z) == (0, 3 * LAST)
    assert path.bounds(x * 5 + 3) == (3, 5 * LAST + 3)
    assert path.bounds((x + x - y - z) * (MAX_PAIRED + 1))[1] == 0  # a sum of many clocks is a clock too
    path.take(const(64, 4).ule(z - y), True)
    assert path.bounds(z - y) == (4, LAST) and path.bounds(y) == (0, 2)


def test_a_sum_that_is_limited():
    """Each of two clocks is bounded by their sum and what is known of the other."""
    path = begun()
    x, y = symbols(path, "x", "y")
    path.take(const(64, 2).ule(y), True)
    path.take((x + y).ule(5), True)
    assert path.bounds(x) == (0, 3) and path.bounds(y) == (2, 5)
    path.take(y.ult(3), True)
    path.take((x + y).ult(4), False)
    assert path.bounds(x) == (2, 3) and path.bounds(y) == (2, 2)
    assert (x + y).ult(4).known == 0


def test_what_is_not_bounded():
    path = begun()
    path.symbol("old", -NEVER, 0)
    path.symbol("late", 0, NEVER)
    old, late = (linear(64, {name: 1}, 0, 0, path.engine) for name in ("old", "late"))
    assert path.bounds(old) == (-NEVER, 0) and path.bounds(late) == (0, NEVER)
    assert path.bounds_between(late, old) == (0, NEVER) and path.bounds_between(old, late) == (-NEVER, 0)
    assert path.bounds(late - old + 5) == (5, NEVER)
    path.symbol("edge", -UNKNOWN, UNKNOWN)
    edge = linear(64, {"edge": 1}, 0, 0, path.engine)
    assert path.bounds(edge) == path.bounds_between(edge, linear(64, {ZERO: 1}, 0, 0, path.engine)) == (-NEVER, NEVER)


def test_the_present_clock():
    path = begun()
    now, clock = linear(64, {NOW: 1}, 0, 0, path.engine), path.clock("t", -3, 5)
    assert path.bounds(clock - now) == (-3, 5) and path.bounds(clock)[0] == LATE - 3
    assert path.clock("same", 4, 4).ult(now + 5).known == 1
    assert now.ult(100).known == 0 and const(64, 100).ult(now).known == 1
    assert clock.ult(now).known is None and clock.ule(now + 5).known == 1 and clock.ult(now + 5).known is None
    assert clock.ult(now - 3).known == 0 and clock.ule(now - 3).known is None
    assert clock.eq(now + 6).known == 0 and clock.eq(now - 4).known == 0 and clock.eq(now - 3).known is None


def test_limits_of_one_clock_by_another():
    path = begun()
    x, y = symbols(path, "x", "y")
    path.lies_behind("x", "y", 2)
    assert path.bounds(x - y) == (-LAST, 2)
    path.lies_behind("x", "unheard of", -5)
    path.lies_behind("unheard of", "x", -5)
    path.symbol("beginning", -10, -10)
    path.ends_by("x", 13)
    assert path.bounds(x) == (0, 3)
    with pytest.raises(Infeasible):
        path.lies_behind("x", "x", -1)
    path.lies_behind("x", "x", 0)
    with pytest.raises(Infeasible):
        path.ends_by("y", 9)


def test_two_numbers_in_one_word():
    path = begun()
    x, y = symbols(path, "x", "y")
    both = x + 3 | y - 2 << 32
    low, high = path.halves(both)
    assert path.bounds(low - x) == (3, 3) and path.bounds(high - y) == (-2, -2)
    assert path.bounds((both & HALF - 1) - x) == (3, 3) and path.bounds((both >> 32) - y) == (-2, -2)


def test_plain_words_among_clocks():
    path = begun()
    (x,) = symbols(path, "x")
    word = Span(64, 1, 4)
    assert path.bounds(x + word) == (1, LAST + 4) and path.bounds(x + word - word) == (0, LAST)
    assert path.bounds(x - 2) == (-2, LAST - 2) and (x - 2).ult(5).known is None  # unsigned, it may be large
    assert (x + 1).plain().lo == 1 and (x + 1).plain().hi == LAST + 1 and (x - 1).plain().is_like(unknown(64))
    assert (x * 3).ule(const(64, 3 * LAST)).known == 1 and path.bounds(x << 2) == (0, 4 * LAST)


def test_decisions_make_paths():
    """A script is followed; beyond it each condition is true, and false on a path that is left to do."""
    first = Path(None)
    bits = [Span(1, 0, 1) for _ in range(3)]
    assert [first.decide(bit) for bit in bits] == [True, True, True] and first.decide(bits[1])
    assert first.others == [(False,), (True, False), (True, True, False)]
    second = Path(None, first.others[1])
    assert [second.decide(bit) for bit in bits] == [True, False, True] and second.others == [(True, False, False)]
    assert second.decide(const(1, 1)) and not second.decide(const(1, 0)) and len(second.taken) == 3


def test_a_path_knows_what_its_conditions_tell():
    path = Path(None)
    word = unknown(32)
    path.take(word.eq(7), True)
    assert path.decided[id(word)][0] == 7
    path.take(~unknown(32).eq(7), True)
    assert len(path.decided) == 3
    other = unknown(32)
    path.take(const(32, 9).eq(other), True)
    path.take(~(third := unknown(32)).eq(5), False)
    assert path.decided[id(other)][0] == 9 and path.decided[id(third)][0] == 5


def test_what_paths_agree_on():
    """A clock that paths set to different ones: its differences are those that hold on either path."""
    path = begun()
    x, y = symbols(path, "x", "y")
    condition, ends = x.ule(y), []
    for value, word in ((True, y + 1), (False, x + 1)):  # the greater one, and 1
        end = path.inside(())
        path.engine.path = end
        end.take(condition, value)
        ends.append((end, {"m": word, "n": word + 2}))
    path.join(ends)
    m, n = (linear(64, {name: 1}, 0, 0, path.engine) for name in "mn")
    assert path.engine.path is path and path.bounds(m) == (1, LAST + 1)
    assert path.bounds(m - x) == path.bounds(m - y) == (1, LAST + 1) and path.bounds(n - m) == (2, 2)
