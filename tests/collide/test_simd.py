"""SIMD comparisons against plain ones, at every difference that matters."""

import numpy as np
import pytest

from retrosim.collide.kernels.pairs.simd import (
    BOXES_AT_ONCE,
    COPIED_AT_ONCE,
    ROW,
    SQUARES_AT_ONCE,
    WORD_BITS,
    WORDS_AT_ONCE,
    common_words,
    copy_sixteen,
    lowest_bit,
    overlap_bits,
    square_bits,
    square_twins,
    touching_bits,
    touching_word,
    without_lowest,
)
from retrosim.jit import kernel

pytestmark = pytest.mark.without_jit


@kernel
def bits_of(xs, ys, at, x, y, size):
    return overlap_bits(xs, ys, at, x, y, size)


@kernel
def lowest_of(bits):
    return lowest_bit(bits)


@kernel
def rest_of(bits):
    return without_lowest(bits)


@kernel
def near_one(boxes, at, box):
    return touching_bits(boxes, at, box), touching_word(boxes, at, box)


@kernel
def copied(x, y, at, sides, of, extra, boxes, to):
    return copy_sixteen(x, y, at, sides, of, extra, boxes, to)


@kernel
def in_common(words, a, b, c, d, found):
    return common_words(words, (a, b, c, d), found)


@kernel
def squares_of(corners, at, corner, size):
    return square_bits(corners, at, corner, size)


@kernel
def twins_of(corners, at, length, corner, size):
    return square_twins(corners, at, length, corner, size)


@pytest.mark.parametrize("here", [500, -1, 65536 * 3 - 7])
def test_vectors_are_what_they_say(here):
    """All differences about a side, in both axes, and far ones; the result is bits from any index on."""
    rng = np.random.default_rng(1)
    for size in (1, 2, 8, 30, 31):
        near = np.concatenate([np.arange(-33, 34), rng.integers(-5000, 5000, 61)])
        for axis in range(2):
            xs, ys = (here + near, rng.integers(here - size, here + size + 1, len(near)))[:: 1 - 2 * axis]
            corners = ((ys & 0xFFFF) << 16 | (xs & 0xFFFF)).astype(np.uint32).view(np.int32)
            overlaps = (abs(xs - here) < size) & (abs(ys - here) < size)
            for at in range(0, len(near) - ROW + 1, 3):
                expected = sum(int(bit) << k for k, bit in enumerate(overlaps[at : at + ROW]))
                if here == 500:  # 16 bits hold it
                    small = xs.astype(np.int16), ys.astype(np.int16)
                    assert bits_of(*small, at, here, here, size) == expected, (size, at)
                found = squares_of(corners, at, (here & 0xFFFF) * 0x10001, size)
                assert found == expected & (1 << SQUARES_AT_ONCE) - 1, (size, at)
                twins = sum(3 << 2 * k for k in range(at % 17) if expected >> k & 1)
                assert twins_of(corners, at, at % 17, (here & 0xFFFF) * 0x10001, size) == twins, (size, at)
            is_close = (abs(xs - here) < 128) & (abs(ys - here) < 128)  # 8 bits hold the difference
            corners = ((ys & 0xFF) << 8 | (xs & 0xFF)).astype(np.uint16).view(np.int16)[is_close]
            for at in range(0, len(corners) - SQUARES_AT_ONCE + 1, 3):
                expected = sum(int(bit) << k for k, bit in enumerate(overlaps[is_close][at : at + SQUARES_AT_ONCE]))
                assert squares_of(corners, at, (here & 0xFF) * 0x101, size) == expected, (size, at)
                for length in (0, 1, at % SQUARES_AT_ONCE, SQUARES_AT_ONCE):
                    twins = sum(3 << 2 * k for k in range(length) if expected >> k & 1)
                    assert twins_of(corners, at, length, (here & 0xFF) * 0x101, size) == twins, (size, at, length)


