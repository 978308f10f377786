"""What the clocks of PowerPC instructions depend on besides their encoding; rows name it, timing models price it.

The last four are events of operations that many rows share; no row's price varies with them.
"""

from __future__ import annotations

from ..spec.timing import Timing, hook
from ..spec.values import Word


class PpcHooks(Timing, declares=True):
    """The hooks of the family; alone it counts nothing."""

    @hook
    def multiplier(self, factor: Word) -> None:
        """A multiplication; the second factor, 32 bits."""

    @hook
    def transfers(self, words: Word, more: Word) -> None:
        """Several words are loaded or stored, and one `more` when they are not aligned, 0 or 1."""

    @hook
    def condition_field(self, field: Word) -> None:
        """A field of the condition register is set, which branches wait for."""

    @hook
    def stored_condition(self) -> None:
        """Field 0 is set by a store, after the cache access."""

    @hook
    def branch_register(self, name: str) -> None:
        """ "lr" or "ctr" is written by an instruction of the integer unit; branches wait for it."""

    @hook
    def exception(self) -> None:
        """The instruction takes an exception."""
