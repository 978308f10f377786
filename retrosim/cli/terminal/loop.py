"""Reads commands for the debugger: from a terminal with completion and history, or from a script."""

from __future__ import annotations

import shutil
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console

from retrosim.console import commands, texts
from retrosim.console.texts import Reply
from retrosim.errors import BudgetUsedUp, RetrosimError

from ..output import say

if TYPE_CHECKING:
    from rich.text import Text

    from retrosim.console.session import ConsoleSession


# Completion of commands for the debugger, by readline and by the screen.

PLACES = ("break", "b", "tbreak", "tb", "until", "u", "advance", "code", "list", "l")  # commands that take source lines
MAX_COMPLETIONS = 500


def completer(session: ConsoleSession, line: Callable[[], str]) -> Callable[[str, int], str | None]:
    """Return a function of readline: completes commands, symbols, registers and source files."""
    image = session.machine.image
    names = sorted({*image.symbols, *session.machine.regs})
    files = sorted({f"{file.rpartition('/')[2]}:" for _, file, _ in image.lines})
    found: list[str] = []

    def complete(text: str, number: int) -> str | None:
        if number == 0:
            before = line().lstrip()
            first = before.partition(" ")[0]
            if " " not in before or first in ("help", "h"):
                wanted = [f"{name} " for name in commands.BY_NAME]
            else:
                wanted = [*names, *(files if first in PLACES else [])]
            found[:] = [name for name in wanted if name.startswith(text)][:MAX_COMPLETIONS]
        return found[number] if number < len(found) else None

    return complete


PROMPT = "(retrosim) "


def _shown(lines: Iterable[Text]) -> None:
    console = Console(highlight=False)
    with console.capture() as written:
        for line in lines:
            console.print(line, soft_wrap=True)
    sys.stdout.write(written.get())
    sys.stdout.flush()


@contextmanager
def interruptions(session: ConsoleSession) -> Iterator[None]:
    """Let Ctrl-C stop the machine while a command runs; a second one ends the command at any rate."""

    def hear(*_: object) -> None:
        if session.wanted.is_set():
            raise KeyboardInterrupt
        session.wanted.set()

    before = signal.signal(signal.SIGINT, hear)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _carry_out(session: ConsoleSession, line: str) -> Reply:
    with interruptions(session):
        return commands.answer(session, line)


def run_script(session: ConsoleSession, lines: Iterable[str]) -> bool:
    """Carry out commands and print what they say; the first error ends it. Returns whether `quit` did.

    Errors   RetrosimError
    """
    for _, answer in _answers(session, lines):
        _shown(_with_place(session, answer))
        if answer.is_end:
            return True
    return False


def script_report(session: ConsoleSession, lines: Iterable[str], answers: list[dict[str, Any]]) -> None:
    """Carry out commands; append what they say, for JSON: command, lines, and why the machine stopped.

    Errors   RetrosimError
    """
    for line, answer in _answers(session, lines):
        said = [text.plain for text in _with_place(session, answer)]
        answers.append({"command": line, "lines": said, "stop": answer.stop.as_dict() if answer.stop else None})


def _with_place(session: ConsoleSession, answer: Reply) -> list[Text]:
    """Return what a command says, and the next instruction if the machine has moved."""
    return [*answer.lines, *(session.code_here() if answer.has_moved else [])]


def _answers(session: ConsoleSession, lines: Iterable[str]) -> Iterator[tuple[str, Reply]]:
    for number, raw in enumerate(lines, 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        try:
            answer = _carry_out(session, line)
        except ValueError as error:
            raise RetrosimError(f"command {number}: {error}") from error
        yield line, answer
        if session.wanted.is_set():
            raise KeyboardInterrupt
        if answer.stop is not None and answer.stop.reason == "budget":
            raise BudgetUsedUp(f"command {number}: {answer.stop.text}; --max-cycles and --max-seconds set limits")
        if answer.is_end:
            return


def run_terminal(session: ConsoleSession) -> None:
    """Read commands from the terminal until the user has enough; an error is a line."""
    _prepare_line_editing(session)
    session.width = min(texts.WIDTH, shutil.get_terminal_size().columns)
    last = ""
    while True:
        try:
            line = input(PROMPT).strip()
        except EOFError:
            print()
            return
        except KeyboardInterrupt:
            print()
            continue
        line = line or last
        last = line if _repeats(line) else ""
        try:
            answer = _carry_out(session, line)
        except (ValueError, RetrosimError) as error:
            say(str(error))
            continue
        if answer.is_end:
            return
        if answer.has_moved:
            _shown(commands.answer(session, "view").lines)
        _shown(answer.lines)


def _repeats(line: str) -> bool:
    command = commands.BY_NAME.get(line.partition(" ")[0])
    return command is not None and command.repeats


def _prepare_line_editing(session: ConsoleSession) -> None:
    """Take arrow keys, history and completion where Python has readline."""
    try:
        import readline
    except ImportError:
        return
    readline.set_completer_delims(" ,=[]()+*/")
    readline.set_completer(completer(session, readline.get_line_buffer))
    bind = "bind ^I rl_complete" if "libedit" in (readline.__doc__ or "") else "tab: complete"
    readline.parse_and_bind(bind)
