"""What is known where paths meet."""

from retrosim.bounds.caches import Held, Near
from retrosim.bounds.residence import Way
from retrosim.bounds.state import EVER, LONG_AGO, AbstractState, Trail, WordPlace, either, join, widen
from retrosim.bounds.words import Span, const, unknown
from retrosim.cpu.spec.cpu import Lines

LINES = Lines(16, 64, 4, 1, 1 << 23, lambda line, units: (line, 0), "filling")


def values_of(span: Span) -> set[int]:
    return {
        value
        for value in range(1 << span.bits)
        if span.lo <= value <= span.hi and value & ~span.free == span.ones and (not span.values or value in span.values)
    }


def state(clocks: int = 0, **times: tuple[int, int, int]) -> AbstractState:
    result = AbstractState({}, {}, {}, (Way(clocks),))
    for name, time in times.items():
        result.set_time(name, *time)
    return result


def test_words_that_meet():
    a, b = const(8, 4), const(8, 12)
    assert values_of(join(a, b)) == {4, 12} and join(a, a) is a and join(a, const(8, 4)).known == 4
    few = a
    for value in range(1, 8):
        few = join(few, const(8, 16 * value))
    assert values_of(few) == {4, *range(16, 128, 16)}
    many = join(few, const(8, 0))
    assert many.values is None and values_of(many) == {value for value in range(113) if not value & 0x8B}
    assert values_of(join(Span(4, 2, 3), Span(4, 6, 7))) == {2, 3, 6, 7}
    assert join(Span(8, 0, 9, frame=True), b).frame and join(b, Span(8, 0, 9, frame=True)).frame


def test_choices_hold_what_they_choose():
    cases = [const(4, 3), Span(4, 0, 5), Span(4, 2, 9), unknown(4)]
    for a in cases:
        for b in cases:
            if a is b:
                continue
            condition = a.ult(b)
            minimum, maximum, rest = (
                (either(condition, x, y) if condition.known is None else (x if condition.known else y))
                for x, y in ((a, b), (b, a), (b - a, const(4, 0)))
            )
            pairs = [(x, y) for x in values_of(a) for y in values_of(b)]
            for word, exact in ((minimum, min), (maximum, max), (rest, lambda x, y: max(0, y - x))):
                numbers = {exact(x, y) for x, y in pairs}
                assert numbers <= values_of(word), (a, b)
                assert word.lo == min(numbers) and word.hi in (max(numbers), 15), (a, b)


def test_a_choice_by_another_condition():
    assert values_of(either(Span(1, 0, 1), const(4, 3), const(4, 5))) == {3, 5}
    a, b = Span(4, 0, 5), Span(4, 2, 9)
    assert values_of(either(a.ult(b), const(4, 1), const(4, 1))) == {1}
    assert values_of(either(a.ult(b), const(4, 1), b)) >= {1, *range(2, 10)}
    assert (either(a.ult(b), a, const(4, 9)).hi, either(a.ult(b), b, const(4, 0)).lo) == (9, 0)


def test_words_that_change_may_be_anything():
    """What stays of a word that changes are the bits below: the alignment of a pointer."""
    one, other = const(8, 4), const(8, 12)
    assert values_of(widen(one, other)) == set(range(4, 256, 8))
    wide = Span(8, 0, 12, 0, 0xFF)
    assert values_of(widen(wide, const(8, 3))) == values_of(wide)
    assert widen(widen(one, other), const(8, 20)).is_like(widen(one, other))


def test_times():
    assert AbstractState({}, {"t": (0, 0, 0)}, {}).time("t") == (0, 0, 0)
    assert state().time("t") == (EVER, 0, 0)
    known = state(100, t=(-5, 7, -20))
    assert known.time("t") == (-5, 7, -20)
    known.fast, known.slow = 2, 10  # so many clocks later
    assert known.time("t") == (-15, 5, -20)
    known.set_time("u", -3, 4, -1)
    assert known.time("u") == (-3, 4, -1)
    known.fast = known.slow = LONG_AGO + 1
    assert known.time("t")[:2] == (EVER, -LONG_AGO + 6)
    assert state(t=(-LONG_AGO, -LONG_AGO, -LONG_AGO)).time("t") == (-LONG_AGO, -LONG_AGO, -LONG_AGO)
    assert state(t=(-LONG_AGO - 1, -LONG_AGO - 1, -LONG_AGO - 1)).time("t") == (EVER, -LONG_AGO, -LONG_AGO)
    assert state(t=(0, 3, 9)).time("t") == (0, 3, 3)


