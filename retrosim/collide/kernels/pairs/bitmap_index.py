"""Some thousand boxes of any size: a range-encoded bitmap index of each side, and four rows of bits in common.

The extent of a scene is cut into buckets along both axes. For each bucket there is a row of bits, one for each box: of
those whose left side is in it or in one before, whose right side is in it or in one behind, and the same for upper and
lower sides. What may overlap a box has its bit in four such rows, so it is found eight words at a time, whatever the
sizes, and in ascending order, so that nothing has to be sorted. What it then shares only a bucket with is told apart
by comparison; where that is too much (most boxes in a few buckets), the hierarchical grid is the better one.

Arguments of all functions here are those of `small_boxes`, and
    bits     int64[..]  four tables of rows; a row is as many words as the boxes need, in multiples of WORDS_AT_ONCE
"""

from __future__ import annotations

import numpy as np

from retrosim.jit import kernel

from .hierarchical_grid import OUTLIERS, SAMPLE, sort_numbers
from .simd import WORD_BITS, WORDS_AT_ONCE, common_words, lowest_bit, without_lowest

MAX_OBJECTS = 4096  # of more the tables are too large for the second cache
MAX_BUCKETS = 256
MIN_VAIN, VAIN = 1 << 14, 4  # comparisons in vain that are allowed in all, and for each pair
TOO_MANY = -2


@kernel
def extent_of(near, far, count, max_buckets):
    """Return where the first bucket of an axis begins, log2 of their size, and how many they are.

    What is far from most of a sample is in the first or the last bucket, so that a few outliers do no harm.

    near, far  int32[..]  first and last units of `count` boxes
    """
    lowest, highest, log2, sample = near[0], far[0], 0, np.empty(SAMPLE, np.int64)
    for k in range(np.uint64(count)):
        lowest, highest = min(lowest, near[k]), max(highest, far[k])
    for k in range(SAMPLE):
        sample[k] = near[k * count // SAMPLE]
    sort_numbers(sample, SAMPLE)
    margin = (sample[SAMPLE - 1 - OUTLIERS] - sample[OUTLIERS]) // 4
    first = max(np.int64(lowest), sample[OUTLIERS] - margin)
    last = min(np.int64(highest), sample[SAMPLE - 1 - OUTLIERS] + margin)
    while (last - first) >> log2 >= max_buckets:
        log2 += 1
    return first, log2, ((last - first) >> log2) + 1


@kernel
def bucket_of(place, extent):
    """Return the bucket of a coordinate; see `extent_of`."""
    first, log2, buckets = extent
    return min(max(0, place - first) >> log2, buckets - 1)


@kernel
def fill_tables(near, far, count, extent, words, bits, at):
    """Fill the two tables of an axis, which begin at word `at` and are all zeros."""
    buckets = extent[2]
    last = at + buckets * words
    for j in range(count):
        bit = np.int64(1) << (j & (WORD_BITS - 1))
        bits[np.uint64(at + bucket_of(near[j], extent) * words + j // WORD_BITS)] |= bit
        bits[np.uint64(last + bucket_of(far[j], extent) * words + j // WORD_BITS)] |= bit
    for k in range(np.uint64(at + words), np.uint64(last)):
        bits[k] |= bits[k - np.uint64(words)]
    for row in range(buckets - 2, -1, -1):
        here = last + row * words
        for k in range(np.uint64(here), np.uint64(here + words)):
            bits[k] |= bits[k + np.uint64(words)]


@kernel
def list_indexed(boxes, count, rows):
    """List the pairs that overlap, in ascending order.

    boxes    int32[4, n]  of `small_boxes`; `count` of them, 1 or more
    rows     int32[k, 2]  output, lower index first; pairs beyond k are only counted
    Returns  int          pairs, or TOO_MANY comparisons
    """
    words = (count + WORD_BITS * WORDS_AT_ONCE - 1) // (WORD_BITS * WORDS_AT_ONCE) * WORDS_AT_ONCE
    max_buckets = min(MAX_BUCKETS, max(64, count // 8))
    extent_x = extent_of(boxes[0], boxes[2], count, max_buckets)
    extent_y = extent_of(boxes[1], boxes[3], count, max_buckets)
    across, down = extent_x[2] * words, extent_y[2] * words
    bits, found = np.zeros(2 * (across + down), np.int64), np.empty(WORDS_AT_ONCE, np.int64)
    fill_tables(boxes[0], boxes[2], count, extent_x, words, bits, 0)
    fill_tables(boxes[1], boxes[3], count, extent_y, words, bits, 2 * across)
    total, compared = 0, 0
    for i in range(count):
        one_left, one_top, one_right, one_bottom = boxes[0, i], boxes[1, i], boxes[2, i], boxes[3, i]
        first = i // WORD_BITS // WORDS_AT_ONCE * WORDS_AT_ONCE
        before_right = bucket_of(one_right, extent_x) * words
        behind_left = across + bucket_of(one_left, extent_x) * words
        above_bottom = 2 * across + bucket_of(one_bottom, extent_y) * words
        below_top = 2 * across + down + bucket_of(one_top, extent_y) * words
        for at in range(first, words, WORDS_AT_ONCE):
            used = common_words(bits, (before_right + at, behind_left + at, above_bottom + at, below_top + at), found)
            if at == first:  # only what is behind box i
                word = i // WORD_BITS - first
                found[word] &= np.int64(-2) << (i & (WORD_BITS - 1))
                used &= np.int64(-1) << word
            while used:
                word = lowest_bit(used)
                used = without_lowest(used)
                near = found[word]
                while near:
                    j = (at + word) * WORD_BITS + lowest_bit(near)
                    near = without_lowest(near)
                    compared += 1
                    if total < len(rows):
                        rows[total, 0], rows[total, 1] = i, j
                    is_near = (boxes[0, j] <= one_right) & (boxes[2, j] >= one_left)
                    total += is_near & (boxes[1, j] <= one_bottom) & (boxes[3, j] >= one_top)
        if compared > MIN_VAIN + VAIN * (count + total):
            return TOO_MANY
    return total
