"""Checks of what callers hand in: every refusal names the argument, its value and what is allowed."""

from __future__ import annotations

import operator

import numpy as np

SCALARS = (np.dtype(np.int16), np.dtype(np.int32))


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


def check_side(name: str, side: int, largest: int) -> int:
    """Check one side for all objects, 1..largest pixels; return it as a plain int."""
    try:
        value = operator.index(side)
    except TypeError:
        raise ValueError(f"{name} {side!r}: allowed a whole number 1..{largest}, or an array of them") from None
    if isinstance(side, bool) or not 1 <= value <= largest:
        raise ValueError(f"{name} {side}: allowed 1..{largest}")
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
