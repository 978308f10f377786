"""Encoding: from a row and the texts of its operands to code words, the inverse of decoding.

An operand kind that takes part has

    parse(text, p) -> what is written, as the kind sees it; raises Unfit where it takes no such text
    encode(e, it)  puts it into the fields of the pattern, and appends extension words
    spellings(row) -> (text, it) of every text, where the kind stands in a mnemonic
    texts          commas in its text, and one; default 1

`p` is a `Parsing`, `e` an `Encoding`. What the text does not show, `encode` gets as None.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from .dialect import Dialect
from .expressions import Expression, Scope, Unfit, Value
from .rows import Row

if TYPE_CHECKING:
    from .decoding import OpcodeTable


class Chosen(Protocol):
    """What has been chosen for a statement so far; forms only ever get longer, so that choosing comes to an end."""

    def minimum(self, number: int) -> int:
        """Return the first form of the n-th choice that may still be taken."""

    def took(self, number: int, form: int) -> None:
        """Note the form that was taken."""


class Freely:
    """Choices that depend on nothing before."""

    def minimum(self, number: int) -> int:
        return 0

    def took(self, number: int, form: int) -> None:
        pass


class Parsing:
    """What the kinds see while they read the operands of one row."""

    def __init__(self, row: Row, model: str, dialect: Dialect) -> None:
        self.row, self.model, self.dialect = row, model, dialect

    def expression(self, text: str) -> Expression:
        return self.dialect.grammar.parse(text)


class Encoding:
    """The code words of one instruction while they are put together.

    size      operand size in bits, once it is known
    given     kind of prefix -> value, of those that stand before the mnemonic and nothing has used yet
    operands  name -> what was parsed
    suffix    that followed the mnemonic
    """

    def __init__(
        self,
        table: OpcodeTable,
        row: Row,
        operands: Mapping[str, Any],
        pc: int,
        scope: Scope,
        suffix: str = "",
        chosen: Chosen | None = None,
        given: Mapping[str, int] | None = None,
    ) -> None:
        self.table, self.row, self.model, self.pc = table, row, table.model, pc
        self.operands, self.scope, self.suffix = operands, scope, suffix
        self._chosen, self._choices = chosen or Freely(), 0
        self._patterns = row.pattern.split()
        self.words = [int(p.translate(_FIXED), 2) for p in self._patterns]
        ignored = row.options.get("ignored", 0)
        if ignored:
            self.words = [w | ignored & int(p.translate(_IGNORED), 2) for w, p in zip(self.words, self._patterns)]
        self.given = dict(given or {})
        self._prefixes: dict[str, int] = {}
        self.size: int | None = row.options.get("size")

    @property
    def end(self) -> int:
        """Address behind the words so far, as decoding would have it."""
        return self.pc + (len(self._prefixes) + len(self.words)) * self.table.isa.word_bytes

    def prefix(self, kind: str, code: int) -> None:
        """Put a code word before the pattern; one of a kind. Errors: Unfit for one that the model does not have."""
        if code not in self.table.prefixes:
            raise Unfit(f"needs the prefix {code:#x}, which the {self.model} does not have", near=True)
        self._prefixes[kind] = code

    def value(self, expression: Expression) -> Value:
        return expression(self.scope)

    def put(self, letter: str, number: int, what: str = "") -> None:
        """Put a number into a field of the pattern. Errors: Unfit."""
        for index, pattern in enumerate(self._patterns):
            if letter in pattern:
                width = pattern.count(letter)
                if not 0 <= number < 1 << width:
                    raise Unfit(f"{what or 'number'} {number}: allowed 0..{(1 << width) - 1}", near=True)
                self.words[index] |= number << (len(pattern) - 1 - pattern.rindex(letter))
                return
        raise Unfit(f"no field {letter}")

    def word(self, number: int) -> None:
        """Append a code word."""
        self.words.append(number & ((1 << 8 * self.table.isa.word_bytes) - 1))

    def choose(self, fits: Iterable[bool]) -> int | None:
        """Return the first form that fits and is not shorter than the one before; None where none does."""
        number = self._choices
        self._choices += 1
        minimum = self._chosen.minimum(number)
        for form, holds in enumerate(fits):
            if holds and form >= minimum:
                self._chosen.took(number, form)
                return form
        return None

    def is_claimed(self) -> bool:
        """Does the opcode table have this first word for this row?"""
        group = self.table.first[self.table.isa.index.gather(self.words[0])]
        return group >= 0 and self.row in self.table.groups[group]

    def content(self, byte_order: str) -> bytes:
        size = self.table.isa.word_bytes
        order = self.table.isa.dialect.prefix_order
        before = [self._prefixes[kind] for kind in order if kind in self._prefixes]
        return b"".join(word.to_bytes(size, byte_order) for word in (*before, *self.words))


_IGNORED = dict.fromkeys(range(128), "0") | {ord("-"): "1"}
_FIXED = dict.fromkeys(range(128), "0") | {ord("1"): "1"}
