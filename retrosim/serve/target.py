"""A machine under a debugger, as gdb and editors ask for it: what they add to `machine.debugger`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from retrosim.cpu.spec.cpu import ADDRESS_MASK

if TYPE_CHECKING:
    from retrosim.machine import Machine
    from retrosim.machine.debug import Debugger, Stop
    from retrosim.tape import Player

EVERYWHERE = ADDRESS_MASK  # the last address
LOOK_SECONDS = 0.02  # between two looks at the client while the machine runs
MAX_LINE_STEPS = 100_000  # instructions of a source line, and of a range

IsWanted = Callable[[], bool]
"""Tells whether the client wants the machine back."""
TAPE_ENDS = "tape"  # a reason to stop


class Target:
    """A machine, its debugger, and the tape that gives it its inputs, if there is one."""

    def __init__(self, machine: Machine, player: Player | None = None) -> None:
        self.machine, self.player = machine, player
        self.debugger: Debugger = machine.debugger
        if player is not None:
            self.debugger.play(player)

    def read(self, address: int, size: int) -> bytes:
        """Return bytes of memory, fewer where it ends. Errors: ValueError outside."""
        if not 0 <= address <= ADDRESS_MASK:
            raise ValueError(f"address {address:#x}: allowed 0..{ADDRESS_MASK:#x}")
        return self.machine.mem[address : address + max(0, size)].tobytes()

    def write(self, address: int, data: bytes) -> None:
        """Write bytes of memory. Errors: ValueError outside."""
        self.machine.write(address, data)

    def set_register(self, name: str, value: int) -> None:
        """Write a register; the program counter goes where the CPU can go on. Errors: ValueError."""
        if name == "pc":
            if not 0 <= value <= ADDRESS_MASK:
                raise ValueError(f"pc {value:#x}: allowed 0..{ADDRESS_MASK:#x}")
            self.machine.core.cpu.host.go(self.machine.core.state, value)
        else:
            self.machine.regs[name] = value

    def load(self, state: bytes) -> None:
        """Go on from a saved state. Errors: StateError."""
        self.machine.load(state)

    def reset(self) -> None:
        """Switch the machine off and on; a tape begins again."""
        if self.player is not None:
            self.player.restart()
            self.debugger.play(self.player)
        else:
            self.machine.reset()

    def run(self, is_wanted: IsWanted) -> Stop:
        """Run until something stops the machine, or the client wants it back."""
        player = self.player
        with self._watched(is_wanted):
            if player is None:
                return self.debugger.run()
            left = player.tape.frames - self.machine.frame_number
            stop = self.debugger.run(frames=max(0, left))
        if stop.reason == "frames":
            return replace(stop, reason=TAPE_ENDS, text=f"the tape ends after frame {player.tape.frames - 1}")
        return stop

    def run_back(self, is_wanted: IsWanted) -> Stop:
        """Run backwards to what stopped the machine last."""
        with self._watched(is_wanted):
            return self.debugger.reverse_run()

    def step(self) -> Stop:
        """Execute one instruction."""
        return self.debugger.step()

    def step_back(self) -> Stop:
        """Undo one instruction."""
        return self.debugger.reverse_step()

    def step_in_range(self, start: int, end: int, is_wanted: IsWanted) -> Stop:
        """Execute instructions until one lies outside start <= address < end."""
        return self._repeated(self.debugger.step, lambda: not start <= self.machine.regs["pc"] < end, is_wanted)

    def line_into(self, is_wanted: IsWanted) -> Stop:
        """Go on to another source line, also one of a routine that is called, if it has lines."""
        return self._to_line(self._step_in, is_wanted)

    def line_over(self, is_wanted: IsWanted) -> Stop:
        """Go on to another source line; calls are run as a whole."""
        return self._to_line(self.debugger.step_over, is_wanted)

    def line_back(self, is_wanted: IsWanted) -> Stop:
        """Go back to the beginning of the source line that was executed before."""
        line = self.machine.image.source_line
        first = line(self.machine.regs["pc"])
        back = self.debugger.reverse_step_over
        if first is None:
            return back()
        stop = self._repeated(back, lambda: line(self.machine.regs["pc"]) != first, is_wanted)
        here, address = line(self.machine.regs["pc"]), self.machine.regs["pc"]
        starts = {row[0] for row in self.machine.image.lines}
        if stop.reason != "step" or here is None or address in starts:
            return stop
        return self._repeated(back, lambda: self.machine.regs["pc"] in starts, is_wanted)

    def out(self, is_wanted: IsWanted) -> Stop:
        """Run until the present routine has returned. Errors: ValueError where no caller is known."""
        with self._watched(is_wanted):
            return self.debugger.step_out()

    def over(self, is_wanted: IsWanted) -> Stop:
        """Execute one instruction, a call with all that it calls."""
        with self._watched(is_wanted):
            return self.debugger.step_over()

    def _step_in(self) -> Stop:
        """Execute an instruction; a call of a routine without lines as a whole."""
        before = self.machine.regs["pc"]
        stop = self.debugger.step()
        image, pc = self.machine.image, self.machine.regs["pc"]
        found = image.symbol_at(pc)
        is_entry = found is not None and found[1] == 0 and pc != before
        if stop.reason == "step" and is_entry and image.source_line(pc) is None:
            return replace(self.debugger.step_out(), reason="step")
        return stop

    def _to_line(self, step: Callable[[], Stop], is_wanted: IsWanted) -> Stop:
        line = self.machine.image.source_line
        first = line(self.machine.regs["pc"])
        if first is None:
            return step()
        starts = {row[0] for row in self.machine.image.lines}

        def is_there() -> bool:
            pc = self.machine.regs["pc"]
            return line(pc) != first and (pc in starts or line(pc) is None)

        return self._repeated(step, is_there, is_wanted)

    def _repeated(self, step: Callable[[], Stop], is_there: Callable[[], bool], is_wanted: IsWanted) -> Stop:
        """Step until a place is reached, or something else stops the machine."""
        with self._watched(is_wanted) as wanted:
            for _ in range(MAX_LINE_STEPS):
                stop = step()
                if stop.reason not in ("step", "until") or is_there():
                    break
                if wanted.is_set():
                    return replace(stop, reason="interrupted")
        return stop

    @contextmanager
    def _watched(self, is_wanted: IsWanted) -> Iterator[threading.Event]:
        """Interrupt the debugger when the client wants the machine back, as long as the block lasts."""
        done, wanted = threading.Event(), threading.Event()

        def watch() -> None:
            while not done.wait(LOOK_SECONDS):
                if wanted.is_set() or is_wanted():
                    wanted.set()
                    self.debugger.interrupt()

        watcher = threading.Thread(target=watch, name="client", daemon=True)
        watcher.start()
        try:
            yield wanted
        finally:
            done.set()
            watcher.join()
