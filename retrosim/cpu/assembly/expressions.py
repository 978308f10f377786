"""Expressions of assembly language: numbers, symbols, operators; values that remember whether they are addresses.

Operators bind as in C. Where they hold, && and || are 1, and a comparison is what the dialect's assembler makes of
it: -1 in vasm and GNU as, 1 in NASM. Conditions of the debugger (`retrosim.debug.conditions`) have C's 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Literal, NamedTuple, Protocol, cast

from retrosim.checks import shortened

MAX_OPERATORS = 200  # of an expression, opening brackets among them
MAX_BITS = 64  # of a value on the way
MAX_DIGITS = 100  # of a number
FIRST_SLOT, LAST_SLOT = 0xE000, 0xE03F  # characters that stand for numbers and names in a shape (shapes.py)
SLOTS = f"{chr(FIRST_SLOT)}-{chr(LAST_SLOT)}"


class Unfit(Exception):
    """A row does not take this operand; the reason says why.

    near  the form is right and the value is not, or the place: what a message should tell first
    """

    def __init__(self, reason: str, near: bool = False) -> None:
        super().__init__(reason)
        self.near = near


class Exhausted(Exception):
    """A source takes more work or space than any is allowed; the reason says what of."""


class Value(NamedTuple):
    """What an expression comes to.

    number   its value so far
    section  that it is an address in; None for a plain number, "" where that is not known yet
    """

    number: int
    section: str | None = None


class Scope(Protocol):
    """Where symbols get their values."""

    def symbol(self, name: str) -> Value:
        """Return the value of a symbol. Errors: Unfit."""

    def numbered(self, number: int, ahead: bool) -> Value | None:
        """Return the nearest label of that number, ahead or back; None where the file has none of that number."""

    def here(self) -> Value:
        """Return the address of the statement."""


class Slots(Scope, Protocol):
    """A scope with a statement's slots."""

    def slot(self, number: int) -> Value:
        """Return the value of what stands in a slot of the shape (shapes.py). Errors: Unfit."""


HALF = "@"  # in place of a section: a half of an address

Expression = Callable[[Scope], Value]


class Numbers(NamedTuple):
    """How numbers, names and the place of the statement are written.

    patterns  (pattern with one group, base)
    here      what stands for the address of the statement
    halves    suffix "@..." -> function of the number
    text_order  byte order of 'ab' as a number
    quotes      what a text stands between
    escaping    those in which a backslash gives the next character another meaning
    true      what a comparison that holds comes to
    """

    patterns: tuple[tuple[str, int], ...]
    here: tuple[str, ...] = (".",)
    halves: tuple[tuple[str, Callable[[int], int]], ...] = ()
    text_order: Literal["big", "little"] = "big"
    quotes: str = "'\""
    escaping: str = "'\""
    true: int = -1


def text_pattern(quotes: str, escaping: str, end: str = "") -> str:
    """Return the pattern of a text between quotes. `end`: "?" where the closing quote may be missing."""
    bodies = [rf"(?:[^{q}\\]|\\.|{q}{q})*" if q in escaping else rf"(?:[^{q}]|{q}{q})*" for q in quotes]
    return "|".join(f"{q}{body}{'+' if end else ''}{q}{end}" for q, body in zip(quotes, bodies))


