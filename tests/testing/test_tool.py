"""The tool of tests: sources, files, names of calls."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from retrosim.testing.tool import Retro


def test_lines_of_a_source(tmp_path: Path) -> None:
    """What lies beyond its ends, and what is no file, is empty."""
    (tmp_path / "blit.s").write_text("  first\n\tsecond  \n")
    tool = Retro([tmp_path])
    assert [tool._text("blit.s", line) for line in range(-1, 4)] == ["", "", "first", "second", ""]
    assert tool._text("other.s", 1) == ""


@pytest.mark.parametrize("costs, name", [([], "blit"), (["blit"], "blit #2"), (["blit", "x", "blit #2"], "blit #3")])
def test_calls_of_one_name_are_numbered(costs: list[str], name: str) -> None:
    tool = Retro([])
    tool.costs = [SimpleNamespace(name=cost) for cost in costs]
    assert tool._unused("blit") == name


def test_where_files_are(tmp_path: Path) -> None:
    """A file, or the folder of a ROM; the name of a ROM stays as it is."""
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second / "mine", second / "theirs", second / "empty"):
        folder.mkdir(parents=True)
    files = (first / "a.s", second / "a.s", second / "b.s", second / "mine/rom.toml", second / "theirs/retrosim.toml")
    for file in files:
        file.write_text("")
    tool = Retro([first, second])
    for name, path in (("a.s", first), ("b.s", second), ("mine", second), ("theirs", second)):
        assert tool._path(name) == path / name
    assert tool._path("empty") == "empty" and tool._path("sectors") == "sectors"
