"""Which regions of a large program are hot, and so worth compiling: those in which it is met again and again.

Samples of the program counter (looks) tell. The longer the program has run, the more instructions lie between two of
them: so compiling ends soon, and what becomes busy later is found as well.
"""

from __future__ import annotations

from .regions import Region

FIRST_INTERVAL = 20_000  # instructions between two looks, in the beginning
LOOKS = 128  # a run of N instructions is looked at every N / LOOKS from then on
LOOKS_TO_COMPILE = 3  # that have met a region


class Heat:
    """The regions that are not worth compiling yet."""

    def __init__(self) -> None:
        self._region_at: dict[int, Region] = {}  # by address of an instruction
        self._looks: dict[int, int] = {}  # that have met a region, by its identity

    def __bool__(self) -> bool:
        return bool(self._looks)

    def __contains__(self, region: Region) -> bool:
        return id(region) in self._looks

    def add(self, region: Region) -> None:
        self._looks[id(region)] = 0
        self._region_at |= {insn.pc: region for insn in region.own_insns}

    def drop(self, region: Region) -> None:
        """Forget a region, if it is here."""
        if self._looks.pop(id(region), None) is not None:
            for insn in region.own_insns:
                self._region_at.pop(insn.pc, None)

    def interval(self, done: int) -> int:
        """Return how many instructions to run before the next look, after `done` of them."""
        return max(FIRST_INTERVAL, done // LOOKS)

    def look(self, pc: int) -> Region | None:
        """Note that the program is at an address; return the region that is worth compiling now, and forget it."""
        region = self._region_at.get(pc)
        if region is None:
            return None
        self._looks[id(region)] += 1
        if self._looks[id(region)] < LOOKS_TO_COMPILE:
            return None
        self.drop(region)
        return region