ESCAPES = {
    "n": 10, "t": 9, "r": 13, "0": 0, "\\": 92, "'": 39, '"': 34, "`": 96, "b": 8, "f": 12, "a": 7, "v": 11, "e": 27,
}  # fmt: skip
C_NUMBERS = (("0[xX]([0-9a-fA-F]+)", 16), ("0[bB]([01]+)", 2), ("([0-9]+)", 10))
_NAME = r"(?:[A-Za-z_.$?@][\w.$?@]*|[0-9]+\$)"
_BINARY = (
    ("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "=", "!=", "<>"), ("<=", ">=", "<", ">"), ("<<", ">>"), ("+", "-"),
    ("*", "/", "%"),
)  # fmt: skip
_PRIORITY = {operator: level for level, operators in enumerate(_BINARY) for operator in operators}


class Constant:
    """An expression that is a plain number."""

    __slots__ = ("value",)

    def __init__(self, number: int) -> None:
        self.value = Value(number)

    def __call__(self, scope: Scope) -> Value:
        return self.value


class SymbolExpression:
    """An expression that is a name."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, scope: Scope) -> Value:
        return scope.symbol(self.name)


def constant(number: int) -> Expression:
    return Constant(number)


class Grammar:
    """Parses the expressions of one way to write numbers."""

    def __init__(self, numbers: Numbers) -> None:
        self._halves, self.text_order, self.true = dict(numbers.halves), numbers.text_order, numbers.true
        self.quotes, self.escaping = numbers.quotes, numbers.escaping
        self.text_pattern = text_pattern(numbers.quotes, numbers.escaping)
        alternatives = "|".join(f"(?:{pattern})(?![\\w.$])" for pattern, _ in numbers.patterns)
        self._number = re.compile(alternatives)
        self.number_pattern = re.sub(r"\((?!\?)", "(?:", alternatives)
        self._bases = [base for _, base in numbers.patterns]
        here = "|".join(re.escape(word) + r"(?![\w.$])" for word in numbers.here)
        self._token = re.compile(
            rf"\s*(?:(?P<number>{self.number_pattern})|(?P<local>[0-9]+[fFbB])(?![\w.$])"
            rf"|(?P<text>{self.text_pattern})|(?P<here>{here})"
            rf"|(?P<name>{_NAME})|(?P<slot>[{SLOTS}])|(?P<half>@[a-z]+)|(?P<operator>\|\||&&|<<|>>|<=|>=|==|!=|<>|[-+*/%&|^~!()<>=]))"
        )
        self.parse = lru_cache(maxsize=8192)(self._parse)
        self.tokens_read = 0  # so far: a measure of the work

    def _parse(self, text: str) -> Expression:
        """Return the expression that a text is. Errors: Unfit."""
        tokens: list[tuple[str, str]] = []
        at = 0
        stripped = text.rstrip()
        while at < len(stripped):
            found = self._token.match(stripped, at)
            if not found:
                raise Unfit(f"{shortened(text)!r} is no expression")
            kind = str(found.lastgroup)
            if kind == "name" and "@" in found["name"] and found["name"].partition("@")[2] in self._names_of_halves:
                name, _, half = found["name"].partition("@")
                tokens += [("name", name), ("half", "@" + half)] if name else [("half", "@" + half)]
            else:
                tokens.append((kind, found[kind]))
            at = found.end()
        if not tokens:
            raise Unfit("an expression is missing")
        if sum(kind == "operator" and token != ")" for kind, token in tokens) > MAX_OPERATORS:
            raise Unfit(f"an expression has more than {MAX_OPERATORS} operators and brackets")
        self.tokens_read += len(tokens)
        return _Parser(self, text, tokens).whole()

    @property
    def _names_of_halves(self) -> list[str]:
        return [half[1:] for half in self._halves]

    def half(self, suffix: str) -> Callable[[int], int] | None:
        return self._halves.get(suffix)

    def characters(self, text: str) -> bytes:
        """Return the bytes of a text between quotes. Errors: Unfit."""
        return characters(text, self.escaping)

    def number(self, text: str) -> int:
        """Return the value of a number's text."""
        found = self._number.match(text)
        assert found is not None and found.lastindex is not None
        return whole_number(found[found.lastindex].replace("_", ""), self._bases[found.lastindex - 1])


def whole_number(digits: str, base: int = 10) -> int:
    """Return the value of digits. Errors: Unfit."""
    number = int(digits, base) if len(digits) <= MAX_DIGITS else 1 << MAX_BITS
    if number >> MAX_BITS:
        raise Unfit(f"{shortened(digits)} does not fit into {MAX_BITS} bits")
    return number


def characters(text: str, escaping: str) -> bytes:
    """Return the bytes of a text between quotes, with "\\n" and the like in those of `escaping`. Errors: Unfit.

    Doubled quotes are one.
    """
    quote, body = text[0], text[1:-1]
    body = body.replace(quote * 2, quote)
    out, at = bytearray(), 0
    while at < len(body):
        if body[at] != "\\" or quote not in escaping:
            out += body[at].encode("latin-1", "replace") if ord(body[at]) < 256 else body[at].encode()
            at += 1
            continue
        number = re.compile(r"\\(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3}))").match(body, at)
        if number:
            out.append((int(number[1], 16) if number[1] else int(number[2], 8)) & 255)
            at = number.end()
        elif body[at + 1 : at + 2] in ESCAPES:
            out.append(ESCAPES[body[at + 1]])
            at += 2
        else:
            raise Unfit(f"unknown escape {body[at : at + 2]} in {text}")
    return bytes(out)


class _Parser:
    """Recursive descent over the tokens of one expression."""

    def __init__(self, grammar: Grammar, text: str, tokens: list[tuple[str, str]]) -> None:
        self.grammar, self.text, self.tokens, self.at = grammar, text.strip(), tokens, 0

    def whole(self) -> Expression:
        if len(self.tokens) == 1 and self.tokens[0][0] == "number":
            return constant(self.grammar.number(self.tokens[0][1]))
        found = self.binary(0)
        if self.at < len(self.tokens):
            raise Unfit(f"{shortened(self.text)!r}: unexpected {self.tokens[self.at][1]!r}")
        return found

    def peek(self) -> tuple[str, str]:
        return self.tokens[self.at] if self.at < len(self.tokens) else ("", "")

    def binary(self, level: int) -> Expression:
        """Take operands and the operators between them that bind as `level` does, or more."""
        left = self.unary()
        while True:
            kind, operator = self.peek()
            priority = _PRIORITY.get(operator, -1) if kind in ("operator", "here") else -1  # * may be both
            if priority < level:
                return left
            self.at += 1
            left = _combine(_Binary(operator, left, self.binary(priority + 1), self.text, self.grammar.true))

    def unary(self) -> Expression:
        kind, token = self.peek()
        self.at += 1
        if kind == "operator" and token in "+-~!":
            return _unary(token, self.unary())
        if token == "(":
            found = self.binary(0)
            if self.peek()[1] != ")":
                raise Unfit(f"{shortened(self.text)!r}: ) is missing")
            self.at += 1
            return self.halved(found)
        if kind == "number":
            return constant(self.grammar.number(token))
        if kind == "text":
            content = self.grammar.characters(token)
            if not 1 <= len(content) <= 4:
                raise Unfit(f"{token}: one to four characters make a number")
            return constant(int.from_bytes(content, self.grammar.text_order))
        if kind == "here":
            return lambda scope: scope.here()
        if kind == "local":
            return _local(token)
        if kind == "name":
            return self.halved(SymbolExpression(token))
        if kind == "slot":
            number = ord(token) - FIRST_SLOT
            return self.halved(lambda scope: cast(Slots, scope).slot(number))
        raise Unfit(f"{shortened(self.text)!r}: " + (f"unexpected {token!r}" if token else "an operand is missing"))

    def halved(self, value: Expression) -> Expression:
        kind, token = self.peek()
        if kind != "half":
            return value
        function = self.grammar.half(token)
        if not function:
            raise Unfit(f"{shortened(self.text)!r}: {token} is not known")
        self.at += 1
        return lambda scope: Value(function(value(scope).number), HALF)


def _local(token: str) -> Expression:
    number, ahead = whole_number(token[:-1]), token[-1] in "fF"

    def evaluate(scope: Scope) -> Value:
        found = scope.numbered(number, ahead)
        if found is None:
            if not ahead and set(token[:-1]) <= {"0", "1"}:
                return Value(int(token[:-1], 2))
            raise Unfit(f"no label {number}: {'ahead' if ahead else 'before this'}", near=True)
        return found

    return evaluate


def _unary(operator: str, operand: Expression) -> Expression:
    function = {"+": lambda n: n, "-": lambda n: -n, "~": lambda n: ~n, "!": lambda n: int(not n)}[operator]
    return lambda scope: Value(function(operand(scope).number))


def divided(a: int, b: int) -> int:
    """Return the quotient, rounded towards zero as processors do."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "&": lambda a, b: a & b,
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": divided,
    "%": lambda a, b: a - b * divided(a, b),
}
"""What operators do with whole numbers of any size, here and in conditions of the debugger."""

COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
"""Likewise."""

_FUNCTIONS: dict[str, Callable[[int, int], int]] = ARITHMETIC | {
    "||": lambda a, b: int(bool(a or b)),
    "&&": lambda a, b: int(bool(a and b)),
}
_COMPARISONS = COMPARISONS | {"=": COMPARISONS["=="], "<>": COMPARISONS["!="]}


class _Binary:
    """Two expressions and the operator between them."""

    __slots__ = ("_function", "_operator", "_text", "left", "right", "weight")

    def __init__(self, operator: str, left: Expression, right: Expression, text: str, true: int) -> None:
        self._operator, self.left, self.right, self._text = operator, left, right, text
        self._function = _FUNCTIONS.get(operator) or _truth(_COMPARISONS[operator], true)
        self.weight = weight(left) + weight(right) + 1

    def __call__(self, scope: Scope) -> Value:
        a, b = self.left(scope), self.right(scope)
        operator = self._operator
        if operator in ("/", "%") and not b.number:
            raise Unfit(f"{shortened(self._text)!r}: division by zero", near=True)
        if operator in ("<<", ">>") and not 0 <= b.number < MAX_BITS:
            raise Unfit(f"{shortened(self._text)!r}: shift by {b.number}: allowed 0..{MAX_BITS - 1}", near=True)
        number = self._function(a.number, b.number)
        if abs(number) >> MAX_BITS:
            raise Unfit(f"{shortened(self._text)!r} does not fit into {MAX_BITS} bits", near=True)
        if operator == "+" and (a.section is None or b.section is None):
            return Value(number, a.section if b.section is None else b.section)
        if operator == "-" and b.section is None:
            return Value(number, a.section)
        return Value(number)


def weight(expression: Expression) -> int:
    """Return how much work an expression is: its operators and operands."""
    return getattr(expression, "weight", 1)


def _truth(compare: Callable[[int, int], bool], true: int) -> Callable[[int, int], int]:
    return lambda a, b: true if compare(a, b) else 0


def _combine(both: _Binary) -> Expression:
    """Return an expression of two, a number where both are numbers."""
    if isinstance(both.left, Constant) and isinstance(both.right, Constant):
        try:
            return Constant(both(_NOWHERE).number)
        except Unfit:  # said where it is used
            pass
    return both


_NOWHERE = cast(Scope, None)  # constants ask for nothing
