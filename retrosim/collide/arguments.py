"""Checks of what callers hand in: every refusal names the argument, its value and what is allowed."""

from __future__ import annotations

import operator

import numpy as np

from retrosim.jit import kernel

SCALARS = (np.dtype(np.int16), np.dtype(np.int32))

# Coordinates of documents 001 to 004: their differences, and their sums with a side, fit 16 bits signed; the sum of
# two squared differences fits 32 bits signed, that of three 32 bits unsigned. No word ever wraps there.
LEAST, MOST = -16384, 16383


def check_coordinates(**coordinates: np.ndarray) -> int:
    """Check that arrays are vectors of one scalar type and one length; return the length."""
    first_name, first = next(iter(coordinates.items()))
    for name, values in coordinates.items():
        if not isinstance(values, np.ndarray):
            raise ValueError(f"{name} is a {type(values).__name__}: allowed a NumPy array, int16[n] or int32[n]")
        if values.dtype not in SCALARS:
            raise ValueError(f"{name} has dtype {values.dtype}: allowed int16 or int32")
        if values.ndim != 1:
            raise ValueError(f"{name} has shape {values.shape}: allowed one dimension, [n]")
        if not values.flags.c_contiguous:
            raise ValueError(f"{name} has a stride of {values.strides[0]} bytes: allowed C-contiguous arrays only")
        if values.dtype != first.dtype:
            raise ValueError(f"{name} has dtype {values.dtype}: allowed {first.dtype}, as {first_name} has")
        if len(values) != len(first):
            raise ValueError(f"{name} has length {len(values)}: allowed {len(first)}, as {first_name} has")
    return len(first)


def refuse_outside(x: np.ndarray, y: np.ndarray, index: int, rightmost: int, lowest: int) -> None:
    """Raise the ValueError for object `index`, which is known to be off the screen."""
    if not 0 <= x[index] <= rightmost:
        raise ValueError(f"x[{index}] = {x[index]}: allowed 0..{rightmost}")
    raise ValueError(f"y[{index}] = {y[index]}: allowed 0..{lowest}")


def check_side(name: str, side: int, largest: int, least: int = 1) -> int:
    """Check one number for all objects, usually a side: least..largest; return it as a plain int."""
    try:
        value = operator.index(side)
    except TypeError:
        raise ValueError(f"{name} {side!r}: allowed a whole number {least}..{largest}, or an array of them") from None
    if isinstance(side, bool) or not least <= value <= largest:
        raise ValueError(f"{name} {side}: allowed {least}..{largest}")
    return value


def check_sides(name: str, size: int | np.ndarray, count: int, largest: int) -> np.ndarray:
    """Check sides 1..largest; return them as int32[2, count]: widths, then heights.

    size  int, int[count] or int[count, 2]
    """
    if not isinstance(size, np.ndarray):
        return np.full((2, count), check_side(name, size, largest), np.int32)
    if size.dtype.kind not in "iu":
        raise ValueError(f"{name} has dtype {size.dtype}: allowed integers")
    if size.shape not in ((count,), (count, 2)):
        raise ValueError(f"{name} has shape {size.shape}: allowed ({count},) or ({count}, 2)")
    if count and not 1 <= size.min() <= size.max() <= largest:
        where = tuple(int(i) for i in np.argwhere((size < 1) | (size > largest))[0])
        raise ValueError(f"{name}[{', '.join(map(str, where))}] = {size[where]}: allowed 1..{largest}")
    sides = np.empty((2, count), np.int32)
    sides[:] = size.T  # one row for both axes, or one row each
    return sides


def is_narrow(build: str, scalar: np.dtype) -> bool:
    """Tell whether this build compares 16-bit differences: a 16-bit scalar and the inline `_Abs`."""
    if build not in ("inline", "macro"):
        raise ValueError(f"abs {build!r}: allowed 'inline' or 'macro'")
    return build == "inline" and scalar == SCALARS[0]


