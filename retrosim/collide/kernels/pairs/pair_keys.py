"""Pairs as keys: one int64 each, the lower index in the upper half, so that sorting keys sorts pairs."""

from __future__ import annotations

import numpy as np

from retrosim.jit import kernel

HALF, PACKED_HALF = 32, 16
"""Bits of an index in a key, and in one that is packed into 32 bits: these are sorted in half the time."""


@kernel
def pack_keys(keys, packed):
    """Write keys with less room between their halves, and tell whether all of them fit.

    keys    int64[m]
    packed  uint32[m]  output
    """
    bits = np.int64(0)
    for k in range(len(keys)):
        key = keys[np.uint64(k)]
        bits |= key
        packed[np.uint64(k)] = np.uint32((key >> (HALF - PACKED_HALF)) | (key & ((1 << PACKED_HALF) - 1)))
    return (bits >> HALF | bits & ((1 << HALF) - 1)) >> PACKED_HALF == 0


@kernel
def split_keys(keys, half, rows):
    """Write keys as pairs.

    keys  int64[m], or uint32[m] if they are packed
    half  int          bits of an index in them
    rows  int32[m, 2]  output; may be the same memory as `keys` of 64 bits
    """
    for k in range(len(keys)):
        key = np.int64(keys[np.uint64(k)])
        rows[np.uint64(k), 0] = key >> half
        rows[np.uint64(k), 1] = key & ((np.int64(1) << half) - 1)


# How many points lie below others in both axes, without looking at pairs: by ranks, and a tree of counts.
#
# The points are taken from left to right. Place r + 1 of the tree has the count of those with ranks near r, so that the
# number of all below a rank is the sum of as many places as the rank has bits (a Fenwick tree).


@kernel
def add_below(ranks, before, limits, where, tree, counts):
    """Add to a count for each query how many points lie before it along one axis, and below it along the other.

    ranks   int64[m]      of points in order of the first axis: their places in order of the second
    before  int64[n]      of queries, in ascending order: how many points lie before it along the first axis
    limits  int64[n]      how many points lie below it along the second
    where   int64[n]      which count it is
    tree    int32[m + 1]  memory, zero
    counts  int64[k]      output, added to
    """
    at = 0
    for q in range(len(before)):
        while at < before[q]:
            place = ranks[at] + 1
            while place < len(tree):
                tree[place] += 1
                place += place & -place
            at += 1
        place = limits[q]
        while place:
            counts[where[q]] += tree[place]
            place -= place & -place
