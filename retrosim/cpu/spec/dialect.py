"""How the assembly language of an instruction set is written: what rows and operand kinds do not say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from .expressions import Grammar, Numbers
from .rows import Row


@dataclass(frozen=True)
class Dialect:
    """The assembly language of an instruction set.

    numbers     how numbers are written
    comments    what begins a comment anywhere;  line_comments: only as the first character of a line
    separator   between statements of one line, "" for none
    aliases     (template, expansion): another spelling of what the expansion, in the syntax of a row, encodes; only for
                the assembler
    shown       such pairs that the listing shows too: the template in place of the expansion
    default_suffixes  tried in turn behind a mnemonic that has none
    suffixes    suffixes(row): what may follow the row's mnemonic beside its syntax
    prefixes    word before an instruction -> code word
    sizes       name of a directive for data -> bytes of an item, beside those that all languages have
    align_is_power  does .align take an exponent?
    nop         code that fills gaps in code
    """

    numbers: Numbers
    comments: tuple[str, ...] = (";",)
    line_comments: tuple[str, ...] = ()
    separator: str = ""
    aliases: tuple[tuple[str, str], ...] = ()
    shown: tuple[tuple[str, str], ...] = ()
    default_suffixes: tuple[str, ...] = ()
    suffixes: Callable[[Row], Iterable[str]] = lambda row: ()
    prefixes: Mapping[str, int] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    align_is_power: bool = False
    nop: bytes = b"\0"

    @cached_property
    def grammar(self) -> Grammar:
        """The grammar of its expressions."""
        return Grammar(self.numbers)
