"""Instruction sets: where rows are declared, and checked when the table of a model is built."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from retrosim.errors import SpecError

from ..assembly.dialect import Dialect
from ..assembly.encoding import Encoding
from ..assembly.expressions import C_NUMBERS, Numbers
from .decoding import Decoding, IndexBits, OpcodeTable
from .rows import OperandKind, Row
from .timing import Timing

Price = Callable[[Row, dict[str, Any]], bool]
"""price(row, forms): do the clocks of an instruction depend on data? SpecError where the table has none for it."""


@dataclass(frozen=True)
class Subset:
    """What a model has less than its instruction set.

    max_bytes  of an instruction
    without    prefixes: code words that it does not know as such
    has        has(static part of an operand): is there such an operand?
    """

    max_bytes: int
    without: frozenset[int]
    has: Callable[[Any], bool]


class InstructionSet:
    """A table of rows for one CPU model family.

    name        family, for example "m68k"
    kinds       operand name -> OperandKind
    word_bytes  bytes of a code word (2 on the 68K, 1 on the x86)
    max_bytes   of an instruction
    prefixes    code word -> (kind of prefix, value)
    subsets     model -> what it has less
    index       bits of the first code word that the opcode tables are indexed by; None: all of them
    admit       admit(decoding): raise IllegalEncoding where a row does not go with its prefixes
    hooks       declares what prices may vary with
    dialect     how its assembly language is written
    place_prefixes  put those that are left in `given` before an instruction; Unfit where one does not go with it
    spell_prefixes  return those that the operands of a listing do not show
    """

    def __init__(
        self,
        name: str,
        kinds: dict[str, OperandKind],
        word_bytes: int,
        max_bytes: int,
        index: int | None = None,
        prefixes: dict[int, tuple[str, int]] | None = None,
        admit: Callable[[Decoding], None] = lambda d: None,
        hooks: type[Timing] | None = None,
        dialect: Dialect | None = None,
        place_prefixes: Callable[[Encoding], None] = lambda e: None,
        spell_prefixes: Callable[[Decoding], str] = lambda d: "",
        subsets: Mapping[str, Subset] | None = None,
    ) -> None:
        self.name, self.kinds, self.word_bytes, self.max_bytes = name, kinds, word_bytes, max_bytes
        self.prefixes, self.admit, self.subsets = prefixes or {}, admit, subsets or {}
        self.dialect = dialect or Dialect(Numbers(C_NUMBERS))
        self.place_prefixes, self.spell_prefixes = place_prefixes, spell_prefixes
        self.hooks = hooks.hooks if hooks else frozenset()
        self.index = IndexBits((1 << (8 * word_bytes)) - 1 if index is None else index)
        self.rows: list[Row] = []

    @property
    def models(self) -> list[str]:
        """Names of the models that rows are for, or not."""
        return sorted({model for row in self.rows for model in row.models or ()})

    def insn(
        self,
        syntax: str,
        pattern: str,
        *,
        cost: str | tuple[str, ...] = "",
        ref: str,
        models: Iterable[str] | None = None,
        varies: str = "",
        **options,
    ):
        """Declare an instruction; `options` are read by its operand kinds (size, sizes, ea, ...). Errors: SpecError."""
        if varies and varies not in self.hooks:
            raise SpecError(f"{syntax}: varies with {varies!r}; declared are {', '.join(sorted(self.hooks)) or 'none'}")

        def declare(function: Callable) -> Callable:
            parameters = inspect.signature(function).parameters.values()
            names = [p.name for p in parameters if p.default is p.empty][1:]  # the others are bound where it is made
            unknown = [n for n in names if n not in self.kinds]
            if unknown:
                raise SpecError(f"{syntax}: operands of unknown kind {unknown}")
            letters = set(pattern) - set("01- ")
            used = {letter for n in names for letter in self.kinds[n].letters}
            if letters - used:
                raise SpecError(f"{syntax}: no operand reads the fields {sorted(letters - used)}")
            name = re.findall(r"[A-Za-z0-9]+", re.sub(r"^\{.*?\}", "", syntax))[0]
            operands = tuple((n, self.kinds[n]) for n in names)
            costs = (cost or name,) if isinstance(cost, str) else cost
            only = frozenset(models) if models else None
            row = Row(name, syntax, pattern, function, operands, options, costs, ref, only, varies)
            self.rows.append(row)
            return function

        return declare

    def table(
        self,
        model: str,
        price: Price | None = None,
        timings: Iterable[type[Timing]] = (),
        undefined: Iterable[Row] = (),
    ) -> OpcodeTable:
        """Return the table of a model, checked.

        price      of the model; without, prices are not checked
        timings    its timing models
        undefined  rows that stand for encodings which are none; they have prices too
        Errors     SpecError: encodings overlap, a row has no price, or one that depends on data which nothing tells
        """
        rows = [r for r in self.rows if r.models is None or model in r.models]
        if price:
            for row in (*rows, *undefined):
                self._check_price(row, model, price, timings)
        return OpcodeTable(self, model, rows)

    @staticmethod
    def _check_price(row: Row, model: str, price: Price, timings: Iterable[type[Timing]]) -> None:
        try:
            depends_on_data = {price(row, forms) for forms in row.forms(model)}  # every one is looked up
        except SpecError as error:
            raise SpecError(f"{row.syntax}: {error}") from None
        if True not in depends_on_data:
            return
        if not row.varies:
            raise SpecError(f"{row.syntax}: its clocks on the {model} depend on data; say what it varies with")
        for timing in timings:
            if timing.counts and row.varies not in timing.priced:
                raise SpecError(f"{row.syntax}: varies with {row.varies!r}, which {timing.__name__} does not price")
