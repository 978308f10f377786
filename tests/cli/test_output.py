"""Tables are not cut; a full disk leaves what was there before, and nothing in the way of the next attempt."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from rich.console import Group
from rich.padding import Padding

from retrosim.cli.output import ELF_MAGIC, print_table, write_elf_file
from retrosim.errors import RetrosimError
from retrosim.report.tables import number_table
from retrosim.testing.budgets import write_budgets
from tests.helpers.full_disk import LARGE, full_disk

OLD = ELF_MAGIC + b"old"
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit of a file's size")


@pytest.mark.parametrize("is_there", [False, True])
def test_an_elf_file_is_replaced_as_a_whole(tmp_path: Path, is_there: bool) -> None:
    path = tmp_path / "program.elf"
    if is_there:
        path.write_bytes(OLD)
        path.chmod(0o750)
    with full_disk(), pytest.raises(RetrosimError, match="cannot be written"):
        write_elf_file(path, bytes(LARGE), False)
    assert [each.read_bytes() for each in tmp_path.iterdir()] == [OLD] * is_there
    write_elf_file(path, ELF_MAGIC + bytes(LARGE), False)
    assert path.stat().st_size == LARGE + 4 and (not is_there or path.stat().st_mode & 0o777 == 0o750)


def test_accepted_figures_stay_when_new_ones_cannot_be_written(tmp_path: Path) -> None:
    path = tmp_path / "retrosim-budgets.json"
    write_budgets(path, {})
    before = path.read_bytes()
    with full_disk(), pytest.raises(OSError, match="large"):
        write_budgets(path, {"x" * LARGE: {}})
    assert [each.read_bytes() for each in tmp_path.iterdir()] == [before]


def test_a_table_wider_than_the_terminal_is_not_cut(capsys: pytest.CaptureFixture[str], monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    table = number_table(*["clocks"] * 9)
    table.add_row(*["1234567.8"] * 9)
    print_table(Group(Padding(table, (0, 0, 1, 0)), "a sentence of more than forty characters, which is wrapped"))
    out = capsys.readouterr().out
    assert out.count("1234567.8") == 9 and "…" not in out
