"""Registers of a machine by name, readable and writable."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping

from retrosim.cpu.engines.core import Core


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
