"""How much a test does: one case of each kind, or with `pytest --full` everything.

`--times N` goes on from there: random inputs are N times as many, for runs of hours. tests/conftest.py sets what the
options say before it imports any test.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TypeVar

T = TypeVar("T")
FULL = False
TIMES = 1
SOAK = False
"""More than once everything?"""


def set_amounts(full: bool, times: int) -> None:
    """Take over what the options of pytest say."""
    global FULL, TIMES, SOAK
    FULL, TIMES, SOAK = full or times > 1, times, times > 1


def options() -> list[str]:
    """Return the options for a pytest that does as much."""
    return (["--full"] if FULL else []) + (["--times", str(TIMES)] if SOAK else [])


def usually(some: Collection[T], everything: Collection[T]) -> Collection[T]:
    """Return some combinations or samples, or with --full every one."""
    return everything if FULL else some


def amount(some: int, everything: int) -> int:
    """Return how many random inputs to take: some, with --full the second number, with --times N times as many."""
    return everything * TIMES if FULL else some
