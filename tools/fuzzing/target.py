"""What a target is, and the limits that hold for every input."""

from __future__ import annotations

import resource
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from .work import scaled

ROOT = Path(__file__).resolve().parents[2]
MAX_SECONDS = 1.0  # of processor time
MAX_BYTES = 256 << 20  # that the process may grow by


class Find(Exception):
    """An input did what no input may do."""


class Target(ABC):
    """Something that reads what others wrote.

    name       on the command line, and of its folder in tests/corpus
    about      what it is, for the help text
    ci_inputs  how many inputs a run of all targets tries unless told otherwise
    """

    name: str
    about: str
    ci_inputs: int

    def prepare(self) -> None:
        """Do once, before any input is tried, what would take longer than an input may."""
        return None

    @abstractmethod
    def make(self, chance: Random) -> bytes:
        """Return an input: equal random numbers give equal inputs."""

    @abstractmethod
    def attempt(self, data: bytes) -> bool:
        """Give an input to the program; return whether it was accepted.

        Errors   none for an input that is refused as documented; Find, or whatever the program should not raise
        """

    def mend(self, data: bytes) -> bytes:
        """Return an input with right checksums, where it has some; used when finds are made smaller."""
        return data

    def is_limited(self, accepted: bool) -> bool:
        """Tell whether time and memory are limited for an input that was accepted or refused."""
        return True


@contextmanager
def limits(target: Target, accepted: list[bool]) -> Iterator[None]:
    """Raise a Find if what is done here takes too long or too much; `accepted` gets the outcome."""
    _forget_peak()
    begun, before = time.process_time(), _peak()
    yield
    seconds, grown = time.process_time() - begun, _peak() - before
    if not target.is_limited(accepted[-1]):
        return
    if is_too_long(seconds):
        raise Find(f"takes {MAX_SECONDS:.0f} s and more of processor time")
    if grown > MAX_BYTES:
        raise Find(f"takes {MAX_BYTES >> 20} MiB and more of memory")


def is_too_long(seconds: float) -> bool:
    """Tell whether an input took more processor time than it may, on this host."""
    return seconds > MAX_SECONDS and seconds > scaled(MAX_SECONDS)


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


_grown_from = [0]


def _forget_peak() -> None:
    """Let the most memory used so far be what is used now, if that was much."""
    if _peak() - _grown_from[0] > MAX_BYTES // 4:
        try:
            Path("/proc/self/clear_refs").write_text("5")
        except OSError:
            return
        _grown_from[0] = _peak()
