"""Where the documents differ, by machine code: does touching count? One test for each difference, on every machine.

Two objects of 30 pixels lie 29, 30 and 31 pixels apart: 29 is the reach of what is strict, 30 of what counts touching.
The kernels beside: tests/collide/test_touching.py.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from retrosim.collide.documents import objects
from retrosim.machine import Machine
from tests.helpers.machine.flat import MACHINES
from tests.helpers.rom.mask_units import MASKS
from tests.helpers.rom.mask_units import Unit as MaskUnit
from tests.helpers.rom.shape_units import Unit as ShapeUnit
from tests.roms.test_objects_agree import RECORDS, SHAPES, Library, mover
from tests.roms.test_sectors_flags import flags

STRICT, INCLUSIVE = 29, 30
Places = tuple[tuple[int, int], tuple[int, int]]

on_every_machine = pytest.mark.parametrize("machine", MACHINES)


def reach(is_hit: Callable[[Places], int]) -> int:
    """Return the largest of the distances 29, 30, 31 that counts, 28 if none does; the same along both axes."""
    found = []
    for axis in (0, 1):
        hits = [bool(is_hit(((100, 100), (100 + d * (axis == 0), 100 + d * (axis == 1))))) for d in (29, 30, 31)]
        assert hits == sorted(hits, reverse=True)
        found.append(28 + sum(hits))
    assert found[0] == found[1]
    return found[0]


@cache
def sector_machine(machine: str) -> Machine:
    return Machine(machine, build="O2", engine="interpret", timing="off")


shape_unit, mask_unit, library = cache(ShapeUnit), cache(MaskUnit), cache(Library)


@pytest.fixture(scope="module", autouse=True)
def machines_are_freed():
    yield
    for each in (sector_machine, shape_unit, mask_unit, library):
        each.cache_clear()


def sectors(machine: str) -> int:
    """Moertel 1994."""
    return reach(lambda places: flags(sector_machine(machine), np.array(places, np.int16)).all())


def nine_sectors(machine: str) -> int:
    return reach(lambda places: all(shape_unit(machine).check_nines([places])[0][0]))


def pixels(machine: str) -> int:
    """Mackey 1995, full squares of 30 pixels."""
    unit = mask_unit(machine, "O2" if machine.startswith(("mc", "ppc")) else "flat")
    unit.free = MASKS
    square, pair = unit.add(np.ones((30, 30), np.uint8)), np.array([[0, 1]])
    return reach(lambda places: unit.collide("CollideDword", [square] * 2, places, pair)[0])


def shapes(machine: str, is_circle: int, routine: str = "ShapesTouch") -> int:
    """No-collision boxes 2011."""
    unit = shape_unit(machine)
    return reach(
        lambda places: unit.test(routine, unit.objects("shape", [(*each, 30, 30, is_circle) for each in places]))[0]
    )


def compounds(machine: str) -> int:
    unit = shape_unit(machine)
    return reach(lambda places: unit.test("CompoundsTouch", unit.compounds(places, [[(0, 0, 30, 30, 0)]] * 2))[0])


def blocks(machine: str) -> int:
    """Rekaby 2011."""
    return reach(
        lambda places: len(shape_unit(machine).check_planes([([(*p, 30, 30) for p in places], 6)], [(4, 4, 8)])[0][0])
    )


def spheres(machine: str) -> int:
    unit = shape_unit(machine)
    return reach(lambda places: unit.test("SpheresMeet", unit.objects("sphere", [(*p, 0, 15) for p in places]))[0])


def rectangles(machine: str, routine: str) -> int:
    unit = shape_unit(machine)

    def is_hit(places: Places) -> int:
        rows = [(32 * x, 32 * y, 480, 480, 256) for x, y in places]
        return unit.test(routine, unit.objects("rectangle", rows))[0]

    return reach(is_hit)


def records(machine: str, test: str) -> int:
    """Jon E P 2007."""
    ours = library(machine)
    shape = (0, 0, 30, 30) if test == "BoxesMeet" else (0, 0, 15, 225)

    def is_hit(places: Places) -> int:
        game = np.zeros(2, objects.OBJECT)
        game["type"], game["active"], game["detection"], game["count"] = (1, 3), 1, objects.DETECT_ALL, 1
        game["x"], game["y"] = np.transpose(places)
        ours.machine.write(RECORDS, game.astype(objects.OBJECT.newbyteorder(ours.order)).tobytes())
        ours.machine.write(SHAPES, np.array(shape, ours.order + "i2").tobytes())
        found = SHAPES + 64
        return ours.call("CheckAllObjects", RECORDS, 2, SHAPES, test, found)

    return reach(is_hit)


def moving(machine: str, test: str) -> int:
    """Jon E P 2007, extended to the path through a frame: at rest."""
    ours = library(machine)
    side = 30 if test == "BoxesMeetInFrame" else 15

    def is_hit(places: Places) -> int:
        row = np.zeros(1, np.dtype([*mover(ours), ("hit", ours.order + "i4")]))
        row[0] = (*places[0], 0, 0, side, side, *places[1], 0, 0, side, side, 0)
        return ours.over("SweepList", row, test)["hit"][0]

    return reach(is_hit)


def screen(machine: str) -> int:
    ours = library(machine)
    ours.machine.write(RECORDS, np.array([30, 30], ours.order + "i2").tobytes() + bytes([5]) * 900)
    ours.machine.write(SHAPES, bytes(5) + b"\1" + bytes(250))

    def is_hit(places: Places) -> int:
        ours.machine.frame[:] = 0
        ours.call("Paint", RECORDS, *places[0])
        return ours.call("IsSolidUnder", RECORDS, *places[1], SHAPES)

    return reach(is_hit)


@on_every_machine
def test_touching_counts_in_002_not_in_000(machine: str) -> None:
    assert shapes(machine, 0) == shapes(machine, 0, "ShapesTouchTwo") == compounds(machine) == INCLUSIVE
    assert sectors(machine) == nine_sectors(machine) == STRICT


@on_every_machine
def test_touching_counts_in_002_not_in_001(machine: str) -> None:
    assert (shapes(machine, 0), pixels(machine)) == (INCLUSIVE, STRICT)


@on_every_machine
def test_touching_counts_for_circles_in_002_not_for_spheres_in_003(machine: str) -> None:
    assert shapes(machine, 1) == shapes(machine, 1, "ShapesTouchTwo") == INCLUSIVE
    assert spheres(machine) == STRICT


@on_every_machine
def test_touching_counts_for_circles_in_002_not_in_004(machine: str) -> None:
    assert shapes(machine, 1) == INCLUSIVE
    for test in ("CirclesMeet", "CirclesMeetByRoot", "CirclesMeetByTable"):
        assert records(machine, test) == STRICT
    assert moving(machine, "CirclesMeetInFrame") == STRICT


@on_every_machine
def test_touching_counts_for_boxes_in_002_not_in_004(machine: str) -> None:
    assert shapes(machine, 0) == INCLUSIVE
    assert records(machine, "BoxesMeet") == moving(machine, "BoxesMeetInFrame") == screen(machine) == STRICT


@on_every_machine
def test_touching_counts_for_rectangles_in_003_not_for_its_spheres(machine: str) -> None:
    for routine in ("PointOne", "PointTwo", "LineOne"):
        assert rectangles(machine, routine) == INCLUSIVE
    assert spheres(machine) == STRICT


@on_every_machine
def test_touching_counts_in_the_blocks_of_003_not_in_the_sectors_of_000(machine: str) -> None:
    assert (blocks(machine), sectors(machine)) == (INCLUSIVE, STRICT)
