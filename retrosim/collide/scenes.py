"""Places for objects: the document's random formula, and scenes of a known density for the analysis table.

    >>> from retrosim.collide import scenes
    >>> x, y = scenes.random_scene(3, seed=1994)
    >>> list(zip(x.tolist(), y.tolist()))
    [(412, 338), (610, 318), (498, 435)]
    >>> x, y = scenes.even_scene(2, seed=1994)
    >>> len(x), x[:2].tolist(), y[:2].tolist()  # two in each of 80 sectors; these are in the first
    (160, [31, 4], [2, 30])

`out`, int16[2, n], is where to write x and y instead of making arrays. Errors: ValueError, one line with the range.
"""

from __future__ import annotations

import numpy as np

from retrosim.collide.arguments import check_side
from retrosim.collide.kernels.grid import MOST_OBJECTS, SCREEN_HEIGHT, SCREEN_WIDTH, SECTOR
from retrosim.collide.results import array_of
from retrosim.jit import kernel
from retrosim.numeric.random import advance, rand_scalar, rand_value

# The screen covers ten columns of whole sectors and eight rows, the last of them half a sector high.
FILLED_COLUMNS, FILLED_ROWS = SCREEN_WIDTH // SECTOR, -(-SCREEN_HEIGHT // SECTOR)


@kernel
def randomize(x, y, state):
    """Place every object as the document's harness does; return the new state of the generator.

    x, y    int16[n] or int32[n]  output, 0..638 and 0..478 pixels
    state   int                   0..2**32-1
    Source  Moertel 1994, _RandomizeObjects
    """
    for i in range(len(x)):
        state = advance(state)
        x[i] = rand_scalar(SCREEN_WIDTH - 1, state)
        state = advance(state)
        y[i] = rand_scalar(SCREEN_HEIGHT - 1, state)
    return state


@kernel
def fill_sectors(x, y, each, reach, state):
    """Place `each` objects in every sector that the screen touches, anywhere in its upper left `reach` pixels.

    x, y   int16[each * 80]  output, pixels
    each   int               objects in a sector
    reach  int               1..64; up to 32 the shifted grids hold the same objects in each sector as the unshifted,
                             and all of them are on the screen
    state  int               0..2**32-1; the new state is returned
    """
    for i in range(len(x)):
        sector = i // each
        state = advance(state)
        x[i] = sector % FILLED_COLUMNS * SECTOR + rand_value(state) % reach
        state = advance(state)
        y[i] = sector // FILLED_COLUMNS * SECTOR + rand_value(state) % reach
    return state


def random_scene(count: int, seed: int, *, out: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Place objects at random over the whole screen.

    count    0..MOST_OBJECTS
    seed     0..2**32-1
    Returns  x, y: int16[count], pixels
    """
    count, seed = check_side("count", count, MOST_OBJECTS, 0), check_side("seed", seed, 2**32 - 1, 0)
    x, y = array_of(out, np.int16, 2, count)
    randomize(x, y, seed)
    return x, y


def even_scene(each: int, seed: int, *, out: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Place the same number of objects in each of the 80 sectors of the screen, whichever way the grid is shifted.

    each     objects in a sector, 1..MOST_OBJECTS // 80
    seed     0..2**32-1
    Returns  x, y: int16[80 * each], pixels; each within the upper left quarter of its sector
    """
    sectors = FILLED_COLUMNS * FILLED_ROWS
    each, seed = check_side("each", each, MOST_OBJECTS // sectors), check_side("seed", seed, 2**32 - 1, 0)
    x, y = array_of(out, np.int16, 2, each * sectors)
    fill_sectors(x, y, each, SECTOR // 2, seed)
    return x, y
