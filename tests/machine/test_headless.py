"""Running without a display: the picture after the last frame, what is reported, and what is refused."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from retrosim import errors
from retrosim.errors import CpuFault, RetrosimError
from retrosim.machine.headless import HeadlessRun, check_view, picture_of, run_headless
from retrosim.screen.overlay import NOTHING, View, draw_over
from retrosim.screen.png import png_bytes
from tests.helpers.window.fake_machine import FakeMachine, FakeNative
from tests.screen.test_png import decoded

VIEW = View(shapes=True, tested=True, grid=1)


@pytest.mark.parametrize("make", [FakeMachine, FakeNative])
def test_the_picture_after_the_last_frame(tmp_path, make):
    machine, other, reports = make(), make(), []
    summary = run_headless(machine, 75, tmp_path / "shot.png", lambda done, frames: reports.append((done, frames)))
    other.run(frames=75)
    pixels, palette = decoded((tmp_path / "shot.png").read_bytes())
    assert (pixels == other.frame).all() and (palette == other.palette).all()
    assert reports == [(30, 75), (60, 75), (75, 75)]
    assert summary.seconds > 0
    assert summary == HeadlessRun(
        machine=machine.name,
        rom="sectors",
        frames=75,
        cycles=other.cycles,
        instructions=other.instructions,
        reason="frames",
        budget=None,
        world=other.hash("world"),
        text=machine.text,
        screenshot=str(tmp_path / "shot.png"),
        seconds=summary.seconds,
    )


def test_a_second_call_goes_on_and_counts_its_own():
    machine = FakeMachine()
    run_headless(machine, 3)
    summary = run_headless(machine, 2)
    assert machine.frame_number == 5 and summary.frames == 2 and summary.instructions == 16
    assert summary.screenshot is None


def test_an_overlay_over_the_last_picture(tmp_path):
    machine = FakeMachine()
    run_headless(machine, 7, tmp_path / "shot.png", view=View(shapes=True, grid=3))
    pixels, palette = picture_of(machine, View(shapes=True, grid=3))
    assert palette is None and (tmp_path / "shot.png").read_bytes() == png_bytes(pixels)


def test_an_overlay_that_cannot_be_drawn_is_refused_before_anything_runs():
    machine = FakeMachine()
    with pytest.raises(RetrosimError, match="grid5 of sectors: allowed grid1, grid2, grid3, grid4"):
        run_headless(machine, 7, view=View(grid=4))
    machine.rom = None
    with pytest.raises(RetrosimError, match="a program without a manifest has no objects to draw"):
        run_headless(machine, 7, view=View(shapes=True))
    assert machine.frame_number == 0


@pytest.mark.parametrize("frames", [0, -1])
def test_no_frames_are_refused(frames):
    with pytest.raises(ValueError, match=f"frames {frames}: allowed 1 or more"):
        run_headless(FakeMachine(), frames)


def test_a_picture_that_exists_is_refused_before_anything_runs(tmp_path):
    machine, path = FakeMachine(), tmp_path / "shot.png"
    path.write_bytes(b"precious")
    with pytest.raises(RetrosimError, match="exists already"):
        run_headless(machine, 5, path)
    assert machine.frame_number == 0 and path.read_bytes() == b"precious"
    run_headless(machine, 5, path, overwrite=True)
    assert path.read_bytes() != b"precious"


def test_the_end_of_the_program_is_told(tmp_path):
    summary = run_headless(FakeMachine(ends_at=4), 9, tmp_path / "shot.png")
    assert summary.reason == "exit" and summary.frames == 4


def test_a_fault_is_raised_after_the_picture_was_written(tmp_path):
    with pytest.raises(CpuFault, match="no such instruction"):
        run_headless(FakeMachine(fails_at=4), 9, tmp_path / "shot.png")
    assert (tmp_path / "shot.png").exists()


def test_an_image_without_a_manifest_has_no_world():
    machine = FakeMachine()
    machine.rom = None
    summary = run_headless(machine, 2)
    assert summary.rom is None and summary.world is None


def test_no_module_but_the_window_knows_pyglet():
    """A display must never be needed for anything else; not even the window's module needs one to be imported."""
    code = "import sys, importlib, pkgutil, retrosim.window as package\n"
    code += "names = [each.name for each in pkgutil.iter_modules(package.__path__)]\n"
    code += "assert len(names) > 10\n"
    code += "for name in names: importlib.import_module('retrosim.window.' + name)\n"
    code += "assert 'pyglet' not in sys.modules"
    folder = Path(errors.__file__).parent.parent
    subprocess.run([sys.executable, "-c", code], check=True, env={"PATH": os.environ["PATH"]}, cwd=folder)


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
