"""Routines that must not run longer than so many clocks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .points import Point
from .stack import return_address, stack_pointer

if TYPE_CHECKING:
    from retrosim.machine.machine import Machine


@dataclass
class Activation:
    """A call of a routine that has not returned yet.

    back, sp  where it returns to, and the stack pointer at its first instruction
    due       clock after which it has run too long; None once that was told
    """

    point: Point
    back: int
    sp: int
    due: int | None


class Limits:
    """Follows the calls of routines that points limit, by their first instructions and the places they return to."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._active: list[Activation] = []
        self._returns: dict[int, set[int]] = {}  # number of the point -> where the routine has returned to

    def addresses(self, points: Iterable[Point]) -> set[int]:
        """Return the addresses to stop at."""
        limits = [point for point in points if point.kind == "limit"]
        self._points = {point.addresses[0]: point for point in limits}
        places = {back for point in limits for back in self._returns.get(point.number, ())}
        return places | self._points.keys()

    def forget(self) -> None:
        """Forget the calls under way: time has jumped."""
        self._active.clear()

    def reached(self, pc: int) -> bool:
        """Notice that an address is reached; return whether there is a new one to stop at."""
        sp = stack_pointer(self.machine)
        self._active = [each for each in self._active if not (each.back == pc and sp >= each.sp)]
        point = self._points.get(pc)
        if point is None or point.parameter is None:
            return False
        back = return_address(self.machine)
        self._active.append(Activation(point, back, sp, self.machine.cycles + point.parameter))
        known = self._returns.setdefault(point.number, set())
        is_new = back not in known
        known.add(back)
        return is_new

    @property
    def due(self) -> int | None:
        """Clock at which the next call has run too long."""
        return min((each.due + 1 for each in self._active if each.due is not None), default=None)

    def late(self) -> Point | None:
        """Return the limit that a call under way exceeds, each call once."""
        for each in self._active:
            if each.due is not None and self.machine.cycles > each.due:
                each.due = None
                return each.point
        return None
