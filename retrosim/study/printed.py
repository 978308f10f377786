"""The table of 1994, and how its program printed a result: as d.dde+xx, see `scenarios.sectors.printed`."""

from __future__ import annotations

import numpy as np

from retrosim.scenarios.sectors.printed import DIGITS, OBJECTS, PRINTED, printed_cycles, printed_range

__all__ = ["DIGITS", "OBJECTS", "PRINTED", "experiment_line", "printed_cycles", "printed_range"]


def experiment_line(objects: int, iterations: int, microseconds: int) -> str:
    """Return the line that the program of 1994 prints after an experiment.

    objects       of the experiment
    iterations    complete checks, 1 or more
    microseconds  that were counted, 1 or more
    Errors        ValueError
    Source        Moertel 1994, _RunExperiment: both quotients are those of a float of 32 bits
    """
    if iterations < 1 or microseconds < 1:
        raise ValueError(f"{iterations} iterations in {microseconds} us: allowed 1 or more of each")
    time, count = np.float32(microseconds), np.float32(iterations)
    each, rate = time / count, np.float32(1_000_000) * count / time
    return f"{objects} objects: {iterations} in {microseconds} us: {each:.2e} us/iter, {rate:.2e} iter/s"
