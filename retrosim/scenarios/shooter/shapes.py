"""What the ROM `shooter` tests: the collision circles of its object records, all pairs that the records allow."""

from __future__ import annotations

import numpy as np

from retrosim.collide.objects import DETECT_NONE, DETECT_SHIP, MAX_RADIUS, SHIP
from retrosim.collide.oracle.objects import check_all
from retrosim.rom.reading import Reader
from retrosim.screen.shapes import Columns, Shapes, pairs_of, table

OBJECTS, SINGLE = ("type", "active", "detection", "collided", "x", "y", "burst"), ()
RECORD_BYTES, FIRST_AT, COUNT_AT, CIRCLE_BYTES = 16, 12, 14, 8  # structs object and circle, roms/objects/src/objects.h
MAX_OF_ONE, MAX_CIRCLES = 16, 1024  # memory may hold anything, and more would only cost time
NEVER = np.iinfo(np.int64).max


def read(reader: Reader, columns: Columns) -> Columns:
    """Return `first` and `count`, int[n]: the circles of each record; `circles`, int[m, 3]: x, y, radius of each."""
    first, count = (
        reader.column("gRecords", at, RECORD_BYTES, "s16", len(columns["x"])) for at in (FIRST_AT, COUNT_AT)
    )
    if len(first) < len(columns["x"]):
        raise ValueError(f"gRecords has {len(first)} records: {len(columns['x'])} are needed")
    room = min(reader.room("gCircles", CIRCLE_BYTES), MAX_CIRCLES)
    circles = [reader.column("gCircles", at, CIRCLE_BYTES, "s16", room) for at in (0, 2, 4)]
    return {"first": first, "count": count, "circles": np.stack(circles, axis=1)}


def _hits(columns: Columns, fresh: np.ndarray, owned: list[np.ndarray]) -> list[list[int]]:
    """Return who hit whom: the loop over those alone that were hit in this frame, for nobody else changes anything."""
    each = fresh.tolist()
    records = [
        {"active": 1, "collided": 0} | {key: int(columns[key][i]) for key in ("type", "detection", "x", "y")}
        for i in each
    ]
    return sorted(sorted((each[a], each[b])) for a, b in check_all(records, [owned[i].tolist() for i in each]))


def shapes(columns: Columns) -> Shapes:
    """Return the circles of all objects in the game when they were tested; tested are all pairs that the loop got to.

    An object that was hit has left the game when the frame ends; that it was hit in this frame shows in its burst,
    which is 1. With these put back the rule of document 004 gives the rest: a pair is tested when either order of it
    comes up while both are in the game. Who hit whom is found by `collide.reference_objects`, without a compiler.
    """
    n, circles = len(columns["x"]), columns["circles"]
    hit = (columns["collided"] != 0) & (columns["burst"] == 1)
    there = (columns["active"] != 0) | hit
    first = np.clip(columns["first"][:n], 0, len(circles))  # the native machine has records before the first frame
    count = np.clip(columns["count"][:n], 0, np.minimum(len(circles) - first, MAX_OF_ONE))
    owned = [circles[begin : begin + number] for begin, number in zip(first, count)]
    hits = np.array(_hits(columns, np.flatnonzero(hit), owned), np.int32).reshape(-1, 2)

    is_ship, detection = columns["type"] == SHIP, columns["detection"]
    seen = there & (detection != DETECT_NONE)
    allowed = seen[:, None] & seen & (is_ship[:, None] | (detection != DETECT_SHIP)[:, None] | is_ship)
    turn = np.arange(n * n).reshape(n, n)  # the order of the loop
    turn = np.where(allowed, turn, NEVER)
    gone = np.full(n, NEVER)
    for a, b in hits.tolist():
        gone[[a, b]] = min(turn[a, b], turn[b, a])
    last = np.minimum(gone[:, None], gone)
    is_reached = allowed & (turn <= last)

    owner = np.repeat(np.arange(n), np.where(there, count, 0))
    shown = np.concatenate([np.empty((0, 3), int), *(owned[i] for i in np.flatnonzero(there))])
    x, y = (columns[name] for name in "xy")
    middle = np.array([each[:, :2].mean(axis=0) if len(each) else (0, 0) for each in owned], int).reshape(-1, 2)
    return Shapes(
        hit=hit,
        centres=table(x + middle[:, 0], y + middle[:, 1]),
        circles=table(owner, x[owner] + shown[:, 0], y[owner] + shown[:, 1], np.clip(shown[:, 2], 0, MAX_RADIUS)),
        tested=pairs_of(is_reached | is_reached.T),
        hits=hits,
    )
