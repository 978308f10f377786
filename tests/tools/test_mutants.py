"""tools/mutants.py plants what it says, draws from every folder, and tells what no test finds."""

from __future__ import annotations

import shutil
from pathlib import Path

import mutants
import pytest

SOURCE = '''"""A text of 3 words."""
def larger(a: int, b: int = 2) -> int:
    if not a < b + 1:
        return a
    assert b != 77
    list(zip([a], [b], strict=True))
    return b
'''
TEST = "from retrosim.sample import larger\n\ndef test_larger():\n    assert larger(5, 2) == 5 and larger(0) == 2\n"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch) -> Path:
    for name, text in (("retrosim/__init__.py", ""), ("retrosim/sample.py", SOURCE), ("tests/test_sample.py", TEST)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    monkeypatch.setattr(mutants, "PACKAGE", tmp_path / "retrosim")
    monkeypatch.setattr(mutants, "TESTS", tmp_path / "tests")
    return tmp_path


def test_every_kind_of_fault_where_it_changes_something(checkout) -> None:
    faults = mutants.faults_of(checkout / "retrosim/sample.py")
    assert {(fault.line, fault.old.strip(), fault.new.strip()) for fault in faults} == {
        (2, "2", "3"),
        (3, "not", ""),
        (3, "not a < b + 1", "not (not a < b + 1)"),
        (3, "<", "<="),
        (3, "+", "-"),
        (3, "1", "2"),
        (4, "a", "None"),
        (7, "b", "None"),
    }
    assert mutants.drawn([checkout / "retrosim/sample.py"], 3, seed=1) == mutants.drawn(
        [checkout / "retrosim/sample.py"], 3, seed=1
    )


def test_the_nearest_tests_are_asked_first(checkout) -> None:
    for name, text in (
        ("retrosim/room/__init__.py", ""),
        ("retrosim/room/part.py", ""),
        ("retrosim/room/whole.py", "from .part import x"),
        ("tests/room/test_part.py", ""),  # it bears the name
        ("tests/room/test_all.py", "from tests.helpers import y"),
        ("tests/room/test_other.py", ""),  # of the folder, though it imports nothing
        ("tests/helpers.py", "import retrosim.room.whole"),
        ("tests/test_direct.py", "from retrosim.room import part"),
    ):
        (checkout / name).parent.mkdir(exist_ok=True)
        (checkout / name).write_text(text)
    imported = {path: mutants.imports_of(path) for path in checkout.rglob("*.py")}
    assert mutants.distances("retrosim.room.part", imported)["tests.room.test_all"] == 3
    names = ["tests/room/test_part.py", "tests/test_direct.py", "tests/room/test_all.py", "tests/room/test_other.py"]
    assert mutants.files_for("retrosim/room/part.py", imported) == names


@pytest.mark.full
def test_what_the_tests_find_and_what_they_do_not(checkout, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:retrosim")  # an installed plugin, which this package does not have
    copy = shutil.copytree(checkout, tmp_path / "copy")
    knowledge = mutants.learn([copy])
    faults = mutants.faults_of(checkout / "retrosim/sample.py")
    assert {tuple(knowledge.tests_for(fault)) for fault in faults if fault.line > 2} == {
        ("tests/test_sample.py::test_larger",)
    }
    outcomes = {
        (fault.line, fault.old.strip()): mutants.tried(fault, knowledge, ["tests/test_sample.py"], copy).found_by
        for fault in faults
        if fault.old.strip() in ("not", "1", "+", "2")
    }
    assert outcomes == {
        (2, "2"): "tests/test_sample.py",
        (3, "not"): "tests/test_sample.py",
        (3, "1"): None,
        (3, "+"): None,
    }
    assert (copy / "retrosim/sample.py").read_text() == SOURCE  # taken out again
