"""The ROM `masks`: machine code, kernels and the oracle agree about every pair, in every variant, on every machine.

--full tests 300 random pairs of each variant and width instead of 120.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from retrosim.collide import masks
from tests.helpers.amount import FULL, amount
from tests.helpers.collide.mask_scenes import objects_of, random_sprites
from tests.helpers.rom.mask_units import BUILDS, FLAT, MASKS, MAX_WIDTH, MIN_PARTS, PAIRS, REAL, VARIANTS, Unit
from tests.oracle import masks as oracle

RANDOM_PAIRS = amount(120, 300)
SEED = 1995
CORNERS = ((100, 50), (-8000, 9000))  # where the first sprite of a case stands
KERNELS = {"CollideDword": "dword", "CollideWord": "word", "CollideQword": "qword", "CollideParts": "parts"}


@cache
def unit_of(machine: str, build: str) -> Unit:
    return Unit(machine, build)


@pytest.fixture(scope="module", autouse=True)
def units_are_freed():
    yield
    unit_of.cache_clear()


@cache
def random_pairs(widest: int, count: int):
    """Return sprites and pairs with what the oracle says of them; the same for all machines."""
    rng = np.random.default_rng((SEED, widest))
    sprites = random_sprites(rng, 60, widest, highest=20)
    shape, x, y, pairs = objects_of(rng, sprites, count)
    images, places = [sprite.tolist() for sprite in sprites], list(zip(x.tolist(), y.tolist()))
    found = [oracle.collide(images[shape[a]], places[a], images[shape[b]], places[b]) for a, b in pairs.tolist()]
    return sprites, shape, x, y, pairs, [int(place is not None) for place in found]


@pytest.mark.first_case
@pytest.mark.parametrize(("machine", "build", "variant"), VARIANTS)
def test_random_pairs(machine: str, build: str, variant: str) -> None:
    unit, widths = unit_of(machine, build), [width for width in (32, 64, 96) if width <= MAX_WIDTH[variant]]
    for widest in widths:
        sprites, shape, x, y, pairs, expected = random_pairs(widest, RANDOM_PAIRS)
        assert masks.hits(x, y, shape, masks.pack(sprites), pairs, method=KERNELS[variant]).tolist() == expected
        unit.free = MASKS
        addresses = [unit.add(sprite, MIN_PARTS.get(variant, 1)) for sprite in sprites]
        table, places = [addresses[each] for each in shape], list(zip(x.tolist(), y.tolist()))
        print(f"seed {SEED}, widest {widest}: {len(pairs)} pairs, {sum(expected)} collide")
        assert unit.collide(variant, table, places, pairs) == expected
        assert unit.collide(variant, table, places, pairs[:, ::-1]) == expected
        assert 0.2 * len(pairs) < sum(expected) < 0.8 * len(pairs)


def sprite(*rows: str) -> np.ndarray:
    """Draw a sprite: "." is transparent."""
    return np.array([[0 if each == "." else 7 for each in row] for row in rows], np.uint8)


def full(width: int, height: int) -> np.ndarray:
    return np.full((height, width), 255, np.uint8)


def cases():
    """Yield (sprite, sprite, dx, dy): everything that is easily wrong."""
    slope = sprite("X..", ".X.", "..X")
    mirrored = slope[:, ::-1].copy()
    for dx in range(-3, 4):
        yield from ((one, other, dx, dy) for dy in (-1, 1) for one in (slope, mirrored) for other in (slope, mirrored))
    for shift in (0, 1, 15, 16, 17, 30, 31):  # 32 is beside it
        left = sprite("." * shift + "X" + "." * (31 - shift))
        hole = sprite("X" * shift + "." + "X" * (31 - shift))
        for right in (full(1, 1), full(32, 1)):
            yield from ((one, right, shift, 0) for one in (left, hole, full(32, 1)))
            yield from ((right, one, -shift, 0) for one in (left, hole, full(32, 1)))
    for width in (1, 2, 31, 32, 33, 63, 64, 65, 96, 255):
        edge = sprite("X" + "." * (width - 2) + "X" if width > 1 else "X")
        for dx in (-width, 1 - width, -1, 0, 1, width - 1, width):
            yield from ((one, other, dx, 0) for one in (full(width, 1), edge) for other in (full(width, 1), edge))
    top, bottom = sprite("XX", "XX", "XX", ".X"), sprite("X.", "XX", "XX", "XX")
    yield from ((top, bottom, dx, 3) for dx in (-1, 0, 1))  # one row in common
    yield from ((bottom, top, dx, -3) for dx in (-1, 0, 1))
    for dx, dy in ((32, 0), (31, 0), (0, 5), (0, 4), (31, 4), (32, 5), (32, 4), (31, 5)):  # touching and overlapping
        for x in (dx, -dx):
            yield from ((full(32, 5), full(32, 5), x, y) for y in (dy, -dy))
    nothing = np.zeros((6, 20), np.uint8)
    yield from ((nothing, other, dx, 2) for other in (nothing, full(20, 6)) for dx in (-20, -5, 0, 5, 20))
    ring, dot = sprite(".XX.", "X..X", "X..X", ".XX."), full(1, 1)
    yield from ((ring, dot, dx, dy) for dx in range(-1, 5) for dy in range(-1, 5))  # nested, and on the ring
    yield from ((ring, ring, dx, dy) for dx in range(-4, 5) for dy in (-3, 0, 1))  # identical
    bar, post = full(32, 2), full(2, 32)
    yield from ((bar, post, dx, dy) for dx in (-2, -1, 0, 15, 31, 32) for dy in (-31, -30, -15, 1, 2))  # a cross
    tall = np.zeros((255, 9), np.uint8)
    tall[-1, 8] = 1
    yield from ((tall, full(3, 1), dx, dy) for dx in (8, 9) for dy in (253, 254, 255))
    yield from ((tall, tall, dx, dy) for dx in (0, 1) for dy in (0, 1, -254))


@cache
def judged_cases() -> list[tuple[np.ndarray, np.ndarray, int, int, int]]:
    """Return the cases with what the oracle says of them, the same about both corners."""
    judged = []
    for one, other, dx, dy in cases():
        found = [oracle.by_pixels(one.tolist(), (x, y), other.tolist(), (x + dx, y + dy)) for x, y in CORNERS]
        (is_hit,) = {int(place is not None) for place in found}
        judged.append((one, other, dx, dy, is_hit))
    return judged


@pytest.mark.parametrize(("machine", "build", "variant"), VARIANTS)
def test_what_is_easily_wrong(machine: str, build: str, variant: str) -> None:
    chosen = [each for each in judged_cases() if max(each[0].shape[1], each[1].shape[1]) <= MAX_WIDTH[variant]]
    assert len(chosen) > 150
    unit, made = unit_of(machine, build), {}
    unit.free = MASKS

    def address_of(sprite: np.ndarray) -> int:
        key = (sprite.shape, sprite.tobytes())
        if key not in made:
            made[key] = unit.add(sprite, MIN_PARTS.get(variant, 1))
        return made[key]

    addresses = [address_of(each) for one, other, *_ in chosen for each in (one, other)]
    expected = [is_hit for *_, is_hit in chosen]
    for corner in CORNERS:
        places = [place for _, _, dx, dy, _ in chosen for place in (corner, (corner[0] + dx, corner[1] + dy))]
        pairs = np.arange(len(places)).reshape(-1, 2)
        assert unit.collide(variant, addresses, places, pairs) == expected
        assert unit.collide(variant, addresses, places, pairs[:, ::-1]) == expected
    assert 0.2 * len(expected) < sum(expected) < 0.8 * len(expected)


@pytest.mark.parametrize(("machine", "build"), BUILDS)
def test_the_edges_of_the_range(machine: str, build: str) -> None:
    unit, corners = unit_of(machine, build), [(-16384, -16384), (16383, 16383), (-16384, 16383), (16383, -16384)]
    unit.free = MASKS
    address = unit.add(full(32, 2), 2)
    pairs = np.array([(a, b) for a in range(4) for b in range(4)])
    for variant in REAL if build == "real" else FLAT:
        expected = [int(a == b) for a, b in pairs]
        assert unit.collide(variant, [address] * 4, corners, pairs) == expected


def shift_of(unit: Unit) -> int:
    """Return the count of shifts that an inner loop is called with: its last argument."""
    regs, mem = unit.machine.regs, unit.machine.mem
    if unit.machine.image.isa == "ppc601":
        return regs["r6"]
    if unit.is_real:  # behind the far return address
        return int(mem[regs["ss"] * 16 + (regs["esp"] & 0xFFFF) + 4])
    start = regs["a7" if unit.machine.image.isa.startswith("m68") else "esp"] + 16
    return int.from_bytes(mem[start : start + 4].tobytes(), unit.machine.image.byte_order)


@pytest.mark.first_case
@pytest.mark.parametrize(("machine", "build", "variant"), VARIANTS)
def test_no_count_beyond_the_width_is_asked_for(machine: str, build: str, variant: str) -> None:
    """Offsets of two sprites that fill 32 or 64 columns: the counts are 0..31, SHLD's 0..63, no other."""
    unit, width = unit_of(machine, build), 64 if variant in ("CollideQword", "CollideParts") else 32
    loop = {"CollideQword": "TouchQword", "CollideWord": "TouchWord"}.get(variant, "TouchDword")
    loop = loop if unit.is_real else "mask_touch"
    unit.free = MASKS
    nothing = unit.add(np.zeros((2, width), np.uint8))  # nothing is found, so that every row of every part is compared
    rows = (-2, -1, 0, 1, 2) if FULL else (-2, 0, 1)  # none, all and one in common
    offsets = [(dx, dy) for dx in range(-width - 3, width + 4) for dy in rows]
    counts, parts = [], range(width // 32 if variant == "CollideParts" else 1)
    for dx, dy in offsets:
        counts += [abs(abs(dx) + 32 * (j - i)) for i in parts for j in parts if abs(dx) < width and abs(dy) < 2]
    counts = [count for count in counts if count < 32 or variant == "CollideQword"]
    table = np.zeros(len(offsets), unit.pair)
    table["a"] = table["b"] = unit.pointer(nothing)
    table["bx"], table["by"] = np.transpose(offsets)
    saved, asked = unit.machine.snapshot(), []
    unit.machine.write(PAIRS, table.tobytes())
    arguments = unit.words(hex(PAIRS), len(offsets), variant)
    unit.machine.enter("CollideList", *arguments, convention="pascal" if unit.is_real else "c")
    while unit.machine.run(until=loop, instructions=5000).reason == "until":
        asked.append(shift_of(unit))
        unit.machine.run(instructions=1)
    assert asked == counts and set(asked) == set(range(32 if variant == "CollideParts" else width))
    assert unit.machine.mem[PAIRS : PAIRS + table.nbytes].view(unit.pair)["collided"].tolist() == [0] * len(offsets)
    unit.machine.restore(saved)
