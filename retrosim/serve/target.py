"""A machine under a debugger, as gdb and editors ask for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrosim.cpu.spec.cpu import ADDRESS_MASK

if TYPE_CHECKING:
    from retrosim.errors import CpuFault
    from retrosim.machine import Machine
    from retrosim.tape import Player

EVERYWHERE = ADDRESS_MASK  # the last address
SLICE = 100_000  # instructions between two looks at the client


@dataclass(frozen=True)
class Stop:
    """Why the machine stands still.

    reason  "step", "breakpoint", "watchpoint", "interrupted", "exit", "fault", "tape" (it ends here) or "history" (no
            earlier state is known)
    text    the reason in words
    """

    reason: str
    text: str = ""
    address: int = 0
    access: str = ""
    status: int = 0
    fault: CpuFault | None = None


class Target:
    """A machine, its breakpoints, and the tape that gives it its inputs, if there is one."""

    def __init__(self, machine: Machine, player: Player | None = None) -> None:
        self.machine, self.player = machine, player
        self._breakpoints: set[int] = set()
        self._inputs_of = -1  # frame whose inputs have been set

    def read(self, address: int, size: int) -> bytes:
        """Return bytes of memory, fewer where it ends. Errors: ValueError outside."""
        if not 0 <= address <= ADDRESS_MASK:
            raise ValueError(f"address {address:#x}: allowed 0..{ADDRESS_MASK:#x}")
        return self.machine.mem[address : address + max(0, size)].tobytes()

    def write(self, address: int, data: bytes) -> None:
        """Write bytes of memory. Errors: ValueError outside."""
        self.machine.write(address, data)

    can_reverse = False

    def changed(self) -> None:
        """Note that a register has been written."""

    def load(self, state: bytes) -> None:
        """Go on from a saved state. Errors: StateError."""
        self.machine.load(state)

    def reset(self) -> None:
        """Switch the machine off and on."""
        self.machine.reset()

    def add_breakpoint(self, address: int) -> int:
        """Stop before an address; return what `remove` takes. Errors: ValueError outside memory."""
        self._breakpoints.add(self.machine.address(address))
        return address

    def add_watchpoint(self, address: int, size: int, access: str) -> object:
        """Stop after a "read" or "write" of a range, or after either, "access". Errors: ValueError."""
        raise ValueError("not yet")

    def remove(self, point: object) -> None:
        """Stop there no more."""
        self._breakpoints.discard(point)

    def step_back(self) -> Stop:
        return Stop("history")

    def run_back(self, is_wanted: Callable[[], bool]) -> Stop:
        return Stop("history")

    def step_in_range(self, start: int, end: int, is_wanted: Callable[[], bool]) -> Stop:
        """Execute instructions until one lies outside start <= address < end."""
        while True:
            stop = self.step()
            pc = self.machine.regs["pc"]
            if stop.reason != "step" or not start <= pc < end:
                return stop
            if pc in self._breakpoints:
                return Stop("breakpoint")
            if is_wanted():
                return Stop("interrupted")

    def step(self) -> Stop:
        """Execute one instruction."""
        return self._run(1, frozenset()) or Stop("step")

    def run(self, is_wanted: Callable[[], bool]) -> Stop:
        """Run until something stops the machine; `is_wanted` is asked now and then whether the client wants it back."""
        if stop := self._run(1, frozenset()):
            return stop
        stops = frozenset(self._breakpoints)
        while not is_wanted():
            if stop := self._run(SLICE, stops):
                return stop
        return Stop("interrupted")

    def _run(self, instructions: int, stops: frozenset[int]) -> Stop | None:
        machine = self.machine
        if not self._set_inputs():
            return Stop("tape", f"the tape ends after frame {machine.frame_number - 1}")
        frames = None if self.player is None else 1
        result = machine.run(instructions=instructions, frames=frames, until=stops)
        if result.reason == "until":
            return Stop("breakpoint")
        if result.reason == "exit":
            return Stop("exit", "the program has exited", status=machine.exit_status or 0)
        if result.reason == "fault":
            return Stop("fault", str(result.fault), fault=result.fault)
        return None

    def _set_inputs(self) -> bool:
        """Set the devices as the tape has them in this frame; return False when it has ended."""
        machine, player = self.machine, self.player
        if player is None or self._inputs_of == machine.frame_number:
            return True
        inputs = player.inputs(machine.frame_number)
        if inputs is None:
            return False
        for device, value in inputs.items():
            machine.set_input(device, value)
        self._inputs_of = machine.frame_number
        return True
