"""What the machines draw is the reference drawing of their own world, pixel by pixel."""

import numpy as np
import pytest

from retrosim.machine import open_machine
from retrosim.screen.framebuffer import reference_scene


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
