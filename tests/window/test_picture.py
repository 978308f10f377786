import pytest

from retrosim.errors import RetrosimError
from retrosim.machine.headless import check_view, picture_of
from retrosim.screen.overlay import NOTHING, View, draw_over
from tests.helpers.window.fake_machine import FakeMachine

VIEW = View(shapes=True, tested=True, grid=1)


def test_without_an_overlay_it_is_the_machines_own():
    machine = FakeMachine()
    machine.run(frames=2)
    pixels, palette = picture_of(machine)
    assert pixels is machine.frame and palette is machine.palette
    machine.rom = None  # so nothing is known of its objects
    assert picture_of(machine, VIEW)[0] is machine.frame


def test_with_an_overlay_it_has_colours_of_its_own():
    machine = FakeMachine()
    machine.run(frames=2)
    pixels, palette = picture_of(machine, VIEW)
    assert palette is None
    assert (pixels == draw_over(machine.frame, machine.palette, machine.shapes(), VIEW)).all()


def test_a_view_that_cannot_be_drawn_is_refused():
    machine = FakeMachine()
    check_view(machine, VIEW)
    with pytest.raises(RetrosimError, match="grid5 of sectors: allowed grid1, grid2, grid3, grid4"):
        check_view(machine, View(grid=4))
    machine.rom = None
    check_view(machine, NOTHING)
    with pytest.raises(RetrosimError, match="a program without a manifest has no objects to draw"):
        check_view(machine, View(shapes=True))
