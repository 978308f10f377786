"""Memory in the value layer on sets of values: words at known addresses, and what stores to others may change."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from retrosim.cpu.spec.cpu import ADDRESS_MASK

from .choices import Choices
from .state import Place
from .words import Span, const, unknown

STACK_BYTES = 1 << 16  # below the stack pointer of the call: frames of the routine
RAM_LAST = (1 << 23) - 1  # machine memory map; above lie video memory and devices
NEAR = 1 << 16  # bytes: a store is to words within bounds so near to each other, else to any


class Memory(Choices):
    """The part of the engine that loads and stores; `BoundsEngine` sets it up.

    alignment  bytes: operands at unknown addresses lie at multiples of their size, up to this
    stack_top  end of the arguments of the call
    """

    alignment: int
    stack_top: int

    @abstractmethod
    def _as_taken(self, span: Span) -> Span:
        """Return a word as this path takes it."""

    def load(self, address: Any, bits: int) -> Any:
        return super().load(self._operand(address, bits), bits)

    def store(self, address: Any, word: Any) -> None:
        super().store(self._operand(address, word.bits), word)

    def _operand(self, address: Any, bits: int) -> Any:
        """Take an unknown address as one in RAM, and aligned as far as compilers align operands."""
        if address.known is not None:
            return address
        low = min(bits // 8, self.alignment) - 1
        if address.ones & low:
            low = 0
        last = RAM_LAST + 1 - bits // 8  # the operand ends in RAM too
        hi = address.hi if address.lo > last else min(address.hi, last)
        span = Span(address.bits, address.lo & ~low, hi & ~low, address.ones, address.free & ~low, address.frame)
        root, offset, shift = address.place or (address, 0, 0)
        span.base = (address, 0) if shift else (root, offset)
        return span

    def _based(self, location: Span) -> tuple[Span, int]:
        operand, offset, shift = location.place or (location, 0, 0)
        if shift or operand.base is None:
            return location, 0
        base, more = operand.base
        return base, more + offset

    def _load(self, location: Any, bits: int) -> Span:
        if location.known is None:
            place = Place(*self._based(location))
            found = self._cell(place)
            if found is None or found.bits != bits:
                found = unknown(bits)
                if bits <= 32:  # of a clock nothing is known, of a word that it stays
                    self.changed[place] = found
            return self._as_taken(found)
        start, size = location.known, bits // 8
        found = self._cell(start)
        if found is not None and found.bits == bits:
            return self._as_taken(found)
        for first in range(start - 7, start + 1):
            cell = self._cell(first)
            if cell is not None and first + cell.bits // 8 >= start + size:
                return (cell >> 8 * (start - first)).trunc(bits)
        word = unknown(bits)
        if self._in_frames(start):  # the same word when it is read again
            self.changed[start] = word
        return word

    def _cell(self, address: int | Place) -> Span | None:
        return self.changed[address] if address in self.changed else self.state.words.get(address)

    def _store(self, location: Any, word: Any) -> None:
        size = word.bits // 8
        if location.known is not None:
            start = location.known
            self._forget(range(start - 7, start + size), start, start + size)
            self._forget_places(is_in_frame=self._in_frames(start))
            self.changed[start] = word.plain()
            return
        known = [key for key in {*self.state.words, *self.changed} if isinstance(key, int)]
        if location.hi - location.lo < NEAR:
            self._forget(known, location.lo, location.hi + size)
        else:
            self._forget((k for k in known if location.frame or not self._in_frames(k)), 0, ADDRESS_MASK + 1)
        self._forget_places(Place(*self._based(location)), size)
        self.changed[Place(*self._based(location))] = word.plain()

    def _forget_places(self, stored: Place | None = None, size: int = 0, is_in_frame: bool = False) -> None:
        """Forget what is at unknown addresses, except what a store there does not touch, or if that is in a frame."""
        for key in {*self.state.words, *self.changed}:
            cell = self._cell(key) if isinstance(key, Place) else None
            if cell is None or (is_in_frame and not key.base.frame):
                continue
            is_disjoint = (
                stored is not None
                and key.base is stored.base
                and (key.offset + cell.bits // 8 <= stored.offset or stored.offset + size <= key.offset)
            )
            if not is_disjoint:
                self.changed[key] = None

    def _in_frames(self, address: int) -> bool:
        return self.stack_top - STACK_BYTES <= address < self.stack_top

    def _forget(self, addresses: Any, start: int, end: int) -> None:
        for address in list(addresses):
            cell = self._cell(address)
            if cell is not None and address < end and start < address + cell.bits // 8:
                self.changed[address] = None

    def _marks(self, location: Any, bits: int) -> Span:
        return const(bits, 0)
