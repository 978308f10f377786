"""What the machines draw is the reference drawing of their own world, pixel by pixel."""

import numpy as np
import pytest

from retrosim.machine import open_machine
from tests.helpers.screen.reference_scene import reference_scene


@pytest.mark.first_case
@pytest.mark.parametrize("objects, frames", [(200, 120), (50, 7), (1, 1)])
@pytest.mark.parametrize("name", ["native", "mc68040-25"])
def test_every_pixel_is_as_in_the_reference_drawing(name, objects, frames):
    machine = open_machine(name, parameters={"objects": objects})
    machine.run(frames=frames)
    columns = machine.world().columns
    scene = reference_scene(columns["px"] >> 5, columns["py"] >> 5, columns["collided"])
    assert len(columns["px"]) == objects
    assert np.array_equal(machine.frame, scene), np.argwhere(machine.frame != scene)[:5]
    if objects == 200:
        assert 0 < columns["collided"].sum() < objects, "some are outlined, some are grey"


def pixel_by_pixel(x, y, collided, size):
    """The scene of the contract, one pixel at a time."""
    rows = [[0] * 640 for _ in range(480)]
    for left, top, hit, side in zip(x, y, collided, size):
        for row in range(max(0, top), min(480, top + side)):
            for column in range(max(0, left), min(640, left + side)):
                is_border = row in (top, top + side - 1) or column in (left, left + side - 1)
                if hit and is_border:
                    rows[row][column] = 255
                elif not hit:
                    rows[row][column] = 255 if (row ^ column) & 1 == 0 else 0
    return np.array(rows, np.uint8)


@pytest.mark.parametrize("seed", range(4))
def test_the_reference_drawing_equals_one_pixel_by_pixel(seed):
    random = np.random.default_rng(seed)
    count = 40
    x, y = random.integers(0, 611, count), random.integers(0, 451, count)
    if seed == 3:  # partly and wholly outside
        x, y = random.integers(-60, 660, count), random.integers(-60, 500, count)
    collided = random.integers(0, 2, count)
    size = np.full(count, 30) if seed < 2 else random.integers(1, 40, count)
    scene = reference_scene(x, y, collided, 30 if seed < 2 else size)
    assert (scene == pixel_by_pixel(x.tolist(), y.tolist(), collided.tolist(), size.tolist())).all()


def test_later_objects_lie_over_earlier_ones():
    grey, outline = reference_scene([0], [0], [0]), reference_scene([0, 0], [0, 0], [0, 1])
    assert (outline[1:29, 1:29] == grey[1:29, 1:29]).all() and (outline[0, :30] == 255).all()
    assert (reference_scene([0, 0], [0, 0], [1, 0]) == grey).all()
