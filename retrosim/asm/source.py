"""Source files into statements: comments, labels, include, conditions, macros, repetition."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from retrosim.checks import shortened
from retrosim.cpu.assembly.dialect import Dialect, split_operands
from retrosim.cpu.assembly.expressions import Exhausted, Unfit, text_pattern

from .files import QUOTES, found_file, read_source

MAX_INCLUDES = 16  # files in files
MAX_NESTED = 100  # macros, repetitions and conditions in one another
MAX_LINES = 200_000  # after expansion, with those that are passed over
MAX_LINE = 16_384  # characters of a line after expansion
MAX_CHARACTERS = 32 * 1024 * 1024  # of all lines after expansion

_MARKER = re.compile(r'# ?(\d{1,9}) "([^"]*)"[ 0-9]*')
_ESCAPED_TEXT = re.compile(r"\.(?:ascii|asciz|string)\b", re.I)  # GNU's directives, whose texts have escapes everywhere
_ARGUMENT, _NASM_ARGUMENT = re.compile(r"\\(@|\(\)|\d|[A-Za-z_]\w*)"), re.compile(r"%(\d)")
_LABEL = re.compile(r"\s*([A-Za-z_.$?@][\w.$?@]*|\d+\$?)\s*::?(?!=)")
_WORD = r"[A-Za-z_.%$?@][\w.%$?@]*|\d+\$"
_ASSIGNMENT = re.compile(
    r"\s*+([A-Za-z_.$?@][\w.$?@]*+)(?:\s*+:)?\s++(equ|set|=)\s++(.+)"
    r"|\s*+([A-Za-z_.$?@][\w.$?@]*+)\s*+:?=(?!=)\s*+(.+)",
    re.I,
)


class Line(NamedTuple):
    """A line of a source: where it stands, and its text without comments."""

    file: str
    number: int
    text: str


class SourceStatement(NamedTuple):
    """A statement: its place, its label or "", its first word in lower case and what follows."""

    file: str
    number: int
    label: str
    word: str
    rest: str


@dataclass
class Macro:
    """A macro: names of its arguments with their defaults, does the last one take all that is left, and its lines."""

    name: str
    parameters: list[tuple[str, str]]
    is_variadic: bool
    lines: list[Line] = field(default_factory=list)


class SourceError(Exception):
    """An error at a place of a source."""

    def __init__(self, line: Line, sentence: str) -> None:
        super().__init__(sentence)
        self.line = line


Evaluate = Callable[[str], int]
"""evaluate(expression) -> its value from the symbols so far. Errors: Unfit."""
Defined = Callable[[str], bool]

_COMPARISONS: dict[str, Callable[[int], bool]] = {
    "if": lambda n: n != 0, "ifne": lambda n: n != 0, "ifeq": lambda n: n == 0, "ifgt": lambda n: n > 0,
    "ifge": lambda n: n >= 0, "iflt": lambda n: n < 0, "ifle": lambda n: n <= 0,
}  # fmt: skip
_CONDITIONS = {*_COMPARISONS, "ifdef", "ifndef", "ifnd", "ifc", "ifnc", "ifb", "ifnb"}
_MACRO_ENDS, _REPEATS, _REPEAT_ENDS = {"endm", "endmacro"}, {"rept", "irp"}, {"endr", "endrep", "endm"}


def bare(word: str) -> str:
    """Return a directive without the mark that an assembler has before it."""
    if word == "%rep":  # REP is an instruction of the x86
        return "rept"
    return word[1:] if word[:1] in (".", "%") else word


class Reader:
    """Yields the statements of a source, expanded."""

    def __init__(
        self,
        dialect: Dialect,
        evaluate: Evaluate,
        is_defined: Defined,
        is_known: Callable[[str], bool],
        fail: Callable[[str, int, str], None],
    ) -> None:
        """Read with a dialect.

        is_known  is a word an instruction or a directive, and so no label?
        fail      takes file, line and sentence of each error
        """
        self.dialect, self.evaluate, self.is_defined, self.is_known = dialect, evaluate, is_defined, is_known
        self.fail = fail
        self.macros: dict[str, Macro] = {}
        self._expansions = self._lines = self._characters = 0
        self._escaping = dialect.grammar.escaping
        marks = sorted(dialect.comments, key=len, reverse=True)
        self._marks = ("//", *marks)
        self._signed = re.compile(dialect.signed_names, re.IGNORECASE)
        self._word = re.compile(rf"\s*({dialect.signed_names}|{_WORD})", re.IGNORECASE)
        quotes, ends = dialect.grammar.quotes, "|".join(map(re.escape, self._marks))
        self._comment = re.compile(f"({text_pattern(quotes, self._escaping, '?')})|({ends})")
        self._comment_of_escaped = re.compile(f"({text_pattern(quotes, quotes, '?')})|({ends})")
        hidden = r"\\." if '"' in self._escaping else r"\\"
        text = rf'"(?:[^"\\\n]|{hidden})*+"'
        self._block_comment = re.compile(rf"({text})|/\*.*?(?:\*/|\Z)", re.DOTALL)
        separator = re.escape(dialect.separator) or "(?!)"
        self._separator = re.compile(f"({text_pattern(quotes, self._escaping, '?')})|({separator})")

    def read(self, text: str, file: str, folder: Path | None, depth: int = 0) -> Iterator[SourceStatement]:
        """Yield the statements of a text. `folder`: what include looks in. Errors: Exhausted."""
        self._characters += len(text)
        self._pass_over(0)
        yield from self._run(self._split(text, file), folder, depth, 0)

    def _pass_over(self, lines: int) -> None:
        """Count lines that were looked at. Errors: Exhausted."""
        self._lines += lines
        if self._lines > MAX_LINES:
            raise Exhausted(f"more than {MAX_LINES} lines after expansion")
        if self._characters > MAX_CHARACTERS:
            raise Exhausted(f"more than {MAX_CHARACTERS} characters after expansion")

    def _split(self, text: str, file: str) -> list[Line]:
        """Return the lines without comments; a statement behind a separator is a line of its own."""
        text = self._block_comment.sub(lambda m: m[1] or "\n" * m[0].count("\n") + " ", text)
        found, moved = [], 0
        for count, raw in enumerate(text.splitlines(), start=1):
            line = raw.rstrip()
            first = line.lstrip()[:1]
            if not first or first in self.dialect.comments:
                continue
            marker = _MARKER.fullmatch(line) if first == "#" else None
            if marker:  # of the C preprocessor: where what follows is from
                file, moved = marker[2], int(marker[1]) - count - 1
                continue
            if first in self.dialect.line_comments:
                continue
            for part in self._statements(self._without_comment(line)):
                found.append(Line(file, count + moved, part))
        return found

    def _without_comment(self, line: str) -> str:
        if not any(mark in line for mark in self._marks):
            return line
        comment = self._comment_of_escaped if _ESCAPED_TEXT.search(line) else self._comment
        for found in comment.finditer(line):
            if found[2]:
                return line[: found.start()].rstrip()
        return line

    def _statements(self, line: str) -> list[str]:
        if not self.dialect.separator or self.dialect.separator not in line:
            return [line] if line.strip() else []
        parts, start = [], 0
        for found in self._separator.finditer(line):
            if found[2]:
                parts.append(line[start : found.start()])
                start = found.end()
        return [part for part in (*parts, line[start:]) if part.strip()]

    def _run(self, lines: list[Line], folder: Path | None, depth: int, nested: int) -> Iterator[SourceStatement]:
        at = 0
        while at < len(lines):
            line = lines[at]
            at += 1
            self._characters += len(line.text)
            self._pass_over(1)
            try:
                if len(line.text) > MAX_LINE:
                    raise SourceError(line, f"a line has more than {MAX_LINE} characters")
                if nested > MAX_NESTED:
                    raise SourceError(line, f"macros, repetitions, conditions: nested more than {MAX_NESTED} deep")
                part = self.take_apart(line)
                word = bare(part.word)
                if word not in _CONTROL and part.word not in self.macros:
                    yield part
                elif word in ("macro", "imacro"):
                    at = self._define(part, lines, at)
                elif word in _REPEATS and part.rest:
                    end = self._end(lines, at, line, _REPEATS | {"macro"}, _REPEAT_ENDS)
                    yield from self._labelled(part)
                    body, at = lines[at:end], end + 1
                    yield from self._repeat(part, body, folder, depth, nested, line)
                elif word in _CONDITIONS:
                    chosen, at = self._choose(part, lines, at, line)
                    yield from self._run(chosen, folder, depth, nested + 1)
                elif word == "include":
                    yield from self._labelled(part)
                    yield from self._include(part, folder, depth, line)
                elif word == "end" and not part.rest and part.word not in self.macros:
                    yield from self._labelled(part)
                    return
                elif part.word in self.macros:
                    yield from self._labelled(part)
                    yield from self._run(self._expand(self.macros[part.word], part, line), folder, depth, nested + 1)
                elif word in _ENDS:
                    raise SourceError(line, f"{part.word} without a matching beginning")
                else:
                    yield part
            except Unfit as error:
                self.fail(line.file, line.number, str(error))
            except SourceError as error:
                self.fail(error.line.file, error.line.number, str(error))

    @staticmethod
    def _labelled(part: SourceStatement) -> Iterator[SourceStatement]:
        if part.label:
            yield SourceStatement(part.file, part.number, part.label, "", "")

    def take_apart(self, line: Line) -> SourceStatement:
        """Return label, first word and the rest of a line."""
        text, label = line.text, ""
        given = _ASSIGNMENT.fullmatch(text)
        if given:
            name, how, value = (given[1], given[2].lower(), given[3]) if given[1] else (given[4], "=", given[5])
            if not self.is_known(name.lower()) and not self.is_known(bare(name.lower())):
                return SourceStatement(line.file, line.number, "", "equ" if how == "equ" else "set", f"{name},{value}")
        found = _LABEL.match(text)
        if found:
            label, text = found[1], text[found.end() :]
        elif not text[:1].isspace():
            found = self._word.match(text)
            if found and not self._is_statement(found[1].lower()):
                behind = self._word.match(text, found.end())
                if not behind or self._is_statement(behind[1].lower()):
                    label, text = found[1], text[found.end() :]
        found = self._word.match(text)
        if not found:
            if text.strip():
                raise SourceError(line, f"{shortened(text)!r} is not a statement")
            return SourceStatement(line.file, line.number, label, "", "")
        word, rest = found[1], text[found.end() :].strip()
        if not label and not self._is_statement(word.lower()):
            second = self._word.match(rest)
            if second and self._is_statement(second[1].lower()):  # a label without a colon, indented: nasm
                return SourceStatement(line.file, line.number, word, second[1].lower(), rest[second.end() :].strip())
        if bare(word.lower()) == "macro" and label:
            return SourceStatement(line.file, line.number, "", "macro", f"{label} {rest}".strip())
        return SourceStatement(line.file, line.number, label, word.lower(), rest)

    def _begins(self, line: Line) -> SourceStatement:
        """Return a line that is not carried out, or not yet: its word without a mark, "" where it has none."""
        try:
            part = self.take_apart(line)
        except SourceError:
            return SourceStatement(line.file, line.number, "", "", "")
        return SourceStatement(part.file, part.number, part.label, bare(part.word), part.rest)

    def _is_statement(self, word: str) -> bool:
        is_control = word in self.macros or bare(word) in _CONTROL
        return is_control or self.is_known(word) or bool(self._signed.fullmatch(word))

    def _define(self, part: SourceStatement, lines: list[Line], at: int) -> int:
        """Keep a macro; return the place behind it."""
        words = part.rest.replace(",", " ").split()
        if not words:
            raise SourceError(lines[at - 1], "a macro needs a name")
        parameters, kind = [], ""
        for word in words[1:]:
            if not word.isdigit():
                name, _, default = word.partition("=")
                name, _, kind = name.partition(":")
                parameters.append((name, default))
        macro = Macro(words[0].lower(), parameters, kind == "vararg")
        end = self._end(lines, at, lines[at - 1], {"macro"}, _MACRO_ENDS)
        macro.lines = lines[at:end]
        self.macros[macro.name] = macro
        return end + 1

    def _end(self, lines: list[Line], at: int, first: Line, begins: set[str], ends: set[str]) -> int:
        """Return the place of the line that ends what the line before `at` has begun."""
        depth = 1
        for place in range(at, len(lines)):
            self._pass_over(1)
            word = self._begins(lines[place]).word
            depth += (word in begins) - (word in ends)
            if not depth:
                return place
        raise SourceError(first, f"{first.text.split()[0]} has no matching end")

    def _expand(self, macro: Macro, part: SourceStatement, line: Line) -> list[Line]:
        self._expansions += 1
        given = list(split_operands(part.rest, self._escaping)) if part.rest else []
        if len(given) == 1 and len(macro.parameters) > 1:
            given = part.rest.split()
        last = len(macro.parameters) - 1
        if macro.is_variadic and len(given) > last:
            given[last:] = [", ".join(given[last:])]
        named = dict(macro.parameters)
        for index, text in enumerate(given):
            name, equals, value = text.partition("=")
            if equals and name.strip() in named:
                named[name.strip()] = value.strip()
            elif index < len(macro.parameters):
                named[macro.parameters[index][0]] = text
        numbered = {str(index): text for index, text in enumerate(given, start=1)}
        unique = f"_{self._expansions:04d}"

        def argument(found: re.Match[str]) -> str:
            name = found[1]
            if name == "@":
                return unique
            if name == "()":
                return ""
            return named.get(name, numbered.get(name, "" if name.isdigit() else found[0]))

        expanded = []
        for each in macro.lines:
            text = self._replaced(_ARGUMENT, argument, each.text, line)
            if self.dialect.percent_arguments:
                text = self._replaced(_NASM_ARGUMENT, lambda m: numbered.get(m[1], ""), text, line)
                text = text.replace("%%", f"..@{unique}.")
            expanded.append(Line(line.file, line.number, text))
        return expanded

    def _replaced(
        self, pattern: re.Pattern[str], value: str | Callable[[re.Match[str]], str], text: str, line: Line
    ) -> str:
        """Put values in place of the names of arguments. Errors: SourceError, Exhausted."""
        size = 0

        def replace(found: re.Match[str]) -> str:
            nonlocal size
            new = value if isinstance(value, str) else value(found)
            size += len(new)
            if size > MAX_LINE:
                raise SourceError(line, f"a line has more than {MAX_LINE} characters")
            return new

        replaced = pattern.sub(replace, text)
        self._characters += len(replaced)
        self._pass_over(0)
        return replaced

    def _repeat(
        self, part: SourceStatement, body: list[Line], folder: Path | None, depth: int, nested: int, line: Line
    ) -> Iterator[SourceStatement]:
        if bare(part.word) == "irp":
            name, *values = split_operands(
                part.rest.replace(" ", ",", 1) if "," not in part.rest.split()[0] else part.rest
            )
            pattern = re.compile(r"\\" + re.escape(name) + r"\b(\\\(\))?")
            for value in values:
                self._pass_over(1)
                copy = [Line(e.file, e.number, self._replaced(pattern, value, e.text, line)) for e in body]
                yield from self._run(copy, folder, depth, nested + 1)
            return
        count = self.evaluate(part.rest)
        if not 0 <= count <= MAX_LINES:
            raise SourceError(line, f"{part.word} {count}: allowed 0..{MAX_LINES}")
        for _ in range(count):
            self._pass_over(1)
            yield from self._run(body, folder, depth, nested + 1)

    def _choose(self, part: SourceStatement, lines: list[Line], at: int, line: Line) -> tuple[list[Line], int]:
        """Return the lines whose condition holds, and the place behind the end."""
        holds = self._holds(part)
        taken, depth = holds, 0
        chosen: list[Line] = []
        for place in range(at, len(lines)):
            self._pass_over(1)
            each = self._begins(lines[place])
            word = each.word
            if word in _CONDITIONS:
                depth += 1
            elif word in ("endif", "endc"):
                if not depth:
                    return chosen, place + 1
                depth -= 1
            elif not depth and word in ("else", "elseif", "elif"):
                holds = not taken and (word == "else" or self._holds(SourceStatement("", 0, "", "if", each.rest)))
                taken = taken or holds
                continue
            if holds:
                chosen.append(lines[place])
        raise SourceError(line, f"{part.word} has no endif")

    def _holds(self, part: SourceStatement) -> bool:
        word = bare(part.word)
        if word in _COMPARISONS:
            return _COMPARISONS[word](self.evaluate(part.rest))
        if word in ("ifdef", "ifndef", "ifnd"):
            return self.is_defined(part.rest.strip()) == (word == "ifdef")
        if word in ("ifb", "ifnb"):
            return (not part.rest.strip()) == (word == "ifb")
        texts = [text.strip("\"'") for text in split_operands(part.rest, self._escaping)]
        return (len(texts) == 2 and texts[0] == texts[1]) == (word == "ifc")

    def _include(self, part: SourceStatement, folder: Path | None, depth: int, line: Line) -> Iterator[SourceStatement]:
        path = found_file(part.rest, folder)
        if depth >= MAX_INCLUDES:
            raise SourceError(line, f"include: files are nested more than {MAX_INCLUDES} deep")
        yield from self.read(
            read_source(path), f"{Path(part.file).parent / part.rest.strip(QUOTES)}", path.parent, depth + 1
        )


_ENDS = {"else", "elseif", "endif", "endc", "elif", *_MACRO_ENDS, *_REPEAT_ENDS}
_CONTROL = {
    *_CONDITIONS, *_MACRO_ENDS, *_REPEATS, *_REPEAT_ENDS, "macro", "imacro", "else", "elseif", "elif", "endif", "endc",
    "include", "end",
}  # fmt: skip
