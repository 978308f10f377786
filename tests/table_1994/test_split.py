"""The split into parts of a check: exact on exact tables, and the figures known for the printed ones."""

from itertools import product

import pytest

from retrosim.table_1994.analysis import SECTOR_VISITS, parts, scene_tests, solve, solve_between
from retrosim.table_1994.printed import PRINTED, experiment_line, printed_cycles, printed_range
from tests.oracle.sectors import check

MEANS = {0: 0, 50: 61, 100: 249, 200: 1003}


def test_the_table_as_printed():
    """Typed from the head of the listing in Moertel 1994."""
    assert PRINTED["mc68040-25"] == {0: 611, 50: 340, 100: 189, 200: 81}
    assert PRINTED["ppc601-80"] == {0: 7640, 50: 4020, 100: 2060, 200: 788}


@pytest.mark.parametrize(
    ("machine", "clock_hz", "cycles"),
    [
        ("mc68040-25", 25_000_000, {0: 40_917, 50: 73_529, 100: 132_275, 200: 308_642}),
        ("ppc601-80", 80_000_000, {0: 10_471, 50: 19_900, 100: 38_835, 200: 101_523}),
    ],
)
def test_printed_clocks(machine, clock_hz, cycles):
    assert {count: round(printed_cycles(machine, count, clock_hz)) for count in cycles} == cycles


def test_no_printed_clocks_where_nothing_was_printed():
    assert printed_cycles("mc68040-25", 25, 25_000_000) is None
    assert printed_cycles("mc68000-8", 50, 8_000_000) is None


def test_the_programs_line():
    line = experiment_line(200, 2430, 30_005_123)
    assert line == "200 objects: 2430 in 30005123 us: 1.23e+04 us/iter, 8.10e+01 iter/s"
    with pytest.raises(ValueError, match="0 iterations in 5 us"):
        experiment_line(0, 0, 5)


@pytest.mark.parametrize("machine", PRINTED)
def test_three_digits_are_what_was_printed(machine):
    for count, per_second in PRINTED[machine].items():
        rate = experiment_line(count, 30 * per_second, 30_000_000).split(", ")[1].removesuffix(" iter/s")
        assert float(rate) == per_second


@pytest.mark.parametrize("costs", [(103.0, 113.0, 179.0), (0.5, 2000.0, 1.0)])
def test_an_exact_table_is_resolved_exactly(costs):
    amounts = [parts(count, tests) for count, tests in MEANS.items()]
    split = solve(amounts, [sum(a * c for a, c in zip(row, costs)) for row in amounts])
    assert (split.sector_visit, split.object_pass, split.pair_test) == pytest.approx(costs)
    assert split.worst == pytest.approx(0, abs=1e-9)


def test_every_row_weighs_the_same():
    """With a hundredth more in one row, small or large, the largest relative error is the same."""
    amounts = [parts(count, tests) for count, tests in MEANS.items()]
    exact = [sum(row) for row in amounts]
    scaled = [[part * (1000 if index == 3 else 1) for part in row] for index, row in enumerate(amounts)]
    dented = [clocks * (1.01 if index == 0 else 1) for index, clocks in enumerate(exact)]
    large = [clocks * (1000 if index == 3 else 1) for index, clocks in enumerate(dented)]
    assert solve(scaled, large).worst == pytest.approx(solve(amounts, dented).worst)
    assert 0 < solve(amounts, dented).worst < 0.01


def test_the_printed_68040_column():
    """About 103, 113 and 179 clocks, when the row "0 objects" is taken at its word."""
    clocks = [25_000_000 / per_second for per_second in PRINTED["mc68040-25"].values()]
    empty = [(SECTOR_VISITS, 4 * count, tests) for count, tests in MEANS.items()]
    split = solve(empty, clocks)
    assert [round(split.sector_visit), round(split.object_pass), round(split.pair_test)] == [103, 113, 179]
    one = solve([parts(count, tests) for count, tests in MEANS.items()], clocks)
    assert [round(one.sector_visit), round(one.object_pass), round(one.pair_test)] == [102, 115, 177]
    assert one.worst < 0.015


@pytest.mark.parametrize(
    ("machine", "objects", "low", "high"),
    [("mc68040-25", 200, 80.5, 81.5), ("mc68040-25", 0, 610.5, 611.5), ("ppc601-80", 100, 2055, 2065)],
)
def test_printed_rates_are_rounded(machine, objects, low, high):
    assert printed_range(machine, objects, 10**6) == pytest.approx((10**6 / high, 10**6 / low))
    assert printed_range("mc68000-8", objects, 10**6) is None


def test_four_rounded_rows_leave_three_parts_open():
    """113 to 118 clocks a placing, 173 or 174 to 181 a pair test, by the mean pair tests of this file."""
    amounts = [parts(count, tests) for count, tests in MEANS.items()]
    rows = [printed_range("mc68040-25", count, 25_000_000) for count in MEANS]
    low, high = solve_between(amounts, product(*rows))
    assert [round(low[part]) for part in low] == [102, 113, 173]
    assert [round(high[part]) for part in high] == [102, 118, 181]


@pytest.mark.parametrize(
    ("amounts", "clocks"),
    [
        ([(396, 4, 0), (396, 200, 61)], [1, 2]),
        ([(396, 4, 0), (396, 200, 0), (396, 400, 0)], [1, 2, 3]),
        ([(396, 4, 0)], [1, 2]),
        ([(396, 4, 0), (396, 200, 61), (396, 400, 249)], [1, 0, 3]),
        ([], []),
    ],
)
def test_refusals(amounts, clocks):
    with pytest.raises(ValueError, match="allowed"):
        solve(amounts, clocks)


def test_parts_of_a_check():
    assert SECTOR_VISITS == 396
    assert parts(0, 0) == (396, 4, 0)
    assert parts(50, 61.5) == (396, 200, 61.5)


def rand(seed):
    """Yield what the `rand` of ANSI C gives after srand(seed)."""
    while True:
        seed = (seed * 1103515245 + 12345) % 2**32
        yield seed >> 16 & 32767


def test_scenes_are_those_of_the_harness():
    random, expected = rand(7), []
    for _ in range(3):
        places = [(639 * next(random) >> 15, 479 * next(random) >> 15) for _ in range(60)]
        expected.append(check([x for x, _ in places], [y for _, y in places])[2])
    assert scene_tests(60, 7, 3).tolist() == expected
    assert scene_tests(0, 7, 3).tolist() == [0, 0, 0]


def test_mean_pair_tests():
    for count in (50, 100, 200):
        assert scene_tests(count, 1, 1000).mean() == pytest.approx(MEANS[count], rel=0.03)
