"""The methods that `retrosim study` compares, one row each: document, kernels, and what is exact of it.

A frame of a method is what a program does once a frame to find all collisions: methods for pairs go over all pairs,
sectors and blocks over their lists; document 004's loop goes over all pairs in both orders, and what collides leaves
it; the bitmap method looks under each object, on a screen that is empty at first, and draws it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from retrosim.collide import bitmap, blocks, boxes, masks, objects, overlap, rectangles, sectors, spheres, swept
from retrosim.collide.kernels import adjacent, oriented
from retrosim.collide.kernels.grid import SCREEN_HEIGHT, SCREEN_WIDTH, SECTORS, workspace
from retrosim.collide.oracle import boxes as box_oracle
from retrosim.collide.oracle import masks as mask_oracle
from retrosim.collide.oracle import objects as object_oracle
from retrosim.collide.oracle import rectangles as rectangle_oracle
from retrosim.collide.oracle import sectors as sector_oracle
from retrosim.jit import kernel

from .forms import SQUARE, Forms
from .operations import Address

LOG2_BLOCK = 6
EVERYONE = 0xFFFF
Of = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Frame:
    """A frame to run, again and again.

    calls   kernels and their arguments
    hits    tells of each pair what they find
    fresh   makes what a frame begins with as it was before `calls`
    result  array that `calls` write, if that is not about each pair
    """

    calls: list[tuple[Any, tuple]]
    hits: Callable[[], np.ndarray]
    fresh: Callable[[], None] = lambda: None
    result: np.ndarray | None = None


@dataclass(frozen=True)
class Method:
    """A row of the study.

    name       of the method in options and results
    document   its number
    title      what it does
    reference  what is exact for the very forms that it is given
    test       the kernel that tests a pair, or an object
    prepare    makes a frame of a scene's forms; `of` is applied to all arrays of geometry
    exact      the oracle's word on two objects
    """

    name: str
    document: str
    title: str
    reference: str
    test: Any
    prepare: Callable[[Forms, Of], Frame]
    exact: Callable[[Forms, int, int], bool]


def _integers(column: np.ndarray, dtype: type = np.int32) -> np.ndarray:
    return np.ascontiguousarray(column, dtype)


def _listed(forms: Forms, loop: Any, *before: Any, after: tuple = ()) -> Frame:
    """Return a frame that tests all pairs by a loop (..., pairs, ..., out)."""
    pairs = forms.scene.pairs
    out = np.zeros(len(pairs), np.uint8)
    arguments = (*before, pairs, *after, out)
    return Frame([(loop, arguments)], lambda: out)


def _from_list(forms: Forms, found: np.ndarray) -> np.ndarray:
    """Tell of each pair whether a list has it; rows below 0 were not filled."""
    count = forms.count
    table = np.zeros((count, count), np.uint8)
    rows = np.sort(found[found[:, 0] >= 0], axis=1)
    table[rows[:, 0], rows[:, 1]] = 1
    return table[np.triu_indices(count, 1)]


def _space(forms: Forms, times: int = 1) -> np.ndarray:
    return np.full((times * forms.count * (forms.count - 1) // 2, 2), -1, np.int32)


# 000


def _sectors(scan: Any) -> Callable[[Forms, Of], Frame]:
    def prepare(forms: Forms, of: Of) -> Frame:
        found, count = _space(forms, 9), forms.count
        x, y = (of(_integers(column)) for column in forms.squares.T)
        side = of(np.full(count, SQUARE, np.int32))
        flags, tally = np.zeros(count, np.uint8), np.zeros(SECTORS, np.int64)
        arguments = (x, y, side, side, True, workspace(count), flags, found, tally)
        return Frame([(scan, arguments)], lambda: _from_list(forms, found))

    return prepare


def _squares_overlap(forms: Forms, i: int, j: int) -> bool:
    a, b = ((*forms.squares[k].tolist(), SQUARE, SQUARE) for k in (i, j))
    return sector_oracle.is_hit(a, b)


# 001


def _masks(forms: Forms, of: Of) -> Frame:
    table = masks.pack(forms.sprites)
    across = table.across if of is _as_it_is else np.array([Address(n) for n in table.across], object)
    shape = np.arange(forms.count, dtype=np.int32)
    x, y = (of(_integers(column)) for column in forms.boxes.T[:2])
    columns = (of(table.words), table.first, across, of(table.wide), of(table.high), shape, x, y)
    return _listed(forms, masks.mark_pairs, *columns, after=(masks.METHODS.index("dword"),))


def _pixels_meet(forms: Forms, i: int, j: int) -> bool:
    sprites, places = ([column[k] for k in (i, j)] for column in (forms.sprites, forms.boxes[:, :2].tolist()))
    return mask_oracle.by_pixels(sprites[0].tolist(), places[0], sprites[1].tolist(), places[1]) is not None


# 002


def _box_rows(forms: Forms, is_round: bool) -> np.ndarray:
    if not is_round:
        return forms.boxes
    r = forms.radius
    return np.stack([forms.scene.x - r, forms.scene.y - r, 2 * r, 2 * r], axis=1)


def _boxes(is_round: bool = False, two_additions: bool = False) -> Callable[[Forms, Of], Frame]:
    def prepare(forms: Forms, of: Of) -> Frame:
        rows, found = _box_rows(forms, is_round), _space(forms)
        x, y, sides = (of(_integers(column)) for column in (rows[:, 0], rows[:, 1], rows[:, 2:]))
        everyone = np.full(forms.count, EVERYONE, np.uint16)
        circle = np.full(forms.count, is_round, np.uint8)
        arguments = (x, y, sides, circle, everyone, everyone, two_additions, found, np.zeros(4, np.int64))
        return Frame([(boxes.scan_pairs, arguments)], lambda: _from_list(forms, found))

    return prepare


def _boxes_touch(is_round: bool = False) -> Callable[[Forms, int, int], bool]:
    def exact(forms: Forms, i: int, j: int) -> bool:
        a, b = ((*_box_rows(forms, is_round)[k].tolist(), is_round) for k in (i, j))
        return box_oracle.get_collision_result(a, b, [0, 0, 0])

    return exact


# 003


def _blocks(forms: Forms, of: Of) -> Frame:
    left, top, sides = (_integers(column) for column in (forms.boxes[:, 0], forms.boxes[:, 1], forms.boxes[:, 2:]))
    columns, rows, handlers = blocks.measure_plane(left, top, sides, LOG2_BLOCK)
    heads, tally = np.empty((columns, rows), np.int32), np.zeros((columns, rows), np.int64)
    places, links = np.empty(handlers, np.int32), np.empty(handlers, np.int32)
    plane = (of(left), of(top), of(sides), LOG2_BLOCK)
    found = _space(forms)
    calls = [
        (blocks.measure_plane, plane),
        (blocks.place_handlers, (*plane, heads, places, links)),
        (blocks.scan_blocks, (*plane, heads, places, links, found, tally)),
    ]
    return Frame(calls, lambda: _from_list(forms, found))


def _spheres(forms: Forms, of: Of) -> Frame:
    x, y = (of(_integers(column)) for column in (forms.scene.x, forms.scene.y))
    z = of(np.zeros(forms.count, np.int32))
    return _listed(forms, spheres.mark_pairs, x, y, z, of(_integers(forms.radius, np.uint16)))


def _spheres_meet(forms: Forms, i: int, j: int) -> bool:
    a, b = ((int(forms.scene.x[k]), int(forms.scene.y[k]), 0, int(forms.radius[k])) for k in (i, j))
    return rectangle_oracle.spheres_meet(a, b)


def _rectangles(method: str) -> Callable[[Forms, Of], Frame]:
    def prepare(forms: Forms, of: Of) -> Frame:
        scene = forms.scene
        x, y = (of(_integers(column.astype(int) * 32, np.int16)) for column in (scene.x, scene.y))
        chosen = (oriented.CHOICES[method],)
        pairs, out = scene.pairs, np.zeros(len(scene.pairs), np.uint8)
        arguments = (x, y, of(scene.half), scene.angle, pairs, *chosen, out, None)
        return Frame([(rectangles.mark_pairs, arguments)], lambda: out)

    return prepare


def _rectangles_meet(forms: Forms, i: int, j: int) -> bool:
    return rectangle_oracle.separating_axis(forms.scene.rectangle(i), forms.scene.rectangle(j))


# 004


def _circles(forms: Forms, of: Of) -> Frame:
    at_first, circles = forms.records
    method, pairs = objects.METHODS.index("circles"), forms.scene.pairs
    records, found, out = at_first.copy(), np.empty((forms.count // 2, 2), np.int32), np.zeros(len(pairs), np.uint8)
    if of is not _as_it_is:
        records = np.empty(forms.count, [(name, object) for name in at_first.dtype.names])

    def fresh() -> None:
        for name in at_first.dtype.names:
            records[name] = of(at_first[name]) if name in "xy" else at_first[name]
        found[:] = -1

    def hits() -> np.ndarray:
        objects.mark_pairs(at_first, circles, pairs, method, out)
        return out

    fresh()
    return Frame([(objects.scan_objects, (records, of(circles), method, found))], hits, fresh, found)


def _circles_meet(forms: Forms, i: int, j: int) -> bool:
    dx, dy = (int(axis[i]) - int(axis[j]) for axis in (forms.scene.x, forms.scene.y))
    return any(
        object_oracle.by_circles(dx + a[0] - b[0], dy + a[1] - b[1], a, b)
        for a in forms.circles[i]
        for b in forms.circles[j]
    )


@kernel
def look_and_erase(frame, pixels, first, wide, high, shape, x, y, solid, pairs, out):
    """Draw the first of each pair alone on an empty screen and look under the second; as `bitmap.look`.

    pairs  int32[m, 2]  indices
    out    uint8[m]     output
    """
    for p in range(len(pairs)):
        a, b = pairs[p, 0], pairs[p, 1]
        s, t, left, top = shape[a], shape[b], int(x[a]), int(y[a])
        bitmap.paint(frame, pixels, first[s], wide[s], high[s], left, top)
        out[p] = bitmap.is_solid_under(frame, pixels, first[t], wide[t], high[t], int(x[b]), int(y[b]), solid)
        frame[max(top, 0) : top + high[s], max(left, 0) : left + wide[s]] = 0


def _bitmap(forms: Forms, of: Of) -> Frame:
    images, shape = bitmap.pack(forms.sprites), np.arange(forms.count, dtype=np.int32)
    left, top = (_integers(column) for column in forms.boxes.T[:2])
    solid = np.zeros(256, np.uint8)
    solid[1] = 1
    frame = np.zeros((SCREEN_HEIGHT, SCREEN_WIDTH), np.uint8)
    pixels = of(images.pixels)
    looked = (pixels, images.first, images.wide, images.high, shape, left, top, of(solid))
    pairs = forms.scene.pairs
    out = np.zeros(len(pairs), np.uint8)

    def fresh() -> None:
        frame[:] = 0

    def hits() -> np.ndarray:
        fresh()
        look_and_erase(frame, *images, shape, left, top, solid, pairs, out)
        return out

    flags = np.zeros(forms.count, np.uint8)
    return Frame([(bitmap.look_and_paint, (frame, *looked, flags))], hits, fresh, flags)


def _swept(is_round: bool) -> Callable[[Forms, Of], Frame]:
    def prepare(forms: Forms, of: Of) -> Frame:
        scene = forms.scene
        rows = np.stack([scene.x, scene.y], axis=1) if is_round else forms.boxes[:, :2]
        moves = [_integers(column) for column in scene.move.T]
        x, y = (of(_integers(column - move)) for column, move in zip(rows.T, moves))
        sides = None if is_round else of(_integers(forms.boxes[:, 2:]))
        radius = of(_integers(forms.radius, np.uint16)) if is_round else None
        return _listed(forms, swept.mark_pairs, x, y, *map(of, moves), sides, radius)

    return prepare


def _meet_in_frame(is_round: bool) -> Callable[[Forms, int, int], bool]:
    def exact(forms: Forms, i: int, j: int) -> bool:
        scene = forms.scene
        rows = np.stack([scene.x, scene.y], axis=1) if is_round else forms.boxes[:, :2]
        move = (scene.move[i].astype(int) - scene.move[j]).tolist()
        apart = [end - way for end, way in zip((rows[i].astype(int) - rows[j]).tolist(), move)]
        if is_round:
            return object_oracle.circles_meet_in_frame(apart, move, int(forms.radius[i] + forms.radius[j]))
        return object_oracle.boxes_meet_in_frame(apart, move, *forms.boxes[[i, j], 2:].tolist())

    return exact


def _as_it_is(array: np.ndarray) -> np.ndarray:
    return array


def prepared(method: Method, forms: Forms, of: Of = _as_it_is) -> Frame:
    """Return a frame; with `of` of a Count, one for `Count.plain` kernels."""
    return method.prepare(forms, of)


_SQUARES, _BOXES, _TURNED = "squares, half open", "boxes, closed", "rectangles by separating axes"
METHODS = tuple(
    Method(*row)
    for row in (
        ("four-shifts", "000", "sectors in four passes", _SQUARES, overlap.is_overlap,
            _sectors(sectors.scan_four_shifts), _squares_overlap),
        ("nine-sectors", "000", "nine adjacent sectors", _SQUARES, overlap.is_overlap,
            _sectors(adjacent.scan_nine), _squares_overlap),
        ("masks", "001", "pixel masks", "pixels", masks.is_common, _masks, _pixels_meet),
        ("boxes", "002", "early-out boxes", _BOXES, boxes.box_exit, _boxes(), _boxes_touch()),
        ("boxes-two", "002", "two-addition boxes", _BOXES, boxes.box_exit_2,
            _boxes(two_additions=True), _boxes_touch()),
        ("circles", "002", "circles after boxes", "circles, closed", boxes.box_exit,
            _boxes(is_round=True), _boxes_touch(is_round=True)),
        ("blocks", "003", "boxes in blocks", _BOXES, boxes.box_exit, _blocks, _boxes_touch()),
        ("spheres", "003", "spheres", "spheres, open", spheres.is_meeting, _spheres, _spheres_meet),
        ("point-1", "003", "point algorithm 1", _TURNED, oriented.is_hit, _rectangles("point_1"), _rectangles_meet),
        ("point-2", "003", "point algorithm 2", _TURNED, oriented.is_hit, _rectangles("point_2"), _rectangles_meet),
        ("line-1", "003", "line algorithm 1", _TURNED, oriented.is_hit, _rectangles("line_1"), _rectangles_meet),
        ("objects", "004", "several circles an object", "circles, open", objects.is_object_hit,
            _circles, _circles_meet),
        ("bitmap", "004", "colours on the screen", "pixels", bitmap.is_solid_under, _bitmap, _pixels_meet),
        ("swept-boxes", "004", "boxes that move", "boxes in all the frame, open", swept.is_hit,
            _swept(False), _meet_in_frame(False)),
        ("swept-circles", "004", "circles that move", "circles in all the frame, open", swept.is_hit,
            _swept(True), _meet_in_frame(True)),
    )
)  # fmt: skip
