"""Templates of assembly text, such as "CMP.{s} {ea},{d}": taken apart, and matched with what is written."""

from __future__ import annotations

import re
from functools import lru_cache

_OPENING, _CLOSING = "([{", ")]}"
_BRACKET_OR_QUOTE = re.compile(r"[\[({\])}'\"]")
NAME = re.compile(r"\{(\w+)\}")


@lru_cache(maxsize=8192)
def split_operands(text: str) -> tuple[str, ...]:
    """Split a text at the commas outside brackets and quotes."""
    if not text.strip():
        return ()
    if not _BRACKET_OR_QUOTE.search(text):
        return tuple([part.strip() for part in text.split(",")])
    parts, depth, start, quote = [], 0, 0, ""
    for at, c in enumerate(text):
        if quote:
            quote = "" if c == quote else quote
        elif c in "\"'":
            quote = c
        elif c in _OPENING:
            depth += 1
        elif c in _CLOSING:
            depth -= 1
        elif c == "," and depth <= 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return (*parts, text[start:].strip())


def filled(template: str, texts: dict[str, str]) -> str:
    """Return a template with texts in the place of its names."""
    return NAME.sub(lambda name: texts[name[1]], template)


class Template:
    """A template, taken apart.

    mnemonic  template of the mnemonic
    operands  the templates between commas
    names     of the operands, in the order of the text
    """

    def __init__(self, text: str, counts: dict[str, int] | None = None) -> None:
        """Take a template apart. `counts`: texts between commas that an operand has, where not one."""
        words = re.sub(r"\}\}(?!\})", "\1", text.replace("{{", "\0"))
        mnemonic, _, rest = words.partition(" ")
        while rest and rest.split(" ")[0].replace(" ", "").isalpha() and " " in rest:  # JMP FAR
            more, _, rest = rest.partition(" ")
            mnemonic = f"{mnemonic} {more}"
        self.text, self.mnemonic = text, mnemonic
        self.operands = split_operands(rest)
        self.names = tuple(name for part in self.operands for name in NAME.findall(part))
        counts = counts or {}
        self._counts = [max([counts.get(name, 1) for name in NAME.findall(part)], default=1) for part in self.operands]
        self.arity = sum(self._counts)
        self._whole = [m[1] if (m := NAME.fullmatch(part)) else "" for part in self.operands]
        self._patterns = [_pattern(part) for part in self.operands]

    def match(self, given: tuple[str, ...]) -> dict[str, str] | None:
        """Return operand name -> text, or None where the text is of another form."""
        if len(given) != self.arity:
            return None
        found: dict[str, str] = {}
        at = 0
        for whole, pattern, count in zip(self._whole, self._patterns, self._counts):
            text = given[at] if count == 1 else ",".join(given[at : at + count])
            at += count
            if whole:
                found[whole] = text
                continue
            parts = pattern.fullmatch(text)
            if not parts:
                return None
            found |= {name: part.strip() for name, part in parts.groupdict().items()}
        return found


def expansion_pattern(expansion: str) -> re.Pattern[str]:
    """Return the pattern of the texts that an expansion stands for."""
    pieces, at, seen = [], 0, set()
    for name in NAME.finditer(expansion):
        pieces.append(re.escape(expansion[at : name.start()]))
        pieces.append(f"(?P={name[1]})" if name[1] in seen else f"(?P<{name[1]}>[^, ]*)")
        seen.add(name[1])
        at = name.end()
    return re.compile("".join(pieces) + re.escape(expansion[at:]))


def _pattern(part: str) -> re.Pattern[str]:
    """Return the pattern of one operand; blanks may stand anywhere between its parts."""
    pieces, at, seen = [], 0, set()
    for name in NAME.finditer(part):
        pieces += [_literal(part[at : name.start()])]
        pieces.append(f"(?P={name[1]})" if name[1] in seen else f"(?P<{name[1]}>.+)")
        seen.add(name[1])
        at = name.end()
    return re.compile(r"\s*".join(piece for piece in (*pieces, _literal(part[at:])) if piece), re.IGNORECASE)


def _literal(text: str) -> str:
    text = text.replace("\0", "{").replace("\1", "}")
    mark = "%?" if text[:1].isalpha() else ""  # of a register, as GNU as has it
    return mark + r"\s*".join(re.escape(c) for c in text if c != " ")
