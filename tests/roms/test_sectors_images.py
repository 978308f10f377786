"""The routine inside each shipped image, run by simulators that others wrote, against a comparison of all pairs.

--full takes 60 random scenes instead of 24 and pairs across every grid line, not every third.
"""

from __future__ import annotations

import random
import struct
from functools import cache

import pytest

from retrosim.rom import load_elf, load_rom
from tests.helpers.amount import FULL, amount
from tests.helpers.rom.simulators import JUDGES, Simulator, judge, object_rows

IMAGES = [(info.isa, info.build) for info in load_rom("sectors").images]
WITH_LISTS = [(isa, build) for isa, build in IMAGES if build != "fast"]
SEED = 1994
SCENES = amount(24, 60)
EACH = 1 if FULL else 3  # of the grid lines
SIDE = 30

INSTRUCTIONS = {  # of one full check with 0, 50, 100, 200 objects placed from that seed
    ("m68040", "O0"): [13499, 23299, 42638, 104632],
    ("m68040", "O1"): [6137, 11200, 19628, 43504],
    ("m68040", "O2"): [5293, 10141, 17915, 40188],
    ("m68040", "period"): [11494, 19735, 35289, 83873],
    ("m68040", "period-calls"): [11494, 20369, 38529, 97758],
    ("m68040", "period-68000"): [11562, 24015, 47457, 121101],
    ("m68040", "period-registers"): [12672, 20305, 37449, 95392],
    ("m68040", "fast"): [486, 2787, 5935, 14388],
    ("m68000", "O0"): [15882, 26492, 49211, 124541],
    ("m68000", "O2"): [6099, 12306, 23996, 57979],
    ("m68000", "fast"): [486, 2787, 5935, 14388],
    ("i386", "O0"): [14225, 25050, 49043, 129139],
    ("i386", "O2"): [8554, 13543, 23308, 52236],
    ("i486", "O0"): [14629, 25577, 50078, 132253],
    ("i486", "O2"): [8999, 13988, 23753, 52681],
    ("ppc601", "O0"): [19344, 29648, 52794, 130597],
    ("ppc601", "O1"): [3902, 8962, 17780, 43293],
    ("ppc601", "O2"): [2955, 7946, 16508, 41392],
    ("ppc601", "period"): [8916, 14473, 25111, 58139],
    ("ppc601", "period-calls"): [12876, 19373, 33833, 82456],
    ("ppc601", "period-divide"): [8916, 14473, 25111, 58139],
    ("ppc601", "period-level0"): [10496, 16053, 26691, 59719],
}

Scene = list[tuple[int, int]]


def touching(scene: Scene) -> bytes:
    """Which objects overlap another one: 30x30 pixels, touching edges do not count."""
    return bytes(
        any(i != j and abs(x - u) < SIDE and abs(y - v) < SIDE for j, (u, v) in enumerate(scene))
        for i, (x, y) in enumerate(scene)
    )


def random_scenes(count: int) -> list[Scene]:
    """Scenes of 1..200 objects, some spread over the screen, some crowded about a crossing of grid lines."""
    draw = random.Random(SEED)
    scenes = []
    for _ in range(count):
        size, spread = draw.choice((1, 2, 5, 20, 50, 100, 200)), draw.choice((0, 31, 64, 1000))
        across, down = 32 * draw.randrange(20), 32 * draw.randrange(15)
        scenes.append(
            [
                (
                    min(max(across + draw.randint(-spread, spread), 0), 639),
                    min(max(down + draw.randint(-spread, spread), 0), 479),
                )
                for _ in range(size)
            ]
        )
    return scenes


def edge_scenes() -> list[Scene]:
    """Pairs 29 and 30 pixels apart across lines of all grids, the last one too, in either direction and in both."""
    scenes = []
    for line in range(32, 640, 32 * EACH):
        for start in (line - 29, line - 15, line - 1):
            for end in (start + SIDE - 1, start + SIDE):
                scenes += [[(start, 9), (end, 9)], [(9, start), (9, end)], [(start, start), (end, end)]]
    return [scene for scene in scenes if all(x < 640 and y < 480 for x, y in scene)]


@cache
def judged_scenes(count: int) -> list[tuple[Scene, bytes]]:
    """Scenes at random with what all pairs say of them."""
    return [(scene, touching(scene)) for scene in random_scenes(count)]


@cache
def judged_edges() -> list[tuple[Scene, bytes]]:
    return [(scene, touching(scene)) for scene in edge_scenes()]


