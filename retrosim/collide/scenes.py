"""Places for objects: the document's random formula, and scenes of a known density for the analysis table."""

from __future__ import annotations

import numpy as np

from retrosim.collide.grid import SCREEN_HEIGHT, SCREEN_WIDTH, SECTOR
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


def random_scene(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Place objects at random over the whole screen.

    count    0 or more
    seed     0..2**32-1
    Returns  x, y: int16[count], pixels
    """
    if count < 0 or not 0 <= seed < 2**32:
        raise ValueError(f"count {count}, seed {seed}: allowed 0 or more, and 0..{2**32 - 1}")
    x, y = np.empty(count, np.int16), np.empty(count, np.int16)
    randomize(x, y, seed)
    return x, y


def even_scene(each: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Place the same number of objects in each of the 80 sectors of the screen, whichever way the grid is shifted.

    each     1 or more objects in a sector
    seed     0..2**32-1
    Returns  x, y: int16[80 * each], pixels; each within the upper left quarter of its sector
    """
    if each < 1 or not 0 <= seed < 2**32:
        raise ValueError(f"each {each}, seed {seed}: allowed 1 or more, and 0..{2**32 - 1}")
    count = each * FILLED_COLUMNS * FILLED_ROWS
    x, y = np.empty(count, np.int16), np.empty(count, np.int16)
    fill_sectors(x, y, each, SECTOR // 2, seed)
    return x, y
