"""Limits of processor time for hostile input, the same on slow and busy hosts: multiples of a fixed loop's time."""

from __future__ import annotations

import time

STEPS = 500_000
USUAL = 0.03  # seconds that the loop takes on the hosts where the limits were chosen


def scaled(seconds: float) -> float:
    """Return a limit of processor time for this host, as it is now; never below `seconds`."""
    began, total = time.process_time(), 0
    for number in range(STEPS):
        total += number & 3
    return seconds * max(1.0, (time.process_time() - began) / USUAL)
