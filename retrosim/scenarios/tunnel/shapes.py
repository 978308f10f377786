"""What the ROM `tunnel` tests: in its left half boxes where they are, in its right half boxes swept along their paths.

Objects 4 i to 4 i + 3 are those of lane i: missile and ship of the plain test, missile and ship of the swept test.
"""

from __future__ import annotations

import numpy as np

from retrosim.screen.shapes import Columns, Shapes, table

from ..scenario import ShapeSource
from .picture import RIGHT_HALF
from .rules import BURST_FRAMES, LANE_PITCH, LANE_TOP, MISSILE_HEIGHT, MISSILE_TOP, MISSILE_WIDTH, SHIP_TOP, SIDE


def shapes(columns: Columns) -> Shapes:
    """Return boxes, and the paths of missiles; tested is a missile that has not hit its ship before.

    A hit of this frame shows in its burst, which is new. Of a missile that was launched in this frame the box that was
    tested is overwritten: it has none, and stands where its ship is. Nor does memory keep where the ship was when the
    frame began, up to 2 pixels away: the ship's box is where it ended.
    """
    lane = np.arange(len(columns["x"]))
    launched = columns["x"] == columns["begin"]
    ship_x, ship_y = columns["ship"] + columns["shift"], LANE_TOP + lane * LANE_PITCH + SHIP_TOP
    missile_y = ship_y - SHIP_TOP + MISSILE_TOP
    boxes, paths, tested = [], [], []
    hit, centres = np.zeros((len(lane), 4), bool), np.zeros((len(lane), 4, 2), int)
    for half, test in enumerate(("plain", "swept")):
        missile, ship, left = 4 * lane + 2 * half, 4 * lane + 2 * half + 1, half * RIGHT_HALF
        x, begin, target = (left + each for each in (columns["x"], columns["begin"], ship_x))
        is_hit = columns[f"{test}_burst"] == BURST_FRAMES
        is_known = ~launched & (is_hit | (columns[f"{test}_hit"] == 0))
        boxes.append(table(ship, target, ship_y, target + SIDE, ship_y + SIDE))
        for at in (x, begin)[: half + 1]:
            row = table(missile, at, missile_y, at + MISSILE_WIDTH, missile_y + MISSILE_HEIGHT)
            boxes.append(row[is_known])
        if half:
            right, bottom = begin + MISSILE_WIDTH - 1, missile_y + MISSILE_HEIGHT - 1
            paths.append(table(missile, x, missile_y, right, missile_y, right, bottom, x, bottom)[is_known])
        tested.append(table(missile, ship)[is_known | is_hit])
        hit[:, 2 * half : 2 * half + 2] = is_hit[:, None]
        middle = np.stack([target + SIDE // 2, ship_y + SIDE // 2], axis=1)
        there = np.stack([x + MISSILE_WIDTH // 2, missile_y + MISSILE_HEIGHT // 2], axis=1)
        centres[:, 2 * half] = np.where(launched[:, None], middle, there)
        centres[:, 2 * half + 1] = middle
    pairs = np.concatenate(tested)
    pairs = pairs[np.argsort(pairs[:, 0])]
    flags = hit.ravel()
    return Shapes(
        hit=flags,
        centres=table(*centres.reshape(-1, 2).T),
        boxes=np.concatenate(boxes),
        paths=np.concatenate(paths),
        tested=pairs,
        hits=pairs[flags[pairs].all(axis=1)],
    )


SHAPES = ShapeSource(
    objects=("x", "begin", "ship", "plain_hit", "swept_hit", "plain_burst", "swept_burst"),
    single=("shift",),
    shapes=shapes,
)
