"""The images of `xquest` on simulators that others wrote: masks decide."""

from __future__ import annotations

import random
import struct

import pytest

from retrosim.rom import load_rom
from retrosim.rom.drawings import read_colours, read_pictures
from retrosim.screen.framebuffer import macintosh_palette
from tests.helpers.rom.simulators import JUDGES, Simulator, judge, object_rows
from tests.oracle.masks import by_pixels

ROM = load_rom("xquest")
IMAGES = [(info.isa, info.build) for info in ROM.images]
SEED = 1995

Scene = list[tuple[int, int, int]]
"""Of x, y and the number of a picture."""


def numbered() -> tuple[list, dict[str, int]]:
    """Return all pictures by number, and the number of each drawing's first."""
    drawings = read_pictures(ROM.drawings, read_colours(ROM.drawings, macintosh_palette()))
    pictures, first = [], {}
    for name, each in drawings.items():
        first[name] = len(pictures)
        pictures += each
    return pictures, first


PICTURES, FIRST = numbered()


def touches(simulator: Simulator, scene: Scene) -> tuple[bytes, bytes]:
    """Put a scene into memory; return whose boxes overlap and whose pixels do, as the image's check finds."""
    base, size = simulator.address("gObjects"), len(scene)
    row = struct.Struct(simulator.order + object_rows(simulator.image.isa))
    links = [base + row.size * number for number in range(1, size)] + [0]
    simulator.write(base, b"".join(row.pack(x, y, 0, link) for (x, y, _), link in zip(scene, links)))
    sprite = struct.Struct(f"{simulator.order}hhi")
    boxes = (sprite.pack(len(PICTURES[shape][0]), len(PICTURES[shape]), shape) for *_, shape in scene)
    simulator.write(simulator.address("gSprites"), b"".join(boxes))
    for array in ("gBoxArray", "gCollisionArray"):
        simulator.write(simulator.address(array), b"\xff" * 200)
    simulator.call("DetermineTouches")
    near, collided = (simulator.read(simulator.address(array), 200) for array in ("gBoxArray", "gCollisionArray"))
    assert not any(near[size:]) and not any(collided[size:])
    return near[:size], collided[:size]


def expected(scene: Scene) -> tuple[bytes, bytes]:
    """Return the same by comparing all pairs, box with box and pixel with pixel."""
    near, collided = bytearray(len(scene)), bytearray(len(scene))
    for b, (x2, y2, second) in enumerate(scene):
        for a, (x1, y1, first) in enumerate(scene[:b]):
            one, other = PICTURES[first], PICTURES[second]
            if x1 < x2 + len(other[0]) and x2 < x1 + len(one[0]) and y1 < y2 + len(other) and y2 < y1 + len(one):
                near[a] = near[b] = 1
                if by_pixels(one, (x1, y1), other, (x2, y2)):
                    collided[a] = collided[b] = 1
    return bytes(near), bytes(collided)


@pytest.mark.parametrize(("isa", "build"), IMAGES)
def test_masks_decide(isa: str, build: str) -> None:
    """A spark in the hole of a ring is not marked as touching, though its box overlaps; one on its rim is."""
    simulator, ring, spark = judge(ROM.image(isa, build)), FIRST["ring"], FIRST["spark"]
    for x, y in ((11, 11), (-5, -5)):  # the middle of the hole, the corner of the box
        assert touches(simulator, [(100, 100, ring), (100 + x, 100 + y, spark)]) == (b"\1\1", b"\0\0")
    assert touches(simulator, [(100, 100, ring), (111, 101, spark)]) == (b"\1\1", b"\1\1")
    assert touches(simulator, [(111, 101, spark), (100, 100, ring)]) == (b"\1\1", b"\1\1")
    assert touches(simulator, [(100, 100, ring), (131, 100, spark)]) == (b"\0\0", b"\0\0")
    three = [(111, 111, spark), (100, 100, ring), (105, 126, spark)]
    assert touches(simulator, three) == (b"\1\1\1", b"\0\1\1")


def scenes(count: int) -> list[Scene]:
    """Scenes of 2..40 objects, crowded about a crossing of grid lines."""
    draw = random.Random(SEED)
    found = []
    for _ in range(count):
        across, down, spread = 32 * draw.randrange(1, 19), 32 * draw.randrange(1, 14), draw.choice((16, 31, 90))
        found.append(
            [
                (
                    min(max(across + draw.randint(-spread, spread), 0), 639),
                    min(max(down + draw.randint(-spread, spread), 0), 479),
                    draw.randrange(len(PICTURES)),
                )
                for _ in range(draw.choice((2, 2, 5, 40)))
            ]
        )
    return found


@pytest.mark.first_case
@pytest.mark.parametrize(("isa", "build", "kind"), [(*image, kind) for image in IMAGES for kind in JUDGES[image[0]]])
def test_touches_are_those_of_all_pairs(isa: str, build: str, kind: type[Simulator]) -> None:
    simulator, only_near = kind(ROM.image(isa, build)), 0
    for number, scene in enumerate(scenes(60)):
        near, collided = expected(scene)
        assert touches(simulator, scene) == (near, collided), f"scene {number} of seed {SEED}: {scene}"
        only_near += sum(near) - sum(collided)
    assert only_near > 10
