"""Experiments of 1994 from power-on."""

from typing import Any

from retrosim.rom import Rom
from retrosim.table_1994.harness import Experiment, experiment, open_harness


def run_experiment(
    machine: str, rom: Rom, build: str, objects: int, engine: str = "auto", **options: Any
) -> Experiment:
    """Run one; options: as for `experiment`."""
    return experiment(open_harness(machine, rom, build, engine=engine), objects, **options)
