"""How the assembly language of an instruction set is written: templates of its text, and what rows do not say."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from ..spec.rows import Row
from .expressions import Grammar, Numbers

_OPENING, _CLOSING = "([{", ")]}"
_BRACKET_OR_QUOTE = re.compile(r"[\[({\])}'\"`]")
NAME = re.compile(r"\{(\w+)\}")


@lru_cache(maxsize=8192)
def split_operands(text: str, escaping: str = "") -> tuple[str, ...]:
    """Split a text at the commas outside brackets and quotes. `escaping`: quotes in which a backslash hides one."""
    if not text.strip():
        return ()
    if not _BRACKET_OR_QUOTE.search(text):
        return tuple([part.strip() for part in text.split(",")])
    parts, depth, start, quote, hidden = [], 0, 0, "", False
    for at, c in enumerate(text):
        if quote:
            if hidden or (c == "\\" and quote in escaping):
                hidden = not hidden
            elif c == quote:
                quote = ""
        elif c in "\"'`":
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
    """A template of assembly text, such as "CMP.{s} {ea},{d}": taken apart, and matched with what is written.

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


@dataclass(frozen=True)
class Dialect:
    """The assembly language of an instruction set.

    numbers     how numbers are written
    comments    what begins a comment anywhere;  line_comments: only as the first character of a line
    separator   between statements of one line, "" for none
    signed_names  pattern of the names of instructions that have a + or - in them
    aliases     (template, expansion): another spelling of what the expansion, in the syntax of a row, encodes
    shown       such pairs that a listing goes by: it shows the template in place of the expansion
    default_suffixes  tried in turn behind a mnemonic that has none
    suffixes    suffixes(row): what may follow the row's mnemonic beside its syntax
    prefixes    word before an instruction -> (kind of prefix, value), as decoding has them
    prefix_order  kinds of prefixes in the order of their code words
    sizes       name of a directive for data -> bytes of an item, beside those that all languages have
    align_is_power  does .align take an exponent?
    nop         code that fills gaps in code
    percent_arguments  are %1 and %%label parts of macros?
    words       pattern of the words, in lower case, that are no symbols where an operand stands
    """

    numbers: Numbers
    comments: tuple[str, ...] = (";",)
    line_comments: tuple[str, ...] = ()
    separator: str = ""
    signed_names: str = "(?!)"
    aliases: tuple[tuple[str, str], ...] = ()
    shown: tuple[tuple[str, str], ...] = ()
    default_suffixes: tuple[str, ...] = ()
    suffixes: Callable[[Row], Iterable[str]] = lambda row: ()
    prefixes: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    prefix_order: tuple[str, ...] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)
    align_is_power: bool = False
    nop: bytes = b"\0"
    percent_arguments: bool = False
    words: re.Pattern[str] = field(default_factory=lambda: re.compile(r"(?!)"))

    @cached_property
    def _patterns(self) -> dict[str, list[tuple[re.Pattern[str], str]]]:
        """First letters of mnemonics -> (pattern of an expansion, template)."""
        found: dict[str, list[tuple[re.Pattern[str], str]]] = {}
        for template, expansion in self.shown:
            mnemonic = expansion.partition(" ")[0].partition("{")[0]
            found.setdefault(mnemonic, []).append((expansion_pattern(expansion), template))
        return found

    def simplified(self, mnemonic: str, text: str) -> str:
        """Return what a listing shows in place of a text in the syntax of its row.

        mnemonic   of the row's syntax, up to its first operand
        """
        for key in {mnemonic, text.partition(" ")[0]} if self.shown else ():
            for pattern, template in self._patterns.get(key, ()):
                found = pattern.fullmatch(text)
                if found:
                    return template.format(**found.groupdict())
        return text

    @cached_property
    def grammar(self) -> Grammar:
        """The grammar of its expressions."""
        return Grammar(self.numbers)
