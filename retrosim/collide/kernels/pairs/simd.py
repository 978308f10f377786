"""SIMD comparisons: one box against a row of others, in vector registers where the processor has them.

The compiler finds no vectors in loops of so few rounds, so the comparison is given to it as one operation on vectors,
which it turns into what the processor offers. Without the compiler (NUMBA_DISABLE_JIT) plain Python does the same.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from retrosim.jit import JIT, kernel

ROW = 32
"""Squares on the screen compared at once, by 64 bytes of coordinates."""
SQUARES_AT_ONCE = 16
"""Squares compared at once by corners of twice 8 or 16 bits: 32 or 64 bytes."""
ONE_OF_TWO = 0x55555555
"""The lower bit of each two of `square_twins`."""
BOXES_AT_ONCE = 16
"""Boxes of any size compared at once."""
WORD_BITS = 64
"""The same where there are many: a bit of a word for each."""
COPIED_AT_ONCE = 16
"""Boxes copied at once."""
WORDS_AT_ONCE = 8
"""Words of bits compared at once."""


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


def _squares_apart(context, builder, signature, args):
    """Generate code for `square_bits` and `square_twins`: a word for each square, 0 if it overlaps."""
    bits, int32 = signature.args[0].dtype.bitwidth, ir.IntType(32)
    half, word, number = ir.IntType(bits // 2), ir.IntType(bits), ir.IntType(64)
    halves, words = ir.VectorType(half, 2 * SQUARES_AT_ONCE), ir.VectorType(word, SQUARES_AT_ONCE)
    zeros = ir.VectorType(int32, SQUARES_AT_ONCE)(None)
    corners, at, corner, size = args[0], args[1], args[-2], args[-1]

    def splat(value):
        first = builder.insert_element(words(ir.Undefined), value, int32(0))
        return builder.bitcast(builder.shuffle_vector(first, words(ir.Undefined), zeros), halves)

    def both(value):
        return splat(builder.mul(builder.trunc(value, word), word((1 << bits // 2) + 1)))

    array = context.make_array(signature.args[0])(context, builder, corners)
    there = builder.load(builder.bitcast(builder.gep(array.data, [at]), halves.as_pointer()))
    there.align = bits // 8
    # -size < there - here < size: difference + size - 1 is 2 * size - 2 at most, by one saturating subtraction
    below = builder.sub(size, number(1))
    apart = builder.sub(there, builder.sub(splat(builder.trunc(corner, word)), both(below)))
    limit = both(builder.shl(below, number(1)))
    rest = builder.select(builder.icmp_unsigned(">", apart, limit), builder.sub(apart, limit), halves(None))
    return builder.bitcast(rest, words)


@intrinsic
def square_bits(typing_context, corners, at, corner, size):
    """Return which of the SQUARES_AT_ONCE squares from index `at` on overlap another; all have the same side.

    corners  int16[n] or int32[n]  y in the upper half, x in the lower; at + SQUARES_AT_ONCE <= n
    at       int                   index of the first
    corner   int                   of the other square, of the same form; differences of halves wrap, so the caller
                                   keeps them small
    size     int                   side of all, 1..31; half open, touching is no overlap
    Returns  int64                 bit k is set if square at + k overlaps
    """

    def generate(context, builder, signature, args):
        apart = _squares_apart(context, builder, signature, args)
        near = builder.icmp_unsigned("==", apart, apart.type(None))
        return builder.zext(builder.bitcast(near, ir.IntType(SQUARES_AT_ONCE)), ir.IntType(64))

    return types.int64(corners, types.int64, types.int64, types.int64), generate


@intrinsic
def square_twins(typing_context, corners, at, length, corner, size):
    """Return two equal bits a square, which takes less time; see `square_bits`.

    length   int    squares that count, 0 or more; of more than SQUARES_AT_ONCE some may be missing, see `find_crowds`
    Returns  int64  bits 2k and 2k + 1 are set if square at + k overlaps
    """

    def generate(context, builder, signature, args):
        apart, number = _squares_apart(context, builder, signature, args), ir.IntType(64)
        vector, bits = ir.VectorType(ir.IntType(16), SQUARES_AT_ONCE), 2 * SQUARES_AT_ONCE
        near = builder.sext(builder.icmp_unsigned("==", apart, apart.type(None)), vector)
        signs = builder.bitcast(near, ir.VectorType(ir.IntType(8), bits))
        twins = builder.bitcast(builder.icmp_signed("<", signs, signs.type(None)), ir.IntType(bits))
        shift = builder.and_(builder.shl(args[2], number(1)), number(WORD_BITS - 1))
        return builder.and_(builder.zext(twins, number), builder.not_(builder.shl(number(-1), shift)))

    return types.int64(corners, types.int64, types.int64, types.int64, types.int64), generate


def _touching(context, builder, signature, args, boxes_at_once):
    """Generate code for `touching_bits` and `touching_word`."""
    kind = signature.args[0]
    array, word = context.make_array(kind)(context, builder, args[0]), ir.IntType(32)
    vector, length = ir.VectorType(word, boxes_at_once), builder.extract_value(array.shape, 1)
    zeros, at, hits = ir.VectorType(word, boxes_at_once)(None), args[1], []
    for row, comparison, side in ((0, "<=", 2), (1, "<=", 3), (2, ">=", 0), (3, ">=", 1)):
        limit = builder.trunc(builder.extract_value(args[2], side), word)
        limits = builder.insert_element(vector(ir.Undefined), limit, word(0))
        place = builder.add(builder.mul(length, ir.IntType(64)(row)), at)
        there = builder.load(builder.bitcast(builder.gep(array.data, [place]), vector.as_pointer()))
        there.align = 4
        spread = builder.shuffle_vector(limits, vector(ir.Undefined), zeros)
        hits.append(builder.icmp_signed(comparison, there, spread))
    both = builder.and_(builder.and_(hits[0], hits[1]), builder.and_(hits[2], hits[3]))
    return builder.bitcast(both, ir.IntType(boxes_at_once))


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
        return builder.zext(_touching(context, builder, signature, args, BOXES_AT_ONCE), ir.IntType(64))

    return types.int64(boxes, types.int64, types.UniTuple(types.int64, 4)), generate


@intrinsic
def touching_word(typing_context, boxes, at, box):
    """Do what `touching_bits` does for WORD_BITS boxes: where many are compared, and few of them touch."""

    def generate(context, builder, signature, args):
        return _touching(context, builder, signature, args, WORD_BITS)

    return types.int64(boxes, types.int64, types.UniTuple(types.int64, 4)), generate


@intrinsic
def copy_sixteen(typing_context, x, y, at, sides, of, extra, boxes, to):
    """Copy COPIED_AT_ONCE boxes, and tell whether they are all allowed; see `small_boxes`.

    x, y     integers[n]     corners, one behind the other; at + COPIED_AT_ONCE <= n
    at       int64           index of the first
    sides    integers[..]    width and height by turns, as they lie in memory
    of       int64           where those of the first are; of + 2 * COPIED_AT_ONCE <= numbers
    extra    int64           0 or 1: a box ends at corner + side + extra - 1
    boxes    int32[4, k]     output: left, top, right, bottom
    to       int64           index of the first; to + COPIED_AT_ONCE <= k
    Returns  bool            corners and ends fit 32 bits, and sides are 1 or more and fit 31
    """

    def generate(context, builder, signature, args):
        word, number = ir.IntType(32), ir.VectorType(ir.IntType(32), COPIED_AT_ONCE)
        arrays = dict(zip(("x", "y", "sides", "boxes"), (args[0], args[1], args[3], args[6])))
        kinds = dict(zip(arrays, (signature.args[0], signature.args[1], signature.args[3], signature.args[6])))
        data = {name: context.make_array(kinds[name])(context, builder, arrays[name]) for name in arrays}
        flags = ir.VectorType(ir.IntType(1), COPIED_AT_ONCE)
        zeros, wrong = number(None), flags(None)

        def load(name, place, count):
            """Return `count` numbers as they are."""
            vector = ir.VectorType(ir.IntType(kinds[name].dtype.bitwidth), count)
            given = builder.load(builder.bitcast(builder.gep(data[name].data, [place]), vector.as_pointer()))
            given.align = kinds[name].dtype.bitwidth // 8
            return given

        def narrowed(name, given):
            """Return numbers in 32 bits, and which of them do not fit."""
            bits, is_signed = kinds[name].dtype.bitwidth, kinds[name].dtype.signed
            if bits < 32:
                return (builder.sext if is_signed else builder.zext)(given, number), flags(None)
            here = builder.trunc(given, number) if bits > 32 else given
            if is_signed:
                again = builder.sext(here, given.type) if bits > 32 else given
                return here, builder.icmp_signed("!=", again, given)
            return here, builder.icmp_unsigned(">", given, given.type([(1 << 31) - 1] * COPIED_AT_ONCE))

        less = builder.sub(builder.trunc(args[5], word), word(1))
        spread = builder.shuffle_vector(builder.insert_element(zeros, less, word(0)), zeros, zeros)
        pairs = load("sides", args[4], 2 * COPIED_AT_ONCE)
        for axis, name in enumerate("xy"):
            picks = ir.Constant(number, [axis + 2 * k for k in range(COPIED_AT_ONCE)])
            here, is_far = narrowed(name, load(name, args[2], COPIED_AT_ONCE))
            side, is_long = narrowed("sides", builder.shuffle_vector(pairs, pairs.type(ir.Undefined), picks))
            reach = builder.add(side, spread)
            there = builder.add(here, reach)
            for each in (
                is_far,
                is_long,
                builder.icmp_signed("<", side, number([1] * COPIED_AT_ONCE)),
                builder.icmp_signed("<", there, here),
            ):
                wrong = builder.or_(wrong, each)
            for row, values in ((axis, here), (axis + 2, there)):
                begin = builder.mul(builder.extract_value(data["boxes"].shape, 1), ir.IntType(64)(row))
                target = builder.gep(data["boxes"].data, [builder.add(begin, args[7])])
                builder.store(values, builder.bitcast(target, number.as_pointer())).align = 4
        bits = ir.IntType(COPIED_AT_ONCE)
        return builder.icmp_unsigned("==", builder.bitcast(wrong, bits), bits(0))

    return types.boolean(x, y, types.int64, sides, types.int64, types.int64, boxes, types.int64), generate


@intrinsic
def common_words(typing_context, words, at, found):
    """Write the bits that four stretches of WORDS_AT_ONCE words have in common.

    words    int64[n]             at + WORDS_AT_ONCE <= n
    at       int64[4]             a tuple: where each begins
    found    int64[WORDS_AT_ONCE] output
    Returns  int64                bit k is set if found[k] is not 0
    """

    def generate(context, builder, signature, args):
        word = ir.IntType(64)
        vector, common = ir.VectorType(word, WORDS_AT_ONCE), None
        data = [context.make_array(signature.args[k])(context, builder, args[k]).data for k in (0, 2)]
        for each in range(4):
            place = builder.gep(data[0], [builder.extract_value(args[1], each)])
            there = builder.load(builder.bitcast(place, vector.as_pointer()))
            there.align = 8
            common = builder.and_(common, there) if each else there
        builder.store(common, builder.bitcast(data[1], vector.as_pointer())).align = 8
        bits = builder.bitcast(builder.icmp_unsigned("!=", common, vector(None)), ir.IntType(WORDS_AT_ONCE))
        return builder.zext(bits, word)

    return types.int64(words, types.UniTuple(types.int64, 4), found), generate


@intrinsic
def lowest_bit(typing_context, bits):
    """Return the number of the lowest bit that is set; `bits` is not zero (count trailing zeros)."""

    def generate(context, builder, signature, args):
        return builder.cttz(args[0], ir.IntType(1)(1))

    return types.int64(types.int64), generate


@kernel
def without_lowest(bits):
    """Return a word without its lowest bit that is set."""
    return bits & (bits - 1)


if not JIT:  # the same without the compiler

    def overlap_bits(xs, ys, at, x, y, size):
        return sum((abs(int(xs[at + k]) - x) < size and abs(int(ys[at + k]) - y) < size) << k for k in range(ROW))

    def square_bits(corners, at, corner, size):
        half = 4 * corners.itemsize

        def is_near(one, other):
            return (one - other + size - 1) % (1 << half) < 2 * size - 1

        others, here = [int(c) for c in corners[at : at + SQUARES_AT_ONCE]], int(corner)
        return sum((is_near(c, here) and is_near(c >> half, here >> half)) << k for k, c in enumerate(others))

    def square_twins(corners, at, length, corner, size):
        near = square_bits(corners, at, corner, size) & ~(-1 << length)
        return sum(3 << 2 * k for k in range(SQUARES_AT_ONCE) if near >> k & 1)

    def touching_bits(boxes, at, box):
        return _touching_in_plain_python(boxes[:4, at : at + BOXES_AT_ONCE], box)

    def touching_word(boxes, at, box):
        return _signed(_touching_in_plain_python(boxes[:4, at : at + WORD_BITS], box))

    def without_lowest(bits):
        word = int(bits) % (1 << WORD_BITS)
        return _signed(word & (word - 1))

    def _signed(word):
        """Return a word as a number with a sign."""
        return word - (word >> WORD_BITS - 1 << WORD_BITS)

    def _touching_in_plain_python(sides, box):
        left, top, right, bottom = sides
        near = (left <= box[2]) & (top <= box[3]) & (right >= box[0]) & (bottom >= box[1])
        return sum(1 << int(k) for k in np.flatnonzero(near))

    def copy_sixteen(x, y, at, sides, of, extra, boxes, to):
        is_right, flat = True, sides.reshape(-1)
        for k in range(COPIED_AT_ONCE):
            for axis, values in enumerate((x, y)):
                here, side = int(values[at + k]), int(flat[of + 2 * k + axis])
                there = here + side + extra - 1
                if here >= -(1 << 31) and 1 <= side < 1 << 31 and there < 1 << 31:
                    boxes[axis, to + k], boxes[axis + 2, to + k] = here, there
                else:
                    is_right = False
        return is_right

    def common_words(words, at, found):
        found[:] = np.bitwise_and.reduce([words[each : each + WORDS_AT_ONCE] for each in at])
        return sum(1 << int(k) for k in np.flatnonzero(found))

    def lowest_bit(bits):
        return (int(bits) & -int(bits)).bit_length() - 1