def check_words(name: str, array: np.ndarray, dtype: type, least: int, most: int | None = None) -> None:
    """Check an array that a routine writes into: a writable vector of `dtype` with least..most entries."""
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim != 1:
        shown = f"{array.dtype}{list(array.shape)}" if isinstance(array, np.ndarray) else type(array).__name__
        raise ValueError(f"{name} is {shown}: allowed {np.dtype(dtype)}[n]")
    if not array.flags.c_contiguous or not array.flags.writeable:
        raise ValueError(
            f"{name} has strides {array.strides}, writeable {array.flags.writeable}: "
            "allowed a writable C-contiguous array"
        )
    if len(array) < least or (most is not None and len(array) > most):
        raise ValueError(f"{name} has length {len(array)}: allowed {least}" + ("" if most == least else " or more"))


@kernel
def first_beyond(values, least, most):
    """Return the index of the first entry outside least..most, or -1."""
    for i in range(len(values)):
        if int(values[i]) < least or int(values[i]) > most:
            return i
    return -1


def check_range(least: int, most: int, **vectors: np.ndarray) -> None:
    """Check that every entry of these vectors of integers lies in least..most."""
    for name, values in vectors.items():
        index = first_beyond(values, least, most)
        if index >= 0:
            raise ValueError(f"{name}[{index}] = {values[index]}: allowed {least}..{most}")


def check_places(**coordinates: np.ndarray) -> int:
    """Check coordinates of documents 001 to 004, LEAST..MOST, one scalar type; return how many objects there are."""
    count = check_coordinates(**coordinates)
    check_range(LEAST, MOST, **coordinates)
    return count


def check_table(name: str, table: np.ndarray, columns: int, *dtypes: type, least: int = 0) -> int:
    """Check a C-contiguous table of `columns` columns and at least `least` rows; return its rows."""
    allowed = " or ".join(f"{np.dtype(d)}[n, {columns}]" for d in dtypes)
    if not isinstance(table, np.ndarray):
        raise ValueError(f"{name} is a {type(table).__name__}: allowed {allowed}")
    if table.dtype not in dtypes or table.ndim != 2 or table.shape[1] != columns:
        raise ValueError(f"{name} is {table.dtype}{list(table.shape)}: allowed {allowed}")
    if not table.flags.c_contiguous:
        raise ValueError(f"{name} has strides {table.strides}: allowed C-contiguous arrays only")
    if len(table) < least:
        raise ValueError(f"{name} has {len(table)} rows: allowed {least} or more")
    return len(table)


def number_table(name: str, rows: object, columns: int) -> np.ndarray:
    """Check rows of `columns` whole numbers each, a list or an array; return them as int64[m, columns]."""
    try:
        table = np.array(rows)
    except (ValueError, OverflowError):
        raise ValueError(f"{name} are of different lengths: allowed rows of {columns} whole numbers") from None
    table = table.reshape(0, columns) if table.size == 0 else table
    is_whole = (table.dtype.kind in "iu" and table.dtype != np.uint64) or not table.size
    if not is_whole or table.ndim != 2 or table.shape[1] != columns:
        raise ValueError(f"{name} is {table.dtype}{list(table.shape)}: allowed rows of {columns} whole numbers")
    return table.astype(np.int64)


def check_pairs(pairs: np.ndarray, count: int) -> int:
    """Check a pair list, int32[m, 2] of indices below `count`; return m."""
    rows = check_table("pairs", pairs, 2, np.int32)
    index = first_beyond(pairs.reshape(-1), 0, count - 1)
    if index >= 0:
        raise ValueError(f"pairs[{index // 2}, {index % 2}] = {pairs[index // 2, index % 2]}: allowed 0..{count - 1}")
    return rows


