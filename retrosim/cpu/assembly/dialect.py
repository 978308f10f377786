"""How the assembly language of an instruction set is written: what rows and operand kinds do not say."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ..spec.rows import Row
from .expressions import Grammar, Numbers
from .templates import expansion_pattern


@dataclass(frozen=True)
class Dialect:
    """The assembly language of an instruction set.

    numbers     how numbers are written
    comments    what begins a comment anywhere;  line_comments: only as the first character of a line
    separator   between statements of one line, "" for none
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
