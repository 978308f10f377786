"""The images of `shapes` on simulators that others wrote: adversarial pairs, judged as the oracle judges them."""

from __future__ import annotations

import numpy as np
import pytest

from retrosim.rom import load_rom
from tests.helpers.rom import shape_scenes as scenes
from tests.helpers.rom.shape_units import EVERYONE, KINDS, LISTS, OBJECTS
from tests.helpers.rom.simulators import JUDGES, Simulator
from tests.oracle import boxes as reference_boxes
from tests.oracle import rectangles as reference_rectangles
from tests.oracle import spheres as reference_spheres

ROM = load_rom("shapes")
JUDGED = [(info.isa, info.build, kind) for info in ROM.images for kind in JUDGES[info.isa]]


def study(method: str):
    return lambda a, b: getattr(reference_rectangles.Study(tuple(a), tuple(b)), method)()


ROUTINES = {
    "ShapesTouch": ("shape", scenes.odd_shapes, lambda a, b: reference_boxes.get_collision_result(a, b, [0, 0, 0])),
    "SpheresMeet": ("sphere", scenes.odd_spheres, reference_spheres.spheres_meet),
    "PointOne": ("rectangle", scenes.odd_rectangles, study("point_1")),
    "PointTwo": ("rectangle", scenes.odd_rectangles, study("point_2")),
    "LineOne": ("rectangle", scenes.odd_rectangles, study("line_1")),
}


def record(kind: str, order: str) -> np.dtype:
    return np.dtype([(name, order + word) for name, word in (each.split(":") for each in KINDS[kind].split())])


@pytest.mark.parametrize("routine", ROUTINES)
@pytest.mark.parametrize(("isa", "build", "judge"), JUDGED)
def test_adversarial_pairs(isa: str, build: str, judge: type[Simulator], routine: str) -> None:
    kind, make, tell = ROUTINES[routine]
    rows = make()
    simulator = judge(ROM.image(isa, build))
    objects = np.zeros(len(rows), record(kind, simulator.order))
    objects["category"] = objects["mask"] = EVERYONE
    numbers = [name for name in objects.dtype.names[2:] if name != "unused"]
    for name, column in zip(numbers, np.array(rows).T):
        objects[name] = column
    pairs = np.zeros(len(rows) // 2, record("pair", simulator.order))
    pairs["a"] = OBJECTS + objects.itemsize * np.arange(0, len(rows), 2)
    pairs["b"] = pairs["a"] + objects.itemsize
    pairs["result"] = -1
    simulator.write(OBJECTS, objects.tobytes())
    simulator.write(LISTS, pairs.tobytes())
    simulator.call("TestPairs", LISTS, len(pairs), simulator.address(routine))
    found = np.frombuffer(bytes(simulator.read(LISTS, pairs.nbytes)), pairs.dtype)["result"].tolist()
    assert found == [int(tell(a, b)) for a, b in zip(rows[::2], rows[1::2])]
