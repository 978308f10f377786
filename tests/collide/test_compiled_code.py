"""The kernels that the guide gives to compiled game loops: their arguments stay, and they answer as the library."""

import inspect

import numpy as np
import pytest

from retrosim.collide import groups, world
from retrosim.collide.kernels.pairs import bitmap_index, small_boxes
from retrosim.collide.kernels.shapes import convex
from retrosim.jit import kernel

SIGNATURES = {
    small_boxes.list_small: "x y sides extra rows",
    small_boxes.list_two: "x0 y0 sides x1 y1 other extra rows",
    small_boxes.number_small: "x y sides extra wanted results",
    small_boxes.copy_all: "x y sides extra boxes",
    bitmap_index.list_indexed: "boxes count rows",
    convex.mark_pairs: "x y shape outlines vertices pairs out",
    convex.list_contacts: "x y shape outlines vertices pairs hits out",
}


@kernel
def loop(x, y, sides, extra, rows, flags):
    """Do in compiled code what a game might, with slices and views; test_bitmap_index.py has the others."""
    half = len(x) // 2
    two = small_boxes.list_two(x[:half], y[:half], sides[:half], x[half:], y[half:], sides[half:], extra, rows)
    return two, small_boxes.number_small(x[::2], y[::2], sides[::2], extra + 1, 1, flags)


@pytest.mark.without_jit
def test_arguments_stay():
    for routine, names in SIGNATURES.items():
        assert list(inspect.signature(getattr(routine, "py_func", routine)).parameters) == names.split()


@pytest.mark.full
@pytest.mark.without_jit
def test_from_compiled_code():
    rng, count = np.random.default_rng(7), 130
    x, y, sides = rng.integers(0, 200, count), rng.integers(0, 200, count), rng.integers(1, 40, (count, 2))
    rows, flags = np.empty((5000, 2), np.int32), np.empty(65, np.uint8)
    two, status = loop(x, y, sides, 0, rows, flags)
    parts = (x[:65].copy(), y[:65].copy(), x[65:].copy(), y[65:].copy())
    expected = groups.pairs(*parts, size=sides[:65].copy(), other=sides[65:].copy())
    assert np.array_equal(rows[:two], expected) and len(expected) > 50 and status == 0
    alone = world.collided(x[::2].copy(), y[::2].copy(), size=sides[::2].copy(), closed=True)
    assert np.array_equal(flags, alone)
