"""More pairs than anyone has room for: counted, then refused in a sentence, by all functions that list pairs."""

import tracemalloc

import numpy as np
import pytest

from retrosim.collide import _results, plane
from retrosim.collide.documents import blocks
from tests.helpers.amount import FULL

from .hostile_memory import ANYWHERE, large
from .test_interface import CALLS, name_of

COUNT = 40
EACH = COUNT * (COUNT - 1) // 2  # pairs of COUNT objects at one place
LISTING = [function for function in CALLS if function.__name__ in ("pairs", "reports")]


def piled(function):
    """Return arguments with all objects at one place, how many pairs they are, and in how many rows they are found."""
    given = {name: value * 0 if name in ANYWHERE else value for name, value in large(function, COUNT).items()}
    totals = {"batch.pairs": 2 * EACH, "sectors.reports": 4 * EACH, "groups.pairs": COUNT**2}
    total = totals.get(name_of(function), EACH)
    return given, total, 4 * EACH if function.__module__.endswith("sectors") else total  # four reports a pair


def rows_of(result):
    return result[0] if isinstance(result, tuple) else result


def test_there_are_some():
    assert len(LISTING) >= 9


@pytest.mark.parametrize("function", LISTING, ids=name_of)
def test_too_many_pairs(function, monkeypatch):
    """At the limit a list, above it an error; with `out` there is no limit but its rows."""
    given, total, found = piled(function)
    monkeypatch.setattr(_results, "MAX_PAIRS", found)
    expected = rows_of(function(**given))
    assert len(expected) == total
    monkeypatch.setattr(_results, "MAX_PAIRS", found - 1)
    words = rf"this scene has {found} (pairs|reports): allowed {found - 1}, or an array for them all, out="
    with pytest.raises(ValueError, match=words) as info:
        function(**given)
    assert "\n" not in str(info.value) and len(str(info.value)) < 200
    listed = rows_of(function(**given, out=np.zeros((total + 1, 2), np.int32)))
    assert listed.tolist() == expected.tolist()
    monkeypatch.setattr(_results, "MAX_PAIRS", found)
    with pytest.raises(ValueError, match=f"out has {total - 1} rows: this scene has {total} (pairs|reports)"):
        function(**given, out=np.zeros((total - 1, 2), np.int32))


@pytest.mark.first_case
@pytest.mark.parametrize("threads", [1, 2])
def test_a_pile_is_counted_without_memory_for_it(threads):
    x = np.zeros(6000, np.int32)
    with pytest.raises(ValueError):
        plane.pairs(x, x, threads=threads)  # compiled now
    tracemalloc.start()
    with pytest.raises(ValueError, match="this scene has 17997000 pairs: allowed 16777216, or an array for them all"):
        plane.pairs(x, x, threads=threads)
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()


def test_so_many_that_they_are_not_counted():
    with pytest.raises(ValueError, match="more than 2147483648 pairs: allowed 2147483648 or less in one call"):
        _results.check_capacity(_results.MAX_COUNTED + 1, None)
    if FULL:
        x = np.zeros(400_000, np.int32)
        with pytest.raises(ValueError, match="more than 2147483648 pairs"):
            plane.pairs(x, x)


def test_too_many_handlers():
    x = np.zeros(1000, np.int32)
    with pytest.raises(ValueError, match="block 16: 1048576000 handlers, allowed 33554432; larger blocks need fewer"):
        blocks.pairs(x, x, size=16383, block=16)
    assert len(blocks.pairs(x, x, size=16383, block=4096)) == 1000 * 999 // 2
