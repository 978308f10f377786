"""A lesson in the terminal, and what runs its commands."""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
import textwrap
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from retrosim.errors import RetrosimError
from retrosim.report.files import write_file

from .display import NoWindow, missing_display
from .output import free_name, print_lines, say, shown_path
from .parser import parse

if TYPE_CHECKING:
    from retrosim.lessons.lesson import CommandRun, Lesson, LessonStep

MAX_WIDTH = 90  # columns of text
LEAVING = ("q", "quit")


class Commands:
    """Runs the commands of a lesson in this process, each once, and reads what they print with --json."""

    def __init__(self) -> None:
        self._runs: dict[tuple[str, ...], CommandRun] = {}

    def __call__(self, command: tuple[str, ...]) -> CommandRun:
        """Return what a command did. Errors: as that command's."""
        if command not in self._runs:
            self._runs[command] = self._run(command)
        return self._runs[command]

    def _run(self, command: tuple[str, ...]) -> CommandRun:
        from retrosim.lessons.lesson import OVERLAY, CommandRun

        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "screen.png"
            draws = ("--screenshot", str(file)) if OVERLAY in command else ()
            with redirect_stdout(StringIO()) as written:
                options = parse([*command, *draws, "--json"])
                status = options.carry_out(options)
            if status:
                raise RetrosimError(f"retrosim {' '.join(command)}: ended with exit status {status}")
            return CommandRun(json.loads(written.getvalue()), file.read_bytes() if draws else None)


class _Left(Exception):
    """The class leaves the lesson."""


class Class:
    """A lesson in the terminal; where there is none, all of it without waiting."""

    def __init__(self, lesson: Lesson) -> None:
        self._lesson = lesson
        self._commands = Commands()
        self._is_waiting = sys.stdin.isatty() and sys.stdout.isatty()

    def teach(self, first: int) -> None:
        """Go through the steps from one on, 1 or more. Errors: as those of the steps' commands."""
        lesson = self._lesson
        _say(f"{lesson.title} ({lesson.minutes} minutes)")
        _say(lesson.about)
        for term, meaning in lesson.words.items():
            _say(f"{term}: {meaning}")
        try:
            for number, step in enumerate(lesson.steps[first - 1 :], first):
                if number > first:
                    self._ask("Enter goes on, q leaves: ")
                self._teach(number, step)
        except _Left:
            return

    def _teach(self, number: int, step: LessonStep) -> None:
        _say(f"Step {number} of {len(self._lesson.steps)}: {step.title}")
        _say(step.look)
        print_lines([*(f"  {line}" for line in step.command_lines()), ""])
        if step.picture:
            self._show(number, step)
        _say(step.question)
        sys.stdout.flush()
        reply = self._number() if step.number else self._ask("Your answer (q leaves): ")
        answer = step.measure(self._commands)
        if reply and step.number:
            _say(f"You said {reply}; measured: {answer.shown()[step.number]}.")
        _say(answer.text)
        _say(step.why)

    def _show(self, number: int, step: LessonStep) -> None:
        """Show what a step looks at in the window; without one, write its picture to a file."""
        if self._is_waiting:
            try:
                return self._open_window(step)
            except NoWindow as error:
                say(f"{error}; the picture is in a file instead")
        path = free_name(f"{self._lesson.name}-{number}", ".png")
        write_file(path, step.draw(self._commands) or b"")
        _say(f"picture {shown_path(path)}")

    def _open_window(self, step: LessonStep) -> None:
        """Replay the tape of a step until the class closes the window. Errors: NoWindow, and those of the command."""
        from .commands.replay import show

        options, reason = parse(step.window_command()), missing_display()
        if reason:
            raise NoWindow(reason)
        _say("The window opens. P pauses, the number of the frame is below the picture. Close it with Ctrl+Q to go on.")
        show(options)

    def _number(self) -> str:
        """Ask for a number; return it as it was written, "" for none. Errors: _Left."""
        while True:
            reply = self._ask("Your answer, a number (Enter: none, q leaves): ")
            if not reply or _NUMBER.fullmatch(reply):
                return reply
            print("Please a number such as 12, 1,200 or 0.5, or just Enter.")

    def _ask(self, prompt: str) -> str:
        """Wait for a line, if there is a terminal. Errors: _Left."""
        if not self._is_waiting:
            return ""
        try:
            reply = input(prompt).strip()
        except EOFError:
            raise _Left from None
        print()
        if reply.lower() in LEAVING:
            raise _Left
        return reply


_NUMBER = re.compile(r"[-+]?\d[\d, ]*(?:\.\d*)?%?", re.ASCII)


def _say(text: str) -> None:
    """Write a paragraph and an empty line, as wide as the eye follows."""
    width = min(shutil.get_terminal_size().columns, MAX_WIDTH)
    print_lines([*textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False), ""])
