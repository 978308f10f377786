"""What the clocks of 68K instructions depend on besides their encoding; rows name it, timing models price it."""

from __future__ import annotations

from ..spec.timing import Timing, hook
from ..spec.values import Word


class M68kHooks(Timing, declares=True):
    """The hooks of the family; alone it counts nothing. Words have 32 bits unless it says else."""

    @hook
    def shift_count(self, count: Word) -> None:
        """A shift or rotate of a data register, by 0..63 positions."""

    @hook
    def condition_true(self, holds: Word) -> None:
        """Scc of a data register; one bit."""

    @hook
    def counter(self, holds: Word, expired: Word) -> None:
        """DBcc: does the condition hold, and did the counter run out? One bit each."""

    @hook
    def bit_number(self, number: Word) -> None:
        """BCHG, BCLR or BSET of a data register."""

    @hook
    def multiplier(self, factor: Word, signed: bool) -> None:
        """MULU.W or MULS.W; the source, 16 bits."""

    @hook
    def division(self, dividend: Word, divisor: Word, signed: bool) -> None:
        """DIVU.W or DIVS.W by another divisor (16 bits) than 0."""

    @hook
    def out_of_bounds(self, is_negative: Word, value: Word, bound: Word) -> None:
        """CHK that traps."""

    @hook
    def bounds(self, is_reversed: Word, of_address: Word) -> None:
        """CHK2: is the upper bound below the lower one, and is the register an address register? One bit each."""

    @hook
    def field_crosses(self) -> None:
        """A bit field in memory crosses the end of a long word."""

    @hook
    def frame_format(self, number: int) -> None:
        """RTE of the MC68040 takes a frame of this format."""

    @hook
    def exception(self, clocks: int, is_whole: bool) -> None:
        """The instruction takes an exception of so many clocks; are they all that it takes?

        Else EA calculation (MC68040) or the instruction's own clocks (MC68000) count too.
        """