def side_table(name: str, size: int | np.ndarray, count: int, least: int = 0) -> np.ndarray:
    """Check sides least..MOST; return them as int32[count, 2], which is `size` itself if it has that form already.

    size  int, int[count] or int[count, 2]
    """
    if isinstance(size, np.ndarray) and size.dtype == np.int32 and size.shape == (count, 2) and size.flags.c_contiguous:
        table = size
    else:
        table = np.empty((count, 2), np.int32)
        if isinstance(size, np.ndarray):
            if size.dtype.kind not in "iu":
                raise ValueError(f"{name} has dtype {size.dtype}: allowed integers")
            if size.shape not in ((count,), (count, 2)):
                raise ValueError(f"{name} has shape {size.shape}: allowed ({count},) or ({count}, 2)")
            if count:
                check_range(least, MOST, **{name: size.reshape(-1)})
            table[:] = size if size.ndim == 2 else size[:, None]
        else:
            table[:] = check_side(name, size, MOST, least)
    index = first_beyond(table.reshape(-1), least, MOST)
    if index >= 0:
        raise ValueError(f"{name}[{index // 2}, {index % 2}] = {table[index // 2, index % 2]}: allowed {least}..{MOST}")
    return table


def word_per_object(name: str, words: int | np.ndarray, count: int, dtype: type, most: int | None = None) -> np.ndarray:
    """Check one unsigned word for all objects or one each, 0..most; return dtype[count], `words` itself if it is that.

    most  None for all that the dtype holds
    """
    most = int(np.iinfo(dtype).max) if most is None else most
    if not isinstance(words, np.ndarray):
        return np.full(count, check_side(name, int(words) if isinstance(words, bool) else words, most, 0), dtype)
    if words.shape != (count,):
        raise ValueError(f"{name} has shape {words.shape}: allowed ({count},)")
    if words.dtype.kind not in "iub":
        raise ValueError(f"{name} has dtype {words.dtype}: allowed integers")
    check_range(0, most, **{name: words})
    return np.ascontiguousarray(words, dtype)


def check_shape(shape: np.ndarray, count: int, sprites: int) -> None:
    """Check int32[count], numbers of sprites: 0..sprites - 1."""
    if not isinstance(shape, np.ndarray) or shape.dtype != np.int32 or shape.shape != (count,):
        shown = f"{shape.dtype}{list(shape.shape)}" if isinstance(shape, np.ndarray) else type(shape).__name__
        raise ValueError(f"shape is {shown}: allowed int32[{count}]")
    if not shape.flags.c_contiguous:
        raise ValueError(f"shape has a stride of {shape.strides[0]} bytes: allowed C-contiguous arrays only")
    check_range(0, sprites - 1, shape=shape)


def read_pixels(sprite: bytes | np.ndarray) -> np.ndarray:
    """Return uint8[h, w] from an XLib linear bitmap (width, height, then width * height colours) or an image."""
    if isinstance(sprite, np.ndarray) and sprite.ndim == 2:
        if sprite.dtype != np.uint8:
            raise ValueError(f"sprite has dtype {sprite.dtype}: allowed uint8")
        if not (0 < sprite.shape[0] <= MOST and 0 < sprite.shape[1] <= MOST):
            raise ValueError(f"sprite has shape {sprite.shape}: allowed 1..{MOST} rows and columns")
        return np.ascontiguousarray(sprite)
    if isinstance(sprite, np.ndarray):
        if sprite.dtype != np.uint8 or sprite.ndim != 1:
            raise ValueError(f"sprite is {sprite.dtype}{list(sprite.shape)}: allowed uint8[n] or uint8[h, w]")
        sprite = sprite.tobytes()
    if not isinstance(sprite, (bytes, bytearray, memoryview)):
        raise ValueError(f"sprite is a {type(sprite).__name__}: allowed bytes, uint8[n] or uint8[h, w]")
    data = bytes(sprite)
    if len(data) < 2:
        raise ValueError(f"bitmap has {len(data)} bytes: allowed a header of 2, width and height, and the pixels")
    wide, high = data[0], data[1]
    if not wide or not high:
        raise ValueError(f"bitmap header says {wide} x {high} pixels: allowed 1..255 x 1..255")
    if len(data) != 2 + wide * high:
        raise ValueError(f"bitmap of {wide} x {high} pixels has {len(data)} bytes: allowed {2 + wide * high}")
    return np.frombuffer(data, np.uint8, wide * high, 2).reshape(high, wide)
