"""The page on lessons: its example is a lesson."""

from __future__ import annotations

from pathlib import Path

from retrosim.cli.parser import parse
from retrosim.lessons.lesson import load_lesson
from tests.helpers.pages import GUIDE, blocks


def test_the_lesson_of_ones_own(tmp_path: Path) -> None:
    (text,) = blocks(GUIDE / "lessons.md", "toml")
    path = tmp_path / "mine.toml"
    path.write_text(text)
    (step,) = load_lesson(str(path)).steps
    assert all(parse([*command, "--json"]) for command in step.commands.values())