def flags(simulator: Simulator, scene: Scene, order: list[int] | None = None) -> bytes:
    """Put a scene into memory, chained in an order that begins with 0; return what the image's check finds."""
    base, size = simulator.address("gObjects"), len(scene)
    order, row = order or list(range(size)), struct.Struct(simulator.order + object_rows(simulator.image.isa))
    following = dict(zip(order, [base + row.size * number for number in order[1:]] + [0]))
    rows = [row.pack(x, y, 0, following[number]) for number, (x, y) in enumerate(scene)]
    simulator.write(base, b"".join(rows))
    simulator.write(simulator.address("gCollisionArray"), b"\xff" * 200)
    simulator.call("DetermineCollisions")
    array = simulator.read(simulator.address("gCollisionArray"), 200)
    assert not any(array[size:])
    return array[:size]


@pytest.mark.first_case
@pytest.mark.parametrize(("isa", "build", "kind"), [(*image, kind) for image in IMAGES for kind in JUDGES[image[0]]])
def test_flags_are_those_of_all_pairs(isa: str, build: str, kind: type[Simulator]) -> None:
    simulator = kind(load_rom("sectors").image(isa, build))
    for number, (scene, expected) in enumerate(judged_scenes(SCENES) + judged_edges()):
        assert flags(simulator, scene) == expected, f"scene {number} of seed {SEED}: {scene}"


@pytest.mark.parametrize(("isa", "build"), IMAGES)
def test_objects_may_be_chained_in_any_order(isa: str, build: str) -> None:
    simulator, draw = judge(load_rom("sectors").image(isa, build)), random.Random(SEED)
    for number, (scene, expected) in enumerate(judged_scenes(30 if FULL else 10)):
        order = [0, *draw.sample(range(1, len(scene)), len(scene) - 1)]
        assert flags(simulator, scene, order) == expected, f"scene {number} of seed {SEED}: {scene}"


@pytest.mark.parametrize(("isa", "build"), IMAGES)
def test_the_file_is_for_its_processor(isa: str, build: str) -> None:
    rom = load_rom("sectors")
    found = load_elf(rom.path / rom.image_info(isa, build).file)
    assert isa in found.family.isas
    assert found.isa == ("i386" if isa == "i486" else isa)  # an x86 file does not say for which one it is


@pytest.mark.parametrize(("isa", "build"), WITH_LISTS)
def test_no_objects_is_a_list_of_one(isa: str, build: str) -> None:
    simulator = judge(load_rom("sectors").image(isa, build))
    for count in (50, 0):
        simulator.call("RandomizeObjects", count)
        simulator.call("UpdateSectors", 0, 0)
        heads = struct.unpack(f"{simulator.order}99I", simulator.read(simulator.address("gSectorArray"), 396))
    assert [head for head in heads if head] == [simulator.address("gObjects")]


@pytest.mark.parametrize(("isa", "build"), IMAGES)
def test_objects_are_placed_by_the_documented_formula(isa: str, build: str) -> None:
    simulator = judge(load_rom("sectors").image(isa, build))
    simulator.write(simulator.address("gRandNext"), struct.pack(f"{simulator.order}I", SEED))
    simulator.call("RandomizeObjects", 200)
    state = SEED
    row = struct.Struct(simulator.order + object_rows(isa))
    rows = list(row.iter_unpack(simulator.read(simulator.address("gObjects"), 200 * row.size)))
    for x, y, *_ in rows:
        for found, limit in ((x, 639), (y, 479)):
            state = (state * 1103515245 + 12345) % 2**32
            assert found == limit * (state >> 16 & 32767) // 32768
    start = simulator.address("gObjects")
    assert [link for *_, link in rows] == [start + row.size * i for i in range(1, 200)] + [0]


@pytest.mark.first_case
@pytest.mark.parametrize(("isa", "build"), IMAGES)
def test_instructions_per_check(isa: str, build: str) -> None:
    """Golden: what the cycles of the timing table are to be divided by. A changed image shows here first."""
    simulator = judge(load_rom("sectors").image(isa, build))
    counted = []
    for count in (0, 50, 100, 200):
        simulator.write(simulator.address("gRandNext"), struct.pack(f"{simulator.order}I", SEED))
        simulator.call("RandomizeObjects", count)
        counted.append(simulator.count_instructions("DetermineCollisions"))
    assert counted == INSTRUCTIONS[isa, build]
