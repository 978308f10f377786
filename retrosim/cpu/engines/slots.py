"""Where a region keeps the fields of the state: in slots on the stack, which become SSA values, or where they lie.

What is in a slot is loaded when control comes from another region, and stored when it goes there. That pays for what
loops use, and for what is used most. LLVM has no more registers than for a few fields anyway; the other ones would
only be copied to the stack and back.
"""

from __future__ import annotations

from collections import Counter

from ..spec.cpu import Layout
from ..spec.ir import Function
from .regions import Region, blocks_in_loops

MOVED_BITS = 32  # of the fields that may stay where they lie: flags are set more often than they are used
MAX_OUTSIDE = 4  # of those fields that have slots even if no loop uses them

Element = tuple[str, int]
"""Name of a field, and which of its elements."""


class Slots:
    """The slots of a region's function.

    changed  elements that are to be stored when the region is left
    """

    def __init__(self, code: Function, layout: Layout) -> None:
        self._code, self._layout = code, layout
        self._addresses: dict[Element, str] = {}
        self.changed: set[Element] = set()
        self._uses: Counter[Element] = Counter()
        self._blocks: dict[Element, set[int]] = {}  # that use an element

    def address(self, element: Element) -> str:
        """Return where an element is, while the region runs."""
        if element not in self._addresses:
            self._addresses[element] = self._code.slot(f"i{self._layout.fields[element[0]][0]}")
        return self._addresses[element]

    def used(self, element: Element, block: int) -> str:
        """Note a use of an element in a block; return where it is."""
        self._uses[element] += 1
        self._blocks.setdefault(element, set()).add(block)
        return self.address(element)

    def settle(self, region: Region, state: str) -> None:
        """Decide, when all blocks have been emitted, which elements have no slot."""
        inner = blocks_in_loops(region)
        registers = [each for each, _ in self._uses.most_common() if self._layout.fields[each[0]][0] == MOVED_BITS]
        for name, number in registers[MAX_OUTSIDE:]:
            if inner.isdisjoint(self._blocks[name, number]):
                offset = self._layout.offsets[name] + number * MOVED_BITS // 8
                self._code.move_slot(self._addresses.pop((name, number)), state, offset)
                self.changed.discard((name, number))

    def loaded(self) -> list[Element]:
        """Return the elements to be loaded when the region is entered."""
        return list(self._addresses)
