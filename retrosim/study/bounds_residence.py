"""Lines that stay in a cache for the whole call once they are in it: each is missed at most once.

If a routine uses no more lines of any set than survive one another, then no use of its own makes another line of its
own go. So a line is missed at most once: when it is used first, or later, where the first use found a line that had
nearly gone, and that use was not noted. The bounds then need not know when. The engine leaves such a miss out of the
clocks since the call began: it moves the beginning by the clocks of a miss. At the end each line that may be missed is
added once. This holds for any number of clocks; those in which the bus is busy give the lowest bound.

Whether the routine uses so few lines is known at the end only. If it does not, it is run again without this.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from retrosim.cpu.spec.cpu import Cache

from .bounds_caches import Held, Near
from .bounds_state import State
from .bounds_words import Span

ALWAYS = 1 << 30  # lines that a line survives which stays


@dataclass
class Uses:
    """What a routine has used of one cache.

    lines     units at known addresses: of code, and of operands
    near      base -> (first byte, bytes) of each operand
    is_known  no operand was of another kind
    """

    code: set[int] = field(default_factory=set)
    operands: set[int] = field(default_factory=set)
    near: dict[Span, set[tuple[int, int]]] = field(default_factory=dict)
    is_known: bool = True

    def note(self, units: list[int] | Near | None, is_code: bool) -> None:
        """Note a use of the units of an operand, or of code."""
        if units is None:
            self.is_known = False
        elif isinstance(units, Near):
            first, last = min(units.offsets), max(units.offsets)
            self.near.setdefault(units.base, set()).add((first, last - first + 1))
        else:
            (self.code if is_code else self.operands).update(units)


class Residence:
    """Which caches keep what is used, and what a miss there takes that is added at the end.

    clocks    cache -> clocks of a miss
    is_known  every use has been noted: no loop was taken by multiplication, in which each time may use other lines
    """

    is_known = True

    def __init__(self, caches: Mapping[str, Cache], parameters: Mapping[str, int]) -> None:
        self.caches = {name: cache for name, cache in caches.items() if cache.lines and cache.lines.survives}
        self.uses = {name: Uses() for name in self.caches}
        self.clocks = {
            name: sum(parameters[each] for each in cache.lines.missing)
            for name, cache in self.caches.items()
            if cache.lines
        }

    def entered(self, state: State) -> State:
        """Return a state in which what is used stays."""
        held = {
            name: Held(replace(each.lines, survives=ALWAYS)) if name in self.uses else each
            for name, each in state.held.items()
        }
        return replace(state, held=held)

    def holds(self) -> bool:
        """Tell whether in each set there are no more lines of the routine than survive one another."""
        if not self.is_known:
            return False
        for name, uses in self.uses.items():
            lines = self.caches[name].lines
            if lines is None or not uses.is_known:
                return False
            numbers = {unit // lines.units for unit in uses.code | uses.operands}
            count = max(Counter(number % lines.sets for number in numbers).values(), default=0)
            line_bytes = lines.units * lines.unit_bytes
            for each in uses.near.values():
                parts = _parts(each, line_bytes)
                reach = sum(last - first + line_bytes for first, last in parts)
                count += len(parts) if reach < (lines.sets - 1) * line_bytes else lines.survives + 1
            if count > lines.survives + 1:
                return False
        return True

    def added(self, alignment: int) -> int:
        """Return the clocks of one miss of each line of an operand."""
        total = 0
        for name, uses in self.uses.items():
            lines = self.caches[name].lines
            if lines is None:
                continue
            count = len(uses.operands)
            for each in uses.near.values():
                low = min(alignment, *(size for _, size in each))
                for first, last in _parts(each, lines.unit_bytes):
                    count += -(-(last - first + 1 - low) // lines.unit_bytes) + 1
            total += count * self.clocks[name]
        return total


def _parts(operands: Iterable[tuple[int, int]], apart: int) -> list[tuple[int, int]]:
    """Return the first and the last byte of each group of operands that lie nearer together than so many bytes."""
    parts: list[tuple[int, int]] = []
    for first, size in sorted(operands):
        if parts and first - parts[-1][1] <= apart:
            parts[-1] = parts[-1][0], max(parts[-1][1], first + size - 1)
        else:
            parts.append((first, first + size - 1))
    return parts
