"""Instructions as they are written: the forms of a row, what statements have in common, one statement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..spec.rows import Row
from .encoding import Asked, Asking
from .expressions import Expression, Scope, Symbol, Unfit
from .templates import Template, filled


@dataclass(frozen=True)
class Form:
    """One way to write a row.

    template  of the text
    fixed     operand name -> what its spelling in the mnemonic means
    through   operand name -> text in terms of the template's names; None where the template is the row's own
    suffix    behind the mnemonic
    """

    row: Row
    template: Template
    fixed: dict[str, Any]
    through: dict[str, str] | None = None
    suffix: str = ""

    def texts(self, given: tuple[str, ...]) -> dict[str, str] | None:
        """Return operand name -> text, or None where what is given has another form."""
        found = self.template.match(given)
        if found is None or self.through is None:
            return found
        return {name: filled(text, found) for name, text in self.through.items()}


@dataclass(frozen=True)
class Shape:
    """What statements have in common that differ in numbers and names (shapes.py).

    mnemonic    in lower case
    candidates  forms with the operands as their kinds see them
    prefixes    kind -> value of those that stand before it
    """

    mnemonic: str
    candidates: tuple[tuple[Form, dict[str, Any]], ...]
    prefixes: Mapping[str, int]


class Statement:
    """An instruction that has been read.

    text     as written
    slots    what stands in the slots of its shape
    code     once it is known never to change: it depends on no symbol and no place
    """

    __slots__ = ("_floors", "_minimum", "_seen", "code", "shape", "slots", "text")

    def __init__(self, text: str, shape: Shape, slots: tuple[Expression, ...] = ()) -> None:
        self.text, self.shape, self.slots = text, shape, slots
        self.code: bytes | None = None
        self._seen: tuple[int | None, list[Asked], bytes] | None = None
        self.free()

    @property
    def has_names(self) -> bool:
        """Are there symbols in its slots?"""
        return any(isinstance(slot, Symbol) for slot in self.slots)

    def free(self) -> None:
        """Let it become shorter again."""
        self._minimum = 0  # bytes that it has at least
        self._floors: dict[tuple[int, int], int] | None = None  # (candidate, choice) -> first form that it may take

    def minimum(self, candidate: int, number: int) -> int:
        return self._floors.get((candidate, number), 0) if self._floors else 0

    def took(self, candidate: int, number: int, form: int) -> None:
        if form:
            if self._floors is None:
                self._floors = {}
            self._floors[candidate, number] = form

    def set_minimum(self, size: int) -> None:
        self._minimum = size

    def is_long_enough(self, code: bytes) -> bool:
        return len(code) >= self._minimum

    def keep(self, pc: int | None, asked: list[Asked], code: bytes) -> None:
        """Remember the code for what was asked, and for a place, None where it does not depend on that."""
        self._seen = pc, asked, code

    def recalled(self, pc: int, scope: Scope) -> bytes | None:
        """Return the code of the time before if nothing that it depends on has changed."""
        if self._seen is None or self._seen[0] not in (None, pc):
            return None
        asking = Asking(scope, self.slots)
        try:
            for expression, value in self._seen[1]:
                now = expression(asking)
                if (now.number - pc if isinstance(value, int) else now) != value:
                    return None
        except Unfit:
            return None
        return self._seen[2]


class Choices:
    """The choices of one candidate of a statement."""

    __slots__ = ("candidate", "statement")

    def __init__(self, statement: Statement, candidate: int) -> None:
        self.statement, self.candidate = statement, candidate

    def minimum(self, number: int) -> int:
        return self.statement.minimum(self.candidate, number)

    def took(self, number: int, form: int) -> None:
        self.statement.took(self.candidate, number, form)
