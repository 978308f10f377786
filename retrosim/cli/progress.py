"""Says on stderr what takes long: on a terminal a bar that vanishes (rich), elsewhere a plain line now and then."""

from __future__ import annotations

import sys
import threading
from types import TracebackType
from typing import Any

from .output import say

DELAY, PLAIN_DELAY = 0.5, 1.0  # seconds: shorter work is not worth a word
PERIOD = 5.0  # seconds between two plain lines


class Progress:
    """Shows what a command is doing; used as a context manager.

    is_quiet  no plain lines (for --json); a terminal still gets its bar

    A thread of its own shows the state after DELAY, so that work which turned out short (a warm cache) is never
    announced as long, and work that reports nothing for a while is announced all the same.
    """

    def __init__(self, is_quiet: bool = False) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._is_shown = self._is_terminal or not is_quiet
        self._state: tuple[str, int, int | None] = ("", 0, None)
        self._said = ""
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self._bar: Any = None

    def note(self, text: str) -> None:
        """Say what begins now and cannot be counted."""
        self._state = (text, 0, None)

    def step(self, done: int, total: int | None, text: str) -> None:
        """Say how much is done of what can be counted; total: None where the end is not known."""
        self._state = (text, done, total)

    def __enter__(self) -> Progress:
        if self._is_shown:
            self._thread = threading.Thread(target=self._show, name="progress", daemon=True)
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
        if self._bar is not None:
            self._bar.stop()

    def _show(self) -> None:
        if self._ended.wait(DELAY if self._is_terminal else PLAIN_DELAY):
            return
        while not self._state[0]:  # nothing to say yet
            if self._ended.wait(0.1):
                return
        if self._is_terminal:
            self._show_bar()
            return
        while True:
            text, done, total = self._state
            line = _line(text, done, total)
            if line and line != self._said:
                say(line)
                self._said = line
            if self._ended.wait(PERIOD):
                return

    def _show_bar(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar

        described = TextColumn("{task.description}", markup=False)
        layout = (described, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self._bar = Bar(*layout, console=Console(stderr=True), transient=True)
        task = self._bar.add_task(self._state[0], total=None)
        self._bar.start()
        while not self._ended.wait(0.1):
            text, done, total = self._state
            self._bar.update(task, description=text, completed=done, total=total)


def _line(text: str, done: int, total: int | None) -> str:
    if total is None:
        return f"{text}: {done:,}" if done else text
    return f"{text}: {done:,} of {total:,}"
