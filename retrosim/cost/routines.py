"""Which labels of a program begin a routine, and which are only places inside one.

Assemblers, and the linkers of the Amiga, name places without a word on what they are. A label that has a size is a
routine, and so is one that is called. Any other lies inside the routine before it if that one runs into it, or jumps
to it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection

from retrosim.machine import Machine
from retrosim.rom.symbols import SymbolTable

MAX_FOLLOWED = 20_000  # instructions of a program


def routines(machine: Machine, entries: Collection[int] = ()) -> SymbolTable:
    """Return the symbols of a machine's program without labels inside routines.

    entries  addresses that are called from outside, as the program's entry is
    """
    table = machine.image.symbol_table
    functions = {name: symbol for name, symbol in table.by_name.items() if symbol.kind == "function"}
    sized = {symbol.address for symbol in functions.values() if symbol.size}
    labels = {symbol.address for symbol in functions.values()} - sized - {machine.image.entry}
    if not labels:
        return table
    flow = _Flow(machine, [symbol.address for symbol in functions.values()])
    begins = {symbol.address for symbol in functions.values()}
    inner = labels - flow.called
    while inner:
        outer = sorted(begins - inner)
        left = {label for label in inner if not flow.comes_from(label, *_around(label, outer))}
        if not left:
            break
        inner -= left
    names = {name for name, symbol in functions.items() if symbol.address in inner.difference(entries)}
    return SymbolTable({name: symbol for name, symbol in table.by_name.items() if name not in names})


def _around(address: int, begins: list[int]) -> tuple[int, int]:
    """Return where the routine begins that an address lies in, and where the next one does; 0, 0: in none."""
    number = bisect_right(begins, address)
    end = begins[number] if number < len(begins) else 1 << 32
    return (begins[number - 1], end) if number else (0, 0)


class _Flow:
    """How a program gets to places in its code, as far as its text says.

    called   addresses that instructions call
    """

    def __init__(self, machine: Machine, entries: Collection[int]) -> None:
        """Follow the code from some addresses on."""
        self.called: set[int] = set()
        self._sources: dict[int, set[int]] = {}  # address -> of the instructions that go on there
        core, seen, todo = machine.core, set[int](), list(entries)
        while todo and len(seen) < MAX_FOLLOWED:
            pc = todo.pop()
            if pc in seen or not machine.image.has(pc):
                continue
            seen.add(pc)
            insn = core.decode(pc)
            options = insn.row.options
            following = [insn.end] if insn.row.pattern and not options.get("ends") else []
            if insn.target is not None:
                if options.get("calls"):
                    self.called.add(insn.target)
                    todo.append(insn.target)
                else:
                    following.append(insn.target)
            for place in following:
                self._sources.setdefault(place, set()).add(pc)
            todo += following

    def comes_from(self, address: int, start: int, end: int) -> bool:
        """Does an instruction between two addresses go on at an address?"""
        return any(start <= source < end for source in self._sources.get(address, ()))
