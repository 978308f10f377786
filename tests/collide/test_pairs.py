"""Random pairs for every kernel of the documents against exact judges, within the tolerance of its method.

--times 500 takes a million pairs for each instead of 2000, and `-s` prints what came out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isqrt

import numpy as np
import pytest

from retrosim.collide import (
    intersect,
    masks,
)  # fmt: skip
from retrosim.collide.documents import bitmap, blocks, boxes, compound, objects, rectangles, sectors, spheres, swept
from retrosim.guide import read_page
from retrosim.numeric.tables import distance_2d, integer_square_root
from tests.helpers.amount import amount
from tests.helpers.collide import exact_pairs as exact

PAIRS = amount(2000, 2000)
CHUNK = 20_000
EXACT = "none"
UNITS = "1/32 pixel"

Judged = tuple[np.ndarray, np.ndarray, np.ndarray]
"""What a kernel found; what it must find, what it may find: where they differ, the tolerance decides."""


@dataclass(frozen=True)
class Case:
    """A kernel under test.

    kernel     what the guide calls it
    document   that it is of
    tolerance  within which its answers are right
    judge      judge(random numbers, pairs): see Judged
    """

    kernel: str
    document: str
    tolerance: str
    judge: Callable[[np.random.Generator, int], Judged]


def alternating(count: int) -> np.ndarray:
    return np.arange(2 * count, dtype=np.int32).reshape(-1, 2)


def decided(found: np.ndarray, truth: np.ndarray) -> Judged:
    return np.asarray(found, bool), truth, truth


def two_tables(rng: np.random.Generator, count: int, span: int, side: int, low: int = 0) -> np.ndarray:
    """Return int64[2 * count, 4]: boxes, each second one near the one before; a fifth of them thin, or flat."""
    table = np.empty((2 * count, 4), np.int64)
    table[:, :2] = rng.integers(-span, span + 1, (2 * count, 2))
    table[:, 2:] = rng.integers(low, side + 1, (2 * count, 2))
    thin = rng.random((2 * count, 2)) < 0.2
    table[:, 2:][thin] = rng.integers(low, low + 3, thin.sum())
    near = table[::2, :2] + rng.integers(-side, side + 1, (count, 2))
    table[1::2, :2] = np.clip(near, -span, span)
    return table


def columns(table: np.ndarray, dtype: type = np.int16) -> tuple[np.ndarray, ...]:
    return tuple(np.ascontiguousarray(table[:, column], dtype) for column in range(2))


def squares(abs: str, span: int) -> Callable[[np.random.Generator, int], Judged]:
    def judge(rng: np.random.Generator, count: int) -> Judged:
        table = two_tables(rng, count, span, 60, 1)
        (x, y), sides = columns(table), table[:, 2:]
        corners = (np.ascontiguousarray(axis[k::2]) for k in (0, 1) for axis in (x, y))
        found = intersect(*corners, size=sides[::2], other=sides[1::2], abs=abs)
        return decided(found, exact.boxes_common(table[::2], table[1::2]) > 0)

    return judge


def on_screen(method: str) -> Callable[[np.random.Generator, int], Judged]:
    """A pair of every two objects of a scene: the flags of the original, from which hits follow, and the pairs."""

    def judge(rng: np.random.Generator, count: int) -> Judged:
        each = 60
        first, second = np.triu_indices(each, 1)
        found, truth = [], []
        for _ in range(max(1, count // len(first))):
            corner = rng.integers(0, 440), rng.integers(0, 320)
            at = (start + rng.integers(0, span, each) for start, span in zip(corner, (200, 160)))
            table = np.column_stack((*at, *rng.integers(1, 32, (2, each))))
            x, y = columns(table)
            reports = sectors.reports(x, y, size=table[:, 2:], method=method)
            seen = np.zeros((each, each), bool)
            seen[reports[:, 0], reports[:, 1]] = seen[reports[:, 1], reports[:, 0]] = True
            flags = sectors.collided(x, y, size=table[:, 2:], method=method)
            assert np.array_equal(seen.any(axis=1), flags != 0)
            found.append(seen[first, second])
            truth.append(exact.boxes_common(table[first], table[second]) > 0)
        return decided(np.concatenate(found), np.concatenate(truth))

    return judge


def sprites(rng: np.random.Generator, width: int, how_many: int = 40) -> list[np.ndarray]:
    pictures = []
    for number in range(how_many):
        sides = rng.integers(1, 33), rng.integers(1, width + 1)
        pictures.append((rng.random(sides) < (0.02, 0.3, 0.9)[number % 3]).astype(np.uint8))
        pictures[-1][0, 0] = 1
    return pictures


def placed_sprites(rng: np.random.Generator, count: int, pictures: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    shape = rng.integers(0, len(pictures), 2 * count).astype(np.int32)
    at = rng.integers(-2000, 2001, (2 * count, 2))
    at[1::2] = at[::2] + rng.integers(-33, 34, (count, 2))
    return shape, at


def pixels(method: str, width: int) -> Callable[[np.random.Generator, int], Judged]:
    def judge(rng: np.random.Generator, count: int) -> Judged:
        pictures = sprites(rng, width)
        shape, at = placed_sprites(rng, count, pictures)
        found = masks.hits(*columns(at), shape, masks.pack(pictures), alternating(count), method=method)
        bits, places = [exact.bits_of(picture != 0) for picture in pictures], at.tolist()
        truth = [
            exact.do_pixels_meet(bits[shape[i]], places[i], bits[shape[i + 1]], places[i + 1])
            for i in range(0, 2 * count, 2)
        ]
        return decided(found, np.array(truth))

    return judge


def colours(rng: np.random.Generator, count: int) -> Judged:
    """The first of two is drawn, in colours of which one is solid; the second looks."""
    pictures = [picture * rng.integers(1, 3, picture.shape).astype(np.uint8) for picture in sprites(rng, 32)]
    images, every = bitmap.pack(pictures), [exact.bits_of(picture != 0) for picture in pictures]
    solid = [exact.bits_of(picture == 2) for picture in pictures]
    shape, at = placed_sprites(rng, count, pictures)
    at = at - at[::2].repeat(2, axis=0) + 48
    frame, found, truth = np.zeros((128, 128), np.uint8), [], []
    for i in range(0, 2 * count, 2):
        frame[:] = 0
        couple = slice(i, i + 2)
        found.append(bitmap.draw(*columns(at[couple]), shape[couple], images, frame, solid=[2])[1])
        truth.append(exact.do_pixels_meet(solid[shape[i]], at[i].tolist(), every[shape[i + 1]], at[i + 1].tolist()))
    return decided(np.array(found), np.array(truth))


def closed_boxes(rng: np.random.Generator, count: int) -> Judged:
    table = two_tables(rng, count, 16000, 383)
    found = boxes.hits(*columns(table), alternating(count), size=table[:, 2:])
    return decided(found, exact.boxes_common(table[::2], table[1::2]) >= 0)


def all_pairs(method: str, scan: Callable) -> Callable[[np.random.Generator, int], Judged]:
    """A pair of every two of 60 boxes."""

    def judge(rng: np.random.Generator, count: int) -> Judged:
        each = 60
        first, second = np.triu_indices(each, 1)
        found, truth = [], []
        for _ in range(max(1, count // len(first))):
            table = two_tables(rng, each // 2, 300, 200)
            table[:, :2] += 300
            listed = scan(*columns(table), table[:, 2:], method)
            seen = np.zeros((each, each), bool)
            seen[listed[:, 0], listed[:, 1]] = True
            found.append(seen[first, second])
            truth.append(exact.boxes_common(table[first], table[second]) >= 0)
        return decided(np.concatenate(found), np.concatenate(truth))

    return judge


def centres(table: np.ndarray) -> np.ndarray:
    """Return the circles of boxes as the text of 2011 has them: half the width from the corner, radius half of it."""
    radius = table[:, 2] // 2
    return np.column_stack((table[:, :2] + radius[:, None], radius))


def circles_after_boxes(rng: np.random.Generator, count: int) -> Judged:
    table = two_tables(rng, count, 16000, 383)
    table[:, 3] = table[:, 2] // 2 * 2  # as high as it is wide, so that the box holds the circle
    table[:, 2] = table[:, 3]
    found = boxes.hits(*columns(table), alternating(count), size=table[:, 2:], circle=True)
    around = centres(table)
    return decided(found, exact.balls_common(around[::2], around[1::2]) >= 0)


def compounds(rng: np.random.Generator, count: int) -> Judged:
    """Objects of two shapes each, boxes and circles."""
    table = two_tables(rng, 2 * count, 120, 60)
    table[:, :2] %= 160
    circle = rng.integers(0, 2, 4 * count).astype(np.uint8)
    table[circle != 0, 3] = table[circle != 0, 2] = table[circle != 0, 2] // 2 * 2
    zero = np.zeros(2 * count, np.int16)
    first = np.arange(0, 4 * count + 1, 2, dtype=np.int32)
    found = compound.hits(zero, zero, table.astype(np.int16), first, alternating(count), circle=circle)
    truth, around = np.zeros(count, bool), centres(table)
    for one in (0, 1):
        for two in (2, 3):
            a, b = table[one::4], table[two::4]
            meets = exact.boxes_common(a, b) >= 0
            both = (circle[one::4] & circle[two::4]) != 0
            truth |= meets & (~both | (exact.balls_common(around[one::4], around[two::4]) >= 0))
    return decided(found, truth)


def balls(rng: np.random.Generator, count: int) -> Judged:
    table = rng.integers(-16384, 16384, (2 * count, 4))
    table[:, 3] = rng.integers(0, 4000, 2 * count)
    table[1::2, :3] = np.clip(table[::2, :3] + rng.integers(-3000, 3001, (count, 3)), -16384, 16383)
    axes = (np.ascontiguousarray(table[:, axis], np.int16) for axis in range(3))
    found = spheres.hits(*axes, alternating(count), radius=table[:, 3])
    return decided(found, exact.balls_common(table[::2], table[1::2]) > 0)


def turned(rng: np.random.Generator, count: int) -> np.ndarray:
    """Return int64[2 * count, 5]; a third are bars of 1/32 to 8 pixels, some upright, some at the ends of ranges."""
    half = rng.integers(1, 2048, (2 * count, 2))
    bars = rng.random(2 * count) < 1 / 3
    half[bars] = rng.permuted(
        np.column_stack((2 ** rng.integers(0, 8, bars.sum()), rng.integers(900, 2048, bars.sum()))), axis=1
    )
    angle = rng.integers(-32768, 32768, 2 * count)
    angle[rng.random(2 * count) < 0.2] &= ~255
    x, y = rng.integers(-1024, 21504, 2 * count), rng.integers(-1024, 16384, 2 * count)
    x[1::2] = np.clip(x[::2] + rng.integers(-2000, 2001, count), -1024, 21503)
    y[1::2] = np.clip(y[::2] + rng.integers(-2000, 2001, count), -1024, 16383)
    return np.column_stack((x, y, half, angle))


ROUNDED = {"point_1": 3, "point_2": 2, "line_1": 3, "separating_axis": 0.25}
"""Units of 1/32 pixel: corners are rounded down in x and y (1.4), the sine has 14 places (0.13), and what is rotated
until it is upright is rounded once more."""


def at_any_angle(method: str) -> Callable[[np.random.Generator, int], Judged]:
    def judge(rng: np.random.Generator, count: int) -> Judged:
        table, off = turned(rng, count), ROUNDED[method]
        half, angle = np.ascontiguousarray(table[:, 2:4], np.int16), table[:, 4].astype(np.int16)
        found = rectangles.hits(*columns(table), half, angle, alternating(count), method=method) != 0
        a, b = table[::2], table[1::2]
        if method in ("point_1", "line_1"):  # an upright rectangle is B
            swapped = ((a[:, 4] % 256 == 0) & (b[:, 4] % 256 != 0))[:, None]
            a, b = np.where(swapped, b, a), np.where(swapped, a, b)
        if method.startswith("point"):
            return found, exact.five_points(a, b, -off), exact.five_points(a, b, off)
        may = exact.rectangles_meet(a, b, off)
        if method == "line_1":
            may |= exact.has_opposite_ends(a, b, off)
        return found, exact.rectangles_meet(a, b, -off), may

    return judge


def records(method: str) -> Callable[[np.random.Generator, int], Judged]:
    """Couples far from each other, one record loop for 300 of them."""

    def judge(rng: np.random.Generator, count: int) -> Judged:
        each, found, must, may = 300, [], [], []
        step = np.stack(np.divmod(np.arange(each), 20), axis=1) * 700 - 7000
        for _ in range(max(1, count // each)):
            game = np.zeros(2 * each, objects.OBJECT)
            game["type"], game["active"], game["detection"] = objects.ALIEN, 1, objects.DETECT_ALL
            at = step.repeat(2, axis=0)
            at[1::2] += rng.integers(-120, 121, (each, 2))
            game["x"], game["y"] = at.T
            game["first"], game["count"] = np.arange(2 * each), 1
            offset = rng.integers(-20, 21, (2 * each, 2))
            if method == "boxes":
                shapes = np.column_stack((offset, rng.integers(1, 200, (2 * each, 2))))
                form = shapes.astype(np.int16)
            else:
                shapes = np.column_stack((offset, rng.integers(0, 182, 2 * each)))
                form = objects.make_circles(shapes.astype(np.int16))
            shapes[:, :2] += at
            pairs = objects.check_all(game, form, method=method)
            hit = np.zeros(each, bool)
            assert (pairs[:, 0] // 2 == pairs[:, 1] // 2).all()
            hit[pairs[:, 0] // 2] = True
            found.append(hit)
            a, b = shapes[::2], shapes[1::2]
            if method == "distance_2d":
                apart = ((a[:, :2] - b[:, :2]) ** 2).sum(axis=1) * 2500  # 50ths of pixels, squared
                reach = (a[:, 2] + b[:, 2]) * 50
                off = 34  # 0.68 pixels
                must.append(apart < np.maximum(reach - off, 0) ** 2)
                may.append(apart < (reach + off) ** 2)
            else:
                common = exact.boxes_common(a, b) if method == "boxes" else exact.balls_common(a, b)
                must.append(common > 0)
                may.append(common > 0)
        return tuple(np.concatenate(each) for each in (found, must, may))

    return judge


def moving(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    table = two_tables(rng, count, 30000, 383, 1)
    table[1::2, :2] = np.clip(table[::2, :2] + rng.integers(-3000, 3001, (count, 2)), -32768, 32767)
    move = rng.integers(-4095, 4096, (2 * count, 2))
    move[rng.random((2 * count, 2)) < 0.2] = 0
    aimed = rng.random(count) < 0.5
    move[::2][aimed] = np.clip((table[1::2, :2] - table[::2, :2])[aimed] * 2, -4095, 4095)
    return table, move


def boxes_in_frame(rng: np.random.Generator, count: int) -> Judged:
    table, move = moving(rng, count)
    found = swept.hits(*columns(table), *columns(move), alternating(count), size=table[:, 2:])
    apart, moved = table[::2, :2] - table[1::2, :2], move[::2] - move[1::2]
    return decided(found, exact.boxes_in_frame(apart, moved, table[::2, 2:], table[1::2, 2:]))


def circles_in_frame(rng: np.random.Generator, count: int) -> Judged:
    table, move = moving(rng, count)
    found = swept.hits(*columns(table), *columns(move), alternating(count), radius=table[:, 2])
    apart, moved = (table[::2, :2] - table[1::2, :2]).tolist(), (move[::2] - move[1::2]).tolist()
    reach = (table[::2, 2] + table[1::2, 2]).tolist()
    return decided(found, np.array([exact.circles_in_frame(*each) for each in zip(apart, moved, reach)]))


def roots(rng: np.random.Generator, count: int) -> Judged:
    values = rng.integers(0, 1 << 32, count)
    values[::3] = rng.integers(0, 1 << 16, len(values[::3])) ** 2
    found = np.array([integer_square_root(int(value)) == isqrt(value) for value in values.tolist()])
    return decided(found, np.ones(count, bool))


def distances(rng: np.random.Generator, count: int) -> Judged:
    """Over the screen: a distance is right if the true one is less than 0.68 pixels from it."""
    points = np.column_stack([rng.integers(0, limit, 2 * count) for limit in (640, 480)]).tolist()
    right = []
    for a, b in zip(points[::2], points[1::2]):
        off, squared = 50 * distance_2d(*a, *b), 2500 * ((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2)
        right.append(max(off - 34, 0) ** 2 <= squared < (off + 34) ** 2)
    return decided(np.array(right), np.ones(count, bool))


MOERTEL, MACKEY, BOXES = "Moertel 1994", "Mackey 1995", "No-collision boxes 2011"
REKABY, JON = "Rekaby 2011", "Jon E P 2007"
CASES = (
    Case("`_IntersectQ`, macro", MOERTEL, EXACT, squares("macro", 32767)),
    Case("`_IntersectQ`, inline", MOERTEL, EXACT, squares("inline", 16383)),
    *(Case(f"sectors, {name}", MOERTEL, EXACT, on_screen(name)) for name in sectors.METHODS),
    *(Case(f"masks, {name}", MACKEY, EXACT, pixels(name, 32)) for name in ("dword", "word")),
    *(Case(f"masks, {name}", MACKEY, EXACT, pixels(name, 64)) for name in ("qword", "parts", "any")),
    Case("boxes, four additions", BOXES, EXACT, closed_boxes),
    Case("boxes, two additions", BOXES, EXACT,
         all_pairs("two_additions", lambda x, y, size, how: boxes.pairs(x, y, size=size, method=how))),
    Case("circles after boxes", BOXES, EXACT, circles_after_boxes),
    Case("compound shapes", BOXES, EXACT, compounds),
    Case("boxes in blocks", REKABY, EXACT, all_pairs("", lambda x, y, size, _: blocks.pairs(x, y, size=size))),
    Case("spheres", REKABY, EXACT, balls),
    Case("point algorithm 1", REKABY, f"3 x {UNITS}, against its five points", at_any_angle("point_1")),
    Case("point algorithm 2", REKABY, f"2 x {UNITS}, against its five points", at_any_angle("point_2")),
    Case("line algorithm 1", REKABY, f"3 x {UNITS}, and its opposite outcodes", at_any_angle("line_1")),
    Case("separating axes", "none, for comparison", f"1/4 x {UNITS}", at_any_angle("separating_axis")),
    *(Case(f"records, {name}", JON, EXACT, records(name)) for name in ("circles", "square_root", "boxes")),
    Case("records, distance_2d", JON, "0.68 pixels", records("distance_2d")),
    Case("integer_square_root", JON, EXACT, roots),
    Case("distance_2D", JON, "0.68 pixels", distances),
    Case("colours on the screen", JON, EXACT, colours),
    Case("boxes that move", JON, EXACT, boxes_in_frame),
    Case("circles that move", JON, EXACT, circles_in_frame),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.kernel)
def test_random_pairs_are_judged_right(case: Case) -> None:
    rng = np.random.default_rng([2026, CASES.index(case)])
    pairs = hits = open_to_tolerance = 0
    while pairs < PAIRS:
        found, must, may = case.judge(rng, min(CHUNK, max(1, PAIRS - pairs)))
        wrong = np.flatnonzero((must & ~found) | (found & ~may))
        assert not len(wrong), f"{case.kernel}: pair {pairs + wrong[0]}"
        pairs, hits = pairs + len(found), hits + int(found.sum())
        open_to_tolerance += int((may & ~must).sum())
    figures = " | ".join(f"{each:,}" for each in (pairs, hits, open_to_tolerance, 0))
    print(f"\n| {case.kernel} | {case.document} | {case.tolerance} | {figures} |")
    if case.kernel not in ("integer_square_root", "distance_2D"):
        assert 0.02 * pairs < hits < 0.98 * pairs, (hits, pairs)
    assert open_to_tolerance < 0.15 * pairs


def test_a_judge_finds_what_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half sides an eighth of a pixel larger than the rectangles', and sides of boxes a pixel larger."""
    hits, test = rectangles.hits, boxes.hits
    monkeypatch.setattr(rectangles, "hits", lambda x, y, half, *rest, **how: hits(
        x, y, np.minimum(half + 4, 2047).astype(np.int16), *rest, **how))  # fmt: skip
    monkeypatch.setattr(boxes, "hits", lambda *given, size, **how: test(*given, size=size + 1, **how))
    for name in (
        "point algorithm 1",
        "point algorithm 2",
        "line algorithm 1",
        "separating axes",
        "boxes, four additions",
    ):
        (case,) = (each for each in CASES if each.kernel == name)
        found, must, may = case.judge(np.random.default_rng(7), 5000)
        assert ((must & ~found) | (found & ~may)).any(), name


def test_the_guide_has_every_kernel() -> None:
    table = read_page("documents").text.partition("<!-- a million pairs -->")[2].split("\n\n")[1]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]
    assert [tuple(row[:3]) for row in rows] == [(each.kernel, each.document, each.tolerance) for each in CASES]
    assert all(int(row[3].replace(",", "")) >= 1_000_000 and row[6] == "0" for row in rows)
