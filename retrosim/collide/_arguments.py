"""Checks of what callers pass: every error names the argument, its value and what is allowed.

Other threads may write into a caller's arrays at any time. So each is copied once, the copy is checked, and kernels get
the copy: functions called `own_..` return such copies. What is too large to be copied in every call (a frame, the
pixels of sprites) holds no number that a kernel takes for an index.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from retrosim.checks import check_choice, check_integer

from ._first_calls import call
from .kernels.shapes.boxes import Filter
from .kernels.shapes.masks import first_misplaced

SCALARS = (np.dtype(np.int16), np.dtype(np.int32))
COLUMN = np.dtype(np.int32)  # of tables of sprites

# Coordinates of all modules but `sectors`, `plane` and `batch`: their differences, and their sums with a side, fit 16
# bits signed; the sum of two squared differences fits 32 bits signed, that of three 32 bits unsigned. Nothing wraps.
MIN_COORDINATE, MAX_COORDINATE = -16384, 16383
MIN_PART, MAX_PART = MIN_COORDINATE // 2, MAX_COORDINATE // 2  # of origins and offsets, whose sums stay in that range
EVERYONE = 0xFFFF  # all categories
BUILDS = ("inline", "macro")  # of `_Abs`, see `documents.sectors.intersect`


def is_array(value: object) -> bool:
    """Tell whether this is an array all of whose numbers count: one of NumPy's that is not masked."""
    return type(value) is np.ndarray or (isinstance(value, np.ndarray) and not isinstance(value, np.ma.MaskedArray))


def refuse_masks(**arrays: object) -> None:
    """Refuse masked arrays: what they hide would be computed with."""
    for name, array in arrays.items():
        if isinstance(array, np.ma.MaskedArray):
            raise ValueError(f"{name} is {form_of(array)}: allowed arrays without a mask")


def form_of(value: object) -> str:
    """Return dtype and shape of an array, or the type of anything else, for errors."""
    if not isinstance(value, np.ndarray):
        return type(value).__name__
    return f"{'' if is_array(value) else 'masked '}{value.dtype}{list(value.shape)}"


def check_layout(name: str, array: np.ndarray, is_written: bool = False) -> None:
    """Check that an array is C-contiguous and, if it is to be written, writable."""
    if not array.flags.c_contiguous:
        raise ValueError(f"{name} has strides {array.strides}: allowed C-contiguous arrays only")
    if is_written and not array.flags.writeable:
        raise ValueError(f"{name} is read-only: allowed a writable array")


def check_vectors(**vectors: np.ndarray) -> int:
    """Check that arrays are C-contiguous vectors of one dtype, int16 or int32, and of one length; return the length."""
    first_name, first = next(iter(vectors.items()))
    for name, values in vectors.items():
        if not is_array(values):
            raise ValueError(f"{name} is a {type(values).__name__}: allowed a NumPy array, int16[n] or int32[n]")
        if values.dtype not in SCALARS:
            raise ValueError(f"{name} has dtype {values.dtype}: allowed int16 or int32")
        if values.ndim != 1:
            raise ValueError(f"{name} has shape {values.shape}: allowed one dimension, [n]")
        check_layout(name, values)
        if values.dtype != first.dtype:
            raise ValueError(f"{name} has dtype {values.dtype}: allowed {first.dtype}, as {first_name} has")
        if len(values) != len(first):
            raise ValueError(f"{name} has length {len(values)}: allowed {len(first)}, as {first_name} has")
    return len(first)


def own_copy(values: np.ndarray) -> np.ndarray:
    """Return a C-contiguous copy that nobody else can write."""
    return values.copy() if type(values) is np.ndarray else np.array(values, order="C")


def is_within(values: np.ndarray, minimum: int, maximum: int) -> bool:
    """Tell whether every entry of a vector is in minimum..maximum; NumPy needs no compiler for it."""
    return not len(values) or bool(np.minimum.reduce(values) >= minimum and np.maximum.reduce(values) <= maximum)


def first_beyond(values: np.ndarray, minimum: int, maximum: int) -> int:
    """Return the index of the first entry of a vector outside minimum..maximum, or -1."""
    return -1 if is_within(values, minimum, maximum) else int(np.argmax((values < minimum) | (values > maximum)))


