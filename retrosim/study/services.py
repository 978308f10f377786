"""The services of a machine for a program that is measured: every contender gives it the same answers.

The clock that it reads moves on by a second each time, and text is kept, not drawn. So it ends in every emulator with
the same text, and what a picture takes is nobody's time.
"""

from __future__ import annotations

from collections.abc import Callable

from retrosim.machine.clockwork import EXIT, MICROSECONDS, WRITE_TEXT, YIELD_FRAME
from retrosim.machine.console import MAX_BYTES

STEP = 1_000_000  # microseconds that pass between two readings of the clock
SERVICES = YIELD_FRAME, MICROSECONDS, EXIT, WRITE_TEXT


class Services:
    """What a program has asked for since it began.

    read, write  a register by its name
    memory       address, size -> bytes
    result       names of the registers of a result, and of its upper half
    """

    def __init__(
        self,
        read: Callable[[str], int],
        write: Callable[[str, int], object],
        memory: Callable[[int, int], bytes],
        result: tuple[str, str],
    ) -> None:
        self._read, self._write, self._memory, self._result = read, write, memory, result
        self._readings = 0
        self._text = bytearray()

    def serve(self, number: int) -> bool:
        """Perform a service; return whether it ends the program. Errors: ValueError for another one."""
        if number not in SERVICES:
            raise ValueError(f"service {number}: allowed {YIELD_FRAME}..{WRITE_TEXT}")
        low, high = self._result
        if number == MICROSECONDS:
            self._readings += 1
            self._write(low, self._readings * STEP & 0xFFFFFFFF)
            self._write(high, self._readings * STEP >> 32)
        elif number == WRITE_TEXT:
            self._text += self._memory(self._read(low), min(self._read(high), MAX_BYTES))
        return number == EXIT

    def outcome(self) -> bytes:
        """Return the exit status, 4 bytes, and all that was written."""
        return self._read(self._result[0]).to_bytes(4, "big") + self._text
