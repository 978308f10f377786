"""What the clocks of x86 instructions depend on besides their encoding; rows name it, timing models price it.

The last one is an event that many rows share; no row's price varies with it.
"""

from __future__ import annotations

from ..spec.timing import Timing, hook
from ..spec.values import Word


class X86Hooks(Timing, declares=True):
    """The hooks of the family; alone it counts nothing."""

    @hook
    def multiplier(self, factor: Word, signed: bool) -> None:
        """MUL or IMUL by a word of the operand size."""

    @hook
    def scanned(self, positions: Word) -> None:
        """BSF or BSR that passes 0..31 positions, 32 bits."""

    @hook
    def shift_count(self, count: Word) -> None:
        """A shift or rotate by 0..31 positions, 32 bits."""

    @hook
    def level(self, level: Word) -> None:
        """ENTER at a nesting level of 0..31, 32 bits."""

    @hook
    def iterations(self, none: Word) -> None:
        """A step of a repeated string instruction; one bit: there is no iteration left."""

    @hook
    def whole_register(self, register: Word) -> None:
        """A register is read as a word or double word, as an operand."""