def check_range(minimum: int, maximum: int, unit: str = "", /, **arrays: np.ndarray) -> None:
    """Check that every entry of these arrays is in minimum..maximum.

    unit    added to the error
    arrays  integers[n] or integers[m, k], copies of our own
    """
    for name, values in arrays.items():
        flat = values if values.ndim == 1 else values.reshape(-1)
        index = first_beyond(flat, minimum, maximum)
        if index >= 0:
            where = ", ".join(map(str, np.unravel_index(index, values.shape)))
            raise ValueError(f"{name}[{where}] = {flat[index]}: allowed {minimum}..{maximum}{unit}")


def own_within(minimum: int, maximum: int, /, **vectors: np.ndarray) -> list[np.ndarray]:
    """Return copies of vectors that `check_vectors` has seen, every entry in minimum..maximum."""
    copies = [own_copy(values) for values in vectors.values()]
    for name, copy in zip(vectors, copies):
        if not is_within(copy, minimum, maximum):
            check_range(minimum, maximum, **{name: copy})
    return copies


def own_positions(**coordinates: np.ndarray) -> list[np.ndarray]:
    """Return copies of vectors of coordinates, MIN_COORDINATE..MAX_COORDINATE."""
    check_vectors(**coordinates)
    return own_within(MIN_COORDINATE, MAX_COORDINATE, **coordinates)


def check_table(name: str, table: np.ndarray, columns: int, *dtypes: type, min_rows: int = 0) -> int:
    """Check a C-contiguous table of `columns` columns and at least `min_rows` rows; return its rows."""
    if not is_array(table) or table.dtype not in dtypes or table.ndim != 2 or table.shape[1] != columns:
        allowed = " or ".join(f"{np.dtype(d)}[n, {columns}]" for d in dtypes)
        raise ValueError(f"{name} is {form_of(table)}: allowed {allowed}")
    check_layout(name, table)
    if len(table) < min_rows:
        raise ValueError(f"{name} has {len(table)} rows: allowed {min_rows} or more")
    return len(table)


def own_table(name: str, table: np.ndarray, columns: int, *dtypes: type) -> np.ndarray:
    """Return a copy of a table, see `check_table`."""
    check_table(name, table, columns, *dtypes)
    return own_copy(table)


def own_pairs(pairs: np.ndarray, count: int) -> np.ndarray:
    """Return a copy of a list of pairs, int32[m, 2] of indices below `count`."""
    copy = own_table("pairs", pairs, 2, np.int32)
    check_range(0, count - 1, pairs=copy)
    return copy


def check_words(name: str, array: np.ndarray, dtype: type, minimum: int, maximum: int | None = None) -> None:
    """Check a vector of `dtype` that is written: its length is minimum..maximum."""
    if not is_array(array) or array.dtype != dtype or array.ndim != 1:
        raise ValueError(f"{name} is {form_of(array)}: allowed {np.dtype(dtype)}[n]")
    check_layout(name, array, is_written=True)
    if len(array) < minimum or (maximum is not None and len(array) > maximum):
        raise ValueError(f"{name} has length {len(array)}: allowed {minimum}" + (" or more" if maximum is None else ""))


def own_numbers(name: str, numbers: np.ndarray, count: int, maximum: int) -> np.ndarray:
    """Return a copy of int32[count], each 0..maximum."""
    if not is_array(numbers) or numbers.dtype != np.int32 or numbers.shape != (count,):
        raise ValueError(f"{name} is {form_of(numbers)}: allowed int32[{count}]")
    check_layout(name, numbers)
    copy = own_copy(numbers)
    check_range(0, maximum, **{name: copy})
    return copy


def own_starts(name: str, starts: np.ndarray | None, count: int) -> np.ndarray:
    """Return where scenes begin and the last one ends, int64[scenes + 1]; one scene for None."""
    if starts is None:
        return np.array([0, count])
    if not is_array(starts) or starts.dtype.kind not in "iu" or not starts.dtype.isnative or starts.ndim != 1:
        raise ValueError(f"{name} is {form_of(starts)}: allowed integers[scenes + 1]")
    copy = starts.astype(np.int64)
    if len(copy) == 0 or copy[0] != 0 or copy[-1] != count or (np.diff(copy) < 0).any():
        raise ValueError(f"{name} of {len(copy)} numbers: allowed 0, then never less than before, at last {count}")
    return copy


