"""One group against another: all questions against the oracle; how many scenes: see random_worlds.py."""

import numpy as np
import pytest

from retrosim.collide import groups
from tests.oracle import worlds as oracle

from .random_worlds import KINDS, SCENES, limited, random_world


def check(one, other, closed, **starts):
    """Ask everything; return the pairs."""
    given = (one.x, one.y, other.x, other.y)
    options = one.options() | {f"other_{name}".replace("_size", ""): each for name, each in other.options().items()}
    begins, ends = starts.get("starts", [0, len(one.x)]), starts.get("other_starts", [0, len(other.x)])
    expected = []
    for s in range(len(begins) - 1):
        found = oracle.pairs_between(one.boxes(*begins[s : s + 2]), other.boxes(*ends[s : s + 2]), closed)
        expected += [[begins[s] + a, ends[s] + b] for a, b in found]
    assert groups.pairs(*given, **options, closed=closed, **starts).tolist() == expected
    near = [[b for a, b in expected if a == i] for i in range(len(one.x))]
    assert groups.collided(*given, **options, closed=closed, **starts).tolist() == [int(bool(n)) for n in near]
    assert groups.counts(*given, **options, closed=closed, **starts).tolist() == [len(n) for n in near]
    assert groups.first(*given, **options, closed=closed, **starts).tolist() == [min(n, default=-1) for n in near]
    return expected


@pytest.mark.parametrize("kind", KINDS)
def test_random_groups(kind):
    rng, found = np.random.default_rng(KINDS.index(kind)), 0
    for number in range(SCENES):
        counts = rng.integers(0, [limited(number, each) for each in ((40, 200) if number % 3 else (200, 20))])
        other = random_world(rng, KINDS[number % len(KINDS)] if number % 2 else kind, int(counts[1]))
        found += len(check(random_world(rng, kind, int(counts[0])), other, bool(number & 1)))
    assert found > 9


@pytest.mark.without_jit
def test_many_scenes_in_one_call():
    rng = np.random.default_rng(9)
    for kind in ("nested", "pile"):
        one, other = random_world(rng, kind, 20), random_world(rng, "nested", 30)
        other.x += one.x[0]
        other.y += one.y[0]
        other.size[:] = 30
        assert check(one, other, True, starts=np.array([0, 3, 3, 20]), other_starts=np.array([0, 9, 20, 30]))
    given = (one.x, one.y, other.x, other.y)
    with pytest.raises(ValueError, match="starts and other_starts: allowed both or neither"):
        groups.pairs(*given, size=1, other=1, starts=np.array([0, 20]))
    with pytest.raises(ValueError, match="other_starts has length 3: allowed 2, as starts has"):
        groups.pairs(*given, size=1, other=1, starts=np.array([0, 20]), other_starts=np.array([0, 9, 30]))


@pytest.mark.without_jit
def test_errors_name_the_argument():
    x = np.zeros(2, int)
    for name, wrong in (("y0", x[:1]), ("x1", [0, 0]), ("y1", x[:1]), ("other", 0), ("other", np.zeros(3, int))):
        given = {"x0": x, "y0": x, "x1": x, "y1": x, "size": 1, "other": 1} | {name: wrong}
        with pytest.raises(ValueError, match=f"^{name}.*allowed"):
            groups.pairs(given.pop("x0"), given.pop("y0"), given.pop("x1"), given.pop("y1"), **given)
