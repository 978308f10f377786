"""The collision routines of 1994 to 2011 as a library: plain arrays in, plain arrays out, no machine needed.

    module      document   what it tests                                              touching
    sectors     000, 1994  boxes of up to 31 pixels on the screen, by a shifted grid  no
    plane       000        the same boxes on a plane of any size, up to 4194304       no
    batch       000        many scenes of such boxes in one call                      no
    masks       001, 1995  sprites to the pixel, by masks of bits                     no
    boxes       002, 2011  boxes and circles, every pair, with categories             yes
    compound    002        objects made of several boxes and circles                  yes
    blocks      003, 2011  boxes in a plane cut into blocks                           yes
    spheres     003        spheres in three axes                                      no
    rectangles  003        rectangles at any angle, four methods                      yes
    objects     004, 2007  ships, missiles, aliens: records with circles or boxes     no
    bitmap      004        colours on the screen under an object                      no
    swept       004        boxes and circles that move during the frame               no

The names below are those of `sectors` and its surroundings; the other modules are imported by name, since they share
theirs. Every call takes a whole batch: `hits` tests listed pairs, `pairs` finds all of a scene, `collided` flags.

Conventions of all
    Arrays in, C-contiguous, and arrays out: uint8 flags, int32[m, 2] pairs of indices, the lower one first.
    Places come first, then what lies there, then `pairs`; options are keywords.
    `out` is where to write, instead of making an array; it is returned, or the rows of it that were filled.
    What is wrong with an argument is a ValueError of one line, which names the argument, its value and what is allowed.
    `mark_..`, `scan_..`, `list_..` are the compiled loops themselves, for compiled callers; they check nothing.

    >>> import numpy as np
    >>> from retrosim.collide import masks, pairs
    >>> x, y = np.array([100, 110, 300], np.int16), np.array([50, 55, 60], np.int16)
    >>> close = pairs(x, y, size=16)  # boxes first ..
    >>> close.tolist()
    [[0, 1]]
    >>> disc = np.array([[2 * abs(a - 7) + 2 * abs(b - 7) < 15 for a in range(16)] for b in range(16)], np.uint8)
    >>> close[masks.hits(x, y, np.zeros(3, np.int32), masks.pack([disc]), close) > 0].tolist()  # .. then pixels
    []
"""

from retrosim.collide.kernels.grid import workspace
from retrosim.collide.overlap import intersect
from retrosim.collide.sectors import METHODS, collided, count_tests, pairs, reports, tally_tests

__all__ = ["METHODS", "collided", "count_tests", "intersect", "pairs", "reports", "tally_tests", "workspace"]
