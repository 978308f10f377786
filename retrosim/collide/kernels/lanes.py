"""Many comparisons at once: one box against a row of LANES others, in vector registers where the processor has them.

The compiler finds no vectors in loops of so few rounds, so the comparison is given to it as one operation on vectors,
which it turns into what the processor offers. Without the compiler (NUMBA_DISABLE_JIT) the same is said in Python.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from retrosim.jit import JIT

LANES = {16: 32, 32: 8}
"""Bits of a coordinate -> boxes compared at once: 64 bytes of coordinates, which are many, or 32 of a short run."""


@intrinsic
def near_lanes(typing_context, xs, ys, at, x, y, size):
    """Tell which of LANES squares from place `at` on overlap one at x, y; all have the same side.

    xs, ys   int16[n] or int32[n]  corners; at + LANES <= n; 16 bits: differences wrap, so the caller keeps them small
    at       int
    x, y     int                   corner of the one
    size     int                   side of all; half open, touching is no overlap
    Returns  int64                 bit k is set if the square at place at + k overlaps
    """
    width = xs.dtype.bitwidth

    def generate(context, builder, signature, args):
        arrays, at, corner, size = args[:2], args[2], args[3:5], args[5]
        word, one = ir.IntType(width), ir.IntType(64)(1)
        vector = ir.VectorType(word, LANES[width])

        def splat(value):
            first = builder.insert_element(vector(ir.Undefined), builder.trunc(value, word), ir.IntType(32)(0))
            places = ir.VectorType(ir.IntType(32), LANES[width])(None)
            return builder.shuffle_vector(first, vector(ir.Undefined), places)

        # -size < there - here < size, as one unsigned comparison
        below, span = builder.sub(size, one), splat(builder.sub(builder.shl(size, one), one))
        hits = []
        for array, kind, here in zip(arrays, signature.args, corner):
            data = context.make_array(kind)(context, builder, array).data
            there = builder.load(builder.bitcast(builder.gep(data, [at]), vector.as_pointer()))
            there.align = width // 8
            hits.append(builder.icmp_unsigned("<", builder.sub(there, splat(builder.sub(here, below))), span))
        mask = builder.bitcast(builder.and_(*hits), ir.IntType(LANES[width]))
        return builder.zext(mask, ir.IntType(64))

    return types.int64(xs, ys, types.int64, types.int64, types.int64, types.int64), generate


@intrinsic
def lowest_bit(typing_context, mask):
    """Return the number of the lowest bit that is set in a mask that is not zero."""

    def generate(context, builder, signature, args):
        return builder.cttz(args[0], ir.IntType(1)(1))

    return types.int64(types.int64), generate


if not JIT:

    def near_lanes(xs, ys, at, x, y, size):
        """Do the same without the compiler."""
        lanes = range(LANES[8 * xs.itemsize])
        return sum((abs(int(xs[at + k]) - x) < size and abs(int(ys[at + k]) - y) < size) << k for k in lanes)

    def lowest_bit(mask):
        """Do the same without the compiler."""
        return int(mask & -mask).bit_length() - 1
