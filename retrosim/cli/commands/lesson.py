"""Run a lesson for a class, step by step; without a name, list them.

A step says what to look at, asks a question and waits for an answer: a number,
a text, or just Enter; q leaves. Then it answers the question itself, with what
it measures at that moment. A tape is shown in the window, which you close to go
on; without a display a picture is written to a file. A pipe gets all at once.

examples:
  retrosim lesson
  retrosim lesson broad-phase
  retrosim lesson tunnel --step 2
  retrosim lesson cache --sheet cache.html
  retrosim lesson cache --sheet answers.html --answers
  retrosim lesson cache --notebook cache.ipynb
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import arguments, values
from ..output import columns, print_json, print_lines, shown_path
from ..parser import Parser
from ..teaching import Class, Commands
from ..values import bad_arguments

if TYPE_CHECKING:
    from retrosim.lessons.lesson import Lesson

FILES = ("--sheet", "--notebook")


def add_options(parser: Parser) -> None:
    """Add the options of the command."""
    help = "a lesson, or a file NAME.toml; default: list them"
    parser.add_argument("lesson", nargs="?", metavar="LESSON", help=help)
    parser.add_argument("--step", type=values.whole(1), metavar="N", help="begin with step N")
    parser.add_argument("--sheet", metavar="FILE", help="instead: write a page to print, with room for answers (.html)")
    parser.add_argument("--answers", action="store_true", help="with --sheet: the answers, for teachers")
    help = "instead: write the lesson's notebook for Jupyter (.ipynb)"
    parser.add_argument("--notebook", metavar="FILE", help=help)
    arguments.add_force(parser, *FILES)
    arguments.add_json(parser, ": the steps with their answers")
    parser.need(["--answers"], "--sheet")
    for name in FILES:
        parser.exclude(["--step", "--json"], name)
    parser.exclude(["--sheet"], "--notebook")


def run(options: argparse.Namespace) -> int:
    """Carry out the command."""
    from retrosim.lessons.lesson import load_lesson

    if options.lesson is None:
        for name in ("step", "sheet", "notebook"):
            if getattr(options, name) is not None:
                raise argparse.ArgumentError(None, f"--{name}: needs a lesson")
        return _list_lessons(options.json)
    with bad_arguments():
        lesson = load_lesson(options.lesson)
    if options.sheet or options.notebook:
        return _write(lesson, options)
    first = options.step or 1
    if first > len(lesson.steps):
        raise argparse.ArgumentError(None, f"--step {first}: allowed 1..{len(lesson.steps)}")
    if options.json:
        print_json(_whole(lesson, first))
    else:
        Class(lesson).teach(first)
    return 0


def _list_lessons(as_json: bool) -> int:
    from retrosim.lessons.lesson import lesson_names, load_lesson

    lessons = [load_lesson(name) for name in lesson_names()]
    if as_json:
        keys = ("name", "title", "minutes", "about")
        print_json({"lessons": [{key: getattr(lesson, key) for key in keys} for lesson in lessons]})
        return 0
    rows = [(lesson.name, lesson.title, f"{lesson.minutes} minutes") for lesson in lessons]
    print_lines(["retrosim lesson LESSON runs one of these:", *columns(rows)])
    return 0


def _write(lesson: Lesson, options: argparse.Namespace) -> int:
    """Write a sheet or the notebook. Errors: ArgumentError, RetrosimError."""
    from retrosim.lessons.sheet import lesson_sheet
    from retrosim.report.files import FORCE, check_free, write_text

    option, suffix = ("sheet", ".html") if options.sheet else ("notebook", ".ipynb")
    path = Path(getattr(options, option))
    if path.suffix != suffix:
        raise argparse.ArgumentError(None, f"--{option} {path}: allowed a file whose name ends in {suffix}")
    check_free(path, overwrite=options.force, advice=FORCE)
    if options.sheet:
        text = lesson_sheet(lesson, Commands(), with_answers=options.answers)
    elif lesson.notebook.is_file():
        text = lesson.notebook.read_text(encoding="utf-8")
    else:
        raise argparse.ArgumentError(None, f"--notebook: {lesson.name} has none")
    write_text(path, text, overwrite=options.force)
    print(f"{option} {shown_path(path)}")
    return 0


def _whole(lesson: Lesson, first: int) -> dict[str, Any]:
    """Return a lesson from a step on, with its answers."""
    commands, steps = Commands(), []
    for number, step in enumerate(lesson.steps[first - 1 :], first):
        answer = step.measure(commands)
        steps.append(
            {
                "step": number,
                "title": step.title,
                "look": step.look,
                "commands": step.command_lines(),
                "question": step.question,
                "values": answer.values,
                "answer": answer.text,
                "why": step.why,
            }
        )
    keys = ("name", "title", "minutes", "about", "words")
    return {key: getattr(lesson, key) for key in keys} | {"steps": steps}
