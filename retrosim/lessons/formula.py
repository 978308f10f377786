"""Formulas over the reports of commands: `study.rows["boxes"].tests / study.rows["four-shifts"].tests`.

A name is that of a report, `.key` or `["key"]` what is in it; of a list, `["name"]` is the row whose first key has that
name. Beside them there are numbers, + - * / and parentheses.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

MAX_LENGTH = 200  # characters

_OPERATIONS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


class Formula:
    """A formula, read and checked.

    text    as it was written
    names   of the reports that it needs
    """

    def __init__(self, text: str) -> None:
        """Read a formula. Errors: ValueError."""
        self.text = text
        try:
            if len(text) > MAX_LENGTH:
                raise ValueError
            self._tree = ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise ValueError(f"{text[:40]!r} is no formula of at most {MAX_LENGTH} characters") from None
        for node in ast.walk(self._tree):
            self._check(node)
        self.names = {node.id for node in ast.walk(self._tree) if isinstance(node, ast.Name)}

    def value(self, reports: Mapping[str, Any]) -> int | float:
        """Return the value, a whole one as an int.

        reports  name -> report, as its JSON
        Errors   ValueError  something is not there, or is no number
        """
        try:
            value = self._value(self._tree, reports)
        except (KeyError, IndexError, TypeError, ZeroDivisionError, OverflowError) as error:
            raise ValueError(f"{self.text}: {type(error).__name__} {error}") from None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"{self.text}: is no number")
        return int(value) if value == int(value) else value

    def _check(self, node: ast.AST) -> None:
        allowed = (ast.BinOp, ast.Attribute, ast.Subscript, ast.Name, ast.Load, *_OPERATIONS)
        if isinstance(node, ast.Constant):
            is_allowed = type(node.value) in (int, float, str)
        elif isinstance(node, ast.Subscript):
            is_allowed = isinstance(node.slice, ast.Constant)
        else:
            is_allowed = isinstance(node, allowed)
        if not is_allowed:
            raise ValueError(f'{self.text!r}: allowed names, numbers, .key, ["key"], + - * / and parentheses')

    def _value(self, node: ast.expr, reports: Mapping[str, Any]) -> Any:
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return reports[name]
            case ast.Attribute(value=inner, attr=key):
                return _part(self._value(inner, reports), key)
            case ast.Subscript(value=inner, slice=ast.Constant(value=key)):
                return _part(self._value(inner, reports), key)
            case ast.BinOp(left=left, op=operation, right=right):
                sides = self._value(left, reports), self._value(right, reports)
                if not all(isinstance(side, int | float) for side in sides):
                    raise TypeError("a side is no number")
                return _OPERATIONS[type(operation)](*sides)
        raise TypeError(type(node).__name__)


def _part(value: Any, key: Any) -> Any:
    """Return an entry of a report; of a list of rows, the one of a name. Errors: KeyError, IndexError, TypeError."""
    if isinstance(value, list) and isinstance(key, str):
        rows = [row for row in value if next(iter(row.values()), None) == key]
        if not rows:
            raise KeyError(key)
        return rows[0]
    if not isinstance(value, list | dict):
        raise TypeError(f"nothing is in {value!r}")
    return value[key]
