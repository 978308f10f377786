"""The ROM `objects`: machine code, kernels and the oracle agree about every call, on every machine.

--full tests 400 random inputs of each routine instead of 160.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest

from retrosim.collide.documents import bitmap, objects, swept
from retrosim.machine import Machine, open_machine
from retrosim.numeric.tables import SECANTS, distance_2d, integer_square_root
from tests.helpers.amount import FULL, amount
from tests.helpers.machine.flat import FLAT_MACHINES
from tests.oracle import bitmap as bitmap_oracle
from tests.oracle import objects as oracle
from tests.oracle import swept as swept_oracle

RANDOM_INPUTS = amount(160, 400)
SEED = 2007
DATA, SHAPES, RECORDS, FOUND, END = 0x20000, 0x100000, 0x200000, 0x400000, 0x700000
AT_ONCE = 10_000  # inputs of a call
GAMES_AT_ONCE = 500
CIRCLE_TESTS = {"circles": "CirclesMeet", "square_root": "CirclesMeetByRoot", "distance_2d": "CirclesMeetByTable"}
TESTS = {**CIRCLE_TESTS, "boxes": "BoxesMeet"}
ORACLES = {
    "circles": oracle.by_circles,
    "square_root": oracle.by_circles,
    "distance_2d": oracle.by_distance_2d,
    "boxes": oracle.by_boxes,
}


class Library:
    """The ROM on one machine."""

    def __init__(self, name: str) -> None:
        self.machine: Machine = open_machine(name, "objects", engine="interpret", timing="off")
        self.order = "<" if self.machine.image.byte_order == "little" else ">"

    def call(self, entry: str, *arguments: int | str) -> int:
        words = [self.machine.address(each) if isinstance(each, str) else int(each) for each in arguments]
        return self.machine.measure(entry, *words, warm=0).result

    def dtype(self, *fields: tuple[str, str]) -> np.dtype:
        return np.dtype([(name, self.order + kind) for name, kind in fields])

    def over(self, entry: str, rows: np.ndarray, *more: int | str) -> np.ndarray:
        """Hand a list to a routine, in parts; return it as the routine leaves it."""
        parts = []
        for start in range(0, len(rows), AT_ONCE):
            part = rows[start : start + AT_ONCE]
            assert DATA + part.nbytes <= SHAPES
            self.machine.write(DATA, part.tobytes())
            self.call(entry, DATA, len(part), *more)
            parts.append(self.machine.mem[DATA : DATA + part.nbytes].view(rows.dtype).copy())
        return np.concatenate(parts)


@cache
def library(name: str) -> Library:
    return Library(name)


@pytest.fixture(scope="module", autouse=True)
def libraries_are_freed():
    yield
    library.cache_clear()


on_every_machine = pytest.mark.parametrize("machine", FLAT_MACHINES)


@on_every_machine
def test_square_roots(machine: str) -> None:
    rng = np.random.default_rng(SEED)
    squares = np.arange(65536, dtype=np.int64)[:: max(1, 65536 // (RANDOM_INPUTS // 4))] ** 2
    edges = np.concatenate([squares, squares[1:] - 1, squares + 1, [0, 2**31 - 1, 2**31, 2**32 - 1]])
    many = rng.integers(0, 2**32, RANDOM_INPUTS) >> rng.integers(0, 32, RANDOM_INPUTS)
    values = np.concatenate([edges, many])
    ours = library(machine)
    found = ours.over("RootList", values.astype(ours.order + "u4")).tolist()
    assert found == [math.isqrt(value) for value in values.tolist()]
    assert found == [integer_square_root(value) for value in values.tolist()]


@on_every_machine
def test_the_table_of_secants_is_the_kernels(machine: str) -> None:
    ours = library(machine)
    begin = ours.machine.address("gSecants")
    assert ours.machine.mem[begin : begin + 2050].view(ours.order + "i2").tolist() == SECANTS.tolist()


def legs(points: np.ndarray) -> list[tuple[int, int]]:
    return [(x1 - x2, y1 - y2) for x1, y1, x2, y2 in points.tolist()]


@on_every_machine
def test_distances(machine: str) -> None:
    """Over the screen, over the whole range, and where the angle is at its ends."""
    rng, ours = np.random.default_rng(SEED + 1), library(machine)
    half = RANDOM_INPUTS // 2
    screen = rng.integers(0, (640, 480, 640, 480), (half, 4))
    far = rng.integers(-16384, 16384, (half, 4))
    ends = [
        (0, 0, 0, 0),
        (-16384, -16384, 16383, 16383),
        (16383, 5, -16384, 5),
        (5, 16383, 5, -16384),
        (0, 0, 639, 479),
    ]
    ends += [(0, 0, side, side - less) for side in (1, 2, 3, 1023, 1024, 1025, 16383) for less in (0, 1)]
    points = np.concatenate([screen, far, np.array(ends)])
    rows = np.zeros(len(points), ours.dtype(("x1", "i2"), ("y1", "i2"), ("x2", "i2"), ("y2", "i2"), ("distance", "u4")))
    for name, column in zip(("x1", "y1", "x2", "y2"), points.T):
        rows[name] = column
    found = ours.over("DistanceList", rows)["distance"].tolist()
    assert found == [oracle.distance_2d(dx, dy) for dx, dy in legs(points)]
    assert found == [distance_2d(*each) for each in points.tolist()]


def test_distances_over_the_whole_screen() -> None:
    """All pairs of legs up to 639 and 479 by machine code: the kernel's, whose error over the screen is stated."""
    ours = library("i486dx2-66")
    rows = np.zeros(640 * 480, ours.dtype(("x1", "i2"), ("y1", "i2"), ("x2", "i2"), ("y2", "i2"), ("distance", "u4")))
    rows["x2"], rows["y2"] = np.divmod(np.arange(640 * 480), 480)
    found = ours.over("DistanceList", rows)
    exact = np.hypot(found["x2"].astype(float), found["y2"].astype(float))
    error = np.abs(found["distance"] - exact).max()
    assert 0.67 < error < 0.68, error
    some = found[:: 640 * 480 // 3000]
    assert some["distance"].tolist() == [distance_2d(0, 0, dx, dy) for dx, dy in zip(some["x2"], some["y2"])]


def random_games(method: str, pairs: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Games of up to 40 objects with up to three shapes each, so many pairs of them in all."""
    rng, games, total = np.random.default_rng((SEED, sorted(TESTS).index(method))), [], 0
    while total < pairs:
        count = int(rng.integers(2, 40))
        shapes = rng.integers(0, 40, (24, 4)).astype(np.int16)
        if method != "boxes":
            shapes[:, 3] = shapes[:, 2] ** 2
        game = np.zeros(count, objects.OBJECT)
        game["type"], game["active"] = rng.integers(1, 4, count), rng.random(count) < 0.9
        game["detection"], game["first"] = rng.choice([0, 1, 1, 2, 2, 2], count), rng.integers(0, 21, count)
        game["count"], game["collided"] = rng.integers(0, 4, count), rng.integers(0, 2, count)
        span = (80, 250)[len(games) & 1]
        game["x"], game["y"] = rng.integers(-span, span, count), rng.integers(-span, span, count)
        games.append((game, shapes))
        total += count * (count - 1)
    return games


def adversarial_games(method: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """Two objects at and around the distance where they touch, in all directions; types and detections; far ends;
    nested, at one place, without a size, without shapes, out of the game; and crowds that leave one after the other."""
    circles = objects.make_circles([(0, 0, 10), (0, 0, 15), (-8192, -8192, 181), (8191, 8191, 181)])
    boxes = np.array([(0, 0, 10, 20), (0, 0, 15, 5), (-8192, -8192, 8191, 1), (8191, 8191, 0, 3)], np.int16)
    shapes, games = (boxes if method == "boxes" else circles), []

    def add(x: int, y: int, types: Sequence[int] = (1, 3), asks: Sequence[int] = (2, 2), first: Sequence[int] = (0, 1)):
        game = np.zeros(2, objects.OBJECT)
        game["type"], game["active"], game["detection"], game["count"] = types, 1, asks, 1
        game["x"], game["y"], game["first"] = (100, 100 + x), (-7, y - 7), first
        games.append((game, shapes))

    for x, y in ((25, 0), (15, 20), (24, 7), (20, 15), (10, 5), (15, 19)):
        for across, down in ((1, 1), (-1, 1), (1, -1), (-1, -1)):
            for dx in (-1, 0, 1):
                add(across * x + dx, down * y)
    for types in np.ndindex(3, 3):
        for asks in np.ndindex(3, 3):
            add(3, 2, np.array(types) + 1, asks)
    for first in np.ndindex(4, 4):
        add(0, 0, first=first)
    small = np.array([(0, 0, 0, 0), (3, 3, 1, 1), (0, 0, 40, 1600), (-20, 5, 3, 9)], np.int16)
    if method == "boxes":
        small = np.array([(0, 0, 0, 0), (3, 3, 1, 1), (0, 0, 40, 40), (-10, 18, 60, 4)], np.int16)
    far_shapes, shapes = shapes, small
    for first in np.ndindex(4, 4):  # identical, nested, a cross, points
        for x, y in ((0, 0), (1, 0), (3, 3), (-4, 2), (39, 0), (40, 0)):
            add(x, y, first=first)
    for number, actives in enumerate(((0, 0), (0, 1), (1, 0), (1, 1))):
        for counts in np.ndindex(3, 3):
            add(1, 1, first=(0, 2))
            games[-1][0]["active"], games[-1][0]["count"] = actives, counts
            games[-1][0]["collided"] = number & 1
    for types in ((1, 2, 3, 2, 3, 1), (3, 3, 3, 3, 3), (2, 1, 2, 1), (1, 1, 1), (2, 2, 2, 3)):
        for asks in (1, 2, (2, 1, 2, 1, 2, 1)):  # who comes first takes whom?
            game = np.zeros(len(types), objects.OBJECT)
            game["type"], game["active"], game["count"], game["first"] = types, 1, 2, 1
            game["detection"] = asks if isinstance(asks, int) else asks[: len(types)]
            games.append((game, small))
    game = np.zeros(2, objects.OBJECT)  # all shapes of both at the two ends of the range
    game["type"], game["active"], game["detection"], game["count"], game["x"] = (1, 3), 1, 2, 4, (-8192, 8191)
    game["y"] = 8191, -8192
    return [*games, (game, far_shapes), (game[:1], small), (game[:0], small)]


def play(ours: Library, games: list[tuple[np.ndarray, np.ndarray]], method: str):
    """Let the machine check games; return of each its pairs, and its records afterwards."""
    record = objects.OBJECT.newbyteorder(ours.order)
    scene = ours.dtype(("objects", "u4"), ("count", "i4"), ("shapes", "u4"), ("found", "u4"), ("total", "i4"))
    results, mem = [], ours.machine.mem
    for start in range(0, len(games), GAMES_AT_ONCE):
        part = games[start : start + GAMES_AT_ONCE]
        rows, content, tables = np.zeros(len(part), scene), b"", {}
        found_at = FOUND
        for row, (game, shapes) in zip(rows, part):
            table = shapes.astype(ours.order + "i2").tobytes()
            row["shapes"] = tables.setdefault(table, SHAPES + sum(map(len, tables)))
            row["objects"], row["count"], row["found"] = RECORDS + len(content), len(game), found_at
            content, found_at = content + game.astype(record).tobytes(), found_at + 8 * (len(game) // 2)
        assert SHAPES + sum(map(len, tables)) <= RECORDS and RECORDS + len(content) <= FOUND and found_at <= END
        ours.machine.write(SHAPES, b"".join(tables))
        ours.machine.write(RECORDS, content)
        done = ours.over("CheckScenes", rows, TESTS[method])
        for row, (game, _) in zip(done, part):
            found = mem[row["found"] : row["found"] + 8 * int(row["total"])].view(ours.order + "i4").reshape(-1, 2)
            after = mem[row["objects"] : row["objects"] + game.nbytes].view(record)
            results.append((found.tolist(), after.astype(objects.OBJECT)))
    return results


@cache
def judged_games(method: str) -> tuple[list, list, int]:
    """Return games, what kernel and oracle, which agree, say of each, and how many pairs collide."""
    games, expected, hits = random_games(method, RANDOM_INPUTS) + adversarial_games(method), [], 0
    for game, shapes in games:
        after = game.copy()
        found = objects.check_all(after, shapes, method=method).tolist()
        records, table = [dict(zip(objects.OBJECT.names, row)) for row in game.tolist()], shapes.tolist()
        theirs = [table[each["first"] : each["first"] + each["count"]] for each in records]
        assert [list(pair) for pair in oracle.check_all(records, theirs, ORACLES[method])] == found
        assert [dict(zip(objects.OBJECT.names, row)) for row in after.tolist()] == records
        expected.append((found, after))
        hits += len(found)
    return games, expected, hits


@on_every_machine
@pytest.mark.parametrize("method", TESTS)
def test_the_loop(machine: str, method: str) -> None:
    games, expected, hits = judged_games(method)
    print(f"seed {SEED}: {len(games)} games, {sum(len(g) * (len(g) - 1) for g, _ in games)} pairs, {hits} hits")
    for number, (ours, right) in enumerate(zip(play(library(machine), games, method), expected)):
        assert ours[0] == right[0], f"game {number}"
        assert np.array_equal(ours[1], right[1]), f"game {number}"
    assert hits > 40


def embedded_record(order: str) -> np.dtype:
    """The record of the text: the circle inside, and a pointer that the routine leaves alone."""
    fields = [(name, objects.OBJECT[name]) for name in ("type", "active", "detection", "collided", "x", "y")]
    return np.dtype([*fields, ("data_ptr", "u4"), ("circle", "i2", 4)]).newbyteorder(order)


@on_every_machine
def test_the_loop_over_records_with_their_circles_inside(machine: str) -> None:
    """The games of objects with one circle each, in the layout of the text: pairs and records as in the other one."""
    ours, hits = library(machine), 0
    record = embedded_record(ours.order)
    games, expected, _ = judged_games("circles")
    for (game, shapes), (pairs, after) in zip(games, expected):
        if len(game) == 0 or (game["count"] != 1).any():
            continue
        rows = np.zeros(len(game), record)
        for name in ("type", "active", "detection", "collided", "x", "y"):
            rows[name] = game[name]
        rows["circle"], rows["data_ptr"] = shapes[game["first"]], 0xDEADBEEF
        ours.machine.write(RECORDS, rows.tobytes())
        total = ours.call("CheckAllEmbedded", RECORDS, len(game), FOUND)
        found = ours.machine.mem[FOUND : FOUND + 8 * total].view(ours.order + "i4").reshape(-1, 2).tolist()
        assert found == pairs
        done = ours.machine.mem[RECORDS : RECORDS + rows.nbytes].view(record)
        assert all(np.array_equal(done[name], after[name]) for name in ("active", "collided", "x", "y"))
        assert (done["data_ptr"] == 0xDEADBEEF).all()
        hits += total
    assert hits > 40


def mover(ours: Library) -> list[tuple[str, str]]:
    names = ("x", "y", "move_x", "move_y", "wide", "high")
    return [(f"{name}_{side}", ours.order + ("i4" if name in "xy" else "i2")) for side in "ab" for name in names]


def duels(seed: int, max_sizes: tuple[int, int, int], is_box: bool) -> np.ndarray:
    """Return int32[m, 2, 6] movers: on a coarse lattice, on the screen, and over the whole range."""
    rng, parts = np.random.default_rng((SEED, seed)), []
    for span, fastest, max_size in zip((12, 200, 32767), (9, 150, 4095), max_sizes):
        part = np.empty((RANDOM_INPUTS // 3 + 40, 2, 6), np.int32)
        part[:, :, :2] = rng.integers(-span, span + 1, part[:, :, :2].shape)
        part[:, :, 2:4] = rng.integers(-fastest, fastest + 1, part[:, :, 2:4].shape)
        part[:, :, 2:4][rng.random(part[:, :, 2:4].shape) < 0.2] = 0
        part[:, :, 4:] = rng.integers(int(is_box), max_size + 1, part[:, :, 4:].shape)
        parts.append(part)
    ends = [(-32768, -32768, 4095, 4095), (32767, 32767, -4095, -4095), (-32768, 32767, 4095, -4095), (0, 0, 0, 0)]
    for one in ends:
        for other in ends:
            parts.append(np.array([[(*one, size, size), (*other, size, size)] for size in (1, max_sizes[2])], np.int32))
    ship = (100, 50, 0, 0, 8, 8)
    parts.append(np.array([[(x, 50, -25, 0, 2, 2), ship] for x in range(84, 140)], np.int32))  # the text's 25 pixels
    for x, y, vx, vy in ((-50, 10, 100, 0), (-50, 9, 100, 0), (-20, 0, 20, 20), (-20, 0, 20, 19), (-20, 0, 10, 0)):
        size = 10 if is_box else 5
        parts.append(np.array([[(x, y, vx, vy, size, size), (0, 0, 0, 0, size, size)]], np.int32))
    min_size = int(is_box)
    for one, other in ((min_size, min_size), (min_size, 9), (9, 9), (4, 30)):  # at one place, nested, side by side
        for x, y in ((0, 0), (1, 2), (-one, 0), (other, 0), (0, one + other), (-one - other, 0)):
            for vx, vy in ((0, 0), (7, -3), (-4095, 4095)):
                for also_x, also_y in ((vx, vy), (0, 0), (-vx, vy)):
                    pair = (x, y, vx, vy, one, one), (0, 0, also_x, also_y, other, other)
                    parts.append(np.array([pair, pair[::-1]], np.int32))
    return np.concatenate(parts)


@cache
def judged_duels(is_box: bool) -> tuple[np.ndarray, list[bool]]:
    """Return duels, and what kernel and oracle, which agree, say of each."""
    table = duels(1, (6, 90, 16383), True) if is_box else duels(2, (6, 90, 8191), False)
    flat = table.reshape(-1, 6)
    scene = [np.ascontiguousarray(flat[:, i]) for i in range(4)]
    pairs = np.arange(len(flat), dtype=np.int32).reshape(-1, 2)
    if is_box:
        found = swept.hits(*scene, pairs, size=np.ascontiguousarray(flat[:, 4:]))
    else:
        found = swept.hits(*scene, pairs, radius=np.ascontiguousarray(flat[:, 4]))
    expected = []
    for a, b in table.tolist():
        apart, move = (a[0] - b[0], a[1] - b[1]), (a[2] - b[2], a[3] - b[3])
        if is_box:
            expected.append(swept_oracle.boxes_meet_in_frame(apart, move, a[4:], b[4:]))
        else:
            expected.append(swept_oracle.circles_meet_in_frame(apart, move, a[4] + b[4]))
    assert found.tolist() == expected
    return table, expected


@on_every_machine
@pytest.mark.parametrize("is_box", [True, False])
def test_the_way_of_a_frame(machine: str, is_box: bool) -> None:
    ours, (table, expected) = library(machine), judged_duels(is_box)
    rows = np.zeros(len(table), np.dtype([*mover(ours), ("hit", ours.order + "i4")]))
    for name, column in zip(rows.dtype.names, table.reshape(-1, 12).T):
        rows[name] = column
    found = ours.over("SweepList", rows, "BoxesMeetInFrame" if is_box else "CirclesMeetInFrame")["hit"]
    assert found.tolist() == expected
    assert 0.1 < np.mean(expected) < 0.9


SOLID = (3, 5, 200)


@cache
def judged_screen(paint: int) -> tuple:
    """Return images and their places, the screen, and what kernel and oracle, which agree, make of it."""
    rng = np.random.default_rng(SEED + 5)
    images = [
        (rng.integers(0, 8, shape) * (rng.random(shape) < 0.6)).astype(np.uint8)
        for shape in rng.integers(1, 20, (12, 2)).tolist()
    ]
    shape = rng.integers(0, len(images), RANDOM_INPUTS).astype(np.int32)
    x = rng.integers(-25, 660, RANDOM_INPUTS).astype(np.int16)
    y = rng.integers(-25, 500, RANDOM_INPUTS).astype(np.int16)
    x[:4], y[:4] = (-16384, 16383, 0, 639), (16383, -16384, 479, 0)
    screen = np.zeros((480, 640), np.uint8)
    screen[rng.integers(0, 480, 4000), rng.integers(0, 640, 4000)] = 200
    after = screen.copy()
    found = (bitmap.draw if paint else bitmap.hits)(x, y, shape, bitmap.pack(images), after, solid=SOLID).tolist()
    slow, drawings = screen.tolist(), [image.tolist() for image in images]
    for s, left, top, hit in zip(shape, x.tolist(), y.tolist(), found):
        assert bitmap_oracle.look(slow, drawings[s], left, top, SOLID) == hit
        if paint:
            bitmap_oracle.draw(slow, drawings[s], left, top)
    assert slow == after.tolist()
    return images, (shape, x, y), screen, found, after


@on_every_machine
@pytest.mark.parametrize("paint", [0, 1])
def test_colours_on_the_screen(machine: str, paint: int) -> None:
    """Images all over the screen and across its edges; flags, and every pixel afterwards."""
    ours, (images, places, screen, found, after) = library(machine), judged_screen(paint)
    addresses, content = [], b""
    for image in images:
        addresses.append(RECORDS + len(content))
        content += np.array(image.shape[::-1], ours.order + "i2").tobytes() + image.tobytes() + bytes(image.size & 1)
    table = np.zeros(256, np.uint8)
    table[list(SOLID)] = 1
    ours.machine.write(RECORDS, content)
    ours.machine.write(FOUND, table.tobytes())
    ours.machine.write(0x800000, screen.tobytes())
    rows = np.zeros(RANDOM_INPUTS, ours.dtype(("image", "u4"), ("x", "i2"), ("y", "i2"), ("hit", "u4")))
    rows["image"], rows["x"], rows["y"] = np.array(addresses)[places[0]], *places[1:]
    assert ours.over("LookList", rows, FOUND, paint)["hit"].tolist() == found
    assert np.array_equal(ours.machine.mem[0x800000 : 0x800000 + 640 * 480].reshape(480, 640), after)
    assert 0.05 < np.mean(found) < 0.95


def edges() -> list[tuple[int, int, int]]:
    """Return images, by number, and places: every one at each edge and corner of the screen, on it and just beyond."""
    sizes = [(1, 1), (3, 2), (640, 1), (1, 480), (700, 500)]
    found = []
    for number, (wide, high) in enumerate(sizes):
        for x in (-wide - 1, -wide, 1 - wide, -1, 0, 640 - wide, 639, 640, 16383, -16384):
            found += [(number, x, y) for y in (-high, 1 - high, 0, 480 - high, 479, 480, -16384, 16383)]
    return found


@on_every_machine
def test_images_at_the_edges_of_the_screen(machine: str) -> None:
    """Each drawn alone on an empty screen, then looked under: something is there if and only if a pixel is visible."""
    ours, wanted = library(machine), []
    images = [np.full((high, wide), 5, np.uint8) for wide, high in ((1, 1), (3, 2), (640, 1), (1, 480), (700, 500))]
    packed, places = bitmap.pack(images), edges()[:: 1 if FULL else 3]  # a third has all edges in x and in y
    addresses, content = [], b""
    for image in images:
        addresses.append(RECORDS + len(content))
        content += np.array(image.shape[::-1], ours.order + "i2").tobytes() + image.tobytes() + bytes(image.size & 1)
    ours.machine.write(RECORDS, content)
    ours.machine.write(FOUND, bytes(5) + b"\1" + bytes(250))
    for number, x, y in places:
        high, wide = images[number].shape
        is_visible = x < 640 and y < 480 and x + wide > 0 and y + high > 0
        ours.machine.frame[:] = 0
        ours.call("Paint", addresses[number], x, y)
        screen, there = np.zeros((480, 640), np.uint8), (*np.array([[x], [y]], np.int16), np.array([number], np.int32))
        assert bitmap.draw(*there, packed, screen, solid=SOLID).tolist() == [0]
        assert np.array_equal(ours.machine.frame, screen) and screen.any() == is_visible, (number, x, y)
        assert ours.call("IsSolidUnder", addresses[number], x, y, FOUND) == is_visible
        assert bitmap.hits(*there, packed, screen, solid=SOLID).tolist() == [is_visible]
        wanted.append(is_visible)
    assert 0.2 < np.mean(wanted) < 0.8


@on_every_machine
def test_an_image_does_not_see_through_its_holes(machine: str) -> None:
    ours = library(machine)
    ring = np.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]], np.uint8)
    ours.machine.write(RECORDS, np.array([3, 3], ours.order + "i2").tobytes() + ring.tobytes())
    ours.machine.write(FOUND, bytes(200) + b"\1" + bytes(55))
    ours.machine.write(0x800000, bytes(640 * 480))
    ours.machine.write(0x800000 + 101 * 640 + 101, bytes([200]))
    hits = [ours.call("IsSolidUnder", RECORDS, x, y, FOUND) for y in range(98, 103) for x in range(98, 103)]
    expected = [
        int(99 <= x <= 101 and 99 <= y <= 101 and (x, y) != (100, 100)) for y in range(98, 103) for x in range(98, 103)
    ]
    assert hits == expected
