"""What the study knows of a method: a row. Each file of `methods` has the rows of one text; a new file joins by itself.

A frame of a method is what a program does once a frame to find all collisions: methods for pairs go over all pairs,
sectors and blocks over their lists; the loop of Jon E P 2007 goes over all pairs in both orders, and what collides
leaves it; the bitmap method looks under each object, on a screen that is empty at first, and draws it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from retrosim.machine import Machine

from .scenes import Forms

Of = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class RepeatedFrame:
    """A frame to run, again and again.

    calls   kernels and their arguments
    hits    returns for each pair of the scene whether they find it, uint8[m]
    fresh   makes what a frame begins with as it was before `calls`
    result  array that `calls` write, if that is not about each pair
    """

    calls: list[tuple[Any, tuple]]
    hits: Callable[[], np.ndarray]
    fresh: Callable[[], None] = lambda: None
    result: np.ndarray | None = None

    def run(self) -> None:
        """Run the kernels."""
        for kernel, arguments in self.calls:
            kernel(*arguments)


def as_it_is(array: np.ndarray) -> np.ndarray:
    """Return an array unchanged: the `of` of a frame that compiled kernels run."""
    return array


@dataclass(frozen=True)
class Method:
    """A row of the study.

    name       in options and results
    document   author and year of the text that it is from
    title      what it does
    reference  what is exact for the very forms that it is given
    test       the kernel that tests a pair, or an object; its calls are counted
    prepare    makes a frame of a scene's forms; `of` is applied to all arrays of geometry, to count operations on them
    exact      tells whether two objects collide, by a function of `exact`
    routine    its machine code in a ROM, None without one: then it has no clocks
    is_exact   False if it is known to differ from `exact`, as its text has it
    """

    name: str
    document: str
    title: str
    reference: str
    test: Any
    prepare: Callable[[Forms, Of], RepeatedFrame]
    exact: Callable[[Forms, int, int], bool]
    routine: MethodCode | None = None
    is_exact: bool = True

    @property
    def code(self) -> MethodCode:
        """Its machine code. Errors: ValueError if it has none."""
        if self.routine is None:
            raise ValueError(f"method {self.name!r}: no ROM has it")
        return self.routine

    def frame(self, forms: Forms, of: Of = as_it_is) -> RepeatedFrame:
        """Return a frame; with the `of` of a Count, one for its `plain` kernels."""
        return self.prepare(forms, of)


def integers(column: np.ndarray, dtype: type = np.int32) -> np.ndarray:
    """Return a column as kernels take it."""
    return np.ascontiguousarray(column, dtype)


def pair_frame(forms: Forms, loop: Any, *before: Any, after: tuple = ()) -> RepeatedFrame:
    """Return a frame that tests all pairs by a loop with the arguments (*before, pairs, *after, out)."""
    pairs = forms.scene.pairs
    out = np.zeros(len(pairs), np.uint8)
    return RepeatedFrame([(loop, (*before, pairs, *after, out))], lambda: out)


def pair_rows(forms: Forms, times: int = 1) -> np.ndarray:
    """Return int32[.., 2] with enough rows for all pairs, so many times, and -1 in all of them."""
    return np.full((times * forms.count * (forms.count - 1) // 2, 2), -1, np.int32)


def is_listed(forms: Forms, found: np.ndarray) -> np.ndarray:
    """Return for each pair whether a list has it, uint8[m]; rows below 0 were not filled."""
    table = np.zeros((forms.count, forms.count), np.uint8)
    rows = np.sort(found[found[:, 0] >= 0], axis=1)
    table[rows[:, 0], rows[:, 1]] = 1
    return table[np.triu_indices(forms.count, 1)]


# The ROM code of a method: how a scene is laid out in simulated memory for it, and how its result is read.
#
# A layout writes a scene's forms into a machine and returns the call that makes a frame of it, and what reads the
# result. Records in memory are written as text: "name:type" of each field, types as NumPy writes them, "s" for a
# `scalar`.

LISTS, OBJECTS, FOUND, WORK = 0x200000, 0x300000, 0x400000, 0x500000  # free memory of every ROM
EVERYONE = 0xFFFF

FOUND_PAIR = "a:i4 b:i4"
SCENE = "objects:u4 stride:i4 count:i4 found:u4 capacity:i4 looked_at:i4 total:i4"  # roms/shapes/src/shapes.h


class Unit(Machine):
    """A machine with a ROM whose memory is written and read in records."""

    @property
    def order(self) -> str:
        """The byte order, as NumPy writes it."""
        return "<" if self.image.byte_order == "little" else ">"

    def kind(self, record: str) -> np.dtype:
        """Return the dtype of a record."""
        fields = (each.split(":") for each in record.split())
        scalar = "i4" if self.image.isa == "ppc601" else "i2"
        return np.dtype([(field, self.order + (scalar if word == "s" else word)) for field, word in fields])

    def put(self, record: str, address: int, count: int, /, **columns: object) -> int:
        """Write records, columns not given 0, everyone in every category; return the address behind them."""
        table = np.zeros(count, self.kind(record))
        for column in ("category", "mask"):
            if column in table.dtype.names:
                table[column] = EVERYONE
        for column, values in columns.items():
            table[column] = values
        self.write(address, table.tobytes())
        return address + table.nbytes

    def get(self, record: str, address: int, count: int) -> np.ndarray:
        """Return a copy of records in memory."""
        dtype = self.kind(record)
        return self.mem[address : address + count * dtype.itemsize].copy().view(dtype)

    def found(self, address: int, record: str) -> list[tuple[int, int]]:
        """Return the pairs that a record with the fields `found` and `total` lists."""
        row = self.get(record, address, 1)[0]
        return sorted((int(a), int(b)) for a, b in self.get(FOUND_PAIR, int(row["found"]), int(row["total"])))


Call = tuple[str, tuple[int, ...]]
Layout = Callable[[Unit, Forms, str], tuple[Call, Callable[[], object]]]


@dataclass(frozen=True)
class MethodCode:
    """Machine code of a method.

    rom       the ROM's name
    entry     the routine that tests two objects, or all of a frame
    layout    lays a scene out for it
    expected  makes of the kernel's frame (forms, frame) what the layout's reader is to return
    """

    rom: str
    entry: str
    layout: Layout
    expected: Callable[[Forms, RepeatedFrame], object]


def pairs_of(forms: Forms, frame: RepeatedFrame) -> list[tuple[int, int]]:
    """Return the pairs that the kernel found, in ascending order."""
    return [(int(a), int(b)) for a, b in forms.scene.pairs[frame.hits() > 0]]


def flags_of(forms: Forms, frame: RepeatedFrame) -> list[int]:
    """Return 1 for each object that is in a pair."""
    colliding = {each for pair in pairs_of(forms, frame) for each in pair}
    return [int(each in colliding) for each in range(forms.count)]


def hits_of(forms: Forms, frame: RepeatedFrame) -> list[int]:
    """Return 1 for each pair that the kernel found, 0 for the others."""
    return frame.hits().tolist()


def result_of(forms: Forms, frame: RepeatedFrame) -> list:
    """Return what the kernel wrote."""
    assert frame.result is not None
    return frame.result.tolist()


def pair_loop(record: str, put: Callable[[Unit, Forms], None]) -> Layout:
    """Lay a scene out for HandleCollision of the ROM `shapes`, the loop over all pairs of No-collision boxes 2011."""

    def lay_out(unit: Unit, forms: Forms, entry: str) -> tuple[Call, Callable[[], object]]:
        put(unit, forms)
        capacity, stride = len(forms.scene.pairs), unit.kind(record).itemsize
        columns = {"objects": OBJECTS, "stride": stride, "count": forms.count, "found": FOUND, "capacity": capacity}
        unit.put(SCENE, LISTS, 1, **columns)
        return ("HandleCollision", (LISTS, unit.address(entry))), lambda: unit.found(LISTS, SCENE)

    return lay_out
