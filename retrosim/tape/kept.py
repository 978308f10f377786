"""Keeps the machines of tapes that follow each other: the next tape of a program finds it compiled."""

from __future__ import annotations

import gc
from collections.abc import Callable
from types import TracebackType

from retrosim.tape.format import Tape
from retrosim.tape.machine import TapeMachine
from retrosim.tape.play import open_for

Program = tuple[str, str | None]
"""Scenario, and the ROM build that a tape was recorded with where it tells."""


class KeptMachines:
    """Opens machines by name for tapes; used as a context manager.

    open_one  opens the machine of a name for a tape, as `open_for`

    A machine is kept for the next tape of the same program, which switches it off and on; one of each name, and none
    of a scenario before. What machines that are let go still wanted to compile is dropped.
    """

    def __init__(self, open_one: Callable[[Tape, str], TapeMachine] = open_for) -> None:
        self._open = open_one
        self._scenario = ""
        self._kept: dict[str, tuple[Program, TapeMachine]] = {}

    def __call__(self, tape: Tape, name: str) -> TapeMachine:
        """Return the machine of a name for a tape. Errors: those of `open_one`."""
        if tape.scenario != self._scenario:
            self._let_go(*self._kept)
            self._scenario = tape.scenario
        program = tape.scenario, tape.header["machines"].get(name, {}).get("build")
        if name in self._kept and self._kept[name][0] != program:
            self._let_go(name)
        if name not in self._kept:
            self._kept[name] = program, self._open(tape, name)
        return self._kept[name][1]

    def _let_go(self, *names: str) -> None:
        for name in names:
            _, machine = self._kept.pop(name)
            if getattr(machine, "is_compiling", False):
                machine.stop_compiling()
            del machine
        if names:
            gc.collect()  # tens of MiB each, in cycles that the collector seldom looks at

    def __enter__(self) -> KeptMachines:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._let_go(*self._kept)
