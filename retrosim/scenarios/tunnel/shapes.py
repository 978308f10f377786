"""What the ROM `tunnel` tests: in its left half boxes where they are, in its right half boxes on their way.

Objects 4 i to 4 i + 3 are those of lane i: missile and ship of the plain test, missile and ship of the swept test.
"""

from __future__ import annotations

import numpy as np

from retrosim.scenarios.tunnel.rules import (
    BURST_FRAMES,
    LANE_PITCH,
    LANE_TOP,
    MISSILE_DOWN,
    MISSILE_HIGH,
    MISSILE_WIDE,
    SHIP_DOWN,
    SIDE,
    WHOLE,
)
from retrosim.screen.shapes import Columns, Shapes, table

OBJECTS = ("x", "begin", "ship", "plain_hit", "swept_hit", "plain_burst", "swept_burst")
SINGLE = ("shift",)


def shapes(columns: Columns) -> Shapes:
    """Return boxes, and the ways of missiles; tested is a missile that has not hit its ship before.

    A hit of this frame shows in its burst, which is new. Of a missile that was launched in this frame the box that was
    tested is overwritten: it has none, and stands where its ship is. Nor does memory keep where the ship was when the
    frame began, up to 2 pixels away: the ship's box is where it ended.
    """
    lane = np.arange(len(columns["x"]))
    launched = columns["x"] == columns["begin"]
    ship_x, ship_y = columns["ship"] + columns["shift"], LANE_TOP + lane * LANE_PITCH + SHIP_DOWN
    missile_y = ship_y - SHIP_DOWN + MISSILE_DOWN
    boxes, ways, hit, places, tested = [], [], np.zeros((len(lane), 4), bool), np.zeros((len(lane), 4, 2), int), []
    for half, test in enumerate(("plain", "swept")):
        missile, ship, left = 4 * lane + 2 * half, 4 * lane + 2 * half + 1, half * WHOLE
        x, begin, target = (left + each for each in (columns["x"], columns["begin"], ship_x))
        is_hit = columns[f"{test}_burst"] == BURST_FRAMES
        is_known = ~launched & (is_hit | (columns[f"{test}_hit"] == 0))
        boxes.append(table(ship, target, ship_y, target + SIDE, ship_y + SIDE))
        for at in (x, begin)[: half + 1]:
            row = table(missile, at, missile_y, at + MISSILE_WIDE, missile_y + MISSILE_HIGH)
            boxes.append(row[is_known])
        if half:
            right, bottom = begin + MISSILE_WIDE - 1, missile_y + MISSILE_HIGH - 1
            ways.append(table(missile, x, missile_y, right, missile_y, right, bottom, x, bottom)[is_known])
        tested.append(table(missile, ship)[is_known | is_hit])
        hit[:, 2 * half : 2 * half + 2] = is_hit[:, None]
        middle = np.stack([target + SIDE // 2, ship_y + SIDE // 2], axis=1)
        there = np.stack([x + MISSILE_WIDE // 2, missile_y + MISSILE_HIGH // 2], axis=1)
        places[:, 2 * half] = np.where(launched[:, None], middle, there)
        places[:, 2 * half + 1] = middle
    pairs = np.concatenate(tested)
    pairs = pairs[np.argsort(pairs[:, 0])]
    flags = hit.ravel()
    return Shapes(
        hit=flags,
        centres=table(*places.reshape(-1, 2).T),
        boxes=np.concatenate(boxes),
        paths=np.concatenate(ways),
        tested=pairs,
        hits=pairs[flags[pairs].all(axis=1)],
    )
