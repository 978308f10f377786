"""Checks of what callers pass: every error names the argument, its value and what is allowed."""

from __future__ import annotations

import numpy as np

from retrosim.checks import check_choice, check_integer

from .kernels.boxes import Filter
from .kernels.checks import first_beyond

SCALARS = (np.dtype(np.int16), np.dtype(np.int32))

# Coordinates of all modules but `sectors`, `plane` and `batch`: their differences, and their sums with a side, fit 16
# bits signed; the sum of two squared differences fits 32 bits signed, that of three 32 bits unsigned. Nothing wraps.
MIN_COORDINATE, MAX_COORDINATE = -16384, 16383
MIN_PART, MAX_PART = MIN_COORDINATE // 2, MAX_COORDINATE // 2  # of origins and offsets, whose sums stay in that range
EVERYONE = 0xFFFF  # all categories
BUILDS = ("inline", "macro")  # of `_Abs`, see `overlap`


def form_of(value: object) -> str:
    """Return dtype and shape of an array, or the type of anything else, for errors."""
    return f"{value.dtype}{list(value.shape)}" if isinstance(value, np.ndarray) else type(value).__name__


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
        if not isinstance(values, np.ndarray):
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


def check_range(minimum: int, maximum: int, /, **vectors: np.ndarray) -> None:
    """Check that every entry of these vectors of integers is in minimum..maximum."""
    for name, values in vectors.items():
        index = first_beyond(values, minimum, maximum)
        if index >= 0:
            raise ValueError(f"{name}[{index}] = {values[index]}: allowed {minimum}..{maximum}")


def check_rows(minimum: int, maximum: int, unit: str = "", /, **tables: np.ndarray) -> None:
    """Check that every entry of these C-contiguous tables is in minimum..maximum; `unit` is added to the error."""
    for name, table in tables.items():
        index = first_beyond(table.reshape(-1), minimum, maximum)
        if index >= 0:
            row, column = divmod(index, table.shape[1])
            raise ValueError(f"{name}[{row}, {column}] = {table[row, column]}: allowed {minimum}..{maximum}{unit}")


def check_positions(**coordinates: np.ndarray) -> int:
    """Check vectors of coordinates, MIN_COORDINATE..MAX_COORDINATE; return how many objects there are."""
    count = check_vectors(**coordinates)
    check_range(MIN_COORDINATE, MAX_COORDINATE, **coordinates)
    return count


def check_table(name: str, table: np.ndarray, columns: int, *dtypes: type, min_rows: int = 0) -> int:
    """Check a C-contiguous table of `columns` columns and at least `min_rows` rows; return its rows."""
    if not isinstance(table, np.ndarray) or table.dtype not in dtypes or table.ndim != 2 or table.shape[1] != columns:
        allowed = " or ".join(f"{np.dtype(d)}[n, {columns}]" for d in dtypes)
        raise ValueError(f"{name} is {form_of(table)}: allowed {allowed}")
    check_layout(name, table)
    if len(table) < min_rows:
        raise ValueError(f"{name} has {len(table)} rows: allowed {min_rows} or more")
    return len(table)


def check_pairs(pairs: np.ndarray, count: int) -> int:
    """Check a list of pairs, int32[m, 2] of indices below `count`; return m."""
    rows = check_table("pairs", pairs, 2, np.int32)
    check_rows(0, count - 1, pairs=pairs)
    return rows


def check_words(name: str, array: np.ndarray, dtype: type, minimum: int, maximum: int | None = None) -> None:
    """Check a vector of `dtype` that is written: its length is minimum..maximum."""
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim != 1:
        raise ValueError(f"{name} is {form_of(array)}: allowed {np.dtype(dtype)}[n]")
    check_layout(name, array, is_written=True)
    if len(array) < minimum or (maximum is not None and len(array) > maximum):
        raise ValueError(f"{name} has length {len(array)}: allowed {minimum}" + (" or more" if maximum is None else ""))


def check_numbers(name: str, numbers: np.ndarray, count: int, maximum: int) -> None:
    """Check int32[count], each 0..maximum."""
    if not isinstance(numbers, np.ndarray) or numbers.dtype != np.int32 or numbers.shape != (count,):
        raise ValueError(f"{name} is {form_of(numbers)}: allowed int32[{count}]")
    check_layout(name, numbers)
    check_range(0, maximum, **{name: numbers})


def is_16_bit(abs: str, scalar: np.dtype) -> bool:
    """Tell whether a build compares 16-bit differences: a 16-bit scalar and the inline `_Abs`. Errors: ValueError."""
    check_choice("abs", abs, BUILDS)
    return abs == BUILDS[0] and scalar == SCALARS[0]


