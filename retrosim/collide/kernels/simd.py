"""SIMD comparisons: one box against a row of others, in vector registers where the processor has them.

The compiler finds no vectors in loops of so few rounds, so the comparison is given to it as one operation on vectors,
which it turns into what the processor offers. Without the compiler (NUMBA_DISABLE_JIT) plain Python does the same.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from retrosim.jit import JIT

ROW = 32
"""Squares on the screen compared at once, by 64 bytes of coordinates."""
SQUARES_AT_ONCE = 16
"""Squares compared at once by corners of twice 16 bits: 64 bytes."""
BOXES_AT_ONCE = 8
"""Boxes of any size compared at once."""


@intrinsic
def overlap_bits(typing_context, xs, ys, at, x, y, size):
    """Return which of the ROW squares from index `at` on overlap the one at (x, y); all have the same side.

    xs, ys   int16[n]  corners; at + ROW <= n; differences wrap, so the caller keeps them small
    at       int       index of the first
    x, y     int       corner of the one
    size     int       side of all; half open, touching is no overlap
    Returns  int64     bit k is set if square at + k overlaps
    """

    def generate(context, builder, signature, args):
        arrays, at, corner, size = args[:2], args[2], args[3:5], args[5]
        word, one = ir.IntType(16), ir.IntType(64)(1)
        vector = ir.VectorType(word, ROW)

        def splat(value):
            first = builder.insert_element(vector(ir.Undefined), builder.trunc(value, word), ir.IntType(32)(0))
            zeros = ir.VectorType(ir.IntType(32), ROW)(None)
            return builder.shuffle_vector(first, vector(ir.Undefined), zeros)

        # -size < there - here < size, as one unsigned comparison
        below, span = builder.sub(size, one), splat(builder.sub(builder.shl(size, one), one))
        hits = []
        for array, kind, here in zip(arrays, signature.args, corner):
            data = context.make_array(kind)(context, builder, array).data
            there = builder.load(builder.bitcast(builder.gep(data, [at]), vector.as_pointer()))
            there.align = 2
            hits.append(builder.icmp_unsigned("<", builder.sub(there, splat(builder.sub(here, below))), span))
        bits = builder.bitcast(builder.and_(*hits), ir.IntType(ROW))
        return builder.zext(bits, ir.IntType(64))

    return types.int64(xs, ys, types.int64, types.int64, types.int64, types.int64), generate


@intrinsic
def square_bits(typing_context, corners, at, corner, size):
    """Return which of the SQUARES_AT_ONCE squares from index `at` on overlap another; all have the same side.

    corners  int32[n]  of 16 bits each: y in the upper half, x in the lower; at + SQUARES_AT_ONCE <= n
    at       int       index of the first
    corner   int       of the other square, of the same form; differences of halves wrap, so the caller keeps them small
    size     int       side of all; half open, touching is no overlap
    Returns  int64     bit k is set if square at + k overlaps
    """

    def generate(context, builder, signature, args):
        half, word, number = ir.IntType(16), ir.IntType(32), ir.IntType(64)
        halves, words = ir.VectorType(half, 2 * SQUARES_AT_ONCE), ir.VectorType(word, SQUARES_AT_ONCE)
        zeros = ir.VectorType(word, SQUARES_AT_ONCE)(None)

        def splat(value):
            first = builder.insert_element(words(ir.Undefined), value, word(0))
            return builder.bitcast(builder.shuffle_vector(first, words(ir.Undefined), zeros), halves)

        def both(value):
            return splat(builder.mul(builder.trunc(value, word), word(0x10001)))

        array = context.make_array(signature.args[0])(context, builder, args[0])
        there = builder.load(builder.bitcast(builder.gep(array.data, [args[1]]), halves.as_pointer()))
        there.align = 4
        # -size < there - here < size, as one unsigned comparison
        below, span = builder.sub(args[3], number(1)), builder.sub(builder.shl(args[3], number(1)), number(1))
        apart = builder.sub(there, builder.sub(splat(builder.trunc(args[2], word)), both(below)))
        near = builder.sext(builder.icmp_unsigned("<", apart, both(span)), halves)
        hits = builder.icmp_signed("==", builder.bitcast(near, words), ir.Constant(words, [-1] * SQUARES_AT_ONCE))
        return builder.zext(builder.bitcast(hits, ir.IntType(SQUARES_AT_ONCE)), number)

    return types.int64(corners, types.int64, types.int64, types.int64), generate


@intrinsic
def touching_bits(typing_context, boxes, at, box):
    """Return which of the BOXES_AT_ONCE boxes from index `at` on have a point in common with one box.

    boxes    int32[4, n]   left, top, right, bottom, the last unit of a box belongs to it; then any other rows;
                           at + BOXES_AT_ONCE <= n
    at       int64         index of the first
    box      int64[4]      a tuple, of the same order, each in 32 bits
    Returns  int64         bit k is set if box at + k does
    """

    def generate(context, builder, signature, args):
        kind = signature.args[0]
        array, word = context.make_array(kind)(context, builder, args[0]), ir.IntType(32)
        vector, length = ir.VectorType(word, BOXES_AT_ONCE), builder.extract_value(array.shape, 1)
        zeros, at, hits = ir.VectorType(word, BOXES_AT_ONCE)(None), args[1], []
        for row, comparison, side in ((0, "<=", 2), (1, "<=", 3), (2, ">=", 0), (3, ">=", 1)):
            limit = builder.trunc(builder.extract_value(args[2], side), word)
            limits = builder.insert_element(vector(ir.Undefined), limit, word(0))
            place = builder.add(builder.mul(length, ir.IntType(64)(row)), at)
            there = builder.load(builder.bitcast(builder.gep(array.data, [place]), vector.as_pointer()))
            there.align = 4
            spread = builder.shuffle_vector(limits, vector(ir.Undefined), zeros)
            hits.append(builder.icmp_signed(comparison, there, spread))
        both = builder.and_(builder.and_(hits[0], hits[1]), builder.and_(hits[2], hits[3]))
        return builder.zext(builder.bitcast(both, ir.IntType(BOXES_AT_ONCE)), ir.IntType(64))

    return types.int64(boxes, types.int64, types.UniTuple(types.int64, 4)), generate


@intrinsic
def lowest_bit(typing_context, bits):
    """Return the number of the lowest bit that is set; `bits` is not zero (count trailing zeros)."""

    def generate(context, builder, signature, args):
        return builder.cttz(args[0], ir.IntType(1)(1))

    return types.int64(types.int64), generate


if not JIT:

    def overlap_bits(xs, ys, at, x, y, size):
        """Do the same without the compiler."""
        return sum((abs(int(xs[at + k]) - x) < size and abs(int(ys[at + k]) - y) < size) << k for k in range(ROW))

    def square_bits(corners, at, corner, size):
        """Do the same without the compiler."""

        def is_near(one, other):
            return (one - other + size - 1 & 0xFFFF) < 2 * size - 1

        others, here = [int(c) for c in corners[at : at + SQUARES_AT_ONCE]], int(corner)
        return sum((is_near(c, here) and is_near(c >> 16, here >> 16)) << k for k, c in enumerate(others))

    def touching_bits(boxes, at, box):
        """Do the same without the compiler."""
        left, top, right, bottom = boxes[:4, at : at + BOXES_AT_ONCE]
        near = (left <= box[2]) & (top <= box[3]) & (right >= box[0]) & (bottom >= box[1])
        return sum(1 << k for k in range(BOXES_AT_ONCE) if near[k])

    def lowest_bit(bits):
        """Do the same without the compiler."""
        return int(bits & -bits).bit_length() - 1
