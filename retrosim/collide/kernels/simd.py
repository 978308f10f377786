"""SIMD comparisons: one box against a row of others, in vector registers where the processor has them.

The compiler finds no vectors in loops of so few rounds, so the comparison is given to it as one operation on vectors,
which it turns into what the processor offers. Without the compiler (NUMBA_DISABLE_JIT) plain Python does the same.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from retrosim.jit import JIT

VECTOR = {16: 32, 32: 8}
"""Bits of a coordinate -> boxes compared at once: 64 bytes of coordinates for long rows, 32 for short ones."""


@intrinsic
def overlap_bits(typing_context, xs, ys, at, x, y, size):
    """Return which of the VECTOR squares from index `at` on overlap the one at (x, y); all have the same side.

    xs, ys   int16[n] or int32[n]  corners; at + VECTOR <= n; 16 bits: differences wrap, so the caller keeps them small
    at       int                   index of the first
    x, y     int                   corner of the one
    size     int                   side of all; half open, touching is no overlap
    Returns  int64                 bit k is set if square at + k overlaps
    """
    width = xs.dtype.bitwidth

    def generate(context, builder, signature, args):
        arrays, at, corner, size = args[:2], args[2], args[3:5], args[5]
        word, one = ir.IntType(width), ir.IntType(64)(1)
        vector = ir.VectorType(word, VECTOR[width])

        def splat(value):
            first = builder.insert_element(vector(ir.Undefined), builder.trunc(value, word), ir.IntType(32)(0))
            zeros = ir.VectorType(ir.IntType(32), VECTOR[width])(None)
            return builder.shuffle_vector(first, vector(ir.Undefined), zeros)

        # -size < there - here < size, as one unsigned comparison
        below, span = builder.sub(size, one), splat(builder.sub(builder.shl(size, one), one))
        hits = []
        for array, kind, here in zip(arrays, signature.args, corner):
            data = context.make_array(kind)(context, builder, array).data
            there = builder.load(builder.bitcast(builder.gep(data, [at]), vector.as_pointer()))
            there.align = width // 8
            hits.append(builder.icmp_unsigned("<", builder.sub(there, splat(builder.sub(here, below))), span))
        bits = builder.bitcast(builder.and_(*hits), ir.IntType(VECTOR[width]))
        return builder.zext(bits, ir.IntType(64))

    return types.int64(xs, ys, types.int64, types.int64, types.int64, types.int64), generate


@intrinsic
def lowest_bit(typing_context, bits):
    """Return the number of the lowest bit that is set; `bits` is not zero (count trailing zeros)."""

    def generate(context, builder, signature, args):
        return builder.cttz(args[0], ir.IntType(1)(1))

    return types.int64(types.int64), generate


if not JIT:

    def overlap_bits(xs, ys, at, x, y, size):
        """Do the same without the compiler."""
        row = range(VECTOR[8 * xs.itemsize])
        return sum((abs(int(xs[at + k]) - x) < size and abs(int(ys[at + k]) - y) < size) << k for k in row)

    def lowest_bit(bits):
        """Do the same without the compiler."""
        return int(bits & -bits).bit_length() - 1