def test_lowest_bits():
    for bit in range(33):
        for rest in (0, 1, 5, 1 << 20):
            assert lowest_of((rest << (bit + 1)) | (1 << bit)) == bit


def test_words_without_their_lowest_bit():
    for bit in range(64):
        for rest in (0, 1, 5, 1 << 20, -1):
            word = (rest << (bit + 1) | 1 << bit) % (1 << 64)
            expected = word & (word - 1)
            assert rest_of(word - (word >> 63 << 64)) == expected - (expected >> 63 << 64)


def test_boxes_that_touch():
    rng = np.random.default_rng(2)
    for far in (3, 1 << 31):
        corners = rng.integers(-far, far, (2, 2, 90))
        boxes = np.concatenate([corners.min(axis=0), corners.max(axis=0)]).astype(np.int32)
        left, top, right, bottom = boxes.astype(np.int64)
        for i in range(0, 90, 7):
            near = (left <= right[i]) & (top <= bottom[i]) & (right >= left[i]) & (bottom >= top[i])
            box = tuple(map(int, boxes[:, i]))
            for at in (0, 5, 90 - WORD_BITS):
                bits = sum(int(bit) << k for k, bit in enumerate(near[at : at + WORD_BITS]))
                assert near_one(boxes, at, box) == (bits & (1 << BOXES_AT_ONCE) - 1, bits - (bits >> 63 << 64))


@pytest.mark.first_case
@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64])
def test_boxes_are_copied_and_checked(kind):
    """Every type of integers; one number of sixteen is an extreme one."""
    rng, info = np.random.default_rng(4), np.iinfo(kind)
    extremes = {
        info.min,
        info.max,
        0,
        1,
        info.max // 2 + 1,
        1 << 31,
        (1 << 31) - 1,
        1 << 32,
        -(1 << 31),
        -(1 << 31) - 1,
    }
    allowed = [number for number in extremes if info.min <= number <= info.max]
    for number in range(120):
        x, y = rng.integers(max(info.min, -99), 100, (2, 30)).astype(kind)
        sides = rng.integers(1, 20, (30, 2)).astype(kind)
        at, extra, boxes = int(rng.integers(0, 30 - COPIED_AT_ONCE + 1)), number & 1, np.zeros((4, 40), np.int32)
        (x, y, sides[:, 0], sides[:, 1])[number % 4][at + number % COPIED_AT_ONCE] = allowed[number % len(allowed)]
        here = slice(at, at + COPIED_AT_ONCE)
        corners = np.array([x[here].tolist(), y[here].tolist()], object)
        ends = corners + np.array(sides[here].tolist(), object).T + extra - 1
        lengths = np.array(sides[here].tolist(), object)
        is_right = corners.min() >= -(1 << 31) and lengths.min() >= 1 and max(lengths.max(), ends.max()) < 1 << 31
        assert copied(x, y, at, sides, 2 * at, extra, boxes, 3) == is_right
        if is_right:
            expected = np.concatenate([corners, ends]).astype(np.int32)
            assert np.array_equal(boxes[:, 3 : 3 + COPIED_AT_ONCE], expected) and not boxes[:, :3].any()
            assert not boxes[:, 3 + COPIED_AT_ONCE :].any()


def test_words_in_common():
    rng = np.random.default_rng(5)
    words, found = rng.integers(0, 1 << 62, 99) & rng.integers(0, 1 << 62, 99), np.empty(WORDS_AT_ONCE, np.int64)
    words[rng.random(99) < 0.2] = -1
    words[rng.random(99) < 0.2] = 0
    for _ in range(50):
        places = [int(at) for at in rng.integers(0, 99 - WORDS_AT_ONCE + 1, 4)]
        expected = np.bitwise_and.reduce([words[at : at + WORDS_AT_ONCE] for at in places])
        assert in_common(words, *places, found) == sum(int(word != 0) << k for k, word in enumerate(expected))
        assert np.array_equal(found, expected)
