"""Completion of commands for the debugger, by readline and by the screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from retrosim.console import commands

if TYPE_CHECKING:
    from retrosim.console.session import Session

PLACES = ("break", "b", "tbreak", "tb", "until", "u", "advance", "code", "list", "l")  # commands that take source lines
MAX_COMPLETIONS = 500


def completer(session: Session, line: Callable[[], str]) -> Callable[[str, int], str | None]:
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
