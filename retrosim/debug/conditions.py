"""What one writes for the debugger: conditions, `d0 == 5 and word[gCount] > 10`, and places of a program, `file.c:12`.

    condition   all { "or" all }                        "||" is "or", "&&" is "and"
    all         one { "and" one }
    one         "not" one | compared
    compared    number [ ("==" | "!=" | "<" | "<=" | ">" | ">=") number ]
    number      terms with | ^ & << >> + - * / % in this order, those that bind least first
    term        ("-" | "~") term | literal | name | "@" symbol | size "[" condition "]" | "(" condition ")"
    size        "byte" | "word" | "long", unsigned; "sbyte" | "sword" | "slong", signed: 8, 16, 32 bits of memory
    literal     123 | 0x7B | $7B | 0b1111011
    name        a register, "clock", "frame", "instructions", "hits", or a symbol: its address

Numbers are whole and signed, of any size; registers are unsigned. "/" and "%" round towards zero, as processors do.
True is 1 as in C and GDB, and what is not 0 is true. A text has at most MAX_LENGTH characters and MAX_DEPTH levels.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from retrosim.checks import check_integer, did_you_mean
from retrosim.cpu.assembly.expressions import ARITHMETIC, COMPARISONS
from retrosim.cpu.spec.cpu import ADDRESS_MASK
from retrosim.rom import Image

MAX_LENGTH = 500
MAX_DEPTH = 40
MAX_SHIFT = 63
SIZES = {"byte": (1, False), "word": (2, False), "long": (4, False)}
SIZES |= {"sbyte": (1, True), "sword": (2, True), "slong": (4, True)}

_TOKEN = re.compile(
    r"\s*(?:(?P<literal>0[xX][0-9a-fA-F]+|0[bB][01]+|\$[0-9a-fA-F]+|[0-9]+)(?![\w.])"
    r"|(?P<name>@?[A-Za-z_.?][\w.$?@]*)|(?P<operator><<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^~<>()\[\]]))"
)
_WORDS = {"&&": "and", "||": "or"}
_BINDING = (("|",), ("^",), ("&",), ("<<", ">>"), ("+", "-"), ("*", "/", "%"))


class ConditionError(ValueError):
    """A condition that cannot be read or computed: one line that quotes the text and counts its characters from 1."""

    def __init__(self, text: str, position: int, what: str) -> None:
        shown = text if len(text) <= 60 else f"{text[:57]}..."
        super().__init__(f"condition {shown!r}, character {position + 1}: {what}")
        self.position = position


def _checked(shift: Callable[[int, int], int]) -> Callable[[int, int], int]:
    def checked(a: int, b: int) -> int:
        if not 0 <= b <= MAX_SHIFT:
            raise ArithmeticError(f"shift by {b}: allowed 0..{MAX_SHIFT}")
        return shift(a, b)

    return checked


_OPERATIONS = ARITHMETIC | {shift: _checked(ARITHMETIC[shift]) for shift in ("<<", ">>")}

Value = Callable[[], int]
"""Computes a number from the machine as it is."""


@dataclass(frozen=True)
class Names:
    """What a condition may name.

    values   name -> what computes it: registers, "clock", ...; looked up without regard to case
    symbols  name -> address
    memory   memory(address, bytes, signed) -> number there
    """

    values: Mapping[str, Value]
    symbols: Mapping[str, int]
    memory: Callable[[int, int, bool], int]


@dataclass(frozen=True)
class Condition:
    """A condition that has been read: its text, and what computes it."""

    text: str
    value: Value

    def __call__(self) -> int:
        """Return its value now. Errors: ConditionError for a division by zero or a shift too far."""
        try:
            return self.value()
        except ArithmeticError as error:
            what = "division by zero" if isinstance(error, ZeroDivisionError) else str(error)
            raise ConditionError(self.text, 0, what) from None


def condition(text: str, names: Names) -> Condition:
    """Read a condition. Errors: ConditionError."""
    if len(text) > MAX_LENGTH:
        raise ConditionError(text, MAX_LENGTH, f"{len(text)} characters: allowed up to {MAX_LENGTH}")
    return Condition(text, _Parser(text, names).whole())


class _Parser:
    def __init__(self, text: str, names: Names) -> None:
        self.text, self.names, self._depth, self._at = text, names, 0, 0
        self._tokens: list[tuple[str, str, int]] = []
        end = 0
        while text[end:].strip():
            match = _TOKEN.match(text, end)
            if match is None or match.lastgroup is None:
                start = end + len(text[end:]) - len(text[end:].lstrip())
                raise ConditionError(text, start, f"{text[start : start + 12]!r} is no number, name or operator")
            kind, token = match.lastgroup, match[match.lastgroup]
            self._tokens.append((kind, _WORDS.get(token, token), match.start(kind)))
            end = match.end()
        self._tokens.append(("end", "", len(text)))

    def _error(self, what: str) -> ConditionError:
        return ConditionError(self.text, self._tokens[self._at][2], what)

    @property
    def _next(self) -> str:
        return self._tokens[self._at][1]

    def _take(self, *tokens: str) -> str:
        """Take the next token if it is one of these, else return ""."""
        kind, token, _ = self._tokens[self._at]
        if kind == "end" or token not in tokens:
            return ""
        self._at += 1
        return token

    def whole(self) -> Value:
        value = self._any()
        if self._tokens[self._at][0] != "end":
            raise self._error(f"expected an operator or the end, not {self._next!r}")
        return value

    def _any(self) -> Value:
        value = self._all()
        while self._take("or"):
            value = self._either(value, self._all())
        return value

    def _all(self) -> Value:
        value = self._one()
        while self._take("and"):
            value = self._both(value, self._one())
        return value

    @staticmethod
    def _constant(number: int) -> Value:
        return lambda: number

    @staticmethod
    def _either(a: Value, b: Value) -> Value:
        return lambda: int(bool(a() or b()))

    @staticmethod
    def _both(a: Value, b: Value) -> Value:
        return lambda: int(bool(a() and b()))

    def _deeper(self, parse: Callable[[], Value]) -> Value:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._error(f"nested too deeply: allowed {MAX_DEPTH} levels")
        value = parse()
        self._depth -= 1
        return value

    def _one(self) -> Value:
        if self._take("not"):
            inner = self._deeper(self._one)
            return lambda: int(not inner())
        left = self._number(0)
        if operator := self._take(*COMPARISONS):
            right, compare = self._number(0), COMPARISONS[operator]
            return lambda: int(compare(left(), right()))
        return left

    def _number(self, level: int) -> Value:
        if level == len(_BINDING):
            return self._term()
        value = self._number(level + 1)
        while operator := self._take(*_BINDING[level]):
            value = self._operation(_OPERATIONS[operator], value, self._number(level + 1))
        return value

    @staticmethod
    def _operation(operation: Callable[[int, int], int], a: Value, b: Value) -> Value:
        return lambda: operation(a(), b())

    def _term(self) -> Value:
        if operator := self._take("-", "~"):
            inner = self._deeper(self._term)
            return (lambda: -inner()) if operator == "-" else (lambda: ~inner())
        if self._take("("):
            value = self._deeper(self._any)
            self._close(")")
            return value
        kind, token, _ = self._tokens[self._at]
        if kind == "literal":
            self._at += 1
            return self._constant(int(token[1:], 16) if token[0] == "$" else int(token, 10 if token.isdecimal() else 0))
        if kind != "name" or token in ("and", "or", "not"):
            raise self._error(f"expected a number, a name or a bracket{f', not {token!r}' if token else ''}")
        return self._named(token)

    def _named(self, token: str) -> Value:
        if token in SIZES and self._tokens[self._at + 1][1] == "[":
            self._at += 2
            address = self._deeper(self._any)
            self._close("]")
            memory, (size, signed) = self.names.memory, SIZES[token]
            return lambda: memory(address(), size, signed)
        value = self.names.values.get(token.lower())
        if value is None:
            symbol = token.removeprefix("@")
            if symbol not in self.names.symbols:
                known = [*self.names.values, *self.names.symbols]
                raise self._error(f"{symbol!r} is no register and no symbol{did_you_mean(symbol, known)}")
            value = self._constant(self.names.symbols[symbol])
        self._at += 1
        return value

    def _close(self, bracket: str) -> None:
        if not self._take(bracket):
            raise self._error(f"expected {bracket!r}{f', not {self._next!r}' if self._next else ''}")


# Places of a program as one names them: addresses, symbols, source lines.

_LINE = re.compile(r"(.+):([0-9]{1,7})$")


def addresses_of(image: Image, where: int | str) -> list[int]:
    """Return the addresses of a place: of a source line one in each function that has code of it.

    where    an address, "0x1234", "symbol", "symbol+0x10" or "file.c:12"; the line may be the next one that has code
    Errors   ValueError
    """
    if not isinstance(where, str):
        return [check_integer("address", where, 0, ADDRESS_MASK)]
    text = where.strip()
    if (address := image.symbol_table.place(text)) is not None:
        return [check_integer("address", address, 0, ADDRESS_MASK)]
    if line := _LINE.match(text):
        return _of_line(image, line[1], int(line[2]))
    near = did_you_mean(text, image.symbols)
    raise ValueError(f"{text[:60]!r}: no symbol of the program, no address and no source line{near}")


def _of_line(image: Image, file: str, line: int) -> list[int]:
    """Return where the code of a source line begins, in each function; of the next line with code if it has none."""
    files = {each for _, each, _ in image.lines}
    wanted = {each for each in files if each == file or each.endswith(f"/{file}")}
    if not wanted:
        known = ", ".join(sorted({path.rpartition("/")[2] for path in files})[:8]) or "none: it has no line table"
        raise ValueError(f"{file[:60]!r}: no source file of the program; it has {known}")
    found = [(number, address) for address, each, number in image.lines if each in wanted and number >= line]
    if not found:
        last = max(number for _, each, number in image.lines if each in wanted)
        raise ValueError(f"{file}:{line}: no code there or after it; the last line with code is {last}")
    nearest = min(found)[0]
    first: dict[str, int] = {}
    for address in sorted(address for number, address in found if number == nearest):
        name, _ = image.symbol_at(address) or ("", 0)
        first.setdefault(name, address)
    return sorted(first.values())


def symbol_text(image: Image, address: int) -> str:
    """Return "Main+0x10", the function of an address and the offset in it; "" outside all."""
    name, offset = image.symbol_at(address) or ("", 0)
    return f"{name}+{offset:#x}" if offset else name


def described(image: Image, address: int) -> str:
    """Return "function+0x10 (file.c:12)" as far as it is known, else the address."""
    line, text = image.source_line(address), symbol_text(image, address) or f"{address:#x}"
    return f"{text} ({line[0].rpartition('/')[2]}:{line[1]})" if line else text