def test_times_that_meet():
    """On a late path a time is early, on an early path late: after the beginning it is as late as on either."""
    early, late = state(10, t=(0, 20, 20)), state(100, t=(-3, 2, -1))
    for both in (early.joined(late), late.joined(early)):
        assert both.maximum == 100 and both.time("t") == (-3, 20, -1)
    assert early.joined(state(0)).time("t") == (EVER, 20, 20)
    number = state(0)
    number.words["t"] = const(64, 5)
    assert early.joined(number).time("t") == number.joined(early).time("t") == (EVER, 20, 20)


def test_states_that_meet():
    one, two = state(10, a=(0, 1, 0), b=(0, 1, 0)), state(30, a=(0, 1, 0), b=(0, 1, 0))
    one.minimum, two.minimum = 4, 20
    word = unknown(8)
    one.words = {"same": word, "d": const(8, 1), "only": word, "width": const(8, 1)}
    two.words = {"same": word, "d": const(8, 3), "width": const(16, 1)}
    one.apart, two.apart = {("a", "b"): 3, ("b", "a"): 1}, {("a", "b"): 5}
    one.trail, two.trail = Trail(1, None), Trail(2, None)
    for both in (one.joined(two), two.joined(one)):
        assert (both.minimum, both.maximum, both.trail) == (4, 30, two.trail)
        assert both.words["same"] is word and values_of(both.words["d"]) == {1, 3} and set(both.words) == {"same", "d"}
        assert both.apart == {("a", "b"): 5}
    assert values_of(one.widened(two).words["d"]) == set(range(1, 256, 2))
    alike = state(10)
    alike.trail = Trail(3, None)
    assert one.joined(alike).trail is one.trail
    gone = state(0, a=(0, 1, 0))
    gone.words, gone.apart = {"b": const(64, 1)}, {("a", "b"): 1, ("b", "a"): 1}
    both = state(0, a=(0, 1, 0))
    both.words, both.apart = {"b": const(64, 1)}, {("a", "b"): 1, ("b", "a"): 1}
    assert not both.joined(gone).apart  # of what is no time


def test_states_that_are_alike():
    """They differ in nothing but the clocks since the beginning, and what is near a base."""

    def made(value: int = 3, time: int = 0, clocks: int = 0, line: int = 1, apart: int = 2) -> AbstractState:
        result = state(clocks, t=(time, time, time))
        result.words["d"] = const(8, value)
        result.held = {"data": Held(LINES).used(line, True, True)}
        result.apart = {("t", "u"): apart}
        return result

    assert made().is_like(made(clocks=50))
    for other in (made(value=4), made(time=1), made(line=2), made(apart=1)):
        assert not made().is_like(other)
    more = made()
    more.words["e"] = const(8, 0)
    assert not made().is_like(more) and not more.is_like(made())
    more = made()
    more.set_time("u", 1, 1, 1)
    assert not made().is_like(more) and not more.is_like(made())
    near = made()
    near.held = {"data": Held(LINES, near.held["data"].sets, {unknown(32): {0: 0}})}
    assert made().is_like(near)


def test_pointers():
    base, other = unknown(32), unknown(32)
    held = Held(LINES).used_near(Near(base, (0,)), True, True)
    words = {"a0": base, "a1": base + 4, "a2": other, WordPlace(base, 0): base}
    known = AbstractState(words, {}, {"data": held})
    assert known.pointers() == {("a0", base), ("a1", base)}
    without = known.without_bases()
    assert set(without.words) == {"a0", "a1", "a2"} and not without.held["data"].by_base and not without.pointers()
    assert known.word("a0", 32) is base and known.word("a7", 32).is_like(unknown(32))
