"""gdb beside a window: the machine is the window's until gdb connects, gdb's then, and the window's again afterwards.

Two threads share the machine. It changes hands on the window's thread, between two of its turns, so that only one of
them runs it at any time; the window goes on drawing.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    import socket

    from retrosim.console.target import Target
    from retrosim.machine import Machine
    from retrosim.serve.stream import Stream
    from retrosim.window.session import Session

NAME = "gdb"
LATE_SECONDS = 0.1  # behind the machine's own pace, which then begins anew


class WindowGdb:
    """The server; `turn` is called on the window's thread, again and again.

    listening  what clients connect to
    file       of the program, None where it has none
    """

    def __init__(self, listening: socket.socket, file: Path | None) -> None:
        self._listening, self._file = listening, file
        self._session: Session | None = None
        self._target: Target | None = None
        self._wanted, self._given = "", threading.Event()
        self._due, self._clock = 0.0, 0

    @property
    def _machine(self) -> Machine:
        assert self._session is not None
        return cast("Machine", self._session.machine)

    def turn(self, session: Session) -> None:
        """Start when the machine is open; hand it over."""
        if self._session is None:
            self._session = session
            threading.Thread(target=self._serve_all, name=NAME, daemon=True).start()
        if session.controller != self._wanted:
            session.control(self._wanted)
            self._given.set()

    def _serve_all(self) -> None:
        from retrosim.serve.stream import serve_clients

        serve_clients(self._listening, self._serve)

    def _serve(self, stream: Stream) -> bool:
        from retrosim.console.target import Target
        from retrosim.serve.gdb_session import GdbSession
        from retrosim.serve.programs import elf_of

        self._ask(NAME)
        try:
            if self._target is None:
                self._target = Target(self._machine, between_frames=self._between_frames)
            self._clock = self._machine.cycles
            return GdbSession(self._target, stream, elf_of(self._machine, self._file), attached=True).serve()
        finally:
            self._ask("")

    def _ask(self, wanted: str) -> None:
        """Wait until the window has handed the machine over, or taken it back."""
        self._given.clear()
        self._wanted = wanted
        self._given.wait()

    def _between_frames(self) -> None:
        """Give the machine what is pressed in the window, and keep its pace."""
        machine = self._machine
        if self._session is not None and (machine.rom is None or "pad" in machine.rom.inputs):
            machine.set_input("pad", self._session.pad)
        passed, self._clock = machine.cycles - self._clock, machine.cycles
        self._due = max(self._due, time.monotonic() - LATE_SECONDS) + max(0, passed) / machine.clock_hz
        time.sleep(max(0.0, self._due - time.monotonic()))
