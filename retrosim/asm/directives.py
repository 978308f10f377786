"""What is no instruction: data, space, sections, symbols. A directive may have a point before it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from retrosim.checks import shortened
from retrosim.cpu.assembly.dialect import Dialect, split_operands
from retrosim.cpu.assembly.expressions import (
    Constant,
    Exhausted,
    Expression,
    Scope,
    Unfit,
    Value,
    characters,
    constant,
    text_pattern,
    weight,
)

from .files import found_file, read_limited
from .program import MAX_PROGRAM_BYTES, Action, Program, names_of
from .source import bare

Make = Callable[[str, Path | None], Action]
"""make(operands, folder that include looks in) -> what the directive does. Errors: Unfit."""

MAX_KEPT = 1 << 20  # characters of directives that are kept to be met again
ITEMS = {
    "byte": 1, "2byte": 2, "short": 2, "hword": 2, "half": 2, "4byte": 4, "long": 4, "int": 4, "quad": 8, "8byte": 8,
}  # fmt: skip
MOTOROLA = {"b": 1, "w": 2, "l": 4, "": 2}
INTEL = {"b": 1, "w": 2, "d": 4, "q": 8}
TEXTS = {"ascii": b"", "asciz": b"\0", "string": b"\0"}
IGNORED = {
    "file", "ident", "p2alignl", "cpu", "arch", "machine", "extern", "xref", "external", "list", "nolist", "mc68000",
    "mc68040", "opt", "intel_syntax", "cfi_startproc", "cfi_endproc", "local", "noexecstack", "default", "import",
}  # fmt: skip
SECTIONS = {"text": ".text", "code": ".text", "data": ".data", "bss": ".bss", "rodata": ".rodata", "rdata": ".rodata"}
POINTED = {
    *ITEMS, *TEXTS, "word", "size", "type", "file", "ident", "local", "space", "skip", "zero", "fill", "weak",
    "comm", "lcomm", "title", "list", "opt", "cpu", "arch", "machine", "export", "import", "default", "external",
    "code",
}  # fmt: skip
_QUOTES = "'\""
_TEXT = re.compile(text_pattern(_QUOTES, _QUOTES))  # of the directives of TEXTS, which are GNU's in all languages


class Directives:
    """Makes the actions of the directives of one language."""

    def __init__(self, dialect: Dialect, byte_order: str) -> None:
        self.dialect, self.byte_order = dialect, byte_order
        self._contents: dict[Path, bytes] = {}  # of files that were included
        self._kept: dict[tuple[str, str, Path | None], Action] = {}
        self._kept_characters = 0
        self._text_item = re.compile(dialect.grammar.text_pattern)
        items = {**ITEMS, **dialect.sizes}
        make: dict[str, Make] = {}
        for name, size in items.items():
            make[name] = self._data(size)
        for name, end in TEXTS.items():
            make[name] = self._text(end)
        for letter, size in MOTOROLA.items():
            point = f".{letter}" if letter else ""
            make[f"dc{point}"] = self._data(size)
            make[f"ds{point}"] = make[f"blk{point}"] = self._space(size)
            make[f"dcb{point}"] = self._block(size)
        for letter, size in INTEL.items():
            make[f"d{letter}"] = self._data(size)
            make[f"res{letter}"] = self._space(size)
        for name in ("space", "skip", "zero"):
            make[name] = self._space(1)
        make |= {
            "fill": self._fill, "org": self._origin, "align": self._align, "balign": self._balign,
            "p2align": self._p2align, "alignb": self._balign, "even": lambda rest, folder: _aligned(constant(2), None),
            "cnop": self._cnop, "section": self._section, "segment": self._section, "incbin": self._incbin,
            "equ": self._assign(False), "set": self._assign(True), "equiv": self._assign(False),
            "type": self._type, "size": self._size, "comm": self._common, "lcomm": self._common,
        }  # fmt: skip
        for name in ("globl", "global", "xdef", "public", "export", "weak"):
            make[name] = self._global
        for name in SECTIONS:
            make[name] = _entering(SECTIONS[name])
        for name in IGNORED:
            make[name] = lambda rest, folder: lambda program: None
        self._make = make

    def knows(self, word: str) -> bool:
        """Is it a directive? Names that programs use for their own need the point."""
        return bare(word) in self._make and (word != bare(word) or word not in POINTED)

    def action(self, word: str, rest: str, folder: Path | None) -> Action:
        """Return what a directive does in each pass; the same for all that are written alike. Errors: Unfit."""
        made = self._make[bare(word)](rest, folder)
        self._kept_characters += len(rest)
        if self._kept_characters > MAX_KEPT:
            self._kept.clear()
            self._kept_characters = len(rest)
        self._kept[bare(word), rest, folder] = made
        return made

    def kept(self, word: str, rest: str, folder: Path | None) -> Action | None:
        """Return what was made of such a directive before."""
        return self._kept.get((bare(word), rest, folder))

    def _expression(self, text: str) -> Expression:
        return self.dialect.grammar.parse(text)

    # --- data

    def _data(self, size: int) -> Make:
        def make(rest: str, folder: Path | None) -> Action:
            items: list[Any] = []  # bytes, expressions
            grammar = self.dialect.grammar
            for part in split_operands(rest, grammar.escaping):
                if self._text_item.fullmatch(part) and (size == 1 or len(grammar.characters(part)) > 4):
                    content = grammar.characters(part)
                    items.append(content + bytes(-len(content) % size))
                else:
                    items.append(self._expression(part))
            if not items:
                raise Unfit("data: a number is missing")
            if all(isinstance(item, bytes | Constant) for item in items):
                content = b"".join([i if isinstance(i, bytes) else self._number(i.value.number, size) for i in items])
                return lambda program: program.emit(content)
            work = sum(map(weight, items))

            def emit(program: Program) -> None:
                program.count(2 * work)
                program.emit(b"".join(i if isinstance(i, bytes) else self._bytes(i, size, program) for i in items))

            return emit

        return make

    def _bytes(self, item: Expression, size: int, program: Program) -> bytes:
        return self._number(item(program).number, size)

    def _number(self, number: int, size: int) -> bytes:
        bits = 8 * size
        if not -(1 << bits - 1) <= number < 1 << bits:
            raise Unfit(f"data {number}: allowed {-(1 << bits - 1)}..{(1 << bits) - 1}")
        return (number & (1 << bits) - 1).to_bytes(size, "big" if self.byte_order == "big" else "little")

    def _text(self, end: bytes) -> Make:
        def make(rest: str, folder: Path | None) -> Action:
            content = b"".join(characters(part, _QUOTES) + end for part in self._quoted(rest))
            return lambda program: program.emit(content)

        return make

    @staticmethod
    def _quoted(rest: str) -> tuple[str, ...]:
        parts = split_operands(rest, _QUOTES)
        for part in parts:
            if not _TEXT.fullmatch(part):
                raise Unfit(f"{shortened(part)}: a text in quotes is expected")
        return parts

    def _space(self, size: int) -> Make:
        def make(rest: str, folder: Path | None) -> Action:
            count, fill = self._numbers(rest, 1, 2)
            return lambda program: program.space(
                count(program).number * size, self._bytes(fill, size, program) if fill else b"\0"
            )

        return make

    def _block(self, size: int) -> Make:
        def make(rest: str, folder: Path | None) -> Action:
            count, value = self._numbers(rest, 1, 2)
            item = value or constant(0)
            return lambda program: program.space(count(program).number * size, self._bytes(item, size, program))

        return make

    def _fill(self, rest: str, folder: Path | None) -> Action:
        count, size, value = self._numbers(rest, 1, 3)

        def emit(program: Program) -> None:
            width = size(program).number if size else 1
            if not 1 <= width <= 8:
                raise Unfit(f"fill: size {width}: allowed 1..8")
            program.space(count(program).number * width, self._bytes(value or constant(0), width, program))

        return emit

    def _numbers(self, rest: str, minimum: int, maximum: int) -> list:
        parts = split_operands(rest)
        if not minimum <= len(parts) <= maximum:
            raise Unfit(f"{len(parts)} numbers: allowed {minimum}..{maximum}")
        found: list[Expression | None] = [self._expression(part) if part else None for part in parts]
        if None in found[:minimum]:
            raise Unfit("a number is missing")
        return [*found, *[None] * (maximum - len(parts))]

    def _incbin(self, rest: str, folder: Path | None) -> Action:
        parts = split_operands(rest)
        content = self._content(found_file(parts[0] if parts else "", folder))
        name = shortened(parts[0])
        skipped, length = self._numbers(",".join(parts[1:]), 1, 2) if len(parts) > 1 else (constant(0), None)

        def emit(program: Program) -> None:
            start = skipped(program).number
            end = start + length(program).number if length else len(content)
            if not 0 <= start <= end <= len(content):
                raise Unfit(f"incbin: bytes {start}..{end} of {name}, which has {len(content)} bytes")
            program.emit(content[start:end])

        return emit

    def _content(self, path: Path) -> bytes:
        """Return what a file holds, which is read once."""
        if path not in self._contents:
            content = read_limited(path, MAX_PROGRAM_BYTES)
            if sum(map(len, self._contents.values())) + len(content) > 4 * MAX_PROGRAM_BYTES:
                raise Exhausted(f"incbin: more than {4 * MAX_PROGRAM_BYTES} bytes in all")
            self._contents[path] = content
        return self._contents[path]

    # --- places

    def _origin(self, rest: str, folder: Path | None) -> Action:
        (address, _) = self._numbers(rest, 1, 2)

        def move(program: Program) -> None:
            value = address(program)
            if value.section == program.section.name and value.number >= program.pc:  # . + n
                program.space(value.number - program.pc)
            elif not 0 <= value.number < 1 << 32:
                raise Unfit(f"org {value.number:#x}: allowed 0..0xffffffff")
            else:
                program.origin(value.number)

        return move

    def _align(self, rest: str, folder: Path | None) -> Action:
        return (self._p2align if self.dialect.align_is_power else self._balign)(rest, folder)

    def _balign(self, rest: str, folder: Path | None) -> Action:
        unit, fill, _ = self._numbers(rest or "2", 1, 3)
        return _aligned(unit, fill, self.dialect.nop)

    def _p2align(self, rest: str, folder: Path | None) -> Action:
        power, fill, _ = self._numbers(rest, 1, 3)

        def unit(scope: Scope) -> Value:
            value = power(scope)
            if not 0 <= value.number <= 16:
                raise Unfit(f"alignment by 2^{value.number}: allowed 0..16")
            return value._replace(number=1 << value.number)

        return _aligned(unit, fill, self.dialect.nop)

    def _cnop(self, rest: str, folder: Path | None) -> Action:
        offset, unit = self._numbers(rest, 2, 2)
        align = _aligned(unit, None, self.dialect.nop)

        def both(program: Program) -> None:
            align(program)
            program.space(offset(program).number)

        return both

    def _section(self, rest: str, folder: Path | None) -> Action:
        parts = split_operands(rest.replace(" ", ",", 1) if "," not in rest else rest)
        if not parts:
            raise Unfit("section: a name is missing")
        name = parts[0].strip("\"'")
        name = SECTIONS.get(name.lower().lstrip("."), name)
        marks = "".join(parts[1:]).lower()
        kind = (
            "code"
            if "x" in marks.split("@")[0] or "code" in marks
            else "zeros"
            if "nobits" in marks or marks == "bss"
            else ""
        )
        return lambda program: program.enter(name, kind)

    # --- symbols

    def _assign(self, again: bool) -> Make:
        def make(rest: str, folder: Path | None) -> Action:
            parts = split_operands(rest)
            if len(parts) != 2 or not re.fullmatch(r"[A-Za-z_.$?@][\w.$?@]*", parts[0]):
                raise Unfit(f"{shortened(rest)}: NAME, value is expected")
            value = self._expression(parts[1])

            def define(program: Program) -> None:
                program.count(2 * weight(value))
                program.define(parts[0], value(program), again)

            return define

        return make

    def _global(self, rest: str, folder: Path | None) -> Action:
        names = names_of(split_operands(rest))

        def mark(program: Program) -> None:
            for name in names:
                program.known_of(name).is_global = True

        return mark

    def _type(self, rest: str, folder: Path | None) -> Action:
        parts = split_operands(rest)
        if not parts:
            raise Unfit("type: a name is missing")
        kind = "function" if "function" in rest else "object" if "object" in rest else ""

        def mark(program: Program) -> None:
            program.known_of(parts[0]).kind = kind

        return mark

    def _size(self, rest: str, folder: Path | None) -> Action:
        parts = split_operands(rest)
        if len(parts) != 2:
            raise Unfit("size: NAME, bytes is expected")
        size = self._expression(parts[1])

        def mark(program: Program) -> None:
            number = size(program).number
            if not 0 <= number < 1 << 32:
                raise Unfit(f"size {number}: allowed 0..{(1 << 32) - 1}")
            program.known_of(parts[0]).size = constant(number)

        return mark

    def _common(self, rest: str, folder: Path | None) -> Action:
        parts = split_operands(rest)
        _, size, align = self._numbers(",".join(["0", *parts[1:]]), 2, 3)

        def reserve(program: Program) -> None:
            back = program.section.name
            program.enter(".bss")
            _aligned(align or constant(4), None)(program)
            program.define_label(parts[0])
            program.known_of(parts[0]).kind = "object"
            program.space(size(program).number)
            program.enter(back)

        return reserve


def _entering(section: str) -> Make:
    return lambda rest, folder: lambda program: program.enter(section)


def _aligned(unit: Expression, fill: Expression | None, nop: bytes = b"\0") -> Action:
    def align(program: Program) -> None:
        size = unit(program).number
        if not 1 <= size <= 1 << 16 or size & (size - 1):
            raise Unfit(f"alignment {size}: allowed powers of 2 up to {1 << 16}")
        program.chunk.align = max(program.chunk.align, size)
        gap = -program.pc % size
        in_code = program.section.kind == "code" and not gap % len(nop)
        program.space(gap, bytes([fill(program).number & 255]) if fill else nop if in_code else b"\0")

    return align
