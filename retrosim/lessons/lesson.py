"""A lesson: steps that show something, ask a question, and answer it with what is measured at that moment."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from string import Formatter
from typing import Any, Protocol

from retrosim.checks import did_you_mean, shortened
from retrosim.errors import RetrosimError
from retrosim.report.text import three_digits
from retrosim.rom.fields import NAME, Fields, read_toml

from .formula import Formula

FOLDER = Path(__file__).parent
FORMAT = 1
MAX_STEPS, MAX_MINUTES = 20, 180
MAX_PROSE = 1000  # characters of a paragraph
REPLAY, OVERLAY = "replay", "--overlay"
COMMANDS = ("cost", "race", REPLAY, "run", "study")
OPTIONS = (  # none of which writes a file
    *("--arg", "--build", "--engine", "--entry", "--frames", "--in-step", "--instructions", "--machine", "--memory"),
    *("--method", "--objects", "--on", OVERLAY, "--reading", "--scene", "--scenes", "--seed", "--set", "--timing"),
    "--warm",
)


@dataclass(frozen=True)
class CommandRun:
    """What a command reported, as its JSON, and the picture that it drew, a PNG, if it has an overlay."""

    report: Mapping[str, Any]
    picture: bytes | None


class CommandRunner(Protocol):
    """Carries a command out, given by its words behind `retrosim`; what was run before need not be run again."""

    def __call__(self, command: tuple[str, ...]) -> CommandRun: ...


@dataclass(frozen=True)
class MeasuredAnswer:
    """The answer of a step, measured: name -> value, and the sentence that says it."""

    values: Mapping[str, int | float]
    text: str

    def shown(self) -> dict[str, str]:
        """Return the values as text: whole with thousands apart, or with three digits."""
        return {name: _shown(value) for name, value in self.values.items()}


@dataclass(frozen=True)
class LessonStep:
    """A step of a lesson.

    look      what is shown, and what to look at
    question  asked before the answer is measured
    number    the value that the question asks for; "" where it asks for a text
    answer    the sentence, with {name} for the values
    why       what explains it
    commands  name -> the words behind `retrosim`
    picture   the replay whose picture is shown before the question, "" for none
    values    name -> the formula of what is measured
    """

    title: str
    look: str
    question: str
    number: str
    answer: str
    why: str
    commands: Mapping[str, tuple[str, ...]]
    picture: str
    values: Mapping[str, Formula]

    def command_lines(self) -> list[str]:
        """Return the commands as one types them; a picture is drawn into a file that is named as the command."""
        lines = []
        for name, command in self.commands.items():
            draws = ("--screenshot", f"{name}.png") if OVERLAY in command else ()
            lines.append(shlex.join(("retrosim", *command, *draws)))
        return lines

    def window_command(self) -> list[str]:
        """Return the replay of the picture as it is for the window, which stops at no frame. The step has one."""
        words = list(self.commands[self.picture])
        if "--frames" in words:
            at = words.index("--frames")
            del words[at : at + 2]
        return words

    def draw(self, run: CommandRunner) -> bytes | None:
        """Return the picture of the step, a PNG; None for a step that has none. Errors: RetrosimError."""
        return run(self.commands[self.picture]).picture if self.picture else None

    def measure(self, run: CommandRunner) -> MeasuredAnswer:
        """Run the commands and return the answer. Errors: RetrosimError."""
        reports = {name: run(command).report for name, command in self.commands.items()}
        try:
            values = {name: formula.value(reports) for name, formula in self.values.items()}
        except ValueError as error:
            raise RetrosimError(f"step {self.title!r}: {error}") from None
        answer = MeasuredAnswer(values, "")
        return replace(answer, text=self.answer.format(**answer.shown()))


@dataclass(frozen=True)
class Lesson:
    """A lesson; words: term -> what it means; path: of its file."""

    path: Path
    title: str
    minutes: int
    about: str
    words: Mapping[str, str]
    steps: tuple[LessonStep, ...]

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def notebook(self) -> Path:
        """The file of its notebook, which a lesson of one's own need not have."""
        return self.path.with_suffix(".ipynb")


