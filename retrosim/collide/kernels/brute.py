"""Every object against every other: no grid, no limits on place or size, and the judge of the other methods."""

from __future__ import annotations

from retrosim.collide.overlap import is_overlap, note_hit
from retrosim.jit import kernel


@kernel
def scan_all(x, y, wide, high, narrow, flags, reports, tally):
    """Test every pair once, in order (0,1) (0,2) .. (1,2) ..; mark and report those that overlap.

    x, y        int32[n]     upper-left corners, pixels, anywhere
    wide, high  int32[n]     sides, pixels
    narrow      bool         differences are 16 bits wide, else 32
    flags       uint8[n]     output, zero on entry
    reports     int32[m, 2]  output; hits beyond m rows are only counted
    tally       int64[1]     output, zero on entry; pair tests
    Returns     int          reports
    """
    total = 0
    for a in range(len(x)):
        for b in range(a + 1, len(x)):
            tally[0] += 1
            if is_overlap(x, y, wide, high, narrow, a, b):
                total = note_hit(a, b, flags, reports, total)
    return total
