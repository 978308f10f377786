"""How many points lie below others in both axes, without looking at pairs: by ranks, and a tree of counts.

The points are taken from left to right. Place r + 1 of the tree has the count of those with ranks near r, so that the
number of all below a rank is the sum of as many places as the rank has bits (a Fenwick tree).
"""

from __future__ import annotations

from retrosim.jit import kernel


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
