"""Random inputs, and the caches that calls find."""

from types import SimpleNamespace

import numpy as np
import pytest

from retrosim.bounds.search import (
    ALIEN,
    AREA,
    AREA_BYTES,
    CACHES,
    KEPT,
    NO_POINTER,
    OBJECT_BYTES,
    RandomCall,
    RandomCalls,
    _Kept,
    fill_caches,
    search,
)  # fmt: skip
from tests.helpers.bounds.programs import opened

STACK = 0x2F0000


@pytest.fixture
def machine(tmp_path):
    return opened(tmp_path, "rts", "mc68040-25")


def inputs(machine, *given: int | None, seed: int = 1994) -> RandomCalls:
    return RandomCalls(seed, given, machine.core, 32, STACK)


@pytest.mark.parametrize(
    ("name", "text", "period"),
    [("mc68000-8", "rts", []), ("mc68040-25", "rts", [4096 // 4]), ("i486dx2-66", "ret", [8192 // 4]),
     ("ppc601-80", "blr", [32768 // 8])],
)  # fmt: skip
def test_addresses_that_share_a_set(tmp_path, name, text, period):
    """Bytes of a cache by its ways."""
    assert inputs(opened(tmp_path, text, name)).periods == period


def test_fresh_inputs(machine):
    made = inputs(machine, None, 7, None)
    words = []
    for _ in range(300):
        tried = made.fresh()
        assert tried.words[1] == 7 and len(tried.memory) == AREA_BYTES and tried.caches in CACHES
        words += tried.words[::2]
    assert not any(word & (NO_POINTER & ~2) for word in words)  # in RAM and even; 2 is the alignment
    pointers = [word for word in words if AREA <= word < AREA + AREA_BYTES // 2]
    assert 0.5 < len(pointers) / len(words) < 0.7 and any(word % 4 == 2 for word in pointers)
    assert sum(word < 64 for word in words) > len(words) // 10
    assert inputs(machine, None).fresh() == inputs(machine, None).fresh() != inputs(machine, None, seed=2).fresh()


def test_changed_inputs(machine):
    """A few words of memory and of the arguments differ, those that are given never do."""
    made = inputs(machine, None, 7, None)
    places = AREA + 0x100, 7, AREA + 0x400
    near = range(0x100, 0x100 + OBJECT_BYTES), range(0x400, 0x400 + OBJECT_BYTES)
    old = RandomCall(places, bytes(range(256)) * (AREA_BYTES // 256), "empty", 3)
    inside = outside = moved = others = 0
    for _ in range(600):
        new = made.changed(old)
        assert new.words[1] == 7 and len(new.memory) == AREA_BYTES
        others += (new.caches, new.contents) != (old.caches, old.contents)
        pairs = np.frombuffer(new.memory, np.uint16) != np.frombuffer(old.memory, np.uint16)
        if new.words == old.words:
            assert pairs.sum() <= 8
            at = (2 * np.flatnonzero(pairs)).tolist()
            hits = sum(any(place in area for area in near) for place in at)
            inside, outside = inside + hits, outside + len(at) - hits
        else:
            moved += 1
    assert inside > 8 * outside > 0 and 60 < moved < 200 and 60 < others < 200


def test_objects_move_to_where_they_share_a_set(machine):
    made = inputs(machine, None, None)
    old = RandomCall((AREA + 0x100, AREA + 0x404), bytes(range(256)) * (AREA_BYTES // 256), "empty", 3)
    seen = 0
    for _ in range(200):
        new = made._moved(old)
        for place, (before, after) in enumerate(zip(old.words, new.words, strict=True)):
            if before != after:
                start, end = before - AREA, after - AREA
                assert new.memory[end : end + OBJECT_BYTES] == old.memory[start : start + OBJECT_BYTES]
                near = old.words[1 - place], STACK
                assert any(abs((after - other + 512) % 1024 - 512) <= 2 * OBJECT_BYTES for other in near)
                seen += 1
    assert seen > 100
    assert made._moved(RandomCall((4, 8), old.memory, "empty", 3)).words == (4, 8)
    assert inputs(machine, 5)._moved(RandomCall((AREA,), old.memory, "empty", 3)).words == (AREA,)
    assert made._pointers((AREA, AREA + AREA_BYTES - OBJECT_BYTES)) == [0] and made._pointers((AREA - 1, AREA)) == [1]


def test_words_near_others(machine):
    made = inputs(machine, None)
    words = [int.from_bytes(made._word(b"\x12\x34"), "big") for _ in range(400)]
    assert sum((word ^ 0x1234).bit_count() == 1 for word in words) > 60
    assert sum(abs(word - 0x1234) <= 4 for word in words) > 20 and len(set(words)) > 150


def test_kept_calls():
    kept = _Kept()
    assert kept.some(None) is None
    tried = [RandomCall((n,), b"", "empty", 0) for n in range(KEPT + 5)]
    kept.note(5, 100, tried[0])
    kept.note(5, 99, tried[1])
    assert kept._calls == {5: (100, tried[0])}
    kept.note(5, 100, tried[2])
    assert kept._calls == {5: (100, tried[2])}
    for number in range(KEPT):
        kept.note(10 + number, 200 + number, tried[number + 3])
    assert len(kept._calls) == KEPT and 5 not in kept._calls
    longest = SimpleNamespace(random=lambda: 0.4)
    assert kept.some(longest) is tried[KEPT + 2]
    last = SimpleNamespace(random=lambda: 0.5, choice=lambda calls: calls[0])
    assert kept.some(last) is tried[3]


def test_what_caches_hold(machine):
    core = machine.core
    core.state[next(_tags(core))][0] = 1
    before = core.state.copy()
    for kind in ("left", "given"):
        fill_caches(core, RandomCall((), b"", kind, 1))
        assert (core.state == before).all()
    fill_caches(core, RandomCall((), b"", "empty", 1))
    assert not any(core.state[name].any() for name in _tags(core))
    fill_caches(core, RandomCall((), b"", "dirty", 1))
    full = {name: core.state[name].copy() for name in _tags(core)}
    assert all(tags.all() for tags in full.values())
    fill_caches(core, RandomCall((), b"", "mixed", 1))
    for name in full:
        some = core.state[name].astype(bool)
        assert 0.5 < some.mean() < 0.9
    fill_caches(core, RandomCall((), b"", "dirty", 1))
    assert all((core.state[name] == tags).all() for name, tags in full.items())
    for cache in core.cpu.caches.values():
        lines, tags = cache.lines, full[cache.tags]
        first = ALIEN // (lines.unit_bytes * lines.units)
        expected = {
            (group, lines.tag(first + way * lines.sets + group - first % lines.sets, (1 << lines.units) - 1)[0])
            for group in range(lines.sets)
            for way in range(lines.ways)
        }
        clean = tags & ~np.array(cache.status_bits, tags.dtype)
        assert {(n // lines.ways, int(tag)) for n, tag in enumerate(clean)} == expected


def _tags(core):
    return (cache.tags for cache in core.cpu.caches.values())


def test_a_search(tmp_path):
    # a multiplication takes 38 clocks, and 2 for each one of its factor: MC68000UM 8
    machine = opened(tmp_path, "move.l 4(sp),d0\nmulu.w d0,d0\nrts")
    stack = int(machine.core.state["r"][15])
    done: list[int] = []
    found = search(machine, 0x2000, [None], stack=stack, tries=120, seed=1994, progress=done.append)
    assert done == list(range(120)) and found.returned == found.tries == 120 and not found.failure
    assert 70 <= found.minimum < found.maximum <= 70 + 2 * 16
    again = search(machine, 0x2000, found.arguments, stack=stack, tries=1, seed=1)
    assert again.minimum == again.maximum == found.maximum == 70 + 2 * (found.arguments[0] & 0xFFFF).bit_count()
    endless = opened(tmp_path, "bra.s *", "mc68000-8")
    none = search(endless, 0x2000, [None], stack=stack, tries=2, seed=1994)
    assert (none.returned, none.minimum, none.maximum, none.arguments) == (0, None, None, ()) and none.failure
