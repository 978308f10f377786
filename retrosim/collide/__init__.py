"""Collision detection in two dimensions, exact in integers: plain arrays in, plain arrays out, no machine needed.

For games of any kind:

    world       boxes of any mix of sizes in a world of signed 32-bit coordinates     touching as you say
    groups      the same, one group against another: bullets and enemies
    contacts    of listed pairs: how deep, which way out, and when they meet, as an exact fraction
    convex      circles, capsules, rectangles at any angle, convex polygons: exact
    scene       a scene that is kept: add, move, remove, events, what is at points, in circles, on rays, nearest

The routines of the documents, in `retrosim.collide.documents` but for `plane`, `batch` and `masks`:

    module      after                     what it tests                                              touching
    sectors     Moertel 1994              boxes of up to 31 pixels on the screen, by a shifted grid  no
    plane       Moertel 1994              the same boxes on a plane of any size, up to 4194304       no
    batch       Moertel 1994              many scenes of such boxes in one call                      no
    masks       Mackey 1995               sprites to the pixel, by bit masks                         no
    boxes       No-collision boxes 2011   boxes and circles, with categories                         yes
    compound    No-collision boxes 2011   objects made of several boxes and circles                  yes
    blocks      Rekaby 2011               boxes in a plane cut into blocks                           yes
    spheres     Rekaby 2011               spheres in three axes                                      no
    rectangles  Rekaby 2011               rectangles at any angle, four methods                      yes
    objects     Jon E P 2007              ships, missiles, aliens: records with circles or boxes     no
    bitmap      Jon E P 2007              colours on the screen under an object                      no
    swept       Jon E P 2007              boxes and circles that move during the frame               no

`sectors` also has `intersect`, the pair test of the article, and random scenes to try all this on.

The names below are those of `sectors`; other modules are imported by name, since their functions have the same names.
Every call takes a whole batch: `hits` tests listed pairs, `pairs` finds all pairs of a scene, `collided` gives a flag
for each object. A broad phase (`pairs`) finds candidates by their axis-aligned bounding boxes; a narrow phase (`hits`)
tests these exactly.

What they share:

    _arguments     checks of what callers pass
    _results       `out` arrays, and lists of pairs whose length is known only afterwards
    _boxes         boxes of any size: from arguments to kernels
    _equal_boxes   boxes of one size, likewise
    _small_scenes  few boxes: the shortest way to their kernels
    _shape_pairs   pairs of shapes of any kind, by their bounding boxes
    _queries       what lies at points, in boxes and circles, on segments, and nearest
    _first_calls   NumPy answers the first calls of an installation while kernels are compiled
    _threads       two threads for one call, and one call at a time
    _golden        one number for all answers, equal everywhere: `python -m retrosim.collide._golden`

Conventions of all modules
    Arrays in, C-contiguous, and arrays out: uint8 flags, int32[m, 2] pairs of indices, the lower one first.
    Coordinates come first, then what is there, then `pairs`; options are keywords.
    `out` is where to write, instead of making an array; it is returned, or the rows of it that were filled.
    A wrong argument is a ValueError of one line, which names the argument, its value and what is allowed.
    Arguments are read once, before anything is written: another thread may write into them, `out` may be one of them.
    A list of more than 16777216 pairs is made only in an `out` that has room for it.
    The compiled loops themselves, for callers that are compiled too, are in `retrosim.collide.kernels`.

    >>> import numpy as np
    >>> from retrosim.collide import masks, pairs
    >>> x, y = np.array([100, 110, 300], np.int16), np.array([50, 55, 60], np.int16)
    >>> close = pairs(x, y, size=16)  # broad phase ..
    >>> close.tolist()
    [[0, 1]]
    >>> disc = np.array([[2 * abs(a - 7) + 2 * abs(b - 7) < 15 for a in range(16)] for b in range(16)], np.uint8)
    >>> close[masks.hits(x, y, np.zeros(3, np.int32), masks.pack([disc]), close) > 0].tolist()  # .. then narrow phase
    []
"""

from .documents.sectors import METHODS, collided, count_tests, intersect, pairs, reports, tally_tests, workspace

__all__ = ["METHODS", "collided", "count_tests", "intersect", "pairs", "reports", "tally_tests", "workspace"]
