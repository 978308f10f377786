"""Registers of a machine: by name, and which of them a routine uses before anybody has set them.

Some of those point to the program's data: `Machine` gives them their values before a call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from weakref import WeakMethod

from retrosim.cpu.engines.core import Core
from retrosim.cpu.engines.regions.liveness import register_use
from retrosim.cpu.spec.rows import Insn

MAX_FOLLOWED = 20_000  # instructions of a routine and what it calls


class Registers(MutableMapping[str, int]):
    """The registers that the CPU's description names, "pc" among them."""

    def __init__(self, core: Core) -> None:
        self._state = core.state
        self._known = core.cpu.host.registers

    def __getitem__(self, name: str) -> int:
        return self._known[name].get(self._state)

    def __setitem__(self, name: str, value: int) -> None:
        register = self._known[name]
        if not 0 <= value < 1 << register.bits:
            raise ValueError(f"{name} {value}: allowed 0..{(1 << register.bits) - 1}")
        register.set(self._state, value)

    def __delitem__(self, name: str) -> None:
        raise TypeError("registers cannot be removed")

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def __repr__(self) -> str:
        """Show the program counter, and what is not 0."""
        shown = " ".join(f"{name}={value:#x}" for name, value in self.items() if value or name == "pc")
        zeros = sum(not value for name, value in self.items() if name != "pc")
        return f"<Registers {shown}; {zeros} more are 0>" if zeros else f"<Registers {shown}>"


class FirstUses:
    """Remembers what `first_use` found in the code of a core, until any of it is forgotten."""

    def __init__(self, core: Core, is_data: Callable[[int], bool]) -> None:
        self._core, self._is_data = core, is_data
        self._found: dict[tuple[int, int], Insn | None] = {}
        core.on_invalidate.append(WeakMethod(self._forget))

    def _forget(self, pc: int) -> None:
        self._found.clear()

    def find(self, entry: int, number: int) -> Insn | None:
        """Return what `first_use` does."""
        if self._core.unsteady or (entry, number) not in self._found:
            self._found[entry, number] = first_use(self._core, entry, number, self._is_data)
        return self._found[entry, number]


def first_use(core: Core, entry: int, number: int, is_data: Callable[[int], bool]) -> Insn | None:
    """Return an instruction of a routine that uses a register before it is changed, None if there is none.

    What is reached by computed jumps and calls is not seen.

    entry    address of the routine
    number   of the register
    is_data  does the program have something at an address? An instruction that makes only such addresses of a register
             that holds 0 was linked to do so, and does not count
    """
    seen: set[int] = set()
    todo = [entry]
    while todo and len(seen) < MAX_FOLLOWED:
        pc = todo.pop()
        if pc in seen:
            continue
        seen.add(pc)
        insn = core.decode(pc)
        if number in insn.fields:
            use = register_use(core.cpu, insn, number)
            if use.is_used and not (use.results and all(map(is_data, use.results))):
                return insn
            if use.is_changed:
                continue
        if insn.target is not None:
            todo.append(insn.target)
        if not insn.row.leads_nowhere and not insn.row.options.get("ends"):
            todo.append(insn.end)
    return None
