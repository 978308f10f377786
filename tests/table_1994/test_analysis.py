"""The analysis table: the document's figures, and formulas that running kernels confirm."""

import json

import pytest

from retrosim.report.json import to_json
from retrosim.table_1994.analysis import DENSITIES, LIMITS, METHODS, analysis_table, formula_costs


@pytest.fixture(scope="module")
def rows():
    return {row.objects_per_sector: to_json(row) for row in analysis_table()}


def test_the_documents_figures(rows):
    assert rows[1]["formula"]["nine_sectors"] == 36 and rows[1]["formula"]["four_shifts"] == 0
    assert rows[1]["ratio"]["formula"]["nine_sectors"] is None
    assert rows[2]["ratio"]["formula"]["nine_sectors"] == 38.25
    assert rows[3]["ratio"]["formula"]["nine_sectors"] == 29.25
    assert LIMITS["nine_sectors"] == 20.25


@pytest.mark.parametrize("each", [1, 2, 3, 7, 100, 10**6])
def test_formulas_as_printed(each):
    expected = [2 * each**2 - 2 * each, (81 * each**2 - 9 * each) / 2]
    expected += [each * (each - 1) / 2 + around * each**2 for around in (8, 4)]
    assert [formula_costs(each)[method] for method in METHODS] == expected


def test_ratios_tend_to_the_limits():
    costs = formula_costs(10**6)
    for method, limit in LIMITS.items():
        assert costs[method] / costs["four_shifts"] == pytest.approx(limit, rel=1e-5)


@pytest.mark.parametrize("each", DENSITIES)
def test_kernels_make_exactly_the_tests_of_the_formulas(each, rows):
    assert rows[each]["counted"] == rows[each]["formula"]
    assert rows[each]["ratio"]["counted"] == rows[each]["ratio"]["formula"]


@pytest.mark.parametrize("each", DENSITIES)
def test_borders_spare_neighbours_but_not_shifts(each, rows):
    """Of 80 sectors, 48 have eight neighbours, 28 have five and 4 have three."""
    screen, own = rows[each]["counted_screen"], each * (each - 1) // 2
    assert screen["four_shifts"] == rows[each]["formula"]["four_shifts"]
    neighbours = (48 * 8 + 28 * 5 + 4 * 3) * each**2
    assert screen["all_neighbours"] == pytest.approx(own + neighbours / 80)
    assert screen["half_neighbours"] == pytest.approx(own + neighbours / 160)
    lists = [(48, 9 * each), (28, 6 * each), (4, 4 * each)]
    assert screen["nine_sectors"] == pytest.approx(sum(n * size * (size - 1) / 2 for n, size in lists) / 80)


@pytest.mark.parametrize("each", DENSITIES)
def test_random_scenes_need_the_expected_tests(each, rows):
    for method in METHODS:
        assert rows[each]["random_counted"][method] == pytest.approx(rows[each]["random_expected"][method], rel=0.06)
    assert rows[each]["ratio"]["random_expected"]["nine_sectors"] <= 20.25


def test_rows_are_plain_json(rows):
    assert json.loads(json.dumps(list(rows.values()), allow_nan=False)) == list(rows.values())
    assert [row.objects_per_sector for row in analysis_table([4, 1])] == [4, 1]


@pytest.mark.parametrize("each", [0, -1, 201])
def test_refusals(each):
    with pytest.raises(ValueError, match=rf"objects per sector {each}: allowed 1\.\.200"):
        analysis_table([each])
