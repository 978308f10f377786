"""Lessons as data: those of the package are whole, a file that is none is refused, a step answers what it is told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from retrosim.cli.parser import parse
from retrosim.errors import InputFileError, RetrosimError
from retrosim.lessons.lesson import FOLDER, CommandRun, lesson_names, load_lesson

SMALL = """
format = 1
title = "Small"
minutes = 5
about = "One step."

[[word]]
term = "pair"
means = "Two objects."

[[step]]
title = "Pairs"
look = "Look at this."
question = "How many?"
number = "tested"
picture = "first"
answer = "{tested} of {pairs}."
why = "So it is."

[step.commands]
first = "replay wind-50 --frames 9 --overlay tested"

[step.values]
tested = "first.pairs.tested"
pairs = "first.pairs.tested * 250.5"
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path


def fake(command: tuple[str, ...]) -> CommandRun:
    assert command == ("replay", "wind-50", "--frames", "9", "--overlay", "tested")
    return CommandRun({"pairs": {"tested": 4}}, b"a picture")


@pytest.mark.parametrize("name", lesson_names())
def test_lessons_of_the_package(name: str) -> None:
    """Their commands are understood and their answers have no figure that is not measured."""
    lesson = load_lesson(name)
    assert lesson.name == name and lesson.notebook.is_file() and len(lesson.steps) >= 3
    for step in lesson.steps:
        for command in step.commands.values():
            parse([*command, "--json", *(("--screenshot", "x.png") if "--overlay" in command else ())])
        if step.picture:
            parse(step.window_command())
        assert re.search(r"{\w+}", step.answer)
        assert not re.search(r"\b\d{3,4}\b|\d[.,]\d", step.answer + step.why), "figures are measured"


def test_there_are_three() -> None:
    assert {"broad-phase", "tunnel", "cache"} <= set(lesson_names())
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == set(lesson_names())


def test_a_lesson_of_ones_own(small: Path) -> None:
    lesson = load_lesson(str(small))
    assert (lesson.name, lesson.title, lesson.minutes, lesson.words) == ("small", "Small", 5, {"pair": "Two objects."})
    (step,) = lesson.steps
    assert step.command_lines() == ["retrosim replay wind-50 --frames 9 --overlay tested --screenshot first.png"]
    assert step.window_command() == ["replay", "wind-50", "--overlay", "tested"]
    assert step.draw(fake) == b"a picture"
    answer = step.measure(fake)
    assert (answer.values, answer.text) == ({"tested": 4, "pairs": 1002}, "4 of 1,002.")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("format = 1", "format = 2", "format"),
        ("minutes = 5", "minutes = 0", "minutes"),
        ("minutes = 5", "minutes = 5\nlevel = 3", "level"),
        ('number = "tested"', 'number = "hits"', r"step\[0\]\.number: 'hits' is not in values"),
        ('picture = "first"', 'picture = "second"', "picture: 'second' is not in commands"),
        (" --overlay tested", "", "picture: needs a replay with --overlay"),
        ("{pairs}", "{hits}", "answer: 'hits' is not in values"),
        ("{pairs}", "{pairs:x}", "answer: braces"),
        ("{pairs}", "{pairs.real}", "answer: 'pairs.real' is not in values"),
        ("{pairs}", "{pairs", "answer: braces"),
        ("first.pairs.tested * 250.5", "second.pairs", "values: 'second' is not in commands"),
        ("first.pairs.tested * 250.5", "open(1)", "step.*values.pairs: .*allowed names"),
        ("replay wind-50", "bench kernels", "commands.first: must begin with one of cost, race, replay, run, study"),
        (" --overlay tested", " --overlay tested --force", "option '--force': allowed --arg"),
        (" --overlay tested", " --screenshot=x.png", "option '--screenshot=x.png'"),
        (" --overlay tested", " 'x", "a quote is not closed"),
        ("[[step]]", "[[other]]", "step"),
    ],
)
def test_what_is_no_lesson(small: Path, old: str, new: str, reason: str) -> None:
    small.write_text(SMALL.replace(old, new, 1))
    with pytest.raises(InputFileError, match=reason) as refused:
        load_lesson(str(small))
    assert refused.value.exit_status == 4


def test_names() -> None:
    with pytest.raises(ValueError, match=r"lesson 'tunel': allowed broad-phase, .*NAME\.toml; did you mean tunnel\?"):
        load_lesson("tunel")
    with pytest.raises(ValueError, match="allowed"):
        load_lesson("../lessons/tunnel")
    with pytest.raises(RetrosimError, match="no such file"):
        load_lesson("nowhere.toml")


def test_what_cannot_be_measured(small: Path) -> None:
    (step,) = load_lesson(str(small)).steps
    with pytest.raises(RetrosimError, match=r"step 'Pairs': first\.pairs\.tested: "):
        step.measure(lambda command: CommandRun({}, None))
