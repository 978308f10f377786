"""The pair test in both widths and both builds, against the oracle and against plain boxes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrosim.collide import collided, intersect, pairs
from tests.helpers.amount import FULL
from tests.oracle import sectors as reference

TIMES = 5 if FULL else 1
WIDTHS = {16: np.int16, 32: np.int32}


def hit(x0, x1, *, bits=16, abs="inline", size=30, other=None):
    """Test two boxes in one row, by kernel and oracle, which must agree."""
    zero, dtype = np.zeros(1, WIDTHS[bits]), WIDTHS[bits]
    found = intersect(
        np.array([x0], dtype), zero, np.array([x1], dtype), zero, size=size, other=other, abs=abs
    ).tolist()
    expected = reference.is_hit((x0, 0, size, size), (x1, 0, other or size, other or size), bits=bits, abs=abs)
    assert found == [expected]
    return expected


@pytest.mark.without_jit
def test_wraps_to_8_in_the_inline_16_bit_build_only():
    assert hit(-32768, 32760)
    assert hit(32760, -32768)
    assert not hit(-32768, 32760, abs="macro")
    assert not hit(-32768, 32760, bits=32)
    assert not hit(-32768, 32760, bits=32, abs="macro")


@pytest.mark.without_jit
def test_most_negative_difference_collides_with_everything():
    assert hit(-32768, 0)
    assert hit(0, -32768)
    assert not hit(-32768, 0, abs="macro")
    assert not hit(0, -32768, abs="macro")


@pytest.mark.without_jit
@pytest.mark.parametrize("abs", ["inline", "macro"])
def test_32_bit_scalars_wrap_alike_in_both_builds(abs):
    assert hit(-(2**31), 2**31 - 8, bits=32, abs=abs)
    assert hit(-(2**31), 0, bits=32, abs=abs)
    assert not hit(-(2**31), 2**31 - 30, bits=32, abs=abs)


@pytest.mark.parametrize("abs", ["inline", "macro"])
@pytest.mark.parametrize("bits", [16, 32])
def test_touching_is_no_collision(bits, abs):
    for apart in (29, -29):
        assert hit(100, 100 + apart, bits=bits, abs=abs)
    for apart in (30, -30):
        assert not hit(100, 100 + apart, bits=bits, abs=abs)


def test_the_box_further_left_decides_when_sides_differ():
    assert hit(100, 129, size=30, other=8)
    assert not hit(100, 130, size=30, other=8)
    assert hit(100, 93, size=30, other=8)
    assert not hit(100, 92, size=30, other=8)


@pytest.mark.parametrize("abs", ["inline", "macro"])
@pytest.mark.parametrize("size", [1, 30, 31, 32767])
@pytest.mark.parametrize("corner", [-32768, -1, 0, 32767])
def test_every_16_bit_difference(corner, size, abs):
    """All 65 536 coordinates of one box against a fixed other one."""
    x0 = np.arange(-32768, 32768, dtype=np.int16)
    x1, zero = np.full_like(x0, corner), np.zeros_like(x0)
    across = intersect(x0, zero, x1, zero, size=size, abs=abs)
    down = intersect(zero, x0, zero, x1, size=size, abs=abs)
    apart = x0.astype(int) - corner
    if abs == "inline":
        apart = (apart + 32768) % 65536 - 32768
        expected = (np.abs(apart) < size) | (apart == -32768)
    else:
        expected = np.abs(apart) < size
    assert np.array_equal(across, expected)
    assert np.array_equal(down, expected)


def test_oracle_exhaustively_at_8_bits():
    """8-bit coordinates, all with every third or all, in both builds: the oracle against the definition."""
    for a in range(-128, 128):
        for b in range(-128, 128, 1 if FULL else 3):
            wrapped = (a - b + 128) % 256 - 128
            inline = reference.is_hit((a, 0, 30, 30), (b, 0, 30, 30), bits=8, abs="inline")
            assert inline == (wrapped == -128 or -30 < wrapped < 30)
            assert reference.is_hit((a, 0, 30, 30), (b, 0, 30, 30), bits=8, abs="macro") == (-30 < a - b < 30)


coordinate = st.integers(-32768, 32767)
side = st.integers(1, 200)


@settings(deadline=None, max_examples=60 * TIMES)
@given(
    st.lists(st.tuples(*[coordinate] * 4, *[side] * 4), min_size=1, max_size=20),
    st.sampled_from([16, 32]),
    st.sampled_from(["inline", "macro"]),
)
def test_kernel_is_the_oracle(rows, bits, abs):
    table = np.array(rows)
    x0, y0, x1, y1 = (np.ascontiguousarray(column, WIDTHS[bits]) for column in table[:, :4].T)
    found = intersect(x0, y0, x1, y1, size=table[:, 4:6], other=table[:, 6:], abs=abs)
    for row, flag in zip(rows, found):
        expected = reference.is_hit((*row[:2], *row[4:6]), (*row[2:4], *row[6:]), bits=bits, abs=abs)
        assert flag == expected


@pytest.mark.parametrize("bits", [16, 32])
@pytest.mark.parametrize("abs", ["inline", "macro"])
def test_many_pairs_at_random(bits, abs):
    """Near each other, far apart, and where differences wrap; sides of 1 to 32767 pixels."""
    rng, count = np.random.default_rng((1994, bits)), 20_000 * TIMES
    minimum, maximum = np.iinfo(WIDTHS[bits]).min, np.iinfo(WIDTHS[bits]).max
    table = rng.integers(-200, 201, (count, 4))
    far = rng.random(count) < 0.4
    table[far] = rng.integers(minimum, maximum + 1, (far.sum(), 4), dtype=np.int64)
    ends = rng.random((count, 4)) < 0.1
    table[ends] = rng.choice([minimum, minimum + 1, -30, 0, 29, 30, maximum], ends.sum())
    sides = np.where(rng.random((count, 1)) < 0.8, rng.integers(1, 200, (count, 4)), rng.integers(1, 32768, (count, 4)))
    x0, y0, x1, y1 = (np.ascontiguousarray(column, WIDTHS[bits]) for column in table.T)
    found = intersect(x0, y0, x1, y1, size=sides[:, :2], other=sides[:, 2:], abs=abs).tolist()
    rows = np.hstack([table, sides]).tolist()
    expected = [reference.is_hit((*r[:2], *r[4:6]), (*r[2:4], *r[6:]), bits=bits, abs=abs) for r in rows]
    assert found == expected
    assert 0.1 < np.mean(found) < 0.9


@settings(deadline=None, max_examples=20 * TIMES)
@given(st.lists(st.tuples(coordinate, coordinate), max_size=12), st.sampled_from(["inline", "macro"]))
def test_brute_force_works_off_the_screen(corners, abs):
    x, y = [c[0] for c in corners], [c[1] for c in corners]
    flags, reports, _ = reference.check(x, y, size=200, abs=abs, method="brute_force")
    arrays = np.array(x, np.int16), np.array(y, np.int16)
    assert collided(*arrays, size=200, abs=abs, method="brute_force").tolist() == flags
    assert pairs(*arrays, size=200, abs=abs, method="brute_force").tolist() == [
        list(pair) for pair in reference.distinct(reports)
    ]


@pytest.mark.without_jit
@pytest.mark.parametrize("abs, expected", [("inline", [[0, 1], [0, 2]]), ("macro", [])])
def test_brute_force_shows_the_builds(abs, expected):
    x, y = np.array([-32768, 32760, 0], np.int16), np.zeros(3, np.int16)
    assert pairs(x, y, abs=abs, method="brute_force").tolist() == expected


def test_refusals_name_value_and_range():
    zero = np.zeros(2, np.int16)
    with pytest.raises(ValueError, match=r"size 0: allowed 1\.\.32767"):
        intersect(zero, zero, zero, zero, size=0)
    with pytest.raises(ValueError, match=r"other\[1\] = 32768: allowed 1\.\.32767"):
        intersect(zero, zero, zero, zero, other=np.array([1, 32768]))
    with pytest.raises(ValueError, match="abs 'function': allowed inline, macro"):
        intersect(zero, zero, zero, zero, abs="function")
    with pytest.raises(ValueError, match="y1 has length 1: allowed 2, as x0 has"):
        intersect(zero, zero, zero, zero[:1])
    with pytest.raises(ValueError, match="x1 has dtype int32: allowed int16, as x0 has"):
        intersect(zero, zero, zero.astype(np.int32), zero)
