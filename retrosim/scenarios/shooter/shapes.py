"""What the ROM `shooter` tests: the collision circles of its object records, all pairs that the records allow."""

from __future__ import annotations

import numpy as np

from retrosim.collide.documents.objects import DETECT_NONE, DETECT_SHIP, MAX_RADIUS, SHIP
from retrosim.rom.reading import Reader
from retrosim.screen.shapes import Columns, Shapes, pairs_of, table

from ..scenario import ShapeSource
from ..walks import Flag, ReadTest, Records, WalkSource

RECORD_BYTES, FIRST_AT, COUNT_AT, CIRCLE_BYTES = 16, 12, 14, 8  # structs object and circle, roms/objects/src/objects.h
MAX_OF_ONE, MAX_CIRCLES = 16, 1024  # memory may hold anything, and more would only cost time
NEVER = np.iinfo(np.int64).max


def auxiliary(reader: Reader, columns: Columns) -> Columns:
    """Return `first` and `count`, int[n]: the circles of each record; `circles`, int[m, 3]: x, y, radius of each."""
    first, count = (
        reader.column("gRecords", at, RECORD_BYTES, "s16", len(columns["x"])) for at in (FIRST_AT, COUNT_AT)
    )
    if len(first) < len(columns["x"]):
        raise ValueError(f"gRecords has {len(first)} records: {len(columns['x'])} are needed")
    capacity = min(reader.capacity("gCircles", CIRCLE_BYTES), MAX_CIRCLES)
    circles = [reader.column("gCircles", at, CIRCLE_BYTES, "s16", capacity) for at in (0, 2, 4)]
    return {"first": first, "count": count, "circles": np.stack(circles, axis=1)}


def touching(owner: np.ndarray, circles: np.ndarray, count: int) -> np.ndarray:
    """Tell which of `count` objects have circles that overlap, bool[count, count].

    owner    int[c]     object of each circle
    circles  int[c, 3]  x and y of the centre on the screen, radius
    """
    x, y, radius = circles.T.astype(np.int64)
    squared = (x[:, None] - x) ** 2 + (y[:, None] - y) ** 2
    one, other = np.nonzero(squared < (radius[:, None] + radius) ** 2)
    found = np.zeros((count, count), bool)
    found[owner[one], owner[other]] = True
    return found


def hits_in_turn(pairs: np.ndarray, turn: np.ndarray) -> list[tuple[int, int]]:
    """Return which object hit which, the lower first: the first pair in turn of each that is still in the game.

    pairs  int[m, 2]  all that could meet, by their circles
    turn   int[n, n]  when the loop tests a pair
    """
    gone: set[int] = set()
    hits = []
    for a, b in sorted(pairs.tolist(), key=lambda pair: turn[pair[0], pair[1]]):
        if a != b and not {a, b} & gone:
            gone |= {a, b}
            hits.append((min(a, b), max(a, b)))
    return sorted(hits)


def shapes(columns: Columns) -> Shapes:
    """Return the circles of all objects in the game when they were tested; tested are all pairs that the loop got to.

    An object that was hit has left the game when the frame ends; that it was hit in this frame shows in its burst,
    which is 1. With these put back the rule of Jon E P 2007 gives the rest: a pair is tested when either order of it
    comes up while both are in the game. The pairs are found among the objects that were hit.
    """
    n, circles = len(columns["x"]), columns["circles"]
    x, y, is_ship, detection = columns["x"], columns["y"], columns["type"] == SHIP, columns["detection"]
    hit = (columns["collided"] != 0) & (columns["burst"] == 1)
    there = (columns["active"] != 0) | hit
    first = np.clip(columns["first"][:n], 0, len(circles))  # the native machine has records before the first frame
    count = np.clip(columns["count"][:n], 0, np.minimum(len(circles) - first, MAX_OF_ONE))
    owned = [circles[begin : begin + number] for begin, number in zip(first, count)]
    owner = np.repeat(np.arange(n), np.where(there, count, 0))
    shown = np.concatenate([np.empty((0, 3), int), *(owned[i] for i in np.flatnonzero(there))])
    placed = np.stack([x[owner] + shown[:, 0], y[owner] + shown[:, 1], shown[:, 2]], axis=1)

    seen = there & (detection != DETECT_NONE)
    allowed = seen[:, None] & seen & (is_ship[:, None] | (detection != DETECT_SHIP)[:, None] | is_ship)
    turn = np.where(allowed, np.arange(n * n).reshape(n, n), NEVER)  # the order of the loop
    of_hit = hit[owner]
    met = touching(owner[of_hit], placed[of_hit], n) & allowed
    hits = np.array(hits_in_turn(np.argwhere(met), turn), np.int32).reshape(-1, 2)
    gone = np.full(n, NEVER)
    for a, b in hits.tolist():
        gone[[a, b]] = min(turn[a, b], turn[b, a])
    is_reached = allowed & (turn <= np.minimum(gone[:, None], gone))

    middle = np.array([each[:, :2].mean(axis=0) if len(each) else (0, 0) for each in owned], int).reshape(-1, 2)
    radius = np.clip(placed[:, 2], 0, MAX_RADIUS)
    return Shapes(
        hit=hit,
        centres=table(x + middle[:, 0], y + middle[:, 1]),
        circles=table(owner, *placed[:, :2].T, radius),
        tested=pairs_of(is_reached | is_reached.T),
        hits=hits,
    )


SHAPES = ShapeSource(
    objects=("type", "active", "detection", "collided", "x", "y", "burst"),
    single=(),
    shapes=shapes,
    auxiliary=auxiliary,
)


# How the check of the ROM `shooter` is followed: every pair of records, in both orders, whose types allow it.

RECORDS = Records("gRecords", 63, first=4, last=12)

WALK = WalkSource(
    check="CheckAllObjects",
    tests=(ReadTest(RECORDS),),
    flags=(Flag("gRecords", "circles overlap"),),
)
