"""The picture of a machine as a file shows it, with the overlays that a view asks for."""

from __future__ import annotations

import numpy as np

from retrosim.errors import RetrosimError
from retrosim.machine.interface import AnyMachine
from retrosim.screen.overlay import NOTHING, View, draw_over


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
