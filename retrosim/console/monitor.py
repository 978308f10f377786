"""The commands that other debuggers pass on: `monitor ...` in gdb, and in the console of an editor.

They have their own commands for what runs the machine and changes its registers; what only ours have is here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .commands import GROUPS, answer
from .session import Session

if TYPE_CHECKING:
    from .target import IsWanted, Target

RUNNING = ("run", "back in time")  # groups of commands
LEFT_OUT = frozenset(
    {command.names[0] for group in RUNNING for command in GROUPS[group]} | {"stopwatch", "set", "view", "quit"}
)
NAMES = frozenset(
    name
    for group in GROUPS.values()
    for command in group
    for name in command.names
    if command.names[0] not in LEFT_OUT and len(name) > 2
)
"""What an editor's console takes for a command and not for an expression."""


class Monitor:
    """Answers lines with text."""

    def __init__(self, target: Target, is_wanted: IsWanted) -> None:
        self._session = Session(target, is_wanted=is_wanted, left_out=LEFT_OUT)

    def answer(self, line: str) -> str:
        """Carry out a line; return text that ends with a line feed. Errors: RetrosimError, ValueError."""
        said = answer(self._session, line if line.strip() else "help")
        lines = [text.plain for text in said.lines]
        if said.has_moved:
            lines.append("gdb: `maintenance flush register-cache` shows the registers")
        return "".join(f"{text}\n" for text in lines)
