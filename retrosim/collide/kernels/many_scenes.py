"""Many scenes of boxes of any size, one after the other: each is sorted and searched as if it were alone."""

from __future__ import annotations

from retrosim.jit import kernel

from .hierarchical_grid import FIRST, MAX_UNSORTED, TWO, Order, search, sort_scene


@kernel
def search_scenes(
    scene, starts, others, ends, max_compared, work, cursors, unflagged, kind, wanted, found, results, limit
):
    """Do what `hierarchical_grid.search` does, scene by scene.

    scene         int32[n, 6]        scene s is starts[s] .. starts[s + 1] - 1; INDEX counts from 0 in each
    starts, ends  int64[scenes + 1]
    others        int32[m, 6]        for TWO: scene s is ends[s] .. ends[s + 1] - 1; for ONE the same as `scene`
    max_compared  int                objects that are looked for up to which none are sorted, for TWO
    work          Work               for the largest scene; `unflagged` too
    kind          int                ONE or TWO
    found         int64[k]           output of PAIRS; indices are those of whole arrays
    results       int32[n]           output of the others; first hits are indices of whole arrays
    limit         int                of the pairs of all scenes
    """
    total = 0
    for s in range(len(starts) - 1):
        begin, end, first, last = starts[s], starts[s + 1], ends[s], ends[s + 1]
        is_small = kind == TWO and end - begin <= max_compared
        order = Order(*sort_scene(others, first, last, last - first if is_small else MAX_UNSORTED, work))
        cursors[:] = 0
        here = min(total, len(found))
        rest, mine, left = found[here:], results[begin:end], limit - total
        asked = scene[begin:end]
        total += search(asked, 0, end - begin, 1, work, order, cursors, unflagged, kind, wanted, rest, mine, left)
        for k in range(here, min(total, len(found))):
            found[k] += (begin << 32) + first
        for i in range(begin, end if wanted == FIRST else begin):
            if results[i] >= 0:
                results[i] += first
        if total > limit:
            break
    return total
