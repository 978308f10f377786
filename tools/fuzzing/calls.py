"""The library's functions: hostile values and shapes, arrays between guard pages, a thread that writes meanwhile."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cached_property
from random import Random
from threading import Event, Thread
from typing import Any

import numpy as np

from .target import Find, Target

COUNTS = (0, 1, 2, 3, 31, 32, 33, 255, 256, 257, 700, 1500)
PREPARED = (3, 700)  # few objects and many have kernels of their own
CHANGES = (
    "none",
    "extreme",
    "noise",
    "same",
    "strided",
    "reversed",
    "read-only",
    "short",
    "long",
    "flat",
    "kind",
    "swapped",
    "scalar",
)
PLACES = ("heap", "before a guard page", "behind a guard page")
KINDS = ("float64", ">i4", "bool", "object", "complex128", "datetime64[s]", "S3")  # none of which is taken by all
MAX_ENTRIES = 200_000  # that a changed array may have


class Call(Target):
    name, about, ci_inputs = "call", "calls of the library, with a thread that writes into the arrays meanwhile", 20

    @cached_property
    def functions(self) -> dict[str, Callable]:
        from tests.collide.test_interface import CALLS, name_of

        return {name_of(function): function for function in CALLS}

    def prepare(self) -> None:
        """Have the kernels compiled, and keep them: later ones are for types that few calls have."""
        from retrosim.collide._first_calls import COMPILER
        from tests.collide.hostile_memory import large

        for function in self.functions.values():
            for count in PREPARED:
                function(**large(function, count))
                COMPILER.wait()

    def make(self, chance: Random) -> bytes:
        return json.dumps(
            {
                "function": chance.choice(list(self.functions)),
                "count": chance.choice(COUNTS),
                "changes": [chance.choice(CHANGES) if chance.random() < 0.25 else "none" for _ in range(12)],
                "place": chance.choice(PLACES),
                "writes": chance.random() < 0.5,
                "out": chance.random() < 0.3,
                "seed": chance.getrandbits(32),
            }
        ).encode()

    def is_limited(self, accepted: bool) -> bool:
        return False  # kernels are compiled at their first call

    def attempt(self, data: bytes) -> bool:
        from tests.collide.hostile_memory import each_array, guarded, large, out_of

        given = json.loads(data)
        function = self.functions[given["function"]]
        chance = np.random.default_rng(given["seed"])
        good = {name: each_array(value, np.copy) for name, value in large(function, given["count"]).items()}
        arguments: dict[str, Any] = dict(good)
        if given["out"]:
            try:
                arguments |= out_of(function, function(**good))
            except ValueError:
                return False
        for (name, value), change in zip(list(arguments.items()), given["changes"]):
            arguments[name] = each_array(value, lambda a, c=change: _changed(a, c, chance))
        if given["place"] != PLACES[0]:
            at_end = given["place"] == PLACES[1]
            arguments = {
                name: each_array(value, lambda a: _placed(guarded, a, at_end)) for name, value in arguments.items()
            }
        try:
            with _writing(arguments, given["writes"], chance):
                function(**arguments)
        except (ValueError, TypeError) as error:
            if "\n" in str(error) or len(str(error)) > 300:
                raise Find(f"{given['function']}: a refusal that is not one short line") from None
            if isinstance(error, TypeError) and "retrosim" in str(error.__traceback__):
                raise
            return False
        return True


def _placed(guarded: Callable, values: np.ndarray, at_end: bool) -> np.ndarray:
    if not isinstance(values, np.ndarray) or values.dtype.hasobject or not values.flags.c_contiguous:
        return values
    return guarded(values, at_end)


def _changed(values: np.ndarray, change: str, chance: np.random.Generator) -> Any:
    """Return an array that differs in one way."""
    if values.dtype.fields and change in ("extreme", "same", "kind", "swapped"):
        change = "noise"
    if change == "extreme":
        info = np.iinfo(values.dtype) if values.dtype.kind in "iu" else None
        odd = [info.min, info.max, 0, 1, info.max - 1] if info else [0, 1]
        places = chance.random(values.shape) < 0.3
        return np.where(places, chance.choice(np.array(odd, values.dtype), values.shape), values)
    if change == "noise":
        return (
            np.frombuffer(chance.bytes(values.nbytes), np.uint8).view(values.dtype).reshape(values.shape).copy()
            if values.size
            else values
        )
    if change == "same":
        return np.full_like(values, values.reshape(-1)[0] if values.size else 0)
    if change == "strided":
        return np.repeat(values, 2, axis=0)[::2] if values.size < MAX_ENTRIES else values
    if change == "reversed":
        return values[::-1]
    if change == "read-only":
        values = values.copy()
        values.flags.writeable = False
        return values
    if change == "short":
        return values[: max(0, len(values) - 1 - int(chance.integers(3)))]
    if change == "long":
        return np.concatenate([values, values[:1]]) if len(values) else values
    if change == "flat":
        return values.reshape(-1) if values.ndim > 1 else values[:, None]
    if change == "kind":
        kind = str(chance.choice(KINDS))
        return values.astype(kind) if values.size < MAX_ENTRIES else values
    if change == "swapped":
        return values.astype(values.dtype.newbyteorder())
    if change == "scalar":
        return chance.choice(np.array([0, -1, 30, 2**31 - 1])).item()
    return values


class _writing:
    """Writes into the arrays from another thread, meanwhile."""

    def __init__(self, arguments: dict[str, Any], is_on: bool, chance: np.random.Generator) -> None:
        values = [each for value in arguments.values() for each in (value if isinstance(value, tuple) else [value])]
        self._arrays = [
            v for v in values if isinstance(v, np.ndarray) and v.flags.writeable and v.size and not v.dtype.hasobject
        ]
        self._done, self._thread = Event(), Thread(target=self._write) if is_on and self._arrays else None
        self._contents = [
            (a.copy(), np.frombuffer(chance.bytes(a.nbytes), np.uint8).view(a.dtype).reshape(a.shape))
            for a in self._arrays
        ]

    def _write(self) -> None:
        turn = 0
        while not self._done.is_set():
            for array, choices in zip(self._arrays, self._contents):
                array[...] = choices[turn % 2]
            turn += 1

    def __enter__(self) -> None:
        if self._thread:
            self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._done.set()
        if self._thread:
            self._thread.join()


CALLS = (Call(),)