def _shown(value: int | float) -> str:
    return f"{value:,.0f}" if isinstance(value, int) or abs(value) >= 100 else three_digits(value)


def lesson_names() -> list[str]:
    """Return the names of the lessons of the package, sorted."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load_lesson(name: str) -> Lesson:
    """Return a lesson.

    name     one of `lesson_names()`, or a file NAME.toml
    Errors   ValueError for a name that no lesson has; RetrosimError (exit status 4) for a file that is none
    """
    if name.endswith(".toml"):
        return _read(read_toml(Path(name)))
    names = lesson_names()
    if name not in names:
        allowed = f"allowed {', '.join(names)}, or a file NAME.toml"
        raise ValueError(f"lesson {shortened(name)!r}: {allowed}{did_you_mean(name, names)}")
    return _read(read_toml(FOLDER / f"{name}.toml"))


def _read(fields: Fields) -> Lesson:
    """Check a file's table. Errors: RomError."""
    fields.integer("format", FORMAT, FORMAT)
    lesson = Lesson(
        path=fields.path,
        title=fields.text("title", max_length=80),
        minutes=fields.integer("minutes", 1, MAX_MINUTES),
        about=_prose(fields, "about"),
        words=_read_words(fields),
        steps=tuple(map(_read_step, fields.tables("step"))),
    )
    fields.end()
    if not 1 <= len(lesson.steps) <= MAX_STEPS:
        raise fields.error(f"must be a list of 1..{MAX_STEPS} tables", "step")
    return lesson


def _read_words(fields: Fields) -> dict[str, str]:
    words = {}
    for table in fields.tables("word"):
        term = table.text("term", max_length=40)
        words[term] = _prose(table, "means")
        table.end()
    return words


def _read_step(fields: Fields) -> LessonStep:
    step = LessonStep(
        title=fields.text("title", max_length=80),
        look=_prose(fields, "look"),
        question=_prose(fields, "question"),
        number=fields.text("number", default=""),
        answer=_prose(fields, "answer"),
        why=_prose(fields, "why"),
        commands=dict(_read_commands(fields.table("commands"))),
        picture=fields.text("picture", default=""),
        values=dict(_read_values(fields.table("values"))),
    )
    fields.end()
    needs = {
        "number": ({step.number} - {""}, step.values, "values"),
        "picture": ({step.picture} - {""}, step.commands, "commands"),
        "answer": (set(_places(fields, step.answer)), step.values, "values"),
        "values": ({name for formula in step.values.values() for name in formula.names}, step.commands, "commands"),
    }
    for key, (wanted, table, where) in needs.items():
        for name in sorted(wanted - set(table)):
            raise fields.error(f"{name[:40]!r} is not in {where}", key)
    if step.picture and not {REPLAY, OVERLAY} <= set(step.commands[step.picture]):
        raise fields.error(f"needs a {REPLAY} with {OVERLAY}", "picture")
    return step


def _read_commands(fields: Fields) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name in fields.names(NAME):
        try:
            words = tuple(shlex.split(fields.text(name)))
        except ValueError:
            raise fields.error("a quote is not closed", name) from None
        if not words or words[0] not in COMMANDS:
            raise fields.error(f"must begin with one of {', '.join(COMMANDS)}", name)
        for word in words[1:]:
            if word.startswith("-") and word not in OPTIONS and not word[1:].isdigit():
                raise fields.error(f"option {word[:40]!r}: allowed {', '.join(OPTIONS)}", name)
        yield name, words


def _read_values(fields: Fields) -> Iterator[tuple[str, Formula]]:
    for name in fields.names(NAME):
        try:
            yield name, Formula(fields.text(name))
        except ValueError as error:
            raise fields.error(str(error), name) from None


def _places(fields: Fields, answer: str) -> Iterator[str]:
    """Yield the names in braces of an answer."""
    try:
        for _, name, form, conversion in Formatter().parse(answer):
            if form or conversion:
                raise ValueError
            if name is not None:
                yield name
    except ValueError:
        raise fields.error("braces hold the name of a value and nothing else", "answer") from None


def _prose(fields: Fields, key: str) -> str:
    """Return a paragraph on one line."""
    return " ".join(fields.text(key, max_length=MAX_PROSE).split())
