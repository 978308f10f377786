"""Runs a machine without any display."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from retrosim.errors import RetrosimError
from retrosim.screen.overlay import NOTHING, View, picture_of
from retrosim.screen.png import check_free, write_png

STRETCH = 30  # frames between two reports


def check_view(machine: Any, view: View) -> None:
    """Refuse what cannot be drawn, before anything runs. Errors: RetrosimError."""
    if view == NOTHING:
        return
    shapes, name = machine.shapes(), machine.rom.name if machine.rom else "a program without a manifest"
    if shapes is None:
        raise RetrosimError(f"overlay: {name} has no objects to draw; allowed are ROMs of `retrosim list`")
    if view.grid is not None and view.grid >= len(shapes.grids):
        allowed = ", ".join(f"grid{number}" for number in range(1, len(shapes.grids) + 1)) or "none, it has no grid"
        raise RetrosimError(f"overlay: grid{view.grid + 1} of {name}: allowed {allowed}")


def run_headless(
    machine: Any,
    frames: int,
    screenshot: str | Path | None = None,
    report: Callable[[int, int], None] = lambda done, frames: None,
    *,
    overwrite: bool = False,
    view: View = NOTHING,
) -> dict[str, Any]:
    """Run a number of frames as fast as the host can, and write the picture after the last one.

    machine     Machine or NativeMachine
    frames      1 or more
    screenshot  PNG file to write, None for none; refused before anything runs if it cannot be written
    report      called with frames done and frames wanted, about every half second of simulated time
    overwrite   replace a file of that name
    view        what of the routine's work is drawn over the picture
    Returns     dict  machine, rom (name), frames (done), cycles, instructions, reason, world (hash),
                seconds (host), screenshot (path or None); rom and world are None for an image without a manifest
    Errors      ValueError for frames below 1; RetrosimError for a file that exists or cannot be written, and as for
                `check_view`; CpuFault if the program fails, after the picture was written
    """
    if frames < 1:
        raise ValueError(f"frames is {frames}, must be at least 1")
    if screenshot is not None:
        check_free(screenshot, overwrite=overwrite)
    check_view(machine, view)
    first, cycles, instructions = machine.frame_number, machine.cycles, getattr(machine, "instructions", 0)
    begun = time.perf_counter()
    reason, fault = "frames", None
    while reason == "frames" and (done := machine.frame_number - first) < frames:
        result = machine.run(frames=min(STRETCH, frames - done))
        reason, fault = result.reason, result.fault
        report(machine.frame_number - first, frames)
    seconds = time.perf_counter() - begun
    if screenshot is not None:
        write_png(screenshot, *picture_of(machine, view), overwrite=overwrite)
    if fault is not None:
        raise fault
    return {
        "machine": machine.name,
        "rom": machine.rom.name if machine.rom else None,
        "frames": machine.frame_number - first,
        "cycles": machine.cycles - cycles,
        "instructions": getattr(machine, "instructions", 0) - instructions,
        "reason": reason,
        "world": machine.hash("world") if machine.rom else None,
        "seconds": seconds,
        "screenshot": None if screenshot is None else str(screenshot),
    }
