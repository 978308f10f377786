"""The line of text that is typed into the debugger panel."""

from __future__ import annotations

LONGEST = 200  # characters
ENTER = ("RETURN", "ENTER", "NUM_ENTER")


class Entry:
    """What is being typed.

    text    None if nothing is
    asks    the command that it is for
    """

    def __init__(self) -> None:
        self.text: str | None = None
        self.asks = ""
        self._skips_letter = False
        self._before: dict[str, str] = {}  # command -> what was typed for it last

    def begin(self, asks: str) -> None:
        """Ask for text."""
        self.text, self.asks, self._skips_letter = "", asks, False

    def skip_letter(self) -> None:
        """The letter of the key that asked for text is none of it; it comes next, if at all."""
        self._skips_letter = self.text is not None

    def key(self, key: str) -> str | None:
        """Handle a key while something is typed: return the text when it is complete, "" when it was given up."""
        self._skips_letter = False
        if key in ENTER:
            text, self.text = (self.text or "").strip(), None
            self._before[self.asks] = text or self._before.get(self.asks, "")
            return text
        if key == "ESCAPE":
            self.text = None
            return ""
        if key == "BACKSPACE":
            self.text = (self.text or "")[:-1]
        elif key == "UP":
            self.text = self._before.get(self.asks, "")
        return None

    def write(self, text: str) -> bool:
        """Handle typed text; return whether it was for this line."""
        skips, self._skips_letter = self._skips_letter, False
        if self.text is None:
            return False
        if not skips and text.isprintable():
            self.text = (self.text + text)[:LONGEST]
        return True
