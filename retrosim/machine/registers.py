"""Registers of a machine by name, readable and writable."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping

from retrosim.cpu.core import Core

_CCR = "cvznx"


class Registers(MutableMapping[str, int]):
    """d0-d7, a0-a7, pc, sr, and the stack pointers that are not active (usp, isp, msp), vbr."""

    def __init__(self, core: Core) -> None:
        self._state = core.state
        self._file = {f"d{i}": i for i in range(8)} | {f"a{i}": 8 + i for i in range(8)}
        self._plain = ("pc", "usp", "isp", "msp", "vbr")

    def __getitem__(self, name: str) -> int:
        if name in self._file:
            return int(self._state["r"][self._file[name]])
        if name == "sr":
            s = self._state
            system = int(s["trace"]) << 14 | int(s["s"]) << 13 | int(s["m"]) << 12 | int(s["ipl"]) << 8
            return system | sum(int(s[flag]) << bit for bit, flag in enumerate(_CCR))
        if name in self._plain:
            return int(self._state[name])
        raise KeyError(name)

    def __setitem__(self, name: str, value: int) -> None:
        most = 0xFFFF if name == "sr" else 0xFFFFFFFF
        if not 0 <= value <= most:
            raise ValueError(f"{name} {value}: allowed 0..{most}")
        if name in self._file:
            self._state["r"][self._file[name]] = value
        elif name == "sr":
            self._set_sr(value)
        elif name in self._plain:
            self._state[name] = value & 0xFFFFFF if name == "pc" else value
        else:
            raise KeyError(name)

    def _set_sr(self, value: int) -> None:
        """Write the status register; a7 becomes the stack pointer that the new S and M name."""
        s = self._state
        s[self._active()] = s["r"][15]
        s["trace"], s["s"], s["m"], s["ipl"] = value >> 14 & 3, value >> 13 & 1, value >> 12 & 1, value >> 8 & 7
        for bit, flag in enumerate(_CCR):
            s[flag] = value >> bit & 1
        s["r"][15] = s[self._active()]

    def _active(self) -> str:
        return ("msp" if self._state["m"] else "isp") if self._state["s"] else "usp"

    def __delitem__(self, name: str) -> None:
        raise TypeError("registers cannot be removed")

    def __iter__(self) -> Iterator[str]:
        return iter([*self._file, "sr", *self._plain])

    def __len__(self) -> int:
        return len(self._file) + 1 + len(self._plain)
