"""Division, shifts with the sign, and counts of bits, on sets of values."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from retrosim.cpu.spec.values import Word

MASKS = [(1 << bits) - 1 for bits in range(129)]


class Divisible(Word):
    """The part of `bounds_words.Span` that few instructions use."""

    __slots__ = ()

    lo: int
    hi: int
    ones: int
    may: int
    free: int
    signed_bounds: tuple[int, int]

    @abstractmethod
    def _other(self, operand: Any) -> Any:
        """Return an operand as a set of values as wide as this one."""

    @abstractmethod
    def plain(self) -> Any:
        """Return this as bounds and bits."""

    def _any(self) -> Any:
        return type(self)(self.bits, 0, MASKS[self.bits])

    def sar(self, operand: Any) -> Any:
        count = self._other(operand)
        if self.sign.known == 0:
            return self >> count
        if count.known is not None and self.sign.known:
            low, high = (side >> count.known for side in self.signed_bounds)
            return type(self)(self.bits, low & MASKS[self.bits], high & MASKS[self.bits])
        return self._any()

    def udiv(self, operand: Any) -> Any:
        a, b = self.plain(), self._other(operand).plain()
        return type(self)(a.bits, a.lo // b.hi, a.hi // max(1, b.lo)) if b.hi else self._any()

    def urem(self, operand: Any) -> Any:
        a, b = self.plain(), self._other(operand).plain()
        if a.known is not None and b.known:
            return self._other(a.known % b.known)
        return type(self)(a.bits, 0, min(a.hi, max(0, b.hi - 1)))

    def sdiv(self, operand: Any) -> Any:
        a, b = self.signed_bounds, self._other(operand).signed_bounds
        if a[0] == a[1] and b[0] == b[1] and b[0]:
            return self._other(abs(a[0]) // abs(b[0]) * (1 if (a[0] < 0) == (b[0] < 0) else -1))
        return self._any()

    def srem(self, operand: Any) -> Any:
        b = self._other(operand)
        return self - self.sdiv(b) * b if self.known is not None and b.known else self._any()

    def count_leading_zeros(self) -> Any:
        return type(self)(self.bits, self.bits - self.hi.bit_length(), self.bits - self.lo.bit_length())

    def count_ones(self) -> Any:
        return type(self)(self.bits, self.ones.bit_count(), self.may.bit_count())

    def swap_bytes(self) -> Any:
        if self.bits == 8:
            return self
        ones, free = (int.from_bytes(bits.to_bytes(self.bits // 8, "little"), "big") for bits in (self.ones, self.free))
        return type(self)(self.bits, ones, ones | free, ones, free)
