"""What the window shows of a session: the lines of its status bar, the buttons that are on, the shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from retrosim.machine.interface import AnyMachine, SimulatedMachine, has_cpu
from retrosim.screen.overlay import View
from retrosim.screen.shapes import Shapes
from retrosim.tape.play import Player
from retrosim.tape.record import Recorder

from .check import LastCheck
from .hud import Readings

if TYPE_CHECKING:
    from .panel import Panel
    from .transport import Transport

MESSAGE_NS = 4_000_000_000
"""How long a message stays."""
KEYS_HINT = "press ? for the keys"
COMPILING = f"compiling the program in the background; it will run faster   {KEYS_HINT}"


class Shown:
    """The part of a session that tells what to show; `Session` sets it up."""

    machine: AnyMachine
    clock: Callable[[], int]
    player: Player | None
    program: str
    view: View
    shows_help: bool
    shows_metrics: bool
    recording: Recorder | None
    held: set[str]
    panel: Panel | None
    controller: str
    transport: Transport

    def _begin_showing(self) -> None:
        self._message, self._message_until = "", 0
        self._shapes: tuple[tuple[int, int], Shapes | None] | None = None
        self._past = 0  # counts resets, loads and rewinds, because a frame number alone does not identify a world
        self._last_check = LastCheck()

    def say(self, text: str) -> None:
        """Show a message for a few seconds."""
        self._message, self._message_until = text, self.clock() + MESSAGE_NS

    @property
    def diverged(self) -> str:
        """How the machine differs from the tape that is replayed, or ""."""
        return str(self.player.mismatch) if self.player is not None and self.player.mismatch else ""

    @property
    def shapes(self) -> Shapes | None:
        """What the program's routine tested in the last frame; None if that is not known."""
        key = (self.machine.frame_number, self._past)
        if self._shapes is None or self._shapes[0] != key:
            self._shapes = (key, self.machine.shapes())
        return self._shapes[1]

    def readings(self) -> Readings:
        """Return what the metrics are computed from."""
        cycles, instructions = self.transport.frame_cost
        return Readings(
            machine=self.machine.name,
            rom=self.program,
            frame=self.machine.frame_number,
            periods=self.transport.tick,
            period=self.machine.frame_period,
            cycles=cycles,
            instructions=instructions,
            period_cycles=self.transport.tick_cycles,
            shapes=self.shapes if self.shows_metrics else None,  # computing them takes time
            speed=self.transport.pacer.speed,
        )

    @property
    def active(self) -> set[str]:
        """Actions that are on or held down: their buttons are shown pressed."""
        on = {
            "pause": self.transport.is_paused if self.panel is None else not self.panel.is_running,
            "record": self.recording is not None,
            "collisions": self.view.shapes,
            "grid": self.view.grid is not None,
            "metrics": self.shows_metrics,
            **({self.panel.title.lower(): True} if self.panel is not None else {}),
            "help": self.shows_help,
        }
        return self.held | {action for action, is_on in on.items() if is_on}

    @property
    def state(self) -> tuple[str, bool]:
        """What the machine does, one word in capitals, and whether it has stopped."""
        if self.controller:
            return self.controller.upper(), False
        if self.panel is not None:
            return (self.panel.title, False) if self.panel.is_running else (f"{self.panel.title}: STOPPED", True)
        if self.diverged:
            return "DIVERGED", True
        if "rewind" in self.held:
            return "REWIND", False
        if self.transport.halted:
            return "STOPPED", True
        if "fast" in self.held:
            return "FAST", False
        if self.transport.is_paused:
            return "PAUSED", True
        return ("REPLAY" if self.player is not None else "RUNNING"), False

    @property
    def message(self) -> str:
        """The line below the metrics: what was just done, why the machine stopped, or the next instruction."""
        if self.clock() < self._message_until:
            return self._message
        if self.diverged or self.transport.halted:
            return self.diverged or self.transport.halted
        if self.transport.is_paused and has_cpu(self.machine):
            return next_instruction(self.machine)
        if self.machine.is_compiling:
            return COMPILING
        return f"{self.last_check}   {KEYS_HINT}" if self.last_check else KEYS_HINT

    @property
    def last_check(self) -> str:
        """What the last frame's check took, beside what was printed in 1994; "" without metrics or such a check.

        Not under a debugger: the check is made again, which would end its history.
        """
        is_debugged = self.panel is not None or self.controller
        if is_debugged or not self.shows_metrics or not self.transport.is_between_frames:
            return ""
        return self._last_check.text(self.machine, self.clock())


def next_instruction(machine: SimulatedMachine) -> str:
    """Return address, code, listing and source line of the instruction that a machine executes next."""
    pc = machine.regs["pc"]
    line = machine.image.source_line(pc)
    return f"next {machine.listing(pc, 1)[0]}" + (f"  ({line[0]}:{line[1]})" if line else "")
