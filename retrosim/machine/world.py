"""The world: what a scenario's objects are and do, in one layout that every machine shares.

It is an ordered list of named columns of 32-bit integers. Two machines are in the same world if all columns are equal;
the hash stands for that comparison on tapes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Difference:
    """The first place where two worlds differ.

    column  name of the column
    index   entry in it
    ours, theirs  the two values; None where a world has no such column or entry
    """

    column: str
    index: int
    ours: int | None
    theirs: int | None

    def __str__(self) -> str:
        ours, theirs = ("missing" if value is None else value for value in (self.ours, self.theirs))
        return f"{self.column}[{self.index}]: {ours} against {theirs}"


class World:
    """A snapshot of the scenario's state.

    columns  dict[str, int32[n]]  in the order of the ROM's object-table description; not writable
    """

    def __init__(self, columns: Mapping[str, np.ndarray | Sequence[int]]) -> None:
        """Take a copy of the columns; unsigned words of 32 bits wrap to int32.

        columns  ASCII name -> integers [n], each -2**31..2**32-1
        Errors   ValueError
        """
        self.columns: dict[str, np.ndarray] = {}
        for name, given in columns.items():
            if not name.isascii():
                raise ValueError(f"column {name!r}: allowed ASCII names")
            values = np.asarray(given, np.int64)
            if values.ndim != 1:
                raise ValueError(f"column {name} has shape {values.shape}: allowed one dimension")
            if values.size and not (values.min() >= -(2**31) and values.max() < 2**32):
                raise ValueError(f"column {name} spans {values.min()}..{values.max()}: allowed {-(2**31)}..{2**32 - 1}")
            column = values.astype(np.int32)
            column.flags.writeable = False
            self.columns[name] = column

    def hash(self) -> str:
        """Return 16 hex digits that are equal on all machines in the same world.

        blake2b of 8 bytes over each column in order: its name, one zero byte, the number of entries as 32 bits
        and every entry as 32 bits, all little-endian.
        """
        digest = hashlib.blake2b(digest_size=8)
        for name, column in self.columns.items():
            digest.update(name.encode("ascii") + b"\0" + len(column).to_bytes(4, "little"))
            digest.update(column.astype("<i4").tobytes())
        return digest.hexdigest()

    def difference(self, other: World) -> Difference | None:
        """Return the first difference to another world, by our order of columns, or None."""
        for name in [*self.columns, *(name for name in other.columns if name not in self.columns)]:
            ours, theirs = self.columns.get(name), other.columns.get(name)
            if ours is None or theirs is None:
                return Difference(name, 0, _entry(ours, 0), _entry(theirs, 0))
            shared = min(len(ours), len(theirs))
            unequal = np.flatnonzero(ours[:shared] != theirs[:shared])
            index = int(unequal[0]) if len(unequal) else shared
            if index < max(len(ours), len(theirs)):
                return Difference(name, index, _entry(ours, index), _entry(theirs, index))
        return None

    def __repr__(self) -> str:
        shown = {name: f" {each[0]}" if len(each) == 1 else f"[{len(each)}]" for name, each in self.columns.items()}
        return f"<World {self.hash()}: {', '.join(f'{name}{value}' for name, value in shown.items())}>"

    def __eq__(self, other: object) -> bool:
        """Tell whether the other world has the same columns, in the same order, with the same entries."""
        if not isinstance(other, World):
            return NotImplemented
        return list(self.columns) == list(other.columns) and self.difference(other) is None

    __hash__ = None  # type: ignore[assignment]  # `hash()` is the method for tapes; worlds are not dictionary keys


def _entry(column: np.ndarray | None, index: int) -> int | None:
    return int(column[index]) if column is not None and index < len(column) else None
