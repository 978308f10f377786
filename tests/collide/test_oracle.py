"""The oracles themselves: independent of what they judge, and right where published figures allow a check."""

import ast
from pathlib import Path

import pytest

from tests.oracle import scenes
from tests.oracle import sectors as reference

HERE = Path(__file__).parent
ORACLES = sorted(Path(reference.__file__).parent.glob("[a-z]*.py"))
STANDARD = {"__future__", "collections.abc", "fractions", "itertools", "math"}


TESTED_BY = {"scenes": "sectors", "queries": "scene", "worlds": "world"}
"""Oracles that judge modules of another name."""


def imports_of(path: Path) -> set[str]:
    """Return what a file imports, other oracles as `oracle`."""
    imported = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add("oracle" if node.level == 1 else "." * node.level + (node.module or ""))
    return imported


@pytest.mark.parametrize("path", ORACLES, ids=lambda path: path.stem)
def test_imports_nothing_it_judges(path):
    assert imports_of(path) <= STANDARD | {"oracle"}


@pytest.mark.parametrize("path", ORACLES, ids=lambda path: path.stem)
def test_judges_in_the_tests_of_the_module_of_its_name(path):
    text = (HERE / f"test_{TESTED_BY.get(path.stem, path.stem)}.py").read_text()
    assert f"tests.oracle.{path.stem} import" in text or f"oracle import {path.stem}" in text


def test_the_grid_ends_where_the_shifted_heads_end():
    """The original's array bears 0..671 by 0..543; one step further it would index outside."""
    for x, y in ((0, 0), (671, 0), (0, 543), (671, 543)):
        lists = reference.update_sectors([x], [y], 32, 32)
        assert lists[(x + 32) // 64][(y + 32) // 64] == [0]
    for x, y in ((672, 0), (0, 544), (-33, 0), (0, -33)):
        with pytest.raises(IndexError):
            reference.update_sectors([x], [y], 32, 32)


def test_the_spare_row_is_idle_on_the_screen():
    assert (479 + 32) >> 6 == 7
    assert (639 + 32) >> 6 == 10


def test_random_objects_stay_within_the_ranges_of_1994():
    """x up to 638 and y up to 478: the formula never gives the maximum itself."""
    x, y = scenes.randomize_objects(100_000, scenes.Random(1))
    assert (min(x), max(x), min(y), max(y)) == (0, 638, 0, 478)


def test_mean_number_of_pair_tests_is_that_of_1994():
    """61, 249 and 1003 tests at 50, 100 and 200 objects were measured beforehand with the harness of 1994."""
    random = scenes.Random(1)
    for count, mean in ((50, 61), (100, 249), (200, 1003)):
        tests = [len(list(reference.four_shifts(*scenes.randomize_objects(count, random)))) for _ in range(100)]
        assert sum(tests) / len(tests) == pytest.approx(mean, rel=0.03)


def test_unknown_method():
    with pytest.raises(ValueError, match="quadtree"):
        reference.tested_pairs([], [], "quadtree")
