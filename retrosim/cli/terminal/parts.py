"""The parts of the debugger's screen, and their keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.suggester import Suggester
from textual.widgets import Static

from .completion import completer

if TYPE_CHECKING:
    from retrosim.console.session import Session


class Suggestions(Suggester):
    """Completes commands, symbols, registers and source files while they are typed."""

    def __init__(self, session: Session) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._line = ""
        self._complete = completer(session, lambda: self._line)

    async def get_suggestion(self, value: str) -> str | None:
        """Return the line as it may go on."""
        self._line = value
        word = value[max(map(value.rfind, " ,=[]()+*/")) + 1 :]
        found = self._complete(word, 0) if word else None
        return value + found[len(word) :].rstrip() if found else None


def joined(lines: list[Text], width: int) -> Content:
    """Return lines as a widget shows them, none of them longer than so many columns."""
    for line in lines:
        line.truncate(max(1, width), overflow="ellipsis")
    return Content("\n").join(Content.from_rich_text(line) for line in lines)


class Part(Static, can_focus=True):
    """A part of the screen; the keys of a focused one are its own."""

    def put(self, lines: list[Text], title: str) -> None:
        """Show lines."""
        holder = self.parent if isinstance(self.parent, VerticalScroll) else self
        holder.border_title = title
        self.update(joined(lines, self.size.width))


class Code(Part):
    """Code around the cursor. Its keys are those of the window's debugger."""

    BINDINGS = [  # noqa: RUF012
        Binding("up", "app.move_cursor(-1)", "Up", show=False),
        Binding("down", "app.move_cursor(1)", "Down", show=False),
        Binding("home", "app.go_to_pc", "Next instruction", show=False),
        Binding("b", "app.do('toggle')", "Break"),
        Binding("r,enter", "app.until_cursor", "Run to here"),
        *(
            Binding(key, f"app.command('{command}')", name, show=False)
            for key, command, name in (
                ("c", "continue", "Continue"),
                ("s", "stepi", "Step"),
                ("n", "nexti", "Over"),
                ("f", "finish", "Finish"),
                ("C", "reverse-continue", "Back"),
                ("S", "reverse-stepi", "Step back"),
                ("N", "reverse-nexti", "Over, back"),
                ("F", "reverse-finish", "To the call"),
            )
        ),
    ]


class Memory(Part):
    """Memory in hexadecimal."""

    BINDINGS = [  # noqa: RUF012
        Binding("up", "app.scroll_memory(-1)", "Up", show=False),
        Binding("down", "app.scroll_memory(1)", "Down", show=False),
        Binding("pageup", "app.scroll_memory(-8)", "Before", show=False),
        Binding("pagedown", "app.scroll_memory(8)", "After", show=False),
    ]
