"""Runs a machine without a display."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from retrosim.errors import RetrosimError
from retrosim.report.files import FORCE, check_free
from retrosim.screen.overlay import NOTHING, View, draw_over
from retrosim.screen.png import write_png

from .interface import AnyMachine
from .pieces import frames_in_pieces

REPORT_FRAMES = 30  # frames between two reports


@dataclass(frozen=True)
class HeadlessRun:
    """What a run did.

    rom         name, and
    world       hash; None for an image without a manifest
    frames      done, and likewise cycles and instructions
    budget      what of the machine's was used up, or None
    seconds     of the host
    text        that the program wrote on the screen
    screenshot  path or None
    """

    machine: str
    rom: str | None
    frames: int
    cycles: int
    instructions: int
    reason: str
    budget: str | None
    world: str | None
    seconds: float
    text: str
    screenshot: str | None


def check_view(machine: AnyMachine, view: View) -> None:
    """Refuse a view that cannot be drawn of what the machine runs.

    Errors   RetrosimError  the program has no objects, or not that grid
    """
    if view == NOTHING:
        return
    name = machine.rom.name if machine.rom else "a program without a manifest"
    shapes = machine.shapes()
    if shapes is None:
        raise RetrosimError(f"overlay: {name} has no objects to draw; allowed ROMs of `retrosim list`")
    if view.grid is not None and view.grid >= len(shapes.grids):
        allowed = ", ".join(f"grid{number}" for number in range(1, len(shapes.grids) + 1)) or "none, it has no grid"
        raise RetrosimError(f"overlay: grid{view.grid + 1} of {name}: allowed {allowed}")


def picture_of(machine: AnyMachine, view: View = NOTHING) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the picture of a machine and its palette, as `png_bytes` takes them.

    view     what is drawn over the picture
    Returns  uint8[480, 640] indices and uint8[256, 3]; with an overlay uint8[480, 640, 3] RGB and None
    """
    shapes = machine.shapes() if view != NOTHING else None
    if shapes is None:
        return machine.frame, machine.palette
    return draw_over(machine.frame, machine.palette, shapes, view), None


def run_headless(
    machine: AnyMachine,
    frames: int,
    screenshot: str | Path | None = None,
    report: Callable[[int, int], None] = lambda done, frames: None,
    *,
    overwrite: bool = False,
    view: View = NOTHING,
    instructions: int | None = None,
) -> HeadlessRun:
    """Run a number of frames as fast as the host can, and save the picture after the last one.

    frames      1 or more
    screenshot  PNG file to write, None for none
    report      called with the frames done and the frames asked for, about every half second of simulated time
    overwrite   replace an existing file
    view        what is drawn over the picture
    instructions  after which the run ends sooner, None for no such limit
    Errors      ValueError for frames below 1; RetrosimError, before anything runs, for a file that exists or cannot be
                written and as for `check_view`; CpuFault if the program fails, after the picture was written
    """
    if frames < 1:
        raise ValueError(f"frames {frames}: allowed 1 or more")
    if screenshot is not None:
        check_free(screenshot, overwrite=overwrite, advice=FORCE)
    check_view(machine, view)
    first, cycles, executed = machine.frame_number, machine.cycles, machine.instructions
    begun = time.perf_counter()
    reason, fault = "frames", None

    def limits() -> dict[str, int]:
        return {} if instructions is None else {"instructions": executed + instructions - machine.instructions}

    for result in frames_in_pieces(machine, first + frames, lambda frame: frame + REPORT_FRAMES, limits):
        reason, fault = result.reason, result.fault
        report(machine.frame_number - first, frames)
    seconds = time.perf_counter() - begun
    if screenshot is not None:
        write_png(screenshot, *picture_of(machine, view), overwrite=overwrite)
    if fault is not None:
        raise fault
    return HeadlessRun(
        machine=machine.name,
        rom=machine.rom.name if machine.rom else None,
        frames=machine.frame_number - first,
        cycles=machine.cycles - cycles,
        instructions=machine.instructions - executed,
        reason=reason,
        budget=machine.budget.spent or None,
        world=machine.hash("world") if machine.rom else None,
        seconds=seconds,
        text=machine.text,
        screenshot=None if screenshot is None else str(screenshot),
    )