def check_apart(name: str, array: np.ndarray | None, other: str, before: np.ndarray | None) -> None:
    """Check that two arrays that are both written, unless they are None, have no memory in common."""
    if array is not None and before is not None and np.may_share_memory(array, before):
        raise ValueError(f"{name} shares memory with {other}: allowed separate arrays, both are written")


def apart_from(written: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return an array that is only read, or a copy if it shares memory with one that is written."""
    return own_copy(values) if np.may_share_memory(written, values) else values


def is_16_bit(abs: str, scalar: np.dtype) -> bool:
    """Tell whether a build compares 16-bit differences: a 16-bit scalar and the inline `_Abs`. Errors: ValueError."""
    check_choice("abs", abs, BUILDS)
    return abs == BUILDS[0] and scalar == SCALARS[0]


def _filled(value: int, dtype: type, *shape: int) -> np.ndarray:
    """Return a new array of one value; faster than np.full."""
    array: np.ndarray = np.empty(shape, dtype)
    array.fill(value)
    return array


def _own_per_object(name: str, values: np.ndarray, kinds: str, *shapes: tuple[int, ...]) -> np.ndarray:
    """Return a copy of integers of one of these kinds and shapes."""
    if not is_array(values) or values.dtype.kind not in kinds or not values.dtype.isnative:
        form = values.dtype if is_array(values) else form_of(values)
        raise ValueError(f"{name} has dtype {form}: allowed integers, in the byte order of this machine")
    if values.shape not in shapes:
        raise ValueError(f"{name} has shape {values.shape}: allowed {' or '.join(map(str, shapes))}")
    return own_copy(values)


def _own_sizes(name: str, size: np.ndarray, count: int, minimum: int, maximum: int) -> np.ndarray:
    copy = _own_per_object(name, size, "iu", (count,), (count, 2))
    check_range(minimum, maximum, **{name: copy})
    return copy


def sides_of(name: str, size: int | np.ndarray, count: int, maximum: int) -> np.ndarray:
    """Check sides 1..maximum; return them as int32[2, count]: widths, then heights.

    size  int, int[count] or int[count, 2]
    """
    if not isinstance(size, np.ndarray):
        return _filled(check_integer(name, size, 1, maximum), np.int32, 2, count)
    sides = np.empty((2, count), np.int32)
    sides[:] = _own_sizes(name, size, count, 1, maximum).T  # one row for both axes, or one row each
    return sides


def size_table(name: str, size: int | np.ndarray, count: int, minimum: int = 0) -> np.ndarray:
    """Check sides minimum..MAX_COORDINATE; return them as int32[count, 2].

    size  int, int[count] or int[count, 2]
    """
    if not isinstance(size, np.ndarray):
        return _filled(check_integer(name, size, minimum, MAX_COORDINATE), np.int32, count, 2)
    sides = _own_sizes(name, size, count, minimum, MAX_COORDINATE)
    if sides.ndim == 2:
        return sides.astype(np.int32, copy=False)
    table = np.empty((count, 2), np.int32)
    table[:] = sides[:, None]
    return table


def word_per_object(name: str, words: int | np.ndarray, count: int, dtype: type, maximum: int) -> np.ndarray:
    """Check one word for all objects or one each, 0..maximum; return them as dtype[count]."""
    if not isinstance(words, np.ndarray):
        return _filled(check_integer(name, int(words) if isinstance(words, bool) else words, 0, maximum), dtype, count)
    copy = _own_per_object(name, words, "iub", (count,))
    check_range(0, maximum, **{name: copy})
    return copy.astype(dtype, copy=False)


def filter_of(category: int | np.ndarray, mask: int | np.ndarray, count: int) -> Filter:
    """Check categories and masks, 16 bits each."""
    return Filter(
        word_per_object("category", category, count, np.uint16, EVERYONE),
        word_per_object("mask", mask, count, np.uint16, EVERYONE),
    )


def number_table(name: str, rows: object, columns: int) -> np.ndarray:
    """Check rows of `columns` whole numbers each, a list or an array; return them as int64[m, columns]."""
    if isinstance(rows, np.ma.MaskedArray):
        raise ValueError(f"{name} are {form_of(rows)}: allowed rows of {columns} whole numbers")
    try:
        table = np.array(rows)
    except (ValueError, OverflowError):
        raise ValueError(f"{name} are of different lengths: allowed rows of {columns} whole numbers") from None
    table = table.reshape(0, columns) if table.size == 0 else table
    is_whole = (table.dtype.kind in "iu" and table.dtype != np.uint64) or not table.size
    if not is_whole or table.ndim != 2 or table.shape[1] != columns:
        raise ValueError(f"{name} is {form_of(table)}: allowed rows of {columns} whole numbers")
    return table.astype(np.int64)


def own_list(name: str, values: Any, allowed: str) -> list[Any]:
    """Return the parts of a list, a tuple or an array."""
    if not isinstance(values, list | tuple | range | np.ndarray) or (
        isinstance(values, np.ndarray) and not values.ndim
    ):
        raise ValueError(f"{name} is a {type(values).__name__}: allowed a list of {allowed}")
    return list(values)


def own_sprites(sprites: Any, kind: type[tuple], dtype: np.dtype, name: str) -> Any:
    """Return a table of sprites with copies of all but its pixels: those say nothing about places.

    sprites  kind           what `pack` returned: pixels, first, words or pixels per row, .., height
    dtype    of the pixels
    Errors   ValueError     no such table, or sprites that are not in it
    """
    if not isinstance(sprites, kind):
        raise ValueError(f"{name} is a {type(sprites).__name__}: allowed what `pack` returns")
    parts: list[Any] = list(sprites)
    pixels, columns = parts[0], parts[1:]
    for array, expected in ((pixels, dtype), *((column, COLUMN) for column in columns)):
        if not is_array(array) or array.dtype != expected or array.ndim != 1 or not array.flags.c_contiguous:
            raise ValueError(f"{name} has a column {form_of(array)}: allowed what `pack` returns")
    if len({len(column) for column in columns}) > 1:
        raise ValueError(f"{name} has columns of different lengths: allowed what `pack` returns")
    columns = [own_copy(column) for column in columns]
    index = call(first_misplaced, lambda: len(columns[0]), columns[0], columns[1], columns[-1], len(pixels))
    if index >= 0:
        raise ValueError(f"{name}: sprite {index} is not in its table: allowed what `pack` returns")
    return kind(pixels, *columns)


def read_pixels(sprite: bytes | np.ndarray) -> np.ndarray:
    """Return uint8[h, w], memory of our own, from an XLib linear bitmap or an image.

    sprite  width, height, then width * height colours, as bytes or uint8[n]; or uint8[h, w]
    """
    if isinstance(sprite, np.ma.MaskedArray):
        raise ValueError(f"sprite is {form_of(sprite)}: allowed bytes, uint8[n] or uint8[h, w]")
    if isinstance(sprite, np.ndarray) and sprite.ndim == 2:
        if sprite.dtype != np.uint8:
            raise ValueError(f"sprite has dtype {sprite.dtype}: allowed uint8")
        if not (0 < sprite.shape[0] <= MAX_COORDINATE and 0 < sprite.shape[1] <= MAX_COORDINATE):
            raise ValueError(f"sprite has shape {sprite.shape}: allowed 1..{MAX_COORDINATE} rows and columns")
        return own_copy(sprite)
    if isinstance(sprite, np.ndarray):
        if sprite.dtype != np.uint8 or sprite.ndim != 1:
            raise ValueError(f"sprite is {form_of(sprite)}: allowed uint8[n] or uint8[h, w]")
        sprite = sprite.tobytes()
    if not isinstance(sprite, (bytes, bytearray, memoryview)):
        raise ValueError(f"sprite is a {type(sprite).__name__}: allowed bytes, uint8[n] or uint8[h, w]")
    data = bytes(sprite)
    if len(data) < 2:
        raise ValueError(f"bitmap has {len(data)} bytes: allowed a header of 2, width and height, and the pixels")
    width, height = data[0], data[1]
    if not width or not height:
        raise ValueError(f"bitmap header says {width} x {height} pixels: allowed 1..255 x 1..255")
    if len(data) != 2 + width * height:
        raise ValueError(f"bitmap of {width} x {height} pixels has {len(data)} bytes: allowed {2 + width * height}")
    return np.frombuffer(data, np.uint8, width * height, 2).reshape(height, width)
