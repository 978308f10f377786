"""A lesson as a page to print, on A4 or Letter: for pupils with room for answers, for teachers with the answers."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping
from datetime import datetime
from html import escape

from retrosim.report.page import document, paragraph

from .lesson import FOLDER, CommandRunner, Lesson, LessonStep

LINES = 4  # for an answer and its explanation


def lesson_sheet(lesson: Lesson, run: CommandRunner, *, with_answers: bool) -> str:
    """Return the page, in HTML that asks no network for anything.

    run           what draws the pictures, and measures the answers
    with_answers  for the teacher
    Errors        RetrosimError
    """
    head = [f"<h1>{escape(lesson.title)}</h1>", paragraph(lesson.about), _terms(lesson.words)]
    if with_answers:
        head.insert(1, paragraph(f"Answers, measured on {datetime.now():%d %B %Y}; {lesson.minutes} minutes", "dim"))
    else:
        head.insert(0, '<div class="who"><span>Name</span><span>Class</span><span>Date</span></div>')
    sections = [
        "\n".join(["<section>", *_parts(number, step, run, with_answers), "</section>"])
        for number, step in enumerate(lesson.steps, 1)
    ]
    style = (FOLDER / "sheet.css").read_text(encoding="utf-8")
    return document(f"{lesson.title}{' (answers)' if with_answers else ''}", [*head, *sections], style)


def _parts(number: int, step: LessonStep, run: CommandRunner, with_answers: bool) -> Iterator[str]:
    yield f"<h2>{number}. {escape(step.title)}</h2>"
    yield paragraph(step.look)
    picture = step.draw(run)
    if picture is not None:
        source = f"data:image/png;base64,{b64encode(picture).decode()}"
        yield f'<img src="{source}" alt="The screen of the simulated machine">'
    yield from (f"<code>{escape(line)}</code>" for line in step.command_lines())
    yield paragraph(step.question, "question")
    if not with_answers:
        yield '<div class="line"></div>' * LINES
        return
    answer = step.measure(run)
    yield f'<div class="answer">{paragraph(answer.text)}{paragraph(step.why)}</div>'
    yield _terms({name.replace("_", " "): text for name, text in answer.shown().items()})


def _terms(terms: Mapping[str, str]) -> str:
    rows = "".join(f"<dt>{escape(term)}</dt><dd>{escape(meaning)}</dd>" for term, meaning in terms.items())
    return f"<dl>{rows}</dl>"
