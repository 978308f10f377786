"""Every object against every other: no grid, no limits on position or size, and a check on the other methods."""

from __future__ import annotations

from retrosim.jit import kernel

from .overlap import box_of, is_overlap, note_hit


@kernel
def scan_all_pairs(boxes, is_16_bit, flags, reports, tally):
    """Test every pair once, in the order (0,1) (0,2) .. (1,2) ..; flag and report those that overlap.

    boxes      Boxes     anywhere
    is_16_bit  bool      differences are 16 bits wide, else 32
    others               as for `four_shifts.scan_four_shifts`; all tests are counted in tally[0]
    Returns    int       reports
    """
    x, y, width, height = boxes
    total = 0
    for a in range(len(x)):
        for b in range(a + 1, len(x)):
            tally[0] += 1
            if is_overlap(box_of(x, y, width, height, a), box_of(x, y, width, height, b), is_16_bit):
                total = note_hit(flags, reports, total, a, b)
    return total
