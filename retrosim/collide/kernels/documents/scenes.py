"""Random positions: the formula of Moertel 1994, and scenes of a known density."""

from __future__ import annotations

from retrosim.jit import kernel
from retrosim.numeric.random import advance, rand_scalar, rand_value

from ..pairs.sector_grid import SCREEN_HEIGHT, SCREEN_WIDTH, SECTOR

# The screen covers ten columns of whole sectors and eight rows, the last of them half a sector high.
FILLED_COLUMNS, FILLED_ROWS = SCREEN_WIDTH // SECTOR, -(-SCREEN_HEIGHT // SECTOR)


@kernel
def randomize(x, y, state):
    """Place every object at random, as the harness of 1994 does; return the new state of the generator.

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
