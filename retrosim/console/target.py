"""A machine under a debugger, as gdb and editors ask for it: what they add to `machine.debugger`."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from retrosim.cpu.spec.cpu import ADDRESS_MASK
from retrosim.machine.pieces import next_size

if TYPE_CHECKING:
    from retrosim.debug import Debugger, Stop
    from retrosim.machine import Machine
    from retrosim.tape import Player

EVERYWHERE = ADDRESS_MASK  # the last address
LOOK_SECONDS = 0.02  # about, between two looks at the client while the machine runs
FIRST_PIECE = 200  # instructions before the first look
MAX_STEPS = 100_000  # instructions of a range that are executed one by one
MAX_POINTS = 500  # of our own at a time

Found = TypeVar("Found")
IsWanted = Callable[[], bool]
"""Tells whether the client wants the machine back."""
TAPE_ENDS = "tape"  # a reason to stop


class Target:
    """A machine, its debugger, and the tape that gives it its inputs, if there is one."""

    def __init__(
        self, machine: Machine, player: Player | None = None, between_frames: Callable[[], None] | None = None
    ) -> None:
        """Begin to debug.

        between_frames   called between two frames while the machine runs: gives it inputs, and lets time pass
        """
        self.machine, self.player, self._between_frames = machine, player, between_frames
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
        end = None if self.player is None else self.player.tape.frames
        size = FIRST_PIECE
        while True:
            begun = time.monotonic()
            left = None if end is None else max(0, end - self.machine.frame_number)
            if self._between_frames is not None:
                left = 1 if left is None else min(1, left)
            stop = self.debugger.run(instructions=size, frames=left)
            if end is not None and stop.reason == "frames" and self.machine.frame_number >= end:
                return replace(stop, reason=TAPE_ENDS, text=f"the tape ends after frame {end - 1}")
            if stop.reason not in ("instructions", "frames"):
                return stop
            if stop.reason == "frames" and self._between_frames is not None:
                self._between_frames()
            if is_wanted():
                return replace(stop, reason="interrupted")
            size = next_size(size, time.monotonic() - begun, LOOK_SECONDS, FIRST_PIECE)

    def run_back(self, is_wanted: IsWanted) -> Stop:
        """Run backwards to what stopped the machine last."""
        return self.interruptible(self.debugger.reverse_run, is_wanted)

    def step(self) -> Stop:
        """Execute one instruction."""
        return self.debugger.step()

    def step_back(self, is_wanted: IsWanted) -> Stop:
        """Undo one instruction."""
        return self.interruptible(self.debugger.reverse_step, is_wanted)

    def step_in_range(self, start: int, end: int, is_wanted: IsWanted) -> Stop:
        """Execute instructions until one lies outside start <= address < end."""
        return self._repeated(self.debugger.step, lambda: not start <= self.machine.regs["pc"] < end, is_wanted)

    def line_over(self, is_wanted: IsWanted) -> Stop:
        """Go on to another source line of this routine, or to its caller; calls are run as a whole."""
        return self._to(self._line_starts(), self.run, is_wanted) or self.debugger.step_over()

    def line_into(self, is_wanted: IsWanted) -> Stop:
        """Go on to another source line, also to that of a routine that is called, if it has lines."""
        while True:
            starts, calls = self._line_starts(), self._calls()
            stop = None
            if self.machine.regs["pc"] not in calls:
                stop = self._to([*starts, *calls], self.run, is_wanted)
                if stop is not None and (stop.reason != "step" or self.machine.regs["pc"] not in calls):
                    return stop
            stop = self.debugger.step()
            pc, image = self.machine.regs["pc"], self.machine.image
            if stop.reason != "step" or not starts or pc in starts:
                return stop
            found = image.symbol_at(pc)
            if found is not None and found[1] == 0:  # a routine has been entered
                if image.source_line(pc) is not None:
                    return stop
                stop = self.out(is_wanted)
                if stop.reason != "step" or self.machine.regs["pc"] in starts:
                    return stop

    def line_back(self, is_wanted: IsWanted) -> Stop:
        """Go back to where a source line of this routine, or of its caller, began last; calls are undone as a whole."""
        callers = self.debugger.call_stack(2)[1:]
        starts = [
            address for pc in (self.machine.regs["pc"], *(each.pc for each in callers)) for address in self._rows(pc)
        ]
        return self._to(starts, self.run_back, is_wanted) or self.debugger.reverse_step_over()

    def _rows(self, pc: int) -> dict[int, tuple[str, int]]:
        """Return address -> source line, where lines begin in the routine that an address lies in."""
        image = self.machine.image
        found = image.symbol_at(pc)
        if found is None:
            return {}
        start = pc - found[1]
        size = image.symbols[found[0]].size
        after = (each.address for each in image.symbols.values() if each.kind == "function" and each.address > start)
        end = start + size if size else min(after, default=EVERYWHERE + 1)
        return {address: (file, line) for address, file, line in image.lines if start <= address < end}

    def _line_starts(self) -> list[int]:
        """Return where other lines of this routine begin, and where it returns to."""
        pc = self.machine.regs["pc"]
        here = self.machine.image.source_line(pc)
        starts = [address for address, line in self._rows(pc).items() if line != here]
        return [*starts, *(each.pc for each in self.debugger.call_stack(2)[1:])] if here else []

    def _calls(self) -> list[int]:
        """Return where this line calls routines."""
        image, core, pc = self.machine.image, self.machine.core, self.machine.regs["pc"]
        here = image.source_line(pc)
        calls: list[int] = []
        for address, line in self._rows(pc).items():
            while line == here and image.source_line(address) == here and len(calls) < MAX_POINTS:
                insn = core.decode(address)
                if insn.row.options.get("calls"):
                    calls.append(address)
                address = insn.end
        return calls

    def _to(self, addresses: Iterable[int], go: Callable[[IsWanted], Stop], is_wanted: IsWanted) -> Stop | None:
        """Run, forwards or back, to one of some addresses; None where there is none."""
        own = [self.debugger.breakpoint(address) for address in [*dict.fromkeys(addresses)][:MAX_POINTS]]
        try:
            stop = go(is_wanted) if own else None
        finally:
            for point in own:
                self.debugger.remove(point)
        return replace(stop, reason="step", point=None) if stop is not None and stop.point in own else stop

    def out(self, is_wanted: IsWanted) -> Stop:
        """Run until the present routine has returned. Errors: ValueError where no caller is known."""
        return self.interruptible(self.debugger.step_out, is_wanted)

    def over(self, is_wanted: IsWanted) -> Stop:
        """Execute one instruction, a call with all that it calls."""
        return self.interruptible(self.debugger.step_over, is_wanted)

    def interruptible(self, go: Callable[[], Found], is_wanted: IsWanted) -> Found:
        """Let the debugger go somewhere, unless the client wants the machine back before."""
        with self._watched(is_wanted):
            return go()

    def _repeated(self, step: Callable[[], Stop], is_there: Callable[[], bool], is_wanted: IsWanted) -> Stop:
        """Step until a place is reached, or something else stops the machine."""
        with self._watched(is_wanted) as wanted:
            for _ in range(MAX_STEPS):
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