def _filled(value: int, dtype: type, *shape: int) -> np.ndarray:
    """Return a new array of one value; faster than np.full."""
    array: np.ndarray = np.empty(shape, dtype)
    array.fill(value)
    return array


def _check_per_object(name: str, size: np.ndarray, count: int, minimum: int, maximum: int) -> None:
    if size.dtype.kind not in "iu":
        raise ValueError(f"{name} has dtype {size.dtype}: allowed integers")
    if size.shape not in ((count,), (count, 2)):
        raise ValueError(f"{name} has shape {size.shape}: allowed ({count},) or ({count}, 2)")
    (check_range if size.ndim == 1 else check_rows)(minimum, maximum, **{name: size})


def sides_of(name: str, size: int | np.ndarray, count: int, maximum: int) -> np.ndarray:
    """Check sides 1..maximum; return them as int32[2, count]: widths, then heights.

    size  int, int[count] or int[count, 2]
    """
    if not isinstance(size, np.ndarray):
        return _filled(check_integer(name, size, 1, maximum), np.int32, 2, count)
    _check_per_object(name, size, count, 1, maximum)
    sides = np.empty((2, count), np.int32)
    sides[:] = size.T  # one row for both axes, or one row each
    return sides


def size_table(name: str, size: int | np.ndarray, count: int, minimum: int = 0) -> np.ndarray:
    """Check sides minimum..MAX_COORDINATE; return them as int32[count, 2], `size` itself if it has that form already.

    size  int, int[count] or int[count, 2]
    """
    if isinstance(size, np.ndarray) and size.dtype == np.int32 and size.shape == (count, 2) and size.flags.c_contiguous:
        check_rows(minimum, MAX_COORDINATE, **{name: size})
        return size
    if not isinstance(size, np.ndarray):
        return _filled(check_integer(name, size, minimum, MAX_COORDINATE), np.int32, count, 2)
    _check_per_object(name, size, count, minimum, MAX_COORDINATE)
    table = np.empty((count, 2), np.int32)
    table[:] = size if size.ndim == 2 else size[:, None]
    return table


def word_per_object(name: str, words: int | np.ndarray, count: int, dtype: type, maximum: int) -> np.ndarray:
    """Check one word for all objects or one each, 0..maximum; return dtype[count], `words` itself if it is that."""
    if not isinstance(words, np.ndarray):
        return _filled(check_integer(name, int(words) if isinstance(words, bool) else words, 0, maximum), dtype, count)
    if words.shape != (count,):
        raise ValueError(f"{name} has shape {words.shape}: allowed ({count},)")
    if words.dtype.kind not in "iub":
        raise ValueError(f"{name} has dtype {words.dtype}: allowed integers")
    check_range(0, maximum, **{name: words})
    return np.ascontiguousarray(words, dtype)


def filter_of(category: int | np.ndarray, mask: int | np.ndarray, count: int) -> Filter:
    """Check categories and masks, 16 bits each."""
    return Filter(
        word_per_object("category", category, count, np.uint16, EVERYONE),
        word_per_object("mask", mask, count, np.uint16, EVERYONE),
    )


def number_table(name: str, rows: object, columns: int) -> np.ndarray:
    """Check rows of `columns` whole numbers each, a list or an array; return them as int64[m, columns]."""
    try:
        table = np.array(rows)
    except (ValueError, OverflowError):
        raise ValueError(f"{name} are of different lengths: allowed rows of {columns} whole numbers") from None
    table = table.reshape(0, columns) if table.size == 0 else table
    is_whole = (table.dtype.kind in "iu" and table.dtype != np.uint64) or not table.size
    if not is_whole or table.ndim != 2 or table.shape[1] != columns:
        raise ValueError(f"{name} is {form_of(table)}: allowed rows of {columns} whole numbers")
    return table.astype(np.int64)


def read_pixels(sprite: bytes | np.ndarray) -> np.ndarray:
    """Return uint8[h, w] from an XLib linear bitmap (width, height, then width * height colours) or an image."""
    if isinstance(sprite, np.ndarray) and sprite.ndim == 2:
        if sprite.dtype != np.uint8:
            raise ValueError(f"sprite has dtype {sprite.dtype}: allowed uint8")
        if not (0 < sprite.shape[0] <= MAX_COORDINATE and 0 < sprite.shape[1] <= MAX_COORDINATE):
            raise ValueError(f"sprite has shape {sprite.shape}: allowed 1..{MAX_COORDINATE} rows and columns")
        return np.ascontiguousarray(sprite)
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
