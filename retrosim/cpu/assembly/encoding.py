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
from typing import Any, Literal, Protocol

from ..spec.rows import Row
from .dialect import Dialect
from .expressions import Expression, Scope, Unfit, Value


class ChosenForms(Protocol):
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


class NotingScope:
    """A scope with the slots of a statement, which notes whether it is asked for what may change."""

    __slots__ = ("is_asked", "scope", "slots")

    def __init__(self, scope: Scope, slots: tuple[Expression, ...]) -> None:
        self.scope, self.slots = scope, slots
        self.is_asked = False

    @property
    def section(self) -> str | None:
        """The section of the statement, which never changes."""
        return self.scope.here().section

    def slot(self, number: int) -> Value:
        return self.slots[number](self)

    def symbol(self, name: str) -> Value:
        self.is_asked = True
        return self.scope.symbol(name)

    def numbered(self, number: int, ahead: bool) -> Value | None:
        self.is_asked = True
        return self.scope.numbered(number, ahead)

    def here(self) -> Value:
        self.is_asked = True
        return self.scope.here()


Asked = tuple[Expression, Value | int | None]
"""An expression and its value, or its distance from the instruction where the code depends on that; None: no value."""


class Encoding:
    """The code words of one instruction while they are put together.

    size      operand size in bits, once it is known
    given     kind of prefix -> value, of those that stand before the mnemonic and nothing has used yet
    operands  name -> what was parsed
    suffix    that followed the mnemonic
    """

    def __init__(
        self,
        table: Any,
        row: Row,
        operands: Mapping[str, Any],
        pc: int,
        scope: NotingScope,
        suffix: str = "",
        chosen: ChosenForms | None = None,
        given: Mapping[str, int] | None = None,
    ) -> None:
        self.table, self.row, self.model, self._pc = table, row, table.model, pc
        self.operands, self.scope, self.suffix = operands, scope, suffix
        self._chosen, self._choices = chosen or Freely(), 0
        self.is_placed = False
        self.asked: list[Asked] = []
        self.words = list(row.fixed_words)
        self.given = dict(given) if given else {}
        self._prefixes: dict[str, int] = {}
        self.size: int = row.options.get("size")  # type: ignore[assignment]  # None until an operand settles it

    @property
    def pc(self) -> int:
        """Address of the instruction; that it was asked for is noted."""
        self.is_placed = True
        return self._pc

    @property
    def length(self) -> int:
        """Bytes of the words so far."""
        return (len(self._prefixes) + len(self.words)) * self.table.isa.word_bytes

    @property
    def end(self) -> int:
        """Address behind the words so far, as decoding would have it."""
        return self.pc + self.length

    def prefix(self, kind: str, code: int) -> None:
        """Put a code word before the pattern; one of a kind. Errors: Unfit for one that the model does not have."""
        if code not in self.table.prefixes:
            raise Unfit(f"needs the prefix {code:#x}, which the {self.model} does not have", near=True)
        self._prefixes[kind] = code

    def value(self, expression: Expression) -> Value:
        """Return the value of an expression, and note it if it may change. Errors: Unfit."""
        try:
            value = expression(self.scope)
        except Unfit:
            self.asked.append((expression, None))
            raise
        if self.scope.is_asked:
            self.scope.is_asked = False
            self.asked.append((expression, value))
        return value

    def distance(self, expression: Expression) -> int:
        """Return how far behind the instruction's address an address is: all that the code depends on."""
        distance = expression(self.scope).number - self._pc
        self.asked.append((expression, distance))
        return distance

    def put(self, letter: str, number: int, what: str = "") -> None:
        """Put a number into a field of the pattern. Errors: Unfit."""
        place = self.row.places.get(letter)
        if place is None:
            raise Unfit(f"no field {letter}")
        index, limit, shift = place
        if not 0 <= number < limit:
            raise Unfit(f"{what or 'number'} {number}: allowed 0..{limit - 1}", near=True)
        self.words[index] |= number << shift

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
        return group >= 0 and any(row is self.row for row in self.table.groups[group])

    def content(self, byte_order: Literal["little", "big"]) -> bytes:
        size = self.table.isa.word_bytes
        order = self.table.isa.dialect.prefix_order
        words = self.words
        if self._prefixes:
            words = [*(self._prefixes[kind] for kind in order if kind in self._prefixes), *words]
        return bytes(words) if size == 1 else b"".join([word.to_bytes(size, byte_order) for word in words])
