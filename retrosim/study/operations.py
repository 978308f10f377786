"""What a kernel spends on geometry, counted by running its own Python code on numbers that count.

`Count.plain` returns a kernel, and all kernels that it calls, as Python functions; `Count.of` makes the numbers.
Operations on these count: on coordinates, sides, radii, masks and pixels, and on everything computed from them. Loops
and indices, table look-ups, conversions, and cutting a word to its width are free.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

KINDS = ("additions", "multiplications", "comparisons", "bits")
"""Subtractions and changes of sign are additions; shifts, AND, OR and XOR are operations on bits."""

_BINARY = {"add": 0, "sub": 0, "mul": 1, "lshift": 3, "rshift": 3, "and": 3, "or": 3, "xor": 3}
_COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
_UNARY = ("neg", "abs")


class Address(int):
    """A number that only serves to address memory: what is computed from it is not counted."""


class Count:
    """Numbers that count the operations on them.

    spent  operations so far, by kind
    tests  calls of the kernel that tests a pair
    of     gives a counting copy of an array
    """

    def __init__(self) -> None:
        self.spent: Counter[str] = Counter(dict.fromkeys(KINDS, 0))
        self.tests = 0
        self._number = type("Counted", (int,), {"__hash__": int.__hash__} | dict(self._operators()))

    def _operators(self):
        def binary(name: str, kind: str, swap: bool = False) -> Callable:
            compute = getattr(int, name)

            def operate(one, other):
                if isinstance(other, Address):
                    return compute(int(one), int(other))
                self.spent[kind] += 1
                result = compute(int(other), int(one)) if swap else compute(int(one), int(other))
                return self._number(result) if type(result) is int else result

            return operate

        def unary(name: str) -> Callable:
            def operate(one):
                self.spent[KINDS[0]] += 1
                return self._number(getattr(int, name)(one))

            return operate

        for name, kind in _BINARY.items():
            yield f"__{name}__", binary(f"__{name}__", KINDS[kind])
            yield f"__r{name}__", binary(f"__{name}__", KINDS[kind], swap=True)
        yield from ((f"__{name}__", binary(f"__{name}__", KINDS[2])) for name in _COMPARISONS)
        yield from ((f"__{name}__", unary(f"__{name}__")) for name in _UNARY)

    def of(self, array: np.ndarray) -> np.ndarray:
        """Return an array, or a table with named columns, whose numbers count."""
        if array.dtype.names:
            table = np.empty(array.shape, [(name, object) for name in array.dtype.names])
            for name in array.dtype.names:
                table[name] = self.of(array[name])
            return table
        copy = np.empty(array.shape, object)
        copy.reshape(-1)[:] = [self._number(value) for value in array.reshape(-1).tolist()]
        return copy

    def plain(self, kernel: Any, test: Any) -> Callable:
        """Return a kernel as a Python function that calls Python functions only.

        test  the kernel that tests a pair; its calls are counted
        """
        return self._plain(kernel, test, {})

    def _plain(self, kernel: Any, test: Any, made: dict[int, Callable]) -> Callable:
        if id(kernel) in made:
            return made[id(kernel)]
        function = kernel.py_func
        names = dict(function.__globals__)
        copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__)
        made[id(kernel)] = found = self._counting_calls(copy) if kernel is test else copy
        for name in function.__code__.co_names:
            if hasattr(names.get(name), "py_func"):
                names[name] = self._plain(names[name], test, made)
        names |= {"int": self._integer, "np": _Words(self._integer)}
        if "wrap" in names:
            names["wrap"] = lambda value, is_16_bit: value
        return found

    def _integer(self, value: Any) -> Any:
        return value if isinstance(value, self._number) else int(value)

    def _counting_calls(self, function: Callable) -> Callable:
        def call(*arguments):
            self.tests += 1
            return function(*arguments)

        return call


class _Words:
    """What kernels use of NumPy: conversions to words, and arrays of numbers of objects."""

    def __init__(self, convert: Callable[[Any], int]) -> None:
        self.int64 = self.uint64 = self.uint32 = convert

    @staticmethod
    def empty(count: int, kind: Callable[[Any], int]) -> np.ndarray:
        return np.empty(count, np.int64)
