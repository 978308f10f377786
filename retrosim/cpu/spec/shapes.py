"""Shapes of statements: their text without the numbers and names in it, which stay apart as slots.

`move.l #1234,(table,a0)` and `move.l #5,(list,a0)` have one shape, so that it is read once. A shape keeps the words
that an operand kind or a template may look at: registers, mnemonics, sizes, scales, numbers that stand in a template.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from .dialect import Dialect
from .expressions import FIRST_SLOT, LAST_SLOT, Constant, Expression, Symbol

MAX_SLOTS = LAST_SLOT - FIRST_SLOT + 1
_WORD = re.compile(r"\w+")


class Shapes:
    """Takes the statements of one assembler apart."""

    def __init__(self, dialect: Dialect, templates: Iterable[str]) -> None:
        """Keep the words of `templates`, in any case of their letters."""
        self._grammar = dialect.grammar
        self._kept = frozenset(word.lower() for text in templates for word in _WORD.findall(text))
        self._own = dialect.words
        self._token = re.compile(
            r"('(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.|\"\")*\"|[*:]\s*[\w$%@]+)"  # texts, scales
            rf"|({self._grammar.number_pattern})(?!\s*\*)"
            r"|(?<![\w.$?@%])([A-Za-z_]\w*)(?![\w.$?@])(?!\s*\*)"
            r"|[\w.$?@%]+"
        )

    def take_apart(self, text: str) -> tuple[str, tuple[Expression, ...]] | None:
        """Return the shape and what stands in its slots; None for a text that has none. Errors: Unfit."""
        if not text.isascii():
            return None
        first = text.find(" ") + 1
        if not first:
            return text, ()
        slots: list[Expression] = []

        def replace(found: re.Match[str]) -> str:
            if found[2]:
                if found[2] in self._kept:
                    return found[2]
                slots.append(Constant(self._grammar.number(found[2])))
            elif found[3]:
                word = found[3].lower()
                if word in self._kept or self._own.fullmatch(word):
                    return found[0]
                slots.append(Symbol(found[3]))
            else:
                return found[0]
            return chr(FIRST_SLOT + len(slots) - 1)

        shape = text[:first] + self._token.sub(replace, text[first:])
        return (shape, tuple(slots)) if len(slots) <= MAX_SLOTS else None
