"""The oracle itself: independent of what it judges, and right where the document's figures allow a check."""

import ast
from pathlib import Path

import pytest

from retrosim.collide.oracle import sectors as reference

ORACLES = sorted(Path(reference.__file__).parent.glob("[a-z]*.py"))


@pytest.mark.parametrize("path", ORACLES, ids=lambda path: path.stem)
def test_imports_nothing_it_judges(path):
    imported = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module)
    assert imported <= {"__future__", "collections.abc", "fractions", "itertools", "math"}


def test_every_document_has_its_oracle():
    names = ["reference", "reference_boxes", "reference_masks", "reference_objects", "reference_rectangles"]
    assert [path.stem for path in ORACLES] == names


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


def test_random_objects_stay_within_the_documents_ranges():
    """x up to 638 and y up to 478: the formula never gives the maximum itself."""
    x, y = reference.randomize_objects(100_000, reference.Random(1))
    assert (min(x), max(x), min(y), max(y)) == (0, 638, 0, 478)


def test_mean_number_of_pair_tests_is_the_documents():
    """61, 249 and 1003 tests at 50, 100 and 200 objects were measured beforehand with the document's harness."""
    random = reference.Random(1)
    for count, mean in ((50, 61), (100, 249), (200, 1003)):
        tests = [len(list(reference.four_shifts(*reference.randomize_objects(count, random)))) for _ in range(100)]
        assert sum(tests) / len(tests) == pytest.approx(mean, rel=0.03)


def test_unknown_method():
    with pytest.raises(ValueError, match="quadtree"):
        reference.tested_pairs([], [], "quadtree")
