"""The programs of the shipped ROMs as kernels: a folder each, of the ROM's name, with the same files.

    rules     the game: what happens in a frame
    scenario  what is drawn after it; a class of its name, of the kind `Scenario`: the arrays, power-on, saved states,
              columns of the world; SHAPES: what the routine tests, for overlays on any machine; WALK: how the machine
              code of its check is followed, where its names allow that

A new folder is a new scenario; nothing else lists them. What they share:

    drawing     kernels that draw pictures, texts and rectangles at any angle; the drawings of a ROM as arrays
    random      kernels that draw random numbers
    scenario    what a scenario consists of, and what all of them have in common
    shapes      what the programs test, found from the running machine after a frame
    walks       how a program's collision check is followed from outside, by the names of its functions and variables
    gallery     the scenario of the ROM `gallery`
    sectors     the scenario of the ROM `sectors`
    shooter     the scenario of the ROM `shooter`
    tanks       the scenario of the ROM `tanks`
    tunnel      the scenario of the ROM `tunnel`
    xquest      the scenario of the ROM `xquest`
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .scenario import Scenario, ShapeSource
    from .walks import WalkSource

SCENARIOS = tuple(module.name for module in iter_modules(__path__) if module.ispkg)
"""Names of the ROMs whose program is here."""


def load_scenario(name: str) -> type[Scenario]:
    """Return the class of a scenario. `name`: one of SCENARIOS."""
    return getattr(import_module(f"{__name__}.{name}.scenario"), f"{name.capitalize()}Scenario")


def load_shapes(name: str) -> ShapeSource:
    """Return how the shapes of a scenario are found. `name`: one of SCENARIOS."""
    return import_module(f"{__name__}.{name}.scenario").SHAPES


def load_walk(name: str) -> WalkSource:
    """Return how the check of a program is followed; one that is not known here may have the names of `sectors`."""
    walk = getattr(import_module(f"{__name__}.{name}.scenario"), "WALK", None) if name in SCENARIOS else None
    return walk or import_module(f"{__name__}.sectors.scenario").WALK
