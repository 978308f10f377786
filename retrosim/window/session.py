"""What the window does with a machine, without the window itself: carries out commands, tells what to show.

Every command is either `do` (once) or `hold` (while a key or button is down).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from retrosim.errors import RetrosimError
from retrosim.machine.interface import AnyMachine, has_cpu
from retrosim.screen.overlay import View
from retrosim.screen.png import png_bytes
from retrosim.tape.play import Player
from retrosim.tape.record import Recorder

from .files import home_short, newest_file, read_file, write_new
from .hud import speed_text
from .opening import open_panel
from .pacer import SPEEDS
from .picture import picture_of
from .seek import Seek
from .shown import Shown
from .transport import Transport

if TYPE_CHECKING:
    from .panel import Panel

IDLE_NS = 25_000_000
"""Longest time between two calls of `advance`."""

RUNNING_ACTIONS = (
    *("pause", "frame", "instruction", "reset", "record", "load", "rewind", "fast", "debugger", "walk"),
    *("seek", "jump", "ends", "mark"),
)
"""What a debugger does in place of the window as long as it controls the machine."""
PANEL_ACTIONS = {"pause": "go", "frame": "frame", "instruction": "step"}
"""Of these the ones that a panel carries out -> its command."""

History = list[tuple[int, dict[str, int]]]
MakeRecorder = Callable[[AnyMachine, History | None], Recorder]
"""Starts a tape of a machine between two frames. The history is the inputs of its frames since power-on, (frame, device
states) where they changed; None after a state was loaded: the tape then starts from the present state."""


class Session(Shown):
    """One machine in use.

    folder    Callable[[str], Path]  folder for files of a kind ("states", "shots")
    clock     Callable[[], int]      host nanoseconds
    recorder  MakeRecorder or None   starts a recording
    player    Player or None         replays a tape on the machine, which then does not get the keyboard's input
    """

    def __init__(
        self,
        machine: AnyMachine,
        *,
        folder: Callable[[str], Path],
        clock: Callable[[], int] = time.perf_counter_ns,
        recorder: MakeRecorder | None = None,
        player: Player | None = None,
    ) -> None:
        self.machine, self.clock, self.player = machine, clock, player
        self.program = machine.rom.name if machine.rom else "program"  # an image of the user's own has no manifest
        self._has_pad = machine.rom is None or "pad" in machine.rom.inputs
        self.pad = 0
        self.view = View()
        self.shows_help = False
        self.shows_metrics = True
        self.recording: Recorder | None = None
        self.held: set[str] = set()
        self.panel: Panel | None = None  # runs the machine in place of this session while it is open
        self.watched: list[str] = []
        self.breakpoints: list[str] = []
        self.controller = ""  # what runs the machine in place of this session: "gdb"
        self._folder, self._make_recorder = folder, recorder
        self._begin_showing()
        self.transport = Transport(machine, clock, self._inputs, self._after_frame)
        self.seek = Seek(self.transport, player, self._went_back) if player is not None else None

    def advance(self) -> bool:
        """Run what is due; return whether the picture or the metrics changed."""
        if self.controller:
            return True
        if self.panel is not None:
            return self.panel.advance(self.transport.pacer.due(self.clock()), self.clock)
        if self.seek is not None and self.seek.advance():
            return True
        if "rewind" not in self.held:
            return self.transport.advance("fast" if "fast" in self.held else "run")
        changed = self.transport.advance("rewind")
        if changed:
            self._past += 1
            if self.player is not None:
                self.player.rewound()
        elif self.machine.frame_number == self.transport.rewind.first_frame:
            self.say(f"cannot rewind further: frame {self.machine.frame_number:,} is the earliest one saved")
        return changed

    def wait_ns(self) -> int:
        """Return the nanoseconds until `advance` should be called again."""
        is_seeking = self.seek is not None and self.seek.target is not None
        if is_seeking or ("fast" in self.held and not self.transport.halted):
            return 0
        return min(IDLE_NS, self.transport.pacer.wait_ns(self.clock()))

    def _inputs(self, frame: int) -> dict[str, int] | None:
        if self.player is not None:
            return self.player.inputs(frame)
        inputs = {"pad": self.pad} if self._has_pad else {}
        if self.recording is not None:
            for device, value in inputs.items():
                self._recorded(self.recording.set_input, device, value)
        return inputs

    def _after_frame(self) -> None:
        if self.recording is not None:
            self._recorded(self.recording.on_frame)
        if self.player is not None:
            had_diverged = bool(self.diverged)
            self.player.compare()
            if self.diverged and not had_diverged:
                self.held.discard("fast")
                self.transport.pause(True)
                if self.seek is not None:
                    self.seek.marks.add(self.machine.frame_number)

    def _recorded(self, write: Callable[..., None], *arguments: object) -> None:
        """Write to the tape; if that fails, the machine goes on without."""
        try:
            write(*arguments)
        except RetrosimError as error:
            self.recording = None
            self.say(f"recording stopped: {error}")

    # Commands

    def do(self, action: str, argument: int = 0) -> bool:
        """Carry out an action of the control table; a failure becomes a message.

        Returns  whether the session has this action
        """
        if self._is_controlled(action):
            return True
        method = getattr(self, f"_do_{action}", None)
        if method is None:
            return False
        try:
            method(argument)
        except (RetrosimError, ValueError) as error:  # a ValueError: the recorder refuses this machine
            self.say(str(error))
        return True

    def hold(self, action: str, is_down: bool) -> None:
        """Begin or end an action that lasts while a key or button is down: "rewind" or "fast"."""
        if is_down and self._is_controlled(action):
            return
        if is_down == (action in self.held) or (is_down and action == "rewind" and self._is_refused("rewind")):
            return
        self.held ^= {action}
        self.transport.pacer.restart(self.clock())

    def press(self, bit: int, is_down: bool) -> None:
        """Set or clear a bit of the input word; the machine reads it in its next frame."""
        self.pad = self.pad | bit if is_down else self.pad & ~bit

    def release_all(self) -> None:
        """Release every key: the window lost the keyboard focus."""
        self.pad = 0
        for action in tuple(self.held):
            self.hold(action, False)

    def control(self, controller: str) -> None:
        """Leave the machine to somebody else, or, with "", go on from where it is then."""
        if controller:
            self._close_panel()
            self.close()
            self.release_all()
        else:
            self._start_over()
            self.transport.pacer.restart(self.clock())
        self.controller = controller

    def _is_controlled(self, action: str) -> bool:
        if self.controller and action in RUNNING_ACTIONS:
            self.say(f"{self.controller} controls the machine")
            return True
        if self.panel is None or action not in RUNNING_ACTIONS:
            return False
        if action in PANEL_ACTIONS:
            self.panel.do(PANEL_ACTIONS[action])
            self.panel_acted()
        elif action.upper() == self.panel.title:
            self._close_panel()
        else:
            self.say(f"close the {self.panel.title.lower()} first (Esc)")
        return True

    def close(self) -> None:
        """Finish the recording, if there is one, so that its tape is complete."""
        if self.recording is not None:
            self.do("record")

    def _is_refused(self, what: str) -> bool:
        if self.recording is not None:
            self.say(f"cannot {what} while recording: stop the recording first (Ctrl+Shift+M)")
        return self.recording is not None

    def _do_pause(self, _: int) -> None:
        self._message_until = 0
        self.transport.pause(not self.transport.is_paused)
        if self.seek is not None and self.transport.is_paused:
            self.seek.marks.add(self.machine.frame_number)

    def _do_frame(self, _: int) -> None:
        self._message_until = 0
        self.transport.pause(True)
        if self.transport.run_on() and not self.transport.is_between_frames:
            self.say("this frame has not ended yet: press . to go on")

    def _do_instruction(self, _: int) -> None:
        self._message_until = 0
        self.transport.pause(True)
        if has_cpu(self.machine):
            self.transport.step()
        else:
            self.say(f"{self.machine.name} has no CPU, so there are no instructions to step through")

    def _went_back(self) -> None:
        self._past += 1

    def _sought(self, go: Callable[[Seek], None]) -> None:
        if self.seek is None:
            self.say("only a tape that is replayed has places to go to")
        else:
            go(self.seek)

    def _do_seek(self, frame: int) -> None:
        self._sought(lambda seek: seek.go(frame))

    def _do_jump(self, step: int) -> None:
        self._sought(lambda seek: seek.jump(step))

    def _do_ends(self, step: int) -> None:
        self._sought(lambda seek: seek.go(seek.first if step < 0 else seek.last))

    def _do_mark(self, step: int) -> None:
        self._sought(lambda seek: seek.to_mark(step))

    def _do_slower(self, _: int) -> None:
        self._set_speed(max(0, SPEEDS.index(self.transport.pacer.speed) - 1))

    def _do_faster(self, _: int) -> None:
        self._set_speed(min(len(SPEEDS) - 1, SPEEDS.index(self.transport.pacer.speed) + 1))

    def _do_normal(self, _: int) -> None:
        self._set_speed(SPEEDS.index(Fraction(1)))

    def _set_speed(self, index: int) -> None:
        self.transport.pacer.set_speed(SPEEDS[index], self.clock())
        self.say(f"speed {speed_text(SPEEDS[index])}")

    def _do_reset(self, _: int) -> None:
        if not self._is_refused("reset"):
            if self.player is not None:
                self.player.restart()
            else:
                self.machine.reset()
            self._start_over()
            self.say(
                "reset: the machine starts again from " + ("power-on" if self.player is None else "the tape's start")
            )

    def _start_over(self) -> None:
        self.transport.start_over()
        self._past += 1

    def _do_record(self, _: int) -> None:
        if self.recording is not None:
            recording, self.recording = self.recording, None
            recording.close()
            self.say(f"recorded {home_short(recording.path)}")
        elif self.player is not None:
            self.say("cannot record while a tape is replayed")
        elif self._make_recorder is None:
            self.say("this window cannot record tapes")
        elif not self.transport.is_between_frames:
            self.say("recording starts between two frames: finish this one first (.)")
        else:
            self.recording = self._make_recorder(self.machine, self.transport.history)
            self.say(f"recording to {home_short(self.recording.path)}")

    def _stem(self, slot: int) -> str:
        return f"{self.program}-{self.machine.name}-slot{slot}"

    def _do_save(self, slot: int) -> None:
        path = write_new(self._folder("states"), self._stem(slot), ".state", self.machine.save())
        self.say(f"saved to slot {slot}: {home_short(path)}")

    def _do_load(self, slot: int) -> None:
        if self.player is not None:
            self.say("cannot load a state while a tape is replayed")
        elif not self._is_refused("load a state"):
            path = newest_file(self._folder("states"), self._stem(slot), ".state")
            if path is None:
                self.say(f"slot {slot} has no saved state of {self.program} on {self.machine.name}")
                return
            self.machine.load(read_file(path))
            self._start_over()
            self.say(f"loaded from slot {slot}: {home_short(path)}")

    def _do_shot(self, _: int) -> None:
        machine = self.machine
        stem = f"{self.program}-{machine.name}-frame{machine.frame_number}"
        path = write_new(self._folder("shots"), stem, ".png", png_bytes(*picture_of(machine, self.view)))
        self.say(f"saved {home_short(path)}")

    def _do_collisions(self, _: int) -> None:
        """Show shapes and hits, then the tested pairs too, then nothing."""
        shapes, tested = self.view.shapes, self.view.tested
        self.view = replace(self.view, shapes=not tested, tested=shapes and not tested)

    def _do_debugger(self, _: int) -> None:
        self.panel = open_panel(self, "DEBUGGER")

    def _do_walk(self, _: int) -> None:
        self.panel = open_panel(self, "WALK")

    def panel_acted(self) -> None:
        """The debugger panel has carried out a command: close it if that was wanted, else go on from now."""
        if self.panel is not None and self.panel.is_closing:
            self._close_panel()
        self.transport.pacer.restart(self.clock())

    def _close_panel(self) -> None:
        if self.panel is None:
            return
        panel, self.panel = self.panel, None
        kept = panel.close()
        self.breakpoints = self.breakpoints if kept is None else kept
        if self.player is not None:
            self.player.rewound()
        self._start_over()

    def _do_metrics(self, _: int) -> None:
        self.shows_metrics = not self.shows_metrics

    def _do_help(self, _: int) -> None:
        self.shows_help = not self.shows_help

    def _do_grid(self, _: int) -> None:
        count = len(self.shapes.grids) if self.shapes is not None else 0
        following = 0 if self.view.grid is None else self.view.grid + 1
        self.view = replace(self.view, grid=following if following < count else None)
        if not count:
            self.say(f"{self.program} has no grid")
