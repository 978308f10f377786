"""Assembling one instruction: which rows a text may mean, and the shortest code words among them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from retrosim.checks import did_you_mean

from ..spec.decoding import OpcodeTable
from ..spec.rows import Row
from .dialect import NAME, Dialect, Template, filled, split_operands
from .encoding import Asked, ChosenForms, Encoding, NotingScope, Parsing
from .expressions import FIRST_SLOT, LAST_SLOT, Constant, Expression, Scope, SymbolExpression, Unfit


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
    """What statements have in common that differ in numbers and names; see `StatementShapes`.

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
        return any(isinstance(slot, SymbolExpression) for slot in self.slots)

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
        asking = NotingScope(scope, self.slots)
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


# Shapes of statements: their text without the numbers and names in it, which stay apart as slots.
#
# `move.l #1234,(table,a0)` and `move.l #5,(list,a0)` have one shape, so that it is read once. A shape keeps the words
# that an operand kind or a template may look at: registers, mnemonics, sizes, scales, numbers that stand in a template.

MAX_SLOTS = LAST_SLOT - FIRST_SLOT + 1
_WORD = re.compile(r"\w+")


class StatementShapes:
    """Takes the statements of one assembler apart."""

    def __init__(self, dialect: Dialect, templates: Iterable[str]) -> None:
        """Keep the words of `templates`, in any case of their letters."""
        self._grammar = dialect.grammar
        self._kept = frozenset(word.lower() for text in templates for word in _WORD.findall(text))
        self._own = dialect.words
        self._token = re.compile(
            rf"({self._grammar.text_pattern}|[*:]\s*[\w$%@]+)"  # texts, scales
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
                slots.append(SymbolExpression(found[3]))
            else:
                return found[0]
            return chr(FIRST_SLOT + len(slots) - 1)

        shape = text[:first] + self._token.sub(replace, text[first:])
        return (shape, tuple(slots)) if len(slots) <= MAX_SLOTS else None


MAX_WORDS = 4  # of a mnemonic: rep fs movsb
MAX_SHAPES = 2000  # that are kept


class InstructionAssembler:
    """Reads and encodes the instructions of one model."""

    def __init__(self, table: OpcodeTable, with_aliases: bool = True, names_models: bool = True) -> None:
        """Collect the mnemonics.

        with_aliases  take other spellings than those of the rows, and shorter rows for them
        names_models  say of what is not on this model which one has it
        """
        self._names_models = names_models
        self._first_words: set[str] = set()
        self.table, self.isa = table, table.isa
        self.dialect = table.isa.dialect
        self.unit = 1 if table.isa.word_bytes == 1 else 2
        self.byte_order: Literal["little", "big"] = "big" if table.isa.word_bytes > 1 else "little"
        self.forms: dict[str, list[Form]] = {}
        self._known: dict[str, Shape] = {}
        self.forms_tried = 0  # so far: a measure of the work
        counts = {name: getattr(kind, "texts", 1) for name, kind in self.isa.kinds.items()}
        for row in table.rows:
            template = Template(row.syntax, counts)
            for mnemonic, fixed in _spellings(row, template.mnemonic):
                self._add(mnemonic, Form(row, template, fixed))
        if with_aliases:  # first: of codes with the same length GNU as takes theirs
            own, self.forms = self.forms, {}
            for text, expansion in self.dialect.aliases:
                self._alias(own, Template(text, counts), Template(expansion))
            for mnemonic, forms in own.items():
                self.forms.setdefault(mnemonic, []).extend(forms)
        templates = {part for forms in self.forms.values() for form in forms for part in form.template.operands}
        self._shapes = StatementShapes(self.dialect, [NAME.sub(" ", part) for part in templates] + list(self.forms))

    def _add(self, mnemonic: str, form: Form) -> None:
        self.forms.setdefault(mnemonic, []).append(form)
        if "." not in mnemonic or not self.dialect.default_suffixes:
            for suffix in self.dialect.suffixes(form.row):
                named = Form(form.row, form.template, form.fixed, form.through, suffix)
                self.forms.setdefault(f"{mnemonic}.{suffix}", []).append(named)

    def _alias(self, own: dict[str, list[Form]], template: Template, expansion: Template) -> None:
        names = NAME.findall(expansion.mnemonic)
        if names:
            pattern = re.compile(
                NAME.sub(r"(?P<\1>.*)", re.escape(expansion.mnemonic.lower()).replace(r"\{", "{").replace(r"\}", "}"))
            )
            matches = [(key, match.groupdict()) for key in own if (match := pattern.fullmatch(key))]
        else:
            matches = [(expansion.mnemonic.lower(), {})]
        for key, spelled in matches:
            mnemonic = filled(template.mnemonic.lower(), spelled)
            for form in own.get(key, ()):
                if names and set(form.fixed) != set(names):
                    continue
                through = form.template.match(expansion.operands)
                if through is not None and not form.suffix and self._is_meant(through):
                    self._add(mnemonic, Form(form.row, template, form.fixed, through))

    def _is_meant(self, through: dict[str, str]) -> bool:
        """Do the names in an expansion belong to the row whose form it has?"""
        names = {name[1] for text in through.values() if (name := NAME.fullmatch(text))}
        return not names & set(self.isa.kinds) - set(through)

    def knows(self, word: str) -> bool:
        """Does an instruction begin with this word?"""
        if not self._first_words:
            self._first_words = {key.split()[0] for key in self.forms} | set(self.dialect.prefixes)
        return any(key in self._first_words for key in self._keys(word))

    def read(self, text: str) -> Statement:
        """Read an instruction. Errors: Unfit, when no row has that mnemonic, or none such operands."""
        try:
            apart = self._shapes.take_apart(text)
            if apart:
                return Statement(text, self._shape(apart[0]), apart[1])
        except Unfit:  # said of the text as it is written
            pass
        return Statement(text, self._read(text, []))

    def _shape(self, text: str) -> Shape:
        """Return what statements of a shape have in common. Errors: Unfit."""
        shape = self._known.get(text)
        if shape is None:
            if len(self._known) >= MAX_SHAPES:
                self._known.clear()
            shape = self._known[text] = self._read(text, [])
        return shape

    def _read(self, text: str, refusals: list[Unfit]) -> Shape:
        """Read a text or a shape; why forms do not take the operands is appended to `refusals`. Errors: Unfit."""
        prefixes: dict[str, int] = {}
        rest = text.strip()
        while True:
            word, _, behind = rest.partition(" ")
            if word.lower() in self.dialect.prefixes and behind.strip() and not self._mnemonic(rest)[0]:
                kind, value = self.dialect.prefixes[word.lower()]
                prefixes[kind] = value
                rest = behind.strip()
                continue
            second, _, operands = behind.strip().partition(" ")  # rep fs movsb
            if second.lower() not in self.dialect.prefixes or self._mnemonic(rest)[0] or not operands:
                break
            kind, value = self.dialect.prefixes[second.lower()]
            prefixes[kind] = value
            rest = f"{word} {operands.strip()}"
        mnemonic, operands = self._mnemonic(rest)
        if not mnemonic:
            word = rest.split()[0] if rest.split() else ""
            raise Unfit(self._unknown(word))
        given = split_operands(operands, self.dialect.grammar.escaping)
        candidates: list[tuple[Form, dict[str, Any]]] = []
        for key in self._keys(mnemonic):
            self.forms_tried += len(self.forms.get(key, ()))
            for form in self.forms.get(key, ()):
                try:
                    parsed = self._parsed(form, given)
                except Unfit as refusal:
                    refusals.append(refusal.with_traceback(None))
                else:
                    if parsed is not None:
                        candidates.append((form, parsed))
            if candidates:
                break
        if not candidates:
            raise self._best(text, mnemonic, refusals)
        return Shape(mnemonic, tuple(candidates), prefixes)

    def _keys(self, mnemonic: str) -> list[str]:
        bare = [] if "." in mnemonic else [f"{mnemonic}.{s}" for s in self.dialect.default_suffixes]
        return [mnemonic, *bare]

    def _mnemonic(self, text: str) -> tuple[str, str]:
        """Return the mnemonic that a text begins with and the operands, or ("", "")."""
        words = text.split(None, MAX_WORDS)
        for count in range(min(len(words), MAX_WORDS), 0, -1):
            name = " ".join(words[:count]).lower()
            if any(key in self.forms for key in self._keys(name)):
                parts = text.split(None, count)
                return name, parts[count] if len(parts) > count else ""
        return "", ""

    def _parsed(self, form: Form, given: tuple[str, ...]) -> dict[str, Any] | None:
        """Return operand name -> what its kind makes of the text; None where the form is another. Errors: Unfit."""
        texts = form.texts(given)
        if texts is None:
            return None
        p = Parsing(form.row, self.table.model, self.dialect)
        parsed: dict[str, Any] = {}
        for name, kind in form.row.operands:
            if name in form.fixed:
                parsed[name] = form.fixed[name]
            elif name in texts:
                parsed[name] = kind.parse(texts[name], p)  # type: ignore[attr-defined]
            else:
                parsed[name] = None
        return parsed

    def encode(self, statement: Statement, pc: int, scope: Scope, explain: bool = True) -> bytes:
        """Return the shortest code, which is not shorter than before. Errors: Unfit, which says why if `explain`."""
        if statement.code is not None:
            return statement.code
        recalled = statement.recalled(pc, scope)
        if recalled is not None:
            return recalled
        asking = NotingScope(scope, statement.slots)
        asked: list[Asked] = []
        best: bytes | None = None
        longest: bytes | None = None
        is_placed = False
        for number, candidate in enumerate(statement.shape.candidates):
            e = self._encoding(candidate, number, statement, pc, asking)
            e.asked = asked
            try:
                code = self._encode(e, candidate)
            except Unfit:
                continue
            finally:
                is_placed = is_placed or e.is_placed
            if statement.is_long_enough(code) and (best is None or len(code) < len(best)):
                best = code
            if longest is None or len(code) > len(longest):
                longest = code
        best = best if best is not None else longest
        if best is None:
            raise self._explained(statement, pc, scope) if explain else Unfit(statement.shape.mnemonic)
        statement.set_minimum(len(best))
        if asked or is_placed:
            statement.keep(pc if is_placed else None, asked, best)
        else:
            statement.code = best
        return best

    def _encoding(
        self, candidate: tuple[Form, dict[str, Any]], number: int, statement: Statement, pc: int, scope: NotingScope
    ) -> Encoding:
        form, parsed = candidate
        chosen: ChosenForms = Choices(statement, number)
        return Encoding(self.table, form.row, parsed, pc, scope, form.suffix, chosen, statement.shape.prefixes)

    def _encode(self, e: Encoding, candidate: tuple[Form, dict[str, Any]]) -> bytes:
        form, parsed = candidate
        for name, kind in form.row.operands:
            if parsed[name] is not None or getattr(kind, "implied", False):
                kind.encode(e, parsed[name])  # type: ignore[attr-defined]
        self.isa.place_prefixes(e)
        if not e.is_claimed():
            raise Unfit("there is no such form")
        return e.content(self.byte_order)

    def _explained(self, statement: Statement, pc: int, scope: Scope) -> Unfit:
        """Return why a statement has no code, in terms of its text."""
        refusals: list[Unfit] = []
        try:
            shape = self._read(statement.text, refusals)
        except Unfit as refusal:
            return refusal
        plain = Statement(statement.text, shape)
        for number, candidate in enumerate(shape.candidates):
            try:
                self._encode(self._encoding(candidate, number, plain, pc, NotingScope(scope, ())), candidate)
            except Unfit as refusal:
                refusals.append(refusal.with_traceback(None))
        return self._best(statement.text, shape.mnemonic, refusals, pc, scope)

    def _best(self, text: str, mnemonic: str, refusals: list[Unfit], pc: int = 0, scope: Scope | None = None) -> Unfit:
        """Return what to say when nothing fits."""
        reason = self._elsewhere(text, pc, scope)
        if not reason:
            near = [str(each) for each in refusals if each.near]
            far = {str(each) for each in refusals}
            reason = near[0] if near else far.pop() if len(far) == 1 else "takes no such operands"
        return Unfit(f"{mnemonic.upper()}: {reason}", near=True)

    def _elsewhere(self, text: str, pc: int, scope: Scope | None) -> str:
        """Say which other model has an instruction, "" if none has."""
        for other in self._others():
            try:
                found = other.read(text)
                if scope:
                    other.encode(found, pc, scope)
            except Unfit:
                continue
            return f"not on the {self.table.model}; the {other.table.model} has it"
        return ""

    def _others(self) -> list[InstructionAssembler]:
        """Return the assemblers of the family's other models, in the same mode (i386_real)."""
        mode = self.table.model.partition("_")[2]
        models = [model for model in self.isa.models if model != self.table.model and model.partition("_")[2] == mode]
        return [_by_name(self.isa, model) for model in models] if self._names_models else []

    def _unknown(self, word: str) -> str:
        lower = word.lower()
        for other in self._others():
            if any(key in other.forms for key in self._keys(lower)):
                return f"{word.upper()}: not on the {self.table.model}; the {other.table.model} has it"
        return f"unknown instruction {word!r}{did_you_mean(lower, self.forms)}"


@cache
def _by_name(isa: Any, model: str) -> InstructionAssembler:
    rows = [row for row in isa.rows if row.models is None or model in row.models]
    return InstructionAssembler(OpcodeTable(isa, model, rows), names_models=False)


def _spellings(row: Row, mnemonic: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (mnemonic, operand name -> meaning) of every spelling of a mnemonic's template, in lower case."""
    names = NAME.findall(mnemonic)
    kinds: dict[str, Any] = dict(row.operands)  # those that stand in a mnemonic have spellings
    for combination in itertools.product(*(kinds[name].spellings(row) for name in names)):
        texts = dict(zip(names, (text for text, _ in combination)))
        spelled = filled(mnemonic, texts).lower()
        yield " ".join(spelled.split()), dict(zip(names, (meaning for _, meaning in combination)))
